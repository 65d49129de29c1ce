// Definitions of lists from a complete descriptor: what is said is obeyed, and nothing is guessed.
import { isFieldName } from '../../base/texts.ts'
import type { EntityData } from '../../catalog/catalog.ts'
import { RESERVED_COLLECTIONS } from '../../catalog/collections.ts'
import { parseDefinition } from '../../catalog/definition-schema.ts'
import { slugOf } from '../../catalog/slug.ts'
import { type DeclaredTable, listName, type PlannedReference } from './declared-table.ts'
import type { AliasPlan, Descriptor, ListPlan, RefusedList, Resource, TableField } from './descriptor.ts'
import type { Note } from './infer/inference.ts'
import { headerWords } from './infer/lexicon.ts'
import { quoted } from './infer/notes.ts'
import type { OutsideLists } from './known-lists.ts'
import { OneWay } from './one-way.ts'
import { planOf } from './plan-fields.ts'
import { keysIn, referencesOf } from './plan-references.ts'
import { fieldProperties, type ListProperties, listProperties } from './profile.ts'

/** What a package is taken for. */
export type Plan = {
  /** Each after those that it embeds. */
  readonly lists: readonly ListPlan[]
  readonly aliases: readonly AliasPlan[]
  readonly notes: readonly Note[]
  readonly refused: readonly RefusedList[]
}

type PlanContext = Pick<OutsideLists, 'taken' | 'definitions' | 'hasHome'>

/** `headers` are the columns of the tables that could be read. */
export function plansOf(
  descriptor: Descriptor,
  headers: ReadonlyMap<string, readonly string[]>,
  { taken, definitions, hasHome }: PlanContext,
): Plan {
  const notes: Note[] = []
  const refused: RefusedList[] = []
  const tell = (note: Note) => void notes.push(note)
  const tables = tablesIn(descriptor, headers, taken, tell)
  const lists = tables.filter(({ list, key }) => list.role !== 'aliases' && key.length > 0)
  // Without a home, a list may have the name of one that ships; nothing can then refer to those.
  const names = new Set(lists.map(({ name }) => name))
  const clashes = definitions.some(({ package: owner, name }) => owner === undefined && names.has(name))
  const outside = clashes ? definitions.filter(({ package: owner }) => owner !== undefined) : definitions
  const references = withoutCycles(
    new Map(lists.map((one) => [one, referencesOf(one, lists, { others: outside, hasHome }, tell)])),
    tell,
  )
  const numeric = keysIn(lists, outside)
  const plans = lists.map((one) => planOf(descriptor, one, references.get(one) ?? [], numeric))
  const aliases = tables.flatMap((table): AliasPlan[] => {
    if (table.list.role !== 'aliases') return []
    const plan = aliasPlan(table, lists)
    if ('alias' in plan) return [plan]
    refused.push({ resource: table.resource.name, reason: plan.reason })
    return []
  })
  return { lists: soundPlans(plans, outside, refused), aliases, notes, refused }
}

function tablesIn(
  descriptor: Descriptor,
  headers: ReadonlyMap<string, readonly string[]>,
  taken: (slug: string) => boolean,
  tell: (note: Note) => void,
): readonly DeclaredTable[] {
  const used = new Set<string>()
  return descriptor.resources.flatMap((resource, at): DeclaredTable[] => {
    const header = headers.get(resource.name)
    if (header === undefined) return []
    const list = listProperties(resource)
    const declared = new Map(resource.schema?.fields.map((field) => [field.name, field]))
    const columns = soundColumns(resource, header, tell).map((name) => {
      const field: TableField = declared.get(name) ?? { name, own: new Map() }
      const missingValues = field.missingValues ?? resource.schema?.missingValues ?? []
      return { name, declared: field, missingValues, properties: fieldProperties(field) }
    })
    const key = (resource.schema?.primaryKey ?? []).flatMap((name) => columns.find((one) => one.name === name) ?? [])
    const isList = list.role !== 'aliases' && key.length > 0
    const name = isList ? freeSlug(descriptor, resource, list, (slug) => taken(slug) || used.has(slug), tell) : ''
    used.add(name)
    return [{ resource, list, columns, key, name, place: at + 1 }]
  })
}

