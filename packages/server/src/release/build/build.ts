// Builds a release: every entity from its rows, or carried over from the release before where nothing of it changed.
import { join } from 'node:path'
import { type Catalog, completedCatalog, entityData, entityIn, orderedCatalog } from '../../catalog/catalog.ts'
import { type Entity, embedsOf, type Values } from '../../catalog/entity.ts'
import { Faults } from '../../source/faults.ts'
import { Findings } from '../../source/findings.ts'
import type { Block, Origin, Source } from '../../source/source.ts'
import { withoutBuiltIn } from '../aliases.ts'
import { scanEntity } from '../files/scan.ts'
import type { IdRegistry } from '../home/id-registry.ts'
import { type Manifest, type ReleasedEntity, type ReleaseFinding, releaseDigest, thisVersion } from '../manifest.ts'
import type { OpenEntity, Release, StoredEntity } from '../release.ts'
import { buildEntity } from './entity-build.ts'
import { ParentRecords } from './parent-records.ts'

/** Called now and then with how far the build is. */
export type OnProgress = (collection: string, done: number, expected: number | undefined) => void

/** The release that is built upon. */
export type Base = {
  readonly release: Release
  /** An entity of it whose content has been verified, since what is read from it is written under a new digest. */
  readonly verified: (name: string) => Promise<OpenEntity>
}

export type Built = {
  readonly manifest: Manifest
  /** Where the entities are that were built anew, by their digests. */
  readonly directories: ReadonlyMap<string, string>
}

export async function buildRelease(
  source: Source,
  base: Base | undefined,
  directory: string,
  registry: IdRegistry,
  onProgress: OnProgress = () => {},
): Promise<Built> {
  const catalog = catalogOfBoth(source, base?.release)
  const parents = new ParentRecords(catalog)
  const faults = new Faults()
  const entities: Record<string, ReleasedEntity> = {}
  const findings: ReleaseFinding[] = []
  const directories = new Map<string, string>()
  const carried = new Set<string>()
  for (const [name, definition] of catalog.entities) {
    const isProvided = source.provides.includes(name)
    const stored = isProvided ? undefined : storedIn(base?.release, name)
    if (base !== undefined && stored !== undefined && isCarriedOver(stored, entities)) {
      entities[name] = base.release.manifest.entities[name] as ReleasedEntity
      findings.push(...base.release.manifest.findings.filter(({ entity }) => entity === name))
      carried.add(name)
      continue
    }
    for (const [, parent] of embedsOf(definition))
      if (carried.has(parent.name) && !parents.has(parent)) parents.load(await (base as Base).verified(parent.name))
    const report = { faults, findings: new Findings() }
    const expected = isProvided ? source.expected(name) : stored?.count
    const unprovided = stored === undefined ? [] : storedRows(await (base as Base).verified(name))
    const built = await buildEntity(
      definition,
      isProvided ? source.read(name, report) : unprovided,
      join(directory, name),
      {
        parents,
        digestOf: (parent) => (entities[parent] as ReleasedEntity).digest,
        registry,
        report,
        expected,
        onProgress: (done) => onProgress(definition.plural, done, expected),
      },
    )
    // Rows of later entities are checked too, so that all faults are reported at once.
    entities[name] = built ?? NOT_BUILT
    if (built !== undefined) directories.set(built.digest, join(directory, name))
    findings.push(...report.findings.list().map((finding) => ({ ...finding, entity: name })))
  }
  const given = source.aliases?.(faults)
  faults.throwIfAny()
  const aliases = given === undefined ? base?.release.manifest.aliases : withoutBuiltIn(given)
  const manifest: Manifest = {
    digest: releaseDigest(entities, aliases),
    built: new Date().toISOString(),
    source: originOfBoth(source, base?.release.manifest.source, Object.keys(entities)),
    versions: thisVersion(),
    entities,
    findings,
    ...(aliases === undefined || aliases.length === 0 ? {} : { aliases }),
  }
  return { manifest, directories }
}

const NOT_BUILT: ReleasedEntity = { format: 0, collection: '', digest: '', count: 0, records: '', bytes: 0 }

/** What the source provides as it defines it, and the rest as it was; in the order of the source's definitions. */
function catalogOfBoth({ catalog, provides }: Source, base: Release | undefined): Catalog {
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

/** Its rows and its definition are as they were; so must be the entities that its records and its index are made from. */
function isCarriedOver({ stored }: OpenEntity, entities: Readonly<Record<string, ReleasedEntity>>): boolean {
  const parents = Object.entries(stored?.manifest.parents ?? {})
  return parents.every(([name, digest]) => entities[name]?.digest === digest)
}

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
  const kept = rest.credits
    .map(({ to, of }) => ({ to, of: of.filter((name) => carried.includes(name)) }))
    .filter(({ of }) => of.length > 0)
  return { ...origin, synthetic: origin.synthetic || rest.synthetic, credits: [...origin.credits, ...kept] }
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
