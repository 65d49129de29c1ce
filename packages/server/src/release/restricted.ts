// The lists whose licence forbids to pass them on, and releases without them.
import { catalogOf } from '../catalog/catalog.ts'
import { embedsOf } from '../catalog/entity.ts'
import { type Manifest, newManifest, numberingOf } from './manifest.ts'
import { Release } from './release.ts'

export const hasRestricted = ({ packages = [] }: Pick<Manifest, 'packages'>): boolean =>
  packages.some(({ restricted }) => restricted === true)

/** The lists of packages that are restricted, or that embed records of such a list. */
export function restrictedLists({ manifest: { packages = [] }, catalog }: Release): ReadonlySet<string> {
  const restricted = new Set<string>()
  const embedsOne = (list: string) => {
    const entity = catalog.entities.get(list)
    return entity !== undefined && embedsOf(entity).some(([, { name }]) => restricted.has(name))
  }
  let before = -1
  while (before < restricted.size) {
    before = restricted.size
    for (const one of packages)
      if (one.restricted === true || one.lists.some(embedsOne)) for (const list of one.lists) restricted.add(list)
  }
  return restricted
}

/** The release of all lists but some, which has another digest. */
export function releaseWithout(release: Release, lists: ReadonlySet<string>): Release {
  const { manifest, catalog } = release
  const { built, source, entities, findings, aliases = [], packages = [] } = manifest
  const isKept = (list: string) => !lists.has(list)
  const kept = newManifest({
    built,
    source: {
      ...source,
      credits: source.credits.flatMap(({ to, of }) => (of.some(isKept) ? { to, of: of.filter(isKept) } : [])),
    },
    entities: Object.fromEntries(Object.entries(entities).filter(([name]) => isKept(name))),
    findings: findings.filter(({ entity }) => entity === undefined || isKept(entity)),
    aliases: aliases.filter(({ entity }) => isKept(entity)),
    packages: packages.filter((one) => one.lists.every(isKept)),
    numbering: (name) => numberingOf(manifest, name),
  })
  const names = [...catalog.entities.keys()].filter(isKept)
  return new Release(
    { ...kept, versions: manifest.versions },
    catalogOf([...catalog.entities.values()].filter(({ name }) => isKept(name))),
    new Map(names.map((name) => [name, release.entity(name)])),
  )
}

/** The line that says which lists are left out, and why; undefined where none are. */
export const leftOutLine = (lists: readonly string[]): string | undefined =>
  lists.length === 0
    ? undefined
    : `Left out: ${lists.join(', ')}, whose licence forbids to pass them on. Among machines of one institution, give --include-restricted.`
