// The base URL of the links in a response.
import { isFromProxy, type ProxyPolicy, parseForwarded, usesForwarded } from './client-address.ts'
import type { ConnectionInfo, RequestHeaders } from './exchange.ts'
import { ProblemError } from './problem.ts'

export type BaseUrlPolicy = ProxyPolicy & {
  /** The configured one; without it the base URL follows from the request. */
  readonly baseUrl: string | undefined
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

const badHost = (
  header: string,
  expected = 'one host name or address, with a port if needed, such as example.org:8080',
): ProblemError => new ProblemError({ kind: 'bad-host', header, expected })

export function baseUrlOf(policy: BaseUrlPolicy, headers: RequestHeaders, connection: ConnectionInfo): string {
  if (policy.baseUrl !== undefined) return policy.baseUrl
  const forwarded = isFromProxy(policy, connection) ? fromProxy(headers) : undefined
  if (forwarded !== undefined) return forwarded
  const host = headers.get('host')
  // HTTP/1.0 does not require it.
  if (host === undefined) return connection.listeningUrl
  if (!isHost(host)) throw badHost('Host')
  return `http://${host}`
}

/** Returns the base URL that a trusted proxy was called with. Each proxy of a chain appends to the lists, so the first entry counts. */
function fromProxy(headers: RequestHeaders): string | undefined {
  const origin = usesForwarded(headers) ? fromForwarded(headers) : fromLists(headers)
  const scheme = origin.scheme?.toLowerCase() ?? 'http'
  if (scheme !== 'http' && scheme !== 'https') throw badHost(origin.schemeHeader, 'http or https')
  const host = origin.host ?? headers.get('host')
  // The HTTP/1.0 health check of a load balancer names no host.
  if (host === undefined) return undefined
  if (!isHost(host)) throw badHost(origin.host === undefined ? 'Host' : origin.hostHeader)
  return `${scheme}://${host}`
}

type ForwardedOrigin = {
  readonly scheme: string | undefined
  readonly schemeHeader: string
  readonly host: string | undefined
  readonly hostHeader: string
}

const firstOf = (list: string | undefined) => list?.split(',', 1)[0]?.trim()

const fromLists = (headers: RequestHeaders): ForwardedOrigin => ({
  scheme: firstOf(headers.get('x-forwarded-proto')),
  schemeHeader: 'X-Forwarded-Proto',
  host: firstOf(headers.get('x-forwarded-host')),
  hostHeader: 'X-Forwarded-Host',
})

function fromForwarded(headers: RequestHeaders): ForwardedOrigin {
  const elements = parseForwarded(headers.get('forwarded') ?? '')
  if (elements === undefined) throw badHost('Forwarded', 'a list of RFC 7239, such as for=192.0.2.1;proto=https')
  const first = (name: string) => elements.find((element) => element.has(name))?.get(name)
  return {
    scheme: first('proto'),
    schemeHeader: 'The proto of Forwarded',
    host: first('host'),
    hostHeader: 'The host of Forwarded',
  }
}
