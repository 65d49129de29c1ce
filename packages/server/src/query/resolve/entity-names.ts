// All that the records of one entity are called, read from its index when it is needed, and compared with a part of a row.
import { checkpoint } from '../../base/checkpoint.ts'
import { memoized } from '../../base/memoized.ts'
import type { Entity } from '../../catalog/entity.ts'
import type { Language } from '../../catalog/languages/language.ts'
import { languageOfNames, namingFields } from '../../catalog/languages/languages.ts'
import { ancestorsOf, descendantsOf } from '../../catalog/lineage.ts'
import { wordsOf } from '../../catalog/words.ts'
import { aliasesOf, aliasWords } from '../../release/aliases.ts'
import type { EntityIndex } from '../../release/index/index-file.ts'
import { nameEnd, nameStart, namesPerRecord } from '../../release/index/name-ranges.ts'
import type { Release } from '../../release/release.ts'
import { EXACT_MATCH, type HeardLetters, heardIn, mayHaveMore, mayMatch, WrittenName } from '../search/name-match.ts'
import { NO_SEAT, type Seats, seatsAmong } from '../search/seats.ts'
import { type CalledName, matchRecord, type NamedRecord, type PartMatch } from './record-match.ts'
import type { WrittenPart } from './written-part.ts'

/** Whether to go on is asked once for so many records and one more. */
const CHECKED_EVERY = 0xff

type TextReader = (position: number) => string

/** How many numbers are kept of the letters of a name. */
const HEARD_FIELDS = 4

/** The costs of the name of a record without what is in brackets, and of that alone; and of the name of the parent for its seat. */
const WITHOUT_BRACKETS_COST = 0.2
const IN_BRACKETS_COST = 0.6
const AS_SEAT_COST = 0.12
const BRACKET = /[([]/
const IN_BRACKETS = /[([]([^)\]]*)[)\]]?/g
const NO_NAMES: readonly CalledName[] = []

export class EntityNames {
  readonly #index: EntityIndex
  readonly #count: number
  readonly #language: Language
  /** Whether the words of a record are those of its only name. */
  readonly #hasOneName: boolean
  /** How each name, other name and code is read. */
  readonly #names: readonly TextReader[]
  readonly #otherNames: readonly TextReader[]
  readonly #codes: readonly TextReader[]
  readonly #aliases: ReadonlyMap<number, readonly CalledName[]>
  /** Whether records of other entities are below these. */
  readonly #hasBelow: boolean
  readonly #seats: Seats | undefined
  /** The names of the parents, of which some records are the seats. */
  readonly #parents: () => EntityNames
  #all: readonly NamedRecord[] | undefined
  /** The words of the index that have been read. */
  readonly #texts: string[] = []
  /** The letters that are heard in the name of each record; its length is 0 where they have not been read. */
  #heard: Uint32Array | undefined
  readonly #heardInName = { all: 0, core: 0, length: 0, coreLength: 0 }

