// The page of a record: what it is, where it belongs, its identifiers, its facts, its neighbours and its history.
import { isObject, own } from '../../base/json.ts'
import {
  broaderOf,
  coordinatesOf,
  type Entity,
  embedsOf,
  type Field,
  hasCoordinates,
  identifierOf,
  publishedFields,
} from '../../catalog/entity.ts'
import type { PublishedRecord, PublishedValue } from '../../catalog/flatten.ts'
import { isNameFact } from '../../catalog/languages/languages.ts'
import { descendantsOf, pathTo } from '../../catalog/lineage.ts'
import { codePartsIn, usualCodeOf } from '../../catalog/official-code.ts'
import { type Content, type Html, html, joined } from '../../http/html.ts'
import { ProblemError } from '../../http/problem.ts'
import { percentDecoded } from '../../http/v2/key-text.ts'
import { recordTemplate } from '../../http/v2/record-paths.ts'
import type { QueryPairs } from '../../http/v2/request/query-string.ts'
import { distanceNameOf } from '../../query/near.ts'
import { type Ancestors, ancestorRecords } from '../ancestry.ts'
import type { ListedRelease } from '../api-reader.ts'
import { shapeAbove, shapeOf } from '../boundary-map.ts'
import { dotMap, type MapPoint, pointOf } from '../dot-map.ts'
import { ancestorsIn } from '../forest.ts'
import {
  apiRecordPath,
  collectionAddress,
  filterParameter,
  filterValue,
  keySegments,
  keySeparator,
  mapAddress,
  recordAddress,
  segmentsOf,
  sortParameter,
  TREE_PATH,
  withQuery,
} from '../links.ts'
import {
  capitalized,
  fieldLabel,
  manyOf,
  manyWithin,
  nameAmong,
  nameFields,
  nameOf,
  officialCode,
  oneOf,
  shownName,
  shownNameField,
  sourceTitle,
  wordsFor,
} from '../names.ts'
import { type Section, scrolling, section, sectionsOf } from '../sections.ts'
import { sizeFieldOf } from '../sizes.ts'
import { apiRequest, codeBlock, copyButton } from '../snippets.ts'
import { isInTree, MAX_DEPTH, nodeId, nodeText, OPEN_NODE } from '../tree-nodes.ts'
import { isMissing, missing, plainValue, shownValue, writtenNumber } from '../values.ts'
import {
  type ExplorerPage,
  factPairs,
  href,
  isolated,
  isolatedName,
  recordLink,
  releasePairs,
  shortDigest,
  type View,
} from '../view.ts'
import { filled } from '../words/words.ts'
import { knownSize, placeOnMap } from './map.ts'

const FACTS: QueryPairs = [['facts', 'true']]
const MAX_CHILDREN = 20
const MAX_HOMONYMS = 8
const MAX_NEAR = 8
const MAX_DOTS = 1_000

/** The address of the record with an official code; undefined if the text is a key. */
export function recordByCode(view: View, entity: Entity, key: string): string | undefined {
  const record = view.api.recordWithCode(entity, percentDecoded(key) ?? '')
  if (record === undefined) return undefined
  return href(view, recordAddress(entity, keySegments(entity, record)))
}

export function recordPage(view: View, entity: Entity, key: string): ExplorerPage {
  const { api, words } = view
  const segments = segmentsOf(entity, key)
  if (segments === undefined) throw recordNotFound(entity)
  const record = api.record(entity, segments, FACTS)
  const shown = { entity, record, segments, ancestors: allAncestors(view, entity, record, segments) }
  return {
    title: `${nameOf(view, entity, record)}, ${oneOf(view, entity)}`,
    main: html`${breadcrumb(view, shown)}
<div class="heading">
<h1 class="place">${isolatedName(view, entity, record)}</h1>
<p class="kind"><a href="${href(view, collectionAddress(entity))}">${oneOf(view, entity)}</a></p>
</div>
<div class="record">
<div class="about">
${sectionsOf(ABOUT, view, shown)}
</div>
<aside class="around" aria-label="${words.record.around}">
${sectionsOf(AROUND, view, shown)}
</aside>
<div>
${sectionsOf(FOR_PROGRAMS, view, shown)}
</div>
</div>`,
  }
}

