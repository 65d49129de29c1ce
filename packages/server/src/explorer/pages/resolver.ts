// The page that puts codes to someone's list: its parts, which a script fills, and what that has to know of the catalog.
import { V2_PATH, V2_SEGMENTS } from '../../base/api-v2.ts'
import { own } from '../../base/json.ts'
import type { Entity } from '../../catalog/entity.ts'
import type { PublishedRecord } from '../../catalog/flatten.ts'
import { descendantsOf } from '../../catalog/lineage.ts'
import { codesOf } from '../../catalog/official-code.ts'
import { type Html, html } from '../../http/html.ts'
import { RESOLVE_PATH } from '../../http/routes.ts'
import { belongsTo } from '../ancestry.ts'
import { assetAddress } from '../assets.ts'
import { LANGUAGES, languageOf } from '../language.ts'
import { capitalized, manyOf, nameOf, oneOf, sourceTitle } from '../names.ts'
import { groupTitle, packageLists } from '../packages.ts'
import type { ExplorerPage, View } from '../view.ts'
import { filled } from '../words/words.ts'
import { isOnlyOne } from './picker.ts'

export function resolverPage(view: View): ExplorerPage {
  const { words } = view
  const { resolvers } = words
  return {
    title: resolvers.title,
    description: resolvers.lead,
    main: html`<h1>${resolvers.title}</h1>
<p class="lead">${resolvers.lead}</p>
<p class="note privacy">${resolvers.privacy}</p>
<noscript><p class="empty">${resolvers.noScript}</p></noscript>
<div class="resolver" data-resolver data-script="${assetAddress('resolver.js')}" data-settings="${JSON.stringify(settingsOf(view))}" hidden>
${listSection(view)}
${columnsSection(view)}
${resultsSection(view)}
</div>`,
  }
}

function listSection({ words: { resolvers } }: View): Html {
  return html`<section aria-labelledby="list-title" data-part="drop" class="drop">
<h2 id="list-title">${resolvers.list}</h2>
<label for="list-text">${resolvers.paste}</label>
<textarea id="list-text" data-part="text" rows="7" spellcheck="false" autocomplete="off" autocapitalize="none"></textarea>
<p class="files"><label class="file-button" for="list-file">${resolvers.file}<input id="list-file" data-part="file" type="file" accept=".csv,.tsv,.txt,.json,.ndjson,.xlsx,.ods,.zip,.gz,text/csv,text/plain,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"></label> <span class="hint">${resolvers.fileHint}</span>
<button type="button" class="plain-button" data-part="example">${resolvers.tryExample}</button></p>
<p class="warning" role="alert" data-part="problem" hidden></p>
</section>`
}

/** Signs between the values of a text. */
const SEPARATORS = [
  ['\t', 'tab'],
  [';', 'semicolon'],
  [',', 'comma'],
  ['|', 'bar'],
  ['', 'none'],
] as const

function columnsSection(view: View): Html {
  const { resolvers } = view.words
  const field = (id: string, label: string, options: Html) =>
    html`<div class="field" hidden><label for="list-${id}">${label}</label> <select id="list-${id}" data-part="${id}">${options}</select></div>`
  const collections = view.api.entities.filter((entity) => view.api.count(entity) > 0)
  return html`<section aria-labelledby="columns-title" data-part="columns" hidden>
<h2 id="columns-title">${resolvers.columns}</h2>
<p class="count" role="status" data-part="source"></p>
<div class="list-options">
<label class="check"><input type="checkbox" data-part="has-header"> ${resolvers.hasHeader}</label>
${field('sheet', resolvers.sheet, html``)}
${field('separator', resolvers.separator, html`${SEPARATORS.map(([sign, name]) => html`<option value="${sign}">${resolvers.separators[name]}</option>`)}`)}
</div>
<ul class="columns-list" data-part="columns-list"></ul>
${field('within', resolvers.within, html`<option value="">${resolvers.everywhere}</option>${collections.map((entity) => html`<option value="${entity.plural}">${manyOf(view, entity)}</option>`)}`)}
<p class="warning" role="alert" data-part="columns-problem" hidden></p>
<p><button type="button" data-part="resolve">${resolvers.resolve}</button></p>
</section>`
}

