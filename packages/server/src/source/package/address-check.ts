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
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  notPublic.addSubnet(network, bits, 'ipv4')
for (const [network, bits] of [
  ['::', 127],
  ['64:ff9b::', 32],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  notPublic.addSubnet(network, bits, 'ipv6')

const MAPPED = /^::ffff:(?:([0-9.]+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i

export function isPublicAddress(address: string): boolean {
  const [, dotted, high, low] = MAPPED.exec(address) ?? []
  if (dotted !== undefined) return isPublicAddress(dotted)
  if (high !== undefined && low !== undefined) {
    const [first, second] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
    return isPublicAddress([first >> 8, first & 255, second >> 8, second & 255].join('.'))
  }
  const family = isIP(address)
  return family !== 0 && !notPublic.check(address, family === 4 ? 'ipv4' : 'ipv6')
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
