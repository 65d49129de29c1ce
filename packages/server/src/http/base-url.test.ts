// The base URL of the links of a response, and the hosts that are refused.
import { describe, expect, test } from 'bun:test'
import { BlockList } from 'node:net'
import { outcomeOf } from '../../../../test/support/problems.ts'
import { type BaseUrlPolicy, baseUrlOf } from './base-url.ts'

const LISTENING = 'http://127.0.0.1:8080'
const proxies = new BlockList()
proxies.addSubnet('10.0.0.0', 8)
proxies.addAddress('::1', 'ipv6')

const plain: BaseUrlPolicy = { baseUrl: undefined, trustedProxies: undefined }
const proxied: BaseUrlPolicy = { baseUrl: undefined, trustedProxies: proxies }
const fixed: BaseUrlPolicy = { baseUrl: 'https://fixed.test/v', trustedProxies: proxies }

const baseUrl = (policy: BaseUrlPolicy, headers: Record<string, string>, peer: string | undefined = '10.1.2.3') =>
  baseUrlOf(policy, new Map(new Headers(headers)), { listeningUrl: LISTENING, peer })

const refusal = (policy: BaseUrlPolicy, headers: Record<string, string>) => outcomeOf(() => baseUrl(policy, headers))

const forwarded = { Host: 'inner.test', 'X-Forwarded-Host': 'outer.test:8443', 'X-Forwarded-Proto': 'https' }
const HOST = 'one host name or address, with a port if needed, such as example.org:8080'

describe('the base URL is', () => {
  test.each<[string, BaseUrlPolicy, Record<string, string>, string]>([
    ['the configured one', fixed, { Host: 'a.test' }, 'https://fixed.test/v'],
    ['the configured one, whatever the Host', fixed, { Host: '<script>' }, 'https://fixed.test/v'],
    ['the configured one, whatever a proxy forwards', fixed, forwarded, 'https://fixed.test/v'],
    ['that of Host', plain, { Host: 'a.test' }, 'http://a.test'],
    ['that of Host with a port', plain, { Host: 'a.test:81' }, 'http://a.test:81'],
    ['that of Host as an address', plain, { Host: '192.0.2.1' }, 'http://192.0.2.1'],
    ['that of Host as an IPv6 address', plain, { Host: '[2001:db8::1]:81' }, 'http://[2001:db8::1]:81'],
    [
      'that of Host as an IPv6 address with an IPv4 tail',
      plain,
      { Host: '[::ffff:1.2.3.4]' },
      'http://[::ffff:1.2.3.4]',
    ],
    ['that of Host with a last dot', plain, { Host: 'a.test.' }, 'http://a.test.'],
    ['that of Host with an underscore', plain, { Host: 'my_host' }, 'http://my_host'],
    ['where the service listens if there is no Host', plain, {}, LISTENING],
    [
      'where the service listens if the proxy names no host either',
      proxied,
      { 'X-Forwarded-Proto': 'https' },
      LISTENING,
    ],
    ['that of Host where no proxy is trusted', plain, forwarded, 'http://inner.test'],
    ['that of a trusted proxy', proxied, forwarded, 'https://outer.test:8443'],
    ['that of Host with the scheme of a proxy', proxied, { Host: 'a', 'X-Forwarded-Proto': 'https' }, 'https://a'],
    ['that of a proxy without a scheme', proxied, { 'X-Forwarded-Host': 'b' }, 'http://b'],
    ['that of a proxy in capitals', proxied, { Host: 'a', 'X-Forwarded-Proto': 'HTTPS' }, 'https://a'],
    [
      'that of the first of several proxies',
      proxied,
      { Host: 'a', 'X-Forwarded-Proto': 'https, http', 'X-Forwarded-Host': 'outer.test:8443 , inner.test' },
      'https://outer.test:8443',
    ],
    ['that of the first without blanks', proxied, { Host: 'a', 'X-Forwarded-Proto': 'https,http' }, 'https://a'],
    ['that of Forwarded', proxied, { Host: 'a', Forwarded: 'for=192.0.2.1;proto=https;host=b.test' }, 'https://b.test'],
    [
      'that of the first in Forwarded',
      proxied,
      { Host: 'a', Forwarded: 'for=192.0.2.1;Proto="HTTPS";Host="b.test:81", for=10.0.0.1;proto=http;host=c' },
      'https://b.test:81',
    ],
    [
      'that of the first in Forwarded that names one',
      proxied,
      { Host: 'a', Forwarded: 'for=192.0.2.1, proto=https, host=b.test' },
      'https://b.test',
    ],
    ['that of Host, if Forwarded names none', proxied, { Host: 'a', Forwarded: 'for=192.0.2.1' }, 'http://a'],
    [
      'that of X-Forwarded headers, if there is a Forwarded too',
      proxied,
      { ...forwarded, Forwarded: 'proto=http;host=evil.test' },
      'https://outer.test:8443',
    ],
    [
      'not that of a Forwarded beside any X-Forwarded header',
      proxied,
      { Host: 'a', 'X-Forwarded-Proto': 'https', Forwarded: 'host=evil.test' },
      'https://a',
    ],
    ['that of Host, whatever a stranger forwards', plain, { Host: 'a', Forwarded: 'host=b;proto=https' }, 'http://a'],
  ])('%s', (_, policy, headers, url) => expect(baseUrl(policy, headers)).toBe(url))
})

