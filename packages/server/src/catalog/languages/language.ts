// A language as the search knows it: a table of words, and what follows from the table.
import { LruCache } from '../../base/lru-cache.ts'
import { digitsBy, type NumberWords } from './numbers.ts'
import { plainOrder, type SortOrder, sortOrder } from './order.ts'

/** All words are folded: small letters without accents. Lists of words have a blank between any two. */
type LanguageData = {
  /**
   * The words that an abbreviation may stand for, in groups that mean nothing. Points do not matter, since they are no letters. The
   * table is read both ways: a name that is stored short is found by the long form too.
   */
  readonly abbreviations: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly numbers: NumberWords
  /** Words that say what a record is and not which: dropped first where a record does not have them. */
  readonly noise: string
  /** Words that say so before a name only: anywhere else they are part of it. */
  readonly leading: string
  /** Words among `noise` and `leading` before the names of hamlets and quarters, never of towns. */
  readonly hamlets: string
  /** Words beside these that tell places of one name apart. */
  readonly kinds: string
  /** Words that say that a code follows, as in "clave 16112". */
  readonly code: string
  /** Words that join others. Names in Spanish quote English ones, so that it has the most frequent words of both. */
  readonly linking: string
  /** Linking words between the kind of a record and its name, as in "municipio de Jalpa". */
  readonly genitive: string
  /** Linking words that are in so many names that they count least in any of them. */
  readonly frequent: string
  /** Words of honour before the name of a place, which may be left out. */
  readonly honors: string
  /** Words before the name of a saint, which with it may be left out before the name of a place; and those that are both in one. */
  readonly saints: string
  readonly wholeSaints: string
  /**
   * Words before the name of a town that say what rank it has, which may be another one by now, or left out; and titles of those whom places
   * are named after.
   */
  readonly ranks: string
  /** Given names of those whom places are named after, which are written as initials too. */
  readonly givenNames: string
  /** Texts that people write into a cell that has nothing to say, with commas between them. */
  readonly absent: string
  /** Texts that people write for the seat of the place that they named before, with commas between them. */
  readonly seat: string
  /** The months, whose first three letters spreadsheets write after the day that a place is named for: "05-may". */
  readonly months: string
  /** Words that say that a postal code follows, or are part of that. */
  readonly postalCode: string
  /** Words that say that a telephone number follows. */
  readonly telephones: string
  /** Words that a street or a quarter in an address begins with. */
  readonly streets: string
  /** Endings that make another word of a stem, as "mesita" of "mesa", and the plain endings that they take the place of. */
  readonly endings: { readonly derived: RegExp; readonly plain: RegExp }
  /** How a word sounds, so that words that sound alike have the same key: each rule is applied to the result of the one before. */
  readonly soundRules: readonly (readonly [RegExp, string])[]
  /** Letters that sound in several ways: a word with one has the sounds that it has with each of these in its place. */
  readonly variants: Readonly<Record<string, readonly string[]>>
  /** Letters that are written for one another, and those that are not heard. */
  readonly alike: readonly string[]
  readonly silent: string
  /** Letters of their own, which no accent is taken from, each with the one that they come after. */
  readonly ownLetters: Readonly<Record<string, string>>
}

/** The lists of words that answer whether a word is one of them, by the names of these tests. */
const WORD_LISTS = {
  isNoise: 'noise',
  isLeading: 'leading',
  isCode: 'code',
  isLinking: 'linking',
  isGenitive: 'genitive',
  isHonor: 'honors',
  isRank: 'ranks',
  isPostalCode: 'postalCode',
  isTelephone: 'telephones',
  isStreet: 'streets',
} as const satisfies Readonly<Record<string, keyof LanguageData>>

type WordTest = (word: string) => boolean
type ListedTest = keyof typeof WORD_LISTS
type ListedTests = Readonly<Record<ListedTest, WordTest>>

const testsBy = (testOf: (name: ListedTest) => WordTest): ListedTests =>
  Object.fromEntries((Object.keys(WORD_LISTS) as ListedTest[]).map((name) => [name, testOf(name)])) as ListedTests

