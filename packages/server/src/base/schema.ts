// Schemas of what comes from outside: each turns a value of unknown shape into a typed one, or says all that is wrong with it and where.
// A schema is stated once; the type of what it reads follows from it.

/** A fault of one value, and its place: `entities.pais.count`. */
type Mismatch = { readonly path: string; readonly found: string; readonly expected: string }

/** Reads a value. The result counts only if nothing was added to `mismatches`. */
type Read<T> = (value: unknown, path: string, mismatches: Mismatches) => T

export type Schema<T> = {
  /** Completes "expected …". */
  readonly expected: string
  readonly read: Read<T>
  /** The schemas of its parts, by the steps of a path: names of members, [] for elements, * for names from outside, (kinds). */
  readonly parts?: Parts | undefined
}
type Parts = Readonly<Record<string, Schema<unknown>>>

/** The type of what a schema reads. */
export type TypeOf<S> = S extends Schema<infer T> ? T : never

const MAX_MISMATCHES = 20
const MAX_SHOWN = 60

class Mismatches {
  readonly list: Mismatch[] = []
  count = 0

  add(path: string, value: unknown, expected: string): undefined {
    this.count++
    if (this.list.length < MAX_MISMATCHES) this.list.push({ path, found: shown(value), expected })
    return undefined
  }
}

/** A value in few letters, none of which a terminal would obey. */
function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'object' && value !== null) return 'an object'
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, MAX_SHOWN + 1) : value)
  const plain = text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return typeof value === 'string' && value.length > MAX_SHOWN ? `${plain.slice(0, MAX_SHOWN)}…"` : plain
}

/** Reads a value as a schema says; otherwise returns what is wrong with it, the first of many. */
export function parse<T>(
  schema: Schema<T>,
  value: unknown,
): { readonly value: T } | { readonly mismatches: readonly Mismatch[] } {
  const mismatches = new Mismatches()
  const result = schema.read(value, '', mismatches)
  return mismatches.count === 0 ? { value: result } : { mismatches: mismatches.list }
}

/** A mismatch as a sentence without its full stop: `count is "3"; expected a whole number of 0 or more`. */
export const mismatchText = ({ path, found, expected }: Mismatch): string =>
  `${path === '' ? 'it' : path} is ${found}; expected ${expected}`

const MAX_SAID = 3

/** The first faults of a value in one sentence. */
export const mismatchesText = ({ mismatches }: { readonly mismatches: readonly Mismatch[] }): string =>
  mismatches.slice(0, MAX_SAID).map(mismatchText).join('; ')

/** A schema that reads what passes a test, as it is. */
export const such = <T>(expected: string, isSuch: (value: unknown) => value is T): Schema<T> => ({
  expected,
  read: (value, path, mismatches) => (isSuch(value) ? value : (mismatches.add(path, value, expected) as T)),
})

export const boolean = such('true or false', (value) => typeof value === 'boolean')

/** A text of up to `max` letters, which may have to match a pattern. */
export const text = (max: number, pattern?: RegExp, expected = `a text of at most ${max} letters`): Schema<string> =>
  such(
    expected,
    (value): value is string => typeof value === 'string' && value.length <= max && pattern?.test(value) !== false,
  )

export const wholeNumber = (min = 0, max: number = Number.MAX_SAFE_INTEGER): Schema<number> =>
  such(
    max === Number.MAX_SAFE_INTEGER ? `a whole number of ${min} or more` : `a whole number from ${min} to ${max}`,
    (value): value is number => Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max,
  )

export const number = such('a number', (value): value is number => typeof value === 'number' && Number.isFinite(value))

export const oneOf = <const V extends readonly (string | number)[]>(...values: V): Schema<V[number]> =>
  such(values.map((value) => JSON.stringify(value)).join(' or '), (value): value is V[number] =>
    values.includes(value as V[number]),
  )

/** A list of at most `max` elements. */
export function listOf<T>(element: Schema<T>, max: number): Schema<readonly T[]> {
  const expected = `a list of at most ${max} elements`
  const read: Read<readonly T[]> = (value, path, mismatches) => {
    if (!Array.isArray(value) || value.length > max) return mismatches.add(path, value, expected) ?? []
    return value.map((one, index) => element.read(one, `${path}[${index}]`, mismatches))
  }
  return { expected, read, parts: { '[]': element } }
}

type Properties = Readonly<Record<string, unknown>>
const isProperties = (value: unknown): value is Properties =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const at = (path: string, name: string) => {
  const step = /^[\w-]+$/.test(name) ? name : JSON.stringify(name)
  return path === '' ? step : `${path}.${step}`
}

