// The page of a collection: its records as a table to sort, filter, search and download.
import { isObject, valueAt } from '../../base/json.ts'
import { memoized } from '../../base/memoized.ts'
import { coordinatesOf, type Entity } from '../../catalog/entity.ts'
import type { PublishedRecord } from '../../catalog/flatten.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import { ProblemError } from '../../http/problem.ts'
import { keyNamed } from '../../http/v2/key-text.ts'
import { listParameters } from '../../http/v2/parameter-definitions.ts'
import type { ReadList, ReadRecord } from '../api-reader.ts'
import type { Facet, FacetValue } from '../facets.ts'
import type { Language } from '../language.ts'
import { apiCollectionPath, collectionAddress, type Pairs, sortParameter, withMore, withQuery } from '../links.ts'
import {
  capitalized,
  fieldLabel,
  fieldWithin,
  manyOf,
  manyWithin,
  nameFields,
  nameOf,
  oneOf,
  shownNameField,
  stepsLabel,
  wordsFor,
} from '../names.ts'
import { bySlug, filterNamed, isFilter } from '../query-names.ts'
import { searchBox } from '../search-box.ts'
import { apiRequest } from '../snippets.ts'
import { isFigure, missing, shownValue } from '../values.ts'
import {
  factPairs,
  href,
  isolated,
  isolatedName,
  type Page,
  parameter,
  recordLink,
  releasePairs,
  type View,
} from '../view.ts'

/** Parameters of a list that the page sets itself. */
const OWN_PARAMETERS = ['after', 'fields', 'facts', 'embed', 'format']
const PAGE_SIZES = [25, 50, 100, 250]
const DOWNLOAD_FORMATS = ['csv', 'json', 'ndjson']
/** A facet with more values shows only the most frequent. */
const MAX_FACET_VALUES = 200
const FEW_FACET_VALUES = 12

export function collectionPage(given: View, entity: Entity): Page {
  const view = { ...given, pairs: bySlug(entity, given.pairs) }
  const { api, pairs, words, language } = view
  refuseOwnParameters(entity, pairs)
  const list = api.list(entity, [...pairs, ['facts', 'true']])
  const title = manyOf(view, entity)
  const filters = pairs.filter(([name]) => isFilter(entity, name))
  const facets = api.facets(entity, pairs, MAX_FACET_VALUES)
  const lists = facets.flatMap((facet) => facetList(view, entity, facet) ?? [])
  return {
    title: parameter(pairs, 'q') === undefined ? title : `${parameter(pairs, 'q')} · ${title}`,
    main: html`<div class="heading">
<h1>${title}</h1>
<p class="count" role="status">${words.table.total(language.number(list.total), counted(view, entity, list.total))}</p>
</div>
${entity.description !== undefined && html`<p class="lead lines">${isolated(entity.description)}</p>`}
<div class="tools">
${searchBox(view, { id: 'within-search', action: collectionAddress(entity), kept: omit(pairs, 'q', 'page'), value: parameter(pairs, 'q') ?? '', label: wordsFor(view, entity) ? words.table.searchWithin(manyWithin(view, entity)) : words.table.searchHere, within: entity })}
${lists.length > 0 && html`<p class="to-filters"><a href="#filters">${words.table.toFilters}</a></p>`}
</div>
${chosenFilters(view, entity, filters, facets)}
<div class="browse">
<div class="results">
${list.total === 0 ? html`<p class="empty">${pairs.length === 0 ? words.table.empty : words.table.nothing}</p>` : table(view, entity, list, facets)}
${pagination(view, list)}
</div>
${
  lists.length > 0 &&
  html`<aside id="filters" class="facets" aria-labelledby="filters-title">
<h2 id="filters-title">${words.table.filters}</h2>
${lists}
</aside>`
}
</div>
${list.total > 0 && downloads(view, entity, list)}
${apiRequest(view, withQuery(apiCollectionPath(entity), [...pairs, ...releasePairs(view)]))}`,
  }
}

/** What is counted: titles of others may be long, and need not be words for many records. */
function counted(view: View, entity: Entity, total: number): string {
  const { record, records } = view.words.table
  if (wordsFor(view, entity) === undefined) return total === 1 ? record : records
  return total === 1 ? oneOf(view, entity) : manyWithin(view, entity)
}

/** They are no parameters of the page, though they are of the list that it shows. */
function refuseOwnParameters(entity: Entity, pairs: Pairs): void {
  const name = pairs.find(([given]) => OWN_PARAMETERS.includes(given))?.[0]
  if (name === undefined) return
  const known = [...listParameters(entity).keys()].filter((one) => !OWN_PARAMETERS.includes(one))
  throw new ProblemError({ kind: 'unknown-parameter', name, known, nearest: undefined })
}