/** The record of a page, with its key and its ancestors from the outermost. */
type ShownRecord = {
  readonly entity: Entity
  readonly record: PublishedRecord
  readonly segments: readonly string[]
  readonly ancestors: Ancestors
}
type RecordSection = Section<ShownRecord>

const apiOfRecord: RecordSection = (view, { entity, segments }) =>
  apiRequest(view, withQuery(apiRecordPath(entity, segments), [...factPairs(entity), ...releasePairs(view)]))

const jsonOfRecord: RecordSection = (view, { record }) =>
  html`<details class="json"><summary>${view.words.record.json}</summary>
${codeBlock(view, JSON.stringify(record, null, 2), 'JSON')}</details>`

const recordNotFound = (entity: Entity) =>
  new ProblemError({
    kind: 'record-not-found',
    what: `${entity.name} at this path`,
    hint: `Records are at ${recordTemplate(entity)} in API v2.`,
  })

// The ancestors.

/** All ancestors from the outermost: those of other lists, then those in the tree of its own list. */
function allAncestors(view: View, entity: Entity, record: PublishedRecord, segments: readonly string[]): Ancestors {
  const { api } = view
  const forest = api.forest(entity)
  const positions = forest === undefined ? [] : ancestorsIn(forest, api.positionOf(entity, segments))
  const inTree = api.recordsAt(entity, shortened(positions)).map((one) => ({ entity, record: one }))
  return [...inTree, ...ancestorRecords(entity, record)].reverse()
}

const MAX_BREADCRUMB = 20

/** The ancestors to show: a tree may be of any depth, so of very many only the root and the nearest. */
const shortened = (positions: readonly number[]): readonly number[] =>
  positions.length <= MAX_BREADCRUMB
    ? positions
    : [...positions.slice(0, MAX_BREADCRUMB - 1), positions.at(-1) as number]

function breadcrumb(view: View, { entity, record, ancestors }: ShownRecord): Html | undefined {
  const { words } = view
  if (ancestors.length === 0) return undefined
  const items = [
    ...ancestors.map((ancestor) => html`<li>${recordLink(view, ancestor.entity, ancestor.record, nameAmong)}</li>`),
    html`<li aria-current="page">${isolated(nameAmong(view, entity, record))}</li>`,
  ]
  return html`<nav class="breadcrumb" aria-label="${words.record.breadcrumb}"><ol>${items}</ol></nav>`
}

/** References other than those to ancestors. */
function related(view: View, { entity, record, ancestors }: ShownRecord): Html | undefined {
  const addressOf = (of: Entity, one: PublishedRecord) => recordAddress(of, keySegments(of, one))
  const shown = new Set(ancestors.map((ancestor) => addressOf(ancestor.entity, ancestor.record)))
  const others = embedsOf(entity).filter(([field, parent]) => {
    const value = record[field]
    return isObject(value) && !shown.has(addressOf(parent, value))
  })
  if (others.length === 0) return undefined
  return section(
    'related',
    view.words.record.related,
    entryList(
      view,
      others.map(([field]) => ({
        label: fieldLabel(view, entity, field),
        content: shownValue(view, entity, field, record),
      })),
    ),
  )
}

// The names, codes and facts.

type Entry = { readonly label: string; readonly content: Content; readonly copy?: string }

const entryList = (view: View, entries: readonly Entry[]): Html =>
  html`<dl class="entries">${entries.map(
    ({ label, content, copy }) =>
      html`<div><dt>${label}</dt><dd>${content}${copy !== undefined && copyButton(view, copy, label)}</dd></div>`,
  )}</dl>`

