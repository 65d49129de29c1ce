// The collections of the API: what each publishes, and under which path. Five in v1, one for every entity in v2.
import {
  audiencia,
  type EntityName,
  entities,
  entityNames,
  localidad,
  municipio,
  pais,
  subdisciplina,
} from './entities.ts'

/** Records on a page of API v1, and so on a line of a record file. */
export const PER_PAGE = 10

export const V1_PATH = '/api/v1'

const collection = (title: string, { name, plural }: { readonly name: EntityName; readonly plural: string }) =>
  ({ name: plural, title, entity: name, path: `${V1_PATH}/${plural}` }) as const

export type Collection = ReturnType<typeof collection>

export const collections: readonly Collection[] = [
  collection('Localities', localidad),
  collection('Municipalities', municipio),
  collection('Countries', pais),
  collection('Knowledge subdisciplines', subdisciplina),
  collection('Audiences', audiencia),
]

export const V2_PATH = '/api/v2'
export const OPENAPI_PATH = '/api/openapi.json'

/** A collection of API v2, by name. */
export const entityByPlural: ReadonlyMap<string, EntityName> = new Map(
  entityNames.map((name) => [entities[name].plural, name]),
)
