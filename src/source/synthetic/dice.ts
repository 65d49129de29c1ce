// The dice of the synthetic catalog, and what they decide: invented names, identifiers, sizes. Whole numbers only, so
// that every machine rolls the same.

/** Rolls a whole number from 0 up to, but not including, the one given. */
export type Dice = (below: number) => number

/** Mulberry32, started from the seed and what the dice are for (FNV-1a), so that no two purposes share their rolls. */
export function diceFor(seed: number, purpose: string): Dice {
  let state = seed ^ 0x811c9dc5
  for (let at = 0; at < purpose.length; at++) state = Math.imul(state ^ purpose.charCodeAt(at), 0x01000193)
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

export const pick = <T>(dice: Dice, list: readonly T[]): T => list[dice(list.length)] as T

export function shuffled<T>(dice: Dice, list: readonly T[]): T[] {
  const left = [...list]
  return list.map(() => left.splice(dice(left.length), 1)[0] as T)
}

/** Says yes to one position in every `stride`, the first of them anywhere among the first `stride`. */
export function everyNth(dice: Dice, stride: number): (position: number) => boolean {
  const first = dice(stride)
  return (position) => position % stride === first
}

export const times = <T>(count: number, make: (position: number) => T): T[] =>
  Array.from({ length: count }, (_, position) => make(position))

export const numbered = (value: number, width: number) => String(value).padStart(width, '0')

/** Ascending identifiers, with a gap before every fifth. */
export function identifiers(dice: Dice, count: number): number[] {
  let last = dice(9)
  return times(count, (position) => {
    last += position % 5 === 4 ? 2 + dice(3) : 1
    return last
  })
}

/** Splits a total into whole parts in proportion to the weights, and loses nothing. */
export function split(total: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((a, b) => a + b, 0)
  let weight = 0
  let given = 0
  return weights.map((own) => {
    weight += own
    const part = Math.floor((total * weight) / sum) - given
    given += part
    return part
  })
}

/** Gives each parent at least one child, and some up to nine times as many as others. */
export function offspring<T>(dice: Dice, parents: readonly T[], count: number): { parent: T; ordinal: number }[] {
  const weights = parents.map(() => 1 + dice(9))
  const others = split(count - parents.length, weights)
  return parents.flatMap((parent, at) => times(1 + (others[at] as number), (elder) => ({ parent, ordinal: elder + 1 })))
}

const STARTS = ['ñan', 'xil', 'bru', 'zel', 'huim', 'gor', 'vel', 'tzin', 'quel', 'dra', 'mer', 'lun', 'fos', 'wer']
const ENDS = ['dú', 'mí', 'zoá', 'beño', 'rúa', 'lix', 'nára', 'güí', 'thé', 'drel', 'polña', 'xúm']
const WORDS = 256

function inventedWord(dice: Dice): string {
  const word = pick(dice, STARTS) + (dice(2) === 0 ? pick(dice, STARTS) : '') + pick(dice, ENDS)
  return word.charAt(0).toUpperCase() + word.slice(1)
}

type Quirk = readonly [before: string, after: string]

/** What real names hold that trips software up, to be put before and after a name. */
const QUIRKS: readonly Quirk[] = [
  ['', ' [Ranchería]'],
  ['', ' (El Ñú)'],
  ['', ' [Granja (Anexo)]'],
  ['"La Fingida" ', ''],
  ['', ' "El Sueño"'],
  ['', ' Norte\\Sur'],
  ["D'", ''],
  ['', ' & Compañía'],
  ['', ' <Ampliación> a > b'],
  ['Ñuẍí ', ''],
  ['', ' Łąka'],
  ['', ' Ω'],
  ['', ' 中央'],
  ['', ' 🌵'],
]

/** Makes the names of one entity: a form, an invented word and a number, and a quirk for one name in every `stride`. */
export function namer(dice: Dice, forms: readonly string[], stride: number) {
  const words = times(WORDS, () => inventedWord(dice))
  const quirks = shuffled(dice, QUIRKS)
  const isQuirky = everyNth(dice, stride)
  return (position: number, number: string): string => {
    const plain = `${pick(dice, forms)} ${pick(dice, words)} ${number}`
    if (!isQuirky(position)) return plain
    const [before, after] = quirks[Math.floor(position / stride) % quirks.length] as Quirk
    return before + plain + after
  }
}
