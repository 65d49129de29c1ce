// The source that harvests any server of API v1: first all pages are downloaded to disk, then rows are read from there.

import { mkdirSync } from 'node:fs'
import { V1_PATH } from '../../base/api-v1.ts'
import { memoized } from '../../base/memoized.ts'
import { OperationalError } from '../../base/operational-error.ts'
import { entityIn } from '../../catalog/catalog.ts'
import { type CatalogCollection, v1Collections } from '../../catalog/collections.ts'
import { type Entity, embedsOf } from '../../catalog/entity.ts'
import { builtInCatalog } from '../built-in.ts'
import { serviceAddress } from '../requests.ts'
import type { Block, GivenRow, Report, Source } from '../source.ts'
import { PoliteClient, type Politeness } from './client.ts'
import { type HarvestProgress, harvestCollection } from './harvest.ts'
import type { Parents } from './parents.ts'
import { type Harvested, parentsIn, rowsIn } from './rows.ts'

const collections = v1Collections(builtInCatalog)
const ENTITY_NAMES = [...builtInCatalog.entities.keys()]

export type HarvestOptions = Politeness & {
  /** The directory of the pages. With the same directory and URL, an interrupted harvest continues where it stopped. */
  readonly directory: string
  /** The names of the collections to harvest; all by default. */
  readonly only: readonly string[] | undefined
  /** The number of requests that are open at a time. */
  readonly concurrency: number
  /** Called after every page. */
  readonly onProgress: (progress: HarvestProgress) => void
  /** When it is aborted, the harvest throws its reason. */
  readonly signal: AbortSignal | undefined
}

export const HARVEST_DEFAULTS = {
  only: undefined,
  concurrency: 8,
  rate: undefined,
  timeout: 10_000,
  retries: 5,
  backoff: 250,
  onProgress: () => {},
  signal: undefined,
} as const satisfies Partial<HarvestOptions>

type Harvest = {
  readonly source: Source
  /** Removes the pages from disk: to be called after the source has been read or was refused. */
  readonly discard: () => void
}

export async function harvestV1(url: string, options: HarvestOptions): Promise<Harvest> {
  const base = serviceAddress(url, V1_PATH)
  const chosen = chosenCollections(options.only)
  const { directory, concurrency, onProgress, signal = new AbortController().signal } = options
  if (!(Number.isInteger(concurrency) && concurrency > 0)) throw new RangeError(`concurrency cannot be ${concurrency}`)
  mkdirSync(directory, { recursive: true })
  const harvesting = { base, directory, concurrency, onProgress, signal, client: new PoliteClient(options) }
  const harvest: Harvested[] = []
  for (const collection of chosen)
    harvest.push({ base, collection, file: await harvestCollection(collection, harvesting) })
  const discard = () => {
    for (const { file } of harvest) file.remove()
  }
  return { source: liveV1Source(base, harvest), discard }
}

/** The collections to harvest, in the order of the entities. */
function chosenCollections(only: readonly string[] | undefined): readonly CatalogCollection[] {
  const names = collections.map(({ name }) => name)
  const unknown = only?.find((name) => !names.includes(name))
  if (unknown !== undefined)
    throw new OperationalError(`there is no collection ${unknown}; there are: ${names.join(', ')}`)
  const chosen = only === undefined ? collections : collections.filter(({ name }) => only.includes(name))
  return chosen.toSorted((a, b) => ENTITY_NAMES.indexOf(a.entity) - ENTITY_NAMES.indexOf(b.entity))
}

function liveV1Source(base: string, harvest: readonly Harvested[]): Source {
  const provides = providedBy(harvest)
  const parentsOf = memoized(parentsIn)
  const harvestedOf = (name: string) => harvest.find(({ collection }) => collection.entity === name)
  return {
    origin: { kind: 'v1', title: base, synthetic: false, credits: [], options: { url: base } },
    catalog: builtInCatalog,
    provides,
    expected: (name) => harvestedOf(name)?.file.size.total,
    read: (name, report: Report): Iterable<Block> => {
      const harvested = harvestedOf(name)
      if (harvested === undefined && !provides.includes(name)) return []
      const [entity, known] = [entityIn(builtInCatalog, name), parentsOf(harvest)]
      const blocks = harvested === undefined ? parentRows(entity, known) : rowsIn(harvested, known, report)
      return withCodes(entity, blocks, known, provides)
    },
  }
}

function* parentRows(entity: Entity, parents: Parents): Generator<Block> {
  for (const { row, location } of parents.list(entity))
    yield { file: location.file, lines: [location.line], rows: [row] }
}

/** Rows refer by code to records that were not harvested: those come from elsewhere, with other identifiers. */
function* withCodes(entity: Entity, blocks: Iterable<Block>, parents: Parents, provides: readonly string[]) {
  const foreign = embedsOf(entity).filter(([, { name }]) => !provides.includes(name))
  const withCodesOf = (row: GivenRow): GivenRow => ({
    ...row,
    ...Object.fromEntries(foreign.map(([field, parent]) => [field, parents.codeOf(parent, row[field] as number)])),
  })
  for (const block of blocks) yield foreign.length === 0 ? block : { ...block, rows: block.rows.map(withCodesOf) }
}

const withCollection = new Set<string>(collections.map(({ entity }) => entity))

/** The harvested entities, and parents that are published only as embedded records. */
function providedBy(harvest: readonly Harvested[]): readonly string[] {
  const provided = new Set<string>()
  const add = (entity: Entity) => {
    provided.add(entity.name)
    for (const [, parent] of embedsOf(entity)) if (!withCollection.has(parent.name)) add(parent)
  }
  for (const { collection } of harvest) add(entityIn(builtInCatalog, collection.entity))
  return ENTITY_NAMES.filter((name) => provided.has(name))
}