/** The official code to read and to copy, and folded under it all other codes and identifiers. */
function codes(view: View, { entity, record }: ShownRecord): Html | undefined {
  const { words } = view
  const { field: shown } = shownName(view, entity, record)
  const fields = publishedFields(entity).filter(
    ([name, field]) => isIdentifying(field) && name !== shown && !isMissing(record[name]),
  )
  const entries = fields.map(([name, field]): Entry => {
    const value = String(record[name])
    const content = field.kind === 'name' ? isolated(value) : html`<code>${value}</code>`
    const label = fieldLabel(view, entity, name)
    const isOurs = field.kind === 'id' && label !== name
    return { label: isOurs ? `${label} (${name})` : label, content, copy: value }
  })
  const parts = fullCode(entity, record)
  // A key that is made of texts is the code itself.
  const isComposed = parts !== undefined && parts.length > 1 && keySeparator(entity) === '-'
  const composed: Entry[] = isComposed
    ? [{ label: words.record.codeInApi, content: html`<code>${parts.join('-')}</code>`, copy: parts.join('-') }]
    : []
  const official = officialEntry(view, entity, record)
  const others = [...entries, ...composed].filter(({ copy }) => copy !== official?.copy)
  if (official === undefined)
    return others.length === 0 ? undefined : section('identifiers', words.record.identifiers, entryList(view, others))
  return section(
    'identifiers',
    words.record.identifiers,
    html`<p class="official"><span class="what">${official.label}</span> ${official.content}${copyButton(view, official.copy ?? '', official.label)}</p>
${others.length > 0 && html`<details class="others"><summary>${words.record.otherCodes}</summary>${entryList(view, others)}</details>`}`,
  )
}

/** Names whose language is known stand by themselves. */
const isIdentifying = (field: Field): boolean =>
  field.kind === 'id' || field.kind === 'code' || (field.kind === 'name' && field.language === undefined)

/** The usual official code of a record, its parts apart. */
function officialEntry(view: View, entity: Entity, record: PublishedRecord): Entry | undefined {
  const parts = codePartsIn(entity, record)
  const copy = officialCode(entity, record)
  if (parts === undefined || copy === undefined) return undefined
  const { name, title } = usualCodeOf(entity)
  const isField = Object.hasOwn(entity.fields, name)
  const known = own(view.words.wholeCodes, entity.name)
  const label = title ?? (isField ? fieldLabel(view, entity, name) : view.words.record.wholeCode)
  const isJoined = parts.join('') === copy
  const content = isJoined ? parts.map((part) => html`<span>${part}</span>`) : copy
  return {
    label: known === undefined ? label : `${known} (${label})`,
    content: html`<code class="parts">${content}</code>`,
    copy,
  }
}

/** The codes that make up its official code, from its outermost ancestor to its own; undefined if one is missing. */
function fullCode(entity: Entity, record: PublishedRecord): string[] | undefined {
  const parts = entity.code.map((field) => {
    const definition = entity.fields[field]
    const value = record[field]
    if (isMissing(value)) return undefined
    return definition?.kind === 'embed' ? fullCode(definition.entity, value as PublishedRecord) : [String(value)]
  })
  return parts.includes(undefined) ? undefined : parts.flatMap((part) => part ?? [])
}

/** Its names in other languages than the one that is shown, each with its language. */
function names(view: View, { entity, record }: ShownRecord): Html | undefined {
  const { field: shown } = shownName(view, entity, record)
  const fields = nameFields(entity).filter(
    ({ name, language }) => language !== undefined && name !== shown && !isMissing(record[name]),
  )
  if (fields.length === 0) return undefined
  const isOnlyOne = (language: string) => nameFields(entity).filter((one) => one.language === language).length === 1
  const entries = fields.map(({ name, language = '' }): Entry => {
    const spoken = capitalized(view.language.languageName(language))
    const label = isOnlyOne(language) ? spoken : `${spoken} · ${entity.fields[name]?.title ?? name}`
    return { label, content: isolated(String(record[name]), language), copy: String(record[name]) }
  })
  return section('names', view.words.record.names, entryList(view, entries))
}

/** Decimals of degrees: six are a tenth of a metre. */
const DECIMALS = 6

/** The values and facts of a record, and sums over its descendants. */
function facts(view: View, { entity, record }: ShownRecord): Html | undefined {
  const { words, language, api } = view
  const known = Object.entries(entity.fields).filter(
    ([name, field]) =>
      (field.kind === 'fact' || field.kind === 'value') && !isNameFact(field) && !isMissing(record[name]),
  )
  const point = pointOf(entity, record)
  const ofPoint: readonly string[] = point === undefined ? [] : Object.values(coordinatesOf(entity) ?? {})
  const others = known.filter(([name]) => !ofPoint.includes(name))
  const entries = others.map(
    ([name]): Entry => ({
      label: fieldLabel(view, entity, name),
      content: seatOf(view, entity, record, name) ?? shownValue(view, entity, name, record, 'whole'),
    }),
  )
  entries.push(...sumBelow(view, entity, record), ...ranks(view, entity, record))
  const place =
    point && [point.latitude, point.longitude].map((degrees) => Number(degrees.toFixed(DECIMALS))).join(', ')
  if (place !== undefined) entries.push({ label: words.record.coordinates, content: place, copy: place })
  if (entries.length === 0) return undefined
  const { source, built } = api.release.manifest
  return section(
    'facts',
    words.record.facts,
    html`${entryList(view, entries)}
${wordsFor(view, entity) !== undefined && html`<p class="note">${filled(words.record.factsFrom, language.date(built))} ${isolated(sourceTitle(view, source.title))}</p>`}`,
  )
}

