// Seeded random numbers, and what is invented with them: names, identifiers, sizes. Only whole numbers are used, so that
// every machine invents the same.

/** Gives a whole number from 0 up to, but not including, the limit. */
export type Random = (limit: number) => number

/** Mulberry32. */
export function randomFrom(seed: number): Random {
  let state = seed
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}

/** Started from the seed and the purpose (FNV-1a), so that no two purposes share a sequence. */
export function randomFor(seed: number, purpose: string): Random {
  let state = seed ^ 0x811c9dc5
  for (let index = 0; index < purpose.length; index++) state = Math.imul(state ^ purpose.charCodeAt(index), 0x01000193)
  return randomFrom(state)
}

export const pick = <T>(random: Random, list: readonly T[]): T => list[random(list.length)] as T

export function shuffled<T>(random: Random, list: readonly T[]): T[] {
  const rest = [...list]
  return list.map(() => rest.splice(random(rest.length), 1)[0] as T)
}

export const times = <T>(count: number, make: (position: number) => T): T[] =>
  Array.from({ length: count }, (_, position) => make(position))

/** Picks one position in every `stride`, beginning at a random one of the first `stride`. */
export function everyNth(random: Random, stride: number): (position: number) => boolean {
  const first = random(stride)
  return (position) => position % stride === first
}

export const numbered = (value: number, width: number) => String(value).padStart(width, '0')

/** Ascending identifiers, with a gap before every fifth. */
export function identifiers(random: Random, count: number): number[] {
  let last = random(9)
  return times(count, (position) => {
    last += position % 5 === 4 ? 2 + random(3) : 1
    return last
  })
}

/** Splits a total into whole parts in proportion to the weights; the parts add up to the total. */
export function split(total: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((a, b) => a + b, 0)
  let weight = 0
  let previous = 0
  return weights.map((ownWeight) => {
    weight += ownWeight
    const part = Math.floor((total * weight) / sum) - previous
    previous += part
    return part
  })
}

/** Gives each parent at least one child, and some up to nine times as many as others; numbers the children of each. */
export function childrenOf<T>(random: Random, parents: readonly T[], count: number): { parent: T; ordinal: number }[] {
  const weights = parents.map(() => 1 + random(9))
  const others = split(count - parents.length, weights)
  return parents.flatMap((parent, position) =>
    times(1 + (others[position] as number), (index) => ({ parent, ordinal: index + 1 })),
  )
}

const STARTS = ['ñan', 'xil', 'bru', 'zel', 'huim', 'gor', 'vel', 'tzin', 'quel', 'dra', 'mer', 'lun', 'fos', 'wer']
const ENDS = ['dú', 'mí', 'zoá', 'beño', 'rúa', 'lix', 'nára', 'güí', 'thé', 'drel', 'polña', 'xúm']
const WORDS = 256

function inventedWord(random: Random): string {
  const word = pick(random, STARTS) + (random(2) === 0 ? pick(random, STARTS) : '') + pick(random, ENDS)
  return word.charAt(0).toUpperCase() + word.slice(1)
}

type Quirk = readonly [before: string, after: string]

/** Texts before and after an invented name that make real names hard for software. */
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

/** Invents the names of one entity: a form, an invented word and a number, and a quirk for one name in every `stride`. */
export function nameMaker(random: Random, forms: readonly string[], stride: number) {
  const words = times(WORDS, () => inventedWord(random))
  const quirks = shuffled(random, QUIRKS)
  const isQuirky = everyNth(random, stride)
  return (position: number, number: string): string => {
    const plain = `${pick(random, forms)} ${pick(random, words)} ${number}`
    if (!isQuirky(position)) return plain
    const [before, after] = quirks[Math.floor(position / stride) % quirks.length] as Quirk
    return before + plain + after
  }
}
