// The page of all collections: what a search finds in them, or the list of them.

import { V2_PATH } from '../../base/api-v2.ts'
import type { Entity } from '../../catalog/entity.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import { badParameter } from '../../http/problem.ts'
import { MAX_SUGGESTIONS } from '../../http/v2/parameter-definitions.ts'
import type { RenderedSuggestion } from '../../http/v2/suggestions.ts'
import { addressOfPath, collectionAddress, EXPLORE_PATH, withQuery } from '../links.ts'
import { manyWithin, nameWithKind, oneOf, shownNameField } from '../names.ts'
import { namesIn, searchBox } from '../search-box.ts'
import { apiRequest } from '../snippets.ts'
import { type ExplorerPage, href, isolated, parameter, releasePairs, type View } from '../view.ts'
import { filled } from '../words/words.ts'
import { collectionCards } from './home.ts'

export function searchPage(view: View): ExplorerPage {
  const { pairs, words } = view
  const [other] = pairs.find(([name]) => name !== 'q') ?? []
  if (other !== undefined) throw badParameter(other, parameter(pairs, other) ?? '', 'q alone')
  const query = parameter(pairs, 'q')
  const box = searchBox(view, {
    id: 'search',
    action: EXPLORE_PATH,
    value: query ?? '',
    hasFocus: query === undefined,
  })
  if (query !== undefined) return resultsPage(view, query, box)
  return {
    title: words.catalogs,
    hasSearch: true,
    main: html`<h1>${words.catalogs}</h1>${box}${collectionCards(view, 2)}`,
  }
}

function resultsPage(view: View, query: string, box: Html): ExplorerPage {
  const { api, words, language } = view
  const limited = [['q', query], ['limit', String(MAX_SUGGESTIONS)], ...namesIn(view)] as const
  const suggestions = api.search(limited)
  // Links to the lists lead to all results, also to lists of which no result is shown.
  const isCut = suggestions.length === MAX_SUGGESTIONS
  const lists = api.entities
    .filter(({ plural }) => isCut || suggestions.some(({ collection }) => collection === plural))
    .map((entity) => ({ entity, total: api.total(entity, [['q', query]]) }))
    .filter(({ total }) => total > 0)
  const total = isCut ? lists.reduce((sum, list) => sum + list.total, 0) : suggestions.length
  const count = total === 1 ? words.search.resultsOne : filled(words.search.results, language.number(total))
  return {
    title: filled(words.search.title, query),
    hasSearch: true,
    main: html`<h1>${filled(words.search.title, query)}</h1>
${box}
<p role="status">${suggestions.length === 0 ? words.search.nothing : count}${isCut && total > suggestions.length && ` · ${filled(words.search.shown, language.number(suggestions.length))}`}</p>
<ol class="found">${suggestions.map((one) => result(view, one))}</ol>
${lists.length > 0 && html`<ul class="plain">${lists.map(({ entity, total: inList }) => html`<li><a href="${href(view, collectionAddress(entity), [['q', query]])}">${filled(words.search.within, manyWithin(view, entity))} <span class="figure">(${language.number(inList)})</span></a></li>`)}</ul>`}
${apiRequest(view, withQuery(`${V2_PATH}/search`, [...limited, ...releasePairs(view)]))}`,
  }
}

function result(view: View, { collection, url, name, breadcrumb, parents, matches }: RenderedSuggestion): Html {
  const entity = view.api.catalog.collections.get(collection) as Entity
  const ranges = matches.find(({ field }) => field === shownNameField(view, entity))?.ranges ?? []
  const address = addressOfPath(entity, url.slice(view.baseUrl.length))
  const ancestors = breadcrumb.map((ancestor, at) => {
    const of =
      ancestor === breadcrumb[at + 1] ? view.api.catalog.collections.get(parents[at]?.collection ?? '') : undefined
    return of === undefined ? ancestor : nameWithKind(view, of, ancestor)
  })
  return html`<li><a class="name" href="${href(view, address)}"><bdi>${highlighted(name, ranges)}</bdi></a>
<span class="what">${oneOf(view, entity)}${ancestors.map((ancestor) => html` · ${isolated(ancestor)}`)}</span></li>`
}

/** A name with the parts marked that were searched for. */
function highlighted(name: string, ranges: readonly (readonly [number, number])[]): Content[] {
  const parts: Content[] = []
  let end = 0
  for (const [from, to] of ranges) {
    parts.push(name.slice(end, from), html`<mark>${name.slice(from, to)}</mark>`)
    end = to
  }
  return [...parts, name.slice(end)]
}