/** The columns that can become fields; why another is none is told. */
function soundColumns(
  { name: resource }: Resource,
  header: readonly string[],
  tell: (note: Note) => void,
): readonly string[] {
  const seen = new Set<string>()
  return header.filter((name, at) => {
    const isDouble = seen.has(name)
    seen.add(name)
    if (isFieldName(name) && !isDouble) return true
    const why = isDouble
      ? 'another column has the same name'
      : name === ''
        ? 'it has no name'
        : 'its name is reserved, too long, or has signs that cannot be shown'
    tell({
      resource,
      field: name,
      what: `Column ${at + 1}, ${quoted(name)}, is left out: ${why}.`,
      otherwise: 'another name in the first line of the file and in its schema',
      kind: 'doubt',
    })
    return false
  })
}

const MAX_SLUG = 64

/** The collection that a list is published as. */
function freeSlug(
  { name: packageName }: Descriptor,
  { name }: Resource,
  { collection, v1 }: ListProperties,
  taken: (slug: string) => boolean,
  tell: (note: Note) => void,
): string {
  const wanted = v1 ?? collection ?? slugOf(listName(name), '-')
  const isReserved = RESERVED_COLLECTIONS.has(wanted)
  if (!isReserved && !taken(wanted)) return wanted
  const long = `${slugOf(packageName, '-')}-${wanted}`.slice(0, MAX_SLUG)
  let slug = long
  for (let number = 2; taken(slug); number++) slug = `${long.slice(0, MAX_SLUG - 5)}-${number}`
  tell({
    resource: name,
    what: `It is published as ${quoted(slug)}, since ${isReserved ? `${quoted(wanted)} means something else in addresses` : `there is another collection ${quoted(wanted)}`}.`,
    otherwise: '"nomenclator:collection" at the resource, with another name',
    kind: 'doubt',
  })
  return slug
}

type References = ReadonlyMap<DeclaredTable, readonly PlannedReference[]>

/** References that lead back to their own list cannot all be embedded: the last of them is not. */
function withoutCycles(references: References, tell: (note: Note) => void): References {
  const sound = new OneWay<DeclaredTable>()
  const isKept = (own: DeclaredTable, { target, field, entity }: PlannedReference) => {
    if (target === undefined || sound.add(own, target)) return true
    tell({
      resource: own.resource.name,
      field: field.name,
      what: `${quoted(field.name)} embeds nothing: ${quoted(entity)} refers back to this list. Its codes are published.`,
      otherwise: '"foreignKeys" that do not lead back',
      kind: 'doubt',
    })
    return false
  }
  return new Map([...references].map(([own, ones]) => [own, ones.filter((one) => isKept(own, one))]))
}

const REASONS = new Set(['reason', 'razon', 'motivo', 'type', 'tipo', 'kind'])

/** The plan of a table that gives other names of the records of a list. */
function aliasPlan(
  { resource, columns }: DeclaredTable,
  lists: readonly DeclaredTable[],
): AliasPlan | { readonly reason: string } {
  const alias = columns.find(({ properties }) => properties.role === 'alias')
  if (alias === undefined) return { reason: 'no field of it has "nomenclator:role": "alias", or is named so' }
  for (const { fields, reference } of resource.schema?.foreignKeys ?? []) {
    const list = lists.find((one) => one.resource.name === reference.resource)
    const code = list?.key.flatMap(({ name }) => fields[reference.fields.indexOf(name)] ?? [])
    if (list === undefined || code?.length !== list.key.length) continue
    const reason = columns.find(({ name }) => {
      const words = headerWords(name)
      return words.length === 1 && REASONS.has(words[0] as string)
    })
    return {
      resource: resource.name,
      entity: list.name,
      code,
      alias: alias.name,
      ...(reason === undefined || reason === alias ? {} : { reason: reason.name }),
    }
  }
  return { reason: 'it has no foreignKeys to a list of the package, and no columns with the codes of one' }
}

/** Each plan after those that it embeds; what is not sound after all is refused. */
function soundPlans(
  plans: readonly ListPlan[],
  others: readonly EntityData[],
  refused: RefusedList[],
): readonly ListPlan[] {
  const known = new Map(others.map((one) => [one.name, one]))
  const byName = new Map(plans.map((plan) => [plan.entity.name, plan]))
  const sound: ListPlan[] = []
  const seen = new Set<ListPlan>()
  const place = (plan: ListPlan) => {
    if (seen.has(plan)) return
    seen.add(plan)
    for (const field of Object.values(plan.entity.fields)) {
      const embedded = field.kind === 'embed' ? byName.get(field.entity) : undefined
      if (embedded !== undefined) place(embedded)
    }
    const parsed = parseDefinition(plan.entity, known)
    if ('fault' in parsed) return void refused.push({ resource: plan.resource, reason: parsed.fault })
    known.set(plan.entity.name, plan.entity)
    sound.push(plan)
  }
  for (const plan of plans) place(plan)
  return sound
}
