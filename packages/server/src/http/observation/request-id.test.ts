// The origin of the id of a request.
import { expect, test } from 'bun:test'
import { BlockList } from 'node:net'
import { RequestId } from './request-id.ts'

const proxies = new BlockList()
proxies.addAddress('10.0.0.1')

const idOf = (given: string | undefined, peer: string, trustedProxies: BlockList | undefined = proxies) => {
  const headers = new Map(given === undefined ? [] : [['x-request-id', given]])
  const request = { method: 'GET', path: '/', query: '', headers }
  return new RequestId({ trustedProxies }, request, { listeningUrl: '', peer }).value
}
const MADE = /^[0-9a-f]{12}-[0-9a-z]+$/

test.each(['a', '7b0f0e6c-5c1e-4b43-9b0e-2f1f3f0f7a11', 'Root=1-67891233-abcdef012345678912345678', 'x'.repeat(128)])(
  'it is that of a trusted proxy: %s',
  (given) => expect(idOf(given, '10.0.0.1')).toBe(given),
)

test.each([undefined, '', 'a b', 'a"b', 'a\tb', 'é', '<b>', 'a, b', 'x'.repeat(129)])(
  'it is made where the proxy gives none that is sound: %p',
  (given) => expect(idOf(given, '10.0.0.1')).toMatch(MADE),
)

test('it is made for whoever is not trusted', () => {
  expect(idOf('a', '192.0.2.1')).toMatch(MADE)
  expect(idOf('a', '10.0.0.1', new BlockList())).toMatch(MADE)
  expect(new RequestId({ trustedProxies: proxies }, undefined, undefined).value).toMatch(MADE)
})

test('it stays the same however often it is read, and is another for each request', () => {
  const one = new RequestId({ trustedProxies: undefined }, undefined, undefined)
  expect(one.value).toBe(one.value)
  const others = Array.from({ length: 1_000 }, () => idOf(undefined, '192.0.2.1'))
  expect(new Set([one.value, ...others]).size).toBe(1_001)
})
