// Resolves rows of other people's tables to records: which record a row means, and how sure that is.
//
// A row is free text, or parts: a name, an abbreviation, an alias or a code for each of some entities, as {estado, municipio,
// localidad}. The parts are resolved together. What the parts of the ancestors may mean is looked up first; the record itself is
// then looked for below all of these, and the cost of a candidate is the sum over all parts (name-match.ts). So a locality that
// fits decides between two municipalities. Free text is taken apart at its commas and resolved as parts, in every way in which
// the segments can be levels; without commas the search proposes candidates, and the words are aligned with their names.
//
// The verdict depends on the cost of the best candidate and on how far behind the next one is:
//   exact      every part is written as it is in the catalog, but for accents and case, or is a code
//   sure       something is abbreviated, misspelt or missing, and nothing else in the catalog is nearly as near
//   likely     the best candidate fits, but too much had to be assumed
//   ambiguous  several records fit equally well
//   none       nothing fits

import { LruCache } from '../../base/lru-cache.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Entity } from '../../catalog/entity.ts'
import { ancestorsOf } from '../../catalog/lineage.ts'
import { isLinking, isNoise, longFormsOf } from '../../catalog/spanish.ts'
import { folded, wordsOf } from '../../catalog/words.ts'
import { aliasesOf, aliasWords } from '../../release/aliases.ts'
import type { EntityIndex } from '../../release/index/index-file.ts'
import type { Postings } from '../../release/index/postings.ts'
import type { Release } from '../../release/release.ts'
import { type AncestorLevel, ancestorLevels } from '../search/ancestor-match.ts'
import { positionsWithCode, typedCode } from '../search/codes.ts'
import { importanceOf } from '../search/importance.ts'
import {
  type HeardLetters,
  heardIn,
  matchName,
  mayHaveMore,
  mayMatch,
  type NameMatch,
  WrittenName,
} from '../search/name-match.ts'
import { rank } from '../search/rank.ts'
import { ancestorAt } from '../search/score.ts'
import { type How, searchOwnNames } from '../search/search.ts'

export const VERDICTS = ['exact', 'sure', 'likely', 'ambiguous', 'none'] as const
export type Verdict = (typeof VERDICTS)[number]

/** Free text, or what stands in each part, by the name of its entity. */
export type RowToResolve = { readonly text: string } | { readonly parts: ReadonlyMap<string, string> }

export type Candidate = {
  /** Of its entity. */
  readonly name: string
  readonly position: number
  /** From 0 to 1: 1 where everything is as it is written in the catalog. */
  readonly score: number
  readonly how: readonly How[]
}

export type Resolution = {
  readonly verdict: Verdict
  /** The best candidate; undefined if the verdict is `none`. */
  readonly record: Candidate | undefined
  /** The next best. */
  readonly alternatives: readonly Candidate[]
}

const MAX_ALTERNATIVES = 5
/** Of a part or a text only so much is read. */
export const MAX_ROW_CHARACTERS = 300

type ResolveOptions = {
  /** The entities that free text may mean; all by default. */
  readonly names?: readonly string[]
}

export function resolveRow(release: Release, row: RowToResolve, { names }: ResolveOptions = {}): Resolution {
  return 'text' in row
    ? resolveText(release, row.text.slice(0, MAX_ROW_CHARACTERS), names ?? [...release.catalog.entities.keys()])
    : verdictOf(release, candidatesByParts(release, writtenParts(release, row.parts)))
}

const partNamesByCatalog = new WeakMap<Catalog, ReadonlyMap<string, string>>()

/** By which names people may call a part, folded: those of the entity, of its collection, of its name and of its codes. */
export function partNames(catalog: Catalog): ReadonlyMap<string, string> {
  const known = partNamesByCatalog.get(catalog)
  if (known !== undefined) return known
  const names = new Map<string, string>()
  const shared = new Set<string>()
  for (const { name, fields } of catalog.entities.values())
    for (const [field, { kind }] of Object.entries(fields)) {
      if (kind !== 'name' && kind !== 'code') continue
      const key = folded(field)
      if (names.has(key)) shared.add(key)
      names.set(key, name)
    }
  for (const key of shared) names.delete(key)
  for (const { name, plural } of catalog.entities.values())
    for (const key of [name, plural, plural.replace(/-.*/, '')]) names.set(folded(key), name)
  partNamesByCatalog.set(catalog, names)
  return names
}

// What a part may mean.

