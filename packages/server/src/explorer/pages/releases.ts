// The page of releases: which there are, how they grew, what changed between two of them, and where they came from.

import { V2_PATH } from '../../base/api-v2.ts'
import { own, valueAtPath } from '../../base/json.ts'
import { parseWholeNumber } from '../../base/whole-number.ts'
import type { Entity } from '../../catalog/entity.ts'
import type { PublishedRecord } from '../../catalog/flatten.ts'
import { usualCodeOf } from '../../catalog/official-code.ts'
import { type Html, html, joined } from '../../http/html.ts'
import { badParameter } from '../../http/problem.ts'
import type { QueryPairs } from '../../http/v2/request/query-string.ts'
import type { RecordChange } from '../../release/diff.ts'
import type { ListedRelease, ReleaseDetails } from '../api-reader.ts'
import { CHANGES_PER_PAGE, type ChangeKind, type ChangeSummary } from '../change-summary.ts'
import { EXPLORE_PATH, keySegments, RELEASES_PATH, recordAddress, withQuery } from '../links.ts'
import { fieldLabel, manyOf, officialCode, sourceTitle } from '../names.ts'
import { scrolling } from '../sections.ts'
import { apiRequest } from '../snippets.ts'
import { plainValue } from '../values.ts'
import { type ExplorerPage, hiddenInputs, isolated, isolatedName, parameter, shortDigest, type View } from '../view.ts'
import { filled } from '../words/words.ts'
import { countsOfChanges, signed } from './home.ts'

/** The last three choose one table of changes, of which there may be many pages. */
const PARAMETERS = ['from', 'to', 'in', 'change', 'page']

export async function releasesPage(view: View): Promise<ExplorerPage> {
  const { api, words, pairs } = view
  const [other] = pairs.find(([name]) => !PARAMETERS.includes(name)) ?? []
  if (other !== undefined) throw badParameter(other, parameter(pairs, other) ?? '', `one of ${PARAMETERS.join(', ')}`)
  const releases = api.releases()
  return {
    title: words.release.title,
    main: html`<h1>${words.release.title}</h1>
<p class="lead">${words.release.lead}</p>
${releaseTable(view, releases)}
${growth(view, releases.toReversed())}
${await comparison(view, releases)}
${details(view, api.releaseDetails())}
${apiRequest(view, `${V2_PATH}/releases`)}`,
  }
}

const recordsIn = ({ counts }: ListedRelease): number => Object.values(counts).reduce((sum, count) => sum + count, 0)

const MEGABYTE = 1_000_000

function releaseTable(view: View, releases: readonly ListedRelease[]): Html {
  const { words, language } = view
  const kept = view.carried.filter(([name]) => name !== 'release')
  return scrolling(
    words.release.title,
    html`<table>
<thead><tr><th scope="col">${words.release.date}</th><th scope="col">${words.release.digest}</th><th scope="col">${words.release.source}</th><th scope="col" class="figure">${words.release.records}</th><th scope="col" class="figure">${words.release.size}</th></tr></thead>
<tbody>${releases.map(
      (
        release,
      ) => html`<tr><th scope="row"><time datetime="${release.built}">${language.moment(release.built)}</time>${release.current && html` <span class="current">${words.release.current}</span>`}</th>
<td data-label="${words.release.digest}"><a href="${withQuery(EXPLORE_PATH, release.current ? kept : [...kept, ['release', release.digest]])}" title="${words.release.see}"><code>${shortDigest(release.digest)}</code></a></td>
<td data-label="${words.release.source}">${isolated(sourceTitle(view, release.source))}${release.synthetic && html` <span class="warning">${words.release.synthetic}</span>`}</td>
<td data-label="${words.release.records}" class="figure">${language.number(recordsIn(release))}</td>
<td data-label="${words.release.size}" class="figure">${language.decimal(release.bytes / MEGABYTE, 1)} MB</td></tr>
`,
    )}</tbody></table>`,
  )
}

// How the collections grew: a line for each, with its first and last count beside it.

/** Two points are no line. */
const MIN_GROWTH = 3

