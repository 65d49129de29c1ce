// The source that harvests any server of API v1: all pages are brought to disk first, then rows are read from there.
import { mkdirSync } from 'node:fs'
import { type Collection, collections, V1_PATH } from '../../catalog/collections.ts'
import { builtInCatalog, type EntityName, entities, entityNames } from '../../catalog/entities.ts'
import { type Entity, embedsOf } from '../../catalog/entity.ts'
import { Failure } from '../../failure.ts'
import type { Block, Report, Source } from '../source.ts'
import { PoliteClient, type Politeness } from './fetch.ts'
import { type HarvestProgress, harvestCollection } from './harvest.ts'
import type { Parents } from './parents.ts'
import { type Harvested, parentsIn, rowsIn } from './rows.ts'

export type HarvestOptions = Politeness & {
  /** Where the pages are kept. After an interruption, the same directory and URL continue where it stopped. */
  readonly directory: string
  /** The names of the collections to harvest; all five unless told. */
  readonly only: readonly string[] | undefined
  /** How many requests are under way at a time. */
  readonly concurrency: number
  /** Called for every page. */
  readonly onProgress: (progress: HarvestProgress) => void
  /** When it is aborted, the harvest ends with its reason. */
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

export type Harvest = {
  readonly source: Source
  /** Removes the pages from disk: to be called when the source has been read, or was found faulty. */
  readonly discard: () => void
}

export async function harvestV1(url: string, options: HarvestOptions): Promise<Harvest> {
  const base = baseOf(url)
  const wanted = chosen(options.only)
  const { directory, concurrency, onProgress, signal = new AbortController().signal } = options
  if (!(Number.isInteger(concurrency) && concurrency > 0)) throw new RangeError(`concurrency cannot be ${concurrency}`)
  mkdirSync(directory, { recursive: true })
  const harvesting = { base, directory, concurrency, onProgress, signal, client: new PoliteClient(options) }
  const harvest: Harvested[] = []
  for (const collection of wanted)
    harvest.push({ base, collection, file: await harvestCollection(collection, harvesting) })
  const discard = () => {
    for (const { file } of harvest) file.remove()
  }
  return { source: liveV1Source(base, harvest), discard }
}

/** In the order of the entities. */
function chosen(only: readonly string[] | undefined): readonly Collection[] {
  const known = collections.map(({ name }) => name)
  const unknown = only?.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Failure(`there is no collection ${unknown}; there are: ${known.join(', ')}`)
  const wanted = only === undefined ? collections : collections.filter(({ name }) => only.includes(name))
  return wanted.toSorted((a, b) => entityNames.indexOf(a.entity) - entityNames.indexOf(b.entity))
}

const MAX_URL = 2_000

function baseOf(given: string): string {
  const url = URL.parse(given)
  if (url !== null && `${url.username}${url.password}` !== '')
    throw new Failure('give the address without name and password: it is kept in the release for everyone to see')
  const isBare = url !== null && `${url.search}${url.hash}` === '' && url.href.length <= MAX_URL
  if (!isBare || !/^https?:$/.test(url.protocol))
    throw new Failure(`${given} is not the http or https address of a service, such as https://catalogs.example.org`)
  const base = url.href.replace(/\/+$/, '')
  if (`${base}/`.includes(`${V1_PATH}/`))
    throw new Failure(`give the address that comes before ${V1_PATH}, not ${given}`)
  return base
}

function liveV1Source(base: string, harvest: readonly Harvested[]): Source {
  const provides = providedBy(harvest)
  let known: Parents | undefined
  const parents = () => {
    known ??= parentsIn(harvest)
    return known
  }
  const ownOf = (name: string) => harvest.find(({ collection }) => collection.entity === name)
  return {
    origin: { kind: 'v1', title: base, synthetic: false, credits: [], options: { url: base } },
    catalog: builtInCatalog,
    provides,
    expected: (name) => ownOf(name)?.file.facts.total,
    read: (name, report: Report): Iterable<Block> => {
      const own = ownOf(name)
      if (own !== undefined) return rowsIn(own, parents(), report)
      return provides.includes(name as EntityName) ? derived(entities[name as EntityName], parents()) : []
    },
  }
}

function* derived(entity: Entity, parents: Parents): Generator<Block> {
  for (const { row, place } of parents.list(entity)) yield { file: place.file, lines: [place.line], rows: [row] }
}

const withCollection = new Set<string>(collections.map(({ entity }) => entity))

/** What was harvested, and the embedded parents that can be had in no other way. */
function providedBy(harvest: readonly Harvested[]): readonly EntityName[] {
  const provided = new Set<string>()
  const add = (entity: Entity) => {
    provided.add(entity.name)
    for (const [, parent] of embedsOf(entity)) if (!withCollection.has(parent.name)) add(parent)
  }
  for (const { collection } of harvest) add(entities[collection.entity])
  return entityNames.filter((name) => provided.has(name))
}
