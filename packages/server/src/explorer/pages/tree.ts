// The trees of the catalogs: opened level by level, with the number of descendants of each node as a bar.
import { broaderOf, type Entity } from '../../catalog/entity.ts'
import type { PublishedRecord } from '../../catalog/flatten.ts'
import { pathTo } from '../../catalog/lineage.ts'
import { type Html, html } from '../../http/html.ts'
import { badParameter } from '../../http/problem.ts'
import type { QueryPairs } from '../../http/v2/request/query-string.ts'
import { ancestorRecords } from '../ancestry.ts'
import { ancestorsIn, type Forest } from '../forest.ts'
import { collectionAddress, filterParameter, filterValue, keySegments, segmentsOf, TREE_PATH } from '../links.ts'
import { manyOf, manyWithin, nameOf } from '../names.ts'
import {
  MAX_DEPTH,
  type NamedNode,
  nodeId,
  nodeNamed,
  nodeText,
  OPEN_NODE,
  rootOf,
  type ShownTree,
  treesOf,
} from '../tree-nodes.ts'
import { type ExplorerPage, href, parameter, recordLink, type View } from '../view.ts'
import { filled } from '../words/words.ts'
import { bar } from './record.ts'

/** The parameter that names the root of the only tree to show. */
const ONLY = 'in'
/** Nodes that can be open at once: each takes a request of its own. */
const MAX_OPEN = 50
/** The children of a node that are listed; the rest is in the table. */
const MAX_CHILDREN = 600
/** More trees than this are only named until one is chosen. */
const MAX_TREES = 4

/** The nodes that the address names, each with its ancestors, which are open too. */
type OpenNodes = ReadonlyMap<string, readonly string[]>

type Shown = {
  readonly view: View
  readonly open: OpenNodes
  /** The parameters that links within the tree keep. */
  readonly kept: QueryPairs
}

export function treePage(view: View): ExplorerPage {
  const { api, words } = view
  const open = openNodes(view)
  const trees = treesOf(api.catalog).filter((tree) => api.count(rootOf(tree)) > 0)
  const chosen = chosenTrees(view, trees, open)
  const others = trees.filter((tree) => !chosen.includes(tree))
  return {
    title: words.trees.title,
    main: html`<h1>${words.trees.title}</h1>
<p class="lead">${trees.length === 0 ? words.trees.none : words.trees.lead}</p>
<div class="trees" data-tree>${chosen.map((tree) => treeSection(view, tree, trees, open))}
${others.length > 0 && html`<ul class="plain">${others.map((tree) => html`<li><a href="${href(view, TREE_PATH, [[ONLY, rootOf(tree).plural]])}">${titleOf(view, tree)}</a></li>`)}</ul>`}</div>`,
  }
}

/** All trees if they are few; of many, the chosen one, or those with an open node. */
function chosenTrees({ pairs }: View, trees: readonly ShownTree[], open: OpenNodes): readonly ShownTree[] {
  const only = parameter(pairs, ONLY)
  if (only !== undefined) {
    const named = trees.filter((tree) => rootOf(tree).plural === only)
    if (named.length > 0) return named
    throw badParameter(ONLY, only, `one of ${trees.map((tree) => rootOf(tree).plural).join(', ')}`)
  }
  if (trees.length <= MAX_TREES) return trees
  const collections = new Set([...open.keys()].map((node) => node.slice(0, node.indexOf(':'))))
  return trees.filter((tree) => entitiesOf(tree).some(({ plural }) => collections.has(plural)))
}

const entitiesOf = (tree: ShownTree): readonly Entity[] => (tree.kind === 'forest' ? [tree.entity] : tree.levels)

const titleOf = (view: View, tree: ShownTree): Html =>
  html`${entitiesOf(tree).map((entity, at) => html`${at > 0 && ' › '}${manyOf(view, entity)}`)}`

function treeSection(view: View, tree: ShownTree, trees: readonly ShownTree[], open: OpenNodes): Html {
  const root = rootOf(tree)
  const isOnly = parameter(view.pairs, ONLY) !== undefined || trees.length > MAX_TREES
  const shown: Shown = { view, open, kept: isOnly ? [[ONLY, root.plural]] : [] }
  const forest = tree.kind === 'forest' ? view.api.forest(tree.entity) : undefined
  return html`<section aria-label="${manyOf(view, root)}"><h2>${titleOf(view, tree)}</h2>
${tree.kind === 'levels' ? level(shown, tree.levels, 0, []) : forest && branch(shown, tree.entity, forest, forest.roots, [])}</section>`
}

