// Interrupts harvests, kills them, changes the server under them, and counts what the next run requests.
import { afterAll, afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { appendFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OperationalError } from '../../base/operational-error.ts'
import { Faults } from '../faults.ts'
import { Findings } from '../findings.ts'
import type { Block } from '../source.ts'
import { HARVEST_DEFAULTS, type HarvestOptions, harvestV1 } from './live-v1.ts'

setDefaultTimeout(180_000)

const PER_PAGE = 10
const TOTAL = 297
const PAGES = 30
const BEFORE = 20
const CONCURRENCY = 4
const running: { stop(now: boolean): Promise<void> }[] = []
const scratch = mkdtempSync(join(tmpdir(), 'nomenclator-resume-'))
const newDirectory = () => mkdtempSync(join(scratch, 'run-'))

afterEach(async () => {
  for (const server of running.splice(0)) await server.stop(true)
})
afterAll(() => rmSync(scratch, { recursive: true }))

/** A server of countries that a test may change while it runs. */
function changingServer() {
  const state = {
    total: TOTAL,
    name: 'País',
    /** How many requests get a response. */
    responses: Number.POSITIVE_INFINITY,
    requested: [] as number[],
    stored: [] as number[],
  }
  const stuck = Promise.withResolvers<void>()
  const body = (page: number) =>
    Array.from({ length: Math.min(PER_PAGE, state.total - PER_PAGE * (page - 1)) }, (_, at) => {
      const idPais = PER_PAGE * (page - 1) + at + 1
      return { cvePais: 'QQQ', descPais: `${state.name} ${idPais}`, idPais }
    })
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch: ({ url }) => {
      const page = Number(new URL(url).searchParams.get('page'))
      const count = state.requested.push(page)
      if (count === state.responses + CONCURRENCY) stuck.resolve()
      // Requests beyond that number wait for ever.
      if (count > state.responses) return new Promise<Response>(() => {})
      const totalPages = Math.ceil(state.total / PER_PAGE)
      if (page > totalPages) return new Response('', { status: 404 })
      const headers = { 'X-Page': page, 'X-Per-Page': PER_PAGE, 'X-Total': state.total, 'X-Total-Pages': totalPages }
      return Response.json(body(page), {
        headers: Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string]),
      })
    },
  })
  running.push(server)
  return { url: `http://127.0.0.1:${server.port}`, state, stuck: stuck.promise }
}
type ChangingServer = ReturnType<typeof changingServer>

const harvest = (url: string, directory: string, options: Partial<HarvestOptions> = {}) =>
  harvestV1(url, { ...HARVEST_DEFAULTS, directory, only: ['paises'], concurrency: CONCURRENCY, retries: 0, ...options })

async function namesAt(url: string, directory: string): Promise<unknown[]> {
  const { source } = await harvest(url, directory)
  const report = { faults: new Faults(), findings: new Findings() }
  return Array.from(source.read('pais', report) as Iterable<Block>).flatMap(({ rows }) =>
    rows.map(({ descPais }) => descPais),
  )
}

const names = (total = TOTAL, name = 'País') => Array.from({ length: total }, (_, at) => `${name} ${at + 1}`)

/** Responds to the first twenty requests only, and interrupts when every worker has stored its pages and waits for another. */
async function interrupted({ state, stuck }: ChangingServer, start: () => () => Promise<void>): Promise<void> {
  state.responses = BEFORE
  const stop = start()
  await stuck
  await stop()
  Object.assign(state, { responses: Number.POSITIVE_INFINITY, requested: [], stored: state.requested.slice(0, BEFORE) })
}

const aborted = (server: ChangingServer, directory: string): Promise<void> =>
  interrupted(server, () => {
    const controller = new AbortController()
    const thrown = harvest(server.url, directory, { signal: controller.signal }).catch((error) => error)
    return async () => {
      const reason = new Error('enough')
      controller.abort(reason)
      expect(await thrown).toBe(reason)
    }
  })

