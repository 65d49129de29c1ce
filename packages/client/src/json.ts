// Reads JSON that was received, held to a form, from which its type follows.
import { NomenclatorError } from './errors.ts'

type Members = Readonly<Record<string, unknown>>
type Scalars = { string: string; number: number; boolean: boolean; undefined: undefined }
type Types = Scalars & { object: Members; list: unknown[] }

/** The type of values of a form: types with | between them, of which undefined may be absent; a list of one form; members. */
export type FormOf<F> = F extends `${infer A}|${infer B}`
  ? FormOf<A> | FormOf<B>
  : F extends keyof Types
    ? Types[F]
    : F extends readonly [infer E]
      ? readonly FormOf<E>[]
      : { readonly [M in keyof F]: FormOf<F[M]> }

export const isRecord = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** True if a value has a form, whatever other members it has. */
export function fits<const F>(value: unknown, form: F): value is FormOf<F> & unknown {
  if (typeof form === 'string')
    return form.split('|').includes(Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value)
  if (Array.isArray(form)) return Array.isArray(value) && value.every((element) => fits(element, form[0]))
  return isRecord(value) && Object.entries(form as object).every(([name, inner]) => fits(value[name], inner))
}

/** The value that a text has in JSON; undefined for a text that is no JSON. */
export function valueIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The value of a response in JSON; a proxy may have sent something else in its place. */
export function jsonOf<const F>({ url, body }: Readonly<Record<'url' | 'body', string>>, form: F): FormOf<F> {
  const value = valueIn(body)
  if (fits(value, form)) return value
  const kind = value === undefined ? 'not JSON' : 'JSON of another form than was expected'
  throw new NomenclatorError(`GET ${url}: the response is ${kind}`)
}
