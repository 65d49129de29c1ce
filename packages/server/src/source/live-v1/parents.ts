// The records that other records embed, by identifier: each as it was first found.
import { type Entity, embedsOf, identifierOf, type Values } from '../../catalog/entity.ts'
import { flatten, type PublishedRecord } from '../../catalog/flatten.ts'
import type { SourceLocation } from '../faults.ts'
import type { CodeReference } from '../source.ts'

type Parent = { readonly row: Values; readonly location: SourceLocation }

export class Parents {
  readonly #byEntity = new Map<string, Map<number, Parent>>()
  readonly #references = new Map<string, Map<number, CodeReference>>()

  /** Adds a record unless its identifier is known already. */
  add(entity: Entity, record: PublishedRecord, location: SourceLocation): void {
    const parents = this.#of(entity)
    const id = record[identifierOf(entity)] as number
    if (!parents.has(id)) parents.set(id, { row: flatten(entity, record), location })
  }

  /** All parents of an entity, in the order of their identifiers. */
  list(entity: Entity): Parent[] {
    const id = identifierOf(entity)
    return [...this.#of(entity).values()].sort((a, b) => (a.row[id] as number) - (b.row[id] as number))
  }

  /** The fields in which a record differs from the known one with its identifier, in words; undefined when there are none. */
  difference(entity: Entity, record: PublishedRecord): string | undefined {
    const knownRow = this.#of(entity).get(record[identifierOf(entity)] as number)?.row
    if (knownRow === undefined) return undefined
    const row = flatten(entity, record)
    const differs: string[] = []
    for (const field in knownRow)
      if (knownRow[field] !== row[field])
        differs.push(`${field} ${JSON.stringify(row[field])} instead of ${JSON.stringify(knownRow[field])}`)
    return differs.length === 0 ? undefined : differs.join(', ')
  }

  /** The official code of the record with an identifier, with those of its own parents in it. */
  codeOf(entity: Entity, id: number): CodeReference {
    const references = this.#references.getOrInsertComputed(entity.name, () => new Map())
    return references.getOrInsertComputed(id, () => this.#reference(entity, id))
  }

  #reference(entity: Entity, id: number): CodeReference {
    const row = this.#of(entity).get(id)?.row ?? {}
    const parents = new Map(embedsOf(entity))
    const parts = entity.code.map((field) => {
      const [value, parent] = [row[field] as string | number, parents.get(field)]
      return [field, parent === undefined ? value : this.codeOf(parent, value as number)]
    })
    return Object.fromEntries(parts)
  }

  #of(entity: Entity): Map<number, Parent> {
    return this.#byEntity.getOrInsertComputed(entity.name, () => new Map())
  }
}
