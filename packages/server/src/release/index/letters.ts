// Which letters a word has, as bits: words that differ in more of them than edits are allowed need not be compared.

const A = 0x61
const LETTERS = 26

/** A bit for each of a to z, and six bits that all other characters share. */
export function letterMask(word: string): number {
  let mask = 0
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at)
    const letter = code - A
    mask |= 1 << (letter >= 0 && letter < LETTERS ? letter : LETTERS + (code % 6))
  }
  return mask >>> 0
}

export function bitsOf(mask: number): number {
  let bits = mask - ((mask >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
