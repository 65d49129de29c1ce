// The id registry: an identifier that was published is never given to another official code.
import { dictionaryOf, such, type TypeOf } from '../../base/schema.ts'
import { entityName } from '../../base/texts.ts'
import { type Entity, hasNumericKey, type Values } from '../../catalog/entity.ts'

/** The official code of a row, as text. */
export const codeOf = (entity: Entity, row: Values): string => entity.code.map((field) => row[field]).join('/')

/** The identifiers of one entity. */
type Ids = {
  readonly idOf: Map<string, number>
  readonly codeOf: Map<number, string>
  /** The identifier that each code had when the registry was loaded. */
  readonly published: ReadonlyMap<string, number>
  highest: number
}

type Pairs = readonly (readonly [id: number, code: string])[]
const isPair = (one: unknown) =>
  Array.isArray(one) && one.length === 2 && Number.isSafeInteger(one[0]) && typeof one[1] === 'string'
const arePairs = (value: unknown): value is Pairs => Array.isArray(value) && value.every(isPair)
const MAX_LISTS = 10_000

/** For each entity every identifier ever given and the code that has it, in the order of giving. */
export const savedIds = dictionaryOf(entityName, such('a list of identifiers, each with its code', arePairs), MAX_LISTS)
type SavedIds = TypeOf<typeof savedIds>

/** Only records with an identifier of their own are in the registry; the others are numbered within their parent. */
export const isNumbered = hasNumericKey

export class IdRegistry {
  readonly #ids = new Map<string, Ids>()
  readonly #preferred = new Map<string, { readonly ids: ReadonlyMap<string, number>; readonly highest: number }>()
  readonly #reassigned: string[] = []
  readonly #moved: string[] = []

  constructor(saved: SavedIds = {}) {
    for (const [name, pairs] of Object.entries(saved)) this.#load(name, pairs)
  }

  knows(entity: Entity): boolean {
    return this.#ids.has(entity.name)
  }

  /** The entities that it has identifiers of. */
  names(): Iterable<string> {
    return this.#ids.keys()
  }

  /** Takes over the identifiers of rows that are published. */
  seed(entity: Entity, rows: Iterable<Values>): void {
    this.#load(
      entity.name,
      Array.from(rows, (row) => [row[entity.key[0] as string] as number, codeOf(entity, row)] as const),
    )
  }

  /** Codes that never had an identifier get those of these rows, as long as they are free: so they are the same in every home. */
  prefer(entity: Entity, rows: Iterable<Values>): void {
    const preferred = new Map<string, number>()
    for (const row of rows) {
      const id = row[entity.key[0] as string]
      if (typeof id === 'number') preferred.set(codeOf(entity, row), id)
    }
    this.#preferred.set(entity.name, { ids: preferred, highest: Math.max(0, ...preferred.values()) })
  }

  /** The identifier of the code of a row: the one that it has, or the one that is preferred for it, or the next free one. */
  idFor(entity: Entity, row: Values): number {
    const ids = this.#idsOf(entity)
    const code = codeOf(entity, row)
    const id = ids.idOf.get(code) ?? this.#freeId(entity, ids, code)
    enter(ids, code, id)
    return id
  }

  #freeId({ name }: Entity, { codeOf, highest }: Ids, code: string): number {
    const preferred = this.#preferred.get(name)
    const id = preferred?.ids.get(code)
    return id !== undefined && !codeOf.has(id) ? id : Math.max(highest, preferred?.highest ?? 0) + 1
  }

  /** Notes which code has an identifier, and whether that was another before, or had another identifier. */
  claim(entity: Entity, row: Values): void {
    const ids = this.#idsOf(entity)
    const code = codeOf(entity, row)
    const id = row[entity.key[0] as string] as number
    const owner = ids.codeOf.get(id)
    enter(ids, code, id)
    const before = ids.published.get(code)
    if (owner === undefined && before !== undefined)
      this.#moved.push(`${entity.name} ${code}: had ${before}, would have ${id}`)
    if (owner === undefined || owner === code) return
    ids.idOf.delete(owner)
    this.#reassigned.push(`${entity.name} ${id}: ${owner} had it, ${code} would`)
  }

  /** The identifiers that were given to another code than the one that had them, since the registry was loaded. */
  get reassigned(): readonly string[] {
    return this.#reassigned
  }

  /** The codes that were given a new identifier though they had one, since the registry was loaded. */
  get moved(): readonly string[] {
    return this.#moved
  }

  save(): SavedIds {
    return Object.fromEntries([...this.#ids].map(([name, { codeOf }]) => [name, [...codeOf]]))
  }

  #idsOf(entity: Entity): Ids {
    if (!isNumbered(entity)) throw new Error(`${entity.name} has no identifier of its own`)
    return this.#ids.get(entity.name) ?? this.#load(entity.name, [])
  }

  #load(name: string, pairs: Pairs): Ids {
    const ids = { idOf: new Map<string, number>(), codeOf: new Map<number, string>(), highest: 0 }
    for (const [id, code] of pairs) enter(ids, code, id)
    const loaded = Object.assign(ids, { published: new Map(ids.idOf) })
    this.#ids.set(name, loaded)
    return loaded
  }
}

function enter(ids: Pick<Ids, 'idOf' | 'codeOf' | 'highest'>, code: string, id: number): void {
  ids.idOf.set(code, id)
  // Moved to the end if it is there already: of several identifiers of one code, the last is the one that it has.
  ids.codeOf.delete(id)
  ids.codeOf.set(id, code)
  if (id > ids.highest) ids.highest = id
}
