// The references of a table as its descriptor declares them: to lists of the package, and to lists of others.
import type { EntityData } from '../../catalog/catalog.ts'
import { slugOf } from '../../catalog/slug.ts'
import {
  type DeclaredColumn,
  type DeclaredTable,
  isNumericKey,
  listName,
  type PlannedReference,
} from './declared-table.ts'
import type { ForeignKey } from './descriptor.ts'
import type { Note } from './infer/inference.ts'
import { quoted } from './infer/notes.ts'
import { BUILT_IN } from './known-lists.ts'

type Context = {
  readonly own: DeclaredTable
  readonly all: readonly DeclaredTable[]
  /** The lists of other packages, and those that ship with the program. */
  readonly others: readonly EntityData[]
  /** False where no home is looked at. */
  readonly hasHome: boolean
  readonly tell: (note: Note) => void
}

/** No column is the field of two. */
export function referencesOf(
  own: DeclaredTable,
  all: readonly DeclaredTable[],
  outside: Pick<Context, 'others' | 'hasHome'>,
  tell: (note: Note) => void,
): readonly PlannedReference[] {
  const context: Context = { own, all, ...outside, tell }
  const references = new Map<DeclaredColumn, PlannedReference>()
  const add = (reference: PlannedReference | undefined) => {
    if (reference !== undefined && !references.has(reference.field)) references.set(reference.field, reference)
  }
  for (const foreignKey of own.resource.schema?.foreignKeys ?? []) add(declaredReference(foreignKey, context))
  for (const column of own.columns) {
    const { embed } = column.properties
    if (typeof embed === 'string') add(embedReference(column, embed, context))
  }
  return [...references.values()]
}

const columnNamed = ({ columns }: DeclaredTable, name: string) => columns.find((column) => column.name === name)

function declaredReference(foreignKey: ForeignKey, context: Context): PlannedReference | undefined {
  const { own, all, tell } = context
  const { fields, reference } = foreignKey
  const { name } = own.resource
  if (reference.package === undefined && ['', name].includes(reference.resource)) return undefined
  const columns = fields.map((field) => columnNamed(own, field))
  const field = columns.at(-1)
  const shown = `${fields.map(quoted).join(' with ')} of ${quoted(name)}`
  const refuse = (why: string) =>
    void tell({
      resource: name,
      what: `${shown} is no reference: ${why}.`,
      otherwise: `another "foreignKeys" in its schema`,
      kind: 'doubt',
    })
  if (field === undefined || columns.includes(undefined)) return refuse('it is no column of the file')
  if (field.properties.embed === false) return undefined
  if (reference.package !== undefined) return outsideReference(foreignKey, columns as DeclaredColumn[], context, refuse)
  const target = all.find(({ resource }) => resource.name === reference.resource)
  if (target === undefined) return refuse(`there is no list ${quoted(reference.resource)} in the package`)
  return (
    referenceTo(target, columns as DeclaredColumn[], reference.fields, own) ??
    refuse('the fields that it refers to are not there')
  )
}

type Refuse = (why: string) => undefined

/** A reference to a list of another package that the home has, or to one that ships with the program. */
function outsideReference(
  { reference }: ForeignKey,
  columns: readonly DeclaredColumn[],
  { others, hasHome }: Context,
  refuse: Refuse,
): PlannedReference | undefined {
  const from = (reference.package as string).replace(/\/(?:datapackage\.(?:json|ya?ml))?$/, '')
  const name = from.slice(from.lastIndexOf('/') + 1)
  const slug = slugOf(listName(reference.resource), '-')
  const isMeant = ({ package: owner, name: list, plural }: EntityData) =>
    owner === undefined
      ? name === BUILT_IN && [list, plural].includes(slug)
      : [from, name].includes(owner) && [slug, `${slugOf(name, '-')}-${slug}`].includes(plural)
  const entity = others.find(isMeant)
  if (entity === undefined && name !== BUILT_IN && !hasHome)
    return refuse(`package ${quoted(name)} is not seen without a home; give --home with the home that has it`)
  if (entity === undefined) {
    const advice = name === BUILT_IN ? 'those are imported with "import bundled"' : 'import that first'
    return refuse(`the home has no list ${quoted(reference.resource)} of a package ${quoted(name)}; ${advice}`)
  }
  const places = entity.key.map((part) => reference.fields.indexOf(part))
  const isByKey = places.length === columns.length && !places.includes(-1)
  const wrong = reference.fields.find((field) => !isFieldOrCode(entity, field))
  if (wrong !== undefined) return refuse(`${quoted(reference.resource)} has no field or code ${quoted(wrong)}`)
  return {
    field: columns.at(-1) as DeclaredColumn,
    columns: isByKey ? places.map((at) => columns[at] as DeclaredColumn) : columns,
    entity: entity.name,
    ...(isByKey ? {} : { refersTo: reference.fields }),
  }
}

const isFieldOrCode = ({ fields, codes = [] }: EntityData, name: string): boolean =>
  Object.hasOwn(fields, name) || codes.some((code) => code.name === name)

function embedReference(
  column: DeclaredColumn,
  resource: string,
  { all, own, tell }: Context,
): PlannedReference | undefined {
  const target = all.find((one) => one.resource.name === resource || one.name === resource)
  const [key] = target?.key ?? []
  if (target !== undefined && key !== undefined && target.key.length === 1)
    return referenceTo(target, [column], [key.name], own)
  tell({
    resource: own.resource.name,
    field: column.name,
    what: `${quoted(column.name)} embeds nothing: there is no list ${quoted(resource)} with a key of one field.`,
    otherwise: '"foreignKeys" in its schema, with the fields of both lists',
    kind: 'doubt',
  })
  return undefined
}

/** The reference of columns to fields of a list of the package; undefined where the list has no such fields. */
function referenceTo(
  target: DeclaredTable,
  columns: readonly DeclaredColumn[],
  fields: readonly string[],
  own: DeclaredTable,
): PlannedReference | undefined {
  const meant = fields.map((field) => columnNamed(target, field))
  if (meant.includes(undefined) || meant.length !== columns.length || target === own) return undefined
  const places = target.key.map((part) => meant.indexOf(part))
  const isByKey = places.length === columns.length && !places.includes(-1)
  return {
    field: columns.at(-1) as DeclaredColumn,
    columns: isByKey ? places.map((at) => columns[at] as DeclaredColumn) : columns,
    entity: target.name,
    target,
    ...(isByKey ? {} : { refersTo: fields }),
  }
}

/** Tells of a list whether its key is a number. */
export const keysIn =
  (lists: readonly DeclaredTable[], others: readonly EntityData[]) =>
  (entity: string): boolean => {
    const own = lists.find(({ name }) => name === entity)
    if (own !== undefined) return isNumericKey(own.key)
    const other = others.find(({ name }) => name === entity)
    return other?.key.length === 1 && other.fields[other.key[0] as string]?.kind === 'id'
  }