/** A record with all that it is called. */
type NamedRecord = {
  readonly position: number
  readonly names: readonly WrittenName[]
  /** Aliases after the names, and from where on. */
  readonly aliases: number
  /** Folded; read only when something may be a code. */
  readonly codes: () => readonly string[]
}

/** A record that a part may mean. */
type PartMatch = NameMatch & { readonly position: number }

/** A record that a whole row may mean. */
type Match = {
  readonly name: string
  readonly position: number
  readonly cost: number
  /** The cost of its own part alone. */
  readonly ownCost: number
  /** How many letters its own part has, in words that say something. */
  readonly letters: number
  readonly how: readonly How[]
  /** What is added to the cost for ancestors that were not named. */
  readonly skipped: number
  /** Whether its own name begins with what was written, and goes on. */
  readonly isPrefix: boolean
  /** Whether its own name is written whole, but for abbreviations and spaces. */
  readonly isWhole: boolean
}

/** Of an entity with so many records at most, all are compared. */
const MAX_COMPARED = 6_000
/** Worse matches are none. */
const MAX_COST = 3.4
/** Of an ancestor that is not what its part says. */
const MISMATCH_COST = 2.5
/** So many records are kept in mind that the part of an ancestor may mean, and that the whole row may mean. */
const MAX_PARENTS = 8
const MAX_MATCHES = 12
/** Those that cost so much more than the best of them are left out. */
const MAX_BEHIND = 1.6
/** From this cost on, a match below the ancestors is so poor that others are looked for. */
const POOR_COST = 2.2

type WrittenPart = {
  readonly entity: Entity
  readonly written: WrittenName
  /** The same without the words before it that say what it is, as in "municipio de Jalpa". */
  readonly stripped: readonly { readonly name: WrittenName; readonly cost: number }[]
  /** What may be a code: digits, or the letters of an abbreviation. */
  readonly code: string | undefined
  readonly digits: string | undefined
}

/** From the most distant ancestor to the record itself; empty parts are left out. */
function writtenParts(release: Release, parts: ReadonlyMap<string, string>): WrittenPart[] {
  return [...parts]
    .map(([name, text]) => writtenPart(release.entity(name).definition, text.slice(0, MAX_ROW_CHARACTERS)))
    .filter(({ written }) => written.words.length > 0)
    .sort((a, b) => ancestorsOf(a.entity).length - ancestorsOf(b.entity).length)
}

function writtenPart(entity: Entity, text: string): WrittenPart {
  const written = new WrittenName(wordsOf(text))
  const digits = typedCode(written.words)
  const joined = written.words.join('')
  return {
    entity,
    written,
    stripped: withoutNoise(written.words, entity.name),
    digits,
    code: digits ?? (isCodeLike(entity, joined) ? joined : undefined),
  }
}

/** Whether it has the form of a code of the entity, in whatever case. */
const isCodeLike = ({ fields }: Entity, joined: string): boolean =>
  Object.values(fields).some(
    (field) => field.kind === 'code' && [joined, joined.toUpperCase()].some((text) => field.pattern.test(text)),
  )

const MAX_STRIPPED = 2

/** Of a word that says of which entity the record is, and of another such as "rancho", which may be part of the name. */
const ENTITY_NOISE_COST = 0.2
const OTHER_NOISE_COST = 0.6

/** Without the first word that says what a record is, without the first two, and so on. */
function withoutNoise(words: readonly string[], entity: string): WrittenPart['stripped'] {
  const ways: { readonly name: WrittenName; readonly cost: number }[] = []
  let [rest, cost] = [words, 0]
  while (ways.length < MAX_STRIPPED && isNoise(rest[0] ?? '')) {
    const first = rest[0] as string
    cost += first === entity || longFormsOf(first).includes(entity) ? ENTITY_NOISE_COST : OTHER_NOISE_COST
    rest = rest.slice(rest[1] === 'de' || rest[1] === 'del' ? 2 : 1)
    if (rest.length === 0) break
    ways.push({ name: new WrittenName(rest), cost })
  }
  return ways
}

/** The names of the records of one entity, read when they are needed. */
class EntityNames {
  readonly #index: EntityIndex
  readonly #count: number
  /** How each name and code is read. */
  readonly #names: readonly TextReader[]
  readonly #codes: readonly TextReader[]
  readonly #aliases: ReadonlyMap<number, readonly WrittenName[]>
  #all: readonly NamedRecord[] | undefined
  /** The words of the index that are known. */
  readonly #texts: string[] = []
  /** Which letters are heard in the name of each record, where that is known: its length is then not 0. */
  #heard: Uint32Array | undefined
  readonly #heardInName = { all: 0, core: 0, length: 0, coreLength: 0 }

