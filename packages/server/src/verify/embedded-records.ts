// What the pages of a server say of records that are embedded in others: where two of them contradict each other.
import { isObject, type JsonObject, valueAt } from '../base/json.ts'
import { memoized } from '../base/memoized.ts'
import { type Entity, embedsOf, identifierOf, publishedFields } from '../catalog/entity.ts'
import { builtInCatalog } from '../source/built-in.ts'
import { partsOf } from './record-parts.ts'
import { pageTarget, type SeenPage } from './seen-page.ts'
import { shown } from './shown.ts'

/** A page, with a hash of its records by which it is known again. */
export type Evidence = { readonly target: string; readonly content: number | bigint | undefined }

/** What is wrong with an embedded record, and the pages that show it, the one that is told first. */
export type EmbeddedFault = { readonly came: string; readonly expected: string; readonly pages: readonly Evidence[] }

type Sighting = Evidence & { readonly record: JsonObject; readonly isEmbedded: boolean }

/** A server that contradicts itself everywhere is told by examples. */
const MAX_FAULTS = 100
const MAX_RECORDS = 1_000_000
const EMBEDDED = new Set(
  [...builtInCatalog.entities.values()].flatMap((entity) => embedsOf(entity).map(([, one]) => one)),
)

/** The fields of an entity, those that embed a record with the field that identifies it. */
const comparedFields = memoized((entity: Entity) =>
  publishedFields(entity).map(
    ([name, field]) => [name, field.kind === 'embed' ? identifierOf(field.entity) : undefined] as const,
  ),
)

/** A record and those that it embeds, at every depth. */
export function* recordsWithin(
  entity: Entity,
  record: unknown,
  isEmbedded = false,
): Generator<readonly [entity: Entity, record: JsonObject, isEmbedded: boolean]> {
  if (!isObject(record)) return
  yield [entity, record, isEmbedded]
  for (const [name, inner] of embedsOf(entity)) yield* recordsWithin(inner, record[name], true)
}

export class EmbeddedRecords {
  readonly #byId = new Map<string, Sighting>()
  readonly #byCode = new Map<string, Sighting>()
  readonly #contradictions = new Map<string, EmbeddedFault>()
  /** Those that are records of a collection. */
  readonly #listed = new Set<string>()
  readonly #wholeCollections = new Set<Entity>()

  get isEmpty(): boolean {
    return this.#byId.size === 0
  }

  /** Two values of one record, or two records with one code. */
  get contradictions(): readonly EmbeddedFault[] {
    return [...this.#contradictions.values()]
  }

  /** Records that their own collection does not have, of those collections that were read in full; undefined where none was. */
  get unlisted(): readonly EmbeddedFault[] | undefined {
    if (this.#wholeCollections.size === 0) return undefined
    return [...this.#wholeCollections].flatMap((entity) =>
      [...this.#byId]
        .filter(([name]) => name.startsWith(`${entity.name} `) && !this.#listed.has(name))
        .slice(0, MAX_FAULTS)
        .map(([name, sighting]) => ({
          came: `${name}, embedded`,
          expected: `a record of ${entity.plural} with this identifier`,
          pages: [sighting],
        })),
    )
  }

  addPage({ entity, records = [], collection, page, content }: SeenPage): void {
    const evidence = { target: pageTarget(collection, page), content }
    for (const one of records)
      for (const [inner, record, isEmbedded] of recordsWithin(entity, one))
        if (EMBEDDED.has(inner)) this.#add(inner, { record, isEmbedded, ...evidence })
  }

  /** Says that all records of an entity have been added. */
  addWhole(entity: Entity): void {
    if (EMBEDDED.has(entity)) this.#wholeCollections.add(entity)
  }

  /** Takes over what another collection said. */
  addAll(others: EmbeddedRecords): void {
    for (const [key, contradiction] of others.#contradictions) this.#contradict(key, contradiction)
    for (const name of others.#listed) this.#listed.add(name)
    for (const entity of others.#wholeCollections) this.#wholeCollections.add(entity)
    for (const [name, sighting] of others.#byId)
      this.#add(builtInCatalog.entities.get(name.split(' ')[0] as string) as Entity, sighting)
  }

  #add(entity: Entity, sighting: Sighting): void {
    const id = sighting.record[identifierOf(entity)]
    if (typeof id !== 'number') return
    const name = `${entity.name} ${id}`
    if (!sighting.isEmbedded) this.#listed.add(name)
    const known = this.#byId.get(name)
    if (known !== undefined) this.#compare(entity, name, known, sighting)
    else if (this.#byId.size < MAX_RECORDS) {
      this.#byId.set(name, sighting)
      this.#addCode(entity, name, sighting)
    }
  }

  #addCode(entity: Entity, name: string, sighting: Sighting): void {
    const code = partsOf(entity, 'code', sighting.record)
    if (code === undefined) return
    const known = this.#byCode.get(`${entity.name} ${code}`)
    if (known === undefined) this.#byCode.set(`${entity.name} ${code}`, sighting)
    else {
      const subject = `the ${entity.name} with the code ${shown(code)}`
      const expected = `${entity.name} ${known.record[identifierOf(entity)]}`
      this.#tell(`${subject} is ${name}`, expected, known, sighting)
    }
  }

  #compare(entity: Entity, record: string, known: Sighting, sighting: Sighting): void {
    for (const [name, identifier] of comparedFields(entity)) {
      const steps = identifier === undefined ? [name] : [name, identifier]
      const first = valueAt(known.record, steps)
      const second = valueAt(sighting.record, steps)
      // What is missing or no plain value has checks of its own.
      if (first === second || typeof first !== typeof second || typeof first === 'object') continue
      this.#tell(`${steps.join('.')} of ${record} is ${shown(second)}`, shown(first), known, sighting)
    }
  }

  #tell(came: string, value: string, known: Sighting, sighting: Sighting): void {
    // Two records of one collection with the same key or code have a check of their own.
    if (!known.isEmbedded && !sighting.isEmbedded) return
    this.#contradict(came, { came, expected: `${value}, as on ${known.target}`, pages: [sighting, known] })
  }

  #contradict(key: string, contradiction: EmbeddedFault): void {
    if (this.#contradictions.size < MAX_FAULTS && !this.#contradictions.has(key))
      this.#contradictions.set(key, contradiction)
  }
}
