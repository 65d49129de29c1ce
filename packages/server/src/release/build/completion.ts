// The complement of a source: what it does not provide, from the current release or, without one, from the bundled data.
import { OperationalError } from '../../base/operational-error.ts'
import { type Catalog, entityIn } from '../../catalog/catalog.ts'
import { type Entity, embedsOf, type Values } from '../../catalog/entity.ts'
import { Faults } from '../../source/faults.ts'
import { Findings } from '../../source/findings.ts'
import type { Numbering } from '../../source/numbering.ts'
import { type Alias, type Block, numberingIn, type Origin, type Report, type Source } from '../../source/source.ts'
import type { WriteBoundaries } from '../boundaries/boundary-levels.ts'
import { scanEntity } from '../files/scan.ts'
import { numberingOf, type ReleasedEntity, type ReleasedPackage } from '../manifest.ts'
import type { DamagedRelease, OpenEntity, Release, StoredEntity } from '../release.ts'
import type { Blocks, DigestOf, ReusableEntity } from './build-loop.ts'
import { keptBoundaries } from './entity-boundaries.ts'
import { type RowsOf, rowsInCode } from './official-code.ts'

/** The release that is built upon. */
export type BuiltUpon = {
  readonly release: Release
  /** An entity of it whose content has been verified, since what is read from it is written under a new digest. */
  readonly verified: (name: string) => Promise<OpenEntity>
  /** The damage of an entity, whose files are read for that once. */
  readonly damageOf: (name: string) => Promise<DamagedRelease | undefined>
}

export type Complement = {
  /** How it is called where it is at fault. */
  readonly title: string
  readonly origin: Origin
  readonly catalog: Catalog
  readonly provides: readonly string[]
  readonly aliases: readonly Alias[] | undefined
  readonly packages: readonly ReleasedPackage[]
  readonly numbering: (name: string) => Numbering
  readonly expected: (name: string) => number | undefined
  readonly read: (name: string, report: Report) => Blocks | Promise<Blocks>
  /** The entity as it is, where nothing that it embeds has changed. */
  readonly reusable: (name: string, digestOf: DigestOf) => ReusableEntity | undefined
  readonly open: (name: string) => Promise<OpenEntity>
  /** The boundaries that an entity keeps when its records are built anew. */
  readonly boundaries: (name: string) => WriteBoundaries | undefined
}

export const completionBySource = (source: Source): Complement => ({
  title: 'the bundled data',
  origin: source.origin,
  catalog: source.catalog,
  provides: source.provides,
  aliases: undefined,
  packages: [],
  numbering: (name) => numberingIn(source, name),
  expected: source.expected,
  read: source.read,
  reusable: () => undefined,
  open: (name) => Promise.reject(new Error(`${name} is not on disk`)),
  boundaries: () => undefined,
})

export function completionByRelease({ release, verified }: BuiltUpon): Complement {
  const { manifest, catalog, entity } = release
  return {
    title: 'the current release',
    origin: manifest.source,
    catalog,
    provides: [...catalog.entities.keys()].filter((name) => entity(name).stored !== undefined),
    aliases: manifest.aliases,
    packages: manifest.packages ?? [],
    numbering: (name) => numberingOf(manifest, name),
    expected: (name) => entity(name).count,
    read: async (name) => storedRows(await verified(name)),
    reusable: (name, digestOf) => {
      // Rows and definition are as they were; so must be the entities that the records and the index are made from.
      const parents = Object.entries(entity(name).stored?.manifest.parents ?? {})
      if (!parents.every(([parent, digest]) => digestOf(parent) === digest)) return undefined
      const released = manifest.entities[name] as ReleasedEntity
      return { released, findings: manifest.findings.filter((finding) => finding.entity === name) }
    },
    open: verified,
    boundaries: (name) => {
      const { stored } = catalog.entities.has(name) ? entity(name) : {}
      return stored && keptBoundaries(stored.directory, stored.manifest.files)
    },
  }
}

/** A completion without the lists of some packages, but for those that the source provides in their place. */
export function withoutPackages(completion: Complement, source: Source): Complement {
  const { replaces = [], provides } = source
  if (replaces.length === 0) return completion
  const isGone = ({ name, package: of }: Entity) =>
    of !== undefined && replaces.includes(of) && !provides.includes(name)
  const gone = [...completion.catalog.entities.values()].filter(isGone)
  refuseIfNeeded(completion, gone, provides)
  const names = new Set(gone.map(({ name }) => name))
  return {
    ...completion,
    provides: completion.provides.filter((name) => !names.has(name)),
    packages: completion.packages.filter(({ name }) => !replaces.includes(name)),
  }
}

/** A list that others embed does not go without them. */
function refuseIfNeeded({ catalog, provides }: Complement, gone: readonly Entity[], replaced: readonly string[]): void {
  const stays = [...catalog.entities.values()].filter(
    (entity) => provides.includes(entity.name) && !gone.includes(entity) && !replaced.includes(entity.name),
  )
  const needed = stays.flatMap((entity) =>
    embedsOf(entity).flatMap(([, { name }]) => {
      const parent = gone.find((one) => one.name === name)
      return parent === undefined ? [] : [{ entity, parent }]
    }),
  )
  if (needed.length > 0) throw new ListInUse(needed)
}

class ListInUse extends OperationalError {
  constructor(needed: readonly { readonly entity: Entity; readonly parent: Entity }[]) {
    const lines = needed.map(
      ({ entity, parent }) =>
        `  ${entity.plural}${entity.package === undefined ? '' : ` of package ${entity.package}`} refers to ${parent.plural}\n`,
    )
    const packages = new Set(needed.flatMap(({ entity }) => entity.package ?? []))
    super(
      `other lists refer to what would be gone:\n${lines.join('')}Nothing was changed. ` +
        (packages.size === 0 ? 'Import these lists without the references first.' : '') +
        [...packages].map((name) => `Take out ${name} first with nomenclator remove ${name}.`).join(' '),
    )
  }
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

/** The records of a completion that give the official code of an entity. */
export const rowsOfCompletion = (completion: Complement, name: string): Promise<RowsOf> =>
  rowsInCode(entityIn(completion.catalog, name), async (entity) =>
    completion.read(entity.name, { faults: new Faults(), findings: new Findings() }),
  )
