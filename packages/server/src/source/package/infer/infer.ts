// Infers what tables are: their keys, names, trees, references and types, as a complete descriptor with a note for each decision.
import type { Descriptor, RefusedList } from '../descriptor.ts'
import { OneWay } from '../one-way.ts'
import { type AliasTable, aliasTableOf } from './alias-table.ts'
import { type Column, type InferredTable, inferredTable, type Sights } from './columns.ts'
import { completeResource } from './complete.ts'
import { Declared } from './declared.ts'
import { CodeSet, codeTreeEvidence } from './evidence.ts'
import { headerlessColumn, headerlessReason } from './headerless.ts'
import type { Inference, KnownList, Note } from './inference.ts'
import type { InferredList } from './inferred-list.ts'
import { type ChosenKey, type FoundKeys, keysOf } from './keys.ts'
import { headerWords, subjectOf } from './lexicon.ts'
import { notesOf } from './notes.ts'
import {
  type KeyedTable,
  knownTargets,
  type Relation,
  relationsOf,
  sightsBesideKey,
  type Target,
  targetsIn,
} from './relations.ts'
import { MIN_FOUND, type RoleChoice, rolesOf } from './roles.ts'
import { marginOf, type Weights } from './score.ts'
import type { TableProfile } from './table-profile.ts'

/** How unlikely a tree by codes must be by chance, as a natural logarithm. */
const ENOUGH_FOR_TREE = 4.5

export function infer(
  descriptor: Descriptor,
  profiles: ReadonlyMap<string, TableProfile>,
  known: readonly KnownList[] = [],
  weights?: Weights,
): Inference {
  const refused: RefusedList[] = []
  const packageNouns = descriptor.resources.length === 1 ? subjectOf(headerWords(descriptor.name)) : []
  // A table of the name of a list is that list, as someone else has it.
  const own = new Set(descriptor.resources.map(({ name }) => name.toLowerCase()))
  const outside = knownTargets(known.filter(({ names }) => !names.some((name) => own.has(name))))
  const keyed = descriptor.resources.flatMap((resource) => {
    const profile = profiles.get(resource.name)
    if (profile === undefined) return []
    const table = inferredTable(resource, profile, packageNouns)
    const declared = new Declared(table, descriptor)
    const headerless = declared.key === undefined ? headerlessColumn(table) : undefined
    if (headerless !== undefined) {
      refused.push({ resource: resource.name, reason: headerlessReason(headerless) })
      return []
    }
    const key = keyOf(table, declared, outside, weights)
    return [{ table: { ...table, key: 'columns' in key ? key.columns : [] }, declared, key }]
  })
  const targets = keyed.flatMap(({ table }) => targetsIn(table))
  const lists: InferredList[] = []
  const aliases = new Map<string, AliasTable>()
  for (const { table, declared, key } of keyed) {
    const alias = aliasTableOf(
      table,
      declared,
      keyed.map((one) => one.table),
    )
    if (alias !== undefined && 'fields' in alias) aliases.set(table.resource.name, alias)
    else if (alias !== undefined) refused.push({ resource: table.resource.name, reason: alias.reason })
    else if ('reason' in key) refused.push({ resource: table.resource.name, reason: key.reason })
    else lists.push(listOf(table, key, declared, [...targets, ...outside], weights))
  }
  const sound = withoutCycles(lists)
  const byName = new Map(sound.map((list) => [list.table.resource.name, list]))
  const notes: Note[] = []
  const resources = descriptor.resources.map((resource) => {
    const list = byName.get(resource.name)
    const table = keyed.find((one) => one.table.resource === resource)?.table
    notes.push(...notesOf(resource, list, aliases.get(resource.name)))
    return table === undefined ? resource : completeResource(resource, table, list, aliases.get(resource.name))
  })
  return { descriptor: { ...descriptor, resources }, notes, refused }
}

type NoKey = { readonly reason: string }

