// Parses what clients send: the fields of a form, a batch of reconciliation queries, a data extension query. A refusal has
// the path of the wrong value in the JSON.

import { isObject, parseJson } from '../../base/json.ts'
import { nearest } from '../../base/nearest.ts'
import { parseWholeNumber } from '../../base/whole-number.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Entity } from '../../catalog/entity.ts'
import { MAX_FORM_FIELDS, MAX_JSON_LEVELS } from '../bodies/body-limits.ts'
import { requireForm } from '../bodies/body-types.ts'
import { isTooDeep } from '../bodies/row-texts.ts'
import type { HttpRequest } from '../exchange.ts'
import { badParameter, ProblemError } from '../problem.ts'
import { parseQuery } from '../v2/request/query-string.ts'
import { allProperties, type Property } from './properties.ts'

/** A larger batch would occupy the service for seconds. */
export const MAX_QUERIES = 50
const DEFAULT_CANDIDATES = 10
const MAX_CANDIDATES = 25
const MAX_PROPERTIES = 100
const MAX_IDS = 1_000
/** Values of a property that are read; further ones are ignored. */
const MAX_VALUES = 5

/** The value of a property of a query: text, or an entity that was reconciled before. */
export type GivenValue = { readonly text: string; readonly id: string | undefined }

export type GivenProperty = { readonly property: Property; readonly values: readonly GivenValue[] }

export type ReconciliationQuery = {
  readonly text: string
  /** The entities of which a candidate may be. */
  readonly types: readonly Entity[]
  readonly limit: number
  readonly properties: readonly GivenProperty[]
}

export type ExtensionQuery = { readonly ids: readonly string[]; readonly properties: readonly Property[] }

const decoder = new TextDecoder('utf-8', { fatal: true })

/** The fields of the query string and of the form in the body. The first of a name counts; unknown ones are ignored. */
export function parseForm({ query, body, headers }: HttpRequest): ReadonlyMap<string, string> {
  if (body !== undefined) requireForm(headers)
  const fields = new Map<string, string>()
  for (const text of [query, body === undefined ? '' : formText(body)])
    for (const [name, value] of parseQuery(text).pairs) if (!fields.has(name)) fields.set(name, value)
  return fields
}

function formText(body: Uint8Array): string {
  const text = decoded(body)
  if (text.split('&', MAX_FORM_FIELDS + 1).length > MAX_FORM_FIELDS)
    throw new ProblemError({ kind: 'bad-request', wrong: `the form has more than ${MAX_FORM_FIELDS} fields` })
  return text
}

function decoded(body: Uint8Array): string {
  try {
    return decoder.decode(body).trim()
  } catch {
    throw new ProblemError({ kind: 'bad-request', wrong: 'the body is not UTF-8' })
  }
}

export function parseQueries(text: string, catalog: Catalog): [key: string, query: ReconciliationQuery][] {
  const batch = Object.entries(object('queries', jsonIn('queries', text)))
  if (batch.length > MAX_QUERIES)
    throw new ProblemError({ kind: 'content-too-large', max: MAX_QUERIES, unit: 'queries' })
  return batch.map(([key, value]) => [key, parseReconciliationQuery(`queries.${key}`, value, catalog)])
}

function parseReconciliationQuery(at: string, value: unknown, catalog: Catalog): ReconciliationQuery {
  const { query, type, limit, properties, type_strict: strict } = object(at, value)
  if (query === undefined && !(Array.isArray(properties) && properties.length > 0))
    throw refused(at, value, 'an object with query, properties or both')
  if (query !== undefined && typeof query !== 'string') throw refused(`${at}.query`, query, 'a text')
  if (strict !== undefined && !STRICTNESS.includes(strict as string))
    throw refused(`${at}.type_strict`, strict, STRICTNESS.join(', '))
  return {
    text: query ?? '',
    types: parseTypes(`${at}.type`, type, catalog),
    limit: parseLimit(`${at}.limit`, limit),
    properties: list(`${at}.properties`, properties ?? [], MAX_PROPERTIES).map((one, index) =>
      parseProperty(`${at}.properties[${index}]`, one, catalog),
    ),
  }
}

const STRICTNESS: readonly string[] = ['any', 'all', 'should']

/** Clients send one type, several, or the whole type with its name. */
function parseTypes(at: string, value: unknown, catalog: Catalog): Entity[] {
  const isEmpty = value === undefined || value === null || value === ''
  const types = (isEmpty ? [] : Array.isArray(value) ? value : [value]).map((one) =>
    entityOfType(at, isObject(one) ? one.id : one, catalog),
  )
  return types.length === 0 ? [...catalog.entities.values()] : [...new Set(types)]
}