/** A fact that is the code of a child, such as the seat of a municipality, as a link to that child. */
function seatOf(view: View, entity: Entity, record: PublishedRecord, name: string): Html | undefined {
  const field = entity.fields[name]
  if (name !== SEAT || field?.kind !== 'fact' || wordsFor(view, entity) === undefined) return undefined
  const [child] = descendantsOf(view.api.catalog, entity)
  const code = child && ownCodes(child)[0]
  if (child === undefined || code === undefined) return undefined
  const pairs: QueryPairs = [...filterBy(child, entity, record), [filterParameter(child, [code]), String(record[name])]]
  const [seat] = view.api.list(child, pairs).records
  return seat && recordLink(view, child, seat)
}

const SEAT = 'cabecera'

/** The size of all descendants together, if the record itself has none. */
function sumBelow(view: View, entity: Entity, record: PublishedRecord): Entry[] {
  const { api, words, language } = view
  const own = sizeFieldOf(entity)
  if (own === undefined || !isMissing(record[own])) return []
  const child = descendantsOf(api.catalog, entity).find((one) => knownSize(view, one) !== undefined)
  const size = child && knownSize(view, child)
  if (child === undefined || size === undefined) return []
  const { sum, known } = api.sum(child, filterBy(child, entity, record), size)
  if (known === 0) return []
  const said = filled(words.record.sumOf, language.number(known), manyWithin(view, child, known))
  return [
    {
      label: fieldLabel(view, entity, own),
      content: html`${language.number(sum)} <span class="what">${said}</span>`,
    },
  ]
}

/** Its rank by size within each of its ancestors, the outermost last. */
function ranks(view: View, entity: Entity, record: PublishedRecord): Entry[] {
  const { api, words, language } = view
  const size = sizeFieldOf(entity)
  const own = size === undefined ? undefined : record[size]
  const field = size === undefined ? undefined : entity.fields[size]
  if (size === undefined || isMissing(own) || field?.kind !== 'fact' || field.type === 'text') return []
  const ancestors = ancestorRecords(entity, record)
  const [least, more] = [filterParameter(entity, [size], 'min'), String(Number(writtenNumber(own)) + 1)]
  const places = ancestors.slice(-RANKED_AMONG).map(({ entity: of, record: ancestor }) => {
    const among = filterBy(entity, of, ancestor)
    const place = api.total(entity, [...among, [least, more]]) + 1
    const known = api.total(entity, [...among, [least, String(field.min)]])
    return html`<li>${filled(words.record.rank, language.number(place), language.number(known))} ${isolated(nameAmong(view, of, ancestor))}</li>`
  })
  return places.length === 0 ? [] : [{ label: words.record.rankBy, content: html`<ul class="items">${places}</ul>` }]
}

/** The state and the country, say. */
const RANKED_AMONG = 2

// The children in a tree of the list itself.

