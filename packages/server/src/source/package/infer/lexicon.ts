// Words of headers: which concepts they name, in which language, and when two are the same word.
import lexicon from './lexicon.json' with { type: 'json' }

export type Concept = keyof typeof lexicon.concepts

type Entry = { readonly concepts: ReadonlySet<Concept>; readonly languages: ReadonlyMap<Concept, string> }

function entriesOf(): ReadonlyMap<string, Entry> {
  const entries = new Map<string, { concepts: Set<Concept>; languages: Map<Concept, string> }>()
  for (const [concept, byLanguage] of Object.entries(lexicon.concepts) as [Concept, Record<string, string>][])
    for (const [language, words] of Object.entries(byLanguage))
      for (const word of words.split(' ')) {
        const entry = entries.getOrInsertComputed(word, () => ({ concepts: new Set(), languages: new Map() }))
        entry.concepts.add(concept)
        if (language !== 'x') entry.languages.getOrInsert(concept, language)
      }
  return entries
}

const ENTRIES = entriesOf()
const SYNONYMS = new Map(
  Object.entries(lexicon.synonyms).flatMap(([noun, words]) => words.split(' ').map((word) => [word, noun] as const)),
)

const CAMEL = /(\p{Ll}|\p{N})(?=\p{Lu})/gu
const ACRONYM = /(\p{Lu})(?=\p{Lu}\p{Ll})/gu

/** The words of a header or of the name of a list without accents and case, also where only capital letters separate them. */
export const headerWords = (name: string): readonly string[] =>
  name
    .slice(0, 200)
    .replace(CAMEL, '$1 ')
    .replace(ACRONYM, '$1 ')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')

/** Concepts that are glued to other words, as in `hscode`. */
const GLUED: readonly (readonly [RegExp, Concept])[] = [
  [/^.{2,}(?:code|codigo|clave)$|^cve.{2,}/, 'code'],
  [/^(?!.*(?:covid|valid|liquid|solid|hybrid|droid|paid|madrid|pyramid|centroid)$).{4,}id$/, 'code'],
  [/^.{2,}(?:name|nombre)$/, 'name'],
  [/^(?:short|full|long|alt|old)name$/, 'other'],
]
const NONE: Entry = { concepts: new Set(), languages: new Map() }

const MAX_KNOWN = 10_000

/** Remembers what was made of a word, of so many words. */
function remembered<T>(make: (word: string) => T): (word: string) => T {
  const known = new Map<string, T>()
  return (word) => {
    if (known.size > MAX_KNOWN) known.clear()
    return known.getOrInsertComputed(word, make)
  }
}

const entryOf = remembered(entryFor)

function entryFor(word: string): Entry {
  const found = ENTRIES.get(word) ?? ENTRIES.get(word.replace(/[0-9]+$/, ''))
  if (found !== undefined) return found
  const glued = GLUED.filter(([form]) => form.test(word)).map(([, concept]) => concept)
  return glued.length === 0 ? NONE : { concepts: new Set(glued), languages: new Map() }
}

export const names = (word: string, ...concepts: readonly Concept[]): boolean =>
  concepts.some((concept) => entryOf(word).concepts.has(concept))
/** True for words that the headers of tables have. */
export const isKnownWord = (word: string): boolean => entryOf(word) !== NONE || SYNONYMS.has(nounOf(word))
/** The language in which a word names a concept. */
export const languageOfWord = (word: string, concept: Concept): string | undefined =>
  entryOf(word).languages.get(concept)

/** Concepts of words that say what a column is, and not what it is about. */
const OF_ROLES: readonly Concept[] = ['code', 'name', 'description', 'alias', 'parent', 'generic', 'main', 'other']

/** The words that say what a column or a list is about. */
export const subjectOf = (words: readonly string[]): readonly string[] =>
  words.filter((word) => !names(word, ...OF_ROLES) && !/^[0-9]+$/.test(word))

const PLURALS: readonly (readonly [RegExp, string])[] = [
  [/$/, 's'],
  [/$/, 'es'],
  [/y$/, 'ies'],
  [/z$/, 'ces'],
  [/ao$/, 'oes'],
  [/m$/, 'ns'],
  [/l$/, 'is'],
]
export const isPluralOf = (many: string, one: string) =>
  one.length > 1 && PLURALS.some(([end, plural]) => end.test(one) && one.replace(end, plural) === many)

/** A word without its number, or the word that stands for it and its synonyms. */
export const nounOf = remembered((word) => {
  const plain = word.replace(/(?<=\p{L}{2})[0-9]+$/u, '')
  const singular = [plain, plain.replace(/s$/, ''), plain.replace(/es$/, ''), plain.replace(/ies$/, 'y')]
  const known = singular.find((one) => SYNONYMS.has(one))
  return known === undefined ? plain : (SYNONYMS.get(known) as string)
})

/** True for a word and its plural, and for words of several languages for the same. */
export function isSameWord(one: string, other: string): boolean {
  const [a, b] = [nounOf(one), nounOf(other)]
  return a === b || (a[0] === b[0] && (isPluralOf(a, b) || isPluralOf(b, a)))
}

const MIN_SHORT = 3
/** True also where one is the beginning of the other, as `mun` of `municipio`. */
export const isShortFor = (short: string, word: string): boolean =>
  short.length >= MIN_SHORT && short.length < word.length && word.startsWith(short)
