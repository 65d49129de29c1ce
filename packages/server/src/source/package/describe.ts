// A descriptor as JSON, with all that was inferred: whoever reads it, here or with other programs, has nothing left to guess.
import { isOfBoundaries } from './boundaries.ts'
import type { Descriptor, ForeignKey, OwnProperties, Resource, TableField, TableSchema } from './descriptor.ts'
import { PREFIX } from './profile.ts'
import { PROFILE_REFERENCE } from './profile-file.ts'

type Json = Readonly<Record<string, unknown>>

/** What a file is like where it is not as the standard expects: comma-separated UTF-8. */
export type FileTraits = { readonly delimiter?: string; readonly encoding?: string }

/** The traits of the file of each resource are by its name. */
export function descriptorJson(
  { own, resources, licenses, sources, keywords, contributors, ...rest }: Descriptor,
  traits: ReadonlyMap<string, FileTraits> = new Map(),
): Json {
  const some = (list: readonly unknown[]) => (list.length === 0 ? undefined : list)
  return present({
    $schema: PROFILE_REFERENCE,
    ...rest,
    licenses: some(licenses),
    sources: some(sources),
    keywords: some(keywords),
    contributors: some(contributors),
    ...ownJson(own),
    resources: resources.map((resource) => resourceJson(resource, traits.get(resource.name))),
  })
}

/** Without what is not known. */
const present = (properties: Json): Json =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined))

const ownJson = (own: OwnProperties): Json =>
  Object.fromEntries([...own].map(([name, value]) => [PREFIX + name, value]))

function resourceJson(resource: Resource, traits: FileTraits = {}): Json {
  const { paths, data, own, schema, schemaPath: _, ...rest } = resource
  const { name, title, description, encoding, dialect: declared, ...others } = rest
  const dialect = { ...declared, ...(traits.delimiter === undefined ? {} : { delimiter: traits.delimiter }) }
  return present({
    name,
    title,
    description,
    path: paths.length > 1 ? paths : paths[0],
    data: paths.length === 0 ? data : undefined,
    type: isOfBoundaries(resource) ? undefined : 'table',
    encoding: encoding ?? traits.encoding,
    dialect: Object.keys(dialect).length === 0 ? undefined : dialect,
    ...others,
    ...ownJson(own),
    schema: schema === undefined ? undefined : schemaJson(schema),
  })
}

const schemaJson = ({ fields, primaryKey, foreignKeys, missingValues, own }: TableSchema): Json =>
  present({
    fields: fields.map(({ own: ofField, ...field }: TableField) => present({ ...field, ...ownJson(ofField) })),
    primaryKey,
    foreignKeys: foreignKeys?.map((one: ForeignKey) => one),
    missingValues,
    ...ownJson(own),
  })