function branch(view: View, { entity, segments }: ShownRecord): Html | undefined {
  const { api, words, language } = view
  const forest = api.forest(entity)
  if (forest === undefined) return undefined
  const position = api.positionOf(entity, segments)
  const positions = forest.childrenOf(position)
  const isTooDeep = ancestorsIn(forest, position).length > MAX_DEPTH
  const node = href(view, TREE_PATH, [[OPEN_NODE, nodeText(entity, segments)]])
  const treeLink =
    !isTooDeep && html`<p><a href="${node}#${nodeId('forest', entity, segments)}">${words.record.openTree}</a></p>`
  if (positions.length === 0) return html`${treeLink}`
  const records = api.recordsAt(entity, positions.slice(0, MAX_CHILDREN))
  const below = (at: number) => forest.descendants(positions[at] as number)
  const all = href(view, collectionAddress(entity), [
    [filterParameter(entity, [broaderOf(entity) ?? '']), segments[0] ?? ''],
  ])
  const codes = ownCodes(entity)
  return section(
    'branch',
    words.record.contains,
    html`<ul class="counts"><li><a href="${all}">${filled(words.record.directlyBelow, language.number(positions.length))}</a></li>
${forest.descendants(position) > positions.length && html`<li>${filled(words.record.allBelow, language.number(forest.descendants(position)))}</li>`}</ul>
${scrolling(
  manyOf(view, entity),
  html`<table class="small">
${records.length < positions.length && html`<caption>${filled(words.record.firstOf, language.number(records.length), language.number(positions.length))}</caption>`}
<thead><tr><th scope="col">${fieldLabel(view, entity, shownNameField(view, entity) ?? identifierOf(entity))}</th>${codes.map((code) => html`<th scope="col">${fieldLabel(view, entity, code)}</th>`)}<th scope="col" class="figure">${words.record.contains}</th></tr></thead>
<tbody>${records.map(
    (one, at) =>
      html`<tr><th scope="row">${recordLink(view, entity, one)}</th>${codes.map((code) => html`<td data-label="${fieldLabel(view, entity, code)}">${shownValue(view, entity, code, one)}</td>`)}<td class="figure" data-label="${words.record.contains}">${below(at) > 0 ? language.number(below(at)) : missing(view)}</td></tr>
`,
  )}</tbody></table>`,
)}
${treeLink}`,
  )
}

const ownCodes = (entity: Entity): string[] => entity.code.filter((field) => entity.fields[field]?.kind === 'code')

// The records that belong to it.

function children(view: View, { entity, record }: ShownRecord): Html | undefined {
  const { api, words, language } = view
  const below = descendantsOf(api.catalog, entity)
    .map((child) => ({ child, filter: filterBy(child, entity, record) }))
    .map(({ child, filter }) => ({ child, filter, total: api.total(child, filter) }))
    .filter(({ total }) => total > 0)
  const [nearest] = below
  if (nearest === undefined) return undefined
  return section(
    'children',
    wordsFor(view, entity) ? words.record.contains : words.record.referring,
    html`<ul class="counts">${below.map(
      ({ child, filter, total }) =>
        html`<li><a href="${href(view, collectionAddress(child), filter)}"><span class="figure">${language.number(total)}</span> ${manyWithin(view, child, total)}</a></li>`,
    )}</ul>
${childTable(view, nearest.child, nearest.filter, nearest.total)}
${nearest.total > MAX_CHILDREN && html`<p><a href="${href(view, collectionAddress(nearest.child), [...nearest.filter, ...sizeOrder(view, nearest.child)])}">${filled(words.table.seeAll, language.number(nearest.total))}</a></p>`}
${isInTree(view, entity) && html`<p><a href="${href(view, TREE_PATH, [[OPEN_NODE, nodeText(entity, keySegments(entity, record))]])}">${words.record.openTree}</a></p>`}`,
  )
}

/** The parameter that keeps to the descendants of a record. */
function filterBy(child: Entity, entity: Entity, record: PublishedRecord): QueryPairs {
  const steps = pathTo(child, entity)?.steps ?? []
  return [[filterParameter(child, steps), filterValue(entity, record)]]
}

function childTable(view: View, child: Entity, filter: QueryPairs, total: number): Html {
  const { api, words, language } = view
  const size = knownSize(view, child)
  const shown: QueryPairs = [['per_page', String(MAX_CHILDREN)], ...FACTS, ...sizeOrder(view, child)]
  const { records } = api.list(child, [...filter, ...shown])
  const largest = Math.max(1, ...records.map((one) => Number(sizeOf(one, size) ?? 0)))
  const counts = [language.number(records.length), language.number(total)] as const
  const caption =
    size !== undefined ? filled(words.record.largestOf, ...counts) : filled(words.record.firstOf, ...counts)
  return html`<table class="small">
<caption>${records.length < total ? caption : `${capitalized(manyOf(view, child))}`}</caption>
<thead><tr><th scope="col">${fieldLabel(view, child, shownNameField(view, child) ?? (child.key.at(-1) as string))}</th><th scope="col">${usualCodeOf(child).title ?? words.record.code}</th>${size !== undefined && html`<th scope="col" class="figure">${fieldLabel(view, child, size)}</th>`}</tr></thead>
<tbody>${records.map(
    (one) =>
      html`<tr><th scope="row">${recordLink(view, child, one)}</th><td><code>${officialCode(child, one) ?? ''}</code></td>${size !== undefined && html`<td class="figure">${shownValue(view, child, size, one)}${sizeOf(one, size) !== undefined && bar(Number(sizeOf(one, size)), largest)}</td>`}</tr>
`,
  )}</tbody></table>`
}

