// Writes what was inferred of a table into its resource, so that nothing of it is left open.
import { MAX_ID } from '../../../catalog/check.ts'
import type { ForeignKey, OwnProperties, Resource, TableField } from '../descriptor.ts'
import type { AliasTable } from './alias-table.ts'
import { type Column, type InferredTable, isTypeDeclared } from './columns.ts'
import type { InferredList } from './inferred-list.ts'
import { names } from './lexicon.ts'
import { isLongitudeFirst, type RoleChoice } from './roles.ts'

export function completeResource(
  resource: Resource,
  { columns, profile }: InferredTable,
  list: InferredList | undefined,
  alias: AliasTable | undefined,
): Resource {
  const { schema } = resource
  const byName = new Map(columns.map((column) => [column.name, column]))
  const choices = new Map(list?.choices.map((choice) => [choice.column, choice]))
  const keyed = schema?.primaryKey ?? (list === undefined ? undefined : list.key.columns.map(({ name }) => name))
  const foreignKeys = [
    ...(schema?.foreignKeys ?? []),
    ...(list === undefined ? [] : referencesOf(list)),
    ...aliasReference(alias, schema?.foreignKeys),
  ]
  return {
    ...resource,
    own: new Map([
      ...resource.own,
      ...(list === undefined ? [] : ownOf(list, foreignKeys, resource)),
      ...(alias === undefined ? [] : [['role', 'aliases'] as const]),
    ]),
    schema: {
      ...schema,
      own: schema?.own ?? new Map(),
      fields: profile.columns.map(({ name }) => {
        const column = byName.get(name)
        if (column === undefined) return { name, type: 'string', own: new Map([['role', 'fact']]) }
        return fieldOf(column, choices.get(column), {
          isKey: keyed?.includes(column.name) === true,
          isInferredKey: schema?.primaryKey === undefined || schema.primaryKey.length === 0,
          isReference: foreignKeys.some(({ fields }) => fields.includes(column.name)),
          isAlias: alias?.alias === column,
        })
      }),
      ...(keyed === undefined || keyed.length === 0 ? {} : { primaryKey: keyed }),
      ...(foreignKeys.length === 0 ? {} : { foreignKeys }),
    },
  }
}

/** How the records form a tree, and whether rows without the key are left out. */
function ownOf(
  { tree, declared, key }: InferredList,
  foreignKeys: readonly ForeignKey[],
  { name }: Resource,
): readonly (readonly [string, unknown])[] {
  const isTree = declared.tree !== undefined || foreignKeys.some(({ reference }) => isOwn(reference, name))
  const broader = isTree ? [] : [['broader', tree === undefined ? false : { prefix: true }] as const]
  return [...broader, ...(key.lost > 0 ? [['lossy', true] as const] : [])]
}

const isOwn = ({ resource, package: outside }: ForeignKey['reference'], own: string) =>
  outside === undefined && ['', own].includes(resource)

function referencesOf({ choices, declared, table }: InferredList): readonly ForeignKey[] {
  const inferred = choices.flatMap(({ column, role, relation }): ForeignKey[] => {
    if (relation === undefined || (role !== 'reference' && role !== 'parent')) return []
    const { resource, package: outside, field } = relation.target
    const to = role === 'parent' ? '' : resource
    return [
      {
        fields: [column.name],
        reference: { resource: to, ...(outside === undefined ? {} : { package: outside }), fields: [field] },
      },
    ]
  })
  const parent = declared.tree
  if (parent === undefined || typeof parent === 'string') return inferred
  const referred = declared.parentField(table)
  return referred === undefined
    ? inferred
    : [...inferred, { fields: [parent.name], reference: { resource: '', fields: [referred] } }]
}

const aliasReference = (alias: AliasTable | undefined, given: readonly ForeignKey[] = []): readonly ForeignKey[] =>
  alias === undefined || given.some(({ reference }) => reference.resource === alias.list.resource.name)
    ? []
    : [
        {
          fields: alias.fields.map(({ name }) => name),
          reference: { resource: alias.list.resource.name, fields: alias.list.key.map(({ name }) => name) },
        },
      ]

type Place = {
  readonly isKey: boolean
  readonly isInferredKey: boolean
  readonly isReference: boolean
  readonly isAlias: boolean
}

