// The records built so far that later ones embed: found by identifier or by official code.
import { entities } from '../catalog/entities.ts'
import { type Entity, embedsOf, identifierOf, type Values } from '../catalog/entity.ts'
import { codeOf } from './numbers.ts'

type Members = {
  readonly rows: Map<number, Values>
  readonly json: Map<number, string>
  readonly ids: Map<string, number>
}

const embedded = new Set(Object.values(entities).flatMap((entity) => embedsOf(entity).map(([, parent]) => parent.name)))

export class Family {
  readonly #members = new Map<string, Members>()

  rowsOf = (entity: string): ReadonlyMap<number, Values> => this.#of(entity).rows
  jsonOf = (entity: string): ReadonlyMap<number, string> => this.#of(entity).json

  idByCode(entity: Entity, code: Values): number | undefined {
    return this.#of(entity.name).ids.get(codeOf(entity, code))
  }

  /** Remembers a record if any other entity embeds its kind. */
  add(entity: Entity, row: Values, json: string): void {
    if (!embedded.has(entity.name)) return
    const { rows, json: rendered, ids } = this.#of(entity.name)
    const id = row[identifierOf(entity)] as number
    rows.set(id, row)
    rendered.set(id, json)
    ids.set(codeOf(entity, row), id)
  }

  #of(entity: string): Members {
    let members = this.#members.get(entity)
    if (members === undefined) {
      members = { rows: new Map(), json: new Map(), ids: new Map() }
      this.#members.set(entity, members)
    }
    return members
  }
}
