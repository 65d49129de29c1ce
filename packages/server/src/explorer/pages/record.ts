// The page of a record: what it is, where it belongs, its identifiers, its facts, its neighbours and its history.
import { isObject, valueAt } from '../../base/json.ts'
import {
  broaderOf,
  coordinatesOf,
  type Entity,
  embedsOf,
  type Field,
  hasCoordinates,
  hasNumericKey,
  identifierOf,
  publishedFields,
} from '../../catalog/entity.ts'
import type { PublishedRecord, PublishedValue } from '../../catalog/flatten.ts'
import { descendantsOf, pathTo } from '../../catalog/lineage.ts'
import { codePartsIn, derivedCodesOf } from '../../catalog/official-code.ts'
import { type Content, type Html, html, joined } from '../../http/html.ts'
import { ProblemError } from '../../http/problem.ts'
import { percentDecoded } from '../../http/v2/key-text.ts'
import { recordTemplate } from '../../http/v2/paths.ts'
import { distanceNameOf } from '../../query/near.ts'
import { belongsTo } from '../ancestry.ts'
import type { ReadRecord, ReleaseSummary } from '../api-reader.ts'
import { dotMap, type Point } from '../dot-map.ts'
import { ancestorsIn } from '../forest.ts'
import {
  apiRecordPath,
  collectionAddress,
  filterParameter,
  filterValue,
  keySegments,
  keySeparator,
  mapAddress,
  type Pairs,
  recordAddress,
  segmentsOf,
  sortParameter,
  TREE_PATH,
  withQuery,
} from '../links.ts'
import {
  capitalized,
  fieldLabel,
  fieldWithin,
  manyOf,
  manyWithin,
  nameFields,
  nameOf,
  oneOf,
  shownName,
  shownNameField,
  wordsFor,
} from '../names.ts'
import { apiRequest, copyButton } from '../snippets.ts'
import { isInTree, MAX_DEPTH, nodeId, nodeText, OPEN_NODE } from '../tree-nodes.ts'
import { isMissing, missing, plainValue, shownValue, writtenNumber } from '../values.ts'
import {
  factPairs,
  href,
  isolated,
  isolatedName,
  type Page,
  recordLink,
  releasePairs,
  shortDigest,
  type View,
} from '../view.ts'
import { knownSize, placeOnMap } from './map.ts'

const FACTS: Pairs = [['facts', 'true']]
const MAX_CHILDREN = 20
const MAX_HOMONYMS = 8
const MAX_NEAR = 8
const MAX_DOTS = 1_000

/** The address to go to where a record is named by its official code; undefined where it is named by its key. */
export function recordByCode(view: View, entity: Entity, key: string): string | undefined {
  if (!hasNumericKey(entity) || /^[0-9]+$/.test(key)) return undefined
  const record = view.api.record(entity, [percentDecoded(key) ?? ''], [['by', 'code']])
  return href(view, recordAddress(entity, keySegments(entity, record as PublishedRecord)))
}

