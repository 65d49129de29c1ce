// The values of the flags of serve that take some reading: what they become, and what is refused.
import { describe, expect, test } from 'bun:test'
import { BlockList } from 'node:net'
import { addresses, adminAddress, baseUrl, byteSize, choiceOf, rateLimit, scrubHours, yesOrNo } from './serve-values.ts'

describe('byteSize', () => {
  test.each([
    ['0', 0],
    ['1234', 1_234],
    ['64K', 64_000],
    ['500M', 500_000_000],
    ['500MB', 500_000_000],
    ['2g', 2_000_000_000],
    ['1T', 1_000_000_000_000],
  ])('%s', (given, expected) => expect(byteSize(given)).toBe(expected))

  test.each(['', 'M', '-1', '1.5G', '1 G', '2X', '999999999999T', '0x10'])('%p is refused', (given) =>
    expect(byteSize(given)).toEqual({ allowed: 'a number of bytes, such as 500M or 2G; 0 for none' }),
  )
})

describe('baseUrl', () => {
  test.each([
    ['http://example.org', 'http://example.org'],
    ['https://example.org/', 'https://example.org'],
    ['https://example.org:8443', 'https://example.org:8443'],
    ['https://example.org/catalogs/v1', 'https://example.org/catalogs/v1'],
    ['https://example.org/catalogs/', 'https://example.org/catalogs'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
    ['http://a_b.example', 'http://a_b.example'],
  ])('%s', (given, expected) => expect(baseUrl(given)).toBe(expected))

  test.each([
    ['no scheme', 'example.org'],
    ['another scheme', 'ftp://example.org'],
    ['no host', 'https://'],
    ['a query', 'https://example.org/?a=1'],
    ['a fragment', 'https://example.org/#a'],
    ['a name and password', 'https://user:secret@example.org'],
    ['a blank', 'https://example.org /'],
    ['a line end, which would begin another header', 'https://example.org\r\nX: 1'],
    ['what would end the address in a Link header', 'https://example.org/>'],
    ['an empty part of a path', 'https://example.org//a'],
    ['a port that cannot be', 'https://example.org:65536'],
    ['an address that cannot be', 'http://[::1'],
    ['nothing', ''],
  ])('refuses %s', (_, given) =>
    expect(baseUrl(given)).toEqual({
      allowed: 'an http or https address without query, such as https://catalogs.example.org',
    }),
  )
})

describe('addresses', () => {
  function listOf(text: string): BlockList {
    const list = addresses(text)
    if (!(list instanceof BlockList)) throw new Error(`${text} was refused`)
    return list
  }

  test.each([
    ['one address', '10.0.0.1', ['10.0.0.1'], ['10.0.0.2', '::1']],
    ['a range', '10.1.0.0/16', ['10.1.0.0', '10.1.255.255'], ['10.2.0.0', '10.0.255.255']],
    ['all of a kind', '0.0.0.0/0', ['1.2.3.4'], ['::1']],
    ['an address of version 6', '::1', ['::1'], ['::2', '127.0.0.1']],
    ['a range of version 6', 'fd00::/8', ['fd00::1', 'fdff::1'], ['fe00::1']],
    ['several, with blanks', '10.0.0.1, ::1 ,192.168.0.0/24', ['10.0.0.1', '::1', '192.168.0.9'], ['192.168.1.1']],
  ])('%s', (_, given, inside, outside) => {
    const list = listOf(given)
    const has = (address: string) => list.check(address, address.includes(':') ? 'ipv6' : 'ipv4')
    expect([inside.map(has), outside.map(has)]).toEqual([inside.map(() => true), outside.map(() => false)])
  })

  test.each([
    ['a name', 'localhost'],
    ['an address that is cut short', '10.0.0'],
    ['too large a number', '10.0.0.256'],
    ['too many bits', '10.0.0.0/33'],
    ['too many bits for version 6', '::/129'],
    ['bits that are no number', '10.0.0.0/x'],
    ['no bits', '10.0.0.0/'],
    ['two ranges in one', '10.0.0.0/8/8'],
    ['a port', '10.0.0.1:80'],
    ['nothing', ''],
    ['nothing after a comma', '10.0.0.1,'],
    ['one that is wrong among others', '10.0.0.1,nonsense,::1'],
  ])('refuses %s', (_, given) =>
    expect(addresses(given)).toEqual({ allowed: 'addresses, with /bits for a range, separated by commas' }),
  )
})

describe('adminAddress', () => {
  test.each([
    ['8081', '127.0.0.1', 8081],
    ['0', '127.0.0.1', 0],
    ['127.0.0.1:8081', '127.0.0.1', 8081],
    ['0.0.0.0:0', '0.0.0.0', 0],
    ['localhost:8081', 'localhost', 8081],
    ['[::1]:8081', '::1', 8081],
    ['[::]:65535', '::', 65_535],
  ])('%s', (given, host, port) => expect(adminAddress(given)).toEqual({ host, port }))

  test.each([
    '',
    ':8081',
    '127.0.0.1',
    '127.0.0.1:',
    '::1:8081',
    '[::1]',
    '[127.0.0.1]:80',
    'a b:80',
    '65536',
    'x:99999',
    'http://a:80',
    '-1',
  ])('refuses %p', (given) => expect(adminAddress(given)).toHaveProperty('allowed'))
})

describe('rateLimit', () => {
  test.each([
    ['1/s', 1, 1],
    ['20/s', 20, 1],
    ['600/m', 600, 60],
    ['1000000/s', 1_000_000, 1],
  ])('%s', (given, requests, windowSeconds) => expect(rateLimit(given)).toEqual({ requests, windowSeconds }))

  test.each([
    '',
    '20',
    '0/s',
    '-1/s',
    '1.5/s',
    '20/h',
    '20/',
    '20 /s',
    '/s',
    '1000001/s',
    'a/s',
    '20/sec',
    '1/__proto__',
  ])('refuses %p', (given) => expect(rateLimit(given)).toHaveProperty('allowed'))
})

test('choiceOf takes one of several words, and names them', () => {
  const format = choiceOf(['auto', 'text', 'json'])
  expect([format('text'), format('TEXT'), format('')]).toEqual([
    'text',
    { allowed: 'auto, text or json' },
    { allowed: 'auto, text or json' },
  ])
})

describe('yesOrNo', () => {
  test.each([
    ['', true],
    ['1', true],
    ['TRUE', true],
    ['yes', true],
    ['on', true],
    ['0', false],
    ['false', false],
    ['No', false],
    ['off', false],
  ])('"%s" is %p', (given, expected) => expect(yesOrNo(given)).toBe(expected))

  test.each(['2', 'never', ' 1'])('refuses "%s"', (given) =>
    expect(yesOrNo(given)).toEqual({ allowed: '1, true, yes, on, or 0, false, no, off' }),
  )
})

describe('scrubHours', () => {
  test.each<[string, number | 'off']>([
    ['off', 'off'],
    ['daily', 24],
    ['1h', 1],
    ['6h', 6],
    ['8760h', 8_760],
  ])('%s is %p', (given, expected) => expect(scrubHours(given)).toBe(expected))

  test.each(['', 'h', '0h', '8761h', '6', '1.5h', '-1h', '6 h', 'weekly', '6H'])('refuses "%s"', (given) =>
    expect(scrubHours(given)).toEqual({ allowed: 'off, daily, or hours from 1h to 8760h' }),
  )
})
