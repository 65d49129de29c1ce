// Modules of the runtime that few processes need. Loading them would take a quarter of the time in which the program starts, so each is loaded when it is first used.

export const net = () => process.getBuiltinModule('node:net')
export const tty = () => process.getBuiltinModule('node:tty')
export const nodeCrypto = () => process.getBuiltinModule('node:crypto')
export const http = () => process.getBuiltinModule('node:http')
