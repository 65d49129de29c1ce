// Where the program itself is: sources beside their packages, or one executable with its files inside.
import { homedir } from 'node:os'
import { join } from 'node:path'

const isExecutable = Bun.isStandaloneExecutable

/** In an executable all modules are one, and the files that it was built with are beside it. */
const ROOT = isExecutable ? import.meta.dir : join(import.meta.dir, '..')

/** The path of a file or directory that ships with the program. In an executable, read it with Bun.file or readFileSync. */
export const shippedFile = (path: string): string => join(ROOT, path)

/** The beginning of a command line that runs this program. */
export const programCommand: readonly string[] = isExecutable
  ? [process.execPath]
  : [process.execPath, join(import.meta.dir, 'main.ts')]

/** The home that is used if none is given. */
export const defaultHome = (): string =>
  isExecutable
    ? join(process.env.XDG_DATA_HOME || join(process.env.HOME || homedir(), '.local', 'share'), 'nomenclator')
    : join(ROOT, 'var')
