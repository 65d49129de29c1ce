// The page of a collection: its records as a table to sort, filter, search and download.

import { own } from '../../base/json.ts'
import { memoized } from '../../base/memoized.ts'
import { coordinatesOf, type Entity, embedsOf } from '../../catalog/entity.ts'
import type { PublishedRecord } from '../../catalog/flatten.ts'
import { isNameFact } from '../../catalog/languages/languages.ts'
import { derivedCodesOf, usualCodeOf } from '../../catalog/official-code.ts'
import { pathNamed } from '../../catalog/paths.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import { badParameter, ProblemError } from '../../http/problem.ts'
import { keyNamed } from '../../http/v2/key-text.ts'
import { AFTER, EMBED, EXCEL, FACTS, FORMAT, listParameters } from '../../http/v2/parameter-definitions.ts'
import type { QueryPairs } from '../../http/v2/request/query-string.ts'
import { FORMATS, type FormatName, recordFormats } from '../../query/formats/formats.ts'
import type { RecordFormat } from '../../query/formats/record-format.ts'
import { distanceNameOf } from '../../query/near.ts'
import { embeddedIn } from '../ancestry.ts'
import type { ReadList } from '../api-reader.ts'
import type { Facet, FacetValue } from '../facets.ts'
import type { Histogram } from '../histograms.ts'
import type { PageLanguage } from '../language.ts'
import {
  apiCollectionPath,
  collectionAddress,
  filterParameter,
  mapAddress,
  sortParameter,
  withMore,
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
  officialCode,
  oneOf,
  shownNameField,
  sortedNameField,
  stepsLabel,
  wordsFor,
} from '../names.ts'
import { inferredResource } from '../packages.ts'
import { bySlug, filterNamed, isFilter } from '../query-names.ts'
import { searchBox } from '../search-box.ts'
import { type Section, sectionsOf } from '../sections.ts'
import { apiRequest } from '../snippets.ts'
import { isFigure, missing, numeralOf, shownValue } from '../values.ts'
import {
  type ExplorerPage,
  factPairs,
  hiddenInputs,
  href,
  isolated,
  isolatedName,
  parameter,
  recordLink,
  releasePairs,
  type View,
} from '../view.ts'
import { filled } from '../words/words.ts'
import { knownSize } from './map.ts'

/** Parameters of a list that the page sets itself. */
const OWN_PARAMETERS: readonly string[] = [AFTER, FACTS, EMBED, FORMAT, EXCEL].map(({ name }) => name)
/** The parameter that chooses columns; a form sends it once for each. */
const COLUMNS = 'fields'
const PAGE_SIZES = [25, 50, 100, 250]
/** A facet with more values shows only the most frequent. */
const MAX_FACET_VALUES = 200
const FEW_FACET_VALUES = 12
/** A facet with more values than this is scrolled through. */
const MAX_OPEN_VALUES = 10
/** A facet with more values than this shows the others when someone opens it. */
const MAX_SCROLLED_VALUES = 40

export function collectionPage(given: View, entity: Entity): ExplorerPage {
  const view = { ...given, pairs: bySlug(entity, withoutColumns(given.pairs)) }
  const { api, pairs } = view
  refuseOwnParameters(entity, pairs)
  const list = api.list(entity, [...pairs, ['facts', 'true']])
  const facets = api.facets(entity, pairs, MAX_FACET_VALUES)
  const offered = columnsOf(view, entity, facets, list.total)
  const chosen = chosenColumns(given.pairs, offered)
  const columns = chosen.length > 0 ? chosen : offered.filter(({ use }) => use !== 'folded').slice(0, MAX_COLUMNS)
  const kept: QueryPairs = chosen.length > 0 ? [[COLUMNS, chosen.map(({ path }) => path).join()]] : []
  // Links of the page keep the columns that were chosen.
  return tablePage({ ...view, pairs: [...pairs, ...kept] }, entity, { list, facets, offered, columns, chosen })
}

const withoutColumns = (pairs: QueryPairs): QueryPairs => pairs.filter(([name]) => name !== COLUMNS)

