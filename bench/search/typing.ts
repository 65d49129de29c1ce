// What people type: the names of a release letter by letter, and with a slip of the fingers.
import { folded } from '../../src/catalog/words.ts'
import type { Release } from '../../src/release/release.ts'
import { type Random as Dice, randomFor as diceFor, pick } from '../../src/source/synthetic/random.ts'

const SEED = 1_913
/** Nobody types more of a name than this before choosing among the suggestions. */
const MAX_LETTERS = 14

/** Mostly localities, as they are most of what there is; but people ask for the larger places more often. */
const ASKED_FOR = [
  ...(['localidad', 'localidad', 'localidad', 'municipio', 'municipio', 'estado'] as const),
  ...(['subdisciplina', 'pais'] as const),
]

function nameIn(release: Release, dice: Dice): string {
  const name = pick(dice, ASKED_FOR)
  const record = JSON.parse(
    new TextDecoder().decode(release.records[name].record(dice(release.records[name].count))),
  ) as Record<string, string>
  const field = Object.keys(record).find((one) => one.startsWith('desc')) as string
  return folded(record[field] as string).replaceAll(/[^\p{L}\p{N} ]/gu, '')
}

/** Every keystroke of so many names: their beginnings of one letter, of two, and so on. */
export function keystrokes(release: Release, names: number): string[] {
  const dice = diceFor(SEED, 'keystrokes')
  return Array.from({ length: names }, () => nameIn(release, dice)).flatMap((name) =>
    Array.from({ length: Math.min(name.length, MAX_LETTERS) }, (_, at) => name.slice(0, at + 1)).filter(
      (typed) => !typed.endsWith(' '),
    ),
  )
}

/** So many names, each with one typing error in a word of five letters or more. */
export function mistyped(release: Release, count: number): string[] {
  const dice = diceFor(SEED, 'typos')
  const typed: string[] = []
  while (typed.length < count) {
    const words = nameIn(release, dice).split(' ')
    const long = words.filter((word) => word.length >= 5)
    if (long.length === 0) continue
    const wrong = pick(dice, long)
    typed.push(words.map((word) => (word === wrong ? slip(word, dice) : word)).join(' '))
  }
  return typed
}

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz']

/** Two letters swapped, one left out, one doubled, or one replaced by another. */
function slip(word: string, dice: Dice): string {
  const at = 1 + dice(word.length - 2)
  const [before, letter, after] = [word.slice(0, at), word.charAt(at), word.slice(at + 1)]
  const slips = [
    before + after.charAt(0) + letter + after.slice(1),
    before + after,
    before + letter + letter + after,
    before + pick(dice, LETTERS) + after,
  ]
  return pick(dice, slips)
}
