// The page of a record: what it is, where it belongs, its identifiers, its facts, its neighbours and its history.
import {
  coordinatesOf,
  type Entity,
  embedsOf,
  factsOf,
  hasCoordinates,
  identifierOf,
  nameFieldOf,
  publishedFields,
} from '../../catalog/entity.ts'
import type { PublishedRecord } from '../../catalog/flatten.ts'
import { ancestorsOf, descendantsOf, ownerOf, pathTo } from '../../catalog/lineage.ts'
import { type Content, type Html, html, joined } from '../../http/html.ts'
import { ProblemError } from '../../http/problem.ts'
import { recordTemplate } from '../../http/v2/paths.ts'
import { DISTANCE } from '../../query/near.ts'
import type { ReadRecord, ReleaseSummary } from '../api-reader.ts'
import { dotMap, type Point } from '../dot-map.ts'
import {
  apiRecordPath,
  collectionAddress,
  keySegments,
  mapAddress,
  type Pairs,
  recordAddress,
  segmentsOf,
  TREE_PATH,
  withQuery,
} from '../links.ts'
import { apiRequest, copyButton } from '../snippets.ts'
import {
  capitalized,
  fieldLabel,
  href,
  isolated,
  manyOf,
  nameOf,
  oneOf,
  type Page,
  recordLink,
  releasePairs,
  type View,
} from '../view.ts'
import { ownValue } from './collection.ts'
import { placeOnMap } from './map.ts'

const FACTS: Pairs = [['facts', 'true']]
const MAX_CHILDREN = 20
const MAX_HOMONYMS = 8
const MAX_NEAR = 8
const MAX_DOTS = 1_000
const POPULATION = 'poblacion'

/** The address to go to where a record is named by its official code; undefined where it is named by its identifier. */
export function recordByCode(view: View, entity: Entity, id: string): string | undefined {
  if (ownerOf(entity) !== undefined || /^[0-9]+$/.test(id)) return undefined
  const record = view.api.record(entity, [id], [['by', 'code']])
  return href(view, recordAddress(entity, keySegments(entity, record as PublishedRecord)))
}

export function recordPage(view: View, entity: Entity, id: string): Page {
  const { api, words } = view
  const identifiers = segmentsOf(entity, id)
  const path = apiRecordPath(entity, identifiers)
  if (path === undefined) throw recordNotFound(entity)
  const record = api.record(entity, identifiers, FACTS)
  const name = nameOf(entity, record)
  const around = whereabouts(view, entity, record)
  return {
    title: `${name}, ${oneOf(view, entity)}`,
    main: html`${breadcrumb(view, entity, record)}
<div class="heading">
<h1 class="place">${isolated(name)}</h1>
<p class="kind">${oneOf(view, entity)}</p>
</div>
<div class="record">
<div class="about">
${codes(view, entity, record)}
${facts(view, entity, record)}
${children(view, entity, record)}
${history(view, entity, identifiers)}
</div>
<aside class="around" aria-label="${words.record.near}">
${around}
${homonyms(view, entity, record)}
</aside>
<div>
${apiRequest(view, withQuery(path, [...FACTS, ...releasePairs(view)]))}
<details class="json"><summary>${words.record.json}</summary>
<div class="code"><pre tabindex="0"><code>${JSON.stringify(record, null, 2)}</code></pre>${copyButton(view, JSON.stringify(record, null, 2), 'JSON')}</div></details>
</div>
</div>`,
  }
}

const recordNotFound = (entity: Entity) =>
  new ProblemError({
    kind: 'record-not-found',
    what: `${entity.name} at this path`,
    hint: `Records are at ${recordTemplate(entity)} in API v2.`,
  })

/** The ancestors of a record with their records, the nearest first. */
function ancestorRecords(entity: Entity, record: ReadRecord): { entity: Entity; record: PublishedRecord }[] {
  let at = record as PublishedRecord
  return ancestorsOf(entity).map((step) => {
    at = at[step.field] as PublishedRecord
    return { entity: step.entity, record: at }
  })
}

