// The benchmark of the explorer: the cost of its pages for the server, and the time until a browser shows the map.
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Entity } from '../packages/server/src/catalog/entity.ts'
import { ApiReader, type ReadList } from '../packages/server/src/explorer/api-reader.ts'
import { languageOf } from '../packages/server/src/explorer/language.ts'
import { rendered } from '../packages/server/src/explorer/layout.ts'
import { explorerPages } from '../packages/server/src/explorer/mount.ts'
import { collectionPage } from '../packages/server/src/explorer/pages/collection.ts'
import { createApp } from '../packages/server/src/http/app.ts'
import { OpenReleases } from '../packages/server/src/http/v2/open-releases.ts'
import type { QueryPairs } from '../packages/server/src/http/v2/request/query-string.ts'
import { ReleaseStore } from '../packages/server/src/release/home/release-store.ts'
import type { Release } from '../packages/server/src/release/release.ts'
import { launchBrowser } from '../test/support/browser.ts'
import { serverOf } from '../test/support/server.ts'
import { runCommand } from './command.ts'
import { describeMachine, workPath } from './machine.ts'
import { build } from './servers.ts'
import { type Spread, spreadOf } from './spread.ts'
import { judge, type Verdict } from './targets.ts'

export const USAGE = `npm run bench:explorer                  pages over the bundled data; prints the report
npm run bench:explorer -- --home DIR    the same over the current release of a home

  --home DIR   a home with the places of Mexico
  --help       this text

Exits with 1 if a target is missed. Without a browser the map is not measured.
`

const MAX_HTML_MILLISECONDS = 1
const MAX_PICTURE_MILLISECONDS = 1_500
const WARM_UP = 300
const BATCHES = 25
const BATCH = 20
const PICTURES = 7

const BASE_URL = 'http://catalogs.example.org'
const COLLECTION = 'localidades'

/**
 * Milliseconds of processor time that a call takes in its own thread, after the compiler has optimized them. Calls are
 * measured some at a time, since the kernel counts coarsely; what else the machine does hardly matters.
 */
async function timed(call: (round: number) => unknown): Promise<Spread> {
  for (let round = 0; round < WARM_UP; round++) await call(round)
  const times: number[] = []
  for (let batch = 0; batch < BATCHES; batch++) {
    const before = process.threadCpuUsage()
    for (let round = 0; round < BATCH; round++) await call(batch * BATCH + round)
    const { user, system } = process.threadCpuUsage(before)
    times.push((user + system) / 1_000 / BATCH)
  }
  return spreadOf(times)
}

/** Reads a list once, so that what is measured is the HTML alone. */
class ReadBefore extends ApiReader {
  #list: ReadList | undefined

  override list(entity: Entity, pairs: QueryPairs): ReadList {
    this.#list ??= super.list(entity, pairs)
    return this.#list
  }
}

function htmlOfTable(release: Release, store: ReleaseStore): () => number {
  const releases = new OpenReleases(() => release, store)
  const context = { releases, cache: undefined, baseUrlOf: () => BASE_URL, isBaseUrlFixed: true }
  const language = languageOf('es')
  const entity = release.catalog.collections.get(COLLECTION) as Entity
  const view = {
    ...{ language, words: language.words, api: new ReadBefore(context, undefined, language), baseUrl: BASE_URL },
    ...{ path: `/explore/${COLLECTION}`, pairs: [], carried: [] },
  }
  return () => Buffer.from(rendered(view, collectionPage(view, entity)).text).length
}

/** The cost of whole requests, from the parsed request to the response. */
async function pages(release: Release, store: ReleaseStore): Promise<Map<string, Spread>> {
  const policy = { baseUrl: BASE_URL, trustedProxies: undefined }
  const app = createApp({ release: () => release, store, policy, pages: explorerPages, logError: console.error })
  const headers = new Map([['accept', 'text/html']])
  const get = async (target: string) => {
    const [path = '', query = ''] = target.split('?')
    const { status } = await app({ method: 'GET', path, query, headers }, { peer: undefined, listeningUrl: BASE_URL })
    if (status !== 200) throw new Error(`${target} has status ${status}`)
  }
  const targets: Readonly<Record<string, (round: number) => string>> = {
    'first page': () => '/',
    'table, 50 rows, another page each time': (round) => `/explore/${COLLECTION}?page=${round + 1}`,
    'table of a state, by population': (round) => `/explore/${COLLECTION}?idEstado=${(round % 32) + 1}&sort=-poblacion`,
    'table of a search': (round) => `/explore/${COLLECTION}?q=santa+maria&page=${(round % 4) + 1}`,
    'tree, a state open': (round) => `/explore/tree?open=estados:${(round % 32) + 1}`,
    'page of the map': () => '/map',
  }
  const results = new Map<string, Spread>()
  for (const [name, target] of Object.entries(targets)) results.set(name, await timed((round) => get(target(round))))
  return results
}

/** Milliseconds from the request for the page to the first picture; the points are made for the first of them. */
async function pictures(release: Release, store: ReleaseStore): Promise<Spread | undefined> {
  const browser = await launchBrowser()
  if (browser === undefined) return undefined
  const server = serverOf(() => release, {}, store)
  const times: number[] = []
  for (let at = 0; at < PICTURES; at++) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    const started = performance.now()
    await page.goto(`${server.url}/map`, { waitUntil: 'commit' })
    await page.locator('[data-drawn=true]').waitFor()
    times.push(performance.now() - started)
    await page.close()
  }
  await browser.close()
  await server.close()
  return spreadOf(times)
}

async function measure(home: string | undefined): Promise<readonly Verdict[]> {
  const directory = home ?? workPath('explorer', 'home')
  if (home === undefined) await build(directory, 'bundled')
  const store = new ReleaseStore(directory)
  const release = store.openCurrent()
  if (release === undefined) throw new Error(`there is no release in ${directory}`)
  const html = await timed(htmlOfTable(release, store))
  const requests = await pages(release, store)
  const picture = await pictures(release, store)
  const line = (name: string, { median, min, max }: Spread, digits = 2) =>
    `| ${name} | ${[median, min, max].map((value) => value.toFixed(digits)).join(' | ')} |`
  console.log(
    [
      ...describeMachine(),
      `${release.entity('localidad').count} localities: ${release.manifest.source.title}`,
      '',
      '| milliseconds | median | min | max |',
      '|---|---|---|---|',
      line('HTML of a table of 50 rows', html),
      ...[...requests].map(([name, spread]) => line(`request: ${name}`, spread)),
      ...(picture === undefined ? [] : [line('browser: first picture of the map', picture, 0)]),
    ].join('\n'),
  )
  return [
    judge('HTML of a table page', ['<', MAX_HTML_MILLISECONDS], 'ms', html),
    judge('first picture of the map', ['<', MAX_PICTURE_MILLISECONDS], 'ms', picture),
  ]
}

if (import.meta.main)
  await runCommand({
    name: 'bench:explorer',
    usage: USAGE,
    read: (argv) => parseArgs({ args: [...argv], options: { home: { type: 'string' } } }).values,
    run: ({ home }) => measure(home && resolve(home)),
  })
