// Under which address the service presents itself in the links of an answer.
import type { BlockList } from 'node:net'
import type { Connection, RequestHeaders } from './exchange.ts'
import type { Problem } from './problem.ts'

export type BaseUrlPolicy = {
  /** Configured; otherwise it follows from the request. */
  readonly baseUrl: string | undefined
  /** Whose forwarded headers are believed. */
  readonly trustedProxies: BlockList | undefined
}

const NAME = '[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252}[A-Za-z0-9.])?'
const HOST = new RegExp(`^(?:${NAME}|\\[[0-9A-Fa-f:.]{2,45}\\])(?::[0-9]{1,5})?$`)

/** Nearly every request is for the same host as the one before. */
let lastSound: string | undefined

/** The shape lets through some ports and addresses that there cannot be. */
function isHost(host: string): boolean {
  if (host === lastSound) return true
  if (!HOST.test(host) || !URL.canParse(`http://${host}`)) return false
  lastSound = host
  return true
}

const badHost = (header: string): Problem => ({
  kind: 'bad-host',
  header,
  expected: 'one host name or address, with a port if needed, such as example.org:8080',
})

export function baseUrlOf(policy: BaseUrlPolicy, headers: RequestHeaders, connection: Connection): string | Problem {
  if (policy.baseUrl !== undefined) return policy.baseUrl
  const forwarded =
    policy.trustedProxies === undefined ? undefined : fromProxy(policy.trustedProxies, headers, connection)
  if (forwarded !== undefined) return forwarded
  const host = headers.get('host')
  // HTTP/1.0 knows no Host.
  if (host === undefined) return connection.own
  return isHost(host) ? `http://${host}` : badHost('Host')
}

function fromProxy(trusted: BlockList, headers: RequestHeaders, connection: Connection): string | Problem | undefined {
  const { peer } = connection
  if (peer === undefined || !trusted.check(peer, peer.includes(':') ? 'ipv6' : 'ipv4')) return undefined
  const scheme = headers.get('x-forwarded-proto') ?? 'http'
  const host = headers.get('x-forwarded-host') ?? headers.get('host')
  if (scheme !== 'http' && scheme !== 'https') {
    return { kind: 'bad-host', header: 'X-Forwarded-Proto', expected: 'http or https' }
  }
  // A load balancer that asks in HTTP/1.0 whether the service lives names no host.
  if (host === undefined) return undefined
  if (!isHost(host)) return badHost(headers.get('x-forwarded-host') !== undefined ? 'X-Forwarded-Host' : 'Host')
  return `${scheme}://${host}`
}
