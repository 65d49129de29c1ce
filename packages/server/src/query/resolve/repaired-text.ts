// What damaged cells and texts were: repaired where that gives words of the catalog and the damaged form does not.
import { LruCache } from '../../base/lru-cache.ts'
import { memoized } from '../../base/memoized.ts'
import { hasLostLetters, repairsOf, restoredWords } from '../../catalog/damaged-text.ts'
import type { Entity } from '../../catalog/entity.ts'
import { namingFields } from '../../catalog/languages/languages.ts'
import { descendantsOf, lineageOf } from '../../catalog/lineage.ts'
import { wordsOf } from '../../catalog/words.ts'
import { nameEnd, nameStart } from '../../release/index/name-ranges.ts'
import type { OpenEntity, Release } from '../../release/release.ts'
import type { IsKnown } from './name-match.ts'

/** Letters and signs that names are written with; anything else may be damage. */
const USUAL = /^[\x20-\x7eáéíóúüñÁÉÍÓÚÜÑ\t\r\n´ºª°]*$/
const ESCAPED = /[&%=\\]|U\+00|_x00/i
const MAX_REPAIRS = 8

const isUsual = (text: string): boolean => USUAL.test(text.normalize('NFC')) && !ESCAPED.test(text)

/** What a cell was, if that gives words of the catalog and the damaged one does not; nothing for any other cell. */
export function repairedTexts(text: string, isKnown: IsKnown): string[] {
  const isAllKnown = (words: readonly string[]) => words.every((word) => isKnown(word) || !HAS_LETTER.test(word))
  if (isUsual(text)) return restoredTexts(text, isAllKnown)
  const words = wordsOf(text)
  for (const repair of repairsOf(text)) {
    const restored = restoredTexts(repair, isAllKnown)
    if (restored.length > 0) return restored
    const repaired = wordsOf(repair)
    const isBetter =
      repaired.length > 0 && isAllKnown(repaired) && !(isAllKnown(words) && words.length <= repaired.length)
    if (isBetter) return [repair]
  }
  return restoredTexts(text, isAllKnown)
}

const HAS_LETTER = /\p{L}/u

/** What stands between words: blanks, but for one that is a damaged letter. */
const BETWEEN = /([^\S\u00a0]+|[,;|+/–-])/

/** The texts that signs in the place of letters may stand for, of words of the catalog; none where there are no such signs. */
function restoredTexts(text: string, isAllKnown: (words: readonly string[]) => boolean): string[] {
  if (!hasLostLetters(text)) return []
  let texts = ['']
  for (const word of text.split(BETWEEN)) {
    const words = hasLostLetters(word) ? restoredWords(word).filter((one) => isAllKnown(wordsOf(one))) : [word]
    texts = texts.flatMap((before) => words.map((one) => before + one)).slice(0, MAX_REPAIRS)
  }
  return texts.map((one) => one.trim())
}

/** What a text of several names may have been, if that gives more words of the catalog; some of its words may be in none. */
export function repairedNames(release: Release, text: string): string[] {
  // Letters that are as usual were not read in another encoding.
  const repairs = isUsual(text) ? [] : [...repairsOf(text)]
  if (repairs.length === 0 && !hasLostLetters(text)) return []
  const isKnown = isKnownAnywhere(release, release)
  const isWord = (words: readonly string[]) => words.length === 1 && words.every(isKnown)
  const countDamaged = (one: string) =>
    one.split(BETWEEN).filter((word) => HAS_LETTER.test(word) && !isWord(wordsOf(word))).length
  let [best, least]: [string[], number] = [[], countDamaged(text)]
  for (const repair of [...repairs, text]) {
    const restored = restoredTexts(repair, isWord)
    const texts = restored.length > 0 ? restored : [repair]
    const damaged = countDamaged(texts[0] as string)
    if (damaged < least) [best, least] = [texts, damaged]
  }
  return best
}

/**
 * Which words are in the names of an entity or of its ancestors. Those of names that are facts are left out: a translation is worded
 * in several ways, and a word of one may be a misspelling in another.
 */
export const isKnownIn = (release: Release, entity: Entity): IsKnown => knownIn(release)(entity, release)
const knownIn = memoized((_: Release) =>
  memoized((entity: Entity, release: Release): IsKnown => {
    const known = lineageOf(entity).map(({ name }) => publishedWords(release.entity(name)))
    const cache = new LruCache<boolean>({ maxEntries: MAX_KNOWN })
    return (word) => cache.get(word, () => known.some((isPublished) => isPublished(word)))
  }),
)

/** Whether a word is in a published name or code. */
function publishedWords({ definition, index: { words }, count }: OpenEntity): IsKnown {
  const isFact = namingFields(definition).map(({ field }) => definition.fields[field]?.kind === 'fact')
  if (!isFact.includes(true)) return (word) => words.words.indexOf(word) !== undefined
  const published = new Set<number>(words.codes)
  for (let position = 0; position < count; position++)
    for (let name = 0; name < isFact.length; name++) {
      const end = isFact[name] ? 0 : nameEnd(words, position, name, isFact.length)
      for (let at = nameStart(words, position, name, isFact.length); at < end; at++)
        published.add(words.names[at] as number)
    }
  return (word) => published.has(words.words.indexOf(word) ?? -1)
}

const MAX_KNOWN = 10_000

/** Which words are in the names of any entity. */
export const isKnownAnywhere = memoized((_: Release, release: Release): IsKnown => {
  const entities = [...release.catalog.entities.values()]
  const known = entities
    .filter((entity) => descendantsOf(release.catalog, entity).length === 0)
    .map((entity) => isKnownIn(release, entity))
  return (word) => known.some((isKnown) => isKnown(word))
})
