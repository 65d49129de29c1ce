// The definitions and collections of the built-in catalog, for tests that go through all of them or need one.
import { v1PathOf } from '../../packages/server/src/base/api-v1.ts'
import { entityIn } from '../../packages/server/src/catalog/catalog.ts'
import { v1Collections } from '../../packages/server/src/catalog/collections.ts'
import type { Entity } from '../../packages/server/src/catalog/entity.ts'
import { builtInCatalog } from '../../packages/server/src/source/built-in.ts'

export const entityNames = [...builtInCatalog.entities.keys()]
export const builtIn = (name: string): Entity => entityIn(builtInCatalog, name)

export const pais = builtIn('pais')
export const estado = builtIn('estado')
export const municipio = builtIn('municipio')
export const localidad = builtIn('localidad')
export const area = builtIn('area')
export const campo = builtIn('campo')
export const disciplina = builtIn('disciplina')
export const subdisciplina = builtIn('subdisciplina')
export const audiencia = builtIn('audiencia')

export const collections = v1Collections(builtInCatalog).map((collection) => ({
  ...collection,
  path: v1PathOf(collection),
}))