/** The columns that the address names, in its order. */
function chosenColumns(pairs: QueryPairs, offered: readonly Column[]): Column[] {
  const names = pairs.filter(([name]) => name === COLUMNS).flatMap(([, value]) => value.split(','))
  return [...new Set(names)].map((name) => {
    const column = offered.find(({ path }) => path === name)
    if (column === undefined) throw badParameter(COLUMNS, name, offered.map(({ path }) => path).join(', '))
    return column
  })
}

/** A page of a list as it was read, with the columns that it can have. */
type ReadTable = {
  readonly list: ReadList
  readonly facets: readonly Facet[]
  readonly offered: readonly Column[]
  readonly columns: readonly Column[]
  readonly chosen: readonly Column[]
}

type Shown = ReadTable & {
  readonly entity: Entity
  /** The parameters of the address, without those that choose columns. */
  readonly query: QueryPairs
  /** The filters that are offered. */
  readonly narrowing: readonly Html[]
}
type ListSection = Section<Shown>

function tablePage(view: View, entity: Entity, read: ReadTable): ExplorerPage {
  const { api, pairs } = view
  const query = withoutColumns(pairs)
  const size = knownSize(view, entity)
  const ranges = api
    .histograms(entity, query)
    .toSorted((a, b) => Number(b.field === size) - Number(a.field === size))
    .map((histogram) => rangeForm(view, entity, histogram))
  const lists = read.facets.flatMap((facet) => facetList(view, entity, facet) ?? [])
  // The outermost parents first: there are few of them, and most people begin there.
  const narrowing = [...lists.slice(0, 1), ...ranges, ...lists.slice(1)]
  const title = manyOf(view, entity)
  return {
    title: parameter(pairs, 'q') === undefined ? title : `${parameter(pairs, 'q')} · ${title}`,
    main: html`${sectionsOf(SECTIONS, view, { ...read, entity, query, narrowing })}`,
  }
}

function toolbar(view: View, { entity, query, ...shown }: Shown): Html {
  const { words, language } = view
  const { total } = shown.list
  return html`<div class="toolbar">
<div class="heading">
<h1>${manyOf(view, entity)}</h1>
<p class="count" role="status">${filled(words.table.total, language.number(total), counted(view, entity, total))}</p>
</div>
${total > 0 && html`<div class="actions">${downloadMenu(view, entity, shown)}${mapLink(view, entity, query)}${columnMenu(view, shown)}</div>`}
</div>`
}

const description: ListSection = (_, { entity }) =>
  entity.description !== undefined && html`<p class="lead lines">${isolated(entity.description)}</p>`

function tools(view: View, { entity, narrowing }: Shown): Html {
  const { words, pairs } = view
  const label = wordsFor(view, entity)
    ? filled(words.table.searchWithin, manyWithin(view, entity))
    : words.table.searchHere
  return html`<div class="tools">
${searchBox(view, { id: 'within-search', action: collectionAddress(entity), kept: omit(pairs, 'q', 'page'), value: parameter(pairs, 'q') ?? '', label, within: entity })}
${narrowing.length > 0 && html`<p class="to-filters"><a href="#filters">${words.table.toFilters}</a></p>`}
</div>`
}

function results(view: View, { entity, query, narrowing, ...shown }: Shown): Html {
  const { words } = view
  return html`<div class="browse">
<div class="results">
${shown.list.total === 0 ? html`<p class="empty">${query.length === 0 ? words.table.empty : words.table.nothing}</p>` : table(view, entity, shown)}
${pagination(view, shown.list)}
</div>
${
  narrowing.length > 0 &&
  html`<aside id="filters" class="facets" aria-labelledby="filters-title">
<h2 id="filters-title">${words.table.filters}</h2>
${narrowing}
</aside>`
}
</div>`
}

/** The word after a count. Titles of other lists may be long, and are no words for records. */
function counted(view: View, entity: Entity, total: number): string {
  const { record, records } = view.words.table
  if (wordsFor(view, entity) === undefined) return total === 1 ? record : records
  return total === 1 ? oneOf(view, entity) : manyWithin(view, entity)
}

