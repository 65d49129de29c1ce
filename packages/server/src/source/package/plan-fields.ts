// The definition of a list from what its resource declares, and how each of its fields is filled.
import { isFieldName } from '../../base/texts.ts'
import type { EntityData } from '../../catalog/catalog.ts'
import type { OfficialCode, ValueRole, ValueType } from '../../catalog/entity.ts'
import {
  type DeclaredColumn,
  type DeclaredTable,
  isNumericKey,
  listName,
  type PlannedReference,
} from './declared-table.ts'
import type { Descriptor, FieldPlan, ListPlan, ValueFormat } from './descriptor.ts'

type FieldData = EntityData['fields'][string]
type Filled = { readonly name: string; readonly field: FieldData; readonly plan: FieldPlan }
type Draft = {
  readonly table: DeclaredTable
  readonly references: readonly PlannedReference[]
  readonly names: readonly DeclaredColumn[]
  readonly tree: DeclaredTree | undefined
  readonly language: string | undefined
  /** Tells of another list whether its key is a number. */
  readonly hasNumericKey: (entity: string) => boolean
}

export function planOf(
  descriptor: Descriptor,
  table: DeclaredTable,
  references: readonly PlannedReference[],
  hasNumericKey: (entity: string) => boolean,
): ListPlan {
  const { resource, list, name, key, columns } = table
  const language = list.language ?? resource.language ?? descriptor.language
  const names = inOrder(namesIn(table), language)
  const draft: Draft = { table, references, names, tree: treeOf(table, references), language, hasNumericKey }
  const filled = inOrderOfNames(
    draft,
    columns.flatMap((column) => fieldsOf(draft, column)),
  )
  const all = draft.tree === 'by codes' ? [...filled, codeTreeField(draft, filled)] : filled
  const fields = Object.fromEntries(all.map(({ name: field, field: data }) => [field, data]))
  const keyNames = key.map((column) => column.name)
  const isOnly = descriptor.resources.length === 1
  const description = resource.description ?? (isOnly ? descriptor.description : undefined)
  const title = oneLine(resource.title ?? (isOnly ? descriptor.title : undefined) ?? '') || titleFrom(resource.name)
  const entity: EntityData = {
    name,
    plural: name,
    title,
    ...(list.titles === undefined ? {} : { titles: list.titles }),
    ...(description === undefined ? {} : { description }),
    ...(list.group === undefined ? {} : { group: list.group }),
    package: oneLine(descriptor.name),
    ...(list.v1 === undefined ? {} : { v1: table.place }),
    fields,
    key: keyNames,
    code: codeOf(table) ?? keyNames,
    ...namedCode(table, fields),
    order: list.order ?? 'as given',
    expects: [],
  }
  return {
    resource: resource.name,
    entity,
    fields: new Map(all.map(({ name: field, plan }) => [field, plan])),
    leavesOutRows: list.lossy === true,
    ...(list.expects === undefined ? {} : { expects: list.expects }),
  }
}

/** The columns that are declared to be names, of the key only where it has several. */
const namesIn = ({ columns, key }: DeclaredTable): readonly DeclaredColumn[] =>
  columns.filter((column) => column.properties.role === 'name' && !(key.length === 1 && key[0] === column))

/** The first is in the language of the list, else in none, else in English. */
function inOrder(names: readonly DeclaredColumn[], language: string | undefined): readonly DeclaredColumn[] {
  const isIn = (wanted: string | undefined) => names.find(({ properties }) => properties.language === wanted)
  const first = (language === undefined ? undefined : isIn(language)) ?? isIn(undefined) ?? isIn('en') ?? names[0]
  return names.toSorted((a, b) => Number(b === first) - Number(a === first))
}

/** The columns that have the key of the record above, or other fields of it; or trees that stand in the codes. */
type DeclaredTree = 'by codes' | { readonly columns: readonly DeclaredColumn[]; readonly refersTo?: readonly string[] }