/** The order with the largest first, if records have sizes. */
function sizeOrder(view: View, entity: Entity): QueryPairs {
  const size = knownSize(view, entity)
  return size === undefined ? [] : [['sort', `-${size}`]]
}

function sizeOf(record: PublishedRecord, field: string | undefined): number | undefined {
  const value = field === undefined ? undefined : record[field]
  return isMissing(value) ? undefined : Number(writtenNumber(value))
}

/** A bar that shows how much of the largest a value is. */
export const bar = (value: number, largest: number): Html =>
  html`<svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect width="${Math.round((value / largest) * 1_000) / 10}" height="4"/></svg>`

// Its place, its neighbours and its namesakes.

function whereabouts(view: View, { entity, record }: ShownRecord): Html | undefined {
  const { api } = view
  const focus = pointOf(entity, record)
  const where = locator(view, entity, record, focus)
  if (focus !== undefined)
    return html`${dotsAround(view, entity, record, focus)}${where}${mapLink(view, placeOnMap(view, entity, focus))}`
  const child = descendantsOf(api.catalog, entity).find((one) => hasCoordinates(one))
  const dots = child && dotsBelow(view, child, entity, record)
  if (child !== undefined && dots !== undefined)
    return html`${dots}${where}${mapLink(view, href(view, mapAddress(child), filterBy(child, entity, record)))}`
  const shape = shapeOf(api.release, entity, record)
  const map = shape && dotMap([], nameOf(view, entity, record), undefined, [shape])
  return html`${map && html`<figure>${map}</figure>`}${where}`
}

/** A map of where a record lies in the nearest one above that has a shape. */
function locator(view: View, entity: Entity, record: PublishedRecord, point: MapPoint | undefined): Html | undefined {
  const above = shapeAbove(view.api.release, entity, record)
  const own = shapeOf(view.api.release, entity, record)
  if (above === undefined || (own === undefined && point === undefined)) return undefined
  const name = nameOf(view, entity, record)
  const text = filled(view.words.record.locator, name, nameAmong(view, above.entity, above.record))
  const map = dotMap([], text, own === undefined ? point : undefined, [
    above.shape,
    ...(own === undefined ? [] : [own]),
  ])
  return html`<figure class="locator">${map}<figcaption>${text}</figcaption></figure>`
}

const mapLink = ({ words }: View, address: string): Html => html`<p><a href="${address}">${words.maps.see}</a></p>`

const pointsOf = (entity: Entity, records: readonly PublishedRecord[]): MapPoint[] =>
  records.flatMap((record) => pointOf(entity, record) ?? [])

/** The places within a record that is no point itself: all of them, or the largest where they are too many. */
function dotsBelow(view: View, child: Entity, entity: Entity, record: PublishedRecord): Html | undefined {
  const { api, words, language } = view
  const fields = coordinatesOf(child)
  if (fields === undefined || api.map(child) === undefined) return undefined
  const filter = filterBy(child, entity, record)
  const coordinates = [fields.latitude, fields.longitude].map((name) => sortParameter(child, [name]))
  const shown: QueryPairs = [...filter, ['per_page', String(MAX_DOTS)], ['fields', coordinates.join()]]
  const size = knownSize(view, child)
  const isCut = size !== undefined && api.total(child, filter) > MAX_DOTS
  const largest = isCut
    ? pointsOf(child, api.list(child, [...shown, [`${size}_min`, '1'], ['sort', `-${size}`]]).records)
    : []
  const points = largest.length > 0 ? largest : pointsOf(child, api.list(child, shown).records)
  const caption = largest.length > 0 ? words.record.dotsLargest : words.record.dotsShown
  const places = manyWithin(view, child, points.length)
  const shape = shapeOf(api.release, entity, record)
  const map = dotMap(
    points,
    filled(words.record.dots, places, nameOf(view, entity, record)),
    undefined,
    shape && [shape],
  )
  return (
    map &&
    html`<figure>${map}<figcaption>${filled(caption, language.number(points.length), places)}</figcaption></figure>`
  )
}

