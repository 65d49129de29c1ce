// The filters of a list: by each of its fields, by beginnings of texts, and within bounds. What is between them and the types of
// fields stands in one table.
import { parseDecimal } from '../../base/decimal-number.ts'
import { parseWholeNumber } from '../../base/whole-number.ts'
import { factExpectation, MAX_ID } from '../../catalog/check.ts'
import { type Entity, embeddedAt, type FactField, identityFrom, type ValueType } from '../../catalog/entity.ts'
import { keyPathsOf, pathsOf, type RecordPath } from '../../catalog/paths.ts'
import { isDate } from '../../query/dates.ts'
import type { ValueMatch } from '../../query/wanted-values.ts'
import { badParameter } from '../problem.ts'
import { keyNamed } from './key-text.ts'
import { DATE, ID, NOT_EMPTY } from './openapi/schemas.ts'
import { notEmpty, type Parameter, parameter } from './parameter.ts'
import { keyValues } from './record-key.ts'
import { countOf, type ListOfRelease, NO_WORK, type Work } from './work.ts'

type FilterValue = string | number

/** The values of a filter: their schema, and how one is parsed. */
type ValueKind = {
  readonly schema: Parameter['schema']
  readonly parse: (name: string, text: string) => FilterValue
}

/** Values that `read` takes; a text that it returns undefined for is refused. */
const kind = (
  schema: Parameter['schema'],
  read: (text: string) => FilterValue | undefined,
  allowed: string,
): ValueKind => ({
  schema,
  parse: (name, text) => {
    const value = read(text)
    if (value === undefined) throw badParameter(name, text, allowed)
    return value
  },
})

const TEXT: ValueKind = { schema: NOT_EMPTY, parse: notEmpty }
const WHOLE = kind({ type: 'integer' }, (text) => [parseDecimal(text)].find(Number.isInteger), 'a whole number')
const oneOf = (schema: Parameter['schema'], isOne: (text: string) => boolean, allowed: string) =>
  kind(schema, (text) => (isOne(text) ? text : undefined), allowed)

const VALUE_KINDS: Readonly<Record<ValueType, ValueKind>> = {
  text: TEXT,
  list: TEXT,
  integer: WHOLE,
  year: WHOLE,
  number: kind({ type: 'number' }, parseDecimal, 'a number'),
  boolean: oneOf({ type: 'boolean' }, (text) => text === 'true' || text === 'false', 'true, false'),
  date: oneOf(DATE, isDate, 'a date such as 2026-11-30, a month or a year'),
}

const IDENTIFIER = kind(ID, (text) => parseWholeNumber(text, { max: MAX_ID }), `a whole number from 0 to ${MAX_ID}`)

const factKind = (fact: Exclude<FactField, { readonly type: 'text' }>): ValueKind =>
  kind(
    { type: fact.type, minimum: fact.min, maximum: fact.max },
    (text) => [parseDecimal(text)].find((value) => factExpectation(fact, value) === undefined),
    `${factExpectation(fact, undefined)}`,
  )

/** Keys of several values, as in a path. */
function keyKind(entity: Entity): ValueKind {
  const parts = keyPathsOf(entity).map(({ path }) => path)
  const identityOf = (text: string) => {
    const texts = keyNamed(entity, text)
    const values = texts && keyValues(entity, texts)
    return values && identityFrom(values)
  }
  return kind(NOT_EMPTY, identityOf, `${parts.join(' and ')} with a comma between them, a comma in one of them as %2C`)
}

function kindOf({ field, numeric }: RecordPath): ValueKind {
  if (numeric) return IDENTIFIER
  if (field.kind === 'fact' && field.type !== 'text') return factKind(field)
  if (field.kind === 'value') return VALUE_KINDS[field.type]
  return field.kind === 'embed' && keyPathsOf(field.entity).length > 1 ? keyKind(field.entity) : TEXT
}

const isOfType = ({ field }: RecordPath, ...types: readonly ValueType[]): boolean =>
  field.kind === 'value' && types.includes(field.type)
const isBounded = (path: RecordPath): boolean =>
  (path.field.kind === 'fact' && path.field.type !== 'text') || isOfType(path, 'integer', 'number', 'year', 'date')
const hasBeginnings = (path: RecordPath): boolean =>
  path.field.kind === 'code' || path.field.kind === 'derived' || isOfType(path, 'text')