export function entityOfType(at: string, id: unknown, { collections }: Catalog): Entity {
  const entity = typeof id === 'string' ? collections.get(id) : undefined
  if (entity === undefined) throw refused(at, id, oneOf([...collections.keys()], id))
  return entity
}

/** A limit above the maximum is no mistake: the client gets fewer. */
function parseLimit(at: string, value: unknown): number {
  if (value === undefined || value === null) return DEFAULT_CANDIDATES
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1)
    throw refused(at, value, 'a whole number from 1')
  return Math.min(value, MAX_CANDIDATES)
}

const VALUES = 'a text, a number, true, false, an object with an id, or a list of these'

function parseProperty(at: string, value: unknown, catalog: Catalog): GivenProperty {
  const { pid, v } = object(at, value)
  if (v === undefined) throw refused(`${at}.v`, v, VALUES)
  // An empty cell is no value.
  const cells = (Array.isArray(v) ? v : [v]).filter((one) => one !== null && one !== '')
  const values = cells.slice(0, MAX_VALUES)
  return { property: propertyOf(`${at}.pid`, pid, catalog), values: values.map((one) => givenValue(`${at}.v`, one)) }
}

function propertyOf(at: string, id: unknown, catalog: Catalog): Property {
  const properties = allProperties(catalog)
  const property = typeof id === 'string' ? properties.get(id) : undefined
  if (property === undefined) throw refused(at, id, oneOf([...properties.keys()], id))
  return property
}

function givenValue(at: string, value: unknown): GivenValue {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return { text: String(value), id: undefined }
  if (!isObject(value) || typeof value.id !== 'string') throw refused(at, value, VALUES)
  return { text: typeof value.name === 'string' ? value.name : '', id: value.id }
}

export function parseExtension(text: string, catalog: Catalog): ExtensionQuery {
  const { ids, properties } = object('extend', jsonIn('extend', text))
  return {
    ids: list('extend.ids', ids, MAX_IDS).map((id, index) => {
      if (typeof id !== 'string') throw refused(`extend.ids[${index}]`, id, 'a text')
      return id
    }),
    properties: list('extend.properties', properties, MAX_PROPERTIES).map((one, index) => {
      const at = `extend.properties[${index}]`
      return propertyOf(`${at}.id`, object(at, one).id, catalog)
    }),
  }
}

/** A parameter that is a whole number, if it is given. */
export function parseNumber(
  form: ReadonlyMap<string, string>,
  name: string,
  { min, defaultValue }: { readonly min: number; readonly defaultValue: number },
): number {
  const value = form.get(name)
  if (value === undefined || value === '') return defaultValue
  const number = parseWholeNumber(value, { min })
  if (number === undefined) throw badParameter(name, value, `a whole number from ${min}`)
  return number
}

type JsonObject = Readonly<Record<string, unknown>>
function jsonIn(name: string, text: string): unknown {
  if (isTooDeep(Buffer.from(text))) throw badParameter(name, text, `JSON of at most ${MAX_JSON_LEVELS} levels`)
  try {
    return parseJson(text)
  } catch {
    throw badParameter(name, text, 'JSON')
  }
}

function object(at: string, value: unknown): JsonObject {
  if (!isObject(value)) throw refused(at, value, 'an object')
  return value
}

function list(at: string, value: unknown, max: number): readonly unknown[] {
  if (!Array.isArray(value)) throw refused(at, value, 'a list')
  if (value.length > max) throw refused(at, `${value.length} elements`, `at most ${max}`)
  return value
}

const MAX_PLACE = 200

const refused = (at: string, value: unknown, allowed: string): ProblemError =>
  badParameter(at.slice(0, MAX_PLACE), shown(value), allowed)

/** A list or an object is not written out: it may be large and deep. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return '[…]'
  return isObject(value) ? '{…}' : String(value)
}

const MAX_LISTED = 12

/** The words that are allowed, or the first of them, and the one that was probably meant. */
function oneOf(words: readonly string[], given: unknown): string {
  const guess = typeof given === 'string' ? nearest(given, words) : undefined
  const list = words.slice(0, MAX_LISTED).join(', ')
  return `${list}${words.length > MAX_LISTED ? ' and so on' : ''}${guess === undefined ? '' : `; did you mean ${guess}?`}`
}
