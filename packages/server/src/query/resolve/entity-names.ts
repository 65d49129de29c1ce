// All that the records of one entity are called, read from its index when it is needed, and compared with a part of a row.
import { checkpoint } from '../../base/checkpoint.ts'
import { memoized } from '../../base/memoized.ts'
import type { Entity, Field } from '../../catalog/entity.ts'
import type { Language } from '../../catalog/languages/language.ts'
import { languageOfNames, namingFields } from '../../catalog/languages/languages.ts'
import { ancestorsOf, descendantsOf } from '../../catalog/lineage.ts'
import { wordsOf } from '../../catalog/words.ts'
import { aliasesOf, aliasWords } from '../../release/aliases.ts'
import type { FlatTexts } from '../../release/index/byte-order.ts'
import type { EntityIndex, IndexColumn } from '../../release/index/index-file.ts'
import type { SortedTexts } from '../../release/index/sorted-texts.ts'
import type { Release } from '../../release/release.ts'
import { importanceOf, MAX_IMPORTANCE } from '../search/importance.ts'
import { NO_SEAT, type Seats, seatsAmong } from '../search/seats.ts'
import { NameFilter } from './name-filter.ts'
import { isSlight, WrittenName } from './name-match.ts'
import { NameSigns, signsOf } from './name-signs.ts'
import {
  type CalledName,
  matchRecord,
  type NamedRecord,
  type PartMatch,
  SHORT_SEAT_COST,
  withoutZeros,
} from './record-match.ts'
import { readingsOf, type WrittenPart } from './written-part.ts'

/** Whether to go on is asked once for so many records and one more. */
const CHECKED_EVERY = 0xff

type TextReader = (position: number) => string

/** From this importance on a record is known beyond its parent. */
const WELL_KNOWN = 0.2 * MAX_IMPORTANCE
/** From this importance on it is a town: one of some three thousand people. */
const TOWN = 0.3 * MAX_IMPORTANCE
/** From this importance on it is a large town: one of some ten thousand people. */
const LARGE_TOWN = 0.4 * MAX_IMPORTANCE
/** From this importance on it is a city: one of some hundred thousand people. */
const CITY = 0.6 * MAX_IMPORTANCE
/** How many records are kept at most. */
const MAX_RECORDS = 5_000

/**
 * The costs of the name of a record without what is in brackets, and of that alone; of a facility without the brackets that say
 * what it is, which is named for a place nearby; and of the name of the parent for its seat.
 */
const WITHOUT_BRACKETS_COST = 0.2
export const FACILITY_COST = 1.2
const IN_BRACKETS_COST = 0.4
const AS_SEAT_COST = 0.12
const OPENING = '(['
const OPENING_OF_KIND = '['
const BRACKET = /[([]/
const IN_BRACKETS = /[([]([^)\]]*)[)\]]?/g
const NO_NAMES: readonly CalledName[] = []

type Bracketed = { readonly outside: readonly string[]; readonly inside: readonly (readonly string[])[] }
const NO_BRACKETS: Bracketed = { outside: [], inside: [] }

/** The words of a name before and after its brackets, and those in them; none where it has no brackets. */
function bracketsOf(text: string): Bracketed {
  if (!BRACKET.test(text)) return NO_BRACKETS
  const inside = [...text.matchAll(IN_BRACKETS)].map(([, words = '']) => wordsOf(words))
  return { outside: wordsOf(text.replace(IN_BRACKETS, ' ')), inside: inside.filter(({ length }) => length > 0) }
}

