// Requests made from the OpenAPI document alone: as it allows, and as it does not.
import fc from 'fast-check'
import type { DocumentedOperation, DocumentedParameter, Schema } from './openapi.ts'

export type Pair = readonly [name: string, value: string]
export type Made = {
  readonly operation: DocumentedOperation
  readonly inPath: Readonly<Record<string, string>>
  readonly query: readonly Pair[]
  readonly headers: Readonly<Record<string, string>>
  readonly method: string
}

/** A value that a schema allows, as it stands in a query. */
export function allowed(schema: Schema): fc.Arbitrary<string> {
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(allowed))
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const { type, pattern, minimum = 0, maximum = 9, minLength = 0, maxLength = 20 } = schema
  if (type === 'integer') {
    const small = fc.integer({ min: minimum, max: Math.min(maximum, minimum + 3) })
    return fc
      .oneof(
        { arbitrary: small, weight: 3 },
        fc.maxSafeInteger().map((one) => clamp(one, minimum, maximum)),
      )
      .map(String)
  }
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern))
  return fc
    .string({ minLength, maxLength: Math.min(maxLength, 20), unit: 'binary' })
    .filter((one) => one.isWellFormed())
}

const clamp = (number: number, least: number, most: number) =>
  Math.abs(number) > most ? most : Math.max(Math.abs(number), least)

const anything = fc.oneof(
  fc.constantFrom('', '0', '-1', '01', '1.5', ' 1', '1e3', '999999999999999999', 'null', 'a,b', '%', "' or 1=1", '-'),
  fc.string({ unit: 'binary', maxLength: 30 }).filter((one) => one.isWellFormed()),
  fc.string({ minLength: 201, maxLength: 300 }),
)

type Shown = { readonly [field: string]: string | number | Shown }

/** The records of the document's own examples. */
const shownBy = ({ responses }: DocumentedOperation): Shown[] =>
  [responses[200]?.content?.['application/json']?.example ?? []].flat() as Shown[]

function shownAt(operation: DocumentedOperation, path: string): string[] {
  const valueIn = (record: Shown) =>
    path.split('.').reduce<Shown[string] | undefined>((one, step) => (one as Shown | undefined)?.[step], record)
  return shownBy(operation)
    .map(valueIn)
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .map(String)
}

const pathsIn = (record: Shown): string[] =>
  Object.entries(record).flatMap(([field, value]) =>
    typeof value === 'object' ? [field, ...pathsIn(value).map((path) => `${field}.${path}`)] : [field],
  )

/** Dotted paths, separated by commas: the document says so in words. */
function fieldsOf(operation: DocumentedOperation): fc.Arbitrary<string> {
  const paths = shownBy(operation).flatMap(pathsIn)
  return fc.array(fc.constantFrom(...paths), { minLength: 1, maxLength: 4 }).map((chosen) => chosen.join())
}

function goodPairs(operation: DocumentedOperation, { name, schema }: DocumentedParameter): fc.Arbitrary<Pair[]> {
  const shown = shownAt(operation, name.replace(/_prefix$/, ''))
  const one = name === 'fields' ? fieldsOf(operation) : allowed(schema.items ?? schema)
  const value = shown.length > 0 ? fc.oneof(fc.constantFrom(...shown), one) : one
  const most = schema.type === 'array' ? 3 : 1
  return fc.array(value, { minLength: 1, maxLength: most }).map((values) => values.map((given): Pair => [name, given]))
}

const inQuery = ({ parameters }: DocumentedOperation) => parameters.filter((one) => one.in === 'query')

/** Good parameters, those that must be given with their example, and at most a few others. */
function goodQuery(operation: DocumentedOperation): fc.Arbitrary<Pair[]> {
  const required = inQuery(operation).filter((one) => one.required === true)
  const others = inQuery(operation).filter((one) => one.required !== true)
  const needed = required.map(({ name, example }): Pair => [name, String(example)])
  return fc
    .subarray([...others], { maxLength: Math.min(others.length, 4) })
    .chain((chosen) => fc.tuple(...chosen.map((parameter) => goodPairs(operation, parameter))))
    .map((pairs) => [...needed, ...pairs.flat()])
}

function badPairs(operation: DocumentedOperation): fc.Arbitrary<Pair[]> {
  const names = inQuery(operation).map(({ name }) => name)
  const known = names.length > 0 ? fc.constantFrom(...names) : fc.constant('page')
  const pair = fc.oneof(
    fc.tuple(known, anything),
    fc.tuple(
      fc.oneof(
        known.map((name) => name.slice(1)),
        known.map((name) => name.toUpperCase()),
        anything,
      ),
      anything,
    ),
  )
  // Twice the same, whether that is allowed or not.
  return fc
    .array(
      fc.oneof(
        pair.map((one) => [one]),
        pair.map((one) => [one, one]),
      ),
      { maxLength: 2 },
    )
    .map((all) => all.flat())
}

const headerValues: Readonly<Record<string, fc.Arbitrary<string>>> = {
  Accept: fc.constantFrom(
    '*/*',
    'text/csv',
    'application/x-ndjson',
    'text/*;q=0.3, application/json;q=0.1',
    'image/png',
    'a',
  ),
  'Accept-Encoding': fc.constantFrom('gzip', 'br', 'zstd', '*', 'identity', 'gzip;q=0, br;q=0.5', 'nothing'),
  'If-None-Match': fc.constantFrom('*', '"0"', 'W/"0123456789abcdef"', 'broken'),
  'If-Modified-Since': fc.constantFrom('Thu, 01 Jan 1970 00:00:00 GMT', 'yesterday'),
  Range: fc.constantFrom(
    'bytes=0-0',
    'bytes=5-',
    'bytes=-3',
    'bytes=9-1',
    'bytes=99999-',
    'bytes=0-1,3-4',
    'lines=1-2',
  ),
  'If-Range': fc.constantFrom('"0"', 'Thu, 01 Jan 1970 00:00:00 GMT'),
}

function headersOf({ parameters }: DocumentedOperation): fc.Arbitrary<Record<string, string>> {
  const names = ['Accept', ...parameters.filter((one) => one.in === 'header').map(({ name }) => name)]
  const values = names.map((name) => [name, headerValues[name] ?? anything] as const)
  return fc.record(Object.fromEntries(values), { requiredKeys: [] }).map((given) => given as Record<string, string>)
}

function pathValues({ parameters }: DocumentedOperation, isGood: boolean): fc.Arbitrary<Record<string, string>> {
  const named = parameters.filter((one) => one.in === 'path')
  const other = isGood ? () => fc.constant('') : (schema: Schema) => fc.oneof(allowed(schema), anything)
  return fc
    .record(Object.fromEntries(named.map(({ name, schema }) => [name, fc.oneof(fc.constant(''), other(schema))])))
    .map((values) => Object.fromEntries(Object.entries(values).filter(([, value]) => /^[^/]+$/.test(value))))
}

export function requestsFor(operation: DocumentedOperation): fc.Arbitrary<Made> {
  return fc.boolean().chain((isGood) =>
    fc.record({
      operation: fc.constant(operation),
      inPath: pathValues(operation, isGood),
      query: isGood
        ? goodQuery(operation)
        : fc.tuple(goodQuery(operation), badPairs(operation)).map(([good, bad]) => [...good, ...bad]),
      headers: headersOf(operation),
      method: fc.oneof({ arbitrary: fc.constant('GET'), weight: 20 }, fc.constantFrom('POST', 'get', 'BREW')),
    }),
  )
}

export const queryString = (pairs: readonly Pair[]): string =>
  pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')