  constructor(release: Release, name: string) {
    const { definition, index, count } = release.entity(name)
    this.#index = index
    this.#count = count
    const readers = (kind: 'name' | 'code') =>
      Object.entries(definition.fields).flatMap(([field, own]) => {
        const column = own.kind === kind ? index.column(field) : undefined
        return column?.kind === 'text' ? [(at: number) => column.texts.text(column.values[at] as number)] : []
      })
    this.#names = readers('name')
    this.#codes = readers('code')
    const aliases = aliasesOf(release, name)
    const byRecord = Map.groupBy(aliases?.aliases.entries() ?? [], ([at]) => aliases?.positions[at] as number)
    this.#aliases = new Map(
      [...byRecord].map(([at, own]) => [at, own.map(([, { alias }]) => new WrittenName(aliasWords(alias)))] as const),
    )
  }

  /** All records of a small entity. */
  get all(): readonly NamedRecord[] {
    this.#all ??= Array.from({ length: this.#count }, (_, at) => this.record(at))
    return this.#all
  }

  record(position: number): NamedRecord {
    const names =
      this.#names.length === 1
        ? [new WrittenName(this.#wordsAt(position))]
        : this.#names.map((textAt) => new WrittenName(wordsOf(textAt(position))))
    const aliases = this.#aliases.get(position)
    return {
      position,
      names: aliases === undefined ? names : [...names, ...aliases],
      aliases: names.length,
      codes: () => this.#codes.map((textAt) => wordsOf(textAt(position)).join('')),
    }
  }

  /** The records at some positions that are called exactly so, and if there is none, those that are called nearly so. */
  match(positions: Uint32Array, part: WrittenPart): PartMatch[] {
    const found = part.digits === undefined ? this.#exact(positions, part.written) : []
    if (found.length > 0) return found
    if (part.digits !== undefined) return this.#matchWhere(positions, part, () => true)
    const typed = [part.written, ...part.stripped.map(({ name }) => name)].flatMap(({ readings }) => readings)
    const near = this.#matchWhere(positions, part, (name) => typed.some((reading) => mayMatch(reading.heard, name)))
    if (near.length > 0) return near
    return this.#matchWhere(positions, part, (name) => typed.some((reading) => mayHaveMore(reading.heard, name)))
  }

  #matchWhere(positions: Uint32Array, part: WrittenPart, isCandidate: (name: HeardLetters) => boolean): PartMatch[] {
    const found: PartMatch[] = []
    for (let at = 0; at < positions.length; at++) {
      const position = positions[at] as number
      if (!isCandidate(this.#heardAt(position))) continue
      const match = matchRecord(this.record(position), part)
      if (match !== undefined) found.push(match)
    }
    return found
  }

  #exact(positions: Uint32Array, { words }: WrittenName): PartMatch[] {
    const { names, nameStarts, words: known } = this.#index.words
    const typed = words.map((word) => known.indexOf(word) ?? -1)
    const found: PartMatch[] = []
    if (typed.includes(-1) || this.#names.length > 1) return found
    next: for (let at = 0; at < positions.length; at++) {
      const position = positions[at] as number
      const from = nameStarts[position] as number
      if ((nameStarts[position + 1] as number) - from !== typed.length) continue
      for (let place = 0; place < typed.length; place++) if (names[from + place] !== typed[place]) continue next
      found.push({ position, cost: 0, how: 'exact', isWhole: true, isPrefix: false })
    }
    return found
  }

  #wordsAt(position: number): string[] {
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

  /** The same object in every call. */
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
    for (const word of this.#wordsAt(position)) {
      const heard = heardIn(word)
      all |= heard.all
      core |= heard.core
      length += heard.length
      coreLength += heard.coreLength
    }
    return [all, core, length, coreLength]
  }
}

/** What is known of the letters of a name takes so many numbers. */
const HEARD_FIELDS = 4

type TextReader = (position: number) => string

class ReleaseNames {
  readonly #release: Release
  readonly #entities = new Map<string, EntityNames>()
  readonly matches = new LruCache<readonly PartMatch[]>({ maxEntries: 4_096 })
  readonly parents = new LruCache<readonly Parent[]>({ maxEntries: 4_096 })

  constructor(release: Release) {
    this.#release = release
  }

  of(name: string): EntityNames {
    let names = this.#entities.get(name)
    if (names === undefined) {
      names = new EntityNames(this.#release, name)
      this.#entities.set(name, names)
    }
    return names
  }
}

const namesByRelease = new WeakMap<Release, ReleaseNames>()

function namesOf(release: Release): ReleaseNames {
  const names = namesByRelease.get(release) ?? new ReleaseNames(release)
  namesByRelease.set(release, names)
  return names
}

const LEADING_ZEROS = /^0+(?=.)/
const WITHOUT_ZEROS_COST = 0.05

const BY_CODE = { how: 'code', isWhole: true, isPrefix: false } as const

function matchRecord({ position, names, aliases, codes }: NamedRecord, part: WrittenPart): PartMatch | undefined {
  let best: NameMatch | undefined
  for (let at = 0; at < names.length; at++) {
    const match = matchAny(part, names[at] as WrittenName)
    if (match === undefined || (best !== undefined && match.cost >= best.cost)) continue
    best = at < aliases ? match : { ...match, how: 'alias' }
  }
  if (best?.cost !== 0 && part.code !== undefined) {
    const cost = codeCost(codes(), part.code, part.digits)
    if (cost !== undefined && (best === undefined || cost < best.cost)) best = { cost, ...BY_CODE }
  }
  return best === undefined || best.cost > MAX_COST ? undefined : { position, ...best }
}

function matchAny({ written, stripped }: WrittenPart, name: WrittenName): NameMatch | undefined {
  let best = matchName(written, name)
  for (const { name: rest, cost } of stripped) {
    const match = matchName(rest, name)
    if (match === undefined || (best !== undefined && match.cost + cost >= best.cost)) continue
    best = { ...match, cost: match.cost + cost, how: match.how === 'exact' ? 'dropped-words' : match.how }
  }
  return best
}

function codeCost(codes: readonly string[], code: string, digits: string | undefined): number | undefined {
  if (codes.includes(code)) return 0
  if (digits === undefined) return undefined
  const short = digits.replace(LEADING_ZEROS, '')
  return codes.some((own) => own.replace(LEADING_ZEROS, '') === short) ? WITHOUT_ZEROS_COST : undefined
}

const matchRecords = (records: readonly NamedRecord[], part: WrittenPart): PartMatch[] => {
  const found: PartMatch[] = []
  for (const record of records) {
    const match = matchRecord(record, part)
    if (match !== undefined) found.push(match)
  }
  return found
}

/** The records of its entity that a part may mean by itself. */
function matchesAnywhere(release: Release, part: WrittenPart): readonly PartMatch[] {
  const { name } = part.entity
  const names = namesOf(release)
  return names.matches.get(`${name} ${part.written.text}`, () => {
    const coded = withWholeCode(release, part)
    const found =
      release.entity(name).count <= MAX_COMPARED
        ? matchRecords(names.of(name).all, part)
        : matchesBySearch(release, part, undefined)
    return [...coded, ...found.filter(({ position }) => !coded.some((other) => other.position === position))]
      .sort((a, b) => a.cost - b.cost)
      .slice(0, MAX_ANYWHERE)
  })
}

const MAX_ANYWHERE = 200

/** The records whose code, with those of their ancestors before it, is this part; a spreadsheet may have lost its first zero. */
function withWholeCode(release: Release, { entity, digits: code }: WrittenPart): PartMatch[] {
  if (code === undefined) return []
  const whole = positionsWithCode(release, entity, code)
  const found = whole.length > 0 ? whole : positionsWithCode(release, entity, `0${code}`)
  const cost = whole.length > 0 ? 0 : WITHOUT_ZEROS_COST
  return found.map((position) => ({ position, cost, ...BY_CODE }))
}

function matchesBySearch(release: Release, part: WrittenPart, among: Uint32Array | undefined): PartMatch[] {
  const { entity, written } = part
  const found = searchOwnNames(release, entity.name, written.words, MAX_MATCHES, among)
  const names = namesOf(release).of(entity.name)
  return matchRecords(
    found.map(({ position }) => names.record(position)),
    part,
  )
}

// What all parts of a row may mean together.

/** A record that the parts of the ancestors may mean, with the cost of all of them. */
type Parent = { readonly position: number; readonly cost: number; readonly how: readonly How[] }

const byCost = (a: { readonly cost: number }, b: { readonly cost: number }) => a.cost - b.cost

/** The records of the last of these parts that they may mean together, the best first. */
function parentsFor(release: Release, parts: readonly WrittenPart[]): readonly Parent[] {
  const key = parts.map(({ entity, written }) => `${entity.name}=${written.text}`).join('|')
  return namesOf(release).parents.get(key, () => {
    const nearest = parts.at(-1) as WrittenPart
    const above = parts.slice(0, -1)
    let found = parentsBelow(release, nearest, above)
    if (!found.some(({ cost }) => cost <= POOR_COST)) {
      const costs = ancestorCosts(release, nearest.entity, above)
      const others = matchesAnywhere(release, nearest).map((match) => withAncestors(match, costs))
      found = [...found, ...others.filter(({ position }) => !found.some((one) => one.position === position))]
    }
    found.sort(byCost)
    const limit = (found[0]?.cost ?? 0) + MAX_BEHIND
    return found.slice(0, MAX_PARENTS).filter(({ cost }) => cost <= limit)
  })
}

/** The records of a part below what the parts before it may mean, where they are not too many to compare. */
function parentsBelow(release: Release, part: WrittenPart, above: readonly WrittenPart[]): Parent[] {
  const levels = ancestorLevels(release, part.entity)
  const level = levels.find(({ entity }) => entity === above.at(-1)?.entity.name)
  const children = level?.children
  if (level === undefined || children === undefined) return []
  const parents = parentsFor(release, above)
  if (countBelow(level, parents) > MAX_COMPARED) return []
  const names = namesOf(release).of(part.entity.name)
  return parents.flatMap((parent) =>
    names.match(childrenOf(children, parent), part).map(({ position, cost, how }) => ({
      position,
      cost: cost + parent.cost,
      how: [...new Set([how, ...parent.how])],
    })),
  )
}

type AncestorCosts = readonly {
  readonly level: AncestorLevel
  readonly matches: ReadonlyMap<number, NameMatch>
}[]

/** What each ancestor of a record costs, by what its part may mean. */
function ancestorCosts(release: Release, entity: Entity, parts: readonly WrittenPart[]): AncestorCosts {
  const levels = ancestorLevels(release, entity)
  return parts.flatMap((part) => {
    const level = levels.find((one) => one.entity === part.entity.name)
    if (level === undefined) return []
    return [{ level, matches: new Map(matchesAnywhere(release, part).map((match) => [match.position, match])) }]
  })
}

function withAncestors({ position, cost, how }: PartMatch, costs: AncestorCosts): Parent {
  let sum = cost
  const ways = new Set<How>([how])
  for (const { level, matches } of costs) {
    const match = matches.get(ancestorAt(level, position))
    sum += match?.cost ?? MISMATCH_COST
    ways.add(match?.how ?? 'dropped-words')
  }
  return { position, cost: sum, how: [...ways] }
}

const lettersIn = (words: readonly string[]): number =>
  words.reduce((sum, word) => sum + (isNoise(word) || isLinking(word) ? 0 : word.length), 0)

function candidatesByParts(release: Release, parts: readonly WrittenPart[]): Match[] {
  const own = parts.at(-1)
  if (own === undefined) return []
  const { name } = own.entity
  const letters = lettersIn(own.written.words)
  const levels = ancestorLevels(release, own.entity)
  const above = parts.slice(0, -1).filter(({ entity }) => levels.some((level) => level.entity === entity.name))
  const toMatch = (match: PartMatch, { cost, how }: Omit<Parent, 'position'>): Match => ({
    name,
    position: match.position,
    cost,
    ownCost: match.cost,
    letters,
    how,
    skipped: 0,
    isPrefix: match.isPrefix,
    isWhole: match.isWhole,
  })
  if (above.length === 0)
    return best(
      release,
      matchesAnywhere(release, own).map((match) => toMatch(match, { cost: match.cost, how: [match.how] })),
    )
  const level = levels.find(({ entity }) => entity === above.at(-1)?.entity.name) as AncestorLevel
  const parents = parentsFor(release, above)
  const size = countBelow(level, parents)
  const found: Match[] = []
  if (level.children !== undefined && size <= MAX_COMPARED) {
    const names = namesOf(release).of(name)
    for (const parent of parents)
      for (const match of names.match(childrenOf(level.children, parent), own))
        found.push(toMatch(match, { cost: match.cost + parent.cost, how: [...new Set([match.how, ...parent.how])] }))
  } else {
    const costs = ancestorCosts(release, own.entity, above)
    for (const match of matchesBySearch(release, own, recordsBelow(level, parents)))
      found.push(toMatch(match, withAncestors(match, costs)))
  }
  const least = found.reduce((cost, match) => Math.min(cost, match.cost), Number.POSITIVE_INFINITY)
  if (least > POOR_COST) {
    const costs = ancestorCosts(release, own.entity, above)
    const known = new Set(found.map(({ position }) => position))
    for (const match of matchesElsewhere(release, own, above, levels))
      if (!known.has(match.position)) found.push(toMatch(match, withAncestors(match, costs)))
  }
  return best(release, found)
}

/** Where nothing fits below the parts of the ancestors: below all but the nearest of them, or anywhere. */
function matchesElsewhere(
  release: Release,
  own: WrittenPart,
  above: readonly WrittenPart[],
  levels: readonly AncestorLevel[],
): readonly PartMatch[] {
  const coded = withWholeCode(release, own)
  const further = above.slice(0, -1)
  const level = levels.find(({ entity }) => entity === further.at(-1)?.entity.name)
  if (coded.length > 0 || level?.children === undefined) return [...coded, ...matchesAnywhere(release, own)]
  const parents = parentsFor(release, further)
  return matchesBySearch(release, own, recordsBelow(level, parents.slice(0, 1)))
}

const childrenOf = ({ starts, positions }: Postings, { position }: Parent): Uint32Array =>
  positions.subarray(starts[position], starts[position + 1])

const countBelow = ({ children }: AncestorLevel, parents: readonly Parent[]): number =>
  children === undefined
    ? Number.POSITIVE_INFINITY
    : parents.reduce((sum, parent) => sum + childrenOf(children, parent).length, 0)

/** The positions below some records, ascending; undefined where they are not listed. */
function recordsBelow({ children }: AncestorLevel, parents: readonly Parent[]): Uint32Array | undefined {
  if (children === undefined || parents.length === 0) return undefined
  const lists = parents.map((parent) => childrenOf(children, parent))
  const below = new Uint32Array(lists.reduce((sum, { length }) => sum + length, 0))
  let used = 0
  for (const list of lists) {
    below.set(list, used)
    used += list.length
  }
  return below.sort()
}

/** The best of them, each record once; of those that cost the same, the most important first. */
function best(release: Release, matches: readonly Match[]): Match[] {
  const byRecord = new Map<string, Match>()
  for (const match of matches) {
    const key = `${match.name} ${match.position}`
    const known = byRecord.get(key)
    if (known === undefined || match.cost < known.cost) byRecord.set(key, match)
  }
  const importance = ({ name, position }: Match) => importanceOf(release, name)[position] as number
  return [...byRecord.values()].sort((a, b) => a.cost - b.cost || importance(b) - importance(a)).slice(0, MAX_MATCHES)
}

// Free text.

const SEGMENT = /[,;|\n\t]| [-–/] /
/** So many segments are tried as levels. */
const MAX_SEGMENTS = 5
/** For each ancestor between those that were named, or before them, except the most distant: "Monterrey, Nuevo León". */
const SKIP_COST = 0.3

function resolveText(release: Release, text: string, names: readonly string[]): Resolution {
  const segments = text
    .split(SEGMENT)
    .map((segment) => segment.trim())
    .filter((segment) => wordsOf(segment).length > 0)
  if (segments.length === 0) return NOTHING
  const found: Match[] = []
  if (segments.length <= MAX_SEGMENTS)
    for (const name of names) found.push(...candidatesBySegments(release, release.entity(name).definition, segments))
  const least = found.reduce((cost, match) => Math.min(cost, match.cost), Number.POSITIVE_INFINITY)
  if (least > TEXT_GOOD_COST) found.push(...candidatesByAlignment(release, names, wordsOf(text)))
  return verdictOf(release, best(release, found), segments.length === 1)
}

/** Up to this cost, what segments mean is not looked for in another way. */
const TEXT_GOOD_COST = 0.95

function candidatesBySegments(release: Release, entity: Entity, segments: readonly string[]): Match[] {
  const lineage = [entity, ...ancestorsOf(entity).map((step) => step.entity)]
  const found: Match[] = []
  const orders = segments.length === 1 ? [segments] : [segments, segments.toReversed()]
  for (const order of orders)
    for (const levels of ascending(lineage.length, order.length)) {
      const parts = levels.map((level, at) => writtenPart(lineage[level] as Entity, order[at] as string)).toReversed()
      // Nothing is below what the ancestors do not mean.
      if (parts.slice(0, -1).some((part) => (matchesAnywhere(release, part)[0]?.cost ?? MAX_COST) > POOR_COST)) continue
      const skipped = SKIP_COST * skippedLevels(levels, lineage.length)
      for (const match of candidatesByParts(release, parts))
        found.push({ ...match, cost: match.cost + skipped, skipped })
    }
  return found
}

/** The ways to choose ascending levels for so many segments, the first of which is the record itself. */
function ascending(levels: number, count: number): number[][] {
  let ways: number[][] = [[0]]
  for (let at = 1; at < count; at++)
    ways = ways.flatMap((way) =>
      Array.from({ length: levels }, (_, level) => level).flatMap((level) =>
        level > (way.at(-1) as number) ? [[...way, level]] : [],
      ),
    )
  return ways
}

/** The ancestors that were not named; the most distant goes without saying. */
const skippedLevels = (levels: readonly number[], lineage: number): number =>
  Math.max(0, lineage - 1 - levels.length) + (levels.includes(lineage - 1) && lineage > 1 ? 1 : 0)

/** Text of so many words is aligned with names. */
const MAX_ALIGNED = 16
const MAX_PROPOSED = 8

/** The candidates that the search proposes, with the cost of the best way to read the words as their name and ancestors. */
function candidatesByAlignment(release: Release, names: readonly string[], words: readonly string[]): Match[] {
  if (words.length > MAX_ALIGNED) return []
  const known = namesOf(release)
  const spans = new Map<string, WrittenPart>()
  const span = (entity: Entity, from: number, to: number) => {
    const key = `${entity.name} ${from} ${to}`
    const part = spans.get(key) ?? writtenPart(entity, words.slice(from, to).join(' '))
    spans.set(key, part)
    return part
  }
  return rank(release, names, words, { limit: MAX_PROPOSED }).flatMap(({ name, position }): Match[] => {
    const { definition } = release.entity(name)
    const own = known.of(name).record(position)
    const lineage = ancestorLevels(release, definition).map((level) => ({
      entity: release.entity(level.entity).definition,
      record: known.of(level.entity).record(ancestorAt(level, position)),
    }))
    let found: Match | undefined
    const offer = (match: PartMatch, { cost: above, how, named, isTopNamed }: Aligned, letters: number) => {
      const skipped = SKIP_COST * (Math.max(0, lineage.length - 1 - named) + (isTopNamed ? 1 : 0))
      const cost = match.cost + above + skipped
      if (found !== undefined && cost >= found.cost) return
      const { cost: ownCost, isPrefix, isWhole } = match
      found = {
        name,
        position,
        cost,
        ownCost,
        letters,
        how: [...new Set([match.how, ...how])],
        skipped,
        isPrefix,
        isWhole,
      }
    }
    for (let to = 1; to <= words.length; to++) {
      const first = matchRecord(own, span(definition, 0, to))
      if (first !== undefined) {
        const rest = aligned(lineage, span, to, words.length)
        if (rest !== undefined) offer(first, rest, lettersIn(words.slice(0, to)))
      }
      const last = to === words.length ? undefined : matchRecord(own, span(definition, to, words.length))
      if (last !== undefined) {
        const rest = aligned(lineage.toReversed(), span, 0, to)
        if (rest !== undefined) offer(last, rest, lettersIn(words.slice(to)))
      }
    }
    return found === undefined ? [] : [found]
  })
}

type Lineage = readonly { readonly entity: Entity; readonly record: NamedRecord }[]

type Aligned = {
  readonly cost: number
  readonly how: readonly How[]
  /** How many ancestors are named, and whether the most distant is. */
  readonly named: number
  readonly isTopNamed: boolean
}

const ALL_READ: Aligned = { cost: 0, how: [], named: 0, isTopNamed: false }

/** The least cost of reading some words as the names of ancestors, in order; undefined where they cannot be. */
function aligned(
  lineage: Lineage,
  span: (entity: Entity, from: number, to: number) => WrittenPart,
  from: number,
  to: number,
): Aligned | undefined {
  if (from === to) return ALL_READ
  const [next, ...more] = lineage
  if (next === undefined) return undefined
  let found = aligned(more, span, from, to)
  for (let end = from + 1; end <= to; end++) {
    const match = matchRecord(next.record, span(next.entity, from, end))
    if (match === undefined || (found !== undefined && match.cost >= found.cost + SKIP_COST)) continue
    const rest = aligned(more, span, end, to)
    if (rest === undefined) continue
    const cost = match.cost + rest.cost
    // What names more ancestors explains more of the words.
    if (found !== undefined && cost >= found.cost + SKIP_COST * (rest.named + 1 - found.named)) continue
    const isTop = ancestorsOf(next.entity).length === 0
    found = { cost, how: [match.how, ...rest.how], named: rest.named + 1, isTopNamed: isTop || rest.isTopNamed }
  }
  return found
}

// The verdict.

const NOTHING: Resolution = { verdict: 'none', record: undefined, alternatives: [] }
/** Nothing is like what costs more. */
const MAX_LIKELY_COST = 3.4
/** How far behind the next candidate must be: of exact ones, of those with little assumed, and of misspelt ones. */
const MIN_MARGIN = 0.05
const MIN_MARGIN_ASSUMED = 0.15
const MIN_MARGIN_MISSPELT = 0.2
const MIN_MARGIN_SINGLE = 0.5
const LITTLE_COST = 0.6
/** Of a short name, another one is easily made by an edit more. */
const SHORT_NAME = 7
const MIN_MARGIN_SHORT = 1.05
const minMargin = (cost: number, letters: number): number => {
  if (cost < MIN_MARGIN) return MIN_MARGIN
  if (cost <= LITTLE_COST) return MIN_MARGIN_ASSUMED
  return cost >= 1 && letters < SHORT_NAME ? MIN_MARGIN_SHORT : MIN_MARGIN_MISSPELT
}
const ROUNDING = 1e-9
const isNear = (a: number, b: number) => Math.abs(a - b) < ROUNDING
/** What the own name of a rival costs at most that begins with what was written. */
const PREFIX_RIVAL_COST = 0.3
/** The cost that a name of so many letters may have to be sure. */
const maxSureCost = (letters: number): number =>
  letters < 4 ? 0.3 : letters < 5 ? 1.2 : letters < 6 ? 1.7 : letters < 9 ? 2 : 2.6
/** What the ancestors may cost together: less than one of them that is another. */
const MAX_SURE_ANCESTORS_COST = 2.3

function verdictOf(release: Release, matches: readonly Match[], isSingle = false): Resolution {
  const [first, ...others] = matches
  if (first === undefined || first.cost - first.skipped > MAX_LIKELY_COST) return NOTHING
  const cost = first.cost - first.skipped
  const isAssumed = !first.isWhole || first.skipped > 0
  const isClear = others.every((other) => {
    if (isNamesakeBelow(release, first, other)) return true
    // What is cut off may be the beginning of a longer name, however near a shorter one is.
    const behind =
      (isAssumed && other.isPrefix ? other.cost - other.ownCost + PREFIX_RIVAL_COST : other.cost) - first.cost
    // Where the same ancestors are meant, only the names themselves are compared.
    const assumed = isNear(other.cost - other.ownCost, first.cost - first.ownCost) ? first.ownCost : cost
    return behind >= (isSingle ? MIN_MARGIN_SINGLE : minMargin(assumed, first.letters)) - ROUNDING
  })
  const isSure = first.ownCost <= maxSureCost(first.letters) && cost - first.ownCost <= MAX_SURE_ANCESTORS_COST
  const verdict: Verdict = !isClear ? 'ambiguous' : cost <= MIN_MARGIN ? 'exact' : isSure ? 'sure' : 'likely'
  return {
    verdict,
    record: toCandidate(first),
    alternatives: others.slice(0, MAX_ALTERNATIVES).map(toCandidate),
  }
}

/** Whether a record lies below another: a row that names a municipality may mean its seat, but says the municipality. */
function isNamesakeBelow(release: Release, record: Match, other: Match): boolean {
  if (other.ownCost !== record.ownCost) return false
  const level = ancestorLevels(release, release.entity(other.name).definition).find(
    ({ entity }) => entity === record.name,
  )
  return level !== undefined && ancestorAt(level, other.position) === record.position
}

/** A cost at which nothing of a name is left. */
const WORST_COST = 5

const toCandidate = ({ name, position, cost, skipped, how }: Match): Candidate => ({
  name,
  position,
  score: Math.max(0, 1 - (cost - skipped) / WORST_COST),
  how: how.length > 1 ? how.filter((one) => one !== 'exact') : how,
})
