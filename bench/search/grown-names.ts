// Invented names of localities: real names with some of their words exchanged for those of others.
import { wordsOf } from '../../src/catalog/words.ts'
import { type Random as Dice, pick } from '../../src/source/synthetic/random.ts'

/** One name in so many has a word that no real name has, as any large catalog brings words of its own. */
const RARE = 12
/** A catalog of so many localities has this many such words, and a larger one more, though not in proportion. */
const NEW_WORDS = 20_000
const USUAL = 300_000
const TRIES = 20
const PARTICLES = new Set(['de', 'del', 'la', 'las', 'los', 'el', 'y', 'san', 'santa', 'santo'])

export const nameKey = (name: string): string => wordsOf(name).sort().join(' ')

/** Names that are none of those taken, which are given as their keys. */
export function nameMaker(
  dice: Dice,
  real: readonly string[],
  taken: ReadonlySet<string>,
  localities: number,
): () => string {
  const patterns = real.map((name) => name.split(' ')).filter(({ length }) => length > 1)
  const words = real.flatMap((name) => name.split(' ').filter(isPlain))
  const count = Math.round(NEW_WORDS * Math.sqrt(localities / USUAL))
  const newWords = Array.from({ length: count }, () => blended(pick(dice, words), pick(dice, words)))
  const made = () => {
    const pattern = pick(dice, patterns)
    const exchanged = pattern.map((word) => (isPlain(word) && dice(3) > 0 ? pick(dice, words) : word))
    if (dice(RARE) === 0) exchanged[exchanged.length - 1] = pick(dice, newWords)
    return exchanged.join(' ')
  }
  return () => {
    for (let tries = 0; tries < TRIES; tries++) {
      const name = made()
      if (!taken.has(nameKey(name))) return name
    }
    return `${made()} ${pick(dice, words)} ${pick(dice, words)}`
  }
}

/** A word that carries meaning, without brackets or points. */
const isPlain = (word: string): boolean => /^\p{L}{3,}$/u.test(word) && !PARTICLES.has(word.toLowerCase())

/** The first half of one word and the second of another. */
function blended(one: string, other: string): string {
  return one.slice(0, Math.ceil(one.length / 2)) + other.slice(Math.floor(other.length / 2)).toLowerCase()
}
