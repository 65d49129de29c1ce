// A body that is refused while it arrives: one response, at once, nothing of it kept, and the connection goes on after it.
import { describe, expect, test } from 'bun:test'
import type { Socket } from 'bun'
import { FakeSocket } from '../../../../../test/support/fake-socket.ts'
import { serverState } from '../../../../../test/support/server-state.ts'
import { bytesOf } from '../../../../../test/support/wire.ts'
import { type HttpRequest, type HttpResponse, textResponse } from '../exchange.ts'
import { Metrics } from '../observation/metrics.ts'
import { Connection } from './connection.ts'
import { RequestBody } from './request-body.ts'

const PROBLEM = { kind: 'bad-body', wrong: 'it has an x' } as const
/** Refuses a body with an x in it. */
const scanner = () => ({ scan: (bytes: Uint8Array) => (bytes.includes(0x78) ? PROBLEM : undefined) })

function reading(respond = repeated) {
  const metrics = new Metrics()
  const refuse = () => textResponse(400, {}, 'refused by the wire')
  const state = serverState({ respond, refuse, maxBody: () => 100_000, bodyScanner: scanner }, { metrics })
  const socket = new FakeSocket()
  const connection = new Connection(state, socket as unknown as Socket<Connection>)
  return { socket, connection, metrics, receive: (text: string) => connection.receive(bytesOf(text)) }
}

const repeated = ({ path, body, bodyProblem }: HttpRequest): HttpResponse =>
  textResponse(200, {}, `<${path} ${body?.length ?? '-'} ${bodyProblem?.kind ?? 'good'}>`)
const bodies = (sent: string) => sent.match(/<[^>]*>|refused by the wire/g) ?? []

const head = (path: string, field: string) => `POST ${path} HTTP/1.1\r\nHost: a\r\n${field}\r\n\r\n`
const NEXT = 'GET /next HTTP/1.1\r\nHost: a\r\n\r\n'
const sized = `${head('/sized', 'Content-Length: 10')}0123x56789`
const chunked = `${head('/chunked', 'Transfer-Encoding: chunked')}3\r\n01x\r\n7\r\n3456789\r\n0\r\n\r\n`

test.each([
  ['of a length', sized, '</sized 0 bad-body>'],
  ['in chunks', chunked, '</chunked 0 bad-body>'],
])('%s: one response, and the next request follows, in whatever pieces', (_name, text, response) => {
  const all = text + NEXT
  for (let size = 1; size <= all.length; size++) {
    const { socket, connection, receive } = reading()
    for (let at = 0; at < all.length; at += size) receive(all.slice(at, at + size))
    expect(bodies(socket.sent)).toEqual([response, '</next - good>'])
    expect([connection.idle, socket.shut]).toEqual([true, false])
  }
})

test('the response does not wait for the rest, and nothing is kept', () => {
  const { socket, connection, metrics, receive } = reading()
  receive(`${head('/sized', 'Content-Length: 90000')}${'a'.repeat(40_000)}`)
  expect(metrics.unsentBytes).toBeGreaterThanOrEqual(40_000)
  receive('x')
  expect([bodies(socket.sent), metrics.unsentBytes]).toEqual([['</sized 0 bad-body>'], 0])
  receive('a'.repeat(40_000))
  expect([bodies(socket.sent).length, metrics.unsentBytes, connection.busy]).toEqual([1, 0, true])
})

test('a promised response comes before that to the next request', async () => {
  const promised = Promise.withResolvers<HttpResponse>()
  const { socket, receive } = reading(((request: HttpRequest) =>
    request.bodyProblem === undefined ? repeated(request) : promised.promise) as typeof repeated)
  receive(sized + NEXT)
  expect(socket.sent).toBe('')
  promised.resolve(textResponse(200, {}, '<promised>'))
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(bodies(socket.sent)).toEqual(['<promised>', '</next - good>'])
})

describe('there is no second response', () => {
  const begin = `${head('/chunked', 'Transfer-Encoding: chunked')}1\r\nx\r\n`

  test.each([
    ['the rest is not valid', ({ receive }: ReturnType<typeof reading>) => receive('no chunk\r\n')],
    ['the rest is too long', ({ receive }: ReturnType<typeof reading>) => receive('186a1\r\n')],
    ['the rest never comes', ({ connection }: ReturnType<typeof reading>) => connection.timeOut()],
    ['the client stops sending', ({ connection }: ReturnType<typeof reading>) => connection.endInput()],
  ])('if %s; the connection is closed', (_name, act) => {
    const wire = reading()
    wire.receive(begin)
    act(wire)
    expect(bodies(wire.socket.sent)).toEqual(['</chunked 0 bad-body>'])
    expect(wire.socket.shut || wire.socket.closed).toBe(true)
  })
})

test('what is refused is not kept, and its end is found', () => {
  const body = new RequestBody(new Map([['content-length', '9']]), 100, scanner())
  expect([body.take(bytesOf('abc')), body.kept]).toEqual([3, 3])
  expect([body.take(bytesOf('dxf')), body.kept, body.refusal, body.isComplete]).toEqual([3, 0, PROBLEM, false])
  expect([body.take(bytesOf('ghijk')), body.kept, body.bytes.length, body.isComplete]).toEqual([3, 0, 0, true])
  expect(body.problem).toBeUndefined()
})
