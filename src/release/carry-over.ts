// What a source does not provide is taken over from the release before, so that an import replaces only what it brings.
import { type EntityName, entities, entityNames } from '../catalog/entities.ts'
import { flatten } from '../catalog/flatten.ts'
import type { Block, GivenRow, Origin, Source } from '../source/source.ts'
import type { StoredRelease } from './release.ts'
import { scanPages } from './scan.ts'

const BLOCK = 1_000

/** The records of a release as a source. */
export function releaseSource(release: StoredRelease): Source {
  return {
    origin: release.manifest.source,
    provides: entityNames,
    expected: (name) => release.manifest.entities[name].count,
    read: (name) => readBlocks(release, name),
  }
}

function* readBlocks(release: StoredRelease, name: EntityName): Generator<Block> {
  const file = `release ${release.manifest.digest.slice(0, 12)}, ${name}`
  let rows: GivenRow[] = []
  let position = 0
  const block = (): Block => ({ file, rows, lines: rows.map((_, index) => position - rows.length + index + 1) })
  for (const page of scanPages(release.directory, name)) {
    for (const record of page) rows.push(flatten(entities[name], record))
    position += page.length
    if (rows.length < BLOCK) continue
    yield block()
    rows = []
  }
  yield block()
}

/** A source that provides everything: what the first does not give comes from the second. */
export function completed(source: Source, rest: Source): Source {
  const from = (name: EntityName) => (source.provides.includes(name) ? source : rest)
  const carried = entityNames.filter((name) => from(name) === rest)
  return {
    origin: carried.length === 0 ? source.origin : originOfBoth(source.origin, rest.origin, carried),
    provides: entityNames,
    expected: (name) => from(name).expected(name),
    read: (name, report) => from(name).read(name, report),
  }
}

/** What is carried over keeps its credit, and invented records stay marked as such. */
function originOfBoth(origin: Origin, rest: Origin, carried: readonly EntityName[]): Origin {
  const kept = rest.credits
    .map(({ to, of }) => ({ to, of: of.filter((name) => carried.includes(name)) }))
    .filter(({ of }) => of.length > 0)
  return { ...origin, synthetic: origin.synthetic || rest.synthetic, credits: [...origin.credits, ...kept] }
}