/** Refuses parameters that the list has and the page sets itself. */
function refuseOwnParameters(entity: Entity, pairs: QueryPairs): void {
  const name = pairs.find(([given]) => OWN_PARAMETERS.includes(given))?.[0]
  if (name === undefined) return
  const known = [...listParameters(entity).keys()].filter((one) => !OWN_PARAMETERS.includes(one))
  throw new ProblemError({ kind: 'unknown-parameter', name, known, nearest: undefined })
}

const omit = (pairs: QueryPairs, ...names: readonly string[]): QueryPairs =>
  pairs.filter(([name]) => !names.includes(name))

// The filters that are in use, and those that are offered.

function chosenFilters(view: View, { entity, query, facets }: Shown): Html | undefined {
  const filters = query.filter(([name]) => isFilter(entity, name))
  const { words, pairs, path } = view
  const place = nearLabel(view)
  const withoutPlace = (given: QueryPairs) => withoutDistance(entity, omit(given, 'near', 'within_km'))
  const chips = [
    ...(place === undefined ? [] : [{ label: place, rest: withoutPlace(pairs) }]),
    ...filters.map((chosen) => ({
      label: filterLabel(view, entity, ...chosen, facets),
      rest: pairs.filter((pair) => pair !== chosen),
    })),
  ]
  if (chips.length === 0) return undefined
  const items = chips.map(
    ({ label, rest }) =>
      html`<li><a href="${href(view, path, omit(rest, 'page'))}" aria-label="${filled(words.table.remove, label)}">${isolated(label)} <span aria-hidden="true">×</span></a></li>`,
  )
  const none = omit(withoutPlace(pairs.filter((pair) => !filters.includes(pair))), 'page')
  return html`<section class="chosen" aria-label="${words.table.chosen}"><ul>${items}
${chips.length > 1 && html`<li><a href="${href(view, path, none)}">${words.table.removeAll}</a></li>`}</ul></section>`
}

/** The label of the point that the list is around. */
function nearLabel({ words, language, pairs }: View): string | undefined {
  const [near, distance] = [parameter(pairs, 'near'), parameter(pairs, 'within_km')]
  if (near === undefined) return undefined
  const place = near.replace(/\s*,\s*/, ', ')
  return distance === undefined
    ? filled(words.table.near, place)
    : filled(words.table.nearWithin, place, language.numeral(distance))
}

/** Without a point there is no distance to show. */
const withoutDistance = (entity: Entity, pairs: QueryPairs): QueryPairs =>
  pairs.map(([name, value]) => {
    const kept = name === COLUMNS && value.split(',').filter((path) => path !== distanceNameOf(entity))
    return kept ? [name, kept.join()] : [name, value]
  })

function filterLabel(view: View, entity: Entity, name: string, value: string, facets: readonly Facet[]): string {
  const { words } = view
  const facet = facets.find((one) => one.parameter === name)
  if (facet !== undefined)
    return filled(words.table.other, facetLabel(view, entity, facet), chosenLabel(view, entity, facet, value))
  const filter = filterNamed(entity, name)
  if (filter === undefined)
    return name === 'root' ? words.table.roots : filled(words.table.within, recordNamed(view, entity, value) ?? value)
  const { path, match } = filter
  const label = stepsLabel(view, entity, path.steps)
  const isReference = path.field.kind === 'broader'
  if (match === 'equals' || match === 'contains')
    return filled(words.table.other, label, (isReference ? recordNamed(view, entity, value) : undefined) ?? value)
  const relation = { min: words.table.between, max: words.table.atMost, begins: words.table.beginning }[match]
  return `${label} ${relation} ${numeralOf(view, path.steps.at(-1) ?? '', path.field, value)}`
}

/** The label of a chosen value, which the facet may not show and no record may have. */
function chosenLabel(view: View, entity: Entity, facet: Facet, value: string): string {
  const shown = facet.values.find((one) => one.value === value)
  if (shown !== undefined) return valueLabel(view, entity, facet, shown)
  const { parent } = facet
  return (parent && recordNamed(view, parent, value)) ?? value
}

