// A descriptor that says what was guessed: whoever reads it, here or with other programs, has nothing left to guess.
import type {
  AliasPlan,
  Descriptor,
  FieldPlan,
  ForeignKey,
  ListPlan,
  OwnProperties,
  Plan,
  Resource,
  TableSample,
} from './descriptor.ts'
import { type ProfiledColumn, type ProfiledTable, tableOf } from './guess-table.ts'
import { formatOf } from './guess-types.ts'
import { PREFIX, PROFILE_REFERENCE } from './profile.ts'

type Json = Readonly<Record<string, unknown>>

/** What a file is like where it is not as the standard expects: comma-separated UTF-8. */
export type FileTraits = { readonly delimiter?: string; readonly encoding?: string }

/** The descriptor as JSON. The traits of each file are by its path. */
export function describedPackage(
  descriptor: Descriptor,
  samples: ReadonlyMap<string, TableSample>,
  plan: Plan,
  traits: ReadonlyMap<string, FileTraits> = new Map(),
): Json {
  const { name, title, description, version, homepage, language, licenses, sources, keywords, contributors } =
    descriptor
  const some = (list: readonly unknown[]) => (list.length === 0 ? undefined : list)
  return present({
    $schema: PROFILE_REFERENCE,
    name,
    title,
    description,
    version,
    homepage,
    language,
    licenses: some(licenses),
    sources: some(sources),
    keywords: some(keywords),
    contributors: some(contributors),
    ...ownJson(descriptor.own),
    resources: descriptor.resources.map((resource) =>
      describedResource(resource, samples.get(resource.name), plan, traits),
    ),
  })
}

/** Without what is not known. */
const present = (properties: Json): Json =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined))

const ownJson = (own: OwnProperties): Json =>
  Object.fromEntries([...own].map(([name, value]) => [PREFIX + name, value]))

function describedResource(
  resource: Resource,
  sample: TableSample | undefined,
  plan: Plan,
  traits: ReadonlyMap<string, FileTraits>,
): Json {
  const { name, title, description, paths, data, format, compression, language, own } = resource
  const list = plan.lists.find((one) => one.resource === name)
  const aliases = plan.aliases.find((one) => one.resource === name)
  const { delimiter, encoding } = traits.get(paths[0] ?? '') ?? {}
  const dialect = { ...resource.dialect, ...(delimiter === undefined ? {} : { delimiter }) }
  return present({
    name,
    title,
    description,
    path: paths.length > 1 ? paths : paths[0],
    data: paths.length === 0 ? data : undefined,
    type: 'table',
    format,
    encoding: resource.encoding ?? encoding,
    compression,
    dialect: Object.keys(dialect).length === 0 ? undefined : dialect,
    language,
    ...ownJson(own),
    ...(list === undefined ? {} : listJson(list, resource)),
    ...(aliases === undefined ? {} : { [`${PREFIX}role`]: 'aliases' }),
    schema: sample === undefined ? undefined : describedSchema(tableOf(resource, sample), plan, list, aliases),
  })
}

function listJson({ entity, fields }: ListPlan, resource: Resource): Json {
  const isNamed = entity.plural === (resource.own.get('collection') ?? resource.own.get('v1') ?? resource.name)
  return {
    ...([...fields.values()].some(isPrefixed) ? { [`${PREFIX}broader`]: { prefix: true } } : {}),
    ...(isNamed ? {} : { [`${PREFIX}collection`]: entity.plural }),
  }
}

function describedSchema(
  table: ProfiledTable,
  plan: Plan,
  list: ListPlan | undefined,
  aliases: AliasPlan | undefined,
): Json {
  const { schema } = table.resource
  const declared = schema?.foreignKeys ?? []
  const found = [
    ...(list === undefined ? [] : referencesOf(list, plan)),
    ...(aliases === undefined ? [] : [aliasReference(aliases, plan)]),
  ]
  const isDeclared = ({ fields }: ForeignKey) => declared.some((one) => one.fields.at(-1) === fields.at(-1))
  const foreignKeys = [...declared, ...found.filter((one) => !isDeclared(one))]
  return present({
    fields: table.columns.map((column) => describedField(column, list, aliases)),
    // A key that is declared must be in every row.
    primaryKey: list === undefined || list.leavesOutRows ? schema?.primaryKey : columnsOf(list, list.entity.key),
    foreignKeys: foreignKeys.length === 0 ? undefined : foreignKeys,
    missingValues: schema?.missingValues,
    ...(schema === undefined ? {} : ownJson(schema.own)),
  })
}

