// Builds a release: every entity from the rows of its source, or from what completes it, used again where nothing of it changed.
import { OperationalError } from '../../base/operational-error.ts'
import { type Catalog, entityData, entityIn, orderedCatalog } from '../../catalog/catalog.ts'
import { type Entity, embedsOf } from '../../catalog/entity.ts'
import { Faults } from '../../source/faults.ts'
import type { Numbering } from '../../source/numbering.ts'
import { type Alias, numberingIn, type Origin, type Source } from '../../source/source.ts'
import { withoutBuiltIn } from '../aliases.ts'
import type { IdRegistry } from '../home/id-registry.ts'
import { newManifest, type ReleasedPackage } from '../manifest.ts'
import { releasedPackage } from '../packages.ts'
import { type Built, buildEntities, type OnProgress } from './build-loop.ts'
import { type Complement, withoutPackages } from './completion.ts'
import { withKnownFacts } from './known-facts.ts'
import { renumberedAliases, renumberedRows } from './renumber-references.ts'

export async function buildRelease(
  source: Source,
  completedBy: Complement,
  directory: string,
  registry: IdRegistry,
  onProgress?: OnProgress,
): Promise<Built> {
  const faults = new Faults()
  const completion = withoutPackages(completedBy, source)
  const catalog = catalogToBuild(source, completion)
  const { provides } = source
  const { entities, findings, directories, rowsOf } = await buildEntities({
    catalog,
    directory,
    registry,
    faults,
    sourceOf: async (entity, digestOf, rowsOf) => {
      const { name } = entity
      const boundaries = source.boundaries?.has(name) ? undefined : completion.boundaries(name)
      if (provides.includes(name))
        return {
          rows: (report) => {
            const rows = source.read(name, report)
            return source.inPassing?.includes(name) ? withKnownFacts(rows, entity, completion) : rows
          },
          expected: source.expected(name),
          boundaries,
        }
      // An entity that others embed and nobody provides has no records.
      if (!completion.provides.includes(name)) return { rows: () => [], expected: undefined }
      return (
        completion.reusable(name, digestOf) ?? {
          rows: (report) => renumberedRows(completion, entity, { catalog, provides, rowsOf }, report),
          expected: completion.expected(name),
          boundaries,
        }
      )
    },
    open: ({ name }) => completion.open(name),
    onProgress,
  })
  const imported = source.aliases?.(faults)
  faults.throwIfAny()
  const numbering = (name: string): Numbering =>
    provides.includes(name) || !completion.provides.includes(name)
      ? numberingIn(source, name)
      : completion.numbering(name)
  const manifest = newManifest({
    built: new Date().toISOString(),
    source: originOfBoth(source, completion, Object.keys(entities)),
    entities,
    numbering,
    findings,
    aliases: aliasesOfBoth(
      source,
      imported,
      await renumberedAliases(completion, { catalog, provides, rowsOf }),
      catalog,
    ),
    packages: packagesOfBoth(source, completion, catalog),
  })
  return { manifest, directories }
}

/** The definitions of the source for what it provides, and the old ones for the rest; in the order of the source, packages last. */
function catalogToBuild(source: Source, completion: Complement): Catalog {
  const definitions = new Map<string, Entity>()
  const isCompleted = (name: string) => !source.provides.includes(name) && completion.provides.includes(name)
  const add = (name: string) => {
    const { catalog } = isCompleted(name) ? completion : source
    const entity = catalog.entities.get(name)
    if (entity === undefined || definitions.has(name)) return
    definitions.set(name, entity)
    for (const [, parent] of embedsOf(entity)) add(parent.name)
  }
  const names = new Set([...source.catalog.entities.keys(), ...completion.catalog.entities.keys()])
  for (const name of names) if (source.provides.includes(name) || isCompleted(name)) add(name)
  // By package, so that it makes no difference which was imported first.
  const placed = [...names].flatMap((name) => definitions.get(name) ?? []).toSorted(byPackage)
  const catalog = orderedCatalog(placed.map(entityData))
  if (catalog.collections.size < catalog.entities.size) throw new SameCollection(catalog)
  return catalog
}

const byPackage = (a: Entity, b: Entity) => {
  const [one = '', other = ''] = [a.package, b.package]
  return one === other ? 0 : one < other ? -1 : 1
}

/** The aliases of a source replace all others; the aliases of a package replace those of its lists only. */
function aliasesOfBoth(
  { packages = [], provides }: Source,
  imported: readonly Alias[] | undefined,
  kept: readonly Alias[] | undefined,
  { entities }: Catalog,
): readonly Alias[] | undefined {
  const own = imported && withoutBuiltIn(imported)
  if (packages.length === 0) return own ?? kept
  const names = [...entities.keys()]
  const all = [...(kept ?? []).filter(({ entity }) => !provides.includes(entity)), ...(own ?? [])]
  return all.toSorted((a, b) => names.indexOf(a.entity) - names.indexOf(b.entity))
}

class SameCollection extends OperationalError {
  constructor({ entities, collections }: Catalog) {
    const lost = [...entities.values()].filter((entity) => collections.get(entity.plural) !== entity)
    super(
      `two lists would be the collection ${lost.map(({ plural }) => plural).join(', ')}; nothing was changed. ` +
        'Name one of them otherwise with nomenclator:collection.',
    )
  }
}

/** By name, so that the order in which packages were imported is no part of a release. */
function packagesOfBoth({ packages = [] }: Source, completion: Complement, catalog: Catalog): ReleasedPackage[] {
  const definitionOf = (list: string) => entityData(entityIn(catalog, list))
  const all = [...packages, ...completion.packages].map((info) => releasedPackage(info, definitionOf))
  return all.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** The origin of both: what completes the source keeps its credit, and invented records stay marked as such. */
function originOfBoth({ origin, provides }: Source, completion: Complement, names: readonly string[]): Origin {
  const completed = names.filter((name) => !provides.includes(name) && completion.provides.includes(name))
  if (completed.length === 0) return origin
  const credits = completion.origin.credits
    .map(({ to, of }) => ({ to, of: of.filter((name) => completed.includes(name)) }))
    .filter(({ of }) => of.length > 0)
  const synthetic = origin.synthetic || completion.origin.synthetic
  return { ...origin, synthetic, credits: [...origin.credits, ...credits] }
}