/** The name of the record with a key; undefined if there is none. */
function recordNamed(view: View, entity: Entity, key: string): string | undefined {
  const segments = keyNamed(entity, key)
  const record = segments && view.api.recordIn(view.api.release.digest, entity, segments)
  return record && nameOf(view, entity, record)
}

function facetLabel(view: View, entity: Entity, { parent, steps }: Facet): string {
  const [field = ''] = steps
  return parent === undefined ? fieldLabel(view, entity, field) : parentLabel(view, entity, steps, parent)
}

function facetWithin(view: View, entity: Entity, { parent, steps }: Facet): string {
  const [field = ''] = steps
  return parent === undefined || steps.length === 1 ? fieldWithin(view, entity, field) : oneOf(view, parent)
}

function valueLabel(view: View, entity: Entity, { parent, steps }: Facet, { name }: FacetValue): string {
  const { words } = view
  const [step = ''] = steps
  const field = entity.fields[step]
  if (parent !== undefined || field === undefined) return name
  if (field.kind === 'value' && field.type === 'boolean') return words.values[name === 'true' ? 'yes' : 'no']
  if (field.kind === 'value' && field.type === 'integer') return numeralOf(view, step, field, name)
  return (wordsFor(view, entity) && own(own(words.factValues, step), name)) ?? name
}

function facetList(view: View, entity: Entity, facet: Facet): Html | undefined {
  const { path, pairs, words, language } = view
  const chosen = pairs.filter(([name]) => name === facet.parameter).map(([, value]) => value)
  // With one value there is nothing to choose.
  if (facet.size === 0 || (facet.size === 1 && chosen.length === 0)) return undefined
  const shown = shownValues(facet)(language)
  const isChosen = ({ value }: FacetValue) => chosen.includes(value)
  const ordered =
    chosen.length === 0 ? shown : [...shown.filter(isChosen), ...shown.filter((value) => !isChosen(value))]
  // The address with what is chosen is the same for all values that are not.
  const without = href(view, path, omit(pairs, facet.parameter, 'page'))
  const withValues = (values: readonly string[]) =>
    values.reduce((address, value) => withMore(address, facet.parameter, value), without)
  const withChosen = withValues(chosen)
  const item = (value: FacetValue) => {
    const target = isChosen(value)
      ? withValues(chosen.filter((one) => one !== value.value))
      : withMore(withChosen, facet.parameter, value.value)
    return html`<li><a href="${target}"${isChosen(value) && html` aria-current="true"`}><span>${isolated(valueLabel(view, entity, facet, value))}</span> <span class="figure">${language.number(value.count)}</span></a></li>`
  }
  const open = ordered.length <= MAX_SCROLLED_VALUES ? ordered.length : Math.max(MAX_OPEN_VALUES - 2, chosen.length)
  const id = `facet-${facet.parameter.replaceAll('.', '--')}`
  return html`<section class="facet" aria-labelledby="${id}">
<h3 id="${id}">${filled(words.table.by, facetWithin(view, entity, facet))}</h3>
<ul${open > MAX_OPEN_VALUES && html` class="long"`}>${ordered.slice(0, open).map(item)}</ul>
${open < ordered.length && html`<details class="rest"><summary>${filled(words.table.seeAll, language.number(ordered.length))}</summary><ul>${ordered.slice(open).map(item)}</ul></details>`}
${isCut(facet) && html`<p class="note">${filled(words.table.more, language.number(facet.size - shown.length))}</p>`}
</section>`
}

const BAR_HEIGHT = 40

