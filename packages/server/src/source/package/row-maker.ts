// Makes rows of an entity out of the rows of a table, as the plan of the list says.
import { parseWholeNumber } from '../../base/whole-number.ts'
import type { EntityData } from '../../catalog/catalog.ts'
import { MAX_ID } from '../../catalog/check.ts'
import { type Identity, identityFrom } from '../../catalog/entity.ts'
import type { FieldPlan, ListPlan } from './descriptor.ts'
import type { KnownRecords } from './list-records.ts'
import { partOfPair, type ValueReader, valueReader } from './values.ts'

export type MadeRow = Record<string, string | number>
type FieldData = EntityData['fields'][string]

/** Takes findings on the values of a field while rows are made. */
export type FieldObserver = {
  /** A text that there is, before anything is made of it. */
  readonly given: (text: string) => void
  readonly missing: () => void
  readonly misfit: (text: string) => void
  /** `whole` is what a code must have been that has lost the zeros at its beginning. */
  readonly unresolved: (text: string, whole: string | undefined) => void
  /** A line break in what has one line. */
  readonly brokenLine: (text: string) => void
}

/** Finds the records that a field may refer to; undefined where they are not known here. */
type RecordsOf = (
  entity: string,
) => { readonly entity: EntityData; readonly records: KnownRecords | undefined } | undefined

type Maker = (values: readonly string[]) => string | number | undefined

export class RowMaker {
  readonly #makers: readonly (readonly [field: string, make: Maker])[]
  readonly #broader: readonly [field: string, make: Maker] | undefined
  readonly #key: readonly string[]

  constructor(
    { entity, fields }: ListPlan,
    header: readonly string[],
    recordsOf: RecordsOf,
    observerOf: (field: string) => FieldObserver | undefined = () => undefined,
  ) {
    const makers: (readonly [string, Maker])[] = []
    let broader: readonly [string, Maker] | undefined
    for (const [name, definition] of Object.entries(entity.fields)) {
      const plan = fields.get(name)
      if (plan === undefined) continue
      const columns = plan.columns.map((column) => header.indexOf(column))
      if (definition.kind === 'broader') broader = [name, identityMaker(plan, columns, entity, undefined, undefined)]
      else makers.push([name, makerOf(definition, plan, columns, recordsOf, observerOf(name))])
    }
    this.#makers = makers
    this.#broader = broader
    this.#key = entity.key
  }

  /** All of a row but the record above it. */
  make(values: readonly string[]): MadeRow {
    const row: MadeRow = {}
    for (const [field, make] of this.#makers) {
      const value = make(values)
      if (value !== undefined) row[field] = value
    }
    return row
  }

  /** The identity of a row; undefined where a part of its key is missing. */
  identity(row: MadeRow): Identity | undefined {
    const [only, ...rest] = this.#key
    if (rest.length === 0) return row[only as string]
    const parts = this.#key.map((field) => row[field])
    return parts.includes(undefined) ? undefined : identityFrom(parts as Identity[])
  }

  get broaderField(): string | undefined {
    return this.#broader?.[0]
  }

  /** What stands in the columns for the record above. */
  broader(values: readonly string[]): Identity | undefined {
    return this.#broader?.[1](values)
  }
}

function makerOf(
  definition: FieldData,
  plan: FieldPlan,
  columns: readonly number[],
  recordsOf: RecordsOf,
  observer: FieldObserver | undefined,
): Maker {
  switch (definition.kind) {
    case 'embed': {
      const target = recordsOf(definition.entity)
      if (target === undefined) return () => undefined
      return identityMaker(plan, columns, target.entity, target.records ?? UNKNOWN, observer)
    }
    case 'id':
      return readMaker(plan, columns, (text) => parseWholeNumber(text, { max: MAX_ID, leadingZeros: true }), observer)
    case 'fact':
      return readMaker(plan, columns, factReader('type' in definition ? definition.type : 'text', plan), observer)
    case 'value':
      return readMaker(plan, columns, typedReader(definition.type, plan), observer)
    default:
      return lineMaker(plan, columns, observer)
  }
}

const UNKNOWN = 'not known here'

