// The map of a collection: all of its records with coordinates as dots, and the largest of those in view as a list.

import { coordinatesOf, type Entity, hasCoordinates } from '../../catalog/entity.ts'
import type { PublishedRecord } from '../../catalog/flatten.ts'
import { ancestorsOf, lineageOf } from '../../catalog/lineage.ts'
import { keyPathsOf } from '../../catalog/paths.ts'
import { type Html, html, joined } from '../../http/html.ts'
import { ProblemError } from '../../http/problem.ts'
import { percentDecoded } from '../../http/v2/key-text.ts'
import { filterParameters, MAX_SEARCH_CHARACTERS } from '../../http/v2/parameter-definitions.ts'
import { bulkTemplate } from '../../http/v2/record-paths.ts'
import type { QueryPairs } from '../../http/v2/request/query-string.ts'
import { embeddedIn } from '../ancestry.ts'
import type { MapFrame } from '../api-reader.ts'
import { assetAddress } from '../assets.ts'
import { gridMap, type MapPoint, pointOf } from '../dot-map.ts'
import type { FacetValue } from '../facets.ts'
import {
  apiCollectionPath,
  collectionAddress,
  filterParameter,
  keySeparator,
  MAP_PATH,
  mapAddress,
  withQuery,
} from '../links.ts'
import { mapDataAddress } from '../map-data.ts'
import type { MapGroups } from '../map-points.ts'
import { fieldWithin, manyWithin, nameAmong, nameFields, nameWithKind, oneOf, shownNameField } from '../names.ts'
import { bySlug, isFilter } from '../query-names.ts'
import { sizeFieldOf } from '../sizes.ts'
import { isMissing, writtenNumber } from '../values.ts'
import { type ExplorerPage, hiddenInputs, href, isolated, parameter, recordLink, type View } from '../view.ts'
import { filled } from '../words/words.ts'

const MAX_LISTED = 20

/** Entities that have a map, the one with the most points first. */
function mappedEntities({ api }: View): Entity[] {
  const points = (entity: Entity) => api.map(entity)?.points ?? 0
  return [...api.catalog.entities.values()]
    .filter((entity) => hasCoordinates(entity) && points(entity) > 0)
    .toSorted((a, b) => points(b) - points(a))
}

export function mapPage(given: View, named?: Entity): ExplorerPage {
  const entities = mappedEntities(given)
  const entity = named ?? entities[0]
  const frame = entity && given.api.map(entity)
  if (entity === undefined || frame === undefined) return pageWithoutMap(given, entity)
  refuseOtherParameters(entity, given.pairs)
  const view = { ...given, pairs: bySlug(entity, given.pairs) }
  const { words, language, api, pairs } = view
  const many = manyWithin(view, entity)
  const points = language.number(frame.points)
  const listed = api.list(entity, [...withCoordinates(entity, pairs), ...listOrder(view, entity)])
  const isFiltered = pairs.length > 0
  const bounded = boundedLists(view, entity)
  const groups = frame.groups && api.facet(entity, [], frame.groups.parameter).values
  return {
    title: filled(words.maps.title, many),
    hasSearch: true,
    main: html`<link rel="modulepreload" href="${assetAddress('map.js')}">
<div class="heading">
<h1>${filled(words.maps.title, many)}</h1>
<p class="count" role="status">${isFiltered ? filled(words.maps.shown, language.number(listed.total), points, many) : filled(words.maps.lead, points, manyWithin(view, entity, frame.points))} ${legend(view, entity, frame)}</p>
</div>
${mapForm(view, entity, frame)}
<noscript><p class="empty">${words.maps.noScript}</p></noscript>
<div class="map-page">
<div class="map" data-map data-script="${assetAddress('map.js')}" data-settings="${JSON.stringify(settingsOf(view, entity, groups))}">
<canvas role="application" tabindex="0" aria-roledescription="${words.maps.mapRole}" aria-label="${filled(words.maps.alternative, points, many)}" aria-describedby="map-keys"></canvas>
<p class="map-status" data-part="status" hidden>${words.maps.loading}</p>
<div class="map-controls" role="group" aria-label="${words.map}" hidden>
<button type="button" data-do="in" aria-label="${words.maps.zoomIn}" title="${words.maps.zoomIn}">+</button>
<button type="button" data-do="out" aria-label="${words.maps.zoomOut}" title="${words.maps.zoomOut}">−</button>
<button type="button" data-do="whole" aria-label="${words.maps.whole}" title="${words.maps.whole}">⤢</button>
${bounded.length > 0 && html`<button type="button" data-do="where" aria-label="${words.maps.where}" title="${words.maps.where}">◎</button>`}
</div>
<p class="map-scale" data-part="scale" aria-hidden="true" hidden></p>
<span class="map-ring" hidden></span>
<div class="map-card" hidden></div>
</div>
<aside class="in-view" aria-labelledby="in-view-title">
<h2 id="in-view-title">${words.maps.inView}</h2>
<p class="note" data-part="count">${filled(inView(view, entity), language.number(listed.total))}</p>
<ol class="neighbours" data-part="list">${listed.records.map((record) => listItem(view, entity, record))}</ol>
<p class="empty" data-part="nothing"${listed.total > 0 && html` hidden`}>${words.maps.nothing}</p>
<p><a href="${href(view, collectionAddress(entity), pairs)}">${words.maps.table}</a></p>
</aside>
</div>
<p class="hint" id="map-keys">${words.maps.hint} ${words.maps.keys}${bounded.length > 0 && html` ${words.maps.areas}`}</p>
${entities.length > 1 && html`<nav aria-label="${words.maps.others}"><ul class="plain">${entities.map((one) => html`<li><a href="${href(view, mapAddress(one))}"${one === entity && html` aria-current="page"`}>${filled(words.maps.title, manyWithin(view, one))}</a></li>`)}</ul></nav>`}`,
  }
}