/** The columns that fields are filled from. A part of a key that embeds a record of several is its last column. */
const columnsOf = ({ fields }: ListPlan, names: readonly string[]): readonly string[] =>
  names.map((name) =>
    fields.get(name)?.columns.includes(name) === true ? name : (fields.get(name)?.columns[0] ?? name),
  )

/** Those to its own list and to lists of the package; to others they are declared. */
function referencesOf(list: ListPlan, { lists }: Plan): readonly ForeignKey[] {
  return Object.entries(list.entity.fields).flatMap(([name, field]) => {
    const filled = list.fields.get(name)
    if (filled === undefined || isPrefixed(filled)) return []
    if (field.kind === 'broader') return [referenceTo(name, filled, '', list)]
    const target = field.kind === 'embed' ? lists.find(({ entity }) => entity.name === field.entity) : undefined
    return target === undefined ? [] : [referenceTo(name, filled, target.resource, target)]
  })
}

const isPrefixed = ({ prefixes, separator }: FieldPlan) => prefixes !== undefined || separator !== undefined

/** The field is the last of the columns, so that it is the same field when it is read again. */
function referenceTo(name: string, { columns, refersTo }: FieldPlan, resource: string, target: ListPlan): ForeignKey {
  const key = columnsOf(target, target.entity.key)
  const pairs = columns.map((column, at) => [column, (refersTo ?? key)[at] ?? ''] as const)
  const ordered = pairs.toSorted(([a], [b]) => Number(a === name) - Number(b === name))
  return {
    fields: ordered.map(([column]) => column),
    reference: { resource, fields: ordered.map(([, field]) => field) },
  }
}

function aliasReference({ code, entity }: AliasPlan, { lists }: Plan): ForeignKey {
  const target = lists.find((one) => one.entity.name === entity)
  const key = target === undefined ? [] : columnsOf(target, target.entity.key)
  return { fields: code, reference: { resource: target?.resource ?? '', fields: key } }
}

function describedField(column: ProfiledColumn, list: ListPlan | undefined, aliases: AliasPlan | undefined): Json {
  const { name, declared } = column
  const { title, description, constraints, missingValues, categories } = declared
  const { decimalChar, groupChar, bareNumber, trueValues, falseValues, delimiter } = declared
  const point = list === undefined ? undefined : pointOf(name, list)
  const { type, format } = list?.fields.get(name)?.value ?? formatOf(column)
  return present({
    name,
    type: point === undefined ? type : point === 'latitude first' ? 'string' : 'geopoint',
    format: point === undefined ? format : declared.format,
    title,
    description,
    constraints,
    missingValues,
    categories,
    decimalChar,
    groupChar,
    bareNumber,
    trueValues,
    falseValues,
    delimiter,
    ...ownJson(declared.own),
    ...(list === undefined ? {} : propertiesOf(name, list)),
    ...(point === 'latitude first' ? { [ROLE]: 'coordinates' } : {}),
    ...(aliases?.alias === name ? { [ROLE]: 'alias' } : {}),
  })
}

const ROLE = `${PREFIX}role`
const LANGUAGE = `${PREFIX}language`

/** Of a column that has latitude and longitude, which is first. */
function pointOf(column: string, { entity, fields }: ListPlan): 'latitude first' | 'longitude first' | undefined {
  for (const [name, { columns, part }] of fields) {
    const field = entity.fields[name]
    if (part === undefined || columns[0] !== column || field?.kind !== 'value' || field.role !== 'latitude') continue
    return part === 0 ? 'latitude first' : 'longitude first'
  }
  return undefined
}

/** What the column is taken for, in properties of ours. A part of a key may be the name as well. */
function propertiesOf(column: string, { entity, fields }: ListPlan): Json {
  for (const [name, { columns }] of fields) {
    const field = entity.fields[name]
    if (field?.kind === 'name' && columns[0] === column) return present({ [ROLE]: 'name', [LANGUAGE]: field.language })
  }
  const field = entity.fields[column]
  if (field?.kind === 'code') return entity.key.includes(column) ? {} : { [ROLE]: 'code' }
  if (field?.kind !== 'value') return {}
  return {
    ...(field.role === undefined ? {} : { [ROLE]: field.role }),
    ...(field.language === undefined ? {} : { [LANGUAGE]: field.language }),
  }
}
