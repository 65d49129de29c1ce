// The packages of a release: what it keeps of them, and whom they credit.
import { OperationalError } from '../base/operational-error.ts'
import type { Catalog, EntityData } from '../catalog/catalog.ts'
import { definitionsDigest } from '../catalog/definitions-digest.ts'
import { slugOf } from '../catalog/slug.ts'
import type { PackageInfo } from '../source/package/package-info.ts'
import type { Source } from '../source/source.ts'
import type { ReleasedPackage } from './manifest.ts'
import type { Release } from './release.ts'

/** The entry of a package in a release; `definitionOf` gives the definitions of its lists. */
export function releasedPackage(info: PackageInfo, definitionOf: (list: string) => EntityData): ReleasedPackage {
  return { ...info, definitions: definitionsDigest(info.lists.map(definitionOf)) }
}

/** A source that takes a package out of a release: it brings nothing, and everything else stays. */
export function removalOf({ manifest, catalog }: Release, name: string): Source {
  const rest = Object.keys(manifest.entities).filter((list) => catalog.entities.get(list)?.package !== name)
  if (rest.length === 0)
    throw new OperationalError(
      `nothing would be left without package ${name}; nothing was changed. Import what is to take its place first.`,
    )
  return {
    // Everything that stays keeps its credit.
    origin: { ...manifest.source, credits: [] },
    catalog,
    provides: [],
    replaces: [name],
    expected: () => undefined,
    read: () => [],
  }
}

/** No collection has a longer name. */
const MAX_SLUG = 64

/**
 * Returns a test for names of lists and collections that a package cannot have, since others have them. A list that had the name of its
 * package put before it keeps it, also when there is no need any more.
 */
export function takenIn({ entities }: Pick<Catalog, 'entities'>, packageName: string): (slug: string) => boolean {
  const all = [...entities.values()]
  const others = all.filter((entity) => entity.package !== packageName)
  const own = new Set(all.filter((entity) => entity.package === packageName).map(({ plural }) => plural))
  const taken = new Set(others.flatMap(({ name, plural }) => [name, plural]))
  const withPackage = (slug: string) => `${slugOf(packageName, '-')}-${slug}`.slice(0, MAX_SLUG)
  return (slug) => taken.has(slug) || (own.has(withPackage(slug)) && !own.has(slug))
}