const omit = (pairs: Pairs, ...names: readonly string[]): Pairs => pairs.filter(([name]) => !names.includes(name))

// The filters that are in use, and those that are offered.

function chosenFilters(view: View, entity: Entity, filters: Pairs, facets: readonly Facet[]): Html | undefined {
  if (filters.length === 0) return undefined
  const { words, pairs, path } = view
  const items = filters.map(([name, value]) => {
    const label = filterLabel(view, entity, name, value, facets)
    const rest = omit(
      pairs.filter((pair) => pair[0] !== name || pair[1] !== value),
      'page',
    )
    return html`<li><a href="${href(view, path, rest)}" aria-label="${words.table.remove(label)}">${isolated(label)} <span aria-hidden="true">×</span></a></li>`
  })
  const none = pairs.filter((pair) => !filters.includes(pair) && pair[0] !== 'page')
  return html`<section class="chosen" aria-label="${words.table.chosen}"><ul>${items}
${filters.length > 1 && html`<li><a href="${href(view, path, none)}">${words.table.removeAll}</a></li>`}</ul></section>`
}

function filterLabel(view: View, entity: Entity, name: string, value: string, facets: readonly Facet[]): string {
  const { words } = view
  const facet = facets.find((one) => one.parameter === name)
  if (facet !== undefined)
    return words.table.other(facetLabel(view, entity, facet), chosenLabel(view, entity, facet, value))
  const filter = filterNamed(entity, name)
  if (filter === undefined)
    return name === 'root' ? words.table.roots : words.table.within(recordNamed(view, entity, value) ?? value)
  const { path, match } = filter
  const label = stepsLabel(view, entity, path.steps)
  const isReference = path.field.kind === 'broader'
  if (match === 'equals' || match === 'contains')
    return words.table.other(label, (isReference ? recordNamed(view, entity, value) : undefined) ?? value)
  const relation = { min: words.table.between, max: words.table.atMost, begins: words.table.beginning }[match]
  return `${label} ${relation} ${value}`
}

/** A value may be none of those that the facet shows, and even of no record. */
function chosenLabel(view: View, entity: Entity, facet: Facet, value: string): string {
  const shown = facet.values.find((one) => one.value === value)
  if (shown !== undefined) return valueLabel(view, entity, facet, shown)
  const { parent } = facet
  return (parent && recordNamed(view, parent, value)) ?? value
}

/** The name of the record with a key, where there is one. */
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
  const { words, language } = view
  const [step = ''] = steps
  const field = entity.fields[step]
  if (parent !== undefined || field === undefined) return name
  if (field.kind === 'value' && field.type === 'boolean') return words.values[name === 'true' ? 'yes' : 'no']
  if (field.kind === 'value' && field.type === 'integer') return language.numeral(name)
  return (wordsFor(view, entity) && words.factValues[step]?.[name]) ?? name
}

function facetList(view: View, entity: Entity, facet: Facet): Html | undefined {
  const { path, pairs, words, language } = view
  const chosen = new Set(pairs.filter(([name]) => name === facet.parameter).map(([, value]) => value))
  // With one value there is nothing to choose.
  if (facet.size === 0 || (facet.size === 1 && chosen.size === 0)) return undefined
  const shown = shownValues(facet)(language)
  const isChosen = ({ value }: FacetValue) => chosen.has(value)
  const ordered = chosen.size === 0 ? shown : [...shown.filter(isChosen), ...shown.filter((value) => !isChosen(value))]
  // The address without the facet is the same for all of its values.
  const without = href(view, path, omit(pairs, facet.parameter, 'page'))
  const id = `facet-${facet.parameter.replaceAll('.', '--')}`
  return html`<section class="facet" aria-labelledby="${id}">
<h3 id="${id}">${words.table.by(facetWithin(view, entity, facet))}</h3>
<ul>${ordered.map((value) => facetItem(view, entity, facet, value, without, chosen.has(value.value)))}</ul>
${isCut(facet) && html`<p class="note">${words.table.more(language.number(facet.size - shown.length))}</p>`}
</section>`
}

/** The most frequent of many values, or else all of them by name. Facets are kept, so each is sorted once. */
const shownValues = memoized((facet: Facet) =>
  memoized(({ compare }: Language): readonly FacetValue[] =>
    isCut(facet)
      ? facet.values.toSorted((a, b) => b.count - a.count).slice(0, FEW_FACET_VALUES)
      : facet.values.toSorted((a, b) => compare(a.name, b.name)),
  ),
)

const isCut = ({ size, values }: Facet): boolean => size > values.length