/** Values by names from outside, at most `max` of them. The result inherits nothing: no name finds more than what was there. */
export function dictionaryOf<T>(
  name: Schema<string>,
  value: Schema<T>,
  max: number,
): Schema<Readonly<Record<string, T>>> {
  const expected = `an object with at most ${max} members`
  const read: Read<Readonly<Record<string, T>>> = (given, path, mismatches) => {
    const result: Record<string, T> = Object.create(null)
    if (!isProperties(given)) return mismatches.add(path, given, expected) ?? result
    const names = Object.keys(given)
    if (names.length > max) return mismatches.add(path, given, expected) ?? result
    for (const key of names) {
      name.read(key, at(path, key), mismatches)
      result[key] = value.read(given[key], at(path, key), mismatches)
    }
    return result
  }
  return { expected, read, parts: { '*': value } }
}

/** A member of an object that may be absent. */
type Optional<T> = Schema<T> & { readonly isOptional: true }
export const optional = <T>(schema: Schema<T>): Optional<T> => ({ ...schema, isOptional: true })

type Members = Readonly<Record<string, Schema<unknown>>>
type OptionalNames<M extends Members> = { [K in keyof M]: M[K] extends Optional<unknown> ? K : never }[keyof M]
type ObjectOf<M extends Members> = { readonly [K in Exclude<keyof M, OptionalNames<M>>]: TypeOf<M[K]> } & {
  readonly [K in OptionalNames<M>]?: TypeOf<M[K]>
}

/** An object with these members, in the order in which they came. Others are left out of the result. */
export function objectOf<const M extends Members>(members: M): Schema<ObjectOf<M>> {
  const expected = 'an object'
  const required = Object.keys(members).filter((name) => !('isOptional' in (members[name] as Schema<unknown>)))
  const read: Read<ObjectOf<M>> = (given, path, mismatches) => {
    const result: Record<string, unknown> = {}
    if (!isProperties(given)) return (mismatches.add(path, given, expected) ?? result) as ObjectOf<M>
    for (const [name, value] of Object.entries(given)) {
      const schema = Object.hasOwn(members, name) ? members[name] : undefined
      if (schema === undefined || (value === undefined && 'isOptional' in schema)) continue
      result[name] = schema.read(value, at(path, name), mismatches)
    }
    for (const name of required)
      if (!Object.hasOwn(given, name))
        mismatches.add(at(path, name), undefined, (members[name] as Schema<unknown>).expected)
    return result as ObjectOf<M>
  }
  return { expected, read, parts: members }
}

/** Objects of several kinds, distinguished by the member `by`. */
export function variants<const V extends Readonly<Record<string, Schema<unknown>>>>(
  by: string,
  kinds: V,
): Schema<TypeOf<V[keyof V]>> {
  const expected = `an object with ${by} ${Object.keys(kinds).join(' or ')}`
  const read: Read<TypeOf<V[keyof V]>> = (given, path, mismatches) => {
    const kind = isProperties(given) && Object.hasOwn(given, by) ? given[by] : undefined
    const schema = typeof kind === 'string' && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined
    if (schema === undefined) return mismatches.add(path, given, expected) as never
    return schema.read(given, path, mismatches) as TypeOf<V[keyof V]>
  }
  const parts = Object.fromEntries(Object.entries(kinds).map(([kind, schema]) => [`(${kind})`, schema]))
  return { expected, read, parts }
}

/** A value that one of two schemas reads: the first, if it is of the kind that `isFirst` recognises. */
export const either = <A, B>(
  isFirst: (value: unknown) => boolean,
  first: Schema<A>,
  second: Schema<B>,
): Schema<A | B> => ({
  expected: `${first.expected} or ${second.expected}`,
  read: (value, path, mismatches) => (isFirst(value) ? first : second).read(value, path, mismatches) as A | B,
  parts: { ...first.parts, ...second.parts },
})

/** A value that a schema reads, if it also passes a test. */
export const suchThat = <T>(schema: Schema<T>, expected: string, isSuch: (value: T) => boolean): Schema<T> => ({
  expected,
  parts: schema.parts,
  read: (value, path, mismatches) => {
    const before = mismatches.count
    const result = schema.read(value, path, mismatches)
    if (mismatches.count === before && !isSuch(result)) mismatches.add(path, value, expected)
    return result
  },
})

/** A schema that refers to one which is stated later, such as itself. */
export const later = <T>(schema: () => Schema<T>): Schema<T> => ({
  get expected() {
    return schema().expected
  },
  read: (value, path, mismatches) => schema().read(value, path, mismatches),
})

/** Reads a value as a schema says; returns undefined if it is something else. */
export function readOrUndefined<T>(schema: Schema<T>, value: unknown): T | undefined {
  const parsed = parse(schema, value)
  return 'value' in parsed ? parsed.value : undefined
}
