// The packages of a release: their descriptions and licences, and their lists in groups.
import { isObject } from '../base/json.ts'
import type { Entity, ListGroup } from '../catalog/entity.ts'
import { type Content, type Html, html, joined } from '../http/html.ts'
import type { Release } from '../release/release.ts'
import { belongsTo } from './ancestry.ts'
import { anyText, manyOf, sourceTitle } from './names.ts'
import { linked } from './values.ts'
import { isolated, type View } from './view.ts'

type Licence = { readonly name?: string; readonly title?: string; readonly path?: string }
type Contributor = { readonly title?: string; readonly role?: string }

export type ShownPackage = {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly version?: string
  readonly homepage?: string
  readonly licenses: readonly Licence[]
  readonly sources: readonly Licence[]
  readonly keywords: readonly string[]
  readonly contributors: readonly Contributor[]
  readonly described?: unknown
}

const NO_DETAILS = { licenses: [], sources: [], keywords: [], contributors: [] } as const

/** Lists of one group, and the title and description of that, if it has any. */
type GroupedLists = { readonly group: ListGroup | undefined; readonly entities: readonly Entity[] }

/** The lists of a package, or those that belong to none. */
export type PackageLists = { readonly info: ShownPackage | undefined; readonly groups: readonly GroupedLists[] }

/** The packages in the manifest; others than Nomenclator may have written any part of them. */
function packagesOf({ manifest }: Release): ShownPackage[] {
  const { packages } = manifest as { readonly packages?: unknown }
  if (!Array.isArray(packages)) return []
  return packages.filter(isObject).map((one) => ({ ...NO_DETAILS, ...one, name: String(one.name) }))
}

/** The lists by their packages, in the order of the packages; those without one first. */
export function packageLists({ api }: View): PackageLists[] {
  const infos = packagesOf(api.release)
  const names = new Set(api.entities.flatMap(({ package: name }) => name ?? []))
  const unknown = [...names].filter((name) => infos.every((info) => info.name !== name))
  const all = [...infos, ...unknown.map((name) => ({ ...NO_DETAILS, name }))]
  const ofPackage = (name: string | undefined) => api.entities.filter((entity) => entity.package === name)
  return [
    { info: undefined, groups: grouped(ofPackage(undefined)) },
    ...all.map((info) => ({ info, groups: grouped(ofPackage(info.name)) })),
  ].filter(({ groups }) => groups.length > 0)
}

/** The lists by their groups, in the order of the first list of each. */
function grouped(entities: readonly Entity[]): GroupedLists[] {
  const byTitle = Map.groupBy(entities, (entity) => JSON.stringify(groupOf(entity)?.title))
  return [...byTitle.values()].map((lists) => ({ group: groupOf(lists[0] as Entity), entities: lists }))
}

/** The group of a list: its own, or else that of the nearest list of its package that its records belong to. */
const groupOf = (entity: Entity): ListGroup | undefined =>
  [entity, ...belongsTo(entity).map((step) => step.entity)].find(
    (one) => one.package === entity.package && one.group !== undefined,
  )?.group

/** The heading of a group: its own title, or else the title of its package. */
export const groupTitle = (view: View, { info }: PackageLists, { group }: GroupedLists): string =>
  group !== undefined ? anyText(view, group.title) : info === undefined ? view.words.catalogs : packageTitle(info)

export const packageTitle = ({ title, name }: ShownPackage): string => title ?? name

const textOf = (...candidates: readonly unknown[]): string | undefined =>
  candidates.find((one): one is string => typeof one === 'string' && one !== '')

const linkedTitles = (all: readonly Licence[]): Html[] =>
  all.flatMap(({ title, name, path }) => {
    const text = textOf(title, name, path)
    return text === undefined ? [] : [linked(text, path)]
  })

const contributorsOf = ({ contributors }: ShownPackage): Html[] =>
  contributors.flatMap(({ title, role }) => {
    const text = textOf(title)
    if (text === undefined) return []
    return [textOf(role) === undefined ? isolated(text) : html`${isolated(text)} (${isolated(String(role))})`]
  })

/** The description of a package and a list of its details. */
export function packageDetails({ words }: View, info: ShownPackage): Html {
  const { description, version, homepage, keywords } = info
  const entries: readonly (readonly [label: string, content: readonly Content[]])[] = [
    [words.packages.version, version === undefined ? [] : [isolated(version)]],
    [words.packages.licences, linkedTitles(info.licenses)],
    [words.packages.sources, linkedTitles(info.sources)],
    [words.packages.contributors, contributorsOf(info)],
    [words.packages.keywords, keywords.map((keyword) => isolated(String(keyword)))],
    [words.packages.homepage, homepage === undefined ? [] : [linked(homepage, homepage)]],
  ]
  const shown = entries.filter(([, content]) => content.length > 0)
  return html`${description !== undefined && html`<p class="lines">${isolated(description)}</p>`}
${shown.length > 0 && html`<dl class="package">${shown.map(([label, content]) => html`<div><dt>${label}</dt><dd>${joined(content, ', ')}</dd></div>`)}</dl>`}`
}

/** What was taken for granted about a list of which its package did not say all, as the descriptor that would say it. */
export function inferredResource(view: View, { name, package: owner }: Entity): Html | undefined {
  const { described } = packagesOf(view.api.release).find((info) => info.name === owner) ?? {}
  const found = Array.isArray(described) ? described.find((one) => isObject(one) && one.list === name) : undefined
  const text = textOf(isObject(found) ? found.resource : undefined)
  const { inferred, inferredText } = view.words.packages
  return text === undefined
    ? undefined
    : html`<details><summary>${inferred}</summary><p>${inferredText}</p><pre class="code" tabindex="0"><code>${text}</code></pre></details>`
}

/** Whom to credit for which lists, and the packages with their versions and licences, for the foot of every page. */
export function creditsOf(view: View): Html | undefined {
  const { catalog, release } = view.api
  const infos = packageLists(view).flatMap(({ info }) => info ?? [])
  const { credits } = release.manifest.source
  if (infos.length + credits.length === 0) return undefined
  const listsOf = (names: readonly string[]) =>
    names.flatMap((name) => catalog.entities.get(name) ?? []).map((entity) => isolated(manyOf(view, entity)))
  return html`<details><summary>${view.words.footer.credits}</summary><ul class="plain">${credits.map(
    ({ to, of }) => html`<li>${joined(listsOf(of), ', ')}: ${isolated(sourceTitle(view, to))}</li>`,
  )}${infos.map((info) => {
    const parts = [...linkedTitles(info.licenses), ...linkedTitles(info.sources), ...contributorsOf(info)]
    return html`<li>${isolated(packageTitle(info))}${info.version !== undefined && html` ${isolated(info.version)}`}${parts.length > 0 && html`: ${joined(parts, ', ')}`}</li>`
  })}</ul></details>`
}