function treeOf(
  { resource, list, columns, key }: DeclaredTable,
  references: readonly PlannedReference[],
): DeclaredTree | undefined {
  if (list.broader === false) return undefined
  if (list.broader === 'prefix of the key') return key.length === 1 ? 'by codes' : undefined
  const named = (name: string | undefined) => columns.find((column) => column.name === name)
  const isFree = (column: DeclaredColumn) => !references.some(({ field }) => field === column)
  const own = resource.schema?.foreignKeys?.find(
    ({ reference, fields }) =>
      reference.package === undefined &&
      ['', resource.name].includes(reference.resource) &&
      fields.length === key.length,
  )
  const parent =
    (typeof list.broader === 'string' ? named(list.broader) : undefined) ??
    columns.find(({ properties }) => properties.broader === true)
  const [only] = key
  if (own === undefined || (parent !== undefined && own.fields[0] !== parent.name))
    return parent !== undefined && only !== undefined && key.length === 1 && isFree(parent)
      ? { columns: [parent] }
      : undefined
  const byKey = key.map(({ name }) => named(own.fields[own.reference.fields.indexOf(name)]))
  if (byKey.every((one) => one !== undefined))
    return (byKey as DeclaredColumn[]).every(isFree) ? { columns: byKey as DeclaredColumn[] } : undefined
  const [from, to] = [named(own.fields[0]), named(own.reference.fields[0])]
  if (from === undefined || to === undefined || key.length > 1 || !isFree(from)) return undefined
  return { columns: [from], refersTo: [to.name] }
}

/** The fields that are declared to be the official code. */
function codeOf({ columns, list: { code } }: DeclaredTable): readonly string[] | undefined {
  const names = code === undefined || !('parts' in code) ? code : code.parts.map(({ field }) => field)
  const found = names && [...new Set(names)]
  return found?.every((name) => columns.some((column) => column.name === name)) ? found : undefined
}

/** The official code with its name, where that is declared and all its fields are there. */
function namedCode({ list: { code } }: DeclaredTable, fields: EntityData['fields']): Pick<EntityData, 'codes'> {
  if (code === undefined || !('parts' in code)) return {}
  const { parts } = code
  const areThere = parts.every(({ field }) => Object.hasOwn(fields, field) && fields[field]?.kind !== 'broader')
  if (!areThere || !isFieldName(code.name) || Object.hasOwn(fields, code.name)) return {}
  const description = oneLine(code.description ?? '') || oneLine(code.title ?? '') || oneLine(code.name)
  return { codes: [{ ...code, description, parts: parts as unknown as OfficialCode['parts'] }] }
}

const MAX_TEXT = 500

/** A text as definitions have it: of one line that is not too long. */
const oneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\s\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim()
    .slice(0, MAX_TEXT)
    .toWellFormed()

/** `br-city-codes` for people. */
function titleFrom(resource: string): string {
  const words = oneLine(listName(resource).replace(/[-_.]+/g, ' ')) || 'Untitled'
  return `${words[0]?.toUpperCase()}${words.slice(1)}`
}

function about({ name, declared }: DeclaredColumn) {
  const title = oneLine(declared.title ?? '')
  const description = oneLine(declared.description ?? '') || title || oneLine(name)
  return { description, ...(title === '' || title === name ? {} : { title }) }
}

/** What a type of Table Schema is published as. Others are text. */
const PUBLISHED: ReadonlyMap<string, ValueType> = new Map([
  ['integer', 'integer'],
  ['number', 'number'],
  ['boolean', 'boolean'],
  ['date', 'date'],
  ['datetime', 'date'],
  ['yearmonth', 'date'],
  ['year', 'year'],
  ['list', 'list'],
  ['array', 'list'],
])
const valueTypeOf = ({ type }: ValueFormat): ValueType => PUBLISHED.get(type) ?? 'text'

const UNDECLARED = new Set([undefined, '', 'any', 'default'])