function typedReader(type: Extract<FieldData, { kind: 'value' }>['type'], { value, part }: FieldPlan): ValueReader {
  return part === undefined ? valueReader(type, value) : (text) => partOfPair(text, part, value.format)
}

function factReader(
  type: 'integer' | 'number' | 'text',
  plan: FieldPlan,
): (text: string) => string | number | undefined {
  const read = typedReader(type, plan)
  if (type === 'text') return read
  return (text) => {
    const number = read(text)
    return number === undefined ? undefined : Number(number)
  }
}

/** Values that stand for none, besides the empty text; undefined where there are no others. */
function missingIn({ value: { missingValues } }: FieldPlan): ReadonlySet<string> | undefined {
  const others = missingValues.filter((value) => value !== '')
  return others.length === 0 ? undefined : new Set(others)
}

/** The text of a column; undefined where it is missing. */
function textReader(plan: FieldPlan, column: number): (values: readonly string[]) => string | undefined {
  const missing = missingIn(plan)
  return (values) => {
    const text = values[column]
    return text === undefined || text === '' || missing?.has(text) ? undefined : text
  }
}

function readMaker(
  plan: FieldPlan,
  [column = -1]: readonly number[],
  read: (text: string) => string | number | undefined,
  observer: FieldObserver | undefined,
): Maker {
  const textOf = textReader(plan, column)
  return (values) => {
    const text = textOf(values)
    if (text === undefined) {
      observer?.missing()
      return undefined
    }
    observer?.given(text)
    const value = read(text)
    if (value === undefined) observer?.misfit(text)
    return value
  }
}

const LINE_BREAKS = /[\n\t]/
const BLANKS_WITH_BREAKS = /\s*[\n\t]\s*/g

/** A name or a code, which has one line. */
function lineMaker(plan: FieldPlan, [column = -1]: readonly number[], observer: FieldObserver | undefined): Maker {
  const textOf = textReader(plan, column)
  return (values) => {
    const text = textOf(values)
    if (text === undefined) {
      observer?.missing()
      return undefined
    }
    observer?.given(text)
    if (!LINE_BREAKS.test(text)) return text
    observer?.brokenLine(text)
    return text.replace(BLANKS_WITH_BREAKS, ' ')
  }
}

/** The zeros that a code is believed to have lost. */
const WHOLE = ['0', '00']

/** What the columns refer to: by the key of the entity, or by other fields of it. */
function identityMaker(
  plan: FieldPlan,
  columns: readonly number[],
  target: EntityData,
  records: KnownRecords | typeof UNKNOWN | undefined,
  observer: FieldObserver | undefined,
): Maker {
  const readers = columns.map((column) => textReader(plan, column))
  const isNumber = target.key.map((key) => target.fields[key]?.kind === 'id')
  const { refersTo } = plan
  const identityOf = (texts: readonly string[]): Identity | undefined => {
    if (refersTo !== undefined) {
      // The record above may stand in a later row: it is looked up once all rows were read.
      if (records === undefined) return identityFrom(texts)
      return records === UNKNOWN ? undefined : records.byFields(refersTo, texts)
    }
    const parts = texts.map((text, at) => (isNumber[at] ? parseWholeNumber(text, { leadingZeros: true }) : text))
    return parts.includes(undefined) ? undefined : identityFrom(parts as Identity[])
  }
  const foundBy = (texts: readonly string[]): Identity | undefined => {
    const identity = identityOf(texts)
    const isThere = records === undefined || records === UNKNOWN || (identity !== undefined && records.has(identity))
    return isThere ? identity : undefined
  }
  const isWhole = (code: string) => /^[0-9]+$/.test(code) && columns.length === 1 && foundBy([code]) !== undefined
  return (values) => {
    const texts = readers.map((read) => read(values))
    if (texts.includes(undefined)) {
      observer?.missing()
      return undefined
    }
    const shown = texts.join(', ')
    observer?.given(shown)
    const found = foundBy(texts as string[])
    if (found === undefined) observer?.unresolved(shown, WHOLE.map((zeros) => zeros + shown).find(isWhole))
    return found
  }
}
