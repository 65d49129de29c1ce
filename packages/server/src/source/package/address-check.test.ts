// Packages are not fetched from this machine and its network, however the address is written.
import { expect, test } from 'bun:test'
import { isPublicAddress, publicAddress } from './address-check.ts'

test.each([
  ['127.0.0.1', false],
  ['10.1.2.3', false],
  ['169.254.169.254', false],
  ['172.31.0.1', false],
  ['192.168.1.1', false],
  ['100.64.0.1', false],
  ['0.0.0.0', false],
  ['192.88.99.1', false],
  ['192.88.98.1', true],
  ['::1', false],
  ['::', false],
  ['::ffff:127.0.0.1', false],
  ['::ffff:7f00:1', false],
  ['fe80::1', false],
  ['fd00::1', false],
  ['64:ff9b::7f00:1', false],
  ['::7f00:1', false],
  ['::127.0.0.1', false],
  ['fec0::1', false],
  ['::ffff:0:127.0.0.1', false],
  ['::ffff:0:7f00:1', false],
  ['::ffff:93.184.216.34', false],
  ['1fff::1', false],
  ['4000::1', false],
  ['2002:7f00:1::', false],
  ['2001:db8::1', false],
  ['not an address', false],
  ['93.184.216.34', true],
  ['172.32.0.1', true],
  ['2606:4700::1111', true],
])('%s is public: %p', (address, expected) => {
  expect(isPublicAddress(address)).toBe(expected)
})

test.each([
  'http://127.1/x',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://[::1]:8000/',
  'https://[::ffff:127.0.0.1]/',
])('%s is refused', async (url) => {
  await expect(publicAddress(new URL(url))).rejects.toThrow('an address of this machine or of its network')
})

test('a name is refused if one of its machines is', async () => {
  const look = async () => [{ address: '93.184.216.34' }, { address: '10.0.0.1' }]
  await expect(publicAddress(new URL('https://example.org'), look)).rejects.toThrow('(10.0.0.1)')
  const one = async () => [{ address: '93.184.216.34' }]
  expect(await publicAddress(new URL('https://example.org'), one)).toBe('93.184.216.34')
})
