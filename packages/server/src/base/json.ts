// Reads JSON: nothing else in the server parses any. Its shape is not known before something checks it.

export type JsonObject = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value with objects that inherit nothing, in it too: a name from outside finds only what was put there. */
export function bare<T>(value: T): T {
  if (!isObject(value)) return value
  const own = Object.entries(value).map(([name, member]) => [name, bare(member)])
  return Object.assign(Object.create(null), Object.fromEntries(own))
}

/** The value that a table has under a name from outside; undefined for the names that every object has. */
export const own = <T>(table: Readonly<Record<string, T>> | undefined, name: string): T | undefined =>
  table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined

/** The value at the end of a path through objects; undefined where the path ends before. */
export function valueAt(value: unknown, steps: readonly string[]): unknown {
  let at = value
  for (const step of steps) at = isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined
  return at
}

/** The value at a path of names with dots between them; a name may have dots itself. */
export function valueAtPath(value: unknown, path: string): unknown {
  if (!isObject(value)) return undefined
  if (Object.hasOwn(value, path)) return value[path]
  const field = Object.keys(value).find((name) => path.startsWith(`${name}.`))
  return field === undefined ? undefined : valueAtPath(value[field], path.slice(field.length + 1))
}

/** Throws a SyntaxError if it is not JSON. */
export const parseJson = (text: string): unknown => JSON.parse(text)

/** JSON that this program wrote itself and that nobody else can change: a message between its processes, a verified file. */
export const parseOwnJson = <T>(text: string): T => JSON.parse(text)

/** JSON with numbers that are written again with all of their digits. */
export const parseJsonWithDigits = (text: string): unknown => JSON.parse(text, withDigits)

const withDigits = (_: string, value: unknown, { source }: { readonly source?: string } = {}): unknown =>
  typeof value === 'number' && source !== undefined && String(value) !== source ? rawJson(source) : value

/** A value that is written as JSON just so. */
const { rawJSON: rawJson } = JSON as unknown as { readonly rawJSON: (json: string) => unknown }