function resultsSection({ words: { resolvers } }: View): Html {
  const filters = Object.entries(resolvers.filters)
  return html`<section aria-labelledby="results-title" data-part="results" hidden>
<h2 id="results-title" tabindex="-1">${resolvers.results}</h2>
<div class="going"><progress data-part="progress" aria-labelledby="results-title"></progress>
<p class="count" data-part="done"></p>
<button type="button" class="plain-button" data-part="stop">${resolvers.stop}</button>
<button type="button" data-part="continue" hidden>${resolvers.continue}</button></div>
<p class="warning" role="alert" data-part="results-problem" hidden></p>
<div class="results-bar">
<div class="verdicts" role="group" aria-label="${resolvers.filter}">${filters.map(([filter, label]) => html`<button type="button" class="plain-button" data-part="filter-${filter}" aria-pressed="false">${label} <span class="figure" data-part="count">0</span></button>`)}</div>
<div class="take" role="group" aria-label="${resolvers.download}"><span>${resolvers.download}:</span> <button type="button" data-part="download-xlsx">Excel</button> <button type="button" class="plain-button" data-part="download-csv">CSV</button></div>
</div>
<p class="hint">${resolvers.keys}</p>
<div class="scroll any-width"><table class="resolved"><thead><tr><th scope="col" class="figure">${resolvers.row}</th><th scope="col">${resolvers.written}</th><th scope="col">${resolvers.record}</th><th scope="col">${resolvers.verdict}</th></tr></thead><tbody data-part="rows"></tbody></table></div>
<p class="empty" data-part="no-rows" hidden>${resolvers.noRows}</p>
<div class="paging" data-part="paging" hidden><p data-part="range"></p> <button type="button" class="plain-button" data-part="previous">${resolvers.previous}</button> <button type="button" class="plain-button" data-part="next">${resolvers.next}</button></div>
</section>`
}

function settingsOf(view: View) {
  const { api, words, language, baseUrl } = view
  const { about, script } = words.resolvers
  const release = api.isCurrent ? {} : { release: api.release.digest }
  return {
    api: { resolve: RESOLVE_PATH, search: `${V2_PATH}/${V2_SEGMENTS.search}`, ...release },
    xlsx: assetAddress('xlsx.js'),
    locale: language.locale,
    parts: packageLists(view).flatMap((lists) =>
      lists.groups.flatMap((group) =>
        group.entities
          .filter((entity) => api.count(entity) > 0)
          .map((entity) => partOf(view, entity, groupTitle(view, lists, group))),
      ),
    ),
    about: [
      [about.source, sourceTitle(view, api.release.manifest.source.title)],
      [about.release, api.release.digest],
      [about.server, baseUrl],
    ],
    words: { ...script, example: exampleOf(view) },
  }
}

/** A list as a part of rows: what its columns may be called, and what the columns with its codes are called. */
function partOf(view: View, entity: Entity, group: string) {
  const { words } = view
  const { name, plural, fields, titles = {} } = entity
  const one = oneOf(view, entity)
  const fieldsOf = (kind: string) => Object.keys(fields).filter((field) => fields[field]?.kind === kind)
  const languages = LANGUAGES.map(languageOf)
  const known = entity.package === undefined ? languages.map((language) => own(language.words.entities, name)) : []
  const called =
    entity.package === undefined ? languages.map((language) => own(language.words.columnNames, name) ?? '') : []
  return {
    name,
    collection: plural,
    label: capitalized(one),
    group,
    names: [
      ...new Set([
        ...[name, plural, entity.title, ...Object.values(titles), ...fieldsOf('name')],
        ...known.flatMap((both) => (both === undefined ? [] : [both.one, both.many])),
        ...called.flatMap((names) => names.split(', ')).filter((one) => one !== ''),
      ]),
    ],
    codes: [...new Set([...fieldsOf('code'), ...codesOf(entity).map((code) => code.name)])].filter((one) => one !== ''),
    codeHeader: filled(words.resolvers.codeHeader, one),
    nameHeader: filled(words.resolvers.nameHeader, one),
    isConstant: isConstant(view, entity),
  }
}

/** True if all children of records of this list have the same parent. */
function isConstant(view: View, parent: Entity): boolean {
  const { api } = view
  const children = descendantsOf(api.catalog, parent).filter(
    (child) => belongsTo(child)[0]?.entity === parent && api.entities.includes(child),
  )
  return children.length > 0 && children.every((child) => isOnlyOne(view, parent, child))
}

const EXAMPLE_ROWS = 6

/** Rows to try, from the first list in which there is a choice of parents: names as people write them, in small letters without accents. */
function exampleOf(view: View): string {
  const { api } = view
  const lists = api.entities.filter((entity) => api.count(entity) > 0)
  const [entity = lists[0], parent] = choiceIn(view, lists)
  if (entity === undefined) return ''
  const step = Math.max(1, Math.floor(api.count(entity) / EXAMPLE_ROWS))
  const pages = Array.from({ length: Math.min(EXAMPLE_ROWS, api.count(entity)) }, (_, at) => at * step + 1)
  const records = pages.flatMap(
    (page) =>
      api.list(entity, [
        ['per_page', '1'],
        ['page', String(page)],
      ]).records,
  )
  const header = [...(parent === undefined ? [] : [oneOf(view, parent.entity)]), oneOf(view, entity)]
  const rows = records.map((record) => [
    ...(parent === undefined ? [] : [nameOf(view, parent.entity, record[parent.field] as PublishedRecord)]),
    nameOf(view, entity, record),
  ])
  return [header, ...rows.map((row) => row.map(plainly))].map((row) => row.join('\t')).join('\n')
}

function choiceIn(view: View, lists: readonly Entity[]) {
  for (const entity of lists) {
    const [parent] = belongsTo(entity)
    if (parent !== undefined && !isOnlyOne(view, parent.entity, entity)) return [entity, parent] as const
  }
  return [] as const
}

const plainly = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[\t\r\n"]/g, ' ')
    .toLowerCase()
