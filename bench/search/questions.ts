// Asks the service in its own process: the same function that answers the network, without the network.
import { createApp } from '../../src/http/app.ts'
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.ts'
import type { Release } from '../../src/release/release.ts'

export type Ask = (target: string, headers?: Readonly<Record<string, string>>) => HttpResponse

const BASE_URL = 'http://localhost'
const CONNECTION = { peer: undefined, listeningUrl: BASE_URL }

/** Ready to answer at once: API v2 is loaded with its first answer. */
export async function askerOf(release: () => Release): Promise<Ask> {
  const app = createApp({
    release,
    policy: { baseUrl: BASE_URL, trustedProxies: undefined },
    logError: (error) => {
      throw error
    },
  })
  await app(askedOf('/api/v2', {}), CONNECTION)
  return (target, headers = {}) => {
    const answer = app(askedOf(target, headers), CONNECTION)
    if (answer instanceof Promise) throw new Error(`${target} is not answered at once`)
    return answer
  }
}

function askedOf(target: string, headers: Readonly<Record<string, string>>): HttpRequest {
  const [path = '', query = ''] = target.split('?')
  return { method: 'GET', path, query, headers: { get: (name) => headers[name] } }
}

/** The same release to whoever reads it, but a stranger to the memory of answers. */
export const unremembered = (release: Release): Release => ({ ...release })

export const queryOf = (parameters: readonly (readonly [name: string, value: string | number])[]): string =>
  parameters.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')
