// Text of a server as people may read it: short, and without characters that control a terminal or turn the direction of a line.

const MAX_TEXT = 300
const MAX_VALUE = 120

const UNPRINTABLE = /[\p{Cc}\p{Bidi_Control}]+/gu

export const printable = (text: string): string => text.replace(UNPRINTABLE, ' ').slice(0, MAX_TEXT)

/** A value as JSON. */
export function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value).replace(UNPRINTABLE, ' ')
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text
}