const SCRIPT = `
  import { HARVEST_DEFAULTS, harvestV1 } from ${JSON.stringify(join(import.meta.dir, 'live-v1.ts'))}
  const [url, directory, concurrency] = process.argv.slice(1)
  await harvestV1(url, { ...HARVEST_DEFAULTS, directory, only: ['paises'], concurrency: Number(concurrency) })`

const killed = (server: ChangingServer, directory: string): Promise<void> =>
  interrupted(server, () => {
    const command = [process.execPath, '-e', SCRIPT, server.url, directory, String(CONCURRENCY)]
    const child = Bun.spawn(command, { stdio: ['ignore', 'inherit', 'inherit'] })
    return async () => {
      child.kill('SIGKILL')
      await child.exited
    }
  })

describe('after an interruption', () => {
  test.each([
    ['by an abort', aborted, ''],
    ['by SIGKILL', killed, ''],
    ['by SIGKILL in the middle of a write', killed, '0000000030 00000007'],
  ])('%s, only the first page and those that are missing are requested', async (_, interrupt, torn) => {
    const server = changingServer()
    const directory = newDirectory()
    await interrupt(server, directory)
    appendFileSync(join(directory, 'paises.pages'), torn)
    expect(await namesAt(server.url, directory)).toEqual(names())
    const { requested, stored } = server.state
    expect(stored).toHaveLength(BEFORE)
    const missing = Array.from({ length: PAGES }, (_, at) => at + 1).filter((page) => !stored.includes(page))
    expect(requested.toSorted((a, b) => a - b)).toEqual([1, ...missing])
  })

  test.each([
    ['in number', { total: 298 }, names(298)],
    ['on the first page', { name: 'Land' }, names(TOTAL, 'Land')],
  ])('nothing is reused of a server that has changed %s', async (_, change, expected) => {
    const server = changingServer()
    const directory = newDirectory()
    await aborted(server, directory)
    Object.assign(server.state, change)
    expect(await namesAt(server.url, directory)).toEqual(expected)
    expect(server.state.requested).toHaveLength(PAGES)
  })

  test('nothing is taken from another server', async () => {
    const [one, other] = [changingServer(), changingServer()]
    const directory = newDirectory()
    await aborted(one, directory)
    expect(await namesAt(other.url, directory)).toEqual(names())
    expect(other.state.requested).toHaveLength(PAGES)
  })
})

test('what was harvested is only compared by its first page, until it is discarded', async () => {
  const { url, state } = changingServer()
  const directory = newDirectory()
  const { discard } = await harvest(url, directory)
  state.requested = []
  await harvest(url, directory)
  expect(state.requested).toEqual([1])
  expect(existsSync(join(directory, 'paises.pages'))).toBe(true)
  discard()
  expect(readdirSync(directory)).toEqual([])
  state.requested = []
  await harvest(url, directory)
  expect(state.requested).toHaveLength(PAGES)
})

describe('a server that changes while it is read', () => {
  test.each([
    ['grows', 305, /page 1 had 297 records, 10 on a page, and at page \d+ there were 305 records, 10 on a page/],
    ['shrinks', 150, /page 1 had 297 records, 10 on a page, and at page \d+ there were 150 records, 10 on a page/],
  ])('is refused when it %s, and read anew by the next run', async (_, total, words) => {
    const { url, state } = changingServer()
    const directory = newDirectory()
    const onProgress = ({ donePages }: { donePages: number }) => {
      if (donePages === 20) state.total = total
    }
    const error = await harvest(url, directory, { concurrency: 1, onProgress }).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(OperationalError)
    expect(error.message).toStartWith(`${url}/api/v1/paises: the server changed while it was read: `)
    expect(error.message).toMatch(words)
    expect(error.message).toEndWith('; run the same command again to read it anew')
    expect(await namesAt(url, directory)).toEqual(names(total))
  })
})
