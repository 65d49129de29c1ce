// Which identifier belongs to which official code, for ever: one that was published is never given to another code.
import { entities } from '../catalog/entities.ts'
import type { Entity, Values } from '../catalog/entity.ts'

/** The official code of a row, as text. */
export const codeOf = (entity: Entity, row: Values): string => entity.code.map((field) => row[field]).join('/')

type Book = {
  readonly idOf: Map<string, number>
  readonly codeOf: Map<number, string>
  /** What each code had when the book was opened. */
  published: ReadonlyMap<string, number>
  highest: number
}
/** For each entity every number ever given and the code that has it, in the order of giving. */
export type SavedIds = { readonly [entity: string]: readonly (readonly [id: number, code: string])[] }

/** Only records with an identifier of their own are numbered; the others live under their parent. */
export const isNumbered = (entity: Entity): boolean => entity.key.length === 1

export class IdRegistry {
  readonly #books = new Map<string, Book>()
  readonly #reassigned: string[] = []
  readonly #moved: string[] = []

  constructor(saved: SavedIds = {}) {
    for (const entity of Object.values(entities)) {
      if (!isNumbered(entity)) continue
      const book: Book = { idOf: new Map(), codeOf: new Map(), published: new Map(), highest: 0 }
      this.#books.set(entity.name, book)
      for (const [id, code] of saved[entity.name] ?? []) enter(book, code, id)
      book.published = new Map(book.idOf)
    }
  }

  /** The number of the code of a row: the one that it has, or the next free one. */
  numberFor(entity: Entity, row: Values): number {
    const book = this.#book(entity)
    const code = codeOf(entity, row)
    const id = book.idOf.get(code) ?? book.highest + 1
    enter(book, code, id)
    return id
  }

  /** Notes who has a number, and remembers it if that was another before, or had another number. */
  claim(entity: Entity, row: Values): void {
    const book = this.#book(entity)
    const code = codeOf(entity, row)
    const id = row[entity.key[0] as string] as number
    const owner = book.codeOf.get(id)
    enter(book, code, id)
    const before = book.published.get(code)
    if (owner === undefined && before !== undefined)
      this.#moved.push(`${entity.name} ${code}: had ${before}, would have ${id}`)
    if (owner === undefined || owner === code) return
    book.idOf.delete(owner)
    this.#reassigned.push(`${entity.name} ${id}: ${owner} had it, ${code} would`)
  }

  /** The numbers that were given to another code than the one that had them, in this build. */
  get reassigned(): readonly string[] {
    return this.#reassigned
  }

  /** The codes that were given a new number though they had one, in this build. */
  get moved(): readonly string[] {
    return this.#moved
  }

  save(): SavedIds {
    return Object.fromEntries([...this.#books].map(([name, book]) => [name, [...book.codeOf]]))
  }

  #book(entity: Entity): Book {
    const book = this.#books.get(entity.name)
    if (book === undefined) throw new Error(`${entity.name} is not numbered`)
    return book
  }
}

function enter(book: Book, code: string, id: number): void {
  book.idOf.set(code, id)
  // To the end, even if it is there already: of several numbers of one code, the last is the one that it has.
  book.codeOf.delete(id)
  book.codeOf.set(id, code)
  if (id > book.highest) book.highest = id
}
