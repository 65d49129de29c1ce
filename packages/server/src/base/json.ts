// What is asked of JSON whose shape is not known yet.

export type JsonObject = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What stands at the end of a way through objects; undefined where the way ends before. */
export function valueAt(value: unknown, steps: readonly string[]): unknown {
  let at = value
  for (const step of steps) at = isObject(at) ? at[step] : undefined
  return at
}