export function recordPage(view: View, entity: Entity, key: string): Page {
  const { api, words } = view
  const segments = segmentsOf(entity, key)
  if (segments === undefined) throw recordNotFound(entity)
  const record = api.record(entity, segments, FACTS)
  const above = ancestorsAbove(view, entity, record, segments)
  const json = JSON.stringify(record, null, 2)
  return {
    title: `${nameOf(view, entity, record)}, ${oneOf(view, entity)}`,
    main: html`${breadcrumb(view, entity, record, above)}
<div class="heading">
<h1 class="place">${isolatedName(view, entity, record)}</h1>
<p class="kind">${oneOf(view, entity)}</p>
</div>
<div class="record">
<div class="about">
${codes(view, entity, record)}
${names(view, entity, record)}
${facts(view, entity, record)}
${related(view, entity, record, above)}
${branch(view, entity, segments)}
${children(view, entity, record)}
${history(view, entity, segments)}
</div>
<aside class="around" aria-label="${words.record.around}">
${whereabouts(view, entity, record)}
${homonyms(view, entity, record)}
</aside>
<div>
${apiRequest(view, withQuery(apiRecordPath(entity, segments), [...factPairs(entity), ...releasePairs(view)]))}
<details class="json"><summary>${words.record.json}</summary>
<div class="code"><pre tabindex="0"><code>${json}</code></pre>${copyButton(view, json, 'JSON')}</div></details>
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

// What it belongs to.

type Ancestor = { readonly entity: Entity; readonly record: ReadRecord }

/** The records that a record belongs to, the nearest first. */
function ancestorRecords(entity: Entity, record: ReadRecord): Ancestor[] {
  const ancestors: Ancestor[] = []
  let at: unknown = record
  for (const step of belongsTo(entity)) {
    at = valueAt(at, [step.field])
    if (!isObject(at)) break
    ancestors.push({ entity: step.entity, record: at as ReadRecord })
  }
  return ancestors
}

/** All that a record belongs to, from the outermost: what it is embedded under, then what is above it in its own tree. */
function ancestorsAbove(view: View, entity: Entity, record: ReadRecord, segments: readonly string[]): Ancestor[] {
  const { api } = view
  const forest = api.forest(entity)
  const positions = forest === undefined ? [] : ancestorsIn(forest, api.positionOf(entity, segments))
  const inTree = api.recordsAt(entity, shortened(positions)).map((one) => ({ entity, record: one }))
  return [...inTree, ...ancestorRecords(entity, record)].reverse()
}

const MAX_BREADCRUMB = 20

/** A tree may be of any depth: of very many above it, the root and the nearest. */
const shortened = (positions: readonly number[]): readonly number[] =>
  positions.length <= MAX_BREADCRUMB
    ? positions
    : [...positions.slice(0, MAX_BREADCRUMB - 1), positions.at(-1) as number]

function breadcrumb(view: View, entity: Entity, record: ReadRecord, above: readonly Ancestor[]): Html {
  const { words } = view
  const items = [
    html`<li><a href="${href(view, collectionAddress(entity))}">${manyOf(view, entity)}</a></li>`,
    ...above.map((ancestor) => html`<li>${recordLink(view, ancestor.entity, ancestor.record)}</li>`),
    html`<li aria-current="page">${isolatedName(view, entity, record)}</li>`,
  ]
  return html`<nav class="breadcrumb" aria-label="${words.record.breadcrumb}"><ol>${items}</ol></nav>`
}

/** What it refers to besides what it belongs to. */
function related(view: View, entity: Entity, record: ReadRecord, above: readonly Ancestor[]): Html | undefined {
  const addressOf = (of: Entity, one: ReadRecord) => recordAddress(of, keySegments(of, one as PublishedRecord))
  const shown = new Set(above.map((ancestor) => addressOf(ancestor.entity, ancestor.record)))
  const others = embedsOf(entity).filter(([field, parent]) => {
    const value = record[field]
    return isObject(value) && !shown.has(addressOf(parent, value as ReadRecord))
  })
  if (others.length === 0) return undefined
  return html`<section aria-labelledby="related-title">
<h2 id="related-title">${view.words.record.related}</h2>
${entryList(
  view,
  others.map(([field]) => ({
    label: fieldLabel(view, entity, field),
    content: shownValue(view, entity, field, record),
  })),
)}
</section>`
}

// What it is called, and what is known of it.

type Entry = { readonly label: string; readonly content: Content; readonly copy?: string }

const entryList = (view: View, entries: readonly Entry[]): Html =>
  html`<dl class="entries">${entries.map(
    ({ label, content, copy }) =>
      html`<div><dt>${label}</dt><dd>${content}${copy !== undefined && copyButton(view, copy, label)}</dd></div>`,
  )}</dl>`

/** The section with its whole official code, its codes and names, its identifier, and the code that leads to it in API v2. */
function codes(view: View, entity: Entity, record: ReadRecord): Html | undefined {
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
  const parts = fullCode(entity, record as PublishedRecord)
  const whole = parts && wholeCode(view, entity, record)
  // A key that is made of texts is the code itself.
  const isComposed = parts !== undefined && parts.length > 1 && keySeparator(entity) === '-'
  const composed: Entry[] = isComposed
    ? [{ label: words.record.codeInApi, content: html`<code>${parts.join('-')}</code>`, copy: parts.join('-') }]
    : []
  const all = [...(whole === undefined ? [] : [whole]), ...entries, ...composed]
  if (all.length === 0) return undefined
  return html`<section aria-labelledby="identifiers-title">
<h2 id="identifiers-title">${words.record.identifiers}</h2>
${entryList(view, all)}
</section>`
}

/** Names whose language is known stand by themselves. */
const isIdentifying = (field: Field): boolean =>
  field.kind === 'id' || field.kind === 'code' || (field.kind === 'name' && field.language === undefined)

/** The whole official code of a record; undefined where its own code is all there is. */
function wholeCode(view: View, entity: Entity, record: ReadRecord): Entry | undefined {
  const parts = codePartsIn(entity, record as PublishedRecord) ?? []
  const code = parts.join('')
  if (code === '' || derivedCodesOf(entity).length === 0 || entity.code.some((field) => record[field] === code))
    return undefined
  return {
    label: view.words.wholeCodes[entity.name] ?? view.words.record.wholeCode,
    content: html`<code class="parts">${parts.map((part) => html`<span>${part}</span>`)}</code>`,
    copy: code,
  }
}

/** The codes that make up its official code, from its outermost parent to its own; undefined where one is missing. */
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
function names(view: View, entity: Entity, record: ReadRecord): Html | undefined {
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
  return html`<section aria-labelledby="names-title">
<h2 id="names-title">${view.words.record.names}</h2>
${entryList(view, entries)}
</section>`
}

/** Decimals of degrees: six are a tenth of a metre. */
const DECIMALS = 6

/** What is known of it besides its names and codes. */
function facts(view: View, entity: Entity, record: ReadRecord): Html | undefined {
  const known = Object.entries(entity.fields).filter(
    ([name, { kind }]) => (kind === 'fact' || kind === 'value') && !isMissing(record[name]),
  )
  if (known.length === 0) return undefined
  const point = pointOf(entity, record)
  const ofPoint: readonly string[] = point === undefined ? [] : Object.values(coordinatesOf(entity) ?? {})
  const others = known.filter(([name]) => !ofPoint.includes(name))
  const entries = others.map(
    ([name]): Entry => ({
      label: fieldLabel(view, entity, name),
      content: shownValue(view, entity, name, record, 'whole'),
    }),
  )
  const place =
    point && [point.latitude, point.longitude].map((degrees) => Number(degrees.toFixed(DECIMALS))).join(', ')
  if (place !== undefined) entries.push({ label: view.words.record.coordinates, content: place, copy: place })
  return html`<section aria-labelledby="facts-title">
<h2 id="facts-title">${view.words.record.facts}</h2>
${entryList(view, entries)}
</section>`
}

// What is below it in its own tree.

function branch(view: View, entity: Entity, segments: readonly string[]): Html | undefined {
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
  const below = (at: number) => forest.below(positions[at] as number)
  const all = href(view, collectionAddress(entity), [
    [filterParameter(entity, [broaderOf(entity) ?? '']), segments[0] ?? ''],
  ])
  const codes = ownCodes(entity)
  return html`<section aria-labelledby="branch-title">
<h2 id="branch-title">${words.record.contains}</h2>
<ul class="counts"><li><a href="${all}">${words.record.directlyBelow(language.number(positions.length))}</a></li>
${forest.below(position) > positions.length && html`<li>${words.record.allBelow(language.number(forest.below(position)))}</li>`}</ul>
<div class="scroll" role="region" tabindex="0" aria-label="${manyOf(view, entity)}"><table class="small">
${records.length < positions.length && html`<caption>${words.record.firstOf(language.number(records.length), language.number(positions.length))}</caption>`}
<thead><tr><th scope="col">${fieldLabel(view, entity, shownNameField(view, entity) ?? identifierOf(entity))}</th>${codes.map((code) => html`<th scope="col">${fieldLabel(view, entity, code)}</th>`)}<th scope="col" class="figure">${words.record.contains}</th></tr></thead>
<tbody>${records.map(
    (one, at) =>
      html`<tr><th scope="row">${recordLink(view, entity, one)}</th>${codes.map((code) => html`<td data-label="${fieldLabel(view, entity, code)}">${shownValue(view, entity, code, one)}</td>`)}<td class="figure" data-label="${words.record.contains}">${below(at) > 0 ? language.number(below(at)) : missing(view)}</td></tr>
`,
  )}</tbody></table></div>
${treeLink}
</section>`
}

const ownCodes = (entity: Entity): string[] => entity.code.filter((field) => entity.fields[field]?.kind === 'code')

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
<h2 id="children-title">${wordsFor(view, entity) ? words.record.contains : words.record.referring}</h2>
<ul class="counts">${below.map(
    ({ child, filter, total }) =>
      html`<li><a href="${href(view, collectionAddress(child), filter)}"><span class="figure">${language.number(total)}</span> ${manyWithin(view, child)}</a></li>`,
  )}</ul>
${childTable(view, nearest.child, nearest.filter, nearest.total)}
${isInTree(view, entity) && html`<p><a href="${href(view, TREE_PATH, [[OPEN_NODE, nodeText(entity, keySegments(entity, record as PublishedRecord))]])}">${words.record.openTree}</a></p>`}
</section>`
}

/** The parameter that keeps to the descendants of a record. */
function filterBy(child: Entity, entity: Entity, record: ReadRecord): Pairs {
  const steps = pathTo(child, entity)?.steps ?? []
  return [[filterParameter(child, steps), filterValue(entity, record as PublishedRecord)]]
}

function childTable(view: View, child: Entity, filter: Pairs, total: number): Html {
  const { api, words, language } = view
  const size = knownSize(view, child)
  const order: Pairs = size === undefined ? [] : [['sort', `-${size}`]]
  const shown: Pairs = [['per_page', String(MAX_CHILDREN)], ...FACTS, ...order]
  const { records } = api.list(child, [...filter, ...shown])
  const largest = Math.max(1, ...records.map((one) => Number(sizeOf(one, size) ?? 0)))
  const codes = ownCodes(child)
  const counts = [language.number(records.length), language.number(total)] as const
  const caption = size !== undefined ? words.record.largestOf(...counts) : words.record.firstOf(...counts)
  return html`<table class="small">
<caption>${records.length < total ? caption : `${capitalized(manyOf(view, child))}`}</caption>
<thead><tr><th scope="col">${fieldLabel(view, child, shownNameField(view, child) ?? (child.key.at(-1) as string))}</th>${codes.map((code) => html`<th scope="col">${fieldLabel(view, child, code)}</th>`)}${size !== undefined && html`<th scope="col" class="figure">${fieldLabel(view, child, size)}</th>`}</tr></thead>
<tbody>${records.map(
    (one) =>
      html`<tr><th scope="row">${recordLink(view, child, one)}</th>${codes.map((code) => html`<td>${shownValue(view, child, code, one)}</td>`)}${size !== undefined && html`<td class="figure">${shownValue(view, child, size, one)}${sizeOf(one, size) !== undefined && bar(Number(sizeOf(one, size)), largest)}</td>`}</tr>
`,
  )}</tbody></table>`
}

function sizeOf(record: ReadRecord, field: string | undefined): number | undefined {
  const value = field === undefined ? undefined : record[field]
  return isMissing(value) ? undefined : Number(writtenNumber(value))
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
  if (isMissing(latitude) || isMissing(longitude)) return undefined
  return { latitude: Number(writtenNumber(latitude)), longitude: Number(writtenNumber(longitude)) }
}

const pointsOf = (entity: Entity, records: readonly ReadRecord[]): Point[] =>
  records.flatMap((record) => pointOf(entity, record) ?? [])

/** The places within a record that is no point itself: all of them, or the largest where they are too many. */
function dotsBelow(view: View, child: Entity, entity: Entity, record: ReadRecord): Html | undefined {
  const { api, words, language } = view
  const fields = coordinatesOf(child)
  if (fields === undefined || api.map(child) === undefined) return undefined
  const filter = filterBy(child, entity, record)
  const coordinates = [fields.latitude, fields.longitude].map((name) => sortParameter(child, [name]))
  const shown: Pairs = [...filter, ['per_page', String(MAX_DOTS)], ['fields', coordinates.join()]]
  const size = knownSize(view, child)
  const isCut = size !== undefined && api.total(child, filter) > MAX_DOTS
  const largest = isCut
    ? pointsOf(child, api.list(child, [...shown, [`${size}_min`, '1'], ['sort', `-${size}`]]).records)
    : []
  const points = largest.length > 0 ? largest : pointsOf(child, api.list(child, shown).records)
  const caption = largest.length > 0 ? words.record.dotsLargest : words.record.dotsShown
  const places = manyWithin(view, child)
  const map = dotMap(points, words.record.dots(places, nameOf(view, entity, record)))
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
  const map = dotMap(pointsOf(entity, others), words.record.dotsAround(nameOf(view, entity, record)), focus)
  return html`${map && html`<figure>${map}</figure>`}
<section aria-labelledby="near-title">
<h2 id="near-title">${words.record.near}</h2>
<ul class="neighbours">${others
    .slice(0, MAX_NEAR)
    .map(
      (one) =>
        html`<li>${recordLink(view, entity, one)} <span class="figure">${distance(view, Number(one[distanceNameOf(entity)]))}</span></li>`,
    )}</ul>
</section>`
}

const METRES_IN_KILOMETRE = 1_000

const distance = ({ words, language }: View, metres: number): string =>
  metres < METRES_IN_KILOMETRE
    ? `${language.number(metres)} ${words.record.metres}`
    : `${language.decimal(metres / METRES_IN_KILOMETRE, 1)} ${words.record.kilometres}`

function homonyms(view: View, entity: Entity, record: ReadRecord): Html | undefined {
  const { api, words, language } = view
  const { field } = shownName(view, entity, record)
  if (field === undefined) return undefined
  const filter: Pairs = [[filterParameter(entity, [field]), String(record[field])]]
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
    : html`<ul class="neighbours">${others.map((one) => html`<li>${recordLink(view, entity, one)}<span class="what">${whereIs(view, entity, one)}</span></li>`)}</ul>
<p><a href="${href(view, collectionAddress(entity), filter)}">${words.record.homonymsText(language.number(total))}</a></p>`
}
</section>`
}

const whereIs = (view: View, entity: Entity, record: ReadRecord): Content[] =>
  joined(
    ancestorRecords(entity, record)
      .slice(0, 2)
      .map((ancestor) => isolatedName(view, ancestor.entity, ancestor.record)),
    ', ',
  )

// Its history over the releases that are on disk.

const MAX_RELEASES = 12

function history(view: View, entity: Entity, segments: readonly string[]): Html {
  const { api, words } = view
  const releases = api.releases().slice(0, MAX_RELEASES).toReversed()
  const versions = releases.map((release) => ({ release, record: api.recordIn(release.digest, entity, segments) }))
  const events = versions.flatMap(({ release, record }, at) => {
    const what = historyEvent(view, entity, versions[at - 1]?.record, record, at === 0)
    return what === undefined ? [] : [historyItem(view, release, record !== undefined, what)]
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
      const [old, now] = [valueIn(view, entity, name, before), valueIn(view, entity, name, record)]
      return html`${words.record.changed(fieldWithin(view, entity, name))}: <del>${isolated(old)}</del> → <ins>${isolated(now)}</ins>`
    }),
    '; ',
  )
}

/** Whether a field changed. A parent changed where it is another one: what that is called is its own history. */
function isChanged(entity: Entity, name: string, before: ReadRecord, record: ReadRecord): boolean {
  const field = entity.fields[name]
  if (field === undefined || field.kind === 'copy') return false
  const comparable = (value: PublishedValue | undefined) =>
    field.kind === 'embed' && isObject(value)
      ? keySegments(field.entity, value as PublishedRecord).join('\0')
      : JSON.stringify(value ?? null)
  return comparable(before[name]) !== comparable(record[name])
}

function valueIn(view: View, entity: Entity, name: string, record: ReadRecord): string {
  const field = entity.fields[name]
  const value = record[name]
  return field?.kind === 'embed' && isObject(value)
    ? nameOf(view, field.entity, value as PublishedRecord)
    : plainValue(view, value)
}

/** A release that did not have the record has no page of it. */
function historyItem(view: View, { digest, built }: ReleaseSummary, isThere: boolean, what: Content): Html {
  const kept = view.carried.filter(([name]) => name !== 'release')
  const release = html`<code>${shortDigest(digest)}</code>`
  const named = isThere
    ? html`<a href="${withQuery(view.path, [...kept, ['release', digest]])}">${release}</a>`
    : release
  return html`<li><time datetime="${built}">${view.language.moment(built)}</time> ${named} ${what}</li>`
}
