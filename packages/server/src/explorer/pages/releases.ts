// The page of releases: which there are, how they grew, what changed between two of them, and where they came from.

import { valueAtPath } from '../../base/json.ts'
import type { Entity } from '../../catalog/entity.ts'
import { type Content, type Html, html, joined } from '../../http/html.ts'
import { badParameter } from '../../http/problem.ts'
import { V2_PATH } from '../../http/routes.ts'
import type { RecordChange } from '../../release/diff.ts'
import type { ReleaseDetails, ReleaseSummary } from '../api-reader.ts'
import type { ChangeKind, ChangeSummary } from '../change-summary.ts'
import { EXPLORE_PATH, keySegments, type Pairs, RELEASES_PATH, recordAddress, withQuery } from '../links.ts'
import { fieldLabel, manyOf } from '../names.ts'
import { apiRequest } from '../snippets.ts'
import { isMissing, plainValue } from '../values.ts'
import { isolated, isolatedName, type Page, parameter, shortDigest, type View } from '../view.ts'
import { signed } from './home.ts'

const PARAMETERS = ['from', 'to']

export async function releasesPage(view: View): Promise<Page> {
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

const recordsIn = ({ counts }: ReleaseSummary): number => Object.values(counts).reduce((sum, count) => sum + count, 0)

const MEGABYTE = 1_000_000

function releaseTable(view: View, releases: readonly ReleaseSummary[]): Html {
  const { words, language } = view
  const kept = view.carried.filter(([name]) => name !== 'release')
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${words.release.title}"><table>
<thead><tr><th scope="col">${words.release.date}</th><th scope="col">${words.release.digest}</th><th scope="col">${words.release.source}</th><th scope="col" class="figure">${words.release.records}</th><th scope="col" class="figure">${words.release.size}</th></tr></thead>
<tbody>${releases.map(
    (
      release,
    ) => html`<tr><th scope="row"><time datetime="${release.built}">${language.moment(release.built)}</time>${release.current && html` <span class="current">${words.release.current}</span>`}</th>
<td data-label="${words.release.digest}"><a href="${withQuery(EXPLORE_PATH, release.current ? kept : [...kept, ['release', release.digest]])}" title="${words.release.see}"><code>${shortDigest(release.digest)}</code></a></td>
<td data-label="${words.release.source}">${isolated(release.source)}${release.synthetic && html` <span class="warning">${words.release.synthetic}</span>`}</td>
<td data-label="${words.release.records}" class="figure">${language.number(recordsIn(release))}</td>
<td data-label="${words.release.size}" class="figure">${language.decimal(release.bytes / MEGABYTE, 1)} MB</td></tr>
`,
  )}</tbody></table></div>`
}

// How the collections grew: a line for each, with its first and last count beside it.

function growth(view: View, releases: readonly ReleaseSummary[]): Html {
  const { api, words, language } = view
  const [oldest, newest] = [releases[0], releases.at(-1)]
  const title = html`<h2 id="growth-title">${words.release.growth}</h2>`
  if (oldest === undefined || newest === undefined || releases.length < 2)
    return html`<section aria-labelledby="growth-title">${title}<p>${words.release.growthAlone}</p></section>`
  const rows = [...api.catalog.entities.values()].map((entity) => {
    const counts = releases.map(({ counts }) => counts[entity.plural] ?? 0)
    const [first = 0, last = 0] = [counts[0], counts.at(-1)]
    const label = words.release.chart(manyOf(view, entity), language.number(first), language.number(last))
    return html`<tr><th scope="row">${manyOf(view, entity)}</th><td class="figure" data-label="${language.date(oldest.built)}">${language.number(first)}</td><td class="chart">${sparkline(counts, label)}</td><td class="figure" data-label="${language.date(newest.built)}">${language.number(last)}</td><td class="figure" data-label="${words.release.difference}">${signed(view, last - first)}</td></tr>
`
  })
  return html`<section aria-labelledby="growth-title">${title}
<p>${words.release.growthText(language.moment(oldest.built), language.moment(newest.built))}</p>
<div class="scroll" role="region" tabindex="0" aria-label="${words.release.growthText(language.moment(oldest.built), language.moment(newest.built))}"><table class="growth"><thead><tr><th scope="col">${words.release.collection}</th><th scope="col" class="figure">${language.date(oldest.built)}</th><th scope="col"><span class="unseen">${words.release.growth}</span></th><th scope="col" class="figure">${language.date(newest.built)}</th><th scope="col" class="figure">${words.release.difference}</th></tr></thead><tbody>${rows}</tbody></table></div></section>`
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

// What changed between two releases.

async function comparison(view: View, releases: readonly ReleaseSummary[]): Promise<Html> {
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
${carried.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<p><button type="submit">${words.release.compareButton}</button></p>
</form>
${isCompared && changesBetween(view, await api.changes(from, to), [from, to], releases)}
</section>`
}

function changesBetween(
  view: View,
  changes: readonly ChangeSummary[],
  [from, to]: readonly [string, string],
  releases: readonly ReleaseSummary[],
): Html {
  const { words, language } = view
  if (changes.length === 0) return html`<p role="status">${words.release.noChanges}</p>`
  const kinds = Object.entries(words.release.kinds) as [ChangeKind, string][]
  const nameOfRelease = (digest: string) => {
    const release = releases.find((one) => one.digest.startsWith(digest))
    return release === undefined ? shortDigest(digest) : language.moment(release.built)
  }
  const feed = withQuery(`${V2_PATH}/changes`, [
    ['from', from],
    ['to', to],
    ['format', 'ndjson'],
  ])
  return html`<p role="status">${words.release.changesText(nameOfRelease(from), nameOfRelease(to))}</p>
<table class="small"><thead><tr><th scope="col">${words.release.collection}</th>${kinds.map(([, label]) => html`<th scope="col" class="figure">${label}</th>`)}</tr></thead>
<tbody>${changes.map(
    ({ entity, kinds: counted }) =>
      html`<tr><th scope="row">${manyOf(view, entity)}</th>${kinds.map(([kind]) => html`<td class="figure">${language.number(counted[kind].count)}</td>`)}</tr>`,
  )}</tbody></table>
${changes.map(({ entity, isRenumbered }) => isRenumbered && html`<p class="note">${words.release.renumbered(manyOf(view, entity))}</p>`)}
${changes.map(({ entity, kinds: counted }) =>
  kinds.map(([kind, label]) => counted[kind].count > 0 && changeList(view, entity, label, counted[kind], to)),
)}
<p><a href="${feed}">${words.release.feed}</a></p>`
}

function changeList(
  view: View,
  entity: Entity,
  label: string,
  { count, examples }: ChangeSummary['kinds'][ChangeKind],
  to: string,
): Html {
  const { words, language } = view
  const shown = words.release.examples(language.number(examples.length), language.number(count))
  return html`<details class="changes"${examples.length === count && html` open`}><summary>${manyOf(view, entity)}: ${label.toLowerCase()} (${shown})</summary>
<ul>${examples.map((change) => html`<li>${changeText(view, entity, change, to)}</li>`)}</ul></details>`
}

function changeText(view: View, entity: Entity, change: RecordChange, to: string): Content {
  const record = change.change === 'removed' ? change.old : change.new
  const name = isolatedName(view, entity, record)
  const code = entity.code
    .filter((field) => entity.fields[field]?.kind === 'code')
    .flatMap((field) => (isMissing(record[field]) ? [] : [String(record[field])]))
  const address = recordAddress(entity, keySegments(entity, record))
  const isCurrent = view.api.release.digest.startsWith(to)
  const release: Pairs = isCurrent ? [] : [['release', to]]
  const kept = view.carried.filter(([given]) => given !== 'release')
  const linked =
    change.change === 'removed'
      ? name
      : html`<a class="name" href="${withQuery(address, [...release, ...kept])}">${name}</a>`
  if (change.change !== 'changed') return [linked, ' ', html`<code>${code.join(' ')}</code>`]
  const fields = change.fields.map((path) => {
    const [old, now] = [valueAtPath(change.old, path), valueAtPath(change.new, path)].map((value) =>
      plainValue(view, value),
    )
    return html`${pathLabel(view, entity, path)}: <del>${isolated(old ?? '')}</del> → <ins>${isolated(now ?? '')}</ins>`
  })
  return [linked, ' ', html`<code>${code.join(' ')}</code> `, ...joined(fields, '; ')]
}

/** The label of the field that a path begins with: a name may have dots itself. */
function pathLabel(view: View, entity: Entity, path: string): string {
  const field = Object.keys(entity.fields).find((name) => path === name || path.startsWith(`${name}.`))
  return field === undefined ? path : fieldLabel(view, entity, field)
}

// Where a release came from, and what was noticed when it was imported.

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
<div><dt>${words.release.source}</dt><dd>${isolated(release.source.title)}</dd></div>
<div><dt>${words.release.program}</dt><dd>Nomenclator ${release.versions.nomenclator}, Bun ${release.versions.bun}</dd></div>
${release.source.credits.length > 0 && html`<div><dt>${words.release.credits}</dt><dd><ul class="plain">${release.source.credits.map(({ to, of }) => html`<li>${joined(of.map(collectionOf), ', ')}: ${isolated(to)}</li>`)}</ul></dd></div>`}
</dl>
<h3>${words.release.findings}</h3>
${
  release.findings.length === 0
    ? html`<p>${words.release.noFindings}</p>`
    : html`<p>${words.release.findingsText}</p><ul class="findings">${release.findings.map(
        ({ kind, says, count, examples }) =>
          html`<li><details><summary><span class="figure">${language.number(count)}</span> ${words.findings[kind] ?? html`<span lang="en">${says}</span>`}</summary><ul>${examples.map((example) => html`<li><code>${example}</code></li>`)}</ul></details></li>`,
      )}</ul>`
}
</section>`
}
