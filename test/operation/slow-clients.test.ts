// Clients that do not read, or that are too many: they are refused, the others are served, and the log says so.
import { afterAll, afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { createApp } from '../../packages/server/src/http/app.ts'
import { Budget, type BudgetLimits, DEFAULT_BUDGET } from '../../packages/server/src/http/limits/budget.ts'
import { Metrics } from '../../packages/server/src/http/observation/metrics.ts'
import { serve } from '../../packages/server/src/http/processes/serve.ts'
import { releaseOf } from '../support/releases.ts'
import { eventually, Service, TwoReleases, workersOf } from '../support/service.ts'
import { countries, smallSource } from '../support/small-source.ts'
import { message, open, send } from '../support/wire.ts'

setDefaultTimeout(180_000)

const release = await releaseOf(smallSource({ pais: countries(5_000) }))
const stops: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

function started(limits: Partial<BudgetLimits>) {
  const metrics = new Metrics()
  const budget = new Budget({ ...DEFAULT_BUDGET, ...limits }, metrics)
  const logged: unknown[] = []
  const policy = { baseUrl: undefined, trustedProxies: undefined }
  const app = createApp({ release: () => release, policy, budget, logError: (error) => logged.push(error) })
  const server = serve(app, { host: '127.0.0.1', port: 0, metrics, budget })
  stops.push(() => server.stop(0))
  return { ...server, metrics, budget, logged }
}

/** Clients that send requests and read nothing. */
function slowClients(port: number, count: number, requests: string, localAddress = '127.0.0.2'): Socket[] {
  const sockets = Array.from({ length: count }, () => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {})
    socket.pause().write(requests)
    return socket
  })
  stops.push(() => {
    for (const socket of sockets) socket.destroy()
  })
  return sockets
}

const LIST = message('GET', '/api/v2/paises?per_page=1000', 'Host: a')
const BULK = message('GET', '/api/v2/paises/all', 'Host: a')
const PAGE = message('GET', '/api/v1/paises', 'Host: a')
const BYTES = 1 << 20

describe('of an address that has used up its bytes', () => {
  test('large responses are refused before they are rendered, small ones and those of others are not', async () => {
    const server = started({ bytesPerClient: BYTES })
    slowClients(server.port, 20, LIST.repeat(100), '127.0.0.1')
    await eventually('some are refused', () => server.metrics.refused.bytes > 0)
    expect(server.metrics.unsentBytes).toBeLessThan(2 * BYTES)
    const refused = await send(server.url, LIST)
    expect([refused.status, refused.headers['Retry-After'], refused.headers['Cache-Control']]).toEqual([
      503,
      '10',
      'no-store',
    ])
    expect(JSON.parse(refused.body).type).toBe('urn:nomenclator:problem:overloaded')
    expect((await send(server.url, PAGE)).status).toBe(200)
    expect((await statusesFrom('127.0.0.3', server.port, LIST))[0]).toBe(200)
    for (const stop of stops.splice(1)) await stop()
    await eventually('nothing is kept', () => server.metrics.unsentBytes === 0 && server.budget.clients === 0)
    expect([(await send(server.url, LIST)).status, server.logged]).toEqual([200, []])
  })

  test('pipelined requests are cut off, and what is kept stays within the budget', async () => {
    const server = started({ bytesPerClient: BYTES })
    const sockets = slowClients(server.port, 100, PAGE.repeat(3_000), '127.0.0.1')
    await eventually('some are cut off', () => server.metrics.refused.bytes > 0)
    let most = 0
    await eventually('the rest is stuck', async () => {
      const before = server.metrics.unsentBytes
      most = Math.max(most, before)
      await Bun.sleep(100)
      return server.metrics.unsentBytes === before
    })
    expect(most).toBeLessThan(2 * BYTES)
    expect((await send(server.url, PAGE)).status).toBe(200)
    expect(sockets.length).toBe(100)
  })
})

test('beyond as many streams as an address may have, the next is refused, until one is over', async () => {
  const server = started({ streamsPerClient: 3 })
  // More than the system keeps for a connection.
  const sockets = slowClients(server.port, 3, BULK.repeat(40), '127.0.0.1')
  await eventually('all are streaming and stuck', async () => {
    const before = server.metrics.unsentBytes
    for (let turn = 0; turn < 20; turn++) await Bun.sleep(1)
    return server.metrics.streams === 3 && before > 0 && server.metrics.unsentBytes === before
  })
  const refused = await send(server.url, BULK)
  expect([refused.status, refused.headers['Retry-After']]).toEqual([503, '10'])
  expect((await statusesFrom('127.0.0.1', server.port, BULK.replace('GET', 'HEAD')))[0]).toBe(200)
  expect((await statusesFrom('127.0.0.3', server.port, BULK))[0]).toBe(200)
  sockets[0]?.destroy()
  await eventually('a place is free', () => server.metrics.streams === 2)
  expect((await statusesFrom('127.0.0.1', server.port, BULK))[0]).toBe(200)
})

/** The status of the response to a request from another address. */
async function statusesFrom(localAddress: string, port: number, request: string): Promise<number[]> {
  const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {})
  socket.write(request)
  const text = await new Promise<string>((resolve) => socket.once('data', (bytes: Buffer) => resolve(bytes.toString())))
  socket.destroy()
  return [...text.matchAll(/^HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
}

const home = await TwoReleases.create()
afterAll(() => home[Symbol.dispose]())

/** The hundredths of a second that a process has run. */
const ticksOf = (pid: number) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')
  return Number(fields[13]) + Number(fields[14])
}

test('with few descriptors, connections beyond the limit are refused without a spin, and the others are served', async () => {
  await using service = await Service.over(home, { flags: ['--workers', '1'], descriptors: 256 })
  const first = open(service.url)
  first.write(PAGE)
  await new Promise((resolve) => first.once('data', resolve))
  const tally = { refused: 0, silent: 0 }
  const sockets = Array.from({ length: 600 }, () => {
    const socket = open(service.url)
    let received = ''
    socket.on('data', (bytes: Buffer) => {
      received += bytes.toString('latin1')
    })
    socket.on('close', () => {
      const isRefusal = received.startsWith('HTTP/1.1 503 ') && received.includes('\r\nRetry-After: ')
      tally[isRefusal ? 'refused' : 'silent']++
    })
    return socket
  })
  await eventually('those beyond the limit are closed', () => tally.refused + tally.silent >= 600 - 192)
  expect(tally.silent).toBe(0)
  await service.line(/^\[\d+\] connections refused: \d+; at most 192 may be open \(--max-connections\)$/)
  const before = ticksOf(workersOf(service.pid)[0] as number)
  await Bun.sleep(1_000)
  // A spin would take nearly all of a second.
  expect(ticksOf(workersOf(service.pid)[0] as number) - before).toBeLessThan(50)
  const response = new Promise<string>((resolve) => first.once('data', (bytes: Buffer) => resolve(bytes.toString())))
  first.write(message('GET', '/api/v2/paises', 'Host: a'))
  expect(await response).toStartWith('HTTP/1.1 200 OK')
  for (const socket of [first, ...sockets]) socket.destroy()
  await eventually(
    'there is room again',
    async () => (await send(service.url, PAGE).catch(() => ({ status: 0 }))).status === 200,
  )
})
