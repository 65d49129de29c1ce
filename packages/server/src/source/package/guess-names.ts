// Which columns name a record, and in which languages.

import { wordsOf } from '../../catalog/words.ts'
import type { Guess } from './descriptor.ts'
import { quoted } from './guess-key.ts'
import { type InLanguage, languageIn } from './guess-language.ts'
import {
  blanksOf,
  distinctShare,
  isBlank,
  isOneLine,
  looksLikeCodes,
  type ProfiledColumn,
  type ProfiledTable,
  shareThatFits,
} from './guess-table.ts'
import { isTextual } from './guess-types.ts'
import {
  isDescriptionWord,
  isMainNameWord,
  isNameWord,
  namesAlias,
  namesCode,
  namesDescription,
  namesMainName,
  namesName,
  nameWords,
  nounsOf,
  singular,
  subjectOf,
} from './guess-words.ts'

/** Columns that are the same in several languages, or one column alone. */
type Family = {
  readonly stem: readonly string[]
  readonly members: readonly { readonly column: ProfiledColumn; readonly language?: string }[]
}

export type Names = {
  /** In the order of the file, but for the first, which is the one that is shown where no language is chosen. */
  readonly columns: readonly ProfiledColumn[]
  /** The language of each column that has one, also of those that are no names. */
  readonly languages: ReadonlyMap<ProfiledColumn, string>
  /** Columns in languages that say the same as the names in another way. */
  readonly otherNames: readonly ProfiledColumn[]
  readonly guess?: Guess
}

type NameContext = {
  readonly table: ProfiledTable
  readonly keyColumns: readonly ProfiledColumn[]
  /** The columns that are nothing else yet, and those of a key of several: one of them may be the name as well. */
  readonly free: readonly ProfiledColumn[]
  readonly packageName: string
  /** The language that the list is declared to be in. */
  readonly language: string | undefined
}

export function namesOf(context: NameContext): Names {
  const { free, language, table } = context
  const declared = free.filter((column) => column.declared.own.get('role') === 'name')
  const families = familiesOf(free.filter((column) => !isBlank(column) && isTextual(column)))
  const languages = new Map(
    families.flatMap(({ members }) =>
      members.flatMap((one) => (one.language === undefined ? [] : [[one.column, one.language]])),
    ),
  )
  for (const column of free) {
    const own = column.declared.own.get('language')
    if (typeof own === 'string') languages.set(column, own)
  }
  if (declared.length > 0) return { columns: inOrder(declared, languages, language), languages, otherNames: [] }
  const chosen = chooseNames(families, context)
  if (chosen === undefined)
    return { columns: [], languages, otherNames: [], ...unusableName(free, table.resource.name) }
  const columns = inOrder(chosen, languages, language)
  return {
    columns,
    languages,
    otherNames: otherNamesIn(families, chosen, languages),
    guess: guessOf(columns, languages, table.resource.name),
  }
}

/** A column that is called the name and cannot be one: without it records are called by their keys, which nobody expects. */
function unusableName(free: readonly ProfiledColumn[], resource: string): Pick<Names, 'guess'> {
  const column = free.find((one) => namesName(one.words) && !isOneLine(one))
  if (column === undefined) return {}
  const guess = {
    resource,
    field: column.name,
    what: `${quoted(column.name)} is not the name, since a value of it has several lines or more than 1,000 characters. Records are called by their key.`,
    otherwise: '"nomenclator:role": "name" at the field; line breaks then become blanks',
  }
  return { guess }
}

function chooseNames(families: readonly Family[], context: NameContext): readonly ProfiledColumn[] | undefined {
  const own = ownWords(context)
  const open = families.filter(({ members }) =>
    members.every(({ column }) => !column.declared.own.has('role') && isOneLine(column)),
  )
  const ranked = open
    .map((family) => ({ family, rank: rankOf(family, own) + doubtsAbout(family) }))
    .toSorted((a, b) => a.rank - b.rank || b.family.members.length - a.family.members.length)
  const [best] = ranked
  if (best === undefined || best.rank >= LAST_RESORT) return wordiest(open)
  const chosen = best.family.members
  const hasLanguages = chosen.some(({ language }) => language !== undefined)
  // A name without a language stands in for all languages that a record has no name in.
  const further = ranked.find(
    ({ family, rank }) =>
      hasLanguages &&
      family !== best.family &&
      rank <= MAIN &&
      family.members.every(({ language }) => language === undefined),
  )
  return [...chosen, ...(further?.family.members ?? [])].map(({ column }) => column)
}

const MAIN = 2
const LAST_RESORT = 20
const DOUBT = 5
const MIN_FILLED = 0.5
const MIN_DISTINCT = 0.3

/** How likely the name of a family makes it the name: 1 is the best. */
function rankOf({ stem, members }: Family, own: ReadonlySet<string>): number {
  const isOwn = (words: readonly string[]) => words.every((word) => own.has(singular(word)))
  if (namesCode(stem)) return LAST_RESORT
  if (namesAlias(stem)) return isOwn(stem) ? 3.5 : 9
  if (namesName(stem)) {
    const rest = stem.filter((word) => !isNameWord(word) && !isMainNameWord(word))
    if (rest.length === 0) return rest.length === stem.length ? 1 : 1.2
    if (namesMainName(stem)) return 1.5
    return isOwn(rest) ? 2.5 : 6
  }
  if (stem.length === 0 && members.some(({ language }) => language !== undefined)) return 3
  if (isOwn(stem)) return 3.5
  if (!namesDescription(stem)) return LAST_RESORT
  return isOwn(stem.filter((word) => !isDescriptionWord(word))) ? 7 : 8
}

