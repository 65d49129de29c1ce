// The five collections of API v1: what each publishes, and under which path.
import { audiencia, type EntityName, localidad, municipio, pais, subdisciplina } from './entities.ts'

/** Records on a page of API v1, and so on a line of a record file. */
export const PER_PAGE = 10

export const V1_PATH = '/api/v1'

const collection = (name: string, title: string, entity: { readonly name: EntityName }) =>
  ({ name, title, entity: entity.name, path: `${V1_PATH}/${name}` }) as const

export type Collection = ReturnType<typeof collection>

export const collections: readonly Collection[] = [
  collection('localidades', 'Localities', localidad),
  collection('municipios', 'Municipalities', municipio),
  collection('paises', 'Countries', pais),
  collection('subdisciplinas-conocimiento', 'Knowledge subdisciplines', subdisciplina),
  collection('audiencias', 'Audiences', audiencia),
]
