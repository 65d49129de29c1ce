// The records that other records embed, by identifier: each as it was first found.
import { type Entity, identifierOf, type Values } from '../../catalog/entity.ts'
import { flatten, type PublishedRecord } from '../../catalog/flatten.ts'
import type { SourceLocation } from '../faults.ts'

type Parent = { readonly row: Values; readonly location: SourceLocation }

export class Parents {
  readonly #known = new Map<string, Map<number, Parent>>()

  /** Adds a record unless its identifier is known already. */
  add(entity: Entity, record: PublishedRecord, location: SourceLocation): void {
    const known = this.#of(entity)
    const id = record[identifierOf(entity)] as number
    if (!known.has(id)) known.set(id, { row: flatten(entity, record), location })
  }

  /** In the order of their identifiers. */
  list(entity: Entity): Parent[] {
    const id = identifierOf(entity)
    return [...this.#of(entity).values()].sort((a, b) => (a.row[id] as number) - (b.row[id] as number))
  }

  /** In which fields a record differs from the known one with its identifier, in words; undefined when in none. */
  difference(entity: Entity, record: PublishedRecord): string | undefined {
    const known = this.#of(entity).get(record[identifierOf(entity)] as number)?.row
    if (known === undefined) return undefined
    const row = flatten(entity, record)
    const differs: string[] = []
    for (const field in known)
      if (known[field] !== row[field])
        differs.push(`${field} ${JSON.stringify(row[field])} instead of ${JSON.stringify(known[field])}`)
    return differs.length === 0 ? undefined : differs.join(', ')
  }

  #of(entity: Entity): Map<number, Parent> {
    let known = this.#known.get(entity.name)
    if (known === undefined) {
      known = new Map()
      this.#known.set(entity.name, known)
    }
    return known
  }
}