function formatOf({ declared, missingValues }: DeclaredColumn): ValueFormat {
  const { type, format, decimalChar, groupChar, bareNumber, trueValues, falseValues, delimiter, constraints } = declared
  const given = { decimalChar, groupChar, bareNumber, trueValues, falseValues, delimiter, constraints, format }
  const kept = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  return { ...kept, type: UNDECLARED.has(type) ? 'string' : (type as string), missingValues }
}

/** As text, whatever is declared: codes and names keep their digits. */
const textFormatOf = ({ declared: { constraints }, missingValues }: DeclaredColumn): ValueFormat => ({
  type: 'string',
  missingValues,
  ...(constraints === undefined ? {} : { constraints }),
})

/** Any line; what is declared of it is checked where the values are read. */
const CODE_PATTERN = { pattern: '^[^\\x00-\\x1f\\x7f]{1,1000}$', shape: 'a code of 1 to 1000 characters in one line' }

const isPoint = ({ declared, properties: { role } }: DeclaredColumn) =>
  role === 'coordinates' || (role === undefined && declared.type === 'geopoint')

function fieldsOf(draft: Draft, column: DeclaredColumn): readonly Filled[] {
  const { table, references, tree, names } = draft
  const { name, properties } = column
  const reference = references.find((one) => one.field === column)
  if (reference !== undefined) return [embedField(draft, column, reference)]
  const isName = names.includes(column)
  if (table.key.includes(column)) return [keyField(table, column), ...(isName ? [nameField(draft, column)] : [])]
  if (typeof tree === 'object' && tree.columns.at(-1) === column) return [broaderField(table, column, tree)]
  if (isPoint(column)) return pointFields(table, column)
  if (isName) return [nameField(draft, column)]
  if (properties.role === 'code' || codeOf(table)?.includes(name) === true)
    return [
      {
        name,
        field: { kind: 'code', ...about(column), ...CODE_PATTERN },
        plan: { columns: [name], value: textFormatOf(column) },
      },
    ]
  return [valueField(table, column)]
}

/** A part of a key that is the name as well is a field of its own besides. */
function nameField({ table, language: ofList }: Draft, column: DeclaredColumn): Filled {
  const language = column.properties.language ?? ofList
  const isTaken = table.columns.some(({ name }) => name === 'name')
  return {
    name: table.key.includes(column) ? (isTaken ? `${column.name} name` : 'name') : column.name,
    field: { kind: 'name', ...about(column), ...(language === undefined ? {} : { language }) },
    plan: { columns: [column.name], value: textFormatOf(column) },
  }
}

/** Records of another package are not known here, so that any row may refer to none. */
function embedField({ table, hasNumericKey }: Draft, column: DeclaredColumn, reference: PlannedReference): Filled {
  const isOptional = reference.target === undefined && !table.key.includes(column)
  return {
    name: column.name,
    field: { kind: 'embed', ...about(column), entity: reference.entity, ...(isOptional ? { optional: true } : {}) },
    plan: {
      columns: reference.columns.map(({ name }) => name),
      value: keyFormat(column, hasNumericKey(reference.entity) && reference.refersTo === undefined),
      ...(reference.refersTo === undefined ? {} : { refersTo: reference.refersTo }),
    },
  }
}

const keyFormat = (column: DeclaredColumn, isNumber: boolean): ValueFormat =>
  isNumber ? { ...textFormatOf(column), type: 'integer' } : textFormatOf(column)

function keyField({ key }: DeclaredTable, column: DeclaredColumn): Filled {
  const isNumber = isNumericKey(key)
  return {
    name: column.name,
    field: isNumber ? { kind: 'id', ...about(column) } : { kind: 'code', ...about(column), ...CODE_PATTERN },
    plan: { columns: [column.name], value: keyFormat(column, isNumber) },
  }
}

