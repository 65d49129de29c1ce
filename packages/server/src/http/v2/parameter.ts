// A parameter of API v2: its name, its values as the OpenAPI document describes them, how they are parsed, and the work that they
// cause. A query is parsed by the parameters of its route.
import { memoized } from '../../base/memoized.ts'
import { nearest } from '../../base/nearest.ts'
import { parseWholeNumber } from '../../base/whole-number.ts'
import type { RecordPath } from '../../catalog/paths.ts'
import type { ValueMatch } from '../../query/wanted-values.ts'
import { badParameter, ProblemError } from '../problem.ts'
import type { RawQuery } from './request/query-string.ts'
import { type ListOfRelease, NO_WORK, type Work } from './work.ts'

export type Parameter<T = unknown> = {
  readonly name: string
  /** The entity or route that it belongs to; absent if it is the same everywhere. */
  readonly of?: string
  readonly description: string
  readonly repeatable: boolean
  /** Maximum number of values, if it may have several. */
  readonly max?: number
  readonly filter?: { readonly path: RecordPath; readonly match: ValueMatch }
  /** Its name with the slugs of fields, if that is another. */
  readonly slug?: string
  readonly required?: boolean
  /** Names that other APIs have for it. */
  readonly elsewhere?: readonly string[]
  /** True if one value holds several, separated by commas: the schema describes each of them. */
  readonly commaSeparated?: boolean
  readonly schema: Readonly<Record<string, unknown>>
  /** Its value in a request that does not give it. */
  readonly absent: T
  /** Parses what a request gives, at least one text, and one alone unless it is repeatable; throws a problem. */
  parse(texts: readonly [string, ...string[]], name: string): T
  /** The work that a value causes, besides that of a request without it. */
  work(value: T, list: ListOfRelease): Work
}

/** The parameters of a route, by name. */
export type ParameterTable = ReadonlyMap<string, Parameter>

type Definition<T> = Partial<Omit<Parameter<T>, 'name' | 'description'>> & Pick<Parameter<T>, 'work'>

/** A parameter that is given once; unless it is parsed otherwise, its value is the text. */
export const parameter = <T = string | undefined>(
  name: string,
  description: string,
  definition: Definition<T>,
): Parameter<T> => ({
  name,
  description,
  repeatable: false,
  schema: { type: 'string' },
  absent: undefined as T,
  parse: ([text]) => text as T,
  ...definition,
})

/** The work of a parameter that changes nothing of what a request costs. */
export const noWork = (): Work => NO_WORK

type Numbers = { readonly max: number; readonly absent: number; readonly elsewhere: readonly string[] }

export const wholeNumber = (name: string, description: string, { max, absent, elsewhere }: Numbers) =>
  parameter<number>(name, description, {
    schema: { type: 'integer', minimum: 1, maximum: max, default: absent },
    elsewhere,
    absent,
    parse: ([text], given) => {
      const number = parseWholeNumber(text, { min: 1, max })
      if (number === undefined) throw badParameter(given, text, `a whole number from 1 to ${max}`)
      return number
    },
    work: noWork,
  })

/** One of these words, and the one that stands for it where it is absent, if there is one. */
export const choice = <W extends string, A extends W | undefined>(
  name: string,
  description: string,
  words: readonly W[],
  absent: A,
  more: Pick<Parameter, 'of'> & Partial<Pick<Parameter<W | A>, 'work'>> = {},
): Parameter<W | A> =>
  parameter(name, description, {
    schema: { type: 'string', enum: words, ...(absent === undefined ? {} : { default: absent }) },
    absent,
    parse: ([text], given) => wordOf(words, text, given),
    work: noWork,
    ...more,
  })

/** True or false, which is the default. */
export const flag = (name: string, description: string, work: Parameter<boolean>['work'] = noWork) =>
  parameter<boolean>(name, description, {
    schema: { type: 'boolean', default: false },
    absent: false,
    parse: ([text], given) => wordOf(['true', 'false'], text, given) === 'true',
    work,
  })

function wordOf<W extends string>(words: readonly W[], text: string, name: string): W {
  const word = words.find((one) => one === text)
  if (word === undefined) throw badParameter(name, text, oneOfThese(words, text))
  return word
}

/** The words that are allowed, and the one that was probably meant. */
export function oneOfThese(words: readonly string[], given: string): string {
  const meant = nearest(given, words)
  return `${words.join(', ')}${meant === undefined ? '' : `; did you mean ${meant}?`}`
}

export function notEmpty(name: string, value: string): string {
  if (value === '') throw badParameter(name, value, 'a value: to ask for any, leave the parameter out')
  return value
}

const bySlug = memoized(
  (table: ParameterTable): ParameterTable =>
    new Map([...table.values()].flatMap((one) => (one.slug === undefined ? [] : [[one.slug, one] as const]))),
)

/** The parameter that a query names, by the names of fields or by their slugs. */
export const parameterNamed = (table: ParameterTable, name: string): Parameter | undefined =>
  table.get(name) ?? bySlug(table).get(name)

type Texts = [string, ...string[]]

/** A query in which only known parameters stand, and only repeatable ones more than once. */
export class Parameters {
  readonly #given = new Map<string, { readonly parameter: Parameter; readonly texts: Texts }>()
  readonly #parsed: (readonly [parameter: Parameter, value: unknown])[] = []

  constructor({ pairs }: RawQuery, known: ParameterTable) {
    for (const [name, value] of pairs) {
      const parameter = parameterNamed(known, name)
      if (parameter === undefined) throw unknownParameter(name, known)
      const given = this.#given.get(parameter.name)
      if (given === undefined) this.#given.set(parameter.name, { parameter, texts: [value] })
      else given.texts.push(value)
      if (given !== undefined && !parameter.repeatable)
        throw badParameter(name, given.texts.join(', '), 'one value: it may be given only once')
    }
  }

  has({ name }: Pick<Parameter, 'name'>): boolean {
    return this.#given.has(name)
  }

  /** The value of a parameter: parsed, or what stands for it where it is absent. */
  value<T>(parameter: Parameter<T>): T {
    const given = this.#given.get(parameter.name)
    if (given === undefined) return parameter.absent
    const value = parameter.parse(given.texts, parameter.name)
    this.#parsed.push([parameter as Parameter, value])
    return value
  }

  /** The value of a parameter that must be given. */
  required<T>(parameter: Parameter<T>, allowed: string): Exclude<T, undefined> {
    if (!this.has(parameter)) throw badParameter(parameter.name, '', `${allowed}; it must be given`)
    return this.value(parameter) as Exclude<T, undefined>
  }

  /** The text of a parameter, as it was given. */
  text({ name }: Pick<Parameter, 'name'>): string {
    return this.#given.get(name)?.texts.join(', ') ?? ''
  }

  /** The parameters that were given. */
  *given(): Iterable<Parameter> {
    for (const { parameter } of this.#given.values()) yield parameter
  }

  /** The work that all values cause which were parsed. */
  work(list: ListOfRelease): Work[] {
    return this.#parsed.map(([parameter, value]) => parameter.work(value, list))
  }
}

/** Refuses all parameters but those of a table. */
export function refuseParameters(query: RawQuery, known: ParameterTable = new Map()): void {
  new Parameters(query, known)
}

function unknownParameter(name: string, known: ParameterTable): ProblemError {
  const names = [...known.keys()]
  const meant = [...known.values()].find(({ elsewhere }) => elsewhere?.includes(name.toLowerCase()))?.name
  return new ProblemError({ kind: 'unknown-parameter', name, known: names, nearest: meant ?? nearest(name, names) })
}
