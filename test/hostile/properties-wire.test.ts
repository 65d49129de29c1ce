// Whatever bytes are sent, every response is whole and one of the expected kinds, and the server keeps running.
import { afterAll, afterEach, expect, test } from 'bun:test'
import fc from 'fast-check'
import { bodyOf } from '../support/expected.ts'
import { releaseOf } from '../support/releases.ts'
import { serverOf } from '../support/server.ts'
import { countries, smallSource } from '../support/small-source.ts'
import { bytesOf, type HttpResponse, message, open, parseResponse, readUntilClosed, send } from '../support/wire.ts'

const NUM_RUNS = 250
const release = await releaseOf(smallSource({ pais: countries(25) }))
const server = serverOf(() => release)
const { url, host } = server
afterAll(server.close)

const page = message('GET', '/api/v1/paises', `Host: ${host}`)
// The first request loads modules: a client of HTTP/1.0 that has stopped sending is not waited with for long.
await send(url, message('GET', '/', `Host: ${host}`, 'Accept: text/html'))

afterEach(async () => {
  expect((await send(url, page)).body).toBe(bodyOf(countries(25), 1))
  expect(server.logged).toEqual([])
})

/** Sends the pieces one after the other, ends the input, and reads until the server closes. */
async function received(pieces: readonly string[]): Promise<Buffer> {
  const socket = open(url, { allowHalfOpen: true })
  const all = readUntilClosed(socket)
  for (const piece of pieces) await new Promise((resolve) => socket.write(bytesOf(piece), resolve))
  socket.end()
  return bytesOf(await all)
}

const INTERIM = 'HTTP/1.1 100 Continue\r\n\r\n'

/** The responses of which the bytes consist, with nothing but interim responses before, between or after them. */
function responsesIn(bytes: Buffer): HttpResponse[] {
  const responses: HttpResponse[] = []
  for (let rest = bytes; rest.length > 0; ) {
    if (rest.toString('latin1', 0, INTERIM.length) === INTERIM) {
      rest = rest.subarray(INTERIM.length)
      continue
    }
    const found = parseResponse(rest, false)
    if (found === undefined) throw new Error(`half a response: ${rest.toString('latin1')}`)
    responses.push(found.response)
    rest = rest.subarray(found.length)
  }
  return responses
}

function expectKnown({ status, headers, body }: HttpResponse): void {
  expect([200, 304, 308, 400, 404, 405, 414, 431]).toContain(status)
  const isPage = headers['Content-Type']?.startsWith('text/html')
  expect([headers.Allow, headers.Vary, headers['Access-Control-Allow-Origin']]).toEqual(
    isPage
      ? ['GET, HEAD, OPTIONS', 'Accept, Accept-Encoding, Accept-Language, Cookie', undefined]
      : ['GET, HEAD, OPTIONS', 'Accept', '*'],
  )
  expect([undefined, 'close', 'keep-alive']).toContain(headers.Connection)
  if (status < 400) return
  expect(headers['Content-Type']).toBe('application/problem+json')
  expect(JSON.parse(body)).toMatchObject({ type: expect.stringMatching(/^urn:nomenclator:problem:/), status })
}

const any = fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)) })

// No HEAD among them: the parser could not know which of the responses has no body.
const lines = fc.tuple(
  fc.constantFrom('GET', 'GET', 'GET', 'POST', 'OPTIONS', 'TRACE', 'get', ''),
  fc.constantFrom('/', '/api/v1/paises', '/api/v1/paises?page=2', '/api/v1/paises/', '/a/../b', '*', 'http://a/', ''),
  fc.constantFrom('HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'http/1.1', ''),
)
const fields = fc.array(
  fc.oneof(
    fc.constantFrom(
      'If-None-Match: *',
      'Connection: close',
      'Connection: keep-alive',
      'Content-Length: 0',
      'Content-Length: 7',
      'Content-Length: 1e3',
      'Transfer-Encoding: chunked',
      'Transfer-Encoding : chunked',
      'Expect: 100-continue',
      'Upgrade: h2c',
      'Host: evil.test',
      ' folded',
      `X: ${'x'.repeat(2_000)}`,
    ),
    any,
  ),
  { maxLength: 4 },
)
const requests = fc
  .tuple(lines, fc.constantFrom(`Host: ${host}`, `Host: ${host}`, 'host:\ta.test ', 'Host:', 'X: y'), fields)
  .map(([line, hostLine, others]) => `${[line.join(' '), hostLine, ...others].join('\r\n')}\r\n\r\n`)

/** Requests in which some bytes are replaced by others. */
const mutations = fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(4), any), { maxLength: 3 })
const mutated = fc.tuple(requests, mutations).map(([text, changes]) =>
  changes.reduce((changed, [where, out, put]) => {
    const at = Math.floor(where * changed.length)
    return changed.slice(0, at) + put + changed.slice(at + out)
  }, text),
)

const isBlank = (text: string) => /^(?:\r\n)*$/.test(text)

test('bytes of any kind', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(any, { maxLength: 3 }), async (pieces) => {
      const responses = responsesIn(await received(pieces))
      responses.forEach(expectKnown)
      // An incomplete request is refused, unless it is empty.
      expect(responses.length > 0).toBe(!isBlank(pieces.join('')))
    }),
    { numRuns: NUM_RUNS },
  )
})

test('requests with mistakes in them, alone and one after the other', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(requests, mutated, fc.constant(page)), { minLength: 1 }), async (pieces) => {
      const responses = responsesIn(await received(pieces))
      responses.forEach(expectKnown)
      expect(responses.length).toBeGreaterThan(0)
      // Nothing follows a response with Connection: close.
      const last = responses.findIndex(({ headers }) => headers.Connection === 'close')
      expect([-1, responses.length - 1]).toContain(last)
    }),
    { numRuns: NUM_RUNS },
  )
})

test('whatever follows an announced body gets no response', async () => {
  const announcements = fc.constantFrom('Content-Length: 5', 'Content-Length: 100000', 'Transfer-Encoding: chunked')
  await fc.assert(
    fc.asyncProperty(announcements, fc.array(fc.oneof(any, requests)), async (field, pieces) => {
      const announcing = message('POST', '/api/v1/paises', `Host: ${host}`, field)
      const responses = responsesIn(await received([announcing, ...pieces]))
      expect(responses.map(({ status, headers }) => [status, headers.Connection])).toEqual([[405, 'close']])
    }),
    { numRuns: NUM_RUNS / 2 },
  )
})
