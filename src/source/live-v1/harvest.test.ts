// Harvests servers that change, lie, break off or are interrupted, and counts what a second run still asks for.
import { afterAll, afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Failure } from '../../failure.ts'
import { Faults, FaultyRecords } from '../faults.ts'
import { Findings } from '../findings.ts'
import type { Block } from '../source.ts'
import type { HarvestProgress } from './harvest.ts'
import { HARVEST_DEFAULTS, type HarvestOptions, harvestV1 } from './live-v1.ts'

setDefaultTimeout(60_000)

type Shown = { readonly page: number; readonly total: number; readonly perPage: number; readonly records: unknown }
/** What becomes of the sound answer to a request, the how manieth it may be. */
type Odd = (sound: Shown, count: number) => Shown | Response | Promise<Response>

const PAGES = 30
const sound: Shown = { page: 0, total: 297, perPage: 10, records: [] }
const running: { stop(now: boolean): Promise<void> }[] = []
const scratch = mkdtempSync(join(tmpdir(), 'nomenclator-harvest-'))
const newDirectory = () => mkdtempSync(join(scratch, 'run-'))

afterEach(async () => {
  for (const server of running.splice(0)) await server.stop(true)
})
afterAll(() => rmSync(scratch, { recursive: true }))

const country = (id: number) => ({ cvePais: 'QQQ', descPais: `País ${id}`, idPais: id })

function pageOf(page: number, { total, perPage } = sound): Shown {
  const first = perPage * (page - 1)
  const records = Array.from({ length: Math.min(perPage, total - first) }, (_, at) => country(first + at + 1))
  return { page, total, perPage, records }
}

const answer = ({ page, total, perPage, records }: Shown) =>
  new Response(typeof records === 'string' ? records : JSON.stringify(records), {
    headers: {
      'Content-Type': 'application/json',
      'X-Page': String(page),
      'X-Per-Page': String(perPage),
      'X-Total': String(total),
      'X-Total-Pages': String(Math.ceil(total / perPage)),
    },
  })

/** Serves countries under a path prefix; `pages` are those that were asked for. */
function serverOf(odd: Odd = (shown) => shown, of: Shown = sound) {
  const pages: number[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch: async ({ url }) => {
      const { pathname, searchParams } = new URL(url)
      if (pathname !== '/some/prefix/api/v1/paises' || searchParams.get('format') !== 'api')
        return new Response('', { status: 404 })
      const page = Number(searchParams.get('page'))
      const given = await odd(pageOf(page, of), pages.push(page))
      return given instanceof Response ? given : answer(given)
    },
  })
  running.push(server)
  return { url: `http://127.0.0.1:${server.port}/some/prefix`, pages }
}

const optionsIn = (directory: string): HarvestOptions => ({
  ...HARVEST_DEFAULTS,
  directory,
  only: ['paises'],
  backoff: 1,
  retries: 2,
})
const harvest = (url: string, options: Partial<HarvestOptions> = {}) =>
  harvestV1(url, { ...optionsIn(newDirectory()), ...options })

async function idsAt(url: string, options: Partial<HarvestOptions> = {}): Promise<unknown[]> {
  const { source } = await harvest(url, options)
  const report = { faults: new Faults(), findings: new Findings() }
  const ids = Array.from(source.read('pais', report) as Iterable<Block>, ({ rows }) => rows.map(({ idPais }) => idPais))
  report.faults.throwIfAny()
  return ids.flat()
}

const failureOf = async (url: string, options: Partial<HarvestOptions> = {}) => {
  const error = await harvest(url, options).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(Failure)
  return error as Failure
}
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