/** A histogram, and a form that keeps to a range of its numbers. */
function rangeForm(view: View, entity: Entity, { field, min, max, counts }: Histogram): Html {
  const { path, pairs, carried, words } = view
  const label = fieldLabel(view, entity, field)
  const names = { min: filterParameter(entity, [field], 'min'), max: filterParameter(entity, [field], 'max') }
  const id = `range-${field}`
  const most = Math.max(...counts)
  const bars = counts.map((count, at) => {
    const height = count === 0 ? 0 : Math.max(1, Math.round((count / most) * BAR_HEIGHT))
    return html`<rect x="${at * 10}" y="${BAR_HEIGHT - height}" width="9" height="${height}"/>`
  })
  const shown = (value: number) => numeralOf(view, field, entity.fields[field], String(Math.round(value)))
  const bound = (name: string, says: string, value: number) =>
    html`<label><span>${says}</span><input name="${name}" inputmode="decimal" autocomplete="off" value="${parameter(pairs, name) ?? ''}" placeholder="${shown(value)}" aria-label="${label} ${says}"></label>`
  return html`<section class="facet range" aria-labelledby="${id}">
<h3 id="${id}">${label}</h3>
<svg class="histogram" viewBox="0 0 ${counts.length * 10} ${BAR_HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${filled(words.table.spread, label, shown(min), shown(max))}">${bars}</svg>
<form action="${path}">
${hiddenInputs([...omit(pairs, names.min, names.max, 'page'), ...carried])}
${bound(names.min, words.table.from, min)}${bound(names.max, words.table.to, max)}<button type="submit">${words.table.apply}</button>
</form>
</section>`
}

/** The most frequent of many values, or else all of them by name. Facets are kept, so each is sorted once. */
const shownValues = memoized((facet: Facet) =>
  memoized(({ compare }: PageLanguage): readonly FacetValue[] =>
    isCut(facet)
      ? facet.values.toSorted((a, b) => b.count - a.count).slice(0, FEW_FACET_VALUES)
      : facet.values.toSorted((a, b) => compare(a.name, b.name)),
  ),
)

const isCut = ({ size, values }: Facet): boolean => size > values.length

// The table.

type Column = {
  /** The path by which it is chosen, and sorted by. */
  readonly path: string
  readonly label: string
  readonly isNumber?: boolean
  readonly isName?: boolean
  /** Columns of less use are left out of a narrow table; folded columns are there only if they are chosen. */
  readonly use: 'most' | 'less' | 'folded'
  /** True if the API has it under its path, so that it can be sorted by and downloaded. */
  readonly isField: boolean
  readonly cell: (record: PublishedRecord) => Content
}

/** Columns that a table has at most, unless they are chosen. */
const MAX_COLUMNS = 12

/** The columns of a table: the name, the codes, the ancestors, the values and facts, and the identifier. */
function columnsOf(view: View, entity: Entity, facets: readonly Facet[], total: number): Column[] {
  const ancestors = facets
    .filter((facet) => facet.parent !== undefined)
    .toReversed()
    .map((facet, at) => {
      const isSame = !isTelling(facet, total) || isOne(view.pairs, facet.parameter)
      return parentColumn(view, entity, facet, isSame ? 'folded' : at === 0 ? 'most' : 'less')
    })
  const { names, codes, parts, values, coordinates, identifiers } = fieldGroups(view, entity)
  const figure = knownSize(view, entity) ?? values[0]
  const isOthers = wordsFor(view, entity) === undefined
  const own = (fields: readonly string[], use: (name: string) => Column['use']) =>
    fields.map((name) => ownColumn(view, entity, name, use(name)))
  return [
    ...own(names, () => 'most'),
    ...derivedCodes(view, entity),
    ...own(codes, (name) => (parts.includes(name) ? 'folded' : 'most')),
    ...ancestors,
    ...own(values, (name) => (name === figure ? 'most' : 'less')),
    ...(parameter(view.pairs, 'near') === undefined ? [] : [distanceColumn(view, distanceNameOf(entity))]),
    ...own(coordinates, () => 'folded'),
    ...own(identifiers, () => (isOthers ? 'less' : 'folded')),
  ]
}

/** The official code that people know a record by, where it is composed of others. */
const derivedCodes = (view: View, entity: Entity): Column[] =>
  derivedCodesOf(entity)
    .filter((code) => code === usualCodeOf(entity))
    .map((code) => ({
      path: code.name,
      label: code.title ?? code.name,
      use: 'most',
      isField: pathNamed(entity, code.name) !== undefined,
      cell: (record) => {
        const text = officialCode(entity, record)
        return text === undefined ? missing(view) : html`<code>${text}</code>`
      },
    }))

