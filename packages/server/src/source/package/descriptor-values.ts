// Values of descriptors as they are found: texts, lists, licences, people and dialects in the forms of all versions.
import { isObject, type JsonObject } from '../../base/json.ts'
import { isLanguageTag } from '../../base/texts.ts'
import type { Dialect, OwnProperties } from './descriptor.ts'
import { PREFIX } from './profile.ts'

const MAX_TEXT = 20_000
export const MAX_ITEMS = 1_000

export const isAddress = (text: string): boolean => /^https?:\/\//i.test(text)

export const optional = <K extends string, V>(name: K, value: V | undefined): { readonly [N in K]?: V } =>
  value === undefined ? {} : ({ [name]: value } as { readonly [N in K]?: V })

/** A text that is there; numbers and booleans are taken as they are written. */
export function textOf(value: unknown): string | undefined {
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
  return typeof text === 'string' && text.trim() !== '' ? text.trim().slice(0, MAX_TEXT) : undefined
}

export function texts<const N extends string>(value: JsonObject, names: readonly N[]): { readonly [K in N]?: string } {
  const found = names.flatMap((name) => {
    const text = textOf(value[name])
    return text === undefined ? [] : [[name, text] as const]
  })
  return Object.fromEntries(found) as { readonly [K in N]?: string }
}

export const listOf = (value: unknown): readonly unknown[] =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value.slice(0, MAX_ITEMS) : [value]

export const textsOf = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) ? value.slice(0, MAX_ITEMS).flatMap((item) => textOf(item) ?? []) : undefined

export function booleanOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  return value === 'true' ? true : value === 'false' ? false : undefined
}

export const wholeOf = (value: unknown): number | undefined =>
  Number.isSafeInteger(Number(value)) && value !== null && value !== '' ? Number(value) : undefined

/** Since version 2 each may have a label. A null of YAML stands for its word. */
export function missingValuesOf(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined
  return listOf(value).map((item) => {
    const text = isObject(item) ? item.value : item
    return text === null ? 'null' : String(text).trim()
  })
}

export const categoriesOf = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value)
    ? value.slice(0, MAX_ITEMS).flatMap((item) => textOf(isObject(item) ? item.value : item) ?? [])
    : undefined

export const languageOf = (value: JsonObject): string | undefined => {
  const [language] = [value.language, value.lang, listOf(value.languages)[0]].flatMap((one) => textOf(one) ?? [])
  return language !== undefined && isLanguageTag(language) ? language : undefined
}

export function licenseOf(value: unknown): JsonObject | undefined {
  if (typeof value === 'string') return isAddress(value) ? { path: value } : { name: value }
  if (!isObject(value)) return undefined
  return { ...value, name: value.name ?? value.type ?? value.id, path: value.path ?? value.url ?? value.web }
}

export function sourceOf(value: unknown): JsonObject | undefined {
  if (typeof value === 'string') return isAddress(value) ? { path: value } : { title: value }
  if (!isObject(value)) return undefined
  return { ...value, title: value.title ?? value.name, path: value.path ?? value.web ?? value.url }
}

export function contributorOf(value: unknown): JsonObject | undefined {
  if (typeof value === 'string') {
    // As npm writes people: name <email> (address).
    const [, title, email, path] = /^([^<(]*)(?:<([^>]*)>)?\s*(?:\(([^)]*)\))?/.exec(value) ?? []
    return { title, email, path }
  }
  if (!isObject(value)) return undefined
  return { ...value, ...sourceOf(value), roles: [...listOf(value.roles), ...listOf(value.role)] }
}

export function dialectOf(value: JsonObject): Dialect {
  // Version 1 has it one level down.
  const csv = isObject(value.csv) ? { ...value, ...value.csv } : value
  const character = (name: string) => (typeof csv[name] === 'string' && csv[name] !== '' ? csv[name] : undefined)
  const rows = (name: string) =>
    Array.isArray(csv[name]) ? csv[name].filter((row) => Number.isSafeInteger(row)).map(Number) : undefined
  return {
    ...optional('delimiter', character('delimiter')),
    ...optional(
      'quoteChar',
      csv.quoteChar === null || csv.quoteChar === '' ? (false as const) : character('quoteChar'),
    ),
    ...optional('escapeChar', character('escapeChar')),
    ...optional('doubleQuote', booleanOf(csv.doubleQuote)),
    ...optional('skipInitialSpace', booleanOf(csv.skipInitialSpace)),
    ...optional('header', booleanOf(csv.header)),
    ...optional('commentChar', character('commentChar')),
    ...optional('commentRows', rows('commentRows')),
    ...optional('headerRows', rows('headerRows')),
    ...optional('sheetName', textOf(csv.sheetName)),
    ...optional('sheetNumber', wholeOf(csv.sheetNumber)),
  }
}

export const ownProperties = (value: JsonObject): OwnProperties =>
  new Map(
    Object.entries(value).flatMap(([name, own]) => (name.startsWith(PREFIX) ? [[name.slice(PREFIX.length), own]] : [])),
  )

export const TYPES = [
  ...['string', 'number', 'integer', 'boolean', 'object', 'array', 'list', 'datetime', 'date', 'time', 'year'],
  ...['yearmonth', 'duration', 'geopoint', 'geojson', 'any'],
]
/** Names of types that are not those of the standard, and what they stand for. */
export const TYPE_ALIASES = new Map([
  ...['text', 'str', 'varchar', 'char', 'character varying', 'uri', 'url', 'code'].map(
    (name) => [name, 'string'] as const,
  ),
  ...['int', 'bigint', 'smallint', 'int64', 'long'].map((name) => [name, 'integer'] as const),
  ...['float', 'double', 'decimal', 'real', 'numeric', 'float64'].map((name) => [name, 'number'] as const),
  ...['bool', 'logical'].map((name) => [name, 'boolean'] as const),
  ...['timestamp', 'date-time'].map((name) => [name, 'datetime'] as const),
  ['gyear', 'year'],
  ['gyearmonth', 'yearmonth'],
])