describe('a proxy is trusted by its address:', () => {
  test.each<[string, string | undefined, boolean]>([
    ['in the range', '10.255.255.255', true],
    ['in the range, as a mapped IPv6 address', '::ffff:10.1.2.3', true],
    ['IPv6', '::1', true],
    ['just outside the range', '11.0.0.0', false],
    ['another IPv6', '::2', false],
    ['unknown', undefined, false],
  ])('%s', (_, peer, trusted) => {
    const url = baseUrlOf(proxied, new Map(new Headers(forwarded)), { listeningUrl: LISTENING, peer })
    expect(url).toBe(trusted ? 'https://outer.test:8443' : 'http://inner.test')
  })
})

describe('refused is a host', () => {
  test.each([
    ['that is empty', ''],
    ['with a space', 'a b'],
    ['with a user', 'u@a.test'],
    ['with a path', 'a.test/b'],
    ['with a query', 'a.test?b'],
    ['with a fragment', 'a.test#b'],
    ['with a backslash', 'a\\b'],
    ['with markup', '<b>'],
    ['with an encoded line end', 'a%0d%0a'],
    ['with two names', 'a.test, b.test'],
    ['with a scheme', 'http://a'],
    ['beyond ASCII', 'ñ.test'],
    ['with letters for a port', 'a:80x'],
    ['with no port after the colon', 'a:'],
    ['with a port that is too high', 'a:65536'],
    ['that begins with a hyphen', '-a.test'],
    ['that begins with a dot', '.a.test'],
    ['that ends with a hyphen', 'a-'],
    ['that is half an address', '[::1'],
    ['that is an impossible address', '[::::]'],
    ['that is a number and no address', '256.256.256.256'],
    ['that is an address with a zone', '[fe80::1%25eth0]'],
    ['with a tab', 'a\tb'],
    ['with a port of too many digits', 'a.test:123456'],
    ['with two ports', 'a.test:80:80'],
    ['that is too long', 'a'.repeat(255)],
  ])('%s', (_, host) => {
    expect(refusal(plain, { Host: host })).toEqual({ kind: 'bad-host', header: 'Host', expected: HOST })
    expect(refusal(proxied, { Host: host })).toEqual({ kind: 'bad-host', header: 'Host', expected: HOST })
    const quoted = `"${host.replaceAll('\\', '\\\\')}"`
    expect(refusal(proxied, { Host: 'a', Forwarded: `host=${quoted}` })).toEqual({
      kind: 'bad-host',
      header: 'The host of Forwarded',
      expected: HOST,
    })
    // In a list of hosts the first one counts.
    if (host.includes(',')) return
    expect(refusal(proxied, { Host: 'a', 'X-Forwarded-Host': host })).toEqual({
      kind: 'bad-host',
      header: 'X-Forwarded-Host',
      expected: HOST,
    })
  })
})

test.each(['for=a;for=b', 'host=a:80', 'proto'])('refused is a Forwarded that is malformed: %s', (value) => {
  expect(refusal(proxied, { Host: 'a', Forwarded: value })).toMatchObject({ kind: 'bad-host', header: 'Forwarded' })
  expect(baseUrl(plain, { Host: 'a', Forwarded: value })).toBe('http://a')
})

test('refused is a scheme of Forwarded that is not of the web', () => {
  expect(refusal(proxied, { Host: 'a', Forwarded: 'proto=ws' })).toMatchObject({ header: 'The proto of Forwarded' })
})

test.each(['', 'ws', ',https', 'ws, https', 'javascript'])('refused is the scheme "%s" of a proxy', (scheme) => {
  expect(refusal(proxied, { Host: 'a', 'X-Forwarded-Proto': scheme })).toEqual({
    kind: 'bad-host',
    header: 'X-Forwarded-Proto',
    expected: 'http or https',
  })
})

test('an empty host is refused also when it is the first of all', async () => {
  // Another instance of the module, whose cache is empty.
  const fresh: typeof import('./base-url.ts') = await import(`${import.meta.dir}/base-url.ts?fresh`)
  const connection = { listeningUrl: LISTENING, peer: undefined }
  expect(() => fresh.baseUrlOf(plain, new Map([['host', '']]), connection)).toThrow(
    expect.objectContaining({ problem: { kind: 'bad-host', header: 'Host', expected: HOST } }),
  )
})

test('the address of the client is not looked up unless a proxy is trusted', () => {
  const connection = {
    listeningUrl: LISTENING,
    get peer(): string {
      throw new Error('looked up')
    },
  }
  expect(baseUrlOf(plain, new Map(new Headers(forwarded)), connection)).toBe('http://inner.test')
  expect(baseUrlOf(fixed, new Map(new Headers(forwarded)), connection)).toBe('https://fixed.test/v')
})