function growth(view: View, releases: readonly ListedRelease[]): Html | undefined {
  const { api, words, language } = view
  const [oldest, newest] = [releases[0], releases.at(-1)]
  if (oldest === undefined || newest === undefined || releases.length < MIN_GROWTH) return undefined
  const rows = [...api.catalog.entities.values()].map((entity) => {
    const counts = releases.map(({ counts }) => counts[entity.plural] ?? 0)
    const [first = 0, last = 0] = [counts[0], counts.at(-1)]
    const label = filled(words.release.chart, manyOf(view, entity), language.number(first), language.number(last))
    return html`<tr><th scope="row">${manyOf(view, entity)}</th><td class="figure" data-label="${language.date(oldest.built)}">${language.number(first)}</td><td class="chart">${sparkline(counts, label)}</td><td class="figure" data-label="${language.date(newest.built)}">${language.number(last)}</td><td class="figure" data-label="${words.release.difference}">${signed(view, last - first)}</td></tr>
`
  })
  return html`<section aria-labelledby="growth-title"><h2 id="growth-title">${words.release.growth}</h2>
<p>${filled(words.release.growthText, language.moment(oldest.built), language.moment(newest.built))}</p>
${scrolling(filled(words.release.growthText, language.moment(oldest.built), language.moment(newest.built)), html`<table class="growth"><thead><tr><th scope="col">${words.release.collection}</th><th scope="col" class="figure">${language.date(oldest.built)}</th><th scope="col"><span class="unseen">${words.release.growth}</span></th><th scope="col" class="figure">${language.date(newest.built)}</th><th scope="col" class="figure">${words.release.difference}</th></tr></thead><tbody>${rows}</tbody></table>`)}</section>`
}

const WIDTH = 160
const HEIGHT = 32
const INSET = 4

/** The counts over the releases; where they never differ, a line in the middle. */
function sparkline(counts: readonly number[], label: string): Html {
  const [low, high] = [Math.min(...counts), Math.max(...counts)]
  const x = (at: number) => Math.round(INSET + (at * (WIDTH - 2 * INSET)) / (counts.length - 1))
  const y = (count: number) =>
    high === low ? HEIGHT / 2 : Math.round(HEIGHT - INSET - ((count - low) * (HEIGHT - 2 * INSET)) / (high - low))
  const points = counts.map((count, at) => `${x(at)},${y(count)}`)
  return html`<svg class="spark" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}"><polyline points="${points.join(' ')}"/><circle cx="${x(counts.length - 1)}" cy="${y(counts.at(-1) ?? 0)}" r="3"/></svg>`
}

// The changes between two releases.

async function comparison(view: View, releases: readonly ListedRelease[]): Promise<Html> {
  const { api, words, language, pairs, carried } = view
  const title = html`<h2 id="compare-title">${words.release.compare}</h2>`
  const [newest, before] = releases
  if (newest === undefined || before === undefined)
    return html`<section id="compare" aria-labelledby="compare-title">${title}<p>${words.release.nothingToCompare}</p></section>`
  const current = releases.find((release) => release.current) ?? newest
  const to = parameter(pairs, 'to') ?? current.digest
  const from = parameter(pairs, 'from') ?? (releases[releases.indexOf(current) + 1] ?? before).digest
  const options = (chosen: string) =>
    releases.map(
      ({ digest, built }) =>
        html`<option value="${digest}"${digest.startsWith(chosen) && html` selected`}>${language.moment(built)} · ${shortDigest(digest)}</option>`,
    )
  const isCompared = parameter(pairs, 'from') !== undefined
  return html`<section id="compare" aria-labelledby="compare-title">${title}
<form class="compare" action="${RELEASES_PATH}#compare">
<p><label for="from">${words.release.from}</label> <select id="from" name="from">${options(from)}</select></p>
<p><label for="to">${words.release.to}</label> <select id="to" name="to">${options(to)}</select></p>
${hiddenInputs(carried)}
<p><button type="submit">${words.release.compareButton}</button></p>
</form>
${isCompared && (await changesBetween(view, await api.changes(from, to), [from, to], releases))}
</section>`
}