function breadcrumb(view: View, entity: Entity, record: ReadRecord): Html {
  const { words } = view
  const ancestors = ancestorRecords(entity, record).reverse()
  const items = [
    html`<li><a href="${href(view, collectionAddress(entity))}">${manyOf(view, entity)}</a></li>`,
    ...ancestors.map((ancestor) => html`<li>${recordLink(view, ancestor.entity, ancestor.record)}</li>`),
    html`<li aria-current="page">${isolated(nameOf(entity, record))}</li>`,
  ]
  return html`<nav class="breadcrumb" aria-label="${words.record.breadcrumb}"><ol>${items}</ol></nav>`
}

// What it is called, and what is known of it.

type Entry = { readonly label: string; readonly content: Content; readonly copy?: string }

const entryList = (view: View, entries: readonly Entry[]): Html =>
  html`<dl class="entries">${entries.map(
    ({ label, content, copy }) =>
      html`<div><dt>${label}</dt><dd>${content}${copy !== undefined && copyButton(view, copy, label)}</dd></div>`,
  )}</dl>`

/** The section with its whole official code, its codes and names, its identifier, and the code that leads to it in API v2. */
function codes(view: View, entity: Entity, record: ReadRecord): Html {
  const { words } = view
  const fields = publishedFields(entity).filter(
    ([name, { kind }]) => kind !== 'embed' && kind !== 'copy' && name !== nameFieldOf(entity),
  )
  const entries = fields.map(([name, field]): Entry => {
    const value = String(record[name])
    const content = field.kind === 'name' ? isolated(value) : html`<code>${value}</code>`
    const label = fieldLabel(view, entity, name)
    return { label: field.kind === 'id' ? `${label} (${name})` : label, content, copy: value }
  })
  const whole = wholeCode(view, entity, record)
  const codes = fullCode(entity, record as PublishedRecord)
  const composed: Entry[] =
    codes.length < 2
      ? []
      : [{ label: words.record.codeInApi, content: html`<code>${codes.join('-')}</code>`, copy: codes.join('-') }]
  return html`<section aria-labelledby="identifiers-title">
<h2 id="identifiers-title">${words.record.identifiers}</h2>
${entryList(view, [...(whole === undefined ? [] : [whole]), ...entries, ...composed])}
</section>`
}

/** The whole official code of a record; undefined where its own code is all there is. */
function wholeCode(view: View, entity: Entity, record: ReadRecord): Entry | undefined {
  const parts = view.api.wholeCode(entity, record as PublishedRecord) ?? []
  const code = parts.join('')
  if (code === '' || entity.code.some((field) => record[field] === code)) return undefined
  return {
    label: view.words.wholeCodes[entity.name] ?? view.words.record.wholeCode,
    content: html`<code class="parts">${parts.map((part) => html`<span>${part}</span>`)}</code>`,
    copy: code,
  }
}

/** The codes that make up its official code, from its outermost parent to its own. */
function fullCode(entity: Entity, record: PublishedRecord): string[] {
  return entity.code.flatMap((field) => {
    const definition = entity.fields[field]
    if (definition?.kind !== 'embed') return [String(record[field])]
    return fullCode(definition.entity, record[field] as PublishedRecord)
  })
}

/** Decimals of degrees: six are a tenth of a metre. */
const DECIMALS = 6

function facts(view: View, entity: Entity, record: ReadRecord): Html | undefined {
  const knownFacts = factsOf(entity).filter(([name]) => record[name] !== null && record[name] !== undefined)
  if (knownFacts.length === 0) return undefined
  const point = pointOf(entity, record)
  const ofPoint: readonly string[] = point === undefined ? [] : Object.values(coordinatesOf(entity) ?? {})
  const others = knownFacts.filter(([name]) => !ofPoint.includes(name))
  const entries = others.map(
    ([name]): Entry => ({ label: fieldLabel(view, entity, name), content: ownValue(view, entity, name, record) }),
  )
  const place =
    point && [point.latitude, point.longitude].map((degrees) => Number(degrees.toFixed(DECIMALS))).join(', ')
  if (place !== undefined) entries.push({ label: view.words.record.coordinates, content: place, copy: place })
  return html`<section aria-labelledby="facts-title">
<h2 id="facts-title">${view.words.record.facts}</h2>
${entryList(view, entries)}
</section>`
}