const DOTS_AROUND = 300

function dotsAround(view: View, entity: Entity, record: PublishedRecord, focus: MapPoint): Html {
  const { api, words } = view
  const near: QueryPairs = [
    ['near', `${focus.latitude},${focus.longitude}`],
    ['per_page', String(DOTS_AROUND)],
    ['facts', 'true'],
  ]
  const own = keySegments(entity, record).join()
  const others = api.list(entity, near).records.filter((one) => keySegments(entity, one).join() !== own)
  const map = dotMap(pointsOf(entity, others), filled(words.record.dotsAround, nameOf(view, entity, record)), focus)
  return html`${map && html`<figure>${map}</figure>`}
<section aria-labelledby="near-title">
<h2 id="near-title">${words.record.near}</h2>
<ul class="neighbours">${others
    .slice(0, MAX_NEAR)
    .map(
      (one) =>
        html`<li>${recordLink(view, entity, one)} <span class="figure">${distance(view, Number(one[distanceNameOf(entity)]))}</span></li>`,
    )}</ul>
</section>
${citiesAround(view, entity, focus, own)}`
}

/** Least population of a place that the page calls a city. */
const CITY = 15_000
const MAX_CITIES = 5

function citiesAround(view: View, entity: Entity, focus: MapPoint, own: string): Html | undefined {
  const { api, words, language } = view
  const size = knownSize(view, entity)
  if (size === undefined) return undefined
  const pairs: QueryPairs = [
    ['near', `${focus.latitude},${focus.longitude}`],
    [filterParameter(entity, [size], 'min'), String(CITY)],
  ]
  const cities = api
    .list(entity, [...pairs, ['per_page', String(MAX_CITIES + 1)], ...FACTS])
    .records.filter((one) => keySegments(entity, one).join() !== own)
  if (cities.length === 0) return undefined
  return section(
    'cities',
    words.record.nearCities,
    html`<p class="note">${filled(words.record.nearCitiesText, language.number(CITY))}</p>
<ul class="neighbours">${cities.slice(0, MAX_CITIES).map((one) => html`<li>${recordLink(view, entity, one)} <span class="figure">${distance(view, Number(one[distanceNameOf(entity)]))}</span><span class="what">${whereIs(view, entity, one)}</span></li>`)}</ul>
<p><a href="${href(view, collectionAddress(entity), pairs)}">${words.record.nearCitiesAll}</a></p>`,
  )
}

const METRES_IN_KILOMETRE = 1_000

const distance = ({ words, language }: View, metres: number): string =>
  metres < METRES_IN_KILOMETRE
    ? `${language.number(metres)} ${words.record.metres}`
    : `${language.decimal(metres / METRES_IN_KILOMETRE, 1)} ${words.record.kilometres}`

function homonyms(view: View, { entity, record }: ShownRecord): Html | undefined {
  const { api, words, language } = view
  const { field } = shownName(view, entity, record)
  if (field === undefined) return undefined
  const filter: QueryPairs = [[filterParameter(entity, [field]), String(record[field])]]
  const own = keySegments(entity, record).join()
  const { records, total } = api.list(entity, [...filter, ['per_page', String(MAX_HOMONYMS + 1)]])
  const others = records.filter((one) => keySegments(entity, one).join() !== own).slice(0, MAX_HOMONYMS)
  if (total <= 1) return undefined
  return section(
    'homonyms',
    words.record.homonyms,
    html`<ul class="neighbours">${others.map((one) => html`<li>${recordLink(view, entity, one)}<span class="what">${whereIs(view, entity, one)}</span></li>`)}</ul>
<p><a href="${href(view, collectionAddress(entity), filter)}">${filled(words.record.homonymsText, language.number(total))}</a></p>`,
  )
}

