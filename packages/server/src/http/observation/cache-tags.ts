// Tags by which a cache in front is purged when another release becomes current.
import type { Release } from '../../release/release.ts'
import { type App, appOf, type Parse, parsedBy } from '../app.ts'
import { type HttpResponse, whenReady, withHeaders } from '../exchange.ts'

const DIGITS = 12
const RELEASE = /^X-Release: ([0-9a-f]{64})\r$/m

/** The tag of every response that is not read from a release that the request names. */
const CURRENT = 'current'

/** The app with the tags of every response that a cache may keep. API v1 has no other header of its release. */
export function withCacheTags(app: App, current: () => Release): App {
  const parse: Parse = (...given) => {
    // A page of API v1 is made at once, so this is the release that it is from.
    const { digest } = current()
    return whenReady(parsedBy(app)(...given), ({ cost, respond }) => ({
      cost,
      respond: () => whenReady(respond(), (response) => tagged(response, digest)),
    }))
  }
  return appOf(parse, app)
}

function tagged(response: HttpResponse, current: string): HttpResponse {
  const { head, status } = response
  if (status >= 400 || head.includes('no-store')) return response
  const digest = RELEASE.exec(head)?.[1] ?? current
  const tags = [`release-${digest.slice(0, DIGITS)}`, ...(head.includes('immutable') ? [] : [CURRENT])]
  return withHeaders(response, { 'Surrogate-Key': tags.join(' '), 'Cache-Tag': tags.join(',') })
}