  constructor(release: Release, entity: Entity, namesOf: (entity: Entity) => EntityNames) {
    const { name, fields } = entity
    const parent = ancestorsOf(entity)[0]?.entity
    this.#seats = parent === undefined ? undefined : seatsAmong(release, name)
    this.#parents = () => namesOf(parent as Entity)
    this.#hasBelow = descendantsOf(release.catalog, entity).length > 0
    const { index, count } = release.entity(name)
    const naming = namingFields(entity)
    this.#language = languageOfNames(entity)
    this.#hasOneName = naming.length === 1
    this.#index = index
    this.#count = count
    const readers = (names: readonly string[]) =>
      names.flatMap((field) => {
        const column = index.column(field)
        return column.kind === 'text' ? [(at: number) => column.texts.text(column.values[at] as number)] : []
      })
    this.#names = readers(naming.flatMap(({ field, isAlias }) => (isAlias ? [] : field)))
    this.#otherNames = readers(naming.flatMap(({ field, isAlias }) => (isAlias ? field : [])))
    this.#codes = readers(Object.keys(fields).filter((field) => fields[field]?.kind === 'code'))
    const aliases = aliasesOf(release, name)
    const byRecord = Map.groupBy(aliases?.aliases.entries() ?? [], ([at]) => aliases?.positions[at] as number)
    this.#aliases = new Map(
      [...byRecord].map(([at, entries]) => [
        at,
        entries.map(([, { alias }]) => ({ name: this.#written(aliasWords(alias)), cost: 0, how: 'alias' })),
      ]),
    )
  }

  get count(): number {
    return this.#count
  }

  /** All records, for an entity that has few. */
  get all(): readonly NamedRecord[] {
    this.#all ??= Array.from({ length: this.#count }, (_, at) => this.record(at))
    return this.#all
  }

  record(position: number): NamedRecord {
    const isSeat = this.isSeat(position)
    const names: CalledName[] = this.ownNames(position)
    names.push(...this.#alsoCalled(position))
    if (isSeat) names.push(...this.#asSeat(position))
    return {
      position,
      names,
      isSeat,
      mayBeShort: isSeat || this.#hasBelow,
      codes: () => this.#codes.map((textAt) => wordsOf(textAt(position)).join('')),
    }
  }

  get hasSeats(): boolean {
    return this.#seats !== undefined
  }

  isSeat(position: number): boolean {
    return this.#seats !== undefined && this.#seats.seatOf[this.#seats.parentOf[position] as number] === position
  }

  /** The position of the seat of a parent, if it has one. */
  seatOf(parent: number): number | undefined {
    const seat = this.#seats?.seatOf[parent]
    return seat === undefined || seat === NO_SEAT ? undefined : seat
  }

  /** What a record is called by its fields; of a name with brackets also what is before them, and what is in them. */
  ownNames(position: number): CalledName[] {
    const names: CalledName[] = this.#hasOneName
      ? [{ name: this.#written(this.wordsAt(position)), cost: 0 }]
      : this.#read(this.#names, position).map((name) => ({ name, cost: 0 }))
    for (const textAt of this.#names) names.push(...this.#bracketed(textAt(position)))
    return names
  }

  #bracketed(text: string): CalledName[] {
    if (!BRACKET.test(text)) return []
    const inside = [...text.matchAll(IN_BRACKETS)].flatMap(([, words = '']) => {
      const name = wordsOf(words)
      return name.length === 0 ? [] : [{ name: this.#written(name), cost: IN_BRACKETS_COST, isDoubtful: true }]
    })
    const outside = wordsOf(text.replace(IN_BRACKETS, ' '))
    if (outside.length === 0) return inside
    return [{ name: this.#written(outside), cost: WITHOUT_BRACKETS_COST, how: 'dropped-words' }, ...inside]
  }

  #alsoCalled(position: number): readonly CalledName[] {
    const aliases = this.#aliases.get(position) ?? NO_NAMES
    if (this.#otherNames.length === 0) return aliases
    return [
      ...this.#read(this.#otherNames, position).map((name) => ({ name, cost: 0, how: 'alias' as const })),
      ...aliases,
    ]
  }

  /** A seat goes by the names of its parent. */
  #asSeat(position: number): readonly CalledName[] {
    const parent = this.#seats?.parentOf[position] as number
    const parents = this.#parents()
    return [...parents.ownNames(parent), ...parents.#alsoCalled(parent)].map(({ name, cost, isDoubtful }) => ({
      name,
      cost: cost + AS_SEAT_COST,
      how: 'seat',
      ...(isDoubtful === undefined ? {} : { isDoubtful }),
    }))
  }

  #written(words: readonly string[]): WrittenName {
    return new WrittenName(words, this.#language)
  }

  /** The names of a record that are known. */
  #read(readers: readonly TextReader[], position: number): WrittenName[] {
    return readers.flatMap((textAt) => {
      const words = wordsOf(textAt(position))
      return words.length === 0 ? [] : this.#written(words)
    })
  }

  /** The records at some positions that are called exactly so, and if there is none, those that are called nearly so. */
  match(positions: Uint32Array, part: WrittenPart): PartMatch[] {
    if (part.digits !== undefined) return this.#matchWhere(positions, part, () => true)
    const isPlain = part.written.numbers === '' && !part.isRepaired && part.beside === undefined
    const exact = isPlain ? this.#matchExact(positions, part.written) : []
    if (exact.length > 0) return exact
    const typed = [part.written, ...part.stripped.map(({ name }) => name)].flatMap(({ readings }) => readings)
    const near = this.#matchWhere(positions, part, (name) => typed.some((reading) => mayMatch(reading.heard, name)))
    if (near.length > 0) return near
    return this.#matchWhere(positions, part, (name) => typed.some((reading) => mayHaveMore(reading.heard, name)))
  }

  #matchWhere(positions: Uint32Array, part: WrittenPart, isCandidate: (name: HeardLetters) => boolean): PartMatch[] {
    const matches: PartMatch[] = []
    for (let at = 0; at < positions.length; at++) {
      if ((at & CHECKED_EVERY) === 0) checkpoint()
      const position = positions[at] as number
      // The letters of several names tell nothing of each.
      if (this.#hasOneName && !isCandidate(this.#heardAt(position))) continue
      const match = matchRecord(this.record(position), part)
      if (match !== undefined) matches.push(match)
    }
    return matches
  }

  #matchExact(positions: Uint32Array, written: WrittenName): PartMatch[] {
    const { words } = this.#index
    const typed = written.typed.map((word) => words.words.indexOf(word) ?? -1)
    const matches: PartMatch[] = []
    if (typed.includes(-1) || (!this.#hasOneName && words.nameEnds === undefined)) return matches
    const count = namesPerRecord(words)
    for (let at = 0; at < positions.length; at++) {
      const position = positions[at] as number
      for (let name = 0; name < count; name++) {
        const from = nameStart(words, position, name, count)
        if (!isSameWords(words.names, from, nameEnd(words, position, name, count), typed)) continue
        matches.push({ position, ...EXACT_MATCH })
        break
      }
    }
    return matches
  }

  /** The words of a record, those of all its names. */
  wordsAt(position: number): string[] {
    const { names, nameStarts, words } = this.#index.words
    const list: string[] = []
    for (let place = nameStarts[position] as number; place < (nameStarts[position + 1] as number); place++) {
      const word = names[place] as number
      let text = this.#texts[word]
      if (text === undefined) {
        text = words.text(word)
        this.#texts[word] = text
      }
      list.push(text)
    }
    return list
  }

  /** The letters that are heard in a name; the same object in every call. */
  #heardAt(position: number): HeardLetters {
    this.#heard ??= new Uint32Array(this.#count * HEARD_FIELDS)
    const letters = this.#heard
    const at = position * HEARD_FIELDS
    if (letters[at + 2] === 0) letters.set(this.#hear(position), at)
    const heard = this.#heardInName
    heard.all = letters[at] as number
    heard.core = letters[at + 1] as number
    heard.length = letters[at + 2] as number
    heard.coreLength = letters[at + 3] as number
    return heard
  }

  #hear(position: number): readonly number[] {
    let [all, core, length, coreLength] = [0, 0, 0, 0]
    for (const word of this.wordsAt(position)) {
      const heard = heardIn(word, this.#language)
      all |= heard.all
      core |= heard.core
      length += heard.length
      coreLength += heard.coreLength
    }
    return [all, core, length, coreLength]
  }
}

function isSameWords(names: Uint32Array, from: number, to: number, typed: readonly number[]): boolean {
  if (to - from !== typed.length) return false
  for (let place = 0; place < typed.length; place++) if (names[from + place] !== typed[place]) return false
  return true
}

const namesIn = memoized((release: Release) => {
  const namesOf = memoized((entity: Entity): EntityNames => new EntityNames(release, entity, namesOf))
  return namesOf
})

export const entityNames = (release: Release, entity: Entity): EntityNames => namesIn(release)(entity)
