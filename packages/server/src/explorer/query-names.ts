// The names that parameters of a list have in the address of a page: fields by their slugs, whichever way they were given.
import type { Entity } from '../catalog/entity.ts'
import { pathNamed } from '../catalog/paths.ts'
import { parameterNamed } from '../http/v2/parameter.ts'
import { listParameters, ROOT, withinOf } from '../http/v2/parameter-definitions.ts'
import type { QueryPairs } from '../http/v2/request/query-string.ts'

/** The parameters with the slugs of fields, by which links of the page name them. */
export const bySlug = (entity: Entity, pairs: QueryPairs): QueryPairs =>
  pairs.map(([name, value]) => {
    const parameter = parameterNamed(listParameters(entity), name)
    return [parameter?.slug ?? name, name === 'sort' ? sortBySlug(entity, value) : value]
  })

const sortBySlug = (entity: Entity, sort: string): string =>
  sort
    .split(',')
    .map((name) => {
      const [, sign = '', path = ''] = /^(-?)(.*)$/.exec(name) ?? []
      return `${sign}${pathNamed(entity, path)?.slug ?? path}`
    })
    .join()

/** True for a parameter that filters a list, by a field or by the place in its tree. */
export function isFilter(entity: Entity, name: string): boolean {
  const parameter = parameterNamed(listParameters(entity), name)
  return parameter?.filter !== undefined || parameter === withinOf(entity) || parameter === ROOT
}

/** The filter of a parameter of a list; undefined if it filters by no field. */
export const filterNamed = (entity: Entity, name: string) => parameterNamed(listParameters(entity), name)?.filter
