// Random catalogs of names that are alike, and what someone might type to find them, for the laws of the search.
import fc from 'fast-check'

export type RandomSearch = {
  readonly names: readonly string[]
  readonly typed: readonly string[]
}

/** Few letters, so that many words begin alike or are an edit apart. */
const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 9 })

type Slip = { readonly place: number; readonly how: 'whole' | 'prefix' | 'left out' | 'doubled' | 'swapped' }

const slip: fc.Arbitrary<Slip> = fc.record({
  place: fc.nat({ max: 8 }),
  how: fc.constantFrom('whole', 'whole', 'whole', 'prefix', 'prefix', 'left out', 'doubled', 'swapped'),
})

/** A word as it may be typed. */
function typedAs(word: string, { place, how }: Slip): string {
  const at = place % word.length
  switch (how) {
    case 'prefix':
      return word.slice(0, at + 1)
    case 'left out':
      return word.length === 1 ? word : word.slice(0, at) + word.slice(at + 1)
    case 'doubled':
      return word.slice(0, at + 1) + word.slice(at)
    case 'swapped':
      return (
        word.slice(0, at) +
        word
          .slice(at, at + 2)
          .split('')
          .reverse()
          .join('') +
        word.slice(at + 2)
      )
    default:
      return word
  }
}

/** Some names of a few words each, and one to four words to search for. */
export const randomSearch = (maxNames: number): fc.Arbitrary<RandomSearch> =>
  fc.uniqueArray(word, { minLength: 2, maxLength: 10 }).chain((vocabulary) => {
    // The first words are frequent, as in real names.
    const known = fc.oneof(fc.constantFrom(...vocabulary.slice(0, 2)), fc.constantFrom(...vocabulary))
    return fc.record({
      names: fc.array(
        fc.array(known, { minLength: 1, maxLength: 5 }).map((words) => words.join(' ')),
        { minLength: 1, maxLength: maxNames, size: 'max' },
      ),
      typed: fc.array(
        fc.tuple(known, slip).map(([one, how]) => typedAs(one, how)),
        { minLength: 1, maxLength: 4 },
      ),
    })
  })
