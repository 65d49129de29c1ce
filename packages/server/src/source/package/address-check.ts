// Which addresses a package may be fetched from: none of the machine itself or of its own network, unless that is allowed.
import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { OperationalError } from '../../base/operational-error.ts'

const notPublic = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  // Relays from IPv4 to 6to4, which the next machine with such an address may be.
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  notPublic.addSubnet(network, bits, 'ipv4')
const global = new BlockList()
global.addSubnet('2000::', 3, 'ipv6')
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  notPublic.addSubnet(network, bits, 'ipv6')

/** Of IPv6 only the addresses that are given out for the internet are public: all others lead to this machine, its network or IPv4. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !notPublic.check(address, 'ipv4')
  return family === 6 && global.check(address, 'ipv6') && !notPublic.check(address, 'ipv6')
}

type Lookup = (host: string) => Promise<readonly { readonly address: string }[]>

const lookUp: Lookup = (host) => lookup(host, { all: true, order: 'ipv4first' })

/** The address of the host. Throws where it, or another of the machines that its name stands for, is not public. */
export async function publicAddress(url: URL, look: Lookup = lookUp): Promise<string> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const addresses = isIP(host) === 0 ? (await look(host)).map(({ address }) => address) : [host]
  const [first] = addresses
  const refused = addresses.find((address) => !isPublicAddress(address))
  if (refused === undefined && first !== undefined) return first
  const at = refused === host ? '' : ` (${refused})`
  throw new OperationalError(
    `${url.origin} is an address of this machine or of its network${at}, from which no package is read; if that is meant, give --allow-private-addresses`,
  )
}