/** The meaning of the colours and the sizes of the dots. */
function legend(view: View, entity: Entity, { groups }: MapFrame): string {
  const { maps } = view.words
  const isBySize = knownSize(view, entity) !== undefined
  if (groups === undefined) return isBySize ? maps.sized : ''
  return filled(isBySize ? maps.colouredAndSized : maps.coloured, groupLabel(view, entity, groups))
}

/** The label of the groups: the field of a parent, or the word for a further ancestor. */
const groupLabel = (view: View, entity: Entity, { steps, entity: group }: MapGroups): string =>
  steps.length === 1 ? fieldWithin(view, entity, steps[0] as string) : oneOf(view, group)

const inView = (view: View, entity: Entity) =>
  knownSize(view, entity) === undefined ? view.words.maps.inViewCount : view.words.maps.inViewLargest

/** Refuses parameters that neither search nor filter, such as those for order and pages. */
function refuseOtherParameters(entity: Entity, pairs: QueryPairs): void {
  const known = ['q', ...filterParameters(entity).map(({ name }) => name)]
  const other = pairs.find(([name]) => name !== 'q' && !isFilter(entity, name))?.[0]
  if (other !== undefined) throw new ProblemError({ kind: 'unknown-parameter', name: other, known, nearest: undefined })
}

/** The parameters, narrowed to records that are on the map. */
const withCoordinates = (entity: Entity, pairs: QueryPairs): QueryPairs => {
  const name = filterParameter(entity, [coordinatesOf(entity)?.latitude ?? ''], 'min')
  return parameter(pairs, name) === undefined ? [...pairs, [name, '-90']] : pairs
}

/** The field with the sizes of records; undefined if no record has one. */
export function knownSize({ api }: View, entity: Entity): string | undefined {
  const size = sizeFieldOf(entity)
  const isFact = size !== undefined && entity.fields[size]?.kind === 'fact'
  return isFact && !api.knownFacts(entity).includes(size) ? undefined : size
}

function listOrder(view: View, entity: Entity): QueryPairs {
  const size = knownSize(view, entity)
  return [
    ...(size === undefined ? [] : ([['sort', `-${size}`]] as const)),
    ['per_page', String(MAX_LISTED)],
    ['facts', 'true'],
  ]
}

