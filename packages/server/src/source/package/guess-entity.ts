// The definition of a list from what its columns were found to be, and how each of its fields is filled.

import { isFieldName } from '../../base/texts.ts'
import type { EntityData } from '../../catalog/catalog.ts'
import { MAX_ID } from '../../catalog/check.ts'
import type { OfficialCode } from '../../catalog/entity.ts'
import type { Guess, ListPlan, UsualCode, ValueFormat } from './descriptor.ts'
import { quoted } from './guess-key.ts'
import type { Names } from './guess-names.ts'
import type { Reference } from './guess-references.ts'
import type { Roles } from './guess-roles.ts'
import { allFit, blanksOf, columnNamed, type ProfiledColumn, type ProfiledTable } from './guess-table.ts'
import type { GuessedTree } from './guess-tree.ts'
import { formatOf, isSureToFit, isWholeNumber, textFormatOf, valueTypeOf } from './guess-types.ts'
import type { FieldRole, ListProperties } from './profile.ts'

type FieldData = EntityData['fields'][string]
type FieldPlan = ListPlan['fields'] extends ReadonlyMap<string, infer P> ? P : never

/** What is known of a table once all was guessed. */
export type Draft = {
  readonly table: ProfiledTable
  readonly name: string
  readonly packageName: string
  readonly title: string
  readonly description: string | undefined
  readonly list: ListProperties
  readonly language: string | undefined
  readonly key: readonly ProfiledColumn[]
  readonly hasDeclaredKey: boolean
  readonly leavesOutRows?: true
  readonly usualCode?: UsualCode
  readonly references: readonly Reference[]
  readonly tree: GuessedTree | undefined
  readonly names: Names
  readonly roles: Roles
  readonly roleOf: (column: ProfiledColumn) => FieldRole | undefined
  /** Whether the key of another list is a number. */
  readonly hasNumericKey: (entity: string) => boolean
}

type Filled = { readonly name: string; readonly field: FieldData; readonly plan: FieldPlan }

export function planOf(draft: Draft, place: number): ListPlan {
  const { table, list, name, key } = draft
  const filled = inOrderOfNames(
    draft,
    table.columns.flatMap((column) => fieldsOf(draft, column)),
  )
  const prefixed = prefixField(draft, filled)
  const all = prefixed === undefined ? filled : [...filled, prefixed]
  const fields = Object.fromEntries(all.map(({ name: field, field: data }) => [field, data]))
  const keyNames = key.map((column) => column.name)
  const entity: EntityData = {
    name,
    plural: name,
    title: draft.title,
    ...(list.titles === undefined ? {} : { titles: list.titles }),
    ...(draft.description === undefined ? {} : { description: draft.description }),
    ...(list.group === undefined ? {} : { group: list.group }),
    package: oneLine(draft.packageName),
    ...(list.v1 === undefined ? {} : { v1: place }),
    fields,
    key: keyNames,
    code: codeOf(draft) ?? keyNames,
    ...namedCode(draft, fields),
    order: list.order ?? 'as given',
    expects: [],
  }
  return {
    resource: table.resource.name,
    entity,
    fields: new Map(all.map(({ name: field, plan }) => [field, plan])),
    hasDeclaredKey: draft.hasDeclaredKey,
    ...(draft.leavesOutRows === undefined ? {} : { leavesOutRows: true }),
    ...(draft.usualCode === undefined ? {} : { usualCode: draft.usualCode }),
    ...(list.expects === undefined ? {} : { expects: list.expects }),
  }
}

/** The fields that are declared to be the official code. */
function codeOf({ table, list: { code } }: Pick<Draft, 'table' | 'list'>): readonly string[] | undefined {
  const names = code === undefined || !('parts' in code) ? code : code.parts.map(({ field }) => field)
  const columns = names && [...new Set(names)].map((name) => columnNamed(table, name)?.name)
  return columns === undefined || columns.includes(undefined) ? undefined : (columns as string[])
}

