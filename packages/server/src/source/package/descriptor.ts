// A data package in words: its descriptor (Data Package v2 with Table Schema) as it is read, what its tables hold, and
// how the fields of an entity are filled from them.
import type { EntityData } from '../../catalog/catalog.ts'

/** What the descriptor says in properties of ours, without the prefix: `nomenclator:role` is `role`. Not checked yet. */
export type OwnProperties = ReadonlyMap<string, unknown>

/** The constraints of Table Schema that are obeyed; `pattern` is one that is checked in linear time. */
export type Constraints = {
  readonly required?: boolean
  readonly unique?: boolean
  readonly pattern?: string
  readonly enum?: readonly string[]
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: string
  readonly maximum?: string
}

export type TableField = {
  readonly name: string
  /** As declared: string, integer, number, boolean, date, datetime, time, year, yearmonth, list, array, object, geopoint, any … */
  readonly type?: string
  readonly format?: string
  readonly title?: string
  readonly description?: string
  readonly constraints?: Constraints
  readonly missingValues?: readonly string[]
  /** Codes and what they stand for, or only codes. */
  readonly categories?: readonly string[]
  readonly decimalChar?: string
  readonly groupChar?: string
  readonly bareNumber?: boolean
  readonly trueValues?: readonly string[]
  readonly falseValues?: readonly string[]
  /** Between the values of a list. */
  readonly delimiter?: string
  readonly own: OwnProperties
}

export type ForeignKey = {
  readonly fields: readonly string[]
  readonly reference: {
    /** Empty where a table refers to itself. */
    readonly resource: string
    /** The name or address of another package. */
    readonly package?: string
    readonly fields: readonly string[]
  }
}

export type TableSchema = {
  readonly fields: readonly TableField[]
  readonly primaryKey?: readonly string[]
  readonly foreignKeys?: readonly ForeignKey[]
  /** Absent where the descriptor does not say; the standard then has the empty text only. */
  readonly missingValues?: readonly string[]
  readonly own: OwnProperties
}

/** How a file of CSV is written. What is absent is detected. */
export type Dialect = {
  readonly delimiter?: string
  readonly quoteChar?: string | false
  readonly escapeChar?: string
  readonly doubleQuote?: boolean
  readonly skipInitialSpace?: boolean
  /** Whether the first row has the names of the columns. */
  readonly header?: boolean
  readonly commentChar?: string
  readonly commentRows?: readonly number[]
  readonly headerRows?: readonly number[]
  readonly sheetName?: string
  readonly sheetNumber?: number
}

export type Resource = {
  readonly name: string
  readonly title?: string
  readonly description?: string
  /** The files, one after the other; inline data has none. */
  readonly paths: readonly string[]
  /** Rows that stand in the descriptor. */
  readonly data?: readonly unknown[]
  readonly format?: string
  readonly encoding?: string
  readonly compression?: string
  readonly dialect?: Dialect
  readonly schema?: TableSchema
  /** Where the schema stands in a file of its own. */
  readonly schemaPath?: string
  /** BCP 47; as `language` or `lang`. */
  readonly language?: string
  readonly own: OwnProperties
}

type License = { readonly name?: string; readonly title?: string; readonly path?: string }
type SourceCredit = { readonly title?: string; readonly path?: string; readonly email?: string }
type Contributor = {
  readonly title?: string
  readonly path?: string
  readonly email?: string
  readonly organization?: string
  readonly roles: readonly string[]
}

export type Descriptor = {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly version?: string
  readonly homepage?: string
  readonly language?: string
  readonly licenses: readonly License[]
  readonly sources: readonly SourceCredit[]
  readonly keywords: readonly string[]
  readonly contributors: readonly Contributor[]
  readonly resources: readonly Resource[]
  readonly own: OwnProperties
}

/** How the text of a column becomes a value. */
export type ValueFormat = Pick<
  TableField,
  'format' | 'decimalChar' | 'groupChar' | 'bareNumber' | 'trueValues' | 'falseValues' | 'delimiter' | 'constraints'
> & {
  /** A type of Table Schema. */
  readonly type: string
  /** Values that mean that there is none; the empty text always does. */
  readonly missingValues: readonly string[]
}

/** How one field of an entity is filled. */
export type FieldPlan = {
  /** The columns of the table: one, or one for each field that a reference has. */
  readonly columns: readonly string[]
  readonly value: ValueFormat
  /** Of a column with two numbers, such as "19.43, -99.13", which of them. */
  readonly part?: 0 | 1
  /** Of a field that embeds a record or names the one above, the fields of its entity that the columns have the values of; absent where they are its key. */
  readonly refersTo?: readonly string[]
  /** True of the record above in a tree by codes, which no column says. */
  readonly isByCode?: true
}

/** A list that a table becomes. */
export type ListPlan = {
  readonly resource: string
  readonly entity: EntityData
  /** By the name of the field; a field that is a copy has none. */
  readonly fields: ReadonlyMap<string, FieldPlan>
  /** True if rows that lack the key, or have that of another, are left out; else they are faults. */
  readonly leavesOutRows: boolean
  /** The least number of rows. */
  readonly expects?: number
}

/** A table that gives other names of the records of a list. */
export type AliasPlan = {
  readonly resource: string
  readonly entity: string
  /** The columns that have the official code of the record, in the order of its fields. */
  readonly code: readonly string[]
  readonly alias: string
  readonly reason?: string
}

/** A table that becomes no list, and why. */
export type RefusedList = { readonly resource: string; readonly reason: string }
