// Drives the polite client against servers that misbehave.
import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { OperationalError } from '../../base/operational-error.ts'
import { version } from '../../base/version.ts'
import { PoliteClient, type Politeness, Refused } from './client.ts'

setDefaultTimeout(180_000)

type Handler = (request: Request, count: number) => Response | Promise<Response>

const QUICK: Politeness = { rate: undefined, timeout: 60_000, retries: 2, backoff: 1 }
const never = new AbortController().signal
const hanging = () => new Promise<Response>(() => {})
const running: { stop(now: boolean): Promise<void> }[] = []

afterEach(async () => {
  for (const server of running.splice(0)) await server.stop(true)
})

/** A server on a free port, with the time and the target of every request that came. */
function serverOf(handler: Handler) {
  const requests: { readonly at: number; readonly target: string; readonly headers: Headers }[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch: (request) => {
      const { pathname, search } = new URL(request.url)
      requests.push({ at: performance.now(), target: pathname + search, headers: request.headers })
      return handler(request, requests.length)
    },
  })
  running.push(server)
  return { url: `http://127.0.0.1:${server.port}`, requests }
}

const get = (url: string, options: Partial<Politeness> = {}, signal = never) =>
  new PoliteClient({ ...QUICK, ...options }).get(url, signal)

const failureOf = async (url: string, options: Partial<Politeness> = {}): Promise<string> => {
  const error = await get(url, options).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(OperationalError)
  return error.message
}

test('sends who it is and what it accepts', async () => {
  const { url, requests } = serverOf(() => new Response('[1]'))
  const { body, headers } = await get(`${url}/a?page=2`)
  expect([new TextDecoder().decode(body), headers.get('content-length')]).toEqual(['[1]', '3'])
  expect(requests[0]?.target).toBe('/a?page=2')
  expect(requests[0]?.headers.get('accept')).toBe('application/json')
  expect(requests[0]?.headers.get('user-agent')).toBe(`nomenclator/${version}`)
})

describe('retries', () => {
  test.each([429, 502, 503, 504])('after %i', async (status) => {
    const { url, requests } = serverOf((_, count) => (count === 1 ? new Response('', { status }) : new Response('[]')))
    await get(url)
    expect(requests).toHaveLength(2)
  })

  test('when the connection breaks off in the middle of the body', async () => {
    const requests: string[] = []
    const response = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\n${body}`
    const server = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        data: (socket, data) => {
          socket.end(response(requests.push(String(data)) === 1 ? '[' : '[12]'))
        },
      },
    })
    const { body } = await get(`http://127.0.0.1:${server.port}`)
    server.stop(true)
    expect([new TextDecoder().decode(body), requests.length]).toEqual(['[12]', 2])
  })

  test('no sooner than Retry-After says', async () => {
    const busy = () => new Response('', { status: 503, headers: { 'Retry-After': '1' } })
    const { url, requests } = serverOf((_, count) => (count === 1 ? busy() : new Response('[]')))
    await get(url)
    const [first, second] = requests.map(({ at }) => at)
    expect(Number(second) - Number(first)).toBeGreaterThan(950)
  })

  test('and holds all other requests back meanwhile', async () => {
    const busy = () => new Response('', { status: 429, headers: { 'Retry-After': '1' } })
    const { url, requests } = serverOf((_, count) => (count === 1 ? busy() : new Response('[]')))
    const client = new PoliteClient({ ...QUICK, retries: 0 })
    expect(await client.get(url, never).catch((thrown) => thrown)).toBeInstanceOf(OperationalError)
    await client.get(url, never)
    const [first, second] = requests.map(({ at }) => at)
    expect(Number(second) - Number(first)).toBeGreaterThan(950)
  })
})

describe('gives up', () => {
  test('after as many attempts as it may make, and says why', async () => {
    const { url, requests } = serverOf(() => new Response('', { status: 503 }))
    expect(await failureOf(`${url}/a`)).toBe(
      `${url}/a was requested 3 times without success; the last time: status 503; run the same command again to continue where it stopped`,
    )
    expect(requests).toHaveLength(3)
  })

  test('on a server that never responds', async () => {
    const { url } = serverOf(hanging)
    const message = await failureOf(url, { timeout: 50, retries: 1 })
    expect(message).toContain(
      'was requested 2 times without success; the last time: no complete response within 0.05 s',
    )
  })

  test('on a server that never ends its response', async () => {
    const { url } = serverOf(() => new Response(new ReadableStream({ start: (to) => to.enqueue('[') })))
    expect(await failureOf(url, { timeout: 50, retries: 0 })).toContain('no complete response within 0.05 s')
  })

  test('where nothing listens', async () => {
    const { url } = serverOf(hanging)
    await running.splice(0)[0]?.stop(true)
    expect(await failureOf(url)).toContain(
      `${url} was requested 3 times without success; the last time: the connection was refused (ECONNREFUSED)`,
    )
  })

  test('on a server that requests too long a pause', async () => {
    const { url, requests } = serverOf(() => new Response('', { status: 503, headers: { 'Retry-After': '86400' } }))
    expect(await failureOf(url)).toContain('asks for a pause of 86400 s')
    expect(requests).toHaveLength(1)
  })
})

