// What a package is taken for: which table is which list, with its key, names, tree, references and types. What is declared is
// obeyed, the rest is guessed from names and values, and every guess is reported with how to say it otherwise.
import type { EntityData } from '../../catalog/catalog.ts'
import { RESERVED_COLLECTIONS } from '../../catalog/collections.ts'
import { parseDefinition } from '../../catalog/definition-schema.ts'
import { slugOf } from '../../catalog/slug.ts'
import type {
  AliasPlan,
  Descriptor,
  Guess,
  ListPlan,
  Plan,
  RefusedList,
  Resource,
  TableSample,
  UsualCode,
} from './descriptor.ts'
import { aliasTableOf } from './guess-aliases.ts'
import { type Draft, isNumericKey, leftOut, oneLine, planOf, soundColumns } from './guess-entity.ts'
import { type Key, keyOf, quoted } from './guess-key.ts'
import { namesOf } from './guess-names.ts'
import { type KeyedTable, listName, type Reference, referencesOf } from './guess-references.ts'
import { rolesOf } from './guess-roles.ts'
import { allFit, columnNamed, distinctOf, type ProfiledColumn, type ProfiledTable, tableOf } from './guess-table.ts'
import { treeOf } from './guess-tree.ts'
import { formatOf, isSeries, isTypeDeclared, isWholeNumber } from './guess-types.ts'
import { type FieldProperties, fieldProperties, type ListProperties, listProperties } from './profile.ts'

/** A table, and what is said of it. */
type Candidate = KeyedTable & {
  readonly list: ListProperties
  readonly properties: ReadonlyMap<ProfiledColumn, FieldProperties>
  readonly hasDeclaredKey: boolean
  readonly leavesOutRows?: true
  /** Why it can be no list. */
  readonly fault?: string
  readonly usualCode?: UsualCode
  /** What is reported of it where it is a list. */
  readonly guesses: readonly Guess[]
}

export function definitionsOf(
  descriptor: Descriptor,
  samples: ReadonlyMap<string, TableSample>,
  taken: (slug: string) => boolean,
  seen?: readonly EntityData[],
): Plan {
  const others = seen ?? []
  const guesses: Guess[] = []
  const refused: RefusedList[] = []
  const tell = (guess: Guess | undefined) => {
    if (guess !== undefined) guesses.push(guess)
  }
  const candidates = candidatesOf(descriptor, samples, taken, tell)
  const { lists, aliases } = withoutAliasTables(candidates, tell, refused)
  const references = withoutCycles(
    new Map(
      lists.map((one) => [
        one,
        referencesOf({ own: one, all: lists, others: seen, propertiesOf: propertiesIn(one), tell }),
      ]),
    ),
    tell,
  )
  const plans = lists.map((one) =>
    planOf(draftOf(descriptor, one, lists, others, references.get(one) ?? [], tell), placeOf(descriptor, one)),
  )
  const place = new Map(descriptor.resources.map(({ name }, at) => [name, at]))
  const placeOfGuess = ({ resource }: Guess) => place.get(resource ?? '') ?? -1
  const inOrder = guesses.toSorted((a, b) => placeOfGuess(a) - placeOfGuess(b))
  return { lists: soundPlans(plans, others, refused), aliases, guesses: inOrder, refused }
}

const placeOf = ({ resources }: Descriptor, { table }: Candidate) => resources.indexOf(table.resource) + 1

const propertiesIn =
  ({ properties }: Candidate) =>
  (column: ProfiledColumn): FieldProperties =>
    properties.get(column) ?? {}

