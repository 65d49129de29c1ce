// The script, the stylesheet and the icon of the pages, as they were bundled when the project was set up.

import { own } from '../base/json.ts'
import { ALLOW, type HttpRequest, type HttpResponse } from '../http/exchange.ts'
import { headerLines, NO_SNIFFING } from '../http/header-fields.ts'
import { PAGE_PATHS } from '../http/routes.ts'
import { acceptedEncoding, type ContentCoding } from '../http/v2/negotiate.ts'
import built from './built/assets.json' with { type: 'json' }
import { isUnchanged } from './response.ts'
import { type Site, type SiteFile, siteFile } from './site.ts'

export const ASSETS_PATH = `${PAGE_PATHS.assets}/`

/** A file under its hashed name; its content in Base64, as it is and compressed. */
export type BuiltAsset = {
  readonly name: string
  readonly type: string
  /** SHA-384, as the attribute integrity wants it. */
  readonly integrity: string
  readonly content: Readonly<Record<ContentCoding | 'identity', string>>
}

/** The one asset that is for pages of other sites, too. */
export const PICKER_SOURCE = 'nomenclator-picker.js'
const SHARED_HEADERS = { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' } as const

/** The assets by the name of their source, such as explorer.js. */
const assets: Readonly<Record<string, BuiltAsset>> = built
const byName = new Map(Object.values(assets).map((asset) => [asset.name, asset]))
const decoded = new Map<string, Uint8Array>()

function assetOf(source: string): BuiltAsset {
  const asset = own(assets, source)
  if (asset === undefined) throw new Error(`${source} was not bundled`)
  return asset
}

export const assetAddress = (source: string): string => `${ASSETS_PATH}${assetOf(source).name}`

export const assetIntegrity = (source: string): string => assetOf(source).integrity

/** A name with a hash of the content in it: what is there never changes. */
const FOR_EVER = 'public, max-age=31536000, immutable'

/** The asset at the path of a request, or the file of the site; undefined if there is none. */
export function assetResponse(site: Site | undefined, request: HttpRequest): HttpResponse | undefined {
  const name = request.path.slice(ASSETS_PATH.length)
  const asset = byName.get(name)
  if (asset !== undefined) return responseWith(asset, request, FOR_EVER)
  const file = siteFile(site, name)
  return file && siteFileResponse(file, request)
}

/** The address of a file of the site. */
export const siteFileAddress = ({ name }: SiteFile): string => `${ASSETS_PATH}${name}`

function siteFileResponse({ name, type, content }: SiteFile, request: HttpRequest): HttpResponse {
  const etag = `"${name}"`
  const head = headerLines({
    'Content-Type': type,
    ...NO_SNIFFING,
    // A logo that is opened by itself runs nothing, whatever is in it.
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'Cross-Origin-Resource-Policy': 'same-origin',
    Allow: ALLOW,
    ETag: etag,
    'Cache-Control': FOR_EVER,
  })
  return isUnchanged(request, etag) ? { status: 304, head, body: undefined } : { status: 200, head, body: content }
}

/** An asset under a name that stays when its content changes. */
export const namedAssetResponse = (request: HttpRequest, source: string): HttpResponse | undefined => {
  const asset = own(assets, source)
  return asset === undefined ? undefined : responseWith(asset, request, 'public, max-age=3600')
}

function responseWith(asset: BuiltAsset, request: HttpRequest, cacheControl: string): HttpResponse {
  const encoding = acceptedEncoding(request.headers.get('accept-encoding'))
  const etag = `"${asset.name}${encoding === undefined ? '' : `-${encoding}`}"`
  const head = headerLines({
    'Content-Type': asset.type,
    ...NO_SNIFFING,
    ...(asset === assetOf(PICKER_SOURCE) ? SHARED_HEADERS : { 'Cross-Origin-Resource-Policy': 'same-origin' }),
    Allow: ALLOW,
    Vary: 'Accept-Encoding',
    ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }),
    ETag: etag,
    'Cache-Control': cacheControl,
  })
  if (isUnchanged(request, etag)) return { status: 304, head, body: undefined }
  return { status: 200, head, body: contentOf(asset, encoding ?? 'identity') }
}

function contentOf({ name, content }: BuiltAsset, encoding: ContentCoding | 'identity'): Uint8Array {
  const key = `${name} ${encoding}`
  const bytes = decoded.get(key) ?? Buffer.from(content[encoding], 'base64')
  decoded.set(key, bytes)
  return bytes
}
