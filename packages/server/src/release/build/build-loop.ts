// The loop that builds a release: entity by entity, each after those that it embeds, used again as it is or built from rows.
import { join } from 'node:path'
import type { Catalog } from '../../catalog/catalog.ts'
import { type Entity, embedsOf } from '../../catalog/entity.ts'
import type { Faults } from '../../source/faults.ts'
import { type Finding, Findings } from '../../source/findings.ts'
import type { Block, Report } from '../../source/source.ts'
import type { WriteBoundaries } from '../boundaries/boundary-levels.ts'
import type { IdRegistry } from '../home/id-registry.ts'
import { embeddedDigest, type Manifest, type ReleasedEntity, type ReleaseFinding } from '../manifest.ts'
import type { OpenEntity } from '../release.ts'
import { buildEntity } from './entity-build.ts'
import { entitiesInCode, type RowsOf } from './official-code.ts'
import { ParentRecords } from './parent-records.ts'
import { entitiesOnPaths } from './record-findings.ts'

/** Called now and then with how far the build is. */
export type OnProgress = (collection: string, done: number, expected: number | undefined) => void

/** The digest of an entity that comes before in the order of the catalog. */
export type DigestOf = (name: string) => string

/** An entity that is there already, down to its index, with the findings about it. */
export type ReusableEntity = {
  readonly released: ReleasedEntity
  readonly findings: readonly Finding[]
}

export type Blocks = AsyncIterable<Block> | Iterable<Block>

/** An entity that has to be built. */
type RowsOfEntity = {
  readonly rows: (report: Report) => Blocks | Promise<Blocks>
  /** The number of rows to expect; undefined if the source cannot say. */
  readonly expected: number | undefined
  readonly boundaries?: WriteBoundaries | undefined
  /** Called with what was built; undefined where the rows are faulty. */
  readonly onBuilt?: (released: ReleasedEntity | undefined, findings: readonly Finding[]) => void | Promise<void>
}

type BuildPlan = {
  readonly catalog: Catalog
  /** Each entity that is built gets a directory of its own in it. */
  readonly directory: string
  readonly registry: IdRegistry
  readonly faults: Faults
  /** `rowsOf` has the records of the entities that it embeds, once the rows are read. */
  readonly sourceOf: (entity: Entity, digestOf: DigestOf, rowsOf: RowsOf) => Promise<ReusableEntity | RowsOfEntity>
  /** Opens an entity that was used again, because one that is built embeds its records. */
  readonly open: (entity: Entity, digest: string) => OpenEntity | Promise<OpenEntity>
  readonly onProgress: OnProgress | undefined
}

/** A release that was built, and the directories of its entities that are new, by their digests. */
export type Built = { readonly manifest: Manifest; readonly directories: ReadonlyMap<string, string> }

type BuiltEntities = Pick<Built, 'directories'> & {
  readonly entities: Readonly<Record<string, ReleasedEntity>>
  readonly findings: readonly ReleaseFinding[]
  /** The records of those that others embed and that were built, or read because of it. */
  readonly rowsOf: RowsOf
}

/** Faults are left to the caller: the rows of later entities are checked too, so that all are reported at once. */
export async function buildEntities(plan: BuildPlan): Promise<BuiltEntities> {
  const { catalog, registry, faults, onProgress } = plan
  const parents = new ParentRecords(catalog)
  const entities: Record<string, ReleasedEntity> = {}
  const findings: ReleaseFinding[] = []
  const directories = new Map<string, string>()
  const reused = new Set<string>()
  const digestOf: DigestOf = (name) => embeddedDigest(entities[name] as ReleasedEntity)
  const add = (name: string, { released, findings: ofEntity }: ReusableEntity) => {
    entities[name] = released
    findings.push(...ofEntity.map((finding) => ({ ...finding, entity: name })))
  }
  for (const [name, entity] of catalog.entities) {
    const source = await plan.sourceOf(entity, digestOf, parents.rowsOf)
    if ('released' in source) {
      add(name, source)
      reused.add(name)
      continue
    }
    for (const ancestor of ancestorsRead(entity))
      if (reused.has(ancestor.name) && !parents.has(ancestor))
        parents.load(await plan.open(ancestor, (entities[ancestor.name] as ReleasedEntity).digest))
    const directory = join(plan.directory, name)
    const report = { faults, findings: new Findings() }
    const { expected, boundaries } = source
    const released = await buildEntity(entity, await source.rows(report), directory, {
      parents,
      digestOf,
      registry,
      report,
      expected,
      boundaries,
      onProgress: (done) => onProgress?.(entity.plural, done, expected),
    })
    const ofEntity = report.findings.list()
    await source.onBuilt?.(released, ofEntity)
    add(name, { released: released ?? NOT_BUILT, findings: ofEntity })
    if (released !== undefined) directories.set(released.digest, directory)
  }
  return { entities, findings, directories, rowsOf: parents.rowsOf }
}

/** The entities whose records are needed to prepare and check the rows of another. */
const ancestorsRead = (entity: Entity): Entity[] => [
  ...embedsOf(entity).flatMap(([, parent]) => entitiesInCode(parent)),
  ...entitiesOnPaths(entity),
]

/** Stands for an entity with faulty rows until the faults are thrown. */
const NOT_BUILT: ReleasedEntity = { format: 0, collection: '', digest: '', count: 0, records: '', bytes: 0 }
