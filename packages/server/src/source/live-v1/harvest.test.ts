// Harvests sound servers and servers with faulty pages, and counts what is requested.
import { afterAll, afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OperationalError } from '../../base/operational-error.ts'
import { Faults, FaultyRecords } from '../faults.ts'
import { Findings } from '../findings.ts'
import type { Block } from '../source.ts'
import type { HarvestProgress } from './harvest.ts'
import { HARVEST_DEFAULTS, type HarvestOptions, harvestV1 } from './live-v1.ts'

setDefaultTimeout(180_000)

type ServedPage = { readonly page: number; readonly total: number; readonly perPage: number; readonly records: unknown }
/** Makes of a sound page what the server sends instead; `count` numbers the requests from 1. */
type Spoil = (sound: ServedPage, count: number) => ServedPage | Response | Promise<Response>

const PAGES = 30
const sound: ServedPage = { page: 0, total: 297, perPage: 10, records: [] }
const running: { stop(now: boolean): Promise<void> }[] = []
const scratch = mkdtempSync(join(tmpdir(), 'nomenclator-harvest-'))
const newDirectory = () => mkdtempSync(join(scratch, 'run-'))

afterEach(async () => {
  for (const server of running.splice(0)) await server.stop(true)
})
afterAll(() => rmSync(scratch, { recursive: true }))

const country = (id: number) => ({ cvePais: 'QQQ', descPais: `País ${id}`, idPais: id })

function pageOf(page: number, { total, perPage } = sound): ServedPage {
  const first = perPage * (page - 1)
  const records = Array.from({ length: Math.min(perPage, total - first) }, (_, at) => country(first + at + 1))
  return { page, total, perPage, records }
}

const responseOf = ({ page, total, perPage, records }: ServedPage) =>
  new Response(typeof records === 'string' ? records : JSON.stringify(records), {
    headers: {
      'Content-Type': 'application/json',
      'X-Page': String(page),
      'X-Per-Page': String(perPage),
      'X-Total': String(total),
      'X-Total-Pages': String(Math.ceil(total / perPage)),
    },
  })

/** Serves countries under a path prefix; `pages` are those that were requested. */
function serverOf(spoil: Spoil = (served) => served, of: ServedPage = sound) {
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
      const given = await spoil(pageOf(page, of), pages.push(page))
      return given instanceof Response ? given : responseOf(given)
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
  expect(error).toBeInstanceOf(OperationalError)
  return error as OperationalError
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

  test('is read in order even when its responses come in another', async () => {
    const held: (() => void)[] = []
    // Four at a time, and the last of them gets its response first.
    const { url } = serverOf(async (served) => {
      if (served.page === 1) return responseOf(served)
      const { promise, resolve } = Promise.withResolvers<void>()
      held.push(resolve)
      if (held.length === 4 || served.page === PAGES) for (const go of held.splice(0).reverse()) go()
      await promise
      return responseOf(served)
    })
    expect(await idsAt(url, { concurrency: 4 })).toEqual(upTo(sound.total))
  })

  test('reports its progress', async () => {
    const reported: HarvestProgress[] = []
    await harvest(serverOf().url, { onProgress: (progress) => reported.push(progress) })
    expect(reported.map(({ donePages }) => donePages)).toEqual(upTo(PAGES))
    expect(reported.at(-1)).toMatchObject({ collection: 'paises', totalPages: PAGES })
    expect(reported.at(-1)?.recordsPerSecond).toBeGreaterThan(0)
  })

  test('of nothing reports that nothing is done', async () => {
    const reported: HarvestProgress[] = []
    const { url } = serverOf(undefined, { ...sound, total: 0 })
    await harvest(url, { onProgress: (progress) => reported.push(progress) })
    expect(reported.map(({ donePages, totalPages }) => [donePages, totalPages])).toEqual([[0, 0]])
  })

  test.each([
    ['more records', { total: 298 }],
    ['other pages', { perPage: 9 }],
  ])('that gets %s while it is read is refused, and not mixed', async (_, change) => {
    const { url } = serverOf((served) => (served.page === 5 ? pageOf(5, { ...sound, ...change }) : served))
    expect((await failureOf(url)).message).toContain('the server changed while it was read: page 1 had 297 records')
  })

  test('may be busy for a while', async () => {
    const { url } = serverOf((served, count) => (count % 3 === 0 ? new Response('', { status: 503 }) : served))
    expect(await idsAt(url, { retries: 10 })).toEqual(upTo(sound.total))
  })
})

describe('what is wrong with a page is a fault with its location', () => {
  const onPage5 =
    (change: Partial<ServedPage>): Spoil =>
    (served) =>
      served.page === 5 ? { ...served, ...change } : served
  test.each<[string, Spoil, string]>([
    ['no JSON', onPage5({ records: '<html>' }), 'body: "<html>"; expected a JSON array of records, in UTF-8'],
    [
      'no array',
      onPage5({ records: { results: [] } }),
      'body: "{\\"results\\":[]}"; expected a JSON array of records, in UTF-8',
    ],
    ['too short', onPage5({ records: [country(41)] }), 'records: 1; expected 10, since this is not the last page'],
    ['another page', onPage5({ page: 4 }), 'X-Page: "4"; expected 5'],
  ])('%s', async (_, spoil, words) => {
    const error = (await failureOf(serverOf(spoil).url)) as FaultyRecords
    expect(error).toBeInstanceOf(FaultyRecords)
    expect(error.message.split('\n')[0]).toBe(`/some/prefix/api/v1/paises?page=5:0, ${words}`)
    expect(error.count).toBe(1)
  })

  test('the same records under two numbers', async () => {
    const { url } = serverOf((served) => (served.page === 5 ? { ...pageOf(4), page: 5 } : served))
    const { message } = await failureOf(url, { concurrency: 1 })
    expect(message).toContain('page=5:0, body: "page 4 again"; expected records that no other page has')
  })

  test('on the first page, before anything else is requested', async () => {
    const { url, pages } = serverOf(() => new Response('[]'))
    expect((await failureOf(url)).message).toContain('page=1:0, X-Page: nothing; expected 1')
    expect(pages).toEqual([1])
  })

  test('on many pages, so that not all of them are requested', async () => {
    const { url, pages } = serverOf((served) => (served.page > 1 ? { ...served, records: [] } : served), {
      ...sound,
      total: 9_000,
    })
    await failureOf(url, { concurrency: 4 })
    expect(pages.length).toBeLessThan(35)
    pages.length = 0
    await failureOf(url, { concurrency: 1 })
    expect(pages).toEqual(upTo(26))
  })

  test('and is requested again by the next run, with nothing else but the first page', async () => {
    const directory = newDirectory()
    let broken = true
    const { url, pages } = serverOf((served) => (broken && served.page === 5 ? { ...served, records: [] } : served))
    await failureOf(url, { directory })
    broken = false
    pages.length = 0
    expect(await idsAt(url, { directory })).toEqual(upTo(sound.total))
    expect(pages).toEqual([1, 5])
  })
})
