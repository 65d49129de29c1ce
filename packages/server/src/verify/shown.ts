// A value of a server as it is shown to people.

const MAX_VALUE = 120

/** A value as it is shown: short, and without what would control a terminal. */
export function shown(value: unknown): string {
  const text =
    value === undefined
      ? 'nothing'
      : typeof value === 'string'
        ? JSON.stringify(value)
        : (JSON.stringify(value) ?? String(value))
  const plain = text.replace(/\p{Cc}/gu, ' ')
  return plain.length > MAX_VALUE ? `${plain.slice(0, MAX_VALUE)}…` : plain
}