const isOpen = (open: OpenNodes, node: string): boolean =>
  open.has(node) || [...open.values()].some((ancestors) => ancestors.includes(node))

function openNodes(view: View): OpenNodes {
  const { api, pairs } = view
  const [other] = pairs.find(([name]) => name !== OPEN_NODE && name !== ONLY) ?? []
  if (other !== undefined) throw badParameter(other, parameter(pairs, other) ?? '', `${OPEN_NODE} and ${ONLY} alone`)
  const named = pairs.filter(([name]) => name === OPEN_NODE)
  if (named.length > MAX_OPEN) throw badParameter(OPEN_NODE, String(named.length), `at most ${MAX_OPEN} values`)
  const open = new Map<string, string[]>()
  for (const [, value] of named) {
    const node = nodeNamed(api.catalog, value)
    if (node === undefined)
      throw badParameter(
        OPEN_NODE,
        value,
        'a collection, a colon and the key of a record, as in the address of its page',
      )
    open.set(nodeText(node.entity, node.segments), ancestorNodes(view, node))
  }
  return open
}

/** The ancestors of a node, the nearest first: in the tree of its own entity, then in the levels. */
function ancestorNodes({ api }: View, { entity, segments }: NamedNode): string[] {
  const forest = api.forest(entity)
  const record = api.record(entity, segments)
  const inForest = forest === undefined ? [] : ancestorsIn(forest, api.positionOf(entity, segments))
  if (inForest.length > MAX_DEPTH)
    throw badParameter(OPEN_NODE, nodeText(entity, segments), `a node with at most ${MAX_DEPTH} ancestors`)
  return [...api.recordsAt(entity, inForest).map((one) => nodeOf(entity, one)), ...ancestorNodesOf(entity, record)]
}

/** The nodes of the ancestors of a record, the nearest first. */
const ancestorNodesOf = (entity: Entity, record: PublishedRecord): string[] =>
  ancestorRecords(entity, record).map((ancestor) => nodeOf(ancestor.entity, ancestor.record))

const nodeOf = (entity: Entity, record: PublishedRecord): string => nodeText(entity, keySegments(entity, record))

// A tree of levels.

/** The nodes of one level under a parent, which the filter names. */
function level(shown: Shown, levels: readonly Entity[], depth: number, filter: QueryPairs): Html {
  const { view } = shown
  const { api, words, language } = view
  const entity = levels[depth] as Entity
  const leaf = levels.at(-1) as Entity
  const { records, total } = api.list(entity, [...filter, ['per_page', String(MAX_CHILDREN)]])
  const more = total > records.length && moreLink(view, entity, filter, total)
  if (entity === leaf)
    return html`<ul class="leaves">${records.map((record) => html`<li>${recordLink(view, entity, record)}</li>`)}</ul>${more}`
  const counts = api.countsBy(leaf, leafFilter(leaf, levels, depth, filter), wayTo(leaf, entity))
  const countOf = (record: PublishedRecord) => counts.get(filterValue(entity, record)) ?? 0
  const inner = records.filter((record) => countOf(record) > 0)
  const largest = Math.max(1, ...inner.map(countOf))
  const empty = records.length - inner.length
  return html`<ul class="nodes">${inner.map((record) => {
    const count = countOf(record)
    const child = levels[depth + 1] as Entity
    const below: QueryPairs = [[wayTo(child, entity), filterValue(entity, record)]]
    return node(shown, idOf('levels', entity, record), entity, record, {
      ancestors: ancestorNodesOf(entity, record),
      count: html`<span class="figure">${filled(words.trees.below, language.number(count), manyWithin(view, leaf, count))}</span>${bar(count, largest)}`,
      children: () => level(shown, levels, depth + 1, below),
    })
  })}</ul>${empty > 0 && html`<p class="note"><a href="${href(view, collectionAddress(entity), filter)}">${filled(words.trees.without, language.number(empty), manyWithin(view, entity, empty))}</a></p>`}${more}`
}