function candidatesOf(
  descriptor: Descriptor,
  samples: ReadonlyMap<string, TableSample>,
  taken: (slug: string) => boolean,
  tell: (guess: Guess) => void,
): readonly Candidate[] {
  const names = new Set<string>()
  return descriptor.resources.flatMap((resource): Candidate[] => {
    const sample = samples.get(resource.name)
    if (sample === undefined) return []
    const whole = tableOf(resource, sample)
    for (const guess of leftOut(whole)) tell(guess)
    const table = { ...whole, columns: soundColumns(whole.columns) }
    const list = listProperties(resource)
    const properties = new Map(table.columns.map((column) => [column, fieldProperties(column.declared)]))
    const key = keyOf(table, referredColumns(descriptor, table))
    const candidate = { table, list, properties, name: '', key: [], hasDeclaredKey: false, guesses: [] }
    if ('reason' in key) return [{ ...candidate, fault: `${key.reason}; declare a primaryKey in its schema` }]
    const ownGuesses: Guess[] = key.guess === undefined ? [] : [key.guess]
    const usualCode = usualCodeOf(key)
    const name = freeSlug(
      descriptor,
      resource,
      list,
      (slug) => taken(slug) || names.has(slug),
      (guess) => ownGuesses.push(guess),
    )
    names.add(name)
    return [
      {
        ...candidate,
        name,
        key: key.columns,
        hasDeclaredKey: key.isDeclared,
        ...(key.leavesOutRows === undefined ? {} : { leavesOutRows: true as const }),
        ...(usualCode === undefined ? {} : { usualCode }),
        guesses: ownGuesses,
      },
    ]
  })
}

/** The columns that declared references of other tables mean. */
function referredColumns({ resources }: Descriptor, table: ProfiledTable): ReadonlySet<string> {
  const references = resources.flatMap(({ schema, name }) =>
    (schema?.foreignKeys ?? []).filter(
      ({ reference }) =>
        reference.package === undefined &&
        reference.fields.length === 1 &&
        (reference.resource === table.resource.name || (reference.resource === '' && name === table.resource.name)),
    ),
  )
  return new Set(references.flatMap(({ reference }) => columnNamed(table, reference.fields[0] as string)?.name ?? []))
}

const MAX_SLUG = 64

/** The collection that a list is published as. */
function freeSlug(
  { name: packageName }: Descriptor,
  { name }: Resource,
  { collection, v1 }: ListProperties,
  taken: (slug: string) => boolean,
  tell: (guess: Guess) => void,
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
  })
  return slug
}

/** The share of codes that may be shorter by chance. */
const MAX_SHORT = 1 / 3

/** The key column with codes that a spreadsheet took for numbers, and how many digits most of them have. */
function usualCodeOf({ columns }: Key): UsualCode | undefined {
  for (const column of columns) {
    const lengths = new Map<number, number>()
    if (column.declared.type === 'string' || !allFit(column, isWholeNumber)) continue
    for (const { length } of column.values) if (length > 0) lengths.set(length, (lengths.get(length) ?? 0) + 1)
    const [long, short] = [...lengths.keys()].toSorted((a, b) => b - a)
    if (lengths.size !== 2 || long === undefined || short !== long - 1 || isSeries(distinctOf(column))) continue
    const few = lengths.get(short) as number
    if (few / column.values.length > MAX_SHORT) continue
    return { field: column.name, length: long }
  }
  return undefined
}

function withoutAliasTables(
  candidates: readonly Candidate[],
  tell: (guess: Guess | undefined) => void,
  refused: RefusedList[],
): { readonly lists: readonly Candidate[]; readonly aliases: readonly AliasPlan[] } {
  const aliases: AliasPlan[] = []
  const withKey = candidates.filter(({ fault }) => fault === undefined)
  const lists = candidates.filter(({ table, list, fault, guesses }) => {
    const found = aliasTableOf(table, list, withKey)
    const reason = found === undefined ? fault : 'reason' in found ? found.reason : undefined
    if (reason !== undefined) refused.push({ resource: table.resource.name, reason })
    else if (found !== undefined && 'plan' in found) {
      aliases.push(found.plan)
      tell(found.guess)
    } else {
      for (const guess of guesses) tell(guess)
      return true
    }
    return false
  })
  return { lists, aliases }
}

type References = ReadonlyMap<Candidate, readonly Reference[]>

