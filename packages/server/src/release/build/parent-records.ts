// The records that the rows of a build may embed: found by identifier or by official code, and as they are rendered.
import type { Catalog } from '../../catalog/catalog.ts'
import { type Entity, embedsOf, identifierOf, type Values } from '../../catalog/entity.ts'
import { flatten, type PublishedRecord } from '../../catalog/flatten.ts'
import type { RenderedParents } from '../../catalog/render.ts'
import { codeOf } from '../home/id-registry.ts'
import type { OpenEntity } from '../release.ts'

type Records = {
  /** The rows in the order of their positions. */
  readonly rows: Map<number, Values>
  /** Each row as JSON, as far as they have been rendered. */
  readonly json: Uint8Array[]
  readonly ids: Map<string, number>
}

const decoder = new TextDecoder()

export class ParentRecords {
  readonly #records = new Map<string, Records>()
  readonly #embedded: ReadonlySet<string>

  constructor(catalog: Catalog) {
    const parents = [...catalog.entities.values()].flatMap((entity) =>
      embedsOf(entity).map(([, parent]) => parent.name),
    )
    this.#embedded = new Set(parents)
  }

  /** Whether any other entity embeds records of this one. */
  isEmbedded(entity: Entity): boolean {
    return this.#embedded.has(entity.name)
  }

  has(entity: Entity): boolean {
    return this.#records.has(entity.name)
  }

  rowsOf = (entity: string): ReadonlyMap<number, Values> => this.#of(entity).rows

  idByCode(entity: Entity, code: Values): number | undefined {
    return this.#of(entity.name).ids.get(codeOf(entity, code))
  }

  /** Keeps a row that others may refer to. */
  add(entity: Entity, row: Values): void {
    const { rows, ids } = this.#of(entity.name)
    const id = row[identifierOf(entity)] as number
    rows.set(id, row)
    ids.set(codeOf(entity, row), id)
  }

  /** Keeps the JSON of the next row. */
  addJson(entity: Entity, json: Uint8Array): void {
    this.#of(entity.name).json.push(json)
  }

  /** Keeps all records of an entity that is on disk. */
  load({ definition, records, count }: OpenEntity): void {
    for (let position = 0; position < count; position++) {
      const json = new Uint8Array(records.record(position))
      const record: PublishedRecord = JSON.parse(decoder.decode(json))
      this.add(definition, flatten(definition, record))
      this.addJson(definition, json)
    }
  }

  /** The JSON of the records that an entity may embed. */
  renderedFor(entity: Entity): RenderedParents {
    return new Map(
      embedsOf(entity).map(([, { name }]) => {
        const { rows, json } = this.#of(name)
        const ids = [...rows.keys()]
        return [name, new Map(json.map((bytes, position) => [ids[position] as number, bytes]))]
      }),
    )
  }

  #of(entity: string): Records {
    let records = this.#records.get(entity)
    if (records === undefined) {
      records = { rows: new Map(), json: [], ids: new Map() }
      this.#records.set(entity, records)
    }
    return records
  }
}