const broaderField = ({ key }: DeclaredTable, column: DeclaredColumn, tree: Exclude<DeclaredTree, string>): Filled => ({
  name: column.name,
  field: { kind: 'broader', ...about(column), optional: true },
  plan: {
    columns: tree.columns.map(({ name }) => name),
    value: keyFormat(column, isNumericKey(key) && tree.refersTo === undefined),
    ...(tree.refersTo === undefined ? {} : { refersTo: tree.refersTo }),
  },
})

/** The field of a tree by codes, which no column has. */
function codeTreeField({ table }: Draft, filled: readonly Filled[]): Filled {
  const key = table.key[0] as DeclaredColumn
  let name = 'broader'
  while (filled.some((one) => one.name === name)) name += '_'
  return {
    name,
    field: {
      kind: 'broader',
      description: `${oneLine(key.name)} of the record above`.slice(0, MAX_TEXT),
      optional: true,
    },
    plan: { columns: [key.name], value: textFormatOf(key), isByCode: true },
  }
}

function pointFields({ columns }: DeclaredTable, column: DeclaredColumn): readonly Filled[] {
  const latitude = column.declared.type === 'geopoint' ? 1 : 0
  const part = (role: 'latitude' | 'longitude', at: 0 | 1): Filled => ({
    name: columns.some(({ name }) => name === role) ? `${column.name} ${role}` : role,
    field: { kind: 'value', type: 'number', role, description: `${role} in degrees`, optional: true },
    plan: { columns: [column.name], value: { ...textFormatOf(column), type: 'number' }, part: at },
  })
  return [part('latitude', latitude), part('longitude', latitude === 0 ? 1 : 0)]
}

const VALUE_ROLES: readonly string[] = ['alias', 'description', 'latitude', 'longitude', 'validFrom', 'validTo']
const DEGREES = ['latitude', 'longitude']

function valueField({ list }: DeclaredTable, column: DeclaredColumn): Filled {
  const { role, language } = column.properties
  const declared = formatOf(column)
  const areDegrees = DEGREES.includes(role ?? '') && valueTypeOf(declared) === 'text'
  const value = areDegrees ? { ...declared, type: 'number' } : declared
  const type = valueTypeOf(value)
  const plan = { columns: [column.name], value }
  if (list.v1 !== undefined && role === 'fact')
    return { name: column.name, field: { ...about(column), ...factOf(column, type) }, plan }
  return {
    name: column.name,
    field: {
      kind: 'value',
      type,
      ...about(column),
      ...(areDegrees ? { optional: true as const } : {}),
      ...(role !== undefined && VALUE_ROLES.includes(role) ? { role: role as ValueRole } : {}),
      ...(language === undefined || type !== 'text' ? {} : { language }),
    },
    plan,
  }
}

/** What API v1 does not publish of a record; a name where it is declared in which language it is. */
function factOf({ declared: { constraints }, properties: { language } }: DeclaredColumn, type: string) {
  if (type !== 'integer' && type !== 'number') {
    const named = language === undefined ? {} : { language }
    return { kind: 'fact', type: 'text', ...CODE_PATTERN, shape: 'a text in one line', ...named } as const
  }
  const bound = (text: string | undefined, otherwise: number) =>
    Number.isFinite(Number(text ?? '-')) ? Number(text) : otherwise
  return {
    kind: 'fact',
    type,
    min: bound(constraints?.minimum, Number.MIN_SAFE_INTEGER),
    max: bound(constraints?.maximum, Number.MAX_SAFE_INTEGER),
  } as const
}

/** The name that is shown first takes the place of the first name. */
function inOrderOfNames({ names }: Draft, filled: readonly Filled[]): readonly Filled[] {
  const ordered = names.flatMap(
    ({ name }) => filled.find(({ plan, field }) => plan.columns[0] === name && field.kind === 'name') ?? [],
  )
  let next = 0
  return filled.map((one) => (one.field.kind === 'name' ? (ordered[next++] ?? one) : one))
}
