// What every page is rendered with: the language, the reader of API v2, and the address that was requested.
import { type Entity, nameFieldOf } from '../catalog/entity.ts'
import type { PublishedRecord } from '../catalog/flatten.ts'
import { type Html, html } from '../http/html.ts'
import type { ApiReader, ReadRecord } from './api-reader.ts'
import type { Language } from './language.ts'
import { keySegments, type Pairs, recordAddress, withQuery } from './links.ts'
import type { Words } from './words/es.ts'

export type View = {
  readonly language: Language
  readonly words: Words
  readonly api: ApiReader
  /** Under which address the service presents itself. */
  readonly baseUrl: string
  readonly path: string
  /** The parameters of the address, but for those of every page. */
  readonly pairs: Pairs
  /** The parameters of every page that the address has, which its links keep: the language and the release. */
  readonly carried: Pairs
}

/** A page: its title and content. Pages that are long in coming are promised. */
export type Page = {
  readonly title: string
  readonly description?: string
  readonly main: Html
  /** Whether the page itself begins with the search box, so that the header has none. */
  readonly hasSearch?: boolean
}

export const href = ({ carried }: View, path: string, pairs: Pairs = []): string =>
  withQuery(path, [...pairs, ...carried])

/** The value of a parameter; of several the first. */
export const parameter = (pairs: Pairs, name: string): string | undefined =>
  pairs.find(([given]) => given === name)?.[1]

export const oneOf = ({ words }: View, { name }: Entity): string => words.entities[name]?.one ?? name
export const manyOf = ({ words }: View, { name, title }: Entity): string => words.entities[name]?.many ?? title

/** The name of a field for people. An identifier is called so, whatever it identifies; a parent by what it is. */
export function fieldLabel(view: View, entity: Entity, name: string): string {
  const field = entity.fields[name]
  if (field?.kind === 'id') return view.words.identifier
  if (field?.kind === 'embed') return capitalized(oneOf(view, field.entity))
  return view.words.fields[name] ?? name
}

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

export const nameOf = (entity: Entity, record: ReadRecord | PublishedRecord): string =>
  String(record[nameFieldOf(entity)])

/** Isolated, so that a name that is written from right to left does not turn around what follows it. */
export const isolated = (name: string): Html => html`<bdi>${name}</bdi>`

export function recordLink(view: View, entity: Entity, record: ReadRecord | PublishedRecord): Html {
  const address = recordAddress(entity, keySegments(entity, record as PublishedRecord))
  return html`<a class="name" href="${href(view, address)}">${isolated(nameOf(entity, record))}</a>`
}

const SHORT_DIGEST = 8
export const shortDigest = (digest: string): string => digest.slice(0, SHORT_DIGEST)

/** A request to the API names the release where it is not the current one. */
export const releasePairs = ({ api }: View): Pairs => (api.isCurrent ? [] : [['release', api.release.digest]])