/** The key of a table, or why it can be no list. */
function keyOf(
  table: InferredTable,
  declared: Declared,
  outside: readonly Target[],
  weights: Weights | undefined,
): ChosenKey | NoKey {
  if (declared.key !== undefined) return { columns: declared.key, score: 0, lost: 0 }
  if (declared.keyFault !== undefined) return { reason: declared.keyFault }
  const restOf = (key: readonly Column[]) => {
    const keyed = { ...table, key }
    const marginOfName = (column: Column) =>
      marginOf('name', column, key.includes(column) ? {} : sightsBesideKey(column, keyed), weights)
    return Math.min(MAX_REST, Math.max(...table.columns.map(marginOfName)))
  }
  const refersAway = (column: Column) =>
    column.subject.length > 0 && relationsOf(column, table, outside).some(({ sights }) => isSureOf(sights))
  const { keys, nearest } =
    table.profile.rows === 0
      ? { keys: [] }
      : keysOf(table, restOf, (column) => declared.sightsOf(column), refersAway, weights)
  const [best, next] = keys
  if (best === undefined) return { reason: noKeyReason(table, nearest) }
  const margin = next === undefined ? Number.POSITIVE_INFINITY : best.score - next.score
  return next === undefined ? best : { ...best, next: { columns: next.columns, margin } }
}

function noKeyReason({ profile: { rows } }: InferredTable, nearest: FoundKeys['nearest']): string {
  const reason = 'no 4 columns or fewer are filled and different in every row; declare a primaryKey in its schema'
  if (nearest === undefined) return reason
  const names = JSON.stringify(nearest.columns.map(({ name }) => name))
  return `${reason}, or add a column of codes; "primaryKey": ${names} with "nomenclator:lossy": true at the resource leaves out ${nearest.lost} of ${rows} rows`
}

/** True where a header names a list that has the values. */
const isSureOf = ({ named = 0, found = 0 }: Sights) => named >= MIN_NAMED && found >= MIN_FOUND

/** What the names of a table count at most beside its key. */
const MAX_REST = 3

function listOf(
  table: KeyedTable,
  key: ChosenKey,
  declared: Declared,
  targets: readonly Target[],
  weights: Weights | undefined,
): InferredList {
  const relations = new Map(
    table.columns.map((column) => [column, relationsOf(column, table, declared.openTargets(column, targets))]),
  )
  const choices = rolesOf(table, (column) => relations.get(column) ?? [], declared, weights)
  const near = new Map(
    choices.flatMap(({ column, role }) => {
      const miss =
        role === 'parent' || role === 'reference' ? undefined : relations.get(column)?.find(isNearMiss(column))
      return miss === undefined ? [] : [[column, miss] as const]
    }),
  )
  const [only] = key.columns
  const hasParent = declared.tree !== undefined || choices.some(({ role }) => role === 'parent')
  const isByCodes = !hasParent && only !== undefined && key.columns.length === 1
  const tree = isByCodes ? codeTreeEvidence(new CodeSet(only.profile)) : undefined
  const isTree = tree !== undefined && tree.information >= ENOUGH_FOR_TREE
  return { table, key, declared, choices, near, ...(isTree ? { tree } : {}) }
}

const MIN_NEAR = 0.7
const MIN_NAMED = 0.7
/** True where the header names a list that has most of the values. */
const isNearMiss =
  (column: Column) =>
  ({ evidence, sights, target }: Relation): boolean =>
    evidence.share >= MIN_NEAR &&
    evidence.share < MIN_FOUND &&
    target.kind === 'key' &&
    (sights.self === 1 ? column.sights.parent === 1 : (sights.named ?? 0) >= MIN_NAMED)

/** References that lead back to their own list cannot all be embedded: the less likely are left out. */
function withoutCycles(lists: readonly InferredList[]): readonly InferredList[] {
  const references = new OneWay<string>()
  for (const { table, declared } of lists)
    for (const { reference } of declared.foreignKeys)
      if (reference.package === undefined) references.add(table.resource.name, reference.resource)
  const inferred = lists
    .flatMap(({ table, choices }) => choices.map((choice) => ({ own: table.resource.name, choice })))
    .filter(({ choice }) => choice.role === 'reference' && choice.relation?.target.package === undefined)
    .toSorted((a, b) => b.choice.score - a.choice.score)
  const cut = new Set<RoleChoice>()
  for (const { own, choice } of inferred) {
    const to = choice.relation?.target.resource
    if (to !== undefined && !references.add(own, to)) cut.add(choice)
  }
  return lists.map((list) => ({
    ...list,
    choices: list.choices.map(
      (choice): RoleChoice => (cut.has(choice) ? { column: choice.column, role: 'value', score: 0 } : choice),
    ),
  }))
}
