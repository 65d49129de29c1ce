// The records built so far that later ones embed: found by identifier or by official code.
import { entities } from '../catalog/entities.ts'
import { type Entity, embedsOf, identifierOf, type Values } from '../catalog/entity.ts'
import type { RenderedParents } from '../catalog/render.ts'
import { codeOf } from './id-registry.ts'

type Members = {
  /** In the order of their positions. */
  readonly rows: Map<number, Values>
  /** How each of them was rendered, as far as they were. */
  readonly json: Uint8Array[]
  readonly ids: Map<string, number>
}

const embedded: ReadonlySet<string> = new Set(
  Object.values(entities).flatMap((entity) => embedsOf(entity).map(([, parent]) => parent.name)),
)

/** Whether any other entity embeds its kind. */
export const isEmbedded = (entity: Entity): boolean => embedded.has(entity.name)

export class ParentRecords {
  readonly #members = new Map<string, Members>()

  rowsOf = (entity: string): ReadonlyMap<number, Values> => this.#of(entity).rows

  idByCode(entity: Entity, code: Values): number | undefined {
    return this.#of(entity.name).ids.get(codeOf(entity, code))
  }

  /** Remembers a row to which others may refer. */
  add(entity: Entity, row: Values): void {
    const { rows, ids } = this.#of(entity.name)
    const id = row[identifierOf(entity)] as number
    rows.set(id, row)
    ids.set(codeOf(entity, row), id)
  }

  /** Remembers how the next of them was rendered. */
  addJson(entity: Entity, json: Uint8Array): void {
    this.#of(entity.name).json.push(json)
  }

  /** How those were rendered that an entity embeds. */
  parentsOf(entity: Entity): RenderedParents {
    return new Map(
      embedsOf(entity).map(([, { name }]) => {
        const { rows, json } = this.#of(name)
        const ids = [...rows.keys()]
        return [name, new Map(json.map((bytes, position) => [ids[position] as number, bytes]))]
      }),
    )
  }

  #of(entity: string): Members {
    let members = this.#members.get(entity)
    if (members === undefined) {
      members = { rows: new Map(), json: [], ids: new Map() }
      this.#members.set(entity, members)
    }
    return members
  }
}