const METRES_IN_KILOMETRE = 1_000

const distanceColumn = ({ words, language }: View, name: string): Column => ({
  path: name,
  label: words.table.distance,
  isNumber: true,
  use: 'most',
  isField: false,
  cell: (record) => `${language.decimal(Number(record[name]) / METRES_IN_KILOMETRE, 1)} ${words.record.kilometres}`,
})

/** The fields of a record in the order in which a table has them. */
function fieldGroups(view: View, entity: Entity) {
  const shown = shownNameField(view, entity)
  const { language: shownLanguage } = nameFields(entity).find(({ name }) => name === shown) ?? {}
  // Names in other languages are on the page of the record.
  const names = nameFields(entity).filter(
    ({ name, language }) => name === shown || language === undefined || language === shownLanguage,
  )
  const known = view.api.knownFacts(entity)
  const coordinates: readonly string[] = Object.values(coordinatesOf(entity) ?? {})
  const values = Object.keys(entity.fields).filter((name) => {
    const field = entity.fields[name]
    if (coordinates.includes(name) || (field !== undefined && isNameFact(field))) return false
    return field?.kind === 'fact' ? known.includes(name) : field?.kind === 'value' || field?.kind === 'broader'
  })
  const head = rowHeader(view, entity)
  const parts = derivedCodesOf(entity).flatMap((code) => code.parts.map(({ field }) => field))
  const ofKind = (kind: string) =>
    Object.keys(entity.fields).filter((name) => entity.fields[name]?.kind === kind && name !== head)
  return {
    names: [head, ...names.map(({ name }) => name).filter((name) => name !== head)],
    codes: ofKind('code'),
    /** Codes that are part of another, which says all that they say. */
    parts,
    coordinates: coordinates.filter((name) => known.includes(name)),
    values: values.toSorted((a, b) => Number(isDescription(entity, a)) - Number(isDescription(entity, b))),
    identifiers: ofKind('id'),
  }
}

/** The field at the head of a row: its name, or else the beginning of its key. */
const rowHeader = (view: View, entity: Entity): string => shownNameField(view, entity) ?? (entity.key[0] as string)

function isDescription({ fields }: Entity, name: string): boolean {
  const field = fields[name]
  return field?.kind === 'value' && field.role === 'description'
}

/** True if not all records have the same value. */
const isTelling = ({ size, values }: Facet, total: number): boolean =>
  size > 1 || (size === 1 && (values[0]?.count ?? 0) < total)

/** True if a parameter is given once, so that a column of it would say the same in every row. */
const isOne = (pairs: QueryPairs, parameter: string) => pairs.filter(([name]) => name === parameter).length === 1

function ownColumn(view: View, entity: Entity, name: string, use: Column['use']): Column {
  const isName = name === rowHeader(view, entity)
  return {
    path: sortParameter(entity, [name]),
    label: fieldLabel(view, entity, name),
    isNumber: isFigure(entity.fields[name]),
    isName,
    use,
    isField: true,
    cell: isName ? (record) => recordLink(view, entity, record) : (record) => shownValue(view, entity, name, record),
  }
}

function parentColumn(view: View, entity: Entity, { steps, parent: given }: Facet, use: Column['use']): Column {
  const parent = given as Entity
  return {
    path: sortParameter(entity, [...steps, sortedNameField(view, parent)]),
    label: parentLabel(view, entity, steps, parent),
    use,
    isField: true,
    cell: (record) => {
      const found = embeddedIn(record, steps)
      return found === undefined ? missing(view) : isolatedName(view, parent, found)
    },
  }
}

/** The label of an ancestor: the field of a parent, or the word for a further ancestor. */
const parentLabel = (view: View, entity: Entity, steps: readonly string[], parent: Entity): string =>
  steps.length === 1 ? fieldLabel(view, entity, steps[0] as string) : capitalized(oneOf(view, parent))

