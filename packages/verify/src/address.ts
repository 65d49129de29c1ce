// Finds the service that a URL means: its base comes before /api/v1, however much of the rest was typed.
import { collections, pathOf, V1_PATH } from './contract.ts'
import { WrongCall } from './flags.ts'

/** Returns the base without a slash at its end, the collection that the URL names, if any, and if the base is shorter than the URL. */
export function parseAddress(given: string) {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw new WrongCall(
      `${JSON.stringify(given)} is not the http or https address of a service, such as https://catalogs.example.org`,
    )
  if (`${url.username}${url.password}` !== '')
    throw new WrongCall('give the address without name and password: no request of API v1 needs a credential')
  if (`${url.search}${url.hash}` !== '') throw new WrongCall(`give the address without ${url.search || url.hash}`)
  const path = url.pathname.replace(/\/+$/, '')
  const only = collections.find((collection) => path.endsWith(pathOf(collection)))
  const suffix = only !== undefined ? pathOf(only) : path.endsWith(V1_PATH) ? V1_PATH : ''
  const base = `${url.origin}${path.slice(0, path.length - suffix.length)}`
  return { base, only, shortened: base !== given.replace(/\/+$/, '') }
}
