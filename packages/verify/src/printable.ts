// Text of a server as people may read it: short, and without characters that control a terminal.

const MAX_TEXT = 300
const MAX_VALUE = 120

export const printable = (text: string): string => text.replace(/\p{Cc}+/gu, ' ').slice(0, MAX_TEXT)

/** A value as JSON. */
export function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value).replace(/\p{Cc}/gu, ' ')
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text
}
