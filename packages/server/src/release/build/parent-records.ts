// The records that the rows of a build may embed: found by identifier or by official code, and as they are rendered.
import type { Catalog } from '../../catalog/catalog.ts'
import { type Entity, embeddedAt, embedsOf, type Identity, identityOf, type Values } from '../../catalog/entity.ts'
import { flatten, type PublishedRecord, recordParser } from '../../catalog/flatten.ts'
import type { RenderedParents } from '../../catalog/render.ts'
import type { CodeReference } from '../../source/source.ts'
import { codeOf } from '../home/id-registry.ts'
import type { OpenEntity } from '../release.ts'

/** In place of an identifier where more than one record has the code. */
export const SEVERAL = Symbol('several')

type Records = {
  /** The rows in the order of their positions. */
  readonly rows: Map<Identity, Values>
  /** Each row as JSON, as far as they have been rendered. */
  readonly json: Uint8Array[]
  /** The identity of each code. */
  readonly ids: Map<string, Identity | typeof SEVERAL>
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

  /** True if another entity embeds records of this one. */
  isEmbedded(entity: Entity): boolean {
    return this.#embedded.has(entity.name)
  }

  has(entity: Entity): boolean {
    return this.#records.has(entity.name)
  }

  rowsOf = (entity: string): ReadonlyMap<Identity, Values> => this.#of(entity).rows

  /** The identity of the record with a code; undefined where there is none. */
  idByCode(entity: Entity, code: CodeReference): Identity | typeof SEVERAL | undefined {
    const row: Record<string, string | number> = {}
    for (const field of entity.code) {
      const part = code[field]
      const value = typeof part === 'object' ? this.idByCode(embeddedAt(entity, field), part) : part
      if (value === undefined || value === SEVERAL) return value
      row[field] = value
    }
    return this.#of(entity.name).ids.get(codeOf(entity, row))
  }

  /** Keeps a row that others may refer to. */
  add(entity: Entity, row: Values): void {
    const { rows, ids } = this.#of(entity.name)
    const id = identityOf(entity, row)
    const code = codeOf(entity, row)
    rows.set(id, row)
    ids.set(code, ids.has(code) ? SEVERAL : id)
  }

  /** Keeps the JSON of the next row. */
  addJson(entity: Entity, json: Uint8Array): void {
    this.#of(entity.name).json.push(json)
  }

  /** Keeps all records of an entity that is on disk. */
  load({ definition, records, count }: OpenEntity): void {
    for (let position = 0; position < count; position++) {
      const json = new Uint8Array(records.record(position))
      const record = recordParser(definition)(decoder.decode(json))
      this.add(definition, flatten(definition, record as PublishedRecord))
      this.addJson(definition, json)
    }
  }

  /** The JSON of the records that an entity may embed. */
  renderedFor(entity: Entity): RenderedParents {
    return new Map(
      embedsOf(entity).map(([, { name }]) => {
        const { rows, json } = this.#of(name)
        return [name, { json, positionOf: new Map([...rows.keys()].map((id, position) => [id, position])) }]
      }),
    )
  }

  #of = (entity: string): Records =>
    this.#records.getOrInsertComputed(entity, () => ({ rows: new Map(), json: [], ids: new Map() }))
}
