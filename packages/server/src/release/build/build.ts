// Builds a release: every entity from its rows, or carried over from the release before where nothing of it changed.
import { type Catalog, completedCatalog, entityData, entityIn, orderedCatalog } from '../../catalog/catalog.ts'
import { type Entity, embedsOf, type Values } from '../../catalog/entity.ts'
import { Faults } from '../../source/faults.ts'
import type { Block, Origin, Source } from '../../source/source.ts'
import { withoutBuiltIn } from '../aliases.ts'
import { scanEntity } from '../files/scan.ts'
import type { IdRegistry } from '../home/id-registry.ts'
import { type Manifest, newManifest, type ReleasedEntity } from '../manifest.ts'
import type { OpenEntity, Release, StoredEntity } from '../release.ts'
import { type BuiltEntities, buildEntities, type DigestOf, type OnProgress } from './build-loop.ts'

/** The release that is built upon. */
export type Base = {
  readonly release: Release
  /** An entity of it whose content has been verified, since what is read from it is written under a new digest. */
  readonly verified: (name: string) => Promise<OpenEntity>
}

export type Built = Pick<BuiltEntities, 'directories'> & { readonly manifest: Manifest }

export async function buildRelease(
  source: Source,
  base: Base | undefined,
  directory: string,
  registry: IdRegistry,
  onProgress?: OnProgress,
): Promise<Built> {
  const faults = new Faults()
  const { entities, findings, directories } = await buildEntities({
    catalog: catalogToBuild(source, base?.release),
    directory,
    registry,
    faults,
    sourceOf: async ({ name }, digestOf) => {
      if (source.provides.includes(name))
        return { rows: (report) => source.read(name, report), expected: source.expected(name) }
      const stored = storedIn(base?.release, name)
      // What nobody provides and no release has is an entity without records that others embed.
      if (base === undefined || stored === undefined) return { rows: () => [], expected: undefined }
      const { manifest } = base.release
      if (isCarriedOver(stored, digestOf))
        return {
          released: manifest.entities[name] as ReleasedEntity,
          findings: manifest.findings.filter(({ entity }) => entity === name),
        }
      return { rows: async () => storedRows(await base.verified(name)), expected: stored.count }
    },
    open: ({ name }) => (base as Base).verified(name),
    onProgress,
  })
  const imported = source.aliases?.(faults)
  faults.throwIfAny()
  const manifest = newManifest({
    built: new Date().toISOString(),
    source: originOfBoth(source, base?.release.manifest.source, Object.keys(entities)),
    entities,
    findings,
    aliases: imported === undefined ? base?.release.manifest.aliases : withoutBuiltIn(imported),
  })
  return { manifest, directories }
}

/** What the source provides as it defines it, and the rest as it was; in the order of the source's definitions. */
function catalogToBuild({ catalog, provides }: Source, base: Release | undefined): Catalog {
  const definitions = new Map<string, Entity>()
  const add = (name: string) => {
    const stored = provides.includes(name) ? undefined : storedIn(base, name)
    const entity = stored?.definition ?? catalog.entities.get(name)
    if (entity === undefined || definitions.has(name)) return
    definitions.set(name, entity)
    for (const [, parent] of embedsOf(entity)) add(parent.name)
  }
  const names = new Set([...catalog.entities.keys(), ...(base?.catalog.entities.keys() ?? [])])
  for (const name of names) if (provides.includes(name) || storedIn(base, name) !== undefined) add(name)
  return orderedCatalog([...names].flatMap((name) => definitions.get(name) ?? []).map(entityData))
}

const storedIn = (base: Release | undefined, name: string): OpenEntity | undefined =>
  base?.catalog.entities.has(name) && base.entity(name).stored !== undefined ? base.entity(name) : undefined

/** Rows and definition are as they were; so must be the entities that the records and the index are made from. */
const isCarriedOver = ({ stored }: OpenEntity, digestOf: DigestOf): boolean =>
  Object.entries(stored?.manifest.parents ?? {}).every(([name, digest]) => digestOf(name) === digest)

const BLOCK = 1_000

/** The rows of an entity that is on disk. */
export function storedRows({ definition, stored }: OpenEntity): Generator<Block> {
  const { digest } = stored as StoredEntity
  return blocksOf(scanEntity(definition, stored as StoredEntity), `entity ${digest.slice(0, 12)}, ${definition.name}`)
}

/** Rows in blocks, under the name that faults give them. */
export function* blocksOf(pages: Iterable<readonly Values[]>, file: string): Generator<Block> {
  let rows: Values[] = []
  let position = 0
  const block = (): Block => ({ file, rows, lines: rows.map((_, index) => position - rows.length + index + 1) })
  for (const page of pages) {
    rows.push(...page)
    position += page.length
    if (rows.length < BLOCK) continue
    yield block()
    rows = []
  }
  yield block()
}

/** What is carried over keeps its credit, and invented records stay marked as such. */
function originOfBoth({ origin, provides }: Source, rest: Origin | undefined, names: readonly string[]): Origin {
  const carried = names.filter((name) => !provides.includes(name))
  if (rest === undefined || carried.length === 0) return origin
  const credits = rest.credits
    .map(({ to, of }) => ({ to, of: of.filter((name) => carried.includes(name)) }))
    .filter(({ of }) => of.length > 0)
  return { ...origin, synthetic: origin.synthetic || rest.synthetic, credits: [...origin.credits, ...credits] }
}

/** A source that provides everything: what the first does not give comes from the second. */
export function completedSource(source: Source, rest: Source): Source {
  const from = (name: string) => (source.provides.includes(name) ? source : rest)
  const provided = source.provides.map((name) => entityData(entityIn(source.catalog, name)))
  return {
    origin: originOfBoth(source, rest.origin, rest.provides),
    catalog: completedCatalog(provided, rest.catalog),
    provides: [...new Set([...source.provides, ...rest.provides])],
    expected: (name) => from(name).expected(name),
    ...(source.aliases === undefined ? {} : { aliases: source.aliases }),
    read: (name, report) => from(name).read(name, report),
  }
}