function facetItem(
  view: View,
  entity: Entity,
  facet: Facet,
  value: FacetValue,
  without: string,
  isChosen: boolean,
): Html {
  const target = isChosen ? without : withMore(without, facet.parameter, value.value)
  return html`<li><a href="${target}"${isChosen && html` aria-current="true"`}><span>${isolated(valueLabel(view, entity, facet, value))}</span> <span class="figure">${view.language.number(value.count)}</span></a></li>`
}

// The table.

type Column = {
  /** The parameter that it is sorted by. */
  readonly path: string
  readonly label: string
  readonly isNumber: boolean
  readonly isName: boolean
  /** The tag that begins each of its cells. */
  readonly tag: Html
  readonly cell: (record: ReadRecord) => Content
}

/** Columns that a table has at most; what else is known of a record is on its page. */
const MAX_COLUMNS = 12
const FEW_COLUMNS = 9

/** What stands in a table: the name, the codes, what a record belongs to, what is known of it, and its identifier. */
function columnsOf(view: View, entity: Entity, facets: readonly Facet[], total: number): Column[] {
  const ancestors = facets
    .filter((facet) => facet.parent !== undefined && isTelling(facet, total) && !isOne(view.pairs, facet.parameter))
    .map(({ steps, parent }) => parentColumn(view, entity, steps, parent as Entity))
    .reverse()
  const own = (names: readonly string[]) => names.map((name) => ownColumn(view, entity, name))
  const { names, codes, values, identifiers } = fieldGroups(view, entity)
  return [...own(names), ...own(codes), ...ancestors, ...own(values), ...own(identifiers)]
}

/** The fields of a record in the order in which a table has them. */
function fieldGroups(view: View, entity: Entity) {
  const shown = shownNameField(view, entity)
  const { language: shownLanguage } = nameFields(entity).find(({ name }) => name === shown) ?? {}
  // The same name in other languages is on the page of the record.
  const names = nameFields(entity).filter(
    ({ name, language }) => name === shown || language === undefined || language === shownLanguage,
  )
  const known = view.api.knownFacts(entity)
  const coordinates: readonly string[] = Object.values(coordinatesOf(entity) ?? {})
  const values = Object.keys(entity.fields).filter((name) => {
    const field = entity.fields[name]
    if (coordinates.includes(name)) return false
    return field?.kind === 'fact' ? known.includes(name) : field?.kind === 'value' || field?.kind === 'broader'
  })
  const head = rowHeader(view, entity)
  const ofKind = (kind: string) =>
    Object.keys(entity.fields).filter((name) => entity.fields[name]?.kind === kind && name !== head)
  return {
    names: [head, ...names.map(({ name }) => name).filter((name) => name !== head)],
    codes: ofKind('code'),
    values: [
      ...values.filter((name) => !isDescription(entity, name)),
      ...values.filter((name) => isDescription(entity, name)),
    ],
    identifiers: ofKind('id'),
  }
}

/** The field by which a row of the table is known: its name, or the beginning of its key where it has none. */
const rowHeader = (view: View, entity: Entity): string => shownNameField(view, entity) ?? (entity.key[0] as string)

function isDescription({ fields }: Entity, name: string): boolean {
  const field = fields[name]
  return field?.kind === 'value' && field.role === 'description'
}

/** Whether records differ in what they refer to. */
const isTelling = ({ size, values }: Facet, total: number): boolean =>
  size > 1 || (size === 1 && (values[0]?.count ?? 0) < total)

/** Whether only records with one value of a parameter are shown: a column of it would say the same in every row. */
const isOne = (pairs: Pairs, parameter: string) => pairs.filter(([name]) => name === parameter).length === 1

function ownColumn(view: View, entity: Entity, name: string): Column {
  const isName = name === rowHeader(view, entity)
  const isNumber = isFigure(entity.fields[name])
  const label = fieldLabel(view, entity, name)
  return {
    path: sortParameter(entity, [name]),
    label,
    isNumber,
    isName,
    tag: isName ? html`<th scope="row">` : cellTag(label, isNumber),
    cell: isName ? (record) => recordLink(view, entity, record) : (record) => shownValue(view, entity, name, record),
  }
}

function parentColumn(view: View, entity: Entity, steps: readonly string[], parent: Entity): Column {
  const label = parentLabel(view, entity, steps, parent)
  return {
    path: sortParameter(entity, [...steps, shownNameField(view, parent) ?? (parent.key.at(-1) as string)]),
    label,
    isNumber: false,
    isName: false,
    tag: cellTag(label, false),
    cell: (record) => {
      const found = valueAt(record, steps)
      return isObject(found) ? isolatedName(view, parent, found as PublishedRecord) : missing(view)
    },
  }
}