// What it contains.

function children(view: View, entity: Entity, record: ReadRecord): Html | undefined {
  const { api, words, language } = view
  const below = descendantsOf(api.catalog, entity)
    .map((child) => ({ child, filter: filterBy(child, entity, record) }))
    .map(({ child, filter }) => ({ child, filter, total: api.total(child, filter) }))
    .filter(({ total }) => total > 0)
  const [nearest] = below
  if (nearest === undefined) return undefined
  return html`<section aria-labelledby="children-title">
<h2 id="children-title">${words.record.contains}</h2>
<ul class="counts">${below.map(
    ({ child, filter, total }) =>
      html`<li><a href="${href(view, collectionAddress(child), filter)}"><span class="figure">${language.number(total)}</span> ${manyOf(view, child).toLowerCase()}</a></li>`,
  )}</ul>
${childTable(view, nearest.child, nearest.filter, nearest.total)}
<p><a href="${href(view, TREE_PATH, [['open', `${entity.plural}:${keySegments(entity, record as PublishedRecord)[0]}`]])}">${words.record.openTree}</a></p>
</section>`
}

/** The parameter that keeps to the descendants of a record. */
function filterBy(child: Entity, entity: Entity, record: ReadRecord): Pairs {
  const path = pathTo(child, entity)?.path ?? ''
  return [[path, String(record[identifierOf(entity)])]]
}

function childTable(view: View, child: Entity, filter: Pairs, total: number): Html {
  const { api, words, language } = view
  const isCounted = api.knownFacts(child).includes(POPULATION)
  const order: Pairs = isCounted ? [['sort', `-${POPULATION}`]] : []
  const shown: Pairs = [['per_page', String(MAX_CHILDREN)], ...FACTS, ...order]
  const { records } = api.list(child, [...filter, ...shown])
  const largest = Math.max(1, ...records.map((one) => Number(one[POPULATION] ?? 0)))
  const codes = child.code.filter((field) => child.fields[field]?.kind === 'code')
  const counts = [language.number(records.length), language.number(total)] as const
  const caption = isCounted ? words.record.largestOf(...counts) : words.record.firstOf(...counts)
  return html`<table class="small">
<caption>${records.length < total ? caption : `${capitalized(manyOf(view, child))}`}</caption>
<thead><tr><th scope="col">${fieldLabel(view, child, nameFieldOf(child))}</th>${codes.map((code) => html`<th scope="col">${fieldLabel(view, child, code)}</th>`)}${isCounted && html`<th scope="col" class="figure">${fieldLabel(view, child, POPULATION)}</th>`}</tr></thead>
<tbody>${records.map(
    (one) =>
      html`<tr><th scope="row">${recordLink(view, child, one)}</th>${codes.map((code) => html`<td><code>${String(one[code])}</code></td>`)}${isCounted && html`<td class="figure">${ownValue(view, child, POPULATION, one)}${one[POPULATION] !== null && bar(Number(one[POPULATION]), largest)}</td>`}</tr>
`,
  )}</tbody></table>`
}

/** A bar that shows how much of the largest a value is. */
export const bar = (value: number, largest: number): Html =>
  html`<svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect width="${Math.round((value / largest) * 1_000) / 10}" height="4"/></svg>`

// Where it is, and what is near it or has the same name.

function whereabouts(view: View, entity: Entity, record: ReadRecord): Html | undefined {
  const focus = pointOf(entity, record)
  if (focus !== undefined)
    return html`${dotsAround(view, entity, record, focus)}${mapLink(view, placeOnMap(view, entity, focus))}`
  const child = descendantsOf(view.api.catalog, entity).find((one) => hasCoordinates(one))
  const dots = child && dotsBelow(view, child, entity, record)
  if (child === undefined || dots === undefined) return undefined
  return html`${dots}${mapLink(view, href(view, mapAddress(child), filterBy(child, entity, record)))}`
}

