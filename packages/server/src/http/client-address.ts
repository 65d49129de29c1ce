// The address of the client: of the connection, or from a trusted proxy in X-Forwarded headers or in Forwarded (RFC 7239).
import type { BlockList } from 'node:net'
import { net } from '../base/built-ins.ts'
import type { ConnectionInfo, RequestHeaders } from './exchange.ts'

export type ProxyPolicy = {
  /** The addresses of proxies that are believed. */
  readonly trustedProxies: BlockList | undefined
}

const isTrusted = (proxies: BlockList, address: string): boolean =>
  proxies.check(address, address.includes(':') ? 'ipv6' : 'ipv4')

/** True if the request comes from a trusted proxy, so that its headers about the client are believed. */
export function isFromProxy({ trustedProxies }: ProxyPolicy, connection: ConnectionInfo): boolean {
  if (trustedProxies === undefined) return false
  const { peer } = connection
  return peer !== undefined && isTrusted(trustedProxies, peer)
}

/**
 * Chooses the headers that the proxy has written: Forwarded only if there is none of the others. A proxy that sends X-Forwarded
 * headers passes a Forwarded on as the client wrote it.
 */
export const usesForwarded = (headers: RequestHeaders): boolean =>
  headers.get('forwarded') !== undefined &&
  headers.get('x-forwarded-for') === undefined &&
  headers.get('x-forwarded-host') === undefined &&
  headers.get('x-forwarded-proto') === undefined

/**
 * Returns the address of the client in its one usual form. Each proxy appends the address that it was called from, so the list is read from its
 * end: the first address that is no trusted proxy is that of the client. The client may have invented everything before it. If there is no
 * address in that place, the peer counts as the client.
 */
export function clientAddress(policy: ProxyPolicy, headers: RequestHeaders, connection: ConnectionInfo): string {
  const peer = withoutMapping(connection.peer ?? '')
  const { trustedProxies } = policy
  if (trustedProxies === undefined || !isFromProxy(policy, connection)) return peer
  const nodes = usesForwarded(headers)
    ? parseForwarded(headers.get('forwarded') ?? '')?.map((element) => element.get('for') ?? '')
    : headers.get('x-forwarded-for')?.split(',')
  let client = peer
  for (const node of nodes?.toReversed() ?? []) {
    const address = addressOf(node)
    if (address === undefined) return peer
    client = address
    if (!isTrusted(trustedProxies, address)) break
  }
  return client
}

/** The address in a node, which may have a port; undefined for anything else, such as `unknown` or a name. */
function addressOf(node: string): string | undefined {
  const text = node.trim()
  const [, bracketed, plain] = /^(?:\[([^\]]*)\](?::[0-9]{1,5})?|([0-9.]+)(?::[0-9]{1,5})?)$/.exec(text) ?? []
  const address = bracketed ?? plain ?? text
  const version = net().isIP(address)
  if (version === 0 || address.includes('%') || (bracketed !== undefined && version !== 6)) return undefined
  // The system gives addresses in the usual form; a proxy may write them in any.
  return version === 4 ? address : withoutMapping(new URL(`http://[${address}]`).hostname.slice(1, -1))
}

const MAPPED = /^::ffff:(?:([0-9.]+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/

/** An address in its usual form; of IPv4 if it is such an address in the form of IPv6 (RFC 4291, section 2.5.5.2). */
function withoutMapping(address: string): string {
  const [mapped, dotted, high = '', low = ''] = MAPPED.exec(address) ?? []
  if (mapped === undefined) return address
  const [first, second] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return dotted ?? [first >> 8, first & 0xff, second >> 8, second & 0xff].join('.')
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const PAIR = new RegExp(`(${TOKEN})=(?:(${TOKEN})|"((?:[^"\\\\]|\\\\.)*)")`, 'y')
const BLANKS = /[\t ]*/y

/** The elements of a Forwarded header, each with its parameters by lower-case name; undefined if it is malformed. */
export function parseForwarded(text: string): ReadonlyMap<string, string>[] | undefined {
  const elements: Map<string, string>[] = []
  let element = new Map<string, string>()
  for (let at = afterBlanks(text, 0); at < text.length; ) {
    PAIR.lastIndex = at
    const [pair, name = '', token, quoted = ''] = PAIR.exec(text) ?? []
    if (pair !== undefined) {
      const key = name.toLowerCase()
      if (element.has(key)) return undefined
      element.set(key, token ?? quoted.replace(/\\(.)/g, '$1'))
      at = afterBlanks(text, at + pair.length)
      if (at === text.length) break
    }
    const separator = text[at]
    if (separator === ',') {
      if (element.size > 0) elements.push(element)
      element = new Map()
    } else if (separator !== ';') return undefined
    at = afterBlanks(text, at + 1)
  }
  if (element.size > 0) elements.push(element)
  return elements
}

function afterBlanks(text: string, at: number): number {
  BLANKS.lastIndex = at
  BLANKS.exec(text)
  return BLANKS.lastIndex
}

/** A client with IPv6 has at least a network of 64 bits, and may use a new address of it for each request. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  // The zeros that are left out begin in the network, unless it is written out.
  const [written = ''] = address.split('::')
  const groups = [...(written === '' ? [] : written.split(':')), '0', '0', '0', '0']
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::/64`
}
