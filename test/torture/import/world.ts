// Two catalogs of which no page is alike, as directories to import and as the releases that must come of them.
import { join } from 'node:path'
import { entityIn } from '../../../packages/server/src/catalog/catalog.ts'
import type { Release } from '../../../packages/server/src/release/release.ts'
import { builtInCatalog } from '../../../packages/server/src/source/built-in.ts'
import { bundledSource } from '../../../packages/server/src/source/bundled.ts'
import { Faults } from '../../../packages/server/src/source/faults.ts'
import { Findings } from '../../../packages/server/src/source/findings.ts'
import type { Block, GivenRow } from '../../../packages/server/src/source/source.ts'
import { syntheticSource } from '../../../packages/server/src/source/synthetic/synthetic.ts'
import { collections } from '../../support/built-in.ts'
import { type Rows, sourceIn, TestDirectory, TestHome, writeTables } from '../../support/releases.ts'

export type Side = { readonly letter: 'A' | 'B'; readonly directory: string; readonly release: Release }
export type World = { readonly a: Side; readonly b: Side } & Disposable

const EACH_PLACE = 10

/** How many records of some entities there are to be at most. */
export type Limits = Readonly<Record<string, number>>

const synthetic = syntheticSource({ seed: 1, scale: 1 })

/** The invented catalog with only the first of its records: of every kind, and quick to import. */
function rowsOf(name: string, limits: Limits): GivenRow[] {
  const report = { faults: new Faults(), findings: new Findings() }
  const most = limits[name] ?? Number.POSITIVE_INFINITY
  const rows: GivenRow[] = []
  for (const block of synthetic.read(name, report) as Iterable<Block>) {
    rows.push(...block.rows)
    if (rows.length >= most) break
  }
  return rows.slice(0, most)
}

/** The same records under other names: every page changes, and no identifier does. */
function renamed(name: string, rows: readonly GivenRow[]): GivenRow[] {
  const fields = Object.entries(entityIn(builtInCatalog, name).fields).filter(([, { kind }]) => kind === 'name')
  return rows.map((row) => ({
    ...row,
    ...Object.fromEntries(fields.map(([field]) => [field, `${row[field]} II`])),
  }))
}

export async function createWorld(limits: Limits): Promise<World> {
  const room = new TestDirectory()
  const rowsByName = (rows: (name: string) => GivenRow[]): Rows =>
    Object.fromEntries(synthetic.provides.map((name) => [name, rows(name)]))
  const first = rowsByName((name) => rowsOf(name, limits))
  const second = rowsByName((name) => renamed(name, first[name] ?? []))
  const side = async (letter: Side['letter'], rows: Rows): Promise<Side> => {
    const directory = writeTables(join(room.path, letter), rows)
    // Mapped into memory, it can be read when the home is gone.
    using home = new TestHome()
    // As the command does, which completes the catalog with what the directory lacks.
    await home.import(await sourceIn(directory), { fallback: bundledSource() })
    return { letter, directory, release: home.current() }
  }
  return { a: await side('A', first), b: await side('B', second), [Symbol.dispose]: () => room[Symbol.dispose]() }
}

/** Some pages of each collection: the first, the last, and some between. */
export function samplePages({
  release,
}: Side): { readonly path: string; readonly entity: string; readonly page: number }[] {
  const lists = collections.filter(({ entity }) => release.entity(entity).count > 0)
  return lists.flatMap(({ path, entity }) => {
    const { pages } = release.entity(entity).records
    const step = Math.max(1, Math.floor(pages / EACH_PLACE))
    const numbers = new Set([pages, ...Array.from({ length: Math.ceil(pages / step) }, (_, at) => 1 + at * step)])
    return [...numbers].map((page) => ({ path, entity, page }))
  })
}