function fieldOf(column: Column, choice: RoleChoice | undefined, place: Place): TableField {
  const { declared } = column
  const role = place.isAlias ? 'alias' : choice?.role
  const type = isTypeDeclared(column) ? {} : typeOf(column, role, place)
  const own: [string, unknown][] = []
  const language = choice?.language ?? (role === 'name' || !place.isKey ? column.language : undefined)
  const isPlaced = place.isKey || place.isReference || role === 'parent' || role === 'reference'
  if (role === 'coordinates') {
    if (!isLongitudeFirst(column)) own.push(['role', 'coordinates'])
  } else if (role !== undefined && role !== 'value' && role !== 'parent' && role !== 'reference')
    own.push(['role', role])
  else if (!isPlaced && declared.type !== 'geopoint') own.push(['role', 'fact'])
  // A number that nobody declared to be the key is a code.
  if (place.isKey && declared.type === 'integer' && (place.isInferredKey || !isWrittenAsNumber(column)))
    own.push(['role', 'code'])
  if (language !== undefined && !(isPlaced && role !== 'name')) own.push(['language', language])
  return { ...declared, name: column.name, ...type, own: mergedOwn(own, declared.own) }
}

/** What is declared comes last, and so wins. */
const mergedOwn = (inferred: readonly (readonly [string, unknown])[], declared: OwnProperties): OwnProperties =>
  new Map([...inferred, ...declared])

/** True for whole numbers that are identifiers of records: those that are not written with zeros before them. */
const isWrittenAsNumber = ({ profile: { types, values } }: Column): boolean =>
  values.length === 0 ||
  (types.some(({ type }) => type === 'integer') &&
    values.every((value) => Number(value) >= 0 && Number(value) <= MAX_ID))

const TEXTS = ['name', 'alias', 'description', 'code', 'parent', 'reference']

/** Law: a key, code, reference, leading zero, postal code or telephone is text. */
function typeOf(
  column: Column,
  role: string | undefined,
  { isKey, isReference }: Place,
): Pick<TableField, 'type' | 'format' | 'decimalChar'> {
  const { profile, sights } = column
  if (role === 'coordinates' && isLongitudeFirst(column)) return { type: 'geopoint' }
  if (isKey || isReference) return { type: 'string' }
  const isText = TEXTS.includes(role ?? '') || looksLikeCode(column)
  const [first] = profile.types.filter(({ type }) =>
    type === 'year' ? sights.year === 1 : !(isText && NUMBERS.includes(type)),
  )
  return first ?? { type: 'string' }
}

const NUMBERS = ['integer', 'number']

/** True for what is written with digits and is no quantity: nobody adds up telephones. */
const looksLikeCode = ({ sights, words }: Column): boolean =>
  sights.leadingZero !== undefined ||
  words.some((word) => names(word, 'postal', 'contact', 'tax', 'foreign')) ||
  (sights.code === 1 && sights.quantity !== 1)

/** True if a resource leaves nothing open: its key, its tree, and of each column a type and a role. */
export function isComplete({ name, schema, own }: Resource, header: readonly string[]): boolean {
  if (schema === undefined) return false
  const { fields, primaryKey = [], foreignKeys = [] } = schema
  if (own.get('role') === 'aliases')
    return foreignKeys.length > 0 && fields.some((field) => field.own.get('role') === 'alias')
  const [only, ...more] = primaryKey
  const isTree =
    fields.some((field) => field.own.get('broader') === true) ||
    foreignKeys.some(({ reference }) => isOwn(reference, name))
  if (only === undefined || (!own.has('broader') && !isTree)) return false
  const byName = new Map(fields.map((field) => [field.name, field]))
  // A key that is declared as a number is one where its values are written so.
  if (more.length === 0 && byName.get(only)?.type === 'integer' && !byName.get(only)?.own.has('role')) return false
  return header.every((column) => {
    const field = byName.get(column)
    if (field === undefined) return false
    const isPlaced =
      primaryKey.includes(column) ||
      foreignKeys.some(({ fields: from }) => from.includes(column)) ||
      own.get('broader') === column
    const isSaid = ['role', 'embed', 'broader'].some((property) => field.own.has(property))
    return field.type !== undefined && (isPlaced || isSaid || field.type === 'geopoint')
  })
}
