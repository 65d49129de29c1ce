// Which service a URL means: its base is what stands before /api/v1, however much of the rest was typed.

import { V1_PATH, v1PathOf } from '../base/api-v1.ts'
import { OperationalError } from '../base/operational-error.ts'
import { type CatalogCollection, v1Collections } from '../catalog/collections.ts'
import { builtInCatalog } from '../source/built-in.ts'

export const collections = v1Collections(builtInCatalog)

export type TargetAddress = {
  /** The address before /api/v1, without a slash at its end. */
  readonly base: string
  /** The collection that the URL names, if it names one. */
  readonly only: CatalogCollection | undefined
  /** Whether the base is less than what was given. */
  readonly shortened: boolean
}

export function parseAddress(given: string): TargetAddress {
  const url = URL.parse(given)
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw new OperationalError(
      `${JSON.stringify(given)} is not the http or https address of a service, such as https://catalogs.example.org`,
    )
  if (`${url.username}${url.password}` !== '')
    throw new OperationalError('give the address without name and password: no request of API v1 needs a credential')
  if (`${url.search}${url.hash}` !== '')
    throw new OperationalError(`give the address without ${url.search || url.hash}`)
  const path = url.pathname.replace(/\/+$/, '')
  const only = collections.find((collection) => path.endsWith(v1PathOf(collection)))
  const base = `${url.origin}${path.slice(0, path.length - suffixOf(path, only).length)}`
  return { base, only, shortened: base !== given.replace(/\/+$/, '') }
}

const suffixOf = (path: string, only: CatalogCollection | undefined) =>
  only !== undefined ? v1PathOf(only) : path.endsWith(V1_PATH) ? V1_PATH : ''