describe('refuses, without a retry,', () => {
  const problem = (value: unknown) => JSON.stringify(value)
  test.each([
    [
      'a 404 with a problem',
      404,
      problem({ title: 'Gone', detail: 'Page 9 was\u0007 asked for.' }),
      ': Page 9 was  asked for.',
    ],
    ['a 400 with a title alone', 400, problem({ title: 'Bad' }), ': Bad'],
    ['a 500 with a page of HTML', 500, '<h1>Oh no</h1>', ''],
    ['a 403 with JSON null', 403, 'null', ''],
    ['a 204', 204, '', ''],
  ])('%s', async (_, status, body, words) => {
    const headers = { 'Content-Type': body.startsWith('<') ? 'text/html' : 'application/problem+json' }
    const { url, requests } = serverOf(() => new Response(status === 204 ? null : body, { status, headers }))
    const error = await get(`${url}/a`).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(Refused)
    expect(error.message).toBe(`${url}/a responds with ${status}${words}`)
    expect(requests).toHaveLength(1)
  })
})

describe('redirects', () => {
  const to = (location: string, status = 302) => new Response('', { status, headers: { Location: location } })

  test('are followed on the same host', async () => {
    const { url, requests } = serverOf((_, count) => (count === 1 ? to('/b/?page=2', 308) : new Response('[]')))
    await get(`${url}/a?page=2`)
    expect(requests.map(({ target }) => target)).toEqual(['/a?page=2', '/b/?page=2'])
  })

  test('are not followed to another', async () => {
    const other = serverOf(() => new Response('[]'))
    const { url } = serverOf(() => to(`${other.url}/a`))
    expect(await failureOf(`${url}/a`)).toBe(
      `${url}/a redirects to ${other.url}/a, which is not followed; give that address if it is right`,
    )
    expect(other.requests).toEqual([])
  })

  test.each([['file:///etc/passwd'], ['//elsewhere.invalid/a'], ['data:,[]']])(
    'are not followed to %s',
    async (location) => {
      const { url } = serverOf(() => to(location))
      expect(await failureOf(url)).toContain('which is not followed')
    },
  )

  test('are not followed by another protocol than https on the same host', async () => {
    const { url } = serverOf(() => to(`ftp://${new URL(url).host}/a`))
    expect(await failureOf(url)).toContain('which is not followed')
  })

  test('are not followed for ever', async () => {
    const { url, requests } = serverOf(() => to('/again'))
    expect(await failureOf(url)).toContain('is redirected more than 3 times')
    expect(requests).toHaveLength(4)
  })

  test('must say where to', async () => {
    const { url } = serverOf(() => new Response('', { status: 301 }))
    expect(await failureOf(url)).toContain('responds with 301 without a location to go to')
  })
})

test('an abort ends a request under way with its reason', async () => {
  const controller = new AbortController()
  const { url } = serverOf(() => {
    controller.abort(new Error('enough'))
    return hanging()
  })
  await expect(get(url, {}, controller.signal)).rejects.toThrow('enough')
})

test.each([
  ['of 64 MB is read', 64 << 20, false],
  ['of more is refused', (64 << 20) + 1, true],
])('a body %s', async (_, bytes, isRefused) => {
  const { url } = serverOf(() => new Response(new Uint8Array(bytes)))
  if (isRefused) expect(await failureOf(url)).toContain('responds with more than 64 MB')
  else expect((await get(url)).body.length).toBe(bytes)
})

test('keeps to the rate with many requests at once', async () => {
  const { url, requests } = serverOf(() => new Response('[]'))
  const client = new PoliteClient({ ...QUICK, rate: 50 })
  const began = performance.now()
  await Promise.all(Array.from({ length: 11 }, () => client.get(url, never)))
  expect(Number(requests.at(-1)?.at) - began).toBeGreaterThan(195)
})