/** The official code with its name, where that is declared and all its fields are there. */
function namedCode({ table, list: { code } }: Draft, fields: EntityData['fields']): Pick<EntityData, 'codes'> {
  if (code === undefined || !('parts' in code)) return {}
  const parts = code.parts.map((part) => ({ ...part, field: columnNamed(table, part.field)?.name ?? '' }))
  const areThere = parts.every(({ field }) => Object.hasOwn(fields, field) && fields[field]?.kind !== 'broader')
  if (!areThere || !isFieldName(code.name) || Object.hasOwn(fields, code.name)) return {}
  const description = oneLine(code.description ?? '') || oneLine(code.title ?? '') || oneLine(code.name)
  return { codes: [{ ...code, description, parts: parts as unknown as OfficialCode['parts'] }] }
}

const MAX_TEXT = 500

/** A text as definitions have it: of one line that is not too long. */
export const oneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\s\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim()
    .slice(0, MAX_TEXT)
    .toWellFormed()

function about({ name, declared }: ProfiledColumn) {
  const title = oneLine(declared.title ?? '')
  const description = oneLine(declared.description ?? '') || title || oneLine(name)
  return { description, ...(title === '' || title === name ? {} : { title }) }
}

/** Why a column becomes no field, reported once. */
export function leftOut({ columns, resource }: ProfiledTable): readonly Guess[] {
  const seen = new Set<string>()
  return columns.flatMap(({ name }, at) => {
    const isDouble = seen.has(name)
    seen.add(name)
    if (isFieldName(name) && !isDouble) return []
    const why = isDouble
      ? 'another column has the same name'
      : name === ''
        ? 'it has no name'
        : 'its name is reserved, too long, or has signs that cannot be shown'
    return [
      {
        resource: resource.name,
        field: name,
        what: `Column ${at + 1}, ${quoted(name)}, is left out: ${why}.`,
        otherwise: 'another name in the first line of the file and in its schema',
      },
    ]
  })
}

/** The columns that can become fields. */
export function soundColumns(columns: readonly ProfiledColumn[]): readonly ProfiledColumn[] {
  const seen = new Set<string>()
  return columns.filter(({ name }) => {
    if (seen.has(name) || !isFieldName(name)) return false
    seen.add(name)
    return true
  })
}

const lacks = (column: ProfiledColumn): { readonly optional?: true } =>
  blanksOf(column) > 0 || !column.isWhole ? { optional: true } : {}

/** Any line; what is declared of it is checked where the values are read. */
const CODE_PATTERN = { pattern: '^[^\\x00-\\x1f\\x7f]{1,1000}$', shape: 'a code of 1 to 1000 characters in one line' }

function fieldsOf(draft: Draft, column: ProfiledColumn): readonly Filled[] {
  const { key, references, tree, names, roles } = draft
  const { name } = column
  const reference = references.find((one) => one.field === column)
  if (reference !== undefined) return [embedField(draft, column, reference)]
  const isName = names.columns.includes(column)
  if (key.includes(column)) return [keyField(draft, column), ...(isName ? [nameField(draft, column)] : [])]
  if (tree?.prefix === undefined && tree?.columns.at(-1) === column) return [broaderField(draft, column, tree)]
  if (roles.point?.column === column) return pointFields(draft, column)
  if (isName) return [nameField(draft, column)]
  if (roles.codes.has(column) || codeOf(draft)?.includes(name) === true) {
    const field: FieldData = { kind: 'code', ...about(column), ...lacks(column), ...CODE_PATTERN }
    return [{ name, field, plan: { columns: [name], value: textFormatOf(column) } }]
  }
  return [valueField(draft, column)]
}

/** A part of a key that is the name as well is a field of its own besides. */
function nameField({ key, names, language: ofList, table }: Draft, column: ProfiledColumn): Filled {
  const language = names.languages.get(column) ?? ofList
  const others = table.columns.map((one) => one.name)
  const own = others.includes('name') ? `${column.name} name` : 'name'
  return {
    name: key.includes(column) ? own : column.name,
    field: { kind: 'name', ...about(column), ...lacks(column), ...(language === undefined ? {} : { language }) },
    plan: { columns: [column.name], value: textFormatOf(column) },
  }
}

