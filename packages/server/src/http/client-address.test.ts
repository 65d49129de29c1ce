// Whose address a request counts for, whatever the client and the proxies between write.
import { describe, expect, test } from 'bun:test'
import { BlockList } from 'node:net'
import fc from 'fast-check'
import { clientAddress, parseForwarded } from './client-address.ts'

const proxies = new BlockList()
proxies.addSubnet('10.0.0.0', 8)
proxies.addAddress('::1', 'ipv6')
const PEER = '10.0.0.1'

const client = (
  headers: Record<string, string>,
  peer: string | undefined = PEER,
  trusted: BlockList | undefined = proxies,
) => clientAddress({ trustedProxies: trusted }, new Map(Object.entries(headers)), { listeningUrl: '', peer })

const list = (value: string) => client({ 'x-forwarded-for': value })
const forwarded = (value: string) => client({ forwarded: value })

describe('the client is', () => {
  test.each([
    [
      'the peer, if no proxy is trusted',
      client({ 'x-forwarded-for': '192.0.2.1' }, '192.0.2.9', new BlockList()),
      '192.0.2.9',
    ],
    ['the peer, if it is no trusted proxy', client({ 'x-forwarded-for': '192.0.2.1' }, '192.0.2.9'), '192.0.2.9'],
    ['the peer, if the proxy says nothing', client({}), PEER],
    ['unknown, if there is no peer', client({ 'x-forwarded-for': '192.0.2.1' }, ''), ''],
    ['the only one in the list', list('192.0.2.1'), '192.0.2.1'],
    ['the last in the list, as the ones before may be invented', list('203.0.113.5, 192.0.2.1'), '192.0.2.1'],
    ['the last that is no trusted proxy', list('203.0.113.5, 192.0.2.1, 10.0.0.2, 10.0.0.3'), '192.0.2.1'],
    ['the first, if all are trusted proxies', list('10.0.0.4, 10.0.0.2'), '10.0.0.4'],
    ['one with a port', list('192.0.2.1:4711'), '192.0.2.1'],
    ['one of IPv6', list('2001:db8::1'), '2001:db8::1'],
    ['one of IPv6 with a port', list('[2001:db8::1]:4711'), '2001:db8::1'],
    ['one of IPv4 in the form of IPv6', list('::ffff:192.0.2.1'), '192.0.2.1'],
    ['the peer, if the last is a name', list('192.0.2.1, a.test'), PEER],
    ['the peer, if the last is empty', list('192.0.2.1,'), PEER],
    ['the peer, if the last is no address', list('192.0.2.256'), PEER],
    ['the peer, if the last is an address of IPv4 in brackets', list('[192.0.2.1]'), PEER],
    ['the peer, if the last is an address with a zone', list('fe80::1%eth0'), PEER],
    ['the peer, if there is something else behind a trusted one', list('unknown, 10.0.0.2'), PEER],
    ['the one of Forwarded', forwarded('for=192.0.2.1'), '192.0.2.1'],
    ['the last of Forwarded', forwarded('for=203.0.113.5, For="192.0.2.1:80";proto=https, for=10.0.0.9'), '192.0.2.1'],
    ['one of IPv6 in Forwarded', forwarded('For="[2001:db8:cafe::17]:4711"'), '2001:db8:cafe::17'],
    ['the peer, if Forwarded hides it', forwarded('for=_hidden'), PEER],
    ['the peer, if Forwarded does not know it', forwarded('for=unknown'), PEER],
    ['the peer, if Forwarded names none', forwarded('proto=https'), PEER],
    ['the peer, if Forwarded is malformed', forwarded('for=192.0.2.1;for=192.0.2.2'), PEER],
    [
      'the one of X-Forwarded-For, if there is a Forwarded too',
      client({ forwarded: 'for=192.0.2.1', 'x-forwarded-for': '192.0.2.2' }),
      '192.0.2.2',
    ],
    [
      'the peer, if the proxy sends X-Forwarded-Proto and the client Forwarded',
      client({ forwarded: 'for=192.0.2.1', 'x-forwarded-proto': 'https' }),
      PEER,
    ],
  ])('%s', (_name, found, expected) => expect(found).toBe(expected))
})