/** References that lead back to their own list cannot all be embedded: one that was guessed is taken out, else the last. */
function withoutCycles(references: References, tell: (guess: Guess) => void): References {
  const kept = new Map<Candidate, Reference[]>([...references.keys()].map((one) => [one, []]))
  const leadsTo = (from: Candidate, to: Candidate, seen = new Set<Candidate>()): boolean => {
    if (from === to) return true
    if (seen.has(from)) return false
    seen.add(from)
    return (kept.get(from) ?? []).some(({ target }) => target !== undefined && leadsTo(target as Candidate, to, seen))
  }
  const all = [...references].flatMap(([own, ones]) => ones.map((one) => ({ own, one })))
  for (const { own, one } of all.toSorted((a, b) => Number(b.one.isDeclared) - Number(a.one.isDeclared))) {
    if (one.target === undefined || !leadsTo(one.target as Candidate, own)) {
      kept.get(own)?.push(one)
      if (one.guess !== undefined) tell(one.guess)
    } else if (one.isDeclared)
      tell({
        resource: own.table.resource.name,
        field: one.field.name,
        what: `${quoted(one.field.name)} embeds nothing: ${quoted(one.entity)} refers back to this list. Its codes are published.`,
        otherwise: '"foreignKeys" that do not lead back',
      })
  }
  return kept
}

function draftOf(
  descriptor: Descriptor,
  candidate: Candidate,
  lists: readonly Candidate[],
  others: readonly EntityData[],
  references: readonly Reference[],
  tell: (guess: Guess | undefined) => void,
): Draft {
  const { table, key, name, list, hasDeclaredKey, leavesOutRows, usualCode } = candidate
  const { resource } = table
  const propertiesOf = propertiesIn(candidate)
  const roleOf = (column: ProfiledColumn) => propertiesOf(column).role
  const referring = new Set(references.map(({ field }) => field))
  const found = treeOf(table, key, list, propertiesOf, tell)
  const tree = found?.columns.some((column) => referring.has(column)) === true ? undefined : found
  tell(tree?.guess)
  const isFree = (column: ProfiledColumn) =>
    !key.includes(column) && !referring.has(column) && (tree?.prefix !== undefined || tree?.columns.at(-1) !== column)
  const free = table.columns.filter(isFree)
  const language = list.language ?? resource.language ?? descriptor.language
  const parts = key.length > 1 ? key.filter((column) => !referring.has(column)) : []
  const names = namesOf({ table, keyColumns: key, free: [...free, ...parts], packageName: descriptor.name, language })
  tell(names.guess)
  const unnamed = free.filter((column) => !names.columns.includes(column))
  const roles = rolesOf({
    resource: resource.name,
    free: unnamed,
    roleOf,
    otherNames: names.otherNames,
    languages: names.languages,
  })
  for (const guess of roles.guesses) tell(guess)
  tell(
    typeGuess(
      table,
      unnamed.filter((column) => !roles.codes.has(column) && roles.point?.column !== column),
    ),
  )
  const isOnly = descriptor.resources.length === 1
  return {
    table,
    name,
    packageName: descriptor.name,
    title: oneLine(resource.title ?? (isOnly ? descriptor.title : undefined) ?? '') || titleFrom(resource.name),
    description: resource.description ?? (isOnly ? descriptor.description : undefined),
    list,
    language,
    key,
    hasDeclaredKey,
    ...(leavesOutRows === undefined ? {} : { leavesOutRows }),
    ...(usualCode === undefined ? {} : { usualCode }),
    references,
    tree,
    names,
    roles,
    roleOf,
    hasNumericKey: (entity) => {
      const own = lists.find((one) => one.name === entity)
      if (own !== undefined) return isNumericKey(own.key, own.hasDeclaredKey)
      const other = others.find((one) => one.name === entity)
      return other?.key.length === 1 && other.fields[other.key[0] as string]?.kind === 'id'
    },
  }
}

/** `br-city-codes` for people. */
function titleFrom(resource: string): string {
  const words = oneLine(listName(resource).replace(/[-_.]+/g, ' ')) || 'Untitled'
  return `${words[0]?.toUpperCase()}${words.slice(1)}`
}

function typeGuess({ resource }: ProfiledTable, columns: readonly ProfiledColumn[]): Guess | undefined {
  const typed = columns.filter((column) => !isTypeDeclared(column) && formatOf(column).type !== 'string')
  if (typed.length === 0) return undefined
  const shown = typed.map((column) => `${quoted(column.name)} ${formatOf(column).type}`)
  return {
    resource: resource.name,
    ...(typed.length === 1 ? { field: (typed[0] as ProfiledColumn).name } : {}),
    what: `By their values, types are: ${shown.join(', ')}.`,
    otherwise: '"type" at the fields, such as "string"',
  }
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
