// The health check distinguishes a ready service from one that is not ready, and from none.
import { expect, test } from 'bun:test'
import { createServer, type Socket } from 'node:net'
import { recordingTerminal } from '../../../../../test/support/command.ts'
import { UsageError } from '../flags/flags.ts'
import { run } from '../run.ts'

async function health(env: Record<string, string>, ...flags: string[]) {
  const { said, terminal } = recordingTerminal()
  return { code: await run(['health', ...flags], env, terminal), ...said }
}

function service(status: number, body: string) {
  const paths: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => {
      paths.push(new URL(request.url).pathname)
      return new Response(body, { status })
    },
  })
  return { server, paths, [Symbol.dispose]: () => void server.stop(true) }
}

test('ready, at the address in ADMIN and past a proxy of the environment', async () => {
  using ready = service(200, 'ready\n')
  for (const host of ['127.0.0.1', '0.0.0.0', ''])
    expect(await health({ ADMIN: `${host}:${ready.server.port}`, HTTP_PROXY: 'http://127.0.0.1:1' })).toEqual({
      code: 0,
      out: '200 ready\n',
      err: '',
    })
  expect(new Set(ready.paths)).toEqual(new Set(['/readyz']))
})

test('a service on all addresses responds at the loopback address', async () => {
  const { err } = await health({}, '--admin', '[::]:1', '--timeout', '1')
  expect(err).toStartWith('No response from http://[::1]:1/readyz: ')
})

test('not ready, with the reason', async () => {
  using draining = service(503, 'draining')
  expect(await health({}, '--admin', `127.0.0.1:${draining.server.port}`)).toEqual({
    code: 1,
    out: '',
    err: '503 draining\n',
  })
})

test('at the port of the service itself', async () => {
  using plain = service(200, '{}')
  const { port } = plain.server
  expect(await health({}, '--port', String(port))).toEqual({
    code: 0,
    out: `200 http://127.0.0.1:${port}/api/v1 responds\n`,
    err: '',
  })
  plain.server.stop(true)
  const { code, err } = await health({}, '--port', String(port))
  expect([code, err.includes('nomenclator serve')]).toEqual([1, true])
})

test('nobody there, and one who never responds', async () => {
  const clients: Socket[] = []
  const server = createServer((client) => clients.push(client))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const silent = await health({}, '--admin', `127.0.0.1:${port}`, '--timeout', '1')
  expect([silent.code, silent.out]).toEqual([1, ''])
  expect(silent.err).toStartWith(`No response from http://127.0.0.1:${port}/readyz: `)
  for (const client of clients) client.destroy()
  await new Promise((resolve) => server.close(resolve))
  const { code, err } = await health({}, '--admin', `127.0.0.1:${port}`)
  expect([code, err.includes('nomenclator health --port 8080')]).toEqual([1, true])
})

test.each(['nonsense', '127.0.0.1', '127.0.0.1:0', 'a b:1'])('refuses %s', async (address) => {
  expect(await health({}, '--admin', address).catch((error) => error)).toBeInstanceOf(UsageError)
})
