// Starting and stopping the server.
import { afterAll, expect, test } from 'bun:test'
import { message, send, sendAll } from '../../../../../test/support/wire.ts'
import type { App } from '../app.ts'
import { type HttpRequest, textResponse } from '../exchange.ts'
import { urlOf } from '../wire/server.ts'
import { CannotListen, serve } from './serve.ts'

const LOCAL = { host: '127.0.0.1', port: 0 }
const stops: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const stop of stops) await stop()
})

function started(app: App) {
  const server = serve(app, LOCAL)
  stops.push(() => server.stop(0))
  return server
}

test('knows where it listens, and the address of the client', async () => {
  const server = started((_request, { listeningUrl, peer }) => textResponse(200, {}, `${listeningUrl} ${peer}`))
  expect(server.url).toBe(`http://127.0.0.1:${server.port}`)
  const { body } = await send(server.url, message('GET', '/', 'Host: a'))
  expect(body).toBe(`${server.url} 127.0.0.1`)
})

test('refuses a port that is in use, with what to do about it', () => {
  const { port } = started(() => textResponse(200, {}, ''))
  const again = () => serve(() => textResponse(200, {}, ''), { ...LOCAL, port })
  expect(again).toThrow(CannotListen)
  expect(again).toThrow(`port ${port} on 127.0.0.1 is in use; choose another with --port or PORT`)
})

test('refuses an address of another machine, with what to do about it', () => {
  const elsewhere = () => serve(() => textResponse(200, {}, ''), { host: '192.0.2.1', port: 0 })
  expect(elsewhere).toThrow(CannotListen)
  expect(elsewhere).toThrow(/^cannot listen on 192\.0\.2\.1, port 0 \(\w+\); choose others with --host and --port$/)
})

test('has clients close before it stops, and accepts none when it has stopped', async () => {
  let stopped: Promise<void> | undefined
  const server = started(({ path }) => {
    if (path === '/stop') stopped = server.stop(1_000)
    return textResponse(200, {}, path)
  })
  const [before, during] = [
    await send(server.url, message('GET', '/', 'Host: a')),
    await send(server.url, message('GET', '/stop', 'Host: a')),
  ]
  expect([before.body, before.headers.Connection]).toEqual(['/', undefined])
  expect([during.body, during.headers.Connection]).toEqual(['/stop', 'close'])
  await stopped
  await expect(send(server.url, message('GET', '/', 'Host: a'))).rejects.toThrow('hung up')
})

test('reads the bodies that the app wants, and the connection stays', async () => {
  const app = ({ method, body }: HttpRequest) =>
    textResponse(200, {}, `${method} ${Buffer.from(body ?? []).toString()}`)
  const server = started(Object.assign(app, { maxBody: () => 5 }))
  const post = (text: string) => message('POST', '/', 'Host: a', `Content-Length: ${text.length}`) + text
  const responses = await sendAll(server.url, post('hello'), message('GET', '/', 'Host: a'), post('hello!'))
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 413])
  expect(responses.slice(0, 2).map(({ body }) => body)).toEqual(['POST hello', 'GET '])
})

test.each([
  ['127.0.0.1', 80, 'http://127.0.0.1:80'],
  ['localhost', 8080, 'http://localhost:8080'],
  ['::1', 8080, 'http://[::1]:8080'],
])('the address of %s and %i', (host, port, url) => expect(urlOf(host, port)).toBe(url))