export type Language = ListedTests & {
  /** True if a word says the kind of a place, and so tells places of one name apart. */
  readonly isKind: WordTest
  readonly isHamlet: WordTest
  /** The least number of words of a saint's name that begins with this word; 0 if none does. */
  readonly saintWords: (word: string) => number
  /** The given names that a letter may be the initial of. */
  readonly givenNames: (initial: string) => readonly string[]
  /** The month that begins with some letters. */
  readonly monthOf: (beginning: string) => string | undefined
  /** True if the words mean that there is nothing to say. */
  readonly isAbsent: (words: readonly string[]) => boolean
  /** True if the words mean the seat of the place that is named before them. */
  readonly isSeat: (words: readonly string[]) => boolean
  /** True if a word has the stem of another and an ending of its own that makes it another word, not a misspelling. */
  readonly isOtherEnding: (word: string, other: string) => boolean
  readonly frequent: readonly string[]
  /** The words with all numbers in digits, however they were written. */
  readonly withDigits: (words: readonly string[]) => readonly string[]
  /** The words that an abbreviation may stand for; none for any other word. */
  readonly longFormsOf: (word: string) => readonly string[]
  /** The other forms of a word: what it abbreviates, what abbreviates it, and other abbreviations of the same. */
  readonly otherForms: (word: string) => readonly string[]
  /** The keys of how a word may sound; none where nothing is known of that. */
  readonly soundsOf: (word: string) => readonly string[]
  readonly alike: readonly string[]
  readonly silent: string
  readonly order: SortOrder
}

/** The knowledge in some data; what they do not have, nothing is known of. */
export function languageFrom(data: Partial<LanguageData>): Language {
  const isIn = (...lists: readonly (string | undefined)[]): WordTest => {
    const words = new Set(lists.flatMap(wordList))
    return (word) => words.has(word)
  }
  const [isSaint, isWholeSaint] = [isIn(data.saints), isIn(data.wholeSaints)]
  const isHamlet = isIn(data.hamlets)
  const givenNames = wordList(data.givenNames)
  const months = wordList(data.months)
  const forms = formsIn(data.abbreviations ?? {})
  return {
    ...testsBy((name) => isIn(data[WORD_LISTS[name]])),
    isKind: isIn(data.hamlets, data.kinds),
    isHamlet: (word) => isHamlet(word) || forms.longFormsOf(word).some(isHamlet),
    saintWords: (word) => (isWholeSaint(word) ? 1 : isSaint(word) ? 2 : 0),
    givenNames: (initial) => givenNames.filter((name) => name[0] === initial),
    monthOf: (beginning) => months.find((month) => month.startsWith(forms.longFormsOf(beginning)[0] ?? beginning)),
    isAbsent: isOneOf(data.absent),
    isSeat: isOneOf(data.seat),
    isOtherEnding: comparerOf(data.endings),
    frequent: wordList(data.frequent),
    withDigits: data.numbers === undefined ? (words) => words : digitsBy(data.numbers),
    ...forms,
    soundsOf: soundsBy(data),
    alike: data.alike ?? NONE,
    silent: data.silent ?? '',
    order: data.ownLetters === undefined ? plainOrder : sortOrder(data.ownLetters),
  }
}

function isOneOf(list: string | undefined): (words: readonly string[]) => boolean {
  const texts = new Set(list?.split(',').map((text) => text.trim().replaceAll(' ', '')))
  return (words) => texts.has(words.join(''))
}

/** Least letters of a stem that counts. */
const MIN_STEM = 3

function comparerOf(endings: LanguageData['endings'] | undefined): Language['isOtherEnding'] {
  if (endings === undefined) return () => false
  const { derived, plain } = endings
  // One other letter in an ending is more likely a typing error.
  const differsByOneLetter = (word: string, other: string) =>
    word.length === other.length && Array.from(word).filter((letter, at) => letter !== other[at]).length === 1
  return (word, other) => {
    const stem = word.replace(derived, '')
    if (word === other || stem === word || stem.length < MIN_STEM) return false
    if (stem === other.replace(derived, '')) return !differsByOneLetter(word, other)
    return stem === other || stem === other.replace(plain, '')
  }
}

const wordList = (words = ''): readonly string[] => words.split(' ').filter((word) => word !== '')

function formsIn(abbreviations: LanguageData['abbreviations']): Pick<Language, 'longFormsOf' | 'otherForms'> {
  const entries = Object.values(abbreviations).flatMap((group) => Object.entries(group))
  const longForms = new Map(entries.map(([short, longs]) => [short, wordList(longs)]))
  const shortForms = new Map<string, string[]>()
  for (const [short, longs] of longForms)
    for (const long of longs) shortForms.getOrInsertComputed(long, () => []).push(short)
  return {
    longFormsOf: (word) => longForms.get(word) ?? NONE,
    otherForms: (word) => {
      const longs = longForms.get(word)
      const shorts = shortForms.get(word)
      if (longs === undefined && shorts === undefined) return NONE
      const others = (longs ?? []).flatMap((long) => shortForms.get(long) ?? [])
      const forms = new Set([...(longs ?? []), ...(shorts ?? []), ...others])
      forms.delete(word)
      return [...forms]
    },
  }
}