/** Of columns that mostly have no value, or the same. */
function doubtsAbout({ members, stem }: Family): number {
  const filled = Math.max(...members.map(({ column }) => 1 - blanksOf(column) / column.values.length))
  const distinct = Math.max(...members.map(({ column }) => distinctShare(column)))
  if (distinct < MIN_DISTINCT && !namesName(stem)) return LAST_RESORT
  return (filled < MIN_FILLED ? DOUBT : 0) + (distinct < MIN_DISTINCT ? DOUBT : 0)
}

/** The words that the list, its package and its key are named by. */
const ownWords = ({ table, keyColumns, packageName }: NameContext): ReadonlySet<string> =>
  new Set([
    ...nounsOf(table.resource.name),
    ...nounsOf(packageName),
    ...keyColumns
      .filter(({ words }) => namesCode(words))
      .flatMap(({ words }) => subjectOf(words.map((word) => word.replace(/(?<=..)(?:code|codigo|clave)$/, '')))),
  ])

const MAX_COUNTED = 5_000

/** The column of texts with the most different words, where nothing is named like a name. */
function wordiest(families: readonly Family[]): readonly ProfiledColumn[] | undefined {
  const columns = families
    .flatMap(({ members }) => members.map(({ column }) => column))
    .filter(
      (column) =>
        !looksLikeCodes(column) &&
        distinctShare(column) >= MIN_DISTINCT &&
        shareThatFits(column, (value) => /^https?:|^[^\p{L}]*$/u.test(value)) < 0.5,
    )
  const counted = columns.map((column) => ({
    column,
    words: new Set(column.values.slice(0, MAX_COUNTED).flatMap(wordsOf)).size,
  }))
  const [best] = counted.toSorted((a, b) => b.words - a.words)
  return best === undefined ? undefined : [best.column]
}

/** Columns by what their names have besides a language. */
function familiesOf(columns: readonly ProfiledColumn[]): readonly Family[] {
  const found = new Map(columns.map((column) => [column, languageOf(column)]))
  const siblings = new Map<string, InLanguage[]>()
  for (const one of found.values()) {
    if (one === undefined) continue
    const stem = one.stem.join(' ')
    siblings.set(stem, [...(siblings.get(stem) ?? []), one])
  }
  const families = new Map<
    string,
    { stem: readonly string[]; members: { column: ProfiledColumn; language?: string }[] }
  >()
  for (const [column, one] of found) {
    const isTold = one !== undefined && isSure(one, siblings.get(one.stem.join(' ')) ?? [])
    const stem = isTold ? one.stem : column.words
    // Without a language each column is a family of its own.
    const key = isTold ? `in languages: ${stem.join(' ')}` : `alone: ${column.name}`
    const family = families.get(key) ?? { stem, members: [] }
    family.members.push(isTold ? { column, language: one.language } : { column })
    families.set(key, family)
  }
  return [...families.values()]
}

function languageOf({ words, declared }: ProfiledColumn): InLanguage | undefined {
  const own = declared.own.get('language')
  const found = languageIn(words) ?? (declared.title === undefined ? undefined : languageIn(nameWords(declared.title)))
  if (typeof own !== 'string') return found
  return { language: own, stem: found?.stem ?? words, isAmbiguous: false }
}

/** Whether a language is meant: the rest is a name or a description, or there is the same in another language. */
function isSure(one: InLanguage, siblings: readonly InLanguage[]): boolean {
  const languages = new Set(siblings.map(({ language }) => language))
  if (languages.size < siblings.length) return false
  if (languages.size > 1 && siblings.some(({ isAmbiguous }) => !isAmbiguous)) return true
  if (one.isAmbiguous) return false
  return one.stem.length === 0 || namesName(one.stem) || namesDescription(one.stem) || namesAlias(one.stem)
}

/** The first is in the language of the list, else in none, else in English. */
function inOrder(
  columns: readonly ProfiledColumn[],
  languages: ReadonlyMap<ProfiledColumn, string>,
  language: string | undefined,
): readonly ProfiledColumn[] {
  const isIn = (wanted: string | undefined) => (column: ProfiledColumn) => languages.get(column) === wanted
  const first =
    (language === undefined ? undefined : columns.find(isIn(language))) ??
    columns.find(isIn(undefined)) ??
    columns.find(isIn('en')) ??
    columns[0]
  return columns.toSorted((a, b) => Number(b === first) - Number(a === first))
}

/** Families in the languages of the names, such as the formal name of a country beside the short one. */
function otherNamesIn(
  families: readonly Family[],
  chosen: readonly ProfiledColumn[],
  languages: ReadonlyMap<ProfiledColumn, string>,
) {
  const ofNames = new Set(chosen.map((column) => languages.get(column)))
  return families
    .filter(({ members, stem }) => {
      const shared = members.filter(
        ({ column, language }) => language !== undefined && ofNames.has(language) && !chosen.includes(column),
      )
      return shared.length > 1 && !namesName(stem) && !namesDescription(stem) && !namesCode(stem)
    })
    .flatMap(({ members }) => members.map(({ column }) => column))
    .filter((column) => !column.declared.own.has('role'))
}

function guessOf(
  columns: readonly ProfiledColumn[],
  languages: ReadonlyMap<ProfiledColumn, string>,
  resource: string,
): Guess {
  const shown = columns.map((column) => {
    const language = languages.get(column)
    return language === undefined ? quoted(column.name) : `${quoted(column.name)} (${language})`
  })
  const [first, ...others] = shown
  return {
    resource,
    ...(others.length === 0 ? { field: (columns[0] as ProfiledColumn).name } : {}),
    what: others.length === 0 ? `${first} is the name.` : `${shown.join(', ')} are the names; ${first} is shown first.`,
    otherwise: '"nomenclator:role": "name" and "nomenclator:language" at the fields that are names',
  }
}