function pageWithoutMap(view: View, entity: Entity | undefined): ExplorerPage {
  const { words } = view
  const title = entity === undefined ? words.map : filled(words.maps.title, manyWithin(view, entity))
  return {
    title,
    main: html`<h1>${title}</h1>
<p class="empty">${words.maps.noCoordinates}</p>
<p>${words.maps.whatToImport}</p>
<div class="code"><pre tabindex="0"><code>./nomenclator import inegi</code></pre></div>
<div class="code"><pre tabindex="0"><code>./nomenclator import package DIR</code></pre></div>
${entity !== undefined && html`<p><a href="${href(view, collectionAddress(entity))}">${words.maps.table}</a></p>`}`,
  }
}

/** The search, and the choice of a group; the other filters of the address are kept. */
function mapForm(view: View, entity: Entity, { groups }: MapFrame): Html {
  const { words, pairs, carried, path, api, language } = view
  const kept = pairs.filter(([name]) => name !== 'q' && name !== groups?.parameter)
  const chosen = groups && parameter(pairs, groups.parameter)
  const counts = groups && api.facet(entity, pairs, groups.parameter).values
  return html`<form class="search map-form" role="search" aria-label="${words.maps.search}" action="${path}" data-in="${entity.plural}">
<div class="map-query"><label for="map-search">${words.maps.search}</label>
<div class="combobox"><input id="map-search" name="q" type="search" value="${parameter(pairs, 'q') ?? ''}" maxlength="${MAX_SEARCH_CHARACTERS}" placeholder="${words.search.placeholder}" autocomplete="off" autocapitalize="none" spellcheck="false"></div></div>
${
  groups !== undefined &&
  counts !== undefined &&
  html`<div><label for="map-group">${groupLabel(view, entity, groups)}</label>
<select id="map-group" name="${groups.parameter}"><option value="">${words.maps.all}</option>
${counts
  .toSorted((a, b) => language.compare(a.name, b.name))
  .map(
    ({ value, name, count }) =>
      html`<option value="${value}"${value === chosen && html` selected`}>${name} (${language.number(count)})</option>`,
  )}</select></div>`
}
${hiddenInputs([...kept, ...carried])}
<button type="submit">${words.maps.show}</button>
${pairs.length > 0 && html`<a class="clear" href="${href(view, path)}">${words.maps.clear}</a>`}
</form>`
}

/** Ancestors that are named beside a record, the nearest first. */
const MAX_PARENTS = 2

type Parent = { readonly steps: readonly string[]; readonly entity: Entity }

/** The ancestors of a record, the nearest first. */
function parentsOf(entity: Entity): Parent[] {
  const steps: string[] = []
  return ancestorsOf(entity).map(({ field, entity: parent }) => {
    steps.push(field)
    return { steps: [...steps], entity: parent }
  })
}

/** The ways to the names of a record, that of the page's language first; the last is its key. */
function nameWays(view: View, entity: Entity): string[][] {
  const shown = shownNameField(view, entity)
  const names = nameFields(entity).map(({ name }) => name)
  const ordered = shown === undefined ? [] : [shown, ...names.filter((name) => name !== shown)]
  return [...ordered.map((name) => [name]), [...(keyPathsOf(entity).at(-1)?.steps ?? [])]]
}

function listItem(view: View, entity: Entity, record: PublishedRecord): Html {
  const { words, language } = view
  const parents = parentsOf(entity)
    .slice(0, MAX_PARENTS)
    .flatMap(({ steps, entity: parent }) => {
      const found = embeddedIn(record, steps)
      return found === undefined ? [] : isolated(nameAmong(view, parent, found))
    })
  const field = knownSize(view, entity)
  const size = field === undefined ? undefined : record[field]
  return html`<li><span>${recordLink(view, entity, record)} <span class="what">${joined(parents, ', ')}</span></span>${!isMissing(size) && html` <span class="figure">${filled(words.maps.inhabitants, language.numeral(writtenNumber(size)))}</span>`}</li>`
}

