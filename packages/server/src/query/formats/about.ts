// The origin of records, for files of formats that have room for it.
import type { Entity } from '../../catalog/entity.ts'
import type { Release } from '../../release/release.ts'

export type About = {
  /** The title of the list. */
  readonly list: string
  /** The source of the release, and the credits of the list. */
  readonly sources: readonly string[]
  /** Empty where the release does not know of any but what is in a credit. */
  readonly licences: readonly string[]
  readonly isSynthetic: boolean
  readonly digest: string
  readonly built: string
}

export function aboutRecords({ digest, manifest }: Pick<Release, 'digest' | 'manifest'>, entity: Entity): About {
  const { source, built, packages = [] } = manifest
  const credits = source.credits.filter(({ of }) => of.includes(entity.name)).map(({ to }) => to)
  const owner = packages.find(({ name }) => name === entity.package)
  const licences = owner?.licenses.flatMap(({ title, name, path }) => {
    const named = title ?? name
    return named === undefined || path === undefined ? (named ?? path ?? []) : `${named} (${path})`
  })
  return {
    list: entity.title,
    sources: [...new Set([source.title, ...credits])],
    licences: licences ?? [],
    isSynthetic: source.synthetic,
    digest,
    built,
  }
}
