// The input of every page: the language, the reader of API v2, and the address of the request.
import { type Entity, factsOf } from '../catalog/entity.ts'
import type { PublishedRecord, PublishedValue } from '../catalog/flatten.ts'
import { type Html, html } from '../http/html.ts'
import type { QueryPairs } from '../http/v2/request/query-string.ts'
import type { ApiReader } from './api-reader.ts'
import type { PageLanguage } from './language.ts'
import { keySegments, recordAddress, withQuery } from './links.ts'
import { type nameAmong, shownName } from './names.ts'
import type { Site } from './site.ts'
import type { Words } from './words/words.ts'

export type View = {
  readonly language: PageLanguage
  readonly words: Words
  /** The institution whose pages they are, if the home names one. */
  readonly site?: Site | undefined
  readonly api: ApiReader
  /** The address under which the service presents itself. */
  readonly baseUrl: string
  readonly path: string
  /** The parameters of the address, but for those of every page. */
  readonly pairs: QueryPairs
  /** The parameters of every page that the address has, which its links keep: the language and the release. */
  readonly carried: QueryPairs
}

/** A page: its title and content. Pages that are long in coming are promised. */
export type ExplorerPage = {
  readonly title: string
  readonly description?: string
  readonly main: Html
  /** True if the page itself begins with the search box, so that the header has none. */
  readonly hasSearch?: boolean
}

/** A page that is no page of the explorer: a file to keep. */
export type DownloadLink = { readonly fileName: string; readonly html: Html }

export const href = ({ carried }: View, path: string, pairs: QueryPairs = []): string =>
  withQuery(path, [...pairs, ...carried])

/** Parameters that a form keeps. */
export const hiddenInputs = (pairs: QueryPairs): Html[] =>
  pairs.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)

/** The value of a parameter; of several the first. */
export const parameter = (pairs: QueryPairs, name: string): string | undefined =>
  pairs.find(([given]) => given === name)?.[1]

/** Isolated, so that a name that is written from right to left does not turn around what follows it. */
export const isolated = (name: string, language?: string): Html =>
  html`<bdi${language !== undefined && html` lang="${language}"`}>${name}</bdi>`

/** The name of a record, with its language where that is not the one of the page. */
export function isolatedName(view: View, entity: Entity, record: PublishedRecord | PublishedRecord): Html {
  const { text, language } = shownName(view, entity, record)
  return isolated(text, language)
}

/** A link to a record under its name, or under another that is given. */
export function recordLink(view: View, entity: Entity, record: PublishedRecord, called?: typeof nameAmong): Html {
  const address = recordAddress(entity, keySegments(entity, record))
  const name = called === undefined ? isolatedName(view, entity, record) : isolated(called(view, entity, record))
  return html`<a class="name" href="${href(view, address)}">${name}</a>`
}

/** A link to the record that a field refers to; its key if there is no such record. */
export function referenceTo(view: View, entity: Entity, name: string, value: PublishedValue): Html {
  const field = entity.fields[name]
  if (field?.kind === 'embed') return recordLink(view, field.entity, value as PublishedRecord)
  const parent = view.api.recordIn(view.api.release.digest, entity, [String(value)])
  return parent === undefined ? html`<code>${String(value)}</code>` : recordLink(view, entity, parent)
}

const SHORT_DIGEST = 8
export const shortDigest = (digest: string): string => digest.slice(0, SHORT_DIGEST)

/** The parameters of a request to the API for all facts of the records of an entity. */
export const factPairs = (entity: Entity): QueryPairs => (factsOf(entity).length === 0 ? [] : [['facts', 'true']])

/** A request to the API names the release where it is not the current one. */
export const releasePairs = ({ api }: View): QueryPairs => (api.isCurrent ? [] : [['release', api.release.digest]])