function embedField({ key, hasNumericKey }: Draft, column: ProfiledColumn, reference: Reference): Filled {
  const isOptional = !key.includes(column) && !(reference.isComplete && column.isWhole)
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

const keyFormat = (column: ProfiledColumn, isNumber: boolean): ValueFormat =>
  isNumber ? { ...textFormatOf(column), type: 'integer' } : textFormatOf(column)

/** Whether the key is a whole number: declared so, and written so. */
export const isNumericKey = (key: readonly ProfiledColumn[], isDeclared: boolean): boolean =>
  isDeclared &&
  key.length === 1 &&
  key.every(
    (column) =>
      column.declared.type === 'integer' &&
      column.declared.own.get('role') !== 'code' &&
      // A table without rows is what it is declared to be, so that its key stays the same when rows come.
      (column.values.length === 0 ||
        allFit(column, (value) => isWholeNumber(value) && Number(value) >= 0 && Number(value) <= MAX_ID)),
  )

function keyField({ key, hasDeclaredKey }: Draft, column: ProfiledColumn): Filled {
  const isNumber = isNumericKey(key, hasDeclaredKey)
  return {
    name: column.name,
    field: isNumber ? { kind: 'id', ...about(column) } : { kind: 'code', ...about(column), ...CODE_PATTERN },
    plan: { columns: [column.name], value: keyFormat(column, isNumber) },
  }
}

const broaderField = ({ key, hasDeclaredKey }: Draft, column: ProfiledColumn, tree: GuessedTree): Filled => ({
  name: column.name,
  field: { kind: 'broader', ...about(column), optional: true },
  plan: {
    columns: tree.columns.map(({ name }) => name),
    value: keyFormat(column, isNumericKey(key, hasDeclaredKey) && tree.refersTo === undefined),
    ...(tree.refersTo === undefined ? {} : { refersTo: tree.refersTo }),
  },
})

/** The field of a tree by prefixes, which no column has. */
function prefixField({ tree }: Draft, filled: readonly Filled[]): Filled | undefined {
  const [key] = tree?.columns ?? []
  if (tree?.prefix === undefined || key === undefined) return undefined
  return {
    name: freeName('broader', filled),
    field: {
      kind: 'broader',
      description: `${oneLine(key.name)} of the record above`.slice(0, MAX_TEXT),
      optional: true,
    },
    plan: { columns: [key.name], value: textFormatOf(key), ...tree.prefix },
  }
}

function freeName(name: string, filled: readonly Filled[]): string {
  let free = name
  while (filled.some((one) => one.name === free)) free += '_'
  return free
}

function pointFields({ roles, table }: Draft, column: ProfiledColumn): readonly Filled[] {
  const latitude = roles.point?.latitude ?? 0
  const names = table.columns.map(({ name }) => name)
  const part = (role: 'latitude' | 'longitude', at: 0 | 1): Filled => ({
    name: names.includes(role) ? `${column.name} ${role}` : role,
    field: { kind: 'value', type: 'number', role, description: `${role} in degrees`, optional: true },
    plan: { columns: [column.name], value: { ...textFormatOf(column), type: 'number' }, part: at },
  })
  return [part('latitude', latitude), part('longitude', latitude === 0 ? 1 : 0)]
}

const DEGREES = new Set(['latitude', 'longitude'])

function valueField({ roles, names, list, roleOf }: Draft, column: ProfiledColumn): Filled {
  const role = roles.values.get(column)
  const language = names.languages.get(column)
  const declared = formatOf(column)
  const value = DEGREES.has(role ?? '') && valueTypeOf(declared) === 'text' ? { ...declared, type: 'number' } : declared
  const type = valueTypeOf(value)
  const optional = isSureToFit(column) && value === declared ? lacks(column) : { optional: true as const }
  const plan = { columns: [column.name], value }
  if (list.v1 !== undefined && roleOf(column) === 'fact')
    return { name: column.name, field: { ...about(column), ...factOf(column, type) }, plan }
  return {
    name: column.name,
    field: {
      kind: 'value',
      type,
      ...about(column),
      ...optional,
      ...(role === undefined ? {} : { role }),
      ...(language === undefined || type !== 'text' ? {} : { language }),
    },
    plan,
  }
}

/** What API v1 does not publish of a record; a name where it is declared in which language it is. */
function factOf({ declared: { constraints, own } }: ProfiledColumn, type: string) {
  if (type !== 'integer' && type !== 'number') {
    const language = own.get('language')
    const named = typeof language === 'string' ? { language } : {}
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
  const ordered = names.columns.flatMap(
    ({ name }) => filled.find(({ plan, field }) => plan.columns[0] === name && field.kind === 'name') ?? [],
  )
  let next = 0
  return filled.map((one) => (one.field.kind === 'name' ? (ordered[next++] ?? one) : one))
}