/** The settings with which the script draws the map and fills the list. */
function settingsOf(view: View, entity: Entity, groups: readonly FacetValue[] | undefined) {
  const { api, pairs, carried, words, language } = view
  const { release } = api
  const size = knownSize(view, entity)
  const coordinates = coordinatesOf(entity)
  const mapped = api.map(entity)
  const order: QueryPairs = [...listOrder(view, entity), ['release', release.digest]]
  return {
    points: mapDataAddress('points', release, entity),
    ...(pairs.length > 0 ? { found: withQuery(mapDataAddress('found', release, entity), pairs) } : {}),
    list: withQuery(apiCollectionPath(entity), [...pairs, ...order]),
    ...(pairs.length > 0 ? { around: withQuery(apiCollectionPath(entity), order) } : {}),
    record: withQuery(apiCollectionPath(entity), [
      ['per_page', '1'],
      ['facts', 'true'],
      ['release', release.digest],
    ]),
    ...(coordinates === undefined
      ? {}
      : {
          bounds: [coordinates.latitude, coordinates.longitude].map((name) => [
            filterParameter(entity, [name], 'min'),
            filterParameter(entity, [name], 'max'),
          ]),
          place: [coordinates.latitude, coordinates.longitude],
        }),
    address: collectionAddress(entity),
    carried: withQuery('', carried),
    key: keyPathsOf(entity).map(({ steps }) => steps),
    separator: keySeparator(entity),
    names: nameWays(view, entity),
    parents: parentsOf(entity).map(({ steps, entity: parent }) => ({
      names: nameWays(view, parent).map((way) => [...steps, ...way]),
      withKind: nameWithKind(view, parent, '{name}'),
    })),
    maxParents: MAX_PARENTS,
    ...(size === undefined ? {} : { size }),
    boundaries: boundedLists(view, entity),
    groups: [...(groups?.map(({ name }) => name) ?? []), ...(mapped?.groups?.hasOthers ? [''] : [])],
    hues: mapped?.hues ?? [],
    language: language.code,
    words: {
      inView: filled(inView(view, entity), '{count}'),
      inhabitants: filled(words.maps.inhabitants, '{count}'),
      failed: words.maps.failed,
      kilometres: words.record.kilometres,
      metres: words.record.metres,
      notAllowed: words.maps.notAllowed,
      nowhere: words.maps.nowhere,
    },
  }
}

/** The lists with boundaries that the records of a map lie in, from the largest areas on, as the script reads them. */
function boundedLists(view: View, entity: Entity) {
  const { release } = view.api
  const lists = lineageOf(entity).filter(({ name }) => release.entity(name).boundaries('screen') !== undefined)
  return lists.toReversed().map((list) => {
    const key = keyPathsOf(list).map(({ steps }) => steps)
    const names = nameWays(view, list)
    const fields = new Set([...names, ...key].map(([field]) => filterParameter(list, [field as string])))
    return {
      shapes: withQuery(bulkTemplate({ entity: list, path: apiCollectionPath(list) }), [
        ['format', 'geojson'],
        ['fields', [...fields].join()],
        ['release', release.digest],
      ]),
      within: apiCollectionPath(list),
      address: collectionAddress(list),
      key,
      separator: keySeparator(list),
      names,
    }
  })
}

/** Fewer points make no picture. */
const MIN_POINTS = 50

/** The map of the collection with the most points, without controls: a picture that leads to the map itself. */
export function smallMap(view: View): Html | undefined {
  const { api, words, language } = view
  const [entity] = mappedEntities(view)
  const grid = entity && api.dotGrid(entity)
  if (entity === undefined || grid === undefined || grid.points < MIN_POINTS) return undefined
  const label = filled(words.home.dots, language.number(grid.points), manyWithin(view, entity, grid.points))
  const { hues = [] } = api.map(entity) ?? {}
  return html`<figure class="small-map"><a href="${href(view, MAP_PATH)}">${gridMap(grid, hues, label)}<span class="unseen">${words.maps.open}</span></a></figure>`
}

/** The address on the map of the record with an official code; undefined if it has no coordinates. */
export function placeWithCode(view: View, entity: Entity, code: string): string | undefined {
  const record = view.api.recordWithCode(entity, percentDecoded(code) ?? '')
  const point = record && pointOf(entity, record)
  return point && placeOnMap(view, entity, point)
}

const CLOSE_UP = 10

/** A point on the map of a collection, close up. */
export const placeOnMap = (view: View, entity: Entity, { latitude, longitude }: MapPoint): string =>
  `${href(view, mapAddress(entity))}#map=${CLOSE_UP}/${latitude.toFixed(4)}/${longitude.toFixed(4)}`
