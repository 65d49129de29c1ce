// Checks the parameters of a request against those of its route, and parses those that several routes have.
import { parseDecimal } from '../../../base/decimal-number.ts'
import { nearest } from '../../../base/nearest.ts'
import { parseWholeNumber } from '../../../base/whole-number.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import type { Entity } from '../../../catalog/entity.ts'
import { wordsOf } from '../../../catalog/words.ts'
import type { Selection } from '../../../query/formats/selection.ts'
import { languageMeant } from '../../../query/formats/shown-names.ts'
import type { Near } from '../../../query/near.ts'
import { badParameter, ProblemError } from '../../problem.ts'
import {
  ALL_LANGUAGES,
  MAX_SEARCH_CHARACTERS,
  MAX_WITHIN_KM,
  MAX_WORDS,
  MIN_WITHIN_KM,
  noParameters,
  type ParameterTable,
  POINT_PATTERN,
  parameterNamed,
  RECORD_NAMED_BY,
} from '../parameter-definitions.ts'
import type { NamedBy } from '../record-key.ts'
import type { RawQuery } from './query-string.ts'

/** A query in which only known parameters stand, and only repeatable ones more than once. */
export class Parameters {
  readonly #values = new Map<string, string[]>()

  constructor({ pairs }: RawQuery, known: ParameterTable) {
    for (const [name, value] of pairs) {
      const definition = parameterNamed(known, name)
      if (definition === undefined) {
        const names = [...known.keys()]
        throw new ProblemError({ kind: 'unknown-parameter', name, known: names, nearest: parameterMeant(name, names) })
      }
      const values = this.#values.get(definition.name) ?? []
      values.push(value)
      this.#values.set(definition.name, values)
      if (values.length > 1 && !definition.repeatable)
        throw badParameter(name, values.join(', '), 'one value: it may be given only once')
    }
  }

  has(name: string): boolean {
    return this.#values.has(name)
  }

  one(name: string): string | undefined {
    return this.#values.get(name)?.[0]
  }

  /** The parameters that were given, each with all of its values. */
  all(): Iterable<readonly [name: string, values: readonly string[]]> {
    return this.#values
  }

  allOf(name: string): readonly string[] | undefined {
    return this.#values.get(name)
  }

  required(name: string, allowed: string): string {
    const value = this.one(name)
    if (value === undefined) throw badParameter(name, '', `${allowed}; it must be given`)
    return value
  }

  wholeNumber(name: string, { max, defaultValue }: { readonly max: number; readonly defaultValue: number }): number {
    const value = this.one(name)
    if (value === undefined) return defaultValue
    const number = parseWholeNumber(value, { min: 1, max })
    if (number === undefined) throw badParameter(name, value, `a whole number from 1 to ${max}`)
    return number
  }

  oneOf<W extends string>(name: string, words: readonly W[]): W | undefined {
    const value = this.one(name)
    const word = words.find((one) => one === value)
    if (value !== undefined && word === undefined) throw badParameter(name, value, oneOfThese(words, value))
    return word
  }
}

const PAGE_SIZES = ['per_page', 'limit', 'size', 'page_size', 'pagesize', 'count', 'rows', 'top']

/** Names that other APIs have for our parameters. */
const NAMES_ELSEWHERE: ReadonlyMap<string, readonly string[]> = new Map([
  ['per_page', PAGE_SIZES],
  ['limit', PAGE_SIZES],
  ['q', ['query', 'search', 'text']],
  ['page', ['offset', 'skip', 'start']],
  ['lang', ['language', 'locale']],
  ['sort', ['order', 'order_by', 'orderby']],
])

const parameterMeant = (name: string, known: readonly string[]): string | undefined =>
  known.find((ours) => NAMES_ELSEWHERE.get(ours)?.includes(name.toLowerCase())) ?? nearest(name, known)

/** The words that are allowed, and the one that was probably meant. */
export function oneOfThese(words: readonly string[], given: string): string {
  const meant = nearest(given, words)
  return `${words.join(', ')}${meant === undefined ? '' : `; did you mean ${meant}?`}`
}

/** Refuses all parameters but those of a table. */
export function refuseParameters(query: RawQuery, known: ParameterTable = noParameters): void {
  new Parameters(query, known)
}

// Parameters of several routes.

export const namedBy = (parameters: Parameters): NamedBy | undefined => parameters.oneOf('by', RECORD_NAMED_BY)

export const embedOf = (parameters: Parameters): Selection['embed'] =>
  parameters.oneOf('embed', ['full', 'id']) ?? 'full'

/** The language that names are shown in, one of these; undefined for all. */
export function shownLanguage(parameters: Parameters, languages: readonly string[]): string | undefined {
  const tag = parameters.one('lang')
  if (tag === undefined || tag === ALL_LANGUAGES) return undefined
  const language = languageMeant(languages, tag)
  if (language === undefined) throw badParameter('lang', tag, oneOfThese([...languages, ALL_LANGUAGES], tag))
  return language
}

export function searchWords(parameters: Parameters): string[] {
  const text = parameters.required('q', 'the words to search for')
  const words = text.length > MAX_SEARCH_CHARACTERS ? [] : wordsOf(text)
  if (words.length > 0 && words.length <= MAX_WORDS) return words
  const allowed = `one to ${MAX_WORDS} words of letters or digits, in at most ${MAX_SEARCH_CHARACTERS} characters`
  throw badParameter('q', text, allowed)
}

/** The collections that `in` names, each once; it may be repeated, and each time name several. */
export function collectionsIn(
  parameters: Parameters,
  collections: Catalog['collections'],
): readonly Entity[] | undefined {
  const names = parameters.allOf('in')?.flatMap((value) => value.split(','))
  const entities = names?.map((plural) => {
    const entity = collections.get(plural)
    if (entity === undefined) throw badParameter('in', plural, oneOfThese([...collections.keys()], plural))
    return entity
  })
  return entities && [...new Set(entities)]
}

const POINT = new RegExp(POINT_PATTERN)
const MAX_LATITUDE = 90
const MAX_LONGITUDE = 180

export function nearOf(parameters: Parameters): Near | undefined {
  const point = parameters.one('near')
  const within = withinOf(parameters)
  if (point === undefined) return undefined
  const [, latitude = Number.NaN, longitude = Number.NaN] = (POINT.exec(point) ?? []).map(Number)
  if (!(Math.abs(latitude) <= MAX_LATITUDE && Math.abs(longitude) <= MAX_LONGITUDE))
    throw badParameter(
      'near',
      point,
      `a latitude from -${MAX_LATITUDE} to ${MAX_LATITUDE}, a comma, and a longitude from -${MAX_LONGITUDE} to ${MAX_LONGITUDE}, with a point before their decimals, as in 19.43,-99.13`,
    )
  return { latitude, longitude, within }
}

/** The radius around a point, in metres. */
function withinOf(parameters: Parameters): number | undefined {
  const distance = parameters.one('within_km')
  if (distance === undefined) return undefined
  const kilometres = parseDecimal(distance) ?? 0
  if (kilometres < MIN_WITHIN_KM || kilometres > MAX_WITHIN_KM)
    throw badParameter(
      'within_km',
      distance,
      `a number from ${MIN_WITHIN_KM} to ${MAX_WITHIN_KM}, with a point before its decimals`,
    )
  if (!parameters.has('near'))
    throw badParameter('within_km', distance, 'a distance from near, which must be given too')
  return Math.round(kilometres * 1_000_000) / 1_000
}