/** What a parent is called: by the field that refers to it, or by what it is where others are between. */
const parentLabel = (view: View, entity: Entity, steps: readonly string[], parent: Entity): string =>
  steps.length === 1 ? fieldLabel(view, entity, steps[0] as string) : capitalized(oneOf(view, parent))

function table(view: View, entity: Entity, list: ReadList, facets: readonly Facet[]): Html {
  const all = columnsOf(view, entity, facets, list.total)
  const columns = all.slice(0, MAX_COLUMNS)
  const sorted = parameter(view.pairs, 'sort') ?? ''
  // Of our own lists it is known that they fit.
  const fits = wordsFor(view, entity) !== undefined && columns.length <= FEW_COLUMNS
  return html`<div class="${fits ? 'scroll' : 'scroll any-width'}" role="region" tabindex="0" aria-label="${manyOf(view, entity)}"><table>
<thead><tr>${columns.map((column) => headerCell(view, column, sorted))}</tr></thead>
<tbody>${list.records.map(
    (record) => html`<tr>${columns.map((column) => dataCell(column, record))}</tr>
`,
  )}</tbody>
</table></div>${all.length > columns.length && html`<p class="note">${view.words.table.moreFields(view.language.number(all.length - columns.length))}</p>`}`
}

function headerCell(view: View, { path, label, isNumber }: Column, sorted: string): Html {
  const { words } = view
  const direction = sorted === path ? 'ascending' : sorted === `-${path}` ? 'descending' : undefined
  const next = direction === undefined ? path : direction === 'ascending' ? `-${path}` : undefined
  const kept = omit(view.pairs, 'sort', 'page')
  const target: Pairs = next === undefined ? kept : [...kept, ['sort', next]]
  const mark = direction === undefined ? '↕' : direction === 'ascending' ? '↑' : '↓'
  return html`<th scope="col"${isNumber && html` class="figure"`}${direction !== undefined && html` aria-sort="${direction}"`}><a href="${href(view, view.path, target)}" title="${words.table.sortBy(label)}">${label}<span class="mark" aria-hidden="true">${mark}</span></a></th>`
}

const cellTag = (label: string, isNumber: boolean): Html =>
  html`<td data-label="${label}"${isNumber && html` class="figure"`}>`

const dataCell = ({ tag, isName, cell }: Column, record: ReadRecord): Html =>
  isName ? html`${tag}${cell(record)}</th>` : html`${tag}${cell(record)}</td>`

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
<p>${words.table.range(language.number(first), language.number(first + records.length - 1), language.number(total))}${totalPages > 1 && html` · ${words.table.page(language.number(page), language.number(totalPages))}`}</p>
${totalPages > 1 && html`<nav aria-label="${words.table.pages}"><ul>${link(1, words.table.first, 'first')}${link(page - 1, words.table.previous, 'prev')}${link(page + 1, words.table.next, 'next')}${link(totalPages, words.table.last, 'last')}</ul></nav>`}
<div class="sizes" role="group" aria-label="${words.table.perPage}"><span>${words.table.perPage}</span><ul>${sizes.map(
    (size) => {
      const target = href(view, path, [...omit(pairs, 'per_page', 'page'), ['per_page', String(size)]])
      return html`<li><a href="${target}"${size === perPage && html` aria-current="true"`}>${size}</a></li>`
    },
  )}</ul></div>
</div>`
}

// Downloads: exactly what the page shows, and all that was found.

function downloads(view: View, entity: Entity, list: ReadList): Html {
  const { words, pairs, language } = view
  const path = apiCollectionPath(entity)
  const rest = [...releasePairs(view), ...factPairs(entity)]
  const all = omit(pairs, 'page', 'per_page')
  const wholeTarget = (format: string) => withQuery(`${path}/all`, [...all, ...rest, ['format', format]])
  const links = (target: (format: string) => string, of: string) =>
    DOWNLOAD_FORMATS.map((format) => {
      const label = words.table.downloadAs(format.toUpperCase())
      return html`<li><a href="${target(format)}" download="${entity.plural}.${format}" aria-label="${label}: ${of}">${format.toUpperCase()}</a></li>`
    })
  const everything = words.table.downloadAll(language.number(list.total))
  return html`<section class="downloads" aria-labelledby="download-title">
<h2 id="download-title">${words.table.download}</h2>
<dl>
<div><dt>${words.table.downloadPage}</dt><dd><ul>${links((format) => withQuery(path, [...pairs, ...rest, ['format', format]]), words.table.downloadPage)}</ul></dd></div>
${list.totalPages > 1 && html`<div><dt>${everything}</dt><dd><ul>${links(wholeTarget, everything)}</ul></dd></div>`}
</dl>
</section>`
}
