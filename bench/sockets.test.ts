// The load generator over sockets: responses in any pieces, all requests in turn, at the requested rate.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ResponseReader, sendBySockets } from './sockets.ts'

const responseOf = (status: number, length: number, body = 'x'.repeat(length)) =>
  `HTTP/1.1 ${status} Whatever\r\nDate: today\r\nContent-Length: ${length}\r\n\r\n${body}`

test('responses are read from whatever pieces they come in', () => {
  const responses = fc.array(fc.tuple(fc.constantFrom(200, 304, 500), fc.nat(60)), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(responses, fc.infiniteStream(fc.integer({ min: 1, max: 80 })), (expected, sizes) => {
      const reader = new ResponseReader(true)
      const statuses: number[] = []
      for (const [status, length] of expected) {
        // A 304 has the length of the body that it does not have.
        const bytes = Buffer.from(responseOf(status, length, status === 304 ? '' : undefined))
        for (let at = 0; at < bytes.length; ) {
          const size = sizes.next().value as number
          const complete = reader.read(bytes.subarray(at, at + size))
          at += size
          if (complete === undefined) continue
          expect(at).toBeGreaterThanOrEqual(bytes.length)
          statuses.push(complete)
        }
      }
      expect(statuses).toEqual(expected.map(([status]) => status))
    }),
  )
})

test('a response to HEAD has no body, and more than was announced is an error', () => {
  expect(new ResponseReader(false).read(Buffer.from(responseOf(200, 10, '')))).toBe(200)
  expect(() => new ResponseReader(true).read(Buffer.from(responseOf(200, 1, 'xx')))).toThrow('longer')
})

describe('over sockets', () => {
  const serverOf = (status: number) => {
    const paths: string[] = []
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: ({ url }) => {
        paths.push(new URL(url).pathname)
        return new Response('hello', { status })
      },
    })
    return { port: server.port as number, paths, [Symbol.dispose]: () => void server.stop(true) }
  }
  const requests = ['/a', '/b', '/c'].map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`))
  const how = { requests, connections: 4, hasBody: true, seconds: 0.2 }
  /** However fast the machine is, ten milliseconds pass whenever a request has reached the server. */
  const clockOf = ({ paths }: { readonly paths: readonly string[] }) => {
    let begun = false
    return () => {
      if (begun) return paths.length * 10 + 5
      begun = true
      return 0
    }
  }

  test('every request comes in its turn, and as many as the rate says', async () => {
    using server = serverOf(200)
    const sending = { ...how, port: server.port, rate: 100, now: clockOf(server) }
    const { requests: count, errors } = await sendBySockets(sending)
    expect({ errors, count }).toEqual({ errors: 0, count: 20 })
    expect(server.paths).toEqual(Array.from({ length: count }, (_, at) => ['/a', '/b', '/c'][at % 3] as string))
  })

  test('without a rate there are as many as the server responds to', async () => {
    using server = serverOf(200)
    const sending = { ...how, port: server.port, rate: undefined, now: clockOf(server) }
    const { requests: count, errors } = await sendBySockets(sending)
    expect({ errors, count }).toEqual({ errors: 0, count: server.paths.length })
    expect(count).toBeGreaterThanOrEqual(how.connections)
  })

  test('responses other than 2xx and 304 are errors', async () => {
    using server = serverOf(500)
    const sending = { ...how, port: server.port, rate: 100, now: clockOf(server) }
    const { requests: count, errors } = await sendBySockets(sending)
    expect({ errors, count }).toEqual({ errors: 20, count: 20 })
  })
})