async function changesBetween(
  view: View,
  changes: readonly ChangeSummary[],
  [from, to]: readonly [string, string],
  releases: readonly ListedRelease[],
): Promise<Html> {
  const { words, language } = view
  if (changes.length === 0) return html`<p role="status">${words.release.noChanges}</p>`
  const kinds = Object.keys(words.release.kinds) as ChangeKind[]
  const nameOfRelease = (digest: string) => {
    const release = releases.find((one) => one.digest.startsWith(digest))
    return release === undefined ? shortDigest(digest) : language.moment(release.built)
  }
  const feed = withQuery(`${V2_PATH}/changes`, [
    ['from', from],
    ['to', to],
    ['format', 'ndjson'],
  ])
  const countsOf = ({ entity, kinds: { added, changed, removed } }: ChangeSummary) => ({
    list: manyOf(view, entity),
    counts: { added: added.count, changed: changed.count, removed: removed.count },
  })
  return html`<p role="status">${filled(words.release.changesText, nameOfRelease(from), nameOfRelease(to))}</p>
${countsOfChanges(view, changes.map(countsOf))}
${changes.map(({ entity, isRenumbered }) => isRenumbered && html`<p class="note">${filled(words.release.renumbered, manyOf(view, entity))}</p>`)}
${(await chosenChanges(view, changes, [from, to])) ?? changes.map((one) => kinds.map((kind) => one.kinds[kind].count > 0 && firstChanges(view, one, kind, [from, to])))}
<p><a href="${feed}">${words.release.feed}</a></p>`
}

type Compared = readonly [from: string, to: string]

const addressOfChanges = (view: View, [from, to]: Compared, { plural }: Entity, kind: ChangeKind, page = 1): string =>
  `${withQuery(RELEASES_PATH, [
    ['from', from],
    ['to', to],
    ['in', plural],
    ['change', kind],
    ...(page === 1 ? [] : [['page', String(page)] as const]),
    ...view.carried,
  ])}#compare`

const titleOfChanges = (view: View, entity: Entity, kind: ChangeKind): string =>
  `${manyOf(view, entity)}: ${view.words.release.kinds[kind].toLowerCase()}`

/** The first changes of a kind, and the way to all of them. */
function firstChanges(view: View, { entity, kinds }: ChangeSummary, kind: ChangeKind, compared: Compared): Html {
  const { words, language } = view
  const { count, examples } = kinds[kind]
  const isCut = examples.length < count
  return html`<details class="changes"${!isCut && html` open`}><summary>${titleOfChanges(view, entity, kind)} (${language.number(count)})</summary>
${changeTable(view, entity, kind, examples, compared)}
${isCut && html`<p><a href="${addressOfChanges(view, compared, entity, kind)}">${filled(words.table.seeAll, language.number(count))}</a></p>`}</details>`
}

/** The page of changes that the address chooses; undefined if it chooses none. */
async function chosenChanges(
  view: View,
  changes: readonly ChangeSummary[],
  compared: Compared,
): Promise<Html | undefined> {
  const { api, words, language, pairs } = view
  const [plural, wanted] = [parameter(pairs, 'in'), parameter(pairs, 'change')]
  if (plural === undefined && wanted === undefined) return undefined
  const summary = changes.find(({ entity }) => entity.plural === plural)
  if (summary === undefined)
    throw badParameter('in', plural ?? '', changes.map(({ entity }) => entity.plural).join(', '))
  const { entity, kinds } = summary
  const kind = Object.keys(kinds).find((one): one is ChangeKind => one === wanted)
  if (kind === undefined) throw badParameter('change', wanted ?? '', Object.keys(kinds).join(', '))
  const last = Math.max(1, Math.ceil(kinds[kind].count / CHANGES_PER_PAGE))
  const given = parameter(pairs, 'page') ?? '1'
  const page = parseWholeNumber(given, { min: 1, max: last })
  if (page === undefined) throw badParameter('page', given, `a whole number from 1 to ${last}`)
  const records = await api.changesOnPage(...compared, { entity: entity.name, kind, page })
  const link = (number: number, label: string) =>
    html`<li>${number >= 1 && number <= last && number !== page ? html`<a href="${addressOfChanges(view, compared, entity, kind, number)}">${label}</a>` : html`<span>${label}</span>`}</li>`
  return html`<h3>${titleOfChanges(view, entity, kind)} (${language.number(kinds[kind].count)})</h3>
${changeTable(view, entity, kind, records, compared)}
${last > 1 && html`<div class="paging"><p>${filled(words.table.page, language.number(page), language.number(last))}</p><nav aria-label="${words.table.pages}"><ul>${link(1, words.table.first)}${link(page - 1, words.table.previous)}${link(page + 1, words.table.next)}${link(last, words.table.last)}</ul></nav></div>`}`
}