const moreLink = (view: View, entity: Entity, filter: QueryPairs, total: number): Html =>
  html`<p><a href="${href(view, collectionAddress(entity), filter)}">${filled(view.words.trees.more, view.language.number(total))}</a></p>`

/** The parameter by which records are filtered that belong to one of an ancestor. */
const wayTo = (entity: Entity, ancestor: Entity): string =>
  filterParameter(entity, pathTo(entity, ancestor)?.steps ?? [])

/** The parameter that keeps to the leaves under the same parent. */
function leafFilter(leaf: Entity, levels: readonly Entity[], depth: number, filter: QueryPairs): QueryPairs {
  const parent = levels[depth - 1]
  const [, key] = filter[0] ?? []
  return parent === undefined || key === undefined ? [] : [[wayTo(leaf, parent), key]]
}

// A tree of the records of one entity.

/** The records at some positions, which have the same parent. */
function branch(
  shown: Shown,
  entity: Entity,
  forest: Forest,
  positions: readonly number[],
  ancestors: readonly string[],
): Html {
  const { view } = shown
  const { api, words, language } = view
  const listed = positions.slice(0, MAX_CHILDREN)
  const records = api.recordsAt(entity, listed)
  const largest = Math.max(1, ...listed.map(forest.descendants))
  const items = records.map((record, at) => {
    const position = listed[at] as number
    const count = forest.descendants(position)
    if (count === 0)
      return html`<li id="${idOf('forest', entity, record)}"><div class="node leaf">${recordLink(view, entity, record)}</div></li>`
    return node(shown, idOf('forest', entity, record), entity, record, {
      ancestors,
      count: html`<span class="figure">${filled(words.trees.belowInTree, language.number(count))}</span>${bar(count, largest)}`,
      children: () =>
        branch(shown, entity, forest, forest.childrenOf(position), [nodeOf(entity, record), ...ancestors]),
    })
  })
  const more = positions.length > listed.length && moreLink(view, entity, siblings(ancestors, entity), positions.length)
  return html`<ul class="nodes">${items}</ul>${more}`
}

/** The parameter that keeps to the records with the same parent; roots have none. */
function siblings([parent]: readonly string[], entity: Entity): QueryPairs {
  if (parent === undefined) return []
  const [key = ''] = segmentsOf(entity, parent.slice(parent.indexOf(':') + 1)) ?? []
  return [[filterParameter(entity, [broaderOf(entity) ?? '']), key]]
}

const idOf = (tree: ShownTree['kind'], entity: Entity, record: PublishedRecord): string =>
  nodeId(tree, entity, keySegments(entity, record))

// A node of either.

type NodeParts = {
  /** Its ancestors, the nearest first. */
  readonly ancestors: readonly string[]
  readonly count: Html
  readonly children: () => Html
}

function node(shown: Shown, id: string, entity: Entity, record: PublishedRecord, parts: NodeParts): Html {
  const { view, open, kept } = shown
  const { words } = view
  const own = nodeOf(entity, record)
  const name = nameOf(view, entity, record)
  const isOpened = isOpen(open, own)
  const nodes = isOpened ? closed(open, own, parts.ancestors) : [...open.keys(), own]
  const target = href(view, TREE_PATH, [...nodes.map((one) => [OPEN_NODE, one] as const), ...kept])
  const label = isOpened ? filled(words.trees.close, name) : filled(words.trees.open, name)
  return html`<li id="${id}"><div class="node"><a class="toggle" href="${target}#${id}" aria-expanded="${String(isOpened)}" aria-label="${label}"><span aria-hidden="true">${isOpened ? '−' : '+'}</span></a> ${recordLink(view, entity, record)} ${parts.count}</div>
${isOpened && parts.children()}</li>`
}

/** Closing a node closes its descendants; its parent stays open, even if the address did not name it. */
function closed(open: OpenNodes, own: string, [parent]: readonly string[]): string[] {
  const kept = [...open].filter(([node, ancestors]) => node !== own && !ancestors.includes(own)).map(([node]) => node)
  return parent === undefined || kept.includes(parent) ? kept : [...kept, parent]
}