/** A way to filter by a field: the fields that have it, and the suffix of its parameter, or the one to use if that name is taken. */
type Filtering = {
  readonly match: ValueMatch
  readonly has: (path: RecordPath) => boolean
  readonly suffixes: readonly [usual: string, otherwise: string]
  readonly description: (path: RecordPath) => string
  readonly isBound?: true
}

const describedValue = ({ field }: RecordPath) =>
  `Filter: ${field.description}${field.kind === 'embed' ? ', by its identifier' : ''}`

const EQUALS: Filtering = { match: 'equals', has: () => true, suffixes: ['', '.is'], description: describedValue }
const BEGINS: Filtering = {
  match: 'begins',
  has: hasBeginnings,
  suffixes: ['_prefix', '.prefix'],
  description: ({ field }) => `Filter: beginning of the ${field.description}`,
}
const boundary = (match: 'min' | 'max', most: string): Filtering => ({
  match,
  has: isBounded,
  suffixes: [`_${match}`, `.${match}`],
  description: () => `Filter: known, and at ${most} this`,
  isBound: true,
})
const BOUNDS = [boundary('min', 'least'), boundary('max', 'most')]

/** Records that are looked at to find a value which is more than looked up. */
const SCANNED_TIMES = 10

/** A single value that the index has by itself costs nothing; anything else may touch all records of all lists on the way to it. */
function filterWork({ steps, field }: RecordPath, match: ValueMatch, values: number, list: ListOfRelease): Work {
  if (match === 'equals' && values === 1 && steps.length === 1 && field.kind !== 'fact' && field.kind !== 'derived')
    return NO_WORK
  let records = countOf(list)
  for (let at = 1, { entity } = list; at < steps.length; at++) {
    entity = embeddedAt(entity, steps[at - 1] as string)
    records += countOf({ ...list, entity })
  }
  return { touched: records * (match === 'equals' ? values : values * SCANNED_TIMES) }
}

/** The texts in the values of a parameter, each of which may hold several. */
export const valuesIn = ({ commaSeparated }: Pick<Parameter, 'commaSeparated'>, text: string): readonly string[] =>
  commaSeparated ? text.split(',') : [text]

function filterBy(entity: Entity, path: RecordPath, way: Filtering): Parameter<readonly FilterValue[]> {
  const match = way.match === 'equals' && isOfType(path, 'list') ? 'contains' : way.match
  const { schema, parse } = kindOf(path)
  // Official codes are looked up in lists of them.
  const commaSeparated = path.field.kind === 'derived' && way.isBound !== true
  return parameter(path.path, way.description(path), {
    of: entity.name,
    repeatable: way.isBound !== true,
    ...(commaSeparated ? { commaSeparated } : {}),
    filter: { path, match },
    schema: match === 'begins' ? NOT_EMPTY : schema,
    absent: [],
    parse: (texts, name) =>
      texts.flatMap((text) => valuesIn({ commaSeparated }, text)).map((text) => parse(name, text)),
    work: ({ length }, list) => filterWork(path, match, length, list),
  })
}

/** Filters by any field, each under a name that is not among those that are taken. */
export function filtersBeside(entity: Entity, taken: Iterable<string>): readonly Parameter[] {
  const paths = [...pathsOf(entity).values()]
  const used = new Set(taken)
  const filters = (path: RecordPath, ways: readonly Filtering[]) =>
    ways.filter(({ has }) => has(path)).map((way) => ({ path, way, one: filterBy(entity, path, way) }))
  return [[EQUALS], [BEGINS], BOUNDS]
    .flatMap((ways) => paths.flatMap((path) => filters(path, ways)))
    .map((filter) => ({ ...filter, name: freeName(filter.path.path, filter.way, used) }))
    .map(({ path, way, one, name }) => {
      // A slug is another name besides, and takes none from a field.
      const slug = path.slug === path.path ? {} : { slug: freeName(path.slug, way, used) }
      return { ...one, name, ...slug }
    })
}

function freeName(path: string, { suffixes: [usual, otherwise] }: Filtering, used: Set<string>): string {
  let name = `${path}${used.has(`${path}${usual}`) ? otherwise : usual}`
  while (used.has(name)) name += otherwise
  used.add(name)
  return name
}