function table(view: View, entity: Entity, { list, columns, chosen, offered }: ReadTable): Html {
  const sorted = parameter(view.pairs, 'sort') ?? ''
  const more = offered.filter(({ use }) => use !== 'folded').length - columns.length
  // Columns of other lists and chosen columns may be of any width; the usual columns of the built-in lists fit.
  const fits = wordsFor(view, entity) !== undefined && chosen.length === 0
  return html`<div class="${fits ? 'scroll' : 'scroll any-width'}" role="region" tabindex="0" aria-label="${manyOf(view, entity)}"><table>
<thead><tr>${columns.map((column) => headerCell(view, column, sorted, fits))}</tr></thead>
<tbody>${list.records.map(
    (record) => html`<tr>${columns.map((column) => dataCell(column, record, fits))}</tr>
`,
  )}</tbody>
</table></div>${chosen.length === 0 && more > 0 && html`<p class="note">${filled(view.words.table.moreFields, view.language.number(more))}</p>`}`
}

const classesOf = ({ isNumber, use }: Column, fits: boolean): Html | undefined => {
  const names = [...(isNumber ? ['figure'] : []), ...(fits && use === 'less' ? ['less'] : [])]
  return names.length === 0 ? undefined : html` class="${names.join(' ')}"`
}

function headerCell(view: View, column: Column, sorted: string, fits: boolean): Html {
  const { words } = view
  const { path, label, isField } = column
  if (!isField) return html`<th scope="col"${classesOf(column, fits)}>${label}</th>`
  const direction = sorted === path ? 'ascending' : sorted === `-${path}` ? 'descending' : undefined
  const next = direction === undefined ? path : direction === 'ascending' ? `-${path}` : undefined
  const kept = omit(view.pairs, 'sort', 'page')
  const target: QueryPairs = next === undefined ? kept : [...kept, ['sort', next]]
  const mark = direction === undefined ? '↕' : direction === 'ascending' ? '↑' : '↓'
  return html`<th scope="col"${classesOf(column, fits)}${direction !== undefined && html` aria-sort="${direction}"`}><a href="${href(view, view.path, target)}" title="${filled(words.table.sortBy, label)}">${label}<span class="mark" aria-hidden="true">${mark}</span></a></th>`
}

const dataCell = (column: Column, record: PublishedRecord, fits: boolean): Html =>
  column.isName
    ? html`<th scope="row">${column.cell(record)}</th>`
    : html`<td data-label="${column.label}"${classesOf(column, fits)}>${column.cell(record)}</td>`

function pagination(view: View, list: ReadList): Html | undefined {
  const { words, language, path, pairs } = view
  const { page, totalPages, total, perPage, records } = list
  if (total === 0) return undefined
  const to = (number: number) => {
    const others = omit(pairs, 'page')
    return href(view, path, number === 1 ? others : [...others, ['page', String(number)]])
  }
  const link = (number: number, label: string, rel: string) =>
    html`<li>${number >= 1 && number <= totalPages && number !== page ? html`<a href="${to(number)}" rel="${rel}">${label}</a>` : html`<span>${label}</span>`}</li>`
  const first = (page - 1) * perPage + 1
  const sizes = PAGE_SIZES.includes(perPage) ? PAGE_SIZES : [...PAGE_SIZES, perPage].sort((a, b) => a - b)
  return html`<div class="paging">
<p>${filled(words.table.range, language.number(first), language.number(first + records.length - 1), language.number(total))}${totalPages > 1 && html` · ${filled(words.table.page, language.number(page), language.number(totalPages))}`}</p>
${totalPages > 1 && html`<nav aria-label="${words.table.pages}"><ul>${link(1, words.table.first, 'first')}${link(page - 1, words.table.previous, 'prev')}${link(page + 1, words.table.next, 'next')}${link(totalPages, words.table.last, 'last')}</ul></nav>`}
<div class="sizes" role="group" aria-label="${words.table.perPage}"><span>${words.table.perPage}</span><ul>${sizes.map(
    (size) => {
      const target = href(view, path, [...omit(pairs, 'per_page', 'page'), ['per_page', String(size)]])
      return html`<li><a href="${target}"${size === perPage && html` aria-current="true"`}>${size}</a></li>`
    },
  )}</ul></div>
</div>`
}

