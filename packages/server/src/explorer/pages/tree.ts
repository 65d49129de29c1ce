// The tree of the hierarchies: opened level by level, with the number of records below each node as a bar.
import type { Catalog } from '../../catalog/catalog.ts'
import { type Entity, identifierOf } from '../../catalog/entity.ts'
import type { PublishedRecord } from '../../catalog/flatten.ts'
import { ancestorsOf, ownerOf, pathTo } from '../../catalog/lineage.ts'
import { type Html, html } from '../../http/html.ts'
import { badParameter } from '../../http/problem.ts'
import type { ReadRecord } from '../api-reader.ts'
import { collectionAddress, type Pairs, TREE_PATH } from '../links.ts'
import { href, manyOf, nameOf, type Page, recordLink, type View } from '../view.ts'
import { bar } from './record.ts'

const OPEN = 'open'
/** Nodes that can be open at once: each takes a request of its own. */
const MAX_OPEN = 50
/** The children of a node that are listed; the rest is in the table. */
const MAX_CHILDREN = 600

/** The entities of a hierarchy, from its roots to its leaves. */
type Hierarchy = readonly Entity[]

/** The hierarchies of a catalog, each from an entity that has no parent; of several entities below one, the first continues the hierarchy. */
function hierarchiesOf({ entities }: Catalog): Hierarchy[] {
  const all = [...entities.values()]
  const below = (parent: Entity) => all.find((entity) => ancestorsOf(entity)[0]?.entity === parent)
  const roots = all.filter((entity) => ancestorsOf(entity).length === 0 && below(entity) !== undefined)
  return roots.map((root) => {
    const levels = [root]
    for (let next = below(root); next !== undefined; next = below(next)) levels.push(next)
    return levels
  })
}

export function treePage(view: View): Page {
  const { api, words } = view
  const hierarchies = hierarchiesOf(api.catalog)
  const open = openNodes(view)
  return {
    title: words.trees.title,
    main: html`<h1>${words.trees.title}</h1>
<p class="lead">${words.trees.lead}</p>
<div class="trees" data-tree>${hierarchies.map((levels) => {
      const [root] = levels as [Entity]
      return html`<section aria-label="${manyOf(view, root)}"><h2>${levels.map((entity, at) => html`${at > 0 && ' › '}${manyOf(view, entity)}`)}</h2>
${level(view, levels, 0, [], open)}</section>`
    })}</div>`,
  }
}

/** The nodes that the address names, each with its ancestors, which are open too: as a collection, a colon and an identifier. */
type OpenNodes = ReadonlyMap<string, readonly string[]>

const isOpen = (open: OpenNodes, node: string): boolean =>
  open.has(node) || [...open.values()].some((ancestors) => ancestors.includes(node))

function openNodes({ api, pairs }: View): OpenNodes {
  const [other] = pairs.find(([name]) => name !== OPEN) ?? []
  if (other !== undefined) throw badParameter(other, '', `${OPEN} alone`)
  if (pairs.length > MAX_OPEN) throw badParameter(OPEN, String(pairs.length), `at most ${MAX_OPEN} values`)
  const open = new Map<string, string[]>()
  for (const [, value] of pairs) {
    const [plural = '', id = ''] = value.split(':')
    const entity = api.catalog.collections.get(plural)
    if (entity === undefined || ownerOf(entity) !== undefined || !/^[0-9]{1,10}$/.test(id))
      throw badParameter(OPEN, value, 'a collection, a colon and an identifier, such as estados:9')
    open.set(value, ancestorNodes(entity, api.record(entity, [id])))
  }
  return open
}

/** The nodes of the ancestors of a record, the nearest first. */
function ancestorNodes(entity: Entity, record: ReadRecord): string[] {
  let at = record as PublishedRecord
  return ancestorsOf(entity).map(({ field, entity: parent }) => {
    at = at[field] as PublishedRecord
    return nodeOf(parent, at)
  })
}

const nodeOf = (entity: Entity, record: ReadRecord | PublishedRecord): string =>
  `${entity.plural}:${record[identifierOf(entity)]}`

/** The nodes of one level below a parent, which the filter names. */
function level(view: View, levels: Hierarchy, depth: number, filter: Pairs, open: OpenNodes): Html {
  const { api, words, language } = view
  const entity = levels[depth] as Entity
  const leaf = levels.at(-1) as Entity
  const { records, total } = api.list(entity, [...filter, ['per_page', String(MAX_CHILDREN)]])
  const more =
    total > records.length &&
    html`<p><a href="${href(view, collectionAddress(entity), filter)}">${words.trees.more(language.number(total))}</a></p>`
  if (entity === leaf)
    return html`<ul class="leaves">${records.map((record) => html`<li>${recordLink(view, entity, record)}</li>`)}</ul>${more}`
  const counts = api.countsBy(leaf, leafFilter(leaf, levels, depth, filter), pathTo(leaf, entity)?.path ?? '')
  const countOf = (record: ReadRecord) => counts.get(String(record[identifierOf(entity)])) ?? 0
  const inner = records.filter((record) => countOf(record) > 0)
  const largest = Math.max(1, ...inner.map(countOf))
  const empty = records.length - inner.length
  return html`<ul class="nodes">${inner.map((record) => {
    const count = countOf(record)
    return node(
      view,
      levels,
      depth,
      record,
      open,
      html`<span class="figure">${words.trees.below(language.number(count), manyOf(view, leaf).toLowerCase())}</span>${bar(count, largest)}`,
    )
  })}</ul>${empty > 0 && html`<p class="note"><a href="${href(view, collectionAddress(entity), filter)}">${words.trees.without(language.number(empty), manyOf(view, entity).toLowerCase())}</a></p>`}${more}`
}

/** The parameter that keeps to the leaves below the same parent. */
function leafFilter(leaf: Entity, levels: Hierarchy, depth: number, filter: Pairs): Pairs {
  const parent = levels[depth - 1]
  const [, id] = filter[0] ?? []
  return parent === undefined || id === undefined ? [] : [[pathTo(leaf, parent)?.path ?? '', id]]
}

function node(view: View, levels: Hierarchy, depth: number, record: ReadRecord, open: OpenNodes, count: Html): Html {
  const { words } = view
  const entity = levels[depth] as Entity
  const child = levels[depth + 1] as Entity
  const own = nodeOf(entity, record)
  const name = nameOf(entity, record)
  const isOpened = isOpen(open, own)
  const id = `node-${own.replace(':', '-')}`
  const target = isOpened ? closed(open, own, ancestorNodes(entity, record)) : [...open.keys(), own]
  const filter: Pairs = [[pathTo(child, entity)?.path ?? '', String(record[identifierOf(entity)])]]
  const label = isOpened ? words.trees.close(name) : words.trees.open(name)
  return html`<li id="${id}"><div class="node"><a class="toggle" href="${href(
    view,
    TREE_PATH,
    target.map((one) => [OPEN, one]),
  )}#${id}" aria-expanded="${String(isOpened)}" aria-label="${label}"><span aria-hidden="true">${isOpened ? '−' : '+'}</span></a> ${recordLink(view, entity, record)} ${count}</div>
${isOpened && level(view, levels, depth + 1, filter, open)}</li>`
}

/** Closing a node closes what is below it too; its parent stays open, even if the address did not name it. */
function closed(open: OpenNodes, own: string, [parent]: readonly string[]): string[] {
  const kept = [...open].filter(([node, ancestors]) => node !== own && !ancestors.includes(own)).map(([node]) => node)
  return parent === undefined || kept.includes(parent) ? kept : [...kept, parent]
}