const NONE: readonly string[] = []

function soundsBy({ soundRules, variants = {} }: Partial<LanguageData>): Language['soundsOf'] {
  if (soundRules === undefined) return () => NONE
  const letters = Object.entries(variants)
  const soundBy = (rules: LanguageData['soundRules'], word: string) =>
    rules.reduce((sound, [from, to]) => sound.replace(from, to), word)
  // Most rules are of letters, and lists have codes by the hundred thousand.
  const numberRules = soundRules.filter(([from]) => DOUBLE_DIGITS.search(from) !== -1)
  const ofWord = cached((word) => {
    let words = [word]
    for (const [letter, others] of letters)
      if (word.includes(letter)) words = words.flatMap((one) => others.map((other) => one.replaceAll(letter, other)))
    return words.map((one) => soundBy(soundRules, one))
  })
  return (word) => (NUMBER.test(word) ? [soundBy(numberRules, word)] : ofWord(word))
}

const NUMBER = /^[0-9]+$/
/** A text in which every rule that a number may meet finds something. */
const DOUBLE_DIGITS = '00112233445566778899'

const MAX_SOUNDS = 10_000

/** Names are made of the same words, and each is compared by its sound with many others. */
function cached(soundsOf: Language['soundsOf']): Language['soundsOf'] {
  const cache = new LruCache<readonly string[]>({ maxEntries: MAX_SOUNDS })
  return (word) => cache.get(word, () => soundsOf(word))
}

/** A language that nothing is known of: every word counts, is written out and is spelled as it sounds. */
export const noLanguage: Language = languageFrom({})

/** Joins the knowledge of several languages, for texts that may be in any of them. */
export function unionOf(languages: readonly Language[]): Language {
  const [first, ...more] = languages
  if (first === undefined) return noLanguage
  if (more.length === 0) return first
  const any = (holds: (language: Language) => boolean) => languages.some(holds)
  const anyTest =
    (name: ListedTest | 'isKind' | 'isHamlet'): WordTest =>
    (word) =>
      any((language) => language[name](word))
  const all = (wordsIn: (language: Language) => string | readonly string[]) => [...new Set(languages.flatMap(wordsIn))]
  const longFormsOf: Language['longFormsOf'] = (word) =>
    // Most words are short for nothing.
    any((language) => language.longFormsOf(word).length > 0) ? all((language) => language.longFormsOf(word)) : NONE
  return {
    ...testsBy(anyTest),
    isKind: anyTest('isKind'),
    isHamlet: anyTest('isHamlet'),
    saintWords: (word) => Math.max(...languages.map(({ saintWords }) => saintWords(word))),
    givenNames: (initial) => all(({ givenNames }) => givenNames(initial)),
    monthOf: (beginning) => all(({ monthOf }) => monthOf(beginning) ?? NONE)[0],
    isAbsent: (words) => any(({ isAbsent }) => isAbsent(words)),
    isSeat: (words) => any(({ isSeat }) => isSeat(words)),
    isOtherEnding: (word, other) => any(({ isOtherEnding }) => isOtherEnding(word, other)),
    frequent: all(({ frequent }) => frequent),
    withDigits: (words) => languages.reduce((written, { withDigits }) => withDigits(written), words),
    longFormsOf,
    otherForms: (word) => all(({ otherForms }) => otherForms(word)),
    soundsOf: cached((word) => all(({ soundsOf }) => soundsOf(word))),
    alike: merged(languages.flatMap(({ alike }) => alike)),
    silent: languages.map(({ silent }) => silent).join(''),
    order: first.order,
  }
}

/** Groups of letters that have one in common are one group. */
function merged(groups: readonly string[]): string[] {
  const apart: string[] = []
  for (const group of groups) {
    let joined = group
    for (let at = apart.length - 1; at >= 0; at--) {
      const other = apart[at] as string
      if (![...other].some((letter) => joined.includes(letter))) continue
      joined = [...new Set(joined + other)].join('')
      apart.splice(at, 1)
    }
    apart.push(joined)
  }
  return apart
}