// Actions on the records: downloads, the map, other columns, and the request from a program.

/** The parameters of a request to the API for all that was found, with the chosen columns or else all facts. */
function requestPairs(view: View, entity: Entity, { chosen }: ReadTable): QueryPairs {
  const fields = chosen.filter(({ isField }) => isField).map(({ path }) => path)
  const selected: QueryPairs = fields.length === 0 ? factPairs(entity) : [[COLUMNS, fields.join()]]
  return [...omit(view.pairs, 'page', 'per_page', COLUMNS), ...selected, ...releasePairs(view)]
}

function downloadMenu(view: View, entity: Entity, shown: ReadTable): Html {
  const { words, language } = view
  const path = `${apiCollectionPath(entity)}/all`
  const pairs = requestPairs(view, entity, shown)
  const isTable = (format: FormatName) => recordFormats[format].hasColumns
  // Most people can open a workbook, and fewer anything but a table.
  const formats = [...FORMATS.filter(isTable).toReversed(), ...FORMATS.filter((format) => !isTable(format))]
  const links = formats.flatMap((format) => {
    const { title, downloadParameters = [], extension = format, maxRecords }: RecordFormat = recordFormats[format]
    if (title === undefined || shown.list.total > (maxRecords ?? Number.POSITIVE_INFINITY)) return []
    const address = withQuery(path, [...pairs, [FORMAT.name, format], ...downloadParameters])
    return html`<li><a href="${address}" download="${entity.plural}.${extension}" aria-label="${filled(words.table.downloadAs, title)}">${title}</a></li>`
  })
  return html`<details class="menu downloads" name="menu"><summary>${filled(words.table.download, language.number(shown.list.total))}</summary><ul>${links}</ul></details>`
}

/** A link to the map with the same filters, if the records have coordinates. */
function mapLink(view: View, entity: Entity, pairs: QueryPairs): Html | undefined {
  if (view.api.map(entity) === undefined) return undefined
  const kept = pairs.filter(([name]) => name === 'q' || isFilter(entity, name))
  return html`<a href="${href(view, mapAddress(entity), kept)}">${view.words.maps.see}</a>`
}

function columnMenu(view: View, { offered, columns }: ReadTable): Html {
  const { words, pairs, path, carried } = view
  const kept = [...omit(pairs, COLUMNS, 'page'), ...carried]
  return html`<details class="menu columns-menu" name="menu"><summary>${words.table.columns}</summary><form action="${path}">
${hiddenInputs(kept)}
<ul>${offered.map((column) => html`<li><label><input type="checkbox" name="${COLUMNS}" value="${column.path}"${columns.includes(column) && html` checked`}> ${column.label}${column.use === 'folded' && html` <code>${column.path}</code>`}</label></li>`)}</ul>
<button type="submit">${words.table.apply}</button> <a href="${href(view, path, omit(pairs, COLUMNS, 'page'))}">${words.table.usualColumns}</a>
</form></details>`
}

/** Requests for all of the records from a program. */
function sameData(view: View, { entity, ...shown }: Shown): Html {
  const path = `${apiCollectionPath(entity)}/all`
  const pairs = requestPairs(view, entity, shown)
  return apiRequest(view, withQuery(path, pairs), {
    target: withQuery(path, [...pairs, ['format', 'csv']]),
    codes: codeColumns(entity),
  })
}

/** The columns of CSV that are codes, of the records and of what they embed. */
const codeColumns = (entity: Entity, prefix: readonly string[] = []): string[] =>
  [
    ...derivedCodesOf(entity).map(({ name }) => [name]),
    ...Object.entries(entity.fields).flatMap(([name, field]) => (field.kind === 'code' ? [[name]] : [])),
  ]
    .map((steps) => [...prefix, ...steps].join('.'))
    .concat(embedsOf(entity).flatMap(([field, parent]) => codeColumns(parent, [...prefix, field])))

/** The sections of the page of a list, in their order. */
const SECTIONS: readonly ListSection[] = [
  toolbar,
  description,
  tools,
  chosenFilters,
  results,
  sameData,
  (view, { entity }) => inferredResource(view, entity),
]
