// Misspells names as people do: with slips of the fingers, by ear, cut short and put together.

import { spanish } from '../packages/server/src/catalog/languages/spanish.ts'
import { pick, type Random, times } from '../packages/server/src/source/synthetic/random.ts'

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz']

/** One letter swapped with its neighbour, left out, doubled or replaced, in a word of four letters or more. */
export function withTypo(text: string, random: Random): string | undefined {
  const words = text.split(' ')
  const long = words.flatMap((word, at) => (word.length >= 4 ? at : []))
  if (long.length === 0) return undefined
  const at = pick(random, long)
  const word = words[at] as string
  const place = 1 + random(word.length - 2)
  const [before, letter, after] = [word.slice(0, place), word.charAt(place), word.slice(place + 1)]
  words[at] = pick(random, [
    before + after.charAt(0) + letter + after.slice(1),
    before + after,
    before + letter + letter + after,
    before + pick(random, LETTERS) + after,
  ])
  const typed = words.join(' ')
  return typed === text ? undefined : typed
}

/** Spelling by ear: some letters for others that sound alike. */
const BY_EAR: readonly (readonly [RegExp, string])[] = [
  [/v/, 'b'],
  [/b/, 'v'],
  [/z/, 's'],
  [/s(?=[aou])/, 'z'],
  [/c(?=[ei])/, 's'],
  [/ll/, 'y'],
  [/y(?=[aeou])/, 'll'],
  [/(?<!c)h/, ''],
  [/qu(?=[ei])/, 'k'],
  [/g(?=[ei])/, 'j'],
  [/j(?=[ei])/, 'g'],
  [/x/, 's'],
]

export function byEar(text: string, random: Random): string | undefined {
  const usable = BY_EAR.filter(([from]) => from.test(text))
  if (usable.length === 0) return undefined
  return times(1 + random(2), () => pick(random, usable)).reduce(
    (spelled, [from, to]) => spelled.replace(from, to),
    text,
  )
}

/** Every word by its shortest abbreviation, if it has one, with a mark behind it. */
export function abbreviated(text: string, mark: () => string): string | undefined {
  const words = text.split(' ').map((word) => {
    const short = spanish.otherForms(word).filter((form) => form.length < word.length && form.length > 1)[0]
    return short === undefined ? word : `${short}${mark()}`
  })
  const typed = words.join(' ')
  return typed === text ? undefined : typed.toUpperCase()
}

/** Two words written as one. */
export function glued(text: string, random: Random): string | undefined {
  const words = text.split(' ')
  if (words.length < 2) return undefined
  const at = random(words.length - 1)
  return [...words.slice(0, at), `${words[at]}${words[at + 1]}`, ...words.slice(at + 2)].join(' ')
}