/** A text without brackets, one whose brackets have not been looked at, one with more than a name and brackets after it, and others. */
const [WITHOUT_BRACKETS, WITH_BRACKETS, OTHER_BRACKETS, FIRST_COUNT] = [0, 1, 2, 3]
const AT_END = /^[^([]*[([][^([]*[)\]]?\s*$/

/** The texts of a column of names, and how many words stand before the brackets of each: many records have the same name. */
type Brackets = {
  readonly values: IndexColumn['values']
  readonly texts: SortedTexts | undefined
  readonly words: Uint8Array
}

function bracketsIn(column: IndexColumn): Brackets {
  const { values } = column
  if (column.kind !== 'text') return { values, texts: undefined, words: new Uint8Array() }
  return { values, texts: column.texts, words: column.texts.flagsOf(OPENING) }
}

/** The number of the name of each record, where those are that have each, the names as they are written, and which have brackets. */
export type DistinctNames = Pick<IndexColumn, 'values' | 'starts' | 'positions'> & {
  readonly texts: FlatTexts | undefined
  readonly hasBrackets: Uint8Array
}

/** Whether one of two names begins with the other. */
const isPartOf = (name: string, other: string): boolean =>
  `${name} `.startsWith(`${other} `) || `${other} `.startsWith(`${name} `)

export class EntityNames {
  readonly #index: EntityIndex
  readonly #count: number
  readonly #language: Language
  /** Whether the words of a record are those of its only name. */
  readonly #hasOneName: boolean
  readonly #nameField: string
  /** How each name, other name and code is read. */
  readonly #names: readonly TextReader[]
  readonly #nameFacts: readonly TextReader[]
  readonly #otherNames: readonly TextReader[]
  readonly #codes: readonly TextReader[]
  readonly #aliases: ReadonlyMap<number, readonly CalledName[]>
  /** Whether records of other entities are below these. */
  readonly hasBelow: boolean
  readonly #seats: Seats | undefined
  readonly #importance: () => Uint8Array
  /** The names of the parents, of which some records are the seats. */
  readonly #parents: () => EntityNames
  #positions: Uint32Array | undefined
  #seatPositions: Uint32Array | undefined
  #brackets: Brackets | undefined
  #others: Uint32Array | undefined
  #severalNames: Uint8Array | undefined
  readonly #signs: NameSigns
  /** Some of the records that have been read. */
  readonly #records = new Map<number, NamedRecord>()
  /** The words of the index that have been read. */
  readonly #texts: string[] = []

  constructor(release: Release, entity: Entity, namesOf: (entity: Entity) => EntityNames) {
    const { name, fields } = entity
    const parent = ancestorsOf(entity)[0]?.entity
    this.#seats = parent === undefined ? undefined : seatsAmong(release, name)
    this.#importance = () => importanceOf(release, name)
    this.#parents = () => namesOf(parent as Entity)
    this.hasBelow = descendantsOf(release.catalog, entity).length > 0
    const { index, count } = release.entity(name)
    const naming = namingFields(entity)
    this.#language = languageOfNames(entity)
    this.#hasOneName = naming.length === 1
    this.#nameField = naming[0]?.field ?? ''
    this.#index = index
    this.#count = count
    this.#signs = new NameSigns(this.#language, count, (at) =>
      this.record(at).names.flatMap((called) => called.name.readings),
    )
    const readers = (names: readonly string[]) =>
      names.flatMap((field) => {
        const column = index.column(field)
        if (column.kind === 'text fact') return [(at: number) => column.known[column.values[at] as number] ?? '']
        return column.kind === 'text' ? [(at: number) => column.texts.text(column.values[at] as number)] : []
      })
    const namesOfKind = (kind: Field['kind']) =>
      readers(naming.flatMap(({ field }) => (fields[field]?.kind === kind ? field : [])))
    this.#names = namesOfKind('name')
    this.#nameFacts = namesOfKind('fact')
    this.#otherNames = namesOfKind('value')
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

  /** All positions, for an entity that has few records. */
  get positions(): Uint32Array {
    this.#positions ??= Uint32Array.from({ length: this.#count }, (_, at) => at)
    return this.#positions
  }

  record(position: number): NamedRecord {
    const known = this.#records.get(position)
    if (known !== undefined) return known
    if (this.#records.size >= MAX_RECORDS) this.#records.clear()
    const record = this.#readRecord(position)
    this.#records.set(position, record)
    return record
  }

  #readRecord(position: number): NamedRecord {
    const isSeat = this.isSeat(position)
    const asSeat = isSeat ? this.#asSeat(position) : NO_NAMES
    const parent = asSeat[0]?.name
    const withParent = (names: readonly CalledName[], isOfParent: (name: WrittenName) => boolean) =>
      parent === undefined ? names : names.map((one) => (isOfParent(one.name) ? { ...one, isOfParent: true } : one))
    const own = withParent(this.ownNames(position), ({ text }) => isPartOf(text, parent?.text ?? ''))
    const others = withParent(this.#alsoCalled(position), ({ typed }) => typed.includes(parent?.typed[0] ?? ''))
    const names = others.length + asSeat.length === 0 ? own : [...own, ...others, ...asSeat]
    return new ReadRecord(this, position, names, isSeat)
  }

  codesAt(position: number): readonly string[] {
    return this.#codes.map((textAt) => wordsOf(textAt(position)).join(''))
  }

  get #bracketsOfNames(): Brackets {
    this.#brackets ??= bracketsIn(this.#index.column(this.#nameField))
    return this.#brackets
  }

  /** Whether the name of a record has brackets, where it has one name. */
  #hasBrackets(position: number): boolean {
    const { values, words } = this.#bracketsOfNames
    return words[values[position] as number] !== WITHOUT_BRACKETS
  }

  /** How many words stand before the brackets of a name that ends with them; undefined of any other. */
  #wordsBeforeBrackets(position: number): number | undefined {
    const { values, texts, words } = this.#brackets as Brackets
    const value = values[position] as number
    if (words[value] === WITH_BRACKETS) {
      const text = texts?.text(value) ?? ''
      words[value] = AT_END.test(text)
        ? FIRST_COUNT + wordsOf(text.slice(0, text.search(BRACKET))).length
        : OTHER_BRACKETS
    }
    const known = words[value] as number
    return known < FIRST_COUNT ? undefined : known - FIRST_COUNT
  }

  /** The distinct names of the records, where each has one. */
  get distinctNames(): DistinctNames | undefined {
    if (!this.#hasOneName) return undefined
    const { values, starts, positions } = this.#index.column(this.#nameField)
    const { texts, words } = this.#bracketsOfNames
    return { values, starts, positions, texts: texts?.flat, hasBrackets: words }
  }

  /** How many there are. */
  get distinctCount(): number {
    return this.#hasOneName ? this.#index.column(this.#nameField).starts.length - 1 : 0
  }

  /** The positions of the records that are called otherwise than by their only name and what is in its brackets, ascending. */
  get positionsOfOthers(): Uint32Array {
    this.#others ??= this.#hasOneName
      ? Uint32Array.from(new Set([...this.#aliases.keys(), ...this.seats])).sort()
      : this.positions
    return this.#others
  }

  /** The positions of the seats, ascending. */
  get seats(): Uint32Array {
    this.#seatPositions ??= Uint32Array.from(this.#seats?.seatOf.filter((seat) => seat !== NO_SEAT) ?? []).sort()
    return this.#seatPositions
  }

  get hasSeats(): boolean {
    return this.#seats !== undefined
  }

  isSeat(position: number): boolean {
    return this.#seats !== undefined && this.#seats.seatOf[this.#seats.parentOf[position] as number] === position
  }

  /** Whether a record is known beyond its parent: a seat, or one of some thousand people; all where there are no seats. */
  isWellKnown(position: number): boolean {
    return !this.hasSeats || this.isSeat(position) || (this.#importance()[position] as number) >= WELL_KNOWN
  }

  isCity(position: number): boolean {
    return (this.#importance()[position] as number) >= CITY
  }

  isTown(position: number): boolean {
    return (this.#importance()[position] as number) >= TOWN
  }

  isLargeTown(position: number): boolean {
    return (this.#importance()[position] as number) >= LARGE_TOWN
  }

  /** The position of the seat of a parent, if it has one. */
  seatOf(parent: number): number | undefined {
    const seat = this.#seats?.seatOf[parent]
    return seat === undefined || seat === NO_SEAT ? undefined : seat
  }

  /** The names of a record as they are written. */
  texts(position: number): string[] {
    return this.#names.map((textAt) => textAt(position))
  }

  /** People also join the names of a seat and its parent, as in "Calera de Víctor Rosales". */
  #joinedWithParent(position: number, parent: readonly string[]): string[][] {
    const own = this.wordsAt(position)
    return this.#hasOneName && !parent.some((word) => own.includes(word)) ? [[...parent, ...own]] : []
  }

  /** What a record is called by its fields; of a name with brackets also what is before them, and what is in them. */
  ownNames(position: number): CalledName[] {
    const names: CalledName[] = this.#hasOneName
      ? [{ name: this.#written(this.wordsAt(position)), cost: 0 }]
      : this.#read(this.#names, position).map((name) => ({ name, cost: 0 }))
    if (this.#hasOneName && !this.#hasBrackets(position)) return names
    const isDoubtful = !this.isWellKnown(position)
    for (const textAt of this.#names) names.push(...this.#bracketed(textAt(position), isDoubtful))
    return names
  }

  /** Of a small place, what is in brackets tells it from others of its name. */
  #bracketed(text: string, isDoubtful: boolean): CalledName[] {
    const { outside, inside } = bracketsOf(text)
    const alone = inside.map((words) => ({ name: this.#written(words), cost: IN_BRACKETS_COST, isDoubtful }))
    if (outside.length === 0) return alone
    const isPlace = !text.includes(OPENING_OF_KIND) || inside.flat().every((word) => this.#language.isNoise(word))
    const cost = isDoubtful && !isPlace ? FACILITY_COST : WITHOUT_BRACKETS_COST
    return [{ name: this.#written(outside), cost, how: 'dropped-words', isDoubtful }, ...alone]
  }

  #alsoCalled(position: number): readonly CalledName[] {
    const aliases = this.#aliases.get(position) ?? NO_NAMES
    if (this.#otherNames.length + this.#nameFacts.length === 0) return aliases
    return [
      ...this.#read(this.#nameFacts, position).map((name) => ({ name, cost: 0 })),
      ...this.#read(this.#otherNames, position).map((name) => ({ name, cost: 0, how: 'alias' as const })),
      ...aliases,
    ]
  }

  /** A seat goes by the names of its parent. */
  #asSeat(position: number): readonly CalledName[] {
    const parent = this.#seats?.parentOf[position] as number
    const parents = this.#parents()
    const asSeat: CalledName[] = [...parents.ownNames(parent), ...parents.#alsoCalled(parent)].map(
      ({ name, cost, isDoubtful = false }) => ({
        name,
        cost: cost + AS_SEAT_COST,
        how: 'seat',
        isDoubtful,
        isOfParent: true,
      }),
    )
    const joined = this.#joinedWithParent(position, asSeat[0]?.name.typed ?? [])
    asSeat.push(...asSeat.flatMap((called) => this.#shortOf(called)))
    for (const words of joined)
      asSeat.push({ name: this.#written(words), cost: AS_SEAT_COST, how: 'seat', isOfParent: true })
    return asSeat
  }

  /** What is before a genitive, which a seat goes by too: "Ecatepec" for "Ecatepec de Morelos". */
  #shortOf(called: CalledName): CalledName[] {
    const { typed, language } = called.name
    const end = typed.findIndex((word, at) => at > 0 && language.isGenitive(word))
    const isName = end > 0 && !typed.slice(0, end).every((word) => isSlight(language, word))
    return isName ? [{ ...called, name: this.#written(typed.slice(0, end)), cost: called.cost + SHORT_SEAT_COST }] : []
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

  /** The records at some positions that are called nearly so, and if there is none, those of which some words are written. */
  match(positions: Uint32Array, part: WrittenPart): PartMatch[] {
    if (positions.length === 0) return []
    const { digits, code } = part
    if (digits !== undefined) {
      const short = withoutZeros(digits)
      const hasDigits = (position: number) => this.codesAt(position).some((code) => withoutZeros(code) === short)
      return this.matchAt(positions.filter(hasDigits), part)
    }
    const readings = readingsOf(part)
    const filter = new NameFilter(this.#index.words, readings, part.written.typedJoined)
    let signs: ReturnType<typeof signsOf> | undefined
    const hasSigns = (position: number) => {
      signs ??= signsOf([...readings, ...(part.withoutSaint?.readings ?? [])], this.#language)
      return this.#signs.mayMatch(position, signs)
    }
    const hasCode = (position: number) => code !== undefined && this.codesAt(position).includes(code)
    const mayMatch = (position: number) => {
      if (!this.#hasBrackets(position)) return filter.mayMatch(position)
      const words = this.#wordsBeforeBrackets(position)
      return words === undefined || filter.mayMatch(position, words)
    }
    const compare = this.#comparer(part)
    const matches: PartMatch[] = []
    const within: number[] = []
    let isPlainNear = false
    for (let at = 0; at < positions.length; at++) {
      if ((at & CHECKED_EVERY) === 0) checkpoint()
      const position = positions[at] as number
      const isPlain = this.#hasSeveralNames[position] === 0
      const nearness = isPlain ? filter.nearness(position) : 'far'
      const isCandidate =
        (isPlain ? nearness === 'near' && mayMatch(position) : hasSigns(position)) || hasCode(position)
      const match = isCandidate ? compare(position) : undefined
      if (match !== undefined) {
        matches.push(match)
        isPlainNear ||= isPlain
      } else if (nearness === 'within') within.push(position)
    }
    if (isPlainNear) return matches
    return [...matches, ...this.matchAt(within.filter(mayMatch), part)]
  }

  /** How a part matches the records at some positions, as far as it does. */
  matchAt(positions: Iterable<number>, part: WrittenPart): PartMatch[] {
    const compare = this.#comparer(part)
    const matches: PartMatch[] = []
    for (const position of positions) {
      const match = compare(position)
      if (match !== undefined) matches.push(match)
    }
    return matches
  }

  /** How a part matches the record at a position; what only its name tells is reported once for all that have the name. */
  #comparer(part: WrittenPart): (position: number) => PartMatch | undefined {
    const isByName = this.#hasOneName && part.code === undefined && part.beside === undefined
    const byName = new Map<number, PartMatch | undefined>()
    return (position) => {
      if (!isByName || this.#hasSeveralNames[position] === 1 || this.#hasBrackets(position))
        return matchRecord(this.record(position), part)
      const name = (this.#brackets as Brackets).values[position] as number
      const known = byName.get(name)
      if (known !== undefined) return known.position === position ? known : { ...known, position }
      if (byName.has(name)) return undefined
      const match = matchRecord(this.record(position), part)
      // What is short for a name is enough for some of the records that have it.
      if (match?.isShort !== true) byName.set(name, match)
      return match
    }
  }

  /** Which records are called by several names, whose words and letters together tell nothing of each. */
  get #hasSeveralNames(): Uint8Array {
    if (this.#severalNames === undefined) {
      this.#severalNames = new Uint8Array(this.#count)
      for (const position of this.positionsOfOthers) this.#severalNames[position] = 1
    }
    return this.#severalNames
  }

  /** The letters of all words of a record, as a mask. */
  lettersAt(position: number): number {
    const { names, nameStarts, masks } = this.#index.words
    let letters = 0
    for (let place = nameStarts[position] as number; place < (nameStarts[position + 1] as number); place++)
      letters |= masks[names[place] as number] as number
    return letters
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
}

/** A record with all that it is called; many are kept, so that each is small. */
class ReadRecord implements NamedRecord {
  readonly #entity: EntityNames
  readonly position: number
  readonly names: readonly CalledName[]
  readonly isSeat: boolean
  #codes: readonly string[] | undefined

  constructor(entity: EntityNames, position: number, names: readonly CalledName[], isSeat: boolean) {
    this.#entity = entity
    this.position = position
    this.names = names
    this.isSeat = isSeat
  }

  get isCity(): boolean {
    return this.#entity.isCity(this.position)
  }

  get isTown(): boolean {
    return this.#entity.isTown(this.position)
  }

  get hasBelow(): boolean {
    return this.#entity.hasBelow
  }

  get codes(): readonly string[] {
    this.#codes ??= this.#entity.codesAt(this.position)
    return this.#codes
  }

  withoutNamesOfParent(): NamedRecord {
    if (!this.isSeat) return this
    const names = this.names.filter(({ how }) => how !== 'seat')
    return new ReadRecord(this.#entity, this.position, names, this.isSeat)
  }
}

const namesIn = memoized((release: Release) => {
  const namesOf = memoized((entity: Entity): EntityNames => new EntityNames(release, entity, namesOf))
  return namesOf
})

export const entityNames = (release: Release, entity: Entity): EntityNames => namesIn(release)(entity)
