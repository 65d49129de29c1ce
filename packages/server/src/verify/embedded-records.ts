// What the pages of a server say of records that are embedded in others: where two of them contradict each other.
import { isObject, type JsonObject, valueAt } from '../base/json.ts'
import { memoized } from '../base/memoized.ts'
import { builtInCatalog } from '../catalog/entities.ts'
import { type Entity, embedsOf, identifierOf, publishedFields } from '../catalog/entity.ts'
import { pageTarget, type SeenPage } from './seen-page.ts'

/** A value, and the page that has it, with a hash by which it is known again. */
type Statement = { readonly value: unknown; readonly target: string; readonly content: number | bigint | undefined }

export type Contradiction = {
  /** Such as `descEstado of estado 14`. */
  readonly subject: string
  readonly first: Statement
  readonly second: Statement
}

type Sighting = Omit<Statement, 'value'> & { readonly record: JsonObject; readonly isEmbedded: boolean }

/** A server that contradicts itself everywhere is told by examples. */
const MAX_CONTRADICTIONS = 100
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
  readonly #known = new Map<Entity, Map<unknown, Sighting>>()
  readonly #contradictions = new Map<string, Contradiction>()
  #count = 0

  get isEmpty(): boolean {
    return this.#count === 0
  }

  get contradictions(): readonly Contradiction[] {
    return [...this.#contradictions.values()]
  }

  addPage({ entity, records = [], collection, page, content }: SeenPage): void {
    const place = { target: pageTarget(collection, page), content }
    for (const one of records)
      for (const [inner, record, isEmbedded] of recordsWithin(entity, one))
        if (EMBEDDED.has(inner)) this.#add(inner, { record, isEmbedded, ...place })
  }

  /** Takes over what another collection said. */
  addAll(others: EmbeddedRecords): void {
    for (const [subject, contradiction] of others.#contradictions) this.#contradict(subject, contradiction)
    for (const [entity, sightings] of others.#known)
      for (const sighting of sightings.values()) this.#add(entity, sighting)
  }

  #add(entity: Entity, sighting: Sighting): void {
    const id = sighting.record[identifierOf(entity)]
    const sightings = this.#known.get(entity) ?? new Map<unknown, Sighting>()
    this.#known.set(entity, sightings)
    const known = sightings.get(id)
    if (known === undefined) {
      if (typeof id === 'number' && this.#count++ < MAX_RECORDS) sightings.set(id, sighting)
      // Two records of one collection with the same identifier are a matter of keys.
    } else if (known.isEmbedded || sighting.isEmbedded) this.#compare(entity, known, sighting)
  }

  #compare(entity: Entity, known: Sighting, sighting: Sighting): void {
    for (const [name, identifier] of comparedFields(entity)) {
      const steps = identifier === undefined ? [name] : [name, identifier]
      const first = valueAt(known.record, steps)
      const second = valueAt(sighting.record, steps)
      // What is missing or no plain value has checks of its own.
      if (first === second || typeof first !== typeof second || typeof first === 'object') continue
      const subject = `${steps.join('.')} of ${entity.name} ${known.record[identifierOf(entity)]}`
      this.#contradict(`${subject} ${second}`, {
        subject,
        first: { value: first, target: known.target, content: known.content },
        second: { value: second, target: sighting.target, content: sighting.content },
      })
    }
  }

  #contradict(key: string, contradiction: Contradiction): void {
    if (this.#contradictions.size < MAX_CONTRADICTIONS && !this.#contradictions.has(key))
      this.#contradictions.set(key, contradiction)
  }
}
