// Page workers and compute workers: a costly request never holds up a page, and a lost worker is replaced soon.
import { afterAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { COMPUTE_SOCKET_VARIABLE } from '../../packages/server/src/http/processes/messages.ts'
import { computeWorkersOf, environmentOf, eventually, Service, TwoReleases, workersOf } from '../support/service.ts'
import { message, send } from '../support/wire.ts'
import { memoryOf } from '../torture/memory.ts'

setDefaultTimeout(180_000)

const home = await TwoReleases.create()
afterAll(() => home[Symbol.dispose]())
beforeEach(() => home.store.activate(home.digests[0]))

const start = (...flags: string[]) => Service.over(home, { flags: ['--workers', '1', ...flags] })
const SEARCH = '/api/v2/search?q=a'
const PAGE = '/api/v1/paises'
const statusOf = async ({ url }: Service, path: string, init?: RequestInit): Promise<number> =>
  (await fetch(`${url}${path}`, init)).status
const post = (body: string): RequestInit => ({ method: 'POST', body, headers: { 'Content-Type': 'application/json' } })

function computeWorkerOf(service: Service): number {
  const [pid] = computeWorkersOf(service.pid)
  if (pid === undefined) throw new Error('there is no compute worker')
  return pid
}

/** Searches one after the other until it is stopped, and then gives the statuses that were not 200. */
function searching(service: Service) {
  let isOver = false
  const bad: (number | string)[] = []
  let count = 0
  const done = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const status = await statusOf(service, SEARCH).catch(String)
        if (status !== 200) bad.push(status)
        count++
      }
    }),
  )
  return {
    more: async (wanted: number) => {
      const end = count + wanted
      await eventually(`${wanted} more searches`, () => count >= end)
    },
    stop: async () => {
      isOver = true
      await done
      return bad
    },
  }
}

describe.skipIf(process.platform !== 'linux')('a compute worker', () => {
  test('that is killed under load is replaced, and no request fails', async () => {
    await using service = await start()
    const searches = searching(service)
    await searches.more(20)
    const victim = computeWorkerOf(service)
    process.kill(victim, 'SIGKILL')
    await service.line(/^COMPUTE WORKER DIED: process \d+, signal SIGKILL; starting another in 100 ms$/)
    await searches.more(20)
    expect(await searches.stop()).toEqual([])
    expect(computeWorkerOf(service)).not.toBe(victim)
    expect(service.said.err).toContain(
      'NO COMPUTE WORKER IS LEFT: nothing is searched, resolved or rendered until one can start',
    )
  })

  test('that is stopped holds up no page, is killed, and what it had is done by another', async () => {
    await using service = await start()
    const victim = computeWorkerOf(service)
    process.kill(victim, 'SIGSTOP')
    const search = statusOf(service, SEARCH)
    let isRefused = false
    const refused = statusOf(service, '/api/v2/resolve', post('['.repeat(1_000_000))).finally(() => {
      isRefused = true
    })
    for (let count = 0; count < 50; count++) expect(await statusOf(service, PAGE)).toBe(200)
    expect(await statusOf(service, '/api/v2/paises/4?embed=id')).toBe(200)
    // A page worker parses no body, however little it has to read of it.
    expect(isRefused).toBe(false)
    await service.line(/^COMPUTE WORKER STUCK: process \d+ has not reported for 5 s; killing it$/)
    expect([await search, await refused]).toEqual([200, 400])
  })

  test('parses hostile bodies while pages are served, and gives their memory back', async () => {
    // The tests as a whole run without giving memory back, which is what counts here.
    await using service = await Service.over(home, { flags: ['--workers', '1'], env: { MIMALLOC_PURGE_DELAY: '10' } })
    const form = { method: 'POST', body: new URLSearchParams({ queries: `[${'[],'.repeat(100_000)}[]]` }) }
    const hostile: [path: string, init: RequestInit][] = [
      ['/api/v2/resolve', post('['.repeat(4_900_000))],
      ['/api/v2/resolve', post(JSON.stringify([...Array(9_999).fill({ q: 'a'.repeat(300) }), 1]))],
      ['/reconcile', form],
    ]
    const send = async () => {
      // Several at a time are more than one address may send: then they are turned away while they are sent.
      for (const [path, init] of hostile)
        expect([400, 503]).toContain(await statusOf(service, path, init).catch(() => 503))
    }
    await send()
    const before = memoryOf(service.pid).anonymous
    let isOver = false
    const sending = Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let round = 0; round < 2; round++) await send()
      }),
    ).finally(() => {
      isOver = true
    })
    let pages = 0
    while (!isOver) {
      expect(await statusOf(service, PAGE)).toBe(200)
      pages++
    }
    await sending
    expect(pages).toBeGreaterThan(0)
    await eventually('the memory is given back', () => memoryOf(service.pid).anonymous < before + 150)
    expect(service.said.err).not.toMatch(/DIED|STUCK/)
  })

  test('is restarted with the others, and no request fails', async () => {
    await using service = await start()
    const searches = searching(service)
    await searches.more(20)
    const [computeWorker, worker] = [computeWorkerOf(service), workersOf(service.pid)[0]]
    service.signal('SIGHUP')
    await service.line(/^All workers were restarted\.$/)
    await eventually('both are others', () => {
      const others = [computeWorkersOf(service.pid), workersOf(service.pid)]
      return others.every((pids) => pids.length === 1) && others[0]?.[0] !== computeWorker && others[1]?.[0] !== worker
    })
    await searches.more(20)
    expect(await searches.stop()).toEqual([])
  })

  test('stops with the service while it is at work, and leaves nothing behind', async () => {
    await using service = await start('--drain-timeout', '5', '--slow-request', '60000')
    const directory = dirname(environmentOf(computeWorkerOf(service)).get(COMPUTE_SOCKET_VARIABLE) ?? '')
    expect(existsSync(directory)).toBe(true)
    const searches = searching(service)
    await searches.more(20)
    // As when a signal is sent to all of a terminal, or of a group.
    for (const pid of [computeWorkerOf(service), ...workersOf(service.pid), service.pid]) process.kill(pid, 'SIGTERM')
    expect(await service.exited()).toBe(0)
    await searches.stop()
    expect(existsSync(directory)).toBe(false)
    expect(service.said.err).toBe('')
  })
})

test('a client with many costly requests is held, and one that reads pages at the same address is not', async () => {
  await using service = await start('--rate-limit', '40/m')
  const rows = JSON.stringify(Array.from({ length: 50 }, (_, at) => ({ q: `nowhre ${at} of al` })))
  let status = 200
  for (let count = 0; count < 50 && status === 200; count++) {
    const response = await fetch(`${service.url}/api/v2/resolve`, post(rows))
    await response.arrayBuffer()
    status = response.status
  }
  expect(status).toBe(429)
  for (let count = 0; count < 30; count++) expect(await statusOf(service, PAGE)).toBe(200)
})

test('the response is the same, whoever makes it', async () => {
  await using service = await start('--base-url', 'http://127.0.0.1')
  const { headers, body } = await send(service.url, message('GET', SEARCH, 'Host: a', 'Accept-Encoding: identity'))
  expect(headers['Content-Type']).toBe('application/json')
  expect(Number(headers['Content-Length'])).toBe(Buffer.byteLength(body))
  expect(Object.keys(headers).filter((name) => name === 'X-Request-Id')).toHaveLength(1)
})
