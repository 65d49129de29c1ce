// The records that pages show embedded in others, and their contradictions.
import { collections, type Entity } from './contract.ts'
import { identifyingPath, isObject, type JsonObject, partsOf, valueAt } from './json.ts'
import { shown } from './printable.ts'
import { pageTarget, type ReceivedPage } from './received-page.ts'

/** A page, with a hash of its records by which it is recognised. */
export type Evidence = { readonly target: string; readonly content: string | undefined }

/** A fault of an embedded record, and the pages that show it. */
export type EmbeddedFault = { readonly came: string; readonly pages: readonly [Evidence, ...Evidence[]] }

type Sighting = Evidence & { readonly entity: Entity; readonly record: JsonObject; readonly isEmbedded: boolean }

/** A server that contradicts itself everywhere is shown by examples. */
const MAX_FAULTS = 100
const MAX_RECORDS = 1_000_000

const embedsOf = ({ fields }: Entity): (readonly [name: string, entity: Entity])[] =>
  Object.entries(fields).flatMap(([name, field]) => (field.kind === 'embed' ? [[name, field.entity] as const] : []))
const embeddedIn = (entity: Entity): Entity[] =>
  embedsOf(entity).flatMap(([, embedded]) => [embedded, ...embeddedIn(embedded)])
const EMBEDDED = new Set(collections.flatMap(({ entity }) => embeddedIn(entity)))

/** Yields a record and those that it embeds, at every depth. */
export function* recordsWithin(
  entity: Entity,
  record: unknown,
  isEmbedded = false,
): Generator<{ readonly entity: Entity; readonly record: JsonObject; readonly isEmbedded: boolean }> {
  if (!isObject(record)) return
  yield { entity, record, isEmbedded }
  for (const [name, inner] of embedsOf(entity)) yield* recordsWithin(inner, record[name], true)
}

export class EmbeddedRecords {
  readonly #byId = new Map<string, Sighting>()
  readonly #byCode = new Map<string, Sighting>()
  readonly #contradictions = new Map<string, EmbeddedFault>()
  /** The records that stand in their own collection. */
  readonly #listed = new Set<string>()
  readonly #wholeCollections = new Set<Entity>()

  get isEmpty(): boolean {
    return this.#byId.size === 0
  }

  /** Two values of one record, or two records with one code. */
  get contradictions(): readonly EmbeddedFault[] {
    return [...this.#contradictions.values()]
  }

  /** Records that are missing in their own collection, if that was read in full; undefined if none was. */
  get unlisted(): readonly EmbeddedFault[] | undefined {
    if (this.#wholeCollections.size === 0) return undefined
    return [...this.#byId]
      .filter(([name, { entity }]) => this.#wholeCollections.has(entity) && !this.#listed.has(name))
      .slice(0, MAX_FAULTS)
      .map(([name, sighting]) => ({ came: `${name}, embedded`, pages: [sighting] }))
  }

  addPage({ entity, records = [], collection, page, content }: ReceivedPage): void {
    const evidence = { target: pageTarget(collection, page), content }
    for (const one of records)
      for (const within of recordsWithin(entity, one))
        if (EMBEDDED.has(within.entity)) this.#add({ ...within, ...evidence })
  }

  /** Notes that all records of an entity have been added. */
  addWhole(entity: Entity): void {
    if (EMBEDDED.has(entity)) this.#wholeCollections.add(entity)
  }

  /** Adds the records of another collection. */
  addAll(others: EmbeddedRecords): void {
    for (const fault of others.contradictions) this.#contradict(fault)
    for (const name of others.#listed) this.#listed.add(name)
    for (const entity of others.#wholeCollections) this.#wholeCollections.add(entity)
    for (const sighting of others.#byId.values()) this.#add(sighting)
  }

  #add(sighting: Sighting): void {
    const { entity, record, isEmbedded } = sighting
    const id = record[entity.key[0]]
    if (typeof id !== 'number') return
    const name = `${entity.name} ${id}`
    if (!isEmbedded) this.#listed.add(name)
    const before = this.#byId.get(name)
    if (before !== undefined) this.#compare(name, before, sighting)
    if (before !== undefined || this.#byId.size >= MAX_RECORDS) return
    this.#byId.set(name, sighting)
    const code = partsOf(entity, 'code', record)
    if (code === undefined) return
    const sameCode = this.#byCode.get(`${entity.name} ${code}`)
    if (sameCode === undefined) this.#byCode.set(`${entity.name} ${code}`, sighting)
    else this.#report(`the ${entity.name} with the code ${shown(code)} is ${name}`, sameCode, sighting)
  }

  #compare(record: string, before: Sighting, sighting: Sighting): void {
    for (const name of Object.keys(sighting.entity.fields)) {
      const path = identifyingPath(sighting.entity, name)
      const [first, second] = [valueAt(before.record, path), valueAt(sighting.record, path)]
      // Missing values, and lists and objects in place of values, have checks of their own.
      if (first === second || typeof first !== typeof second || typeof first === 'object') continue
      this.#report(`${path.join('.')} of ${record} is ${shown(second)}`, before, sighting)
    }
  }

  /** Two records of one collection with the same key or code have a check of their own. */
  #report(came: string, before: Sighting, sighting: Sighting): void {
    if (before.isEmbedded || sighting.isEmbedded) this.#contradict({ came, pages: [sighting, before] })
  }

  #contradict(fault: EmbeddedFault): void {
    if (this.#contradictions.size < MAX_FAULTS && !this.#contradictions.has(fault.came))
      this.#contradictions.set(fault.came, fault)
  }
}