describe('a sound server', () => {
  test.each([
    ['of ten to a page', sound],
    ['of another size of a page', { ...sound, perPage: 7 }],
    ['of one page', { ...sound, total: 3 }],
    ['of pages that are all full', { ...sound, total: 300 }],
    ['of nothing', { ...sound, total: 0 }],
  ])('%s is read in order, each page once', async (_, of) => {
    const { url, pages } = serverOf(undefined, of)
    expect(await idsAt(url)).toEqual(upTo(of.total))
    expect(pages.toSorted((a, b) => a - b)).toEqual(upTo(Math.max(Math.ceil(of.total / of.perPage), 1)))
  })

  test('is read in order even when its answers come in another', async () => {
    const held: (() => void)[] = []
    // Four at a time, and the last of them is answered first.
    const { url } = serverOf(async (shown) => {
      if (shown.page === 1) return answer(shown)
      const { promise, resolve } = Promise.withResolvers<void>()
      held.push(resolve)
      if (held.length === 4 || shown.page === PAGES) for (const go of held.splice(0).reverse()) go()
      await promise
      return answer(shown)
    })
    expect(await idsAt(url, { concurrency: 4 })).toEqual(upTo(sound.total))
  })

  test('tells its progress', async () => {
    const told: HarvestProgress[] = []
    await harvest(serverOf().url, { onProgress: (progress) => told.push(progress) })
    expect(told.map(({ donePages }) => donePages)).toEqual(upTo(PAGES))
    expect(told.at(-1)).toMatchObject({ collection: 'paises', totalPages: PAGES })
    expect(told.at(-1)?.recordsPerSecond).toBeGreaterThan(0)
  })

  test('may be busy for a while', async () => {
    const { url } = serverOf((shown, count) => (count % 3 === 0 ? new Response('', { status: 503 }) : shown))
    expect(await idsAt(url, { retries: 10 })).toEqual(upTo(sound.total))
  })
})

describe('what is wrong with a page is a fault with its place', () => {
  const onPage5 =
    (change: Partial<Shown>): Odd =>
    (shown) =>
      shown.page === 5 ? { ...shown, ...change } : shown
  test.each<[string, Odd, string]>([
    ['no JSON', onPage5({ records: '<html>' }), 'body: "<html>"; expected a JSON array of records, in UTF-8'],
    [
      'no array',
      onPage5({ records: { results: [] } }),
      'body: "{\\"results\\":[]}"; expected a JSON array of records, in UTF-8',
    ],
    ['too short', onPage5({ records: [country(41)] }), 'records: 1; expected 10, since this is not the last page'],
    ['another page', onPage5({ page: 4 }), 'X-Page: "4"; expected 5'],
  ])('%s', async (_, odd, words) => {
    const error = (await failureOf(serverOf(odd).url)) as FaultyRecords
    expect(error).toBeInstanceOf(FaultyRecords)
    expect(error.message.split('\n')[0]).toBe(`/some/prefix/api/v1/paises?page=5:0, ${words}`)
    expect(error.count).toBe(1)
  })

  test('the same records under two numbers', async () => {
    const { url } = serverOf((shown) => (shown.page === 5 ? { ...pageOf(4), page: 5 } : shown))
    const { message } = await failureOf(url, { concurrency: 1 })
    expect(message).toContain('page=5:0, body: "page 4 again"; expected records that no other page has')
  })

  test('on the first page, before anything else is asked for', async () => {
    const { url, pages } = serverOf(() => new Response('[]'))
    expect((await failureOf(url)).message).toContain('page=1:0, X-Page: nothing; expected 1')
    expect(pages).toEqual([1])
  })

  test('on ever so many pages, so that it is not asked for all of them', async () => {
    const { url, pages } = serverOf((shown) => (shown.page > 1 ? { ...shown, records: [] } : shown), {
      ...sound,
      total: 9_000,
    })
    await failureOf(url, { concurrency: 4 })
    expect(pages.length).toBeLessThan(35)
  })

  test('and is asked for again by the next run, with nothing else but the first page', async () => {
    const directory = newDirectory()
    let broken = true
    const { url, pages } = serverOf((shown) => (broken && shown.page === 5 ? { ...shown, records: [] } : shown))
    await failureOf(url, { directory })
    broken = false
    pages.length = 0
    expect(await idsAt(url, { directory })).toEqual(upTo(sound.total))
    expect(pages).toEqual([1, 5])
  })
})
