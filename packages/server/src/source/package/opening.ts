// Infers what is open in the descriptor of a package, reads its tables to their end, and leaves out what cannot be published.
import { OperationalError } from '../../base/operational-error.ts'
import { Faults, faultText } from '../faults.ts'
import type { Findings } from '../findings.ts'
import type { Alias } from '../source.ts'
import { readAliasTables } from './alias-tables.ts'
import type { Descriptor, ListPlan } from './descriptor.ts'
import type { LeftOut } from './examined.ts'
import { FieldFindings, listed } from './field-findings.ts'
import { isComplete } from './infer/complete.ts'
import { infer } from './infer/infer.ts'
import type { Note } from './infer/inference.ts'
import type { TableProfile } from './infer/table-profile.ts'
import type { OutsideLists } from './known-lists.ts'
import type { PackageTables } from './package-tables.ts'
import type { Plan } from './plan.ts'
import { plansOf } from './plan.ts'
import type { Table } from './read/rows.ts'
import { recordsIn, type Surveyed, survey } from './survey.ts'

export type Opened = {
  /** The descriptor with all that was inferred. */
  readonly descriptor: Descriptor
  /** The names of the resources that left something open. */
  readonly inferred: ReadonlySet<string>
  readonly plan: Plan
  /** By the name of the entity, each after those that it embeds. */
  readonly lists: ReadonlyMap<string, Surveyed>
  readonly leftOut: readonly LeftOut[]
  readonly aliases: readonly Alias[]
  readonly aliasFindings: ReadonlyMap<string, Findings>
}

/** Rounds of inferring: each takes out a table or a key that turned out not to be one. */
const MAX_ROUNDS = 50

export class Opening {
  readonly #tables: PackageTables
  readonly #outside: OutsideLists
  readonly #leftOut = new Map<string, LeftOut>()
  readonly #profiles: Map<string, TableProfile>

  constructor(tables: PackageTables, outside: OutsideLists) {
    this.#tables = tables
    this.#outside = outside
    this.#profiles = new Map([...tables.tables].flatMap(([name, { profile }]) => (profile ? [[name, profile]] : [])))
    for (const { resource, faults } of tables.unread) this.#leaveOut(resource, faults)
  }

  /** Infers, reads all tables, and infers again without what could not be read, until all that is left can be. */
  async open(): Promise<Opened> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const { descriptor, plan } = this.#plan()
      const lists = await this.#surveyed(plan)
      if (lists === undefined) continue
      this.#leaveRefused(plan)
      const { aliases, findings } = await readAliasTables(plan.aliases, this.#tables.tables, lists)
      const leftOut = [...this.#leftOut.values()]
      const open = [...this.#tables.tables.values()].filter(({ resource, header }) => !isComplete(resource, header))
      const inferred = new Set(open.map(({ resource }) => resource.name))
      return { descriptor, inferred, plan, lists, leftOut, aliases, aliasFindings: findings }
    }
    throw new OperationalError(
      `${this.#tables.location}: no keys were found that hold; declare a primaryKey in each schema`,
    )
  }

  #plan(): { readonly descriptor: Descriptor; readonly plan: Plan } {
    const { descriptor: given, tables } = this.#tables
    const resources = given.resources.filter(({ name }) => !this.#leftOut.has(name))
    const open = new Map([...this.#profiles].filter(([name]) => !this.#leftOut.has(name)))
    const headers = new Map([...tables].map(([name, { header }]) => [name, header]))
    const known = open.size > 0 ? this.#outside.known() : []
    const { descriptor, notes, refused } = infer({ ...given, resources }, open, known)
    const plan = plansOf(descriptor, headers, this.#outside)
    return {
      descriptor,
      plan: { ...plan, notes: [...notes, ...plan.notes], refused: [...refused, ...plan.refused] },
    }
  }

  /** Undefined where a list had to be left out, or has another key than was inferred. */
  async #surveyed(plan: Plan): Promise<ReadonlyMap<string, Surveyed> | undefined> {
    const lists = new Map<string, Surveyed>()
    const indexed = indexesOf(plan.lists)
    let isSound = true
    for (const list of plan.lists) {
      const { table } = this.#tables.tables.get(list.resource) as { readonly table: Table }
      const surveyed = await survey(list, table, {
        recordsOf: recordsIn(lists, this.#outside),
        indexed: indexed.get(list.entity.name) ?? [],
        isKeyOpen: this.#isKeyOpen(list),
      })
      lists.set(list.entity.name, surveyed)
      if (surveyed.notUnique !== undefined && this.#isKeyOpen(list)) {
        this.#inferAnotherKey(list.resource, surveyed.notUnique)
        isSound = false
      } else if (surveyed.faults.any) {
        this.#leaveOut(list.resource, surveyed.faults, plan.notes, surveyed.findings)
        isSound = false
      }
    }
    return isSound ? lists : undefined
  }

  #isKeyOpen({ resource }: ListPlan): boolean {
    const { schema } = this.#tables.tables.get(resource)?.resource ?? {}
    return this.#profiles.has(resource) && (schema?.primaryKey ?? []).length === 0
  }

  #inferAnotherKey(resource: string, columns: readonly string[]): void {
    const profile = this.#profiles.get(resource)
    if (profile === undefined) return
    this.#profiles.set(resource, { ...profile, notUnique: [...(profile.notUnique ?? []), columns] })
  }

  #leaveOut(
    resource: string,
    faults: Faults,
    notes: readonly Note[] = [],
    findings = new FieldFindings(),
    reason = firstOf(faults),
  ): void {
    this.#leftOut.set(resource, {
      resource,
      reason,
      faults: faults.list(),
      faultCount: faults.count,
      findings: [...listed(this.#tables.tableFindings.get(resource), resource), ...findings.list(resource)],
      notes: notes.filter((note) => note.resource === resource),
    })
  }

  #leaveRefused({ refused, notes }: Plan): void {
    for (const { resource, reason } of refused) {
      const file = this.#tables.tables.get(resource)?.table.file ?? resource
      const faults = new Faults()
      const expected = `a table that can be a list: ${reason}`
      faults.add({ file, line: 1, column: 'all', value: `resource ${resource}`, expected })
      this.#leaveOut(resource, faults, notes, new FieldFindings(), reason)
    }
  }
}

function firstOf(faults: Faults): string {
  const [first] = faults.list()
  const more = faults.count > 1 ? `, and ${faults.count - 1} more` : ''
  return first === undefined ? 'it cannot be read' : `${faultText(first)}${more}`
}

/** The sets of fields that each list is referred to by, where they are not its key. */
function indexesOf(lists: readonly ListPlan[]): ReadonlyMap<string, readonly (readonly string[])[]> {
  const indexes = new Map<string, (readonly string[])[]>()
  for (const { entity, fields } of lists) {
    for (const [name, { refersTo }] of fields) {
      const definition = entity.fields[name]
      const target =
        definition?.kind === 'embed' ? definition.entity : definition?.kind === 'broader' ? entity.name : undefined
      if (refersTo === undefined || target === undefined) continue
      indexes.set(target, [...(indexes.get(target) ?? []), refersTo])
    }
  }
  return indexes
}
