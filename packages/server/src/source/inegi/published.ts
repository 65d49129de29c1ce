// The files that INEGI publishes on the web: where they are, how they are downloaded, and what to do when that fails.
import { OperationalError } from '../../base/operational-error.ts'
import { type DownloadOptions, download } from '../download.ts'
import { type NamedFile, UnusableZip } from '../unusable-zip.ts'
import { startsLikeZip } from '../zip.ts'

/** The catalog of localities, which names their municipalities and states too. */
export const LOCALITIES_URL = 'https://www.inegi.org.mx/contenidos/app/ageeml/catun_localidad.zip'
const PAGE = 'https://www.inegi.org.mx/app/ageeml/'
const BY_HAND = `download the zip by hand from ${PAGE} and give it: nomenclator import inegi FILE`

export type PublishedFile = NamedFile & { readonly isUnchanged: boolean; readonly discard: () => void }

export const isAddress = (given: string): boolean => /^https?:\/\//i.test(given)

/** The name of a published file is its address. */
export async function downloadPublished(
  address: string,
  options: Omit<DownloadOptions, 'wrongStart' | 'advice'>,
): Promise<PublishedFile> {
  const { href, origin, pathname } = parseAddress(address)
  const file = await download(href, { ...options, wrongStart, advice: BY_HAND })
  // The query of an address may hold a secret, and the name is published with the release.
  return { ...file, name: `${origin}${pathname}` }
}

function parseAddress(given: string): URL {
  const url = URL.parse(given)
  if (url === null) throw new OperationalError(`${given} is not an address`)
  if (`${url.username}${url.password}` !== '')
    throw new OperationalError('give the address without name and password: it is published with the release')
  url.hash = ''
  return url
}

function wrongStart(start: Uint8Array): string | undefined {
  if (startsLikeZip(start)) return undefined
  const text = new TextDecoder().decode(start).trimStart().toLowerCase()
  if (text === '') return 'nothing, where a zip was expected'
  return text.startsWith('<') ? 'a web page, where a zip was expected' : 'something that is not a zip'
}

/** A download that turns out to be unusable is removed, so that it is not used again; what failed otherwise stays. */
export function refusedDownload(error: unknown, downloads: readonly PublishedFile[]): unknown {
  if (!(error instanceof UnusableZip)) return error
  const refused = downloads.find(({ path }) => path === error.path)
  refused?.discard()
  return refused === undefined ? error : new OperationalError(`${error.what}; ${BY_HAND}`)
}
