// The first page: a search box, the collections, what changed last, and three requests to try.

import { V2_PATH } from '../../base/api-v2.ts'
import { isObject } from '../../base/json.ts'
import { type Entity, embedsOf } from '../../catalog/entity.ts'
import type { PublishedRecord } from '../../catalog/flatten.ts'
import { type Html, html } from '../../http/html.ts'
import type { QueryPairs } from '../../http/v2/request/query-string.ts'
import type { ReleaseChanges } from '../../release/manifest.ts'
import type { ChangeKind } from '../change-summary.ts'
import {
  apiCollectionPath,
  collectionAddress,
  DOCS_PATH,
  EXPLORE_PATH,
  filterParameter,
  filterValue,
  RELEASES_PATH,
  RESOLVER_PATH,
  withQuery,
} from '../links.ts'
import { anyText, manyOf, nameOf, wordsFor } from '../names.ts'
import {
  groupTitle,
  type PackageLists,
  packageDetails,
  packageLists,
  packageTitle,
  type ShownPackage,
} from '../packages.ts'
import { searchBox } from '../search-box.ts'
import { scrolling } from '../sections.ts'
import { codeBlock } from '../snippets.ts'
import { type ExplorerPage, href, isolated, shortDigest, type View } from '../view.ts'
import { filled } from '../words/words.ts'
import { smallMap } from './map.ts'

export function homePage(view: View): ExplorerPage {
  const { words, language, api } = view
  const { title, lead, description } = homeWords(view)
  return {
    title,
    description,
    hasSearch: true,
    main: html`<div class="hero">
<div>
<h1>${lead}</h1>
${searchBox(view, { id: 'home-search', action: EXPLORE_PATH, hasFocus: true })}
<p class="hint">${words.search.hint}</p>
<p>${words.home.resolve} <a href="${href(view, RESOLVER_PATH)}">${words.home.resolveLink}</a></p>
</div>
${smallMap(view)}
</div>
<section aria-labelledby="collections-title">
<h2 id="collections-title">${words.home.collections}</h2>
${collectionCards(view, 3)}
</section>
<div class="columns">
<section aria-labelledby="changed-title">
<h2 id="changed-title">${words.home.changed}</h2>
<p><a href="${href(view, RELEASES_PATH)}">${filled(words.release.served, shortDigest(api.release.digest), language.date(api.release.manifest.built))}</a></p>
${lastChanges(view)}
</section>
<section aria-labelledby="use-title">
<h2 id="use-title">${words.home.use}</h2>
<p>${words.home.useText}</p>
${examples(view).map((line) => codeBlock(view, line, 'curl'))}
<p><a href="${href(view, DOCS_PATH)}">${words.home.readDocs}</a></p>
</section>
</div>`,
  }
}

/** The words of the first page, which differ if the release has the built-in lists. */
const homeWords = ({ words, api }: View) =>
  api.entities.some((entity) => wordsFor({ words }, entity)) ? words.home.builtIn : words.home

/** The collections with their counts: those that belong together under what they are about, the largest first. */
export function collectionCards(view: View, level: 2 | 3): Html {
  const packages = packageLists(view)
  const [only] = packages
  const isAlone = packages.length === 1 && only?.info === undefined && only?.groups.length === 1
  return html`${packages.map((lists) => (lists.info === undefined ? groupSections(view, lists, level, isAlone) : packageSection(view, lists, level)))}`
}

function packageSection(view: View, lists: PackageLists, level: 2 | 3): Html {
  const info = lists.info as ShownPackage
  const title = packageTitle(info)
  const name = html`${isolated(title)}${info.name !== title && html` <code>${info.name}</code>`}`
  const isUndivided = lists.groups.every(({ group }) => group === undefined)
  return html`<section class="package" aria-label="${title}">
${heading(level, name)}
${packageDetails(view, info)}
${groupSections(view, lists, level === 2 ? 3 : 4, isUndivided)}
</section>`
}

/** The groups of a package with their headings; without a heading if the package is one group. */
const groupSections = (view: View, lists: PackageLists, level: 2 | 3 | 4, isUndivided: boolean): Html[] =>
  lists.groups.map((one) => {
    const title = groupTitle(view, lists, one)
    const description = one.group?.description && anyText(view, one.group.description)
    if (isUndivided) return cards(view, one.entities)
    return html`<section class="group" aria-label="${title}">
${heading(level, isolated(title))}
${description !== undefined && html`<p>${isolated(description)}</p>`}
${cards(view, one.entities)}
</section>`
  })