const whereIs = (view: View, entity: Entity, record: PublishedRecord): Content[] =>
  joined(
    ancestorRecords(entity, record)
      .slice(0, 2)
      .map((ancestor) => isolated(nameAmong(view, ancestor.entity, ancestor.record))),
    ', ',
  )

// Its history over the releases that are on disk.

const MAX_RELEASES = 12

/** Undefined if there is one release alone, since nothing can have changed. */
function history(view: View, { entity, segments }: ShownRecord): Html | undefined {
  const { api, words } = view
  const releases = api.releases().slice(0, MAX_RELEASES).toReversed()
  if (releases.length === 1) return undefined
  const versions = releases.map((release) => ({ release, record: api.recordIn(release.digest, entity, segments) }))
  const rows = versions.flatMap(({ release, record }, at) =>
    historyRows(view, entity, release, versions[at - 1]?.record, record, at === 0),
  )
  return section(
    'history',
    words.record.history,
    html`${rows.length <= 1 && html`<p>${words.record.unchanged}</p>`}
${scrolling(
  [words.record.field, words.record.before, words.record.after].join(', '),
  html`<table class="small">
<thead><tr><th scope="col">${words.release.date}</th><th scope="col">${words.record.field}</th><th scope="col">${words.record.before}</th><th scope="col">${words.record.after}</th></tr></thead>
<tbody>${rows.toReversed()}</tbody></table>`,
)}`,
  )
}

/** A row for each field that changed from one release to the next, or one that says that the record came or went. */
function historyRows(
  view: View,
  entity: Entity,
  release: ListedRelease,
  before: PublishedRecord | undefined,
  record: PublishedRecord | undefined,
  isFirst: boolean,
): Html[] {
  const { words } = view
  const said = (what: string) => [historyRow(view, release, record !== undefined, html`<td colspan="3">${what}</td>`)]
  if (isFirst) return said(record === undefined ? words.record.absent : words.record.present)
  if (before === undefined) return record === undefined ? [] : said(words.record.appeared)
  if (record === undefined) return said(words.record.disappeared)
  return Object.keys(entity.fields)
    .filter((name) => isChanged(entity, name, before, record))
    .map((name) => {
      const cell = (of: PublishedRecord) => isolated(valueIn(view, entity, name, of))
      return historyRow(
        view,
        release,
        true,
        html`<td data-label="${words.record.field}">${fieldLabel(view, entity, name)}</td><td data-label="${words.record.before}"><del>${cell(before)}</del></td><td data-label="${words.record.after}"><ins>${cell(record)}</ins></td>`,
      )
    })
}

/** True if a field changed. A reference changes with the key of its record; a name of that is no change here. */
function isChanged(entity: Entity, name: string, before: PublishedRecord, record: PublishedRecord): boolean {
  const field = entity.fields[name]
  if (field === undefined || field.kind === 'copy') return false
  const comparable = (value: PublishedValue | undefined) =>
    field.kind === 'embed' && isObject(value)
      ? keySegments(field.entity, value).join('\0')
      : JSON.stringify(value ?? null)
  return comparable(before[name]) !== comparable(record[name])
}

function valueIn(view: View, entity: Entity, name: string, record: PublishedRecord): string {
  const field = entity.fields[name]
  const value = record[name]
  return field?.kind === 'embed' && isObject(value) ? nameOf(view, field.entity, value) : plainValue(view, value)
}

/** A release that did not have the record has no page of it. */
function historyRow(view: View, { digest, built }: ListedRelease, isThere: boolean, cells: Html): Html {
  const kept = view.carried.filter(([name]) => name !== 'release')
  const release = html`<code>${shortDigest(digest)}</code>`
  const named = isThere
    ? html`<a href="${withQuery(view.path, [...kept, ['release', digest]])}">${release}</a>`
    : release
  return html`<tr><th scope="row"><time datetime="${built}">${view.language.moment(built)}</time> ${named}</th>${cells}</tr>
`
}

/** The sections of the page of a record, in their order. */
const ABOUT: readonly RecordSection[] = [codes, names, facts, related, branch, children, history]
const AROUND: readonly RecordSection[] = [whereabouts, homonyms]
const FOR_PROGRAMS: readonly RecordSection[] = [apiOfRecord, jsonOfRecord]