const mapLink = ({ words }: View, address: string): Html => html`<p><a href="${address}">${words.maps.see}</a></p>`

function pointOf(entity: Entity, record: ReadRecord): Point | undefined {
  const fields = coordinatesOf(entity)
  if (fields === undefined) return undefined
  const [latitude, longitude] = [record[fields.latitude], record[fields.longitude]]
  return typeof latitude === 'number' && typeof longitude === 'number' ? { latitude, longitude } : undefined
}

const pointsOf = (entity: Entity, records: readonly ReadRecord[]): Point[] =>
  records.flatMap((record) => pointOf(entity, record) ?? [])

/** The places within a record that is no point itself: all of them, or the largest where they are too many. */
function dotsBelow(view: View, child: Entity, entity: Entity, record: ReadRecord): Html | undefined {
  const { api, words, language } = view
  const facts = api.knownFacts(child)
  const fields = coordinatesOf(child)
  if (fields === undefined || !facts.includes(fields.latitude)) return undefined
  const filter = filterBy(child, entity, record)
  const shown: Pairs = [...filter, ['per_page', String(MAX_DOTS)], ['fields', `${fields.latitude},${fields.longitude}`]]
  const isCut = facts.includes(POPULATION) && api.total(child, filter) > MAX_DOTS
  const largest = isCut
    ? pointsOf(child, api.list(child, [...shown, [`${POPULATION}_min`, '1'], ['sort', `-${POPULATION}`]]).records)
    : []
  const points = largest.length > 0 ? largest : pointsOf(child, api.list(child, shown).records)
  const caption = largest.length > 0 ? words.record.dotsLargest : words.record.dotsShown
  const places = manyOf(view, child).toLowerCase()
  const map = dotMap(points, words.record.dots(places, nameOf(entity, record)))
  return map && html`<figure>${map}<figcaption>${caption(language.number(points.length), places)}</figcaption></figure>`
}

const DOTS_AROUND = 300

function dotsAround(view: View, entity: Entity, record: ReadRecord, focus: Point): Html {
  const { api, words } = view
  const near: Pairs = [
    ['near', `${focus.latitude},${focus.longitude}`],
    ['per_page', String(DOTS_AROUND)],
    ['facts', 'true'],
  ]
  const own = keySegments(entity, record as PublishedRecord).join()
  const others = api
    .list(entity, near)
    .records.filter((one) => keySegments(entity, one as PublishedRecord).join() !== own)
  const map = dotMap(pointsOf(entity, others), words.record.dotsAround(nameOf(entity, record)), focus)
  return html`${map && html`<figure>${map}</figure>`}
<section aria-labelledby="near-title">
<h2 id="near-title">${words.record.near}</h2>
<ul class="neighbours">${others
    .slice(0, MAX_NEAR)
    .map(
      (one) =>
        html`<li>${recordLink(view, entity, one)} <span class="figure">${distance(view, Number(one[DISTANCE]))}</span></li>`,
    )}</ul>
</section>`
}

const METRES_IN_KILOMETRE = 1_000

const distance = ({ words, language }: View, metres: number): string =>
  metres < METRES_IN_KILOMETRE
    ? `${language.number(metres)} ${words.record.metres}`
    : `${language.decimal(metres / METRES_IN_KILOMETRE, 1)} ${words.record.kilometres}`

