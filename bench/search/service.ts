// The service in this process, without the network.

import { createApp } from '../../packages/server/src/http/app.ts'
import { find } from '../../packages/server/src/query/finder.ts'
import { aliasesOf } from '../../packages/server/src/release/aliases.ts'
import { ReleaseStore } from '../../packages/server/src/release/home/release-store.ts'
import { Release } from '../../packages/server/src/release/release.ts'

export type Get = (target: string, encoding?: string) => { readonly status: number; readonly body: unknown }

export type LocalityQuery = {
  /** Fields that must have these values. */
  readonly equal?: Readonly<Record<string, number>>
  readonly words?: readonly string[]
  readonly byName?: true
}
/** The positions of a page, and the number of all that match: found before anything is rendered. */
export type FoundPage = { readonly total: number; readonly positions: ArrayLike<number> }

export type Service = {
  readonly get: Get
  /** `get` without the cache of earlier results. */
  readonly getUncached: Get
  readonly json: <T>(target: string) => T
  /** The number of aliases of localities. */
  readonly aliases: number
  /** Finds localities, each time that it is called with an empty cache of results. */
  readonly newFinder: () => (query: LocalityQuery, limit: number) => FoundPage
}

/** Ready to respond at once: API v2 is loaded with its first request. */
export async function openService(home: string): Promise<Service> {
  const release = new ReleaseStore(home).openCurrent()
  if (release === undefined) throw new Error(`there is no release in ${home}`)
  // Results are cached for each release object.
  const entities = new Map([...release.catalog.entities.keys()].map((name) => [name, release.entity(name)]))
  const uncached = () => new Release(release.manifest, release.catalog, entities)
  const own = 'http://localhost'
  const appOn = async (current: () => Release): Promise<Get> => {
    const policy = { baseUrl: own, trustedProxies: undefined }
    const app = createApp({
      release: current,
      policy,
      logError: (error) => {
        throw error
      },
    })
    const send = (target: string, encoding?: string) => {
      const [path = '', query = ''] = target.split('?')
      const headers = { get: (name: string) => (name === 'accept-encoding' ? encoding : undefined) }
      return app({ method: 'GET', path, query, headers }, { peer: undefined, listeningUrl: own })
    }
    await send('/api/v2')
    return (target, encoding) => {
      const response = send(target, encoding)
      if (response instanceof Promise) throw new Error(`${target} is not answered at once`)
      return response
    }
  }
  const get = await appOn(() => release)
  return {
    aliases: aliasesOf(release, 'localidad')?.aliases.length ?? 0,
    get,
    getUncached: await appOn(uncached),
    json: (target) => {
      const { status, body } = get(target)
      const text = new TextDecoder().decode(body as Uint8Array)
      if (status !== 200) throw new Error(`${target}: ${text}`)
      return JSON.parse(text)
    },
    newFinder: () => {
      const fresh = uncached()
      return ({ equal = {}, words = [], byName }, limit) => {
        const found = find(fresh, 'localidad', {
          filters: Object.entries(equal).map(([field, value]) => ({
            steps: [field],
            match: 'equals',
            values: [value],
          })),
          words,
          sorts: byName ? [{ steps: ['descLocalidad'], descending: false }] : [],
        })
        return { total: found.total, positions: found.slice(0, limit) }
      }
    },
  }
}