describe('however a proxy writes it', () => {
  test.each<[address: string, forms: string[]]>([
    [
      '192.0.2.1',
      [
        ' 192.0.2.1\t',
        '192.0.2.1:4711',
        '::ffff:192.0.2.1',
        '::FFFF:192.0.2.1',
        '::ffff:c000:201',
        '::FFFF:C000:0201',
        '0:0:0:0:0:ffff:192.0.2.1',
        '0000:0000:0000:0000:0000:ffff:c000:0201',
        '0::0:ffff:c000:201',
        '[::ffff:192.0.2.1]',
        '[::ffff:c000:201]:4711',
      ],
    ],
    ['0.0.0.1', ['::ffff:0.0.0.1', '::ffff:0:1']],
    [
      '2001:db8::1',
      ['2001:DB8::1', '2001:0db8:0:0:0:0:0:1', '2001:db8:0::0:1', '2001:db8::0.0.0.1', '[2001:Db8::0001]:4711'],
    ],
  ])('%s is one client', (address, forms) => {
    expect(forms.map(list)).toEqual(forms.map(() => address))
    const elements = forms.filter((form) => !form.includes(' ')).map((form) => forwarded(`for="${form}"`))
    expect(new Set(elements)).toEqual(new Set([address]))
  })

  test.each([
    '192.000.002.001',
    '192.0.2.01',
    '::ffff:192.0.2.01',
    '0xc0.0.2.1',
    '3221225985',
    '192.0.513',
    '::ffff:192.0.2',
  ])('%s, which some read in another way, is no address', (form) => expect(list(form)).toBe(PEER))

  test('a trusted proxy is one in any form', () => {
    expect(list('192.0.2.1, ::ffff:a00:2, 0:0::ffff:10.0.0.3, 0:0:0:0:0:0:0:1')).toBe('192.0.2.1')
  })

  test('a peer of IPv4 on a socket of IPv6 is one of IPv4', () => {
    expect(client({}, '::ffff:192.0.2.9')).toBe('192.0.2.9')
    expect(client({ 'x-forwarded-for': '192.0.2.1' }, '::ffff:10.0.0.1')).toBe('192.0.2.1')
  })

  test('every address of IPv6 has one form', () => {
    const groups = fc.array(fc.oneof(fc.constant(0), fc.nat(0xffff)), { minLength: 8, maxLength: 8 })
    fc.assert(
      fc.property(groups, (all) => {
        const long = all.map((group) => group.toString(16).padStart(4, '0').toUpperCase()).join(':')
        const short = all.map((group) => group.toString(16)).join(':')
        const compressed = short.replace(/(?:^|:)0(?::0)+(?:$|:)/, '::')
        expect(new Set([long, short, compressed].map((form) => list(`203.0.113.5, ${form}`))).size).toBe(1)
      }),
    )
  })
})

const trustedOnes = fc.array(
  fc.ipV4().map((address) => address.replace(/^\d+/, '10')),
  { maxLength: 4 },
)
const untrusted = fc.ipV4().filter((address) => !address.startsWith('10.'))
const junk = fc.array(fc.oneof(fc.ipV4(), fc.string()), { maxLength: 4 })

test('whatever a client invents, it counts by the address that the first trusted proxy saw', () => {
  fc.assert(
    fc.property(junk, untrusted, trustedOnes, (invented, real, between) => {
      expect(list([...invented, real, ...between].join(', '))).toBe(real)
    }),
  )
  const elements = fc.array(
    fc.ipV4().map((address) => `for=${address}`),
    { maxLength: 4 },
  )
  fc.assert(
    fc.property(elements, untrusted, trustedOnes, (invented, real, between) => {
      expect(forwarded([...invented, ...[real, ...between].map((one) => `for="${one}"`)].join(','))).toBe(real)
    }),
  )
})

test('no header makes it fail, and the client is always an address', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii' }), fc.constantFrom('x-forwarded-for', 'forwarded'), (value, name) => {
      expect(client({ [name]: value })).toMatch(/^[0-9a-f.:]+$/i)
    }),
  )
})

describe('Forwarded', () => {
  test.each<[string, Record<string, string>[]]>([
    ['for="_gazonk"', [{ for: '_gazonk' }]],
    ['For="[2001:db8:cafe::17]:4711"', [{ for: '[2001:db8:cafe::17]:4711' }]],
    ['for=192.0.2.60;proto=http;by=203.0.113.43', [{ for: '192.0.2.60', proto: 'http', by: '203.0.113.43' }]],
    ['for=192.0.2.43, for=198.51.100.17', [{ for: '192.0.2.43' }, { for: '198.51.100.17' }]],
    ['host="a.test:80" ; proto=https\t,for=b', [{ host: 'a.test:80', proto: 'https' }, { for: 'b' }]],
    ['host="a\\"b,c;d"', [{ host: 'a"b,c;d' }]],
    ['for=a;;proto=http;', [{ for: 'a', proto: 'http' }]],
    [',for=a,,', [{ for: 'a' }]],
    ['', []],
  ])('%s is understood', (text, elements) =>
    expect(parseForwarded(text)?.map((element) => Object.fromEntries(element))).toEqual(elements),
  )

  test.each([
    'for',
    'for=',
    'for=a b',
    'for = a',
    'for="a',
    'for=a"b"',
    'for=[::1]',
    'host=a:80',
    'for=a;for=b',
    '=a',
    'for=a for=b',
    '"a"=b',
  ])('%s is malformed', (text) => expect(parseForwarded(text)).toBeUndefined())

  test('is read as it was written', () => {
    const quoted = fc.string().map((value) => [value, `"${value.replace(/["\\]/g, '\\$&')}"`] as const)
    const names = fc.uniqueArray(fc.constantFrom('for', 'by', 'host', 'proto', 'ext'), { minLength: 1 })
    const element = names.chain((all) =>
      fc.tuple(...all.map((name) => quoted.map(([value, text]) => ({ name, value, text })))),
    )
    fc.assert(
      fc.property(fc.array(element), (elements) => {
        const text = elements.map((pairs) => pairs.map((pair) => `${pair.name}=${pair.text}`).join(';')).join(', ')
        const expected = elements.map((pairs) => Object.fromEntries(pairs.map(({ name, value }) => [name, value])))
        expect(parseForwarded(text)?.map((one) => Object.fromEntries(one))).toEqual(expected)
      }),
    )
  })
})