function heading(level: 2 | 3 | 4, content: Html): Html {
  if (level === 2) return html`<h2>${content}</h2>`
  return level === 3 ? html`<h3>${content}</h3>` : html`<h4>${content}</h4>`
}

function cards(view: View, entities: readonly Entity[]): Html {
  const { api, language } = view
  const largestFirst = entities.toSorted((a, b) => api.count(b) - api.count(a))
  return html`<ul class="cards">${largestFirst.map(
    (entity) =>
      html`<li><a href="${href(view, collectionAddress(entity))}"><span class="figure">${language.number(api.count(entity))}</span> <span>${manyOf(view, entity)}</span></a></li>`,
  )}</ul>`
}

/**
 * The changes since the release before, as the import of the release counted them: to compare the records of two releases costs
 * more than a request for this page may. Without counts, only the link to the comparison.
 */
function lastChanges(view: View): Html {
  const { words, language, api } = view
  const releases = api.releases()
  const at = releases.findIndex(({ digest }) => digest === api.release.digest)
  const { changes } = api.release.manifest
  const counted = releases.find(({ digest }) => digest === changes?.since)
  const before = counted ?? releases[at + 1]
  if (before === undefined) return html`<p>${words.home.first}</p>`
  const compare = href(view, RELEASES_PATH, [
    ['from', before.digest],
    ['to', api.release.digest],
  ])
  const date = language.date(before.built)
  return html`${counted === undefined ? html`<p>${filled(words.home.before, date)}</p>` : sinceBefore(view, date, changes?.collections ?? {})}
<p><a href="${compare}#compare">${words.home.seeChanges}</a></p>`
}

function sinceBefore(view: View, date: string, collections: ReleaseChanges['collections']): Html {
  const { words, api } = view
  const rows = Object.entries(collections).map(([collection, counts]) => {
    const entity = api.catalog.collections.get(collection)
    return { list: entity === undefined ? collection : manyOf(view, entity), counts }
  })
  if (rows.length === 0) return html`<p>${filled(words.home.noChanges, date)}</p>`
  return html`<p>${filled(words.home.since, date)}</p>
${countsOfChanges(view, rows)}`
}

type ChangedList = { readonly list: string; readonly counts: Readonly<Record<ChangeKind, number>> }

/** The lists that changed, with the number of records of each kind of change. */
export function countsOfChanges({ words, language }: View, rows: readonly ChangedList[]): Html {
  const kinds = Object.entries(words.release.kinds) as [ChangeKind, string][]
  return scrolling(
    words.release.compare,
    html`<table class="small"><thead><tr><th scope="col">${words.release.collection}</th>${kinds.map(([, label]) => html`<th scope="col" class="figure">${label}</th>`)}</tr></thead>
<tbody>${rows.map(
      ({ list, counts }) =>
        html`<tr><th scope="row">${list}</th>${kinds.map(([kind]) => html`<td class="figure">${language.number(counts[kind])}</td>`)}</tr>`,
    )}</tbody></table>`,
  )
}

export const signed = ({ language }: View, number: number): string =>
  `${number > 0 ? '+' : number < 0 ? '−' : '±'}${language.number(Math.abs(number))}`

/** A search, a filtered list and a whole collection: of the largest collection whose records have a parent. */
function examples(view: View): string[] {
  const { api, baseUrl } = view
  const entities = api.entities.toSorted((a, b) => api.count(b) - api.count(a))
  const [largest] = entities
  if (largest === undefined) return []
  const child = entities.find((entity) => embedsOf(entity).length > 0 && api.count(entity) > 0) ?? largest
  const [record] = api.list(child, [['per_page', '1']]).records
  const name = record === undefined ? 'a' : nameOf(view, child, record)
  const search = withQuery(`${V2_PATH}/search`, [['q', name.slice(0, MAX_QUERY).toLowerCase()]])
  const list = withQuery(apiCollectionPath(child), [
    ...((record && parentFilter(child, record)) ?? []),
    ['per_page', '5'],
  ])
  const whole = withQuery(`${apiCollectionPath(largest)}/all`, [['format', 'csv']])
  return [
    `curl '${baseUrl}${search}'`,
    `curl '${baseUrl}${list}'`,
    `curl -o ${largest.plural}.csv '${baseUrl}${whole}'`,
  ]
}

const MAX_QUERY = 40

/** The parameter that keeps to the records with the same parent as one. */
function parentFilter(entity: Entity, record: PublishedRecord): QueryPairs {
  const [field, parent] = embedsOf(entity).find(([name]) => isObject(record[name])) ?? []
  if (field === undefined || parent === undefined) return []
  return [[filterParameter(entity, [field]), filterValue(parent, record[field] as PublishedRecord)]]
}
