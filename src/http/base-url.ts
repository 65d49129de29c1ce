// The base URL of the links in a response.
import type { BlockList } from 'node:net'
import type { ConnectionInfo, RequestHeaders } from './exchange.ts'
import type { Problem } from './problem.ts'

export type BaseUrlPolicy = {
  /** The configured one; without it the base URL follows from the request. */
  readonly baseUrl: string | undefined
  /** The addresses from which X-Forwarded headers are accepted. */
  readonly trustedProxies: BlockList | undefined
}

const NAME = '[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252}[A-Za-z0-9.])?'
const HOST = new RegExp(`^(?:${NAME}|\\[[0-9A-Fa-f:.]{2,45}\\])(?::[0-9]{1,5})?$`)

/** A cache of one: nearly every request is for the same host as the one before. */
let lastValid: string | undefined

/** The pattern alone would accept some impossible ports and addresses. */
function isHost(host: string): boolean {
  if (host === lastValid) return true
  if (!HOST.test(host) || !URL.canParse(`http://${host}`)) return false
  lastValid = host
  return true
}

const badHost = (header: string): Problem => ({
  kind: 'bad-host',
  header,
  expected: 'one host name or address, with a port if needed, such as example.org:8080',
})

export function baseUrlOf(
  policy: BaseUrlPolicy,
  headers: RequestHeaders,
  connection: ConnectionInfo,
): string | Problem {
  if (policy.baseUrl !== undefined) return policy.baseUrl
  const forwarded =
    policy.trustedProxies === undefined ? undefined : fromProxy(policy.trustedProxies, headers, connection)
  if (forwarded !== undefined) return forwarded
  const host = headers.get('host')
  // HTTP/1.0 does not require it.
  if (host === undefined) return connection.listeningUrl
  return isHost(host) ? `http://${host}` : badHost('Host')
}

function fromProxy(
  trusted: BlockList,
  headers: RequestHeaders,
  connection: ConnectionInfo,
): string | Problem | undefined {
  const { peer } = connection
  if (peer === undefined || !trusted.check(peer, peer.includes(':') ? 'ipv6' : 'ipv4')) return undefined
  const scheme = headers.get('x-forwarded-proto') ?? 'http'
  const host = headers.get('x-forwarded-host') ?? headers.get('host')
  if (scheme !== 'http' && scheme !== 'https') {
    return { kind: 'bad-host', header: 'X-Forwarded-Proto', expected: 'http or https' }
  }
  // The HTTP/1.0 health check of a load balancer names no host.
  if (host === undefined) return undefined
  if (!isHost(host)) return badHost(headers.get('x-forwarded-host') !== undefined ? 'X-Forwarded-Host' : 'Host')
  return `${scheme}://${host}`
}