function changeTable(
  view: View,
  entity: Entity,
  kind: ChangeKind,
  changes: readonly RecordChange[],
  [, to]: Compared,
): Html {
  const { words } = view
  const columns = [
    usualCodeOf(entity).title ?? words.record.code,
    ...(kind === 'changed' ? [words.record.field, words.record.before, words.record.after] : []),
  ]
  const title = titleOfChanges(view, entity, kind)
  return scrolling(
    title,
    html`<table class="small">
<thead><tr><th scope="col">${words.name}</th>${columns.map((label) => html`<th scope="col">${label}</th>`)}</tr></thead>
<tbody>${changes.map((change) => changeRows(view, entity, change, columns, to))}</tbody></table>`,
  )
}

/** A row for each field that changed, or one for a record that came or went. */
function changeRows(
  view: View,
  entity: Entity,
  change: RecordChange,
  [codeLabel = '', ...labels]: readonly string[],
  to: string,
): Html[] {
  const record = change.change === 'removed' ? change.old : change.new
  const name = isolatedName(view, entity, record)
  const release: QueryPairs = view.api.release.digest.startsWith(to) ? [] : [['release', to]]
  const kept = view.carried.filter(([given]) => given !== 'release')
  const address = withQuery(recordAddress(entity, keySegments(entity, record)), [...release, ...kept])
  const linked = change.change === 'removed' ? name : html`<a class="name" href="${address}">${name}</a>`
  const head = html`<th scope="row">${linked}</th><td data-label="${codeLabel}"><code>${officialCode(entity, record) ?? ''}</code></td>`
  if (change.change !== 'changed') return [html`<tr>${head}</tr>`]
  return change.fields.map((path) => {
    const value = (of: PublishedRecord) => isolated(plainValue(view, valueAtPath(of, path)))
    return html`<tr>${head}<td data-label="${labels[0]}">${pathLabel(view, entity, path)}</td><td data-label="${labels[1]}"><del>${value(change.old)}</del></td><td data-label="${labels[2]}"><ins>${value(change.new)}</ins></td></tr>`
  })
}

/** The label of the field that a path begins with: a name may have dots itself. */
function pathLabel(view: View, entity: Entity, path: string): string {
  const field = Object.keys(entity.fields).find((name) => path === name || path.startsWith(`${name}.`))
  return field === undefined ? path : fieldLabel(view, entity, field)
}

// The origin of a release, and the findings of its import.

function details(view: View, release: ReleaseDetails): Html {
  const { words, language, api } = view
  const collectionOf = (name: string) => {
    const entity = api.catalog.entities.get(name)
    return entity === undefined ? name : manyOf(view, entity)
  }
  return html`<section aria-labelledby="details-title">
<h2 id="details-title">${words.release.details} <code>${shortDigest(release.digest)}</code></h2>
<dl class="entries wide">
<div><dt>${words.release.digest}</dt><dd><code>${release.digest}</code></dd></div>
<div><dt>${words.release.source}</dt><dd>${isolated(sourceTitle(view, release.source.title))}</dd></div>
<div><dt>${words.release.program}</dt><dd>Nomenclator ${release.versions.nomenclator}, Bun ${release.versions.bun}</dd></div>
${release.source.credits.length > 0 && html`<div><dt>${words.release.credits}</dt><dd><ul class="plain">${release.source.credits.map(({ to, of }) => html`<li>${joined(of.map(collectionOf), ', ')}: ${isolated(sourceTitle(view, to))}</li>`)}</ul></dd></div>`}
</dl>
<h3>${words.release.findings}</h3>
${
  release.findings.length === 0
    ? html`<p>${words.release.noFindings}</p>`
    : html`<p>${words.release.findingsText}</p><ul class="findings">${release.findings.map(
        ({ kind, says, count, examples }) =>
          html`<li><details><summary><span class="figure">${language.number(count)}</span> ${own(words.findings, kind) ?? html`<span lang="en">${says}</span>`}</summary><ul>${examples.map((example) => html`<li><code>${example}</code></li>`)}</ul></details></li>`,
      )}</ul>`
}
</section>`
}
