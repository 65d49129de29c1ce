// A connection with servers that a test makes up: which of them it accepts, and how it reports failures.
import { afterEach, describe, expect, test } from 'bun:test'
import { createServer, type Socket } from 'node:net'
import { ShelfAway, ShelfRefused } from '../shelf/shelf-failures.ts'
import { parseShelfAddress, type ShelfAddress } from './address.ts'
import { ShelfConnection } from './connection.ts'

type FakeServer = {
  readonly version?: number
  readonly standby?: boolean
  /** The code of the error with which every connection is refused. */
  readonly refuses?: string
  /** The code of the error that every query but the first one gets. */
  readonly fails?: string
}

const SSL_REQUEST = 80_877_103
const INT4 = 23
const BOOL = 16

/** A message of the protocol of PostgreSQL. */
function message(type: string, ...parts: readonly (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(`${part}\0`) : part)))
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

const int16 = (number: number) => {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(number)
  return bytes
}
const int32 = (number: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(number)
  return bytes
}
const field = (name: string, type: number) =>
  Buffer.concat([Buffer.from(`${name}\0`), int32(0), int16(0), int32(type), int16(4), int32(-1), int16(0)])
const value = (text: string) => Buffer.concat([int32(text.length), Buffer.from(text)])

const READY = message('Z', Buffer.from('I'))
const error = (code: string) => message('E', 'SERROR', 'VERROR', `C${code}`, 'Mnot today', Buffer.alloc(1))
const greeting = ({ version = 150_000, standby = false }: FakeServer) =>
  Buffer.concat([
    message('T', int16(2), field('version', INT4), field('standby', BOOL)),
    message('D', int16(2), value(String(version)), value(standby ? 't' : 'f')),
    message('C', 'SELECT 1'),
    READY,
  ])

const servers: { close: () => void }[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** Listens as a server without TLS; `received` has what clients began with. */
async function fakeServer(fake: FakeServer): Promise<{ readonly port: number; readonly received: string[] }> {
  const received: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    let isStarted = false
    let queries = 0
    socket.on('data', (bytes: Buffer) => {
      if (!isStarted && bytes.readInt32BE(4) === SSL_REQUEST) {
        received.push('TLS')
        socket.write('N')
        return
      }
      if (!isStarted) {
        isStarted = true
        received.push('plain')
        socket.write(fake.refuses === undefined ? Buffer.concat([message('R', int32(0)), READY]) : error(fake.refuses))
        return
      }
      if (bytes[0] !== 'Q'.charCodeAt(0)) return
      queries++
      socket.write(queries === 1 ? greeting(fake) : Buffer.concat([error(fake.fails ?? 'XX000'), READY]))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  servers.push({
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  })
  return { port: (server.address() as { port: number }).port, received }
}

const addressOf = (hosts: string, query: string) =>
  parseShelfAddress(`postgres://u:secret@${hosts}/d?${query}`) as ShelfAddress

/** Opens a connection with the first server that will do, and gives what came of it. */
async function opened(hosts: string, { query = 'sslmode=disable', changes = false } = {}) {
  const options = { address: addressOf(hosts, query), password: () => 'secret', name: 'test', changes }
  try {
    return await ShelfConnection.open(options)
  } catch (failure) {
    return failure as Error
  }
}

const host = (port: number) => `127.0.0.1:${port}`

describe('a server', () => {
  test.each<[string, FakeServer, boolean, string | undefined]>([
    ['of the oldest version that will do', { version: 150_000 }, true, undefined],
    ['of a version before', { version: 149_999 }, false, 'is PostgreSQL 149999; 15 or newer is needed'],
    ['that is a standby, to read from', { standby: true }, false, undefined],
    ['that is a standby, to change', { standby: true }, true, 'is a standby, which takes no changes'],
  ])('%s', async (_, fake, changes, words) => {
    const { port } = await fakeServer(fake)
    const outcome = await opened(host(port), { changes })
    if (words === undefined) {
      expect(outcome).toBeInstanceOf(ShelfConnection)
      ;(outcome as ShelfConnection).destroy()
    } else expect(outcome).toMatchObject({ message: expect.stringContaining(words) })
  })

  test('is the first of several that will do', async () => {
    const [standby, primary] = [await fakeServer({ standby: true }), await fakeServer({})]
    const outcome = await opened(`${host(standby.port)},${host(primary.port)}`, { changes: true })
    expect(outcome).toBeInstanceOf(ShelfConnection)
    expect([standby.received, primary.received]).toEqual([['plain'], ['plain']])
    ;(outcome as ShelfConnection).destroy()
  })

  test.each<[string, readonly string[], string | undefined]>([
    ['disable', ['plain'], undefined],
    ['allow', ['plain'], undefined],
    ['prefer', ['TLS', 'plain'], undefined],
    ['require', ['TLS'], 'offers no TLS, and sslmode=require requires it'],
  ])('without TLS, for sslmode=%s', async (mode, received, words) => {
    const server = await fakeServer({})
    const outcome = await opened(host(server.port), { query: `sslmode=${mode}` })
    expect(server.received).toEqual([...received])
    if (words === undefined) (outcome as ShelfConnection).destroy()
    else
      expect([outcome instanceof ShelfRefused, (outcome as Error).message]).toEqual([
        true,
        expect.stringContaining(words),
      ])
  })
})

describe('what a server says is wrong', () => {
  test.each<[string, typeof ShelfAway | typeof ShelfRefused]>([
    ['57P03', ShelfAway],
    ['53300', ShelfAway],
    ['08006', ShelfAway],
    ['28P01', ShelfRefused],
    ['3D000', ShelfRefused],
  ])('with %s when it is connected with', async (refuses, type) => {
    const { port } = await fakeServer({ refuses })
    const outcome = await opened(host(port))
    expect(outcome).toBeInstanceOf(type)
    expect(String(outcome)).not.toContain('secret')
  })

  test.each<[string, typeof ShelfAway | typeof ShelfRefused, string]>([
    ['57P01', ShelfAway, 'PostgreSQL is away: '],
    ['58030', ShelfAway, 'PostgreSQL is away: '],
    ['25006', ShelfAway, 'PostgreSQL is away: '],
    ['40001', ShelfAway, 'PostgreSQL is away: '],
    ['42501', ShelfRefused, 'not today; this user lacks a role, see nomenclator shelf roles'],
    ['42P01', ShelfRefused, 'not today (42P01)'],
  ])('with %s to a query', async (fails, type, words) => {
    const { port } = await fakeServer({ fails })
    const connection = (await opened(host(port))) as ShelfConnection
    const failure = await connection.query('SELECT 1').catch((reason: unknown) => reason)
    expect(failure).toBeInstanceOf(type)
    expect((failure as Error).message).toContain(words)
    connection.destroy()
  })
})

test('a closed connection refuses queries at once, and ends those that wait', async () => {
  const { port } = await fakeServer({})
  const connection = (await opened(host(port))) as ShelfConnection
  connection.destroy()
  await connection.closed
  await expect(connection.query('SELECT 1')).rejects.toBeInstanceOf(ShelfAway)
})
