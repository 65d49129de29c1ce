// Requests made from the OpenAPI document: as it allows, and as it does not.
import fc from 'fast-check'
import { type DocumentedOperation, type DocumentedParameter, queryOf, type Schema } from './openapi.ts'
import type { OpenapiService } from './openapi-service.ts'

export type Pair = readonly [name: string, value: string]
export type Made = {
  readonly inPath: Readonly<Record<string, string>>
  readonly query: readonly Pair[]
  readonly headers: Readonly<Record<string, string>>
  readonly method: string
}

/** A value that a schema allows, as it stands in a query. */
export function allowed(schema: Schema): fc.Arbitrary<string> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const { type, pattern, minimum = 0, maximum = 9, minLength = 0, maxLength = 20 } = schema
  if (type === 'integer') {
    const small = fc.integer({ min: minimum, max: Math.min(maximum, minimum + 3) })
    return fc.oneof({ arbitrary: small, weight: 3 }, fc.integer({ min: minimum, max: maximum })).map(String)
  }
  if (type === 'number') return fc.double({ min: minimum, max: maximum, noNaN: true }).map(String)
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern))
  return fc
    .string({ minLength, maxLength: Math.min(maxLength, 20), unit: 'binary' })
    .filter((one) => one.isWellFormed())
}

const anything = fc.oneof(
  fc.constantFrom('', '0', '-1', '01', '1.5', ' 1', '1e3', '999999999999999999', 'null', 'a,b', '%', "' or 1=1", '-'),
  fc.string({ unit: 'binary', maxLength: 30 }).filter((one) => one.isWellFormed()),
  fc.string({ minLength: 201, maxLength: 300 }),
)

/** The pairs of an array: one with commas, or one for each value. */
export const pairsOf = ({ name, explode = true }: DocumentedParameter, values: readonly string[]): Pair[] =>
  explode ? values.map((value): Pair => [name, value]) : [[name, values.join()]]

function goodPairs(service: OpenapiService, path: string, parameter: DocumentedParameter): fc.Arbitrary<Pair[]> {
  const { name, schema } = parameter
  const entity = service.entityAt(path)
  const steps = name.replace(/_(?:prefix|min|max)$/, '').split('.')
  const isFilter = entity !== undefined && (steps[0] as string) in entity.fields
  const real = isFilter ? service.valueIn(entity, steps) : undefined
  const one = allowed(schema.items ?? schema)
  const value = typeof real === 'string' || typeof real === 'number' ? fc.oneof(fc.constant(String(real)), one) : one
  const maxLength = schema.type === 'array' ? Math.min(schema.maxItems ?? 3, 3) : 1
  return fc.array(value, { minLength: 1, maxLength }).map((values) => pairsOf(parameter, values))
}

/** The required parameters, and at most a few others. */
function goodQuery(service: OpenapiService, operation: DocumentedOperation): fc.Arbitrary<Pair[]> {
  const others = queryOf(operation).filter((one) => one.required !== true)
  return fc
    .subarray([...others], { maxLength: Math.min(others.length, 4) })
    .chain((chosen) => fc.tuple(...chosen.map((parameter) => goodPairs(service, operation.path, parameter))))
    .map((pairs) => [...service.requiredQuery(operation), ...pairs.flat()])
}

function badPairs(operation: DocumentedOperation): fc.Arbitrary<Pair[]> {
  const known = fc.constantFrom(...queryOf(operation).map(({ name }) => name), 'page')
  const mistyped = fc.oneof(
    known.map((name) => name.slice(1)),
    known.map((name) => name.toUpperCase()),
    anything,
  )
  const pair = fc.tuple(fc.oneof(known, mistyped), anything)
  // Twice the same, whether that is allowed or not.
  return fc
    .array(fc.tuple(pair, fc.integer({ min: 1, max: 2 })), { maxLength: 2 })
    .map((all) => all.flatMap(([one, times]) => Array.from({ length: times }, () => one)))
}

const headers = fc.record(
  {
    Accept: fc.constantFrom('*/*', 'text/csv', 'application/x-ndjson', 'text/*;q=0.3, */*;q=0.1', 'image/png', 'a'),
    'Accept-Encoding': fc.constantFrom('gzip', 'br', 'zstd', '*', 'identity', 'gzip;q=0, br;q=0.5', 'nothing'),
    'If-None-Match': fc.constantFrom('*', '"0"', 'W/"0123456789abcdef"', 'broken'),
    'If-Modified-Since': fc.constantFrom('Thu, 01 Jan 1970 00:00:00 GMT', 'yesterday'),
  },
  { requiredKeys: [] },
)

function pathValues({ parameters }: DocumentedOperation): fc.Arbitrary<Record<string, string>> {
  const inPath = parameters.filter((one) => one.in === 'path')
  const values = inPath.map(({ name, schema }) =>
    fc.oneof(allowed(schema), anything).map((value): Pair[] => (/^[^/]+$/.test(value) ? [[name, value]] : [])),
  )
  return fc.tuple(...values).map((pairs) => Object.fromEntries(pairs.flat()))
}

export function requestsFor(service: OpenapiService, operation: DocumentedOperation): fc.Arbitrary<Made> {
  const good = goodQuery(service, operation)
  return fc.boolean().chain((isGood) =>
    fc.record({
      inPath: isGood ? fc.constant({}) : pathValues(operation),
      query: isGood ? good : fc.tuple(good, badPairs(operation)).map(([some, bad]) => [...some, ...bad]),
      headers: headers.map((given) => given as Record<string, string>),
      method: fc.oneof({ arbitrary: fc.constant('GET'), weight: 20 }, fc.constantFrom('POST', 'get', 'BREW')),
    }),
  )
}

export const queryString = (pairs: readonly Pair[]): string =>
  pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')