function homonyms(view: View, entity: Entity, record: ReadRecord): Html {
  const { api, words, language } = view
  const field = nameFieldOf(entity)
  const filter: Pairs = [[field, String(record[field])]]
  const own = keySegments(entity, record as PublishedRecord).join()
  const { records, total } = api.list(entity, [...filter, ['per_page', String(MAX_HOMONYMS + 1)]])
  const others = records
    .filter((one) => keySegments(entity, one as PublishedRecord).join() !== own)
    .slice(0, MAX_HOMONYMS)
  return html`<section aria-labelledby="homonyms-title">
<h2 id="homonyms-title">${words.record.homonyms}</h2>
${
  total <= 1
    ? html`<p>${words.record.noHomonyms}</p>`
    : html`<ul class="neighbours">${others.map((one) => html`<li>${recordLink(view, entity, one)}<span class="what">${whereIs(entity, one)}</span></li>`)}</ul>
<p><a href="${href(view, collectionAddress(entity), filter)}">${words.record.homonymsText(language.number(total))}</a></p>`
}
</section>`
}

const whereIs = (entity: Entity, record: ReadRecord): Content[] =>
  joined(
    ancestorRecords(entity, record)
      .slice(0, 2)
      .map((ancestor) => isolated(nameOf(ancestor.entity, ancestor.record))),
    ', ',
  )

// Its history over the releases that are on disk.

const MAX_RELEASES = 12

function history(view: View, entity: Entity, identifiers: readonly string[]): Html {
  const { api, words } = view
  const releases = api.releases().slice(0, MAX_RELEASES).toReversed()
  const versions = releases.map((release) => ({ release, record: api.recordIn(release.digest, entity, identifiers) }))
  const events = versions.flatMap(({ release, record }, at) => {
    const what = historyEvent(view, entity, versions[at - 1]?.record, record, at === 0)
    return what === undefined ? [] : [historyItem(view, release, what)]
  })
  return html`<section aria-labelledby="history-title">
<h2 id="history-title">${words.record.history}</h2>
${releases.length === 1 && html`<p>${words.record.historyAlone}</p>`}
${releases.length > 1 && events.length <= 1 && html`<p>${words.record.unchanged}</p>`}
${releases.length > 1 && html`<ol class="history">${events.toReversed()}</ol>`}
</section>`
}

function historyEvent(
  view: View,
  entity: Entity,
  before: ReadRecord | undefined,
  record: ReadRecord | undefined,
  isFirst: boolean,
): Content {
  const { words } = view
  if (isFirst) return record === undefined ? words.record.absent : words.record.present
  if (before === undefined) return record === undefined ? undefined : words.record.appeared
  if (record === undefined) return words.record.disappeared
  const fields = Object.keys(entity.fields).filter((name) => isChanged(entity, name, before, record))
  if (fields.length === 0) return undefined
  return joined(
    fields.map((name) => {
      const [old, now] = [shownValue(entity, name, before), shownValue(entity, name, record)]
      return html`${words.record.changed(fieldLabel(view, entity, name).toLowerCase())}: <del>${isolated(old)}</del> → <ins>${isolated(now)}</ins>`
    }),
    '; ',
  )
}

/** Whether a field changed. A parent changed where it is another one: what that is called is its own history. */
function isChanged(entity: Entity, name: string, before: ReadRecord, record: ReadRecord): boolean {
  const [, parent] = embedsOf(entity).find(([field]) => field === name) ?? []
  const valueIn = (one: ReadRecord) => {
    const value = one[name] ?? null
    return parent === undefined || value === null ? value : (value as PublishedRecord)[identifierOf(parent)]
  }
  return entity.fields[name]?.kind !== 'copy' && valueIn(before) !== valueIn(record)
}

function shownValue(entity: Entity, name: string, record: ReadRecord): string {
  const value = record[name]
  const [, parent] = embedsOf(entity).find(([field]) => field === name) ?? []
  if (parent === undefined || typeof value !== 'object' || value === null) return String(value ?? '–')
  return nameOf(parent, value)
}

const historyItem = (view: View, { digest, built }: ReleaseSummary, what: Content): Html =>
  html`<li><time datetime="${built}">${view.language.moment(built)}</time> <a href="${withQuery(view.path, [...view.carried.filter(([name]) => name !== 'release'), ['release', digest]])}"><code>${digest.slice(0, 8)}</code></a> ${what}</li>`
