// Puts the texts of a table in order, and lays them out for the index: their bytes, offsets, and which count as equal.
import type { TextTable } from './text-table.ts'

export type OrderedTexts = {
  /** The place of each text of the table. */
  readonly ranks: Uint32Array
  readonly bytes: Uint8Array
  readonly offsets: Uint32Array
  /** For each place the number of its sort key: texts that differ only in accents or case have the same. */
  readonly groups: Uint32Array
}

const SEPARATOR = '\u0000'

/**
 * By key, and those with the same key by themselves. Only texts whose keys begin alike are sorted together, so that
 * not all of them are in memory as texts at once.
 */
export function orderTexts(table: TextTable, keyOf: (text: string) => string): OrderedTexts {
  const ranks = new Uint32Array(table.size)
  const offsets = new Uint32Array(table.size + 1)
  const groups = new Uint32Array(table.size)
  let bytes = Buffer.alloc(1 << 16)
  let place = 0
  let group = -1
  for (const numbers of byBeginning(table, keyOf)) {
    const lines = Array.from(numbers, (number) => {
      const text = table.text(number)
      return [keyOf(text), text, number].join(SEPARATOR)
    }).sort()
    let last: string | undefined
    for (const line of lines) {
      const [key, text = '', number] = line.split(SEPARATOR)
      if (key !== last) group++
      last = key
      ranks[Number(number)] = place
      groups[place] = group
      const start = offsets[place] as number
      if (start + text.length * 3 > bytes.length)
        bytes = Buffer.concat([bytes, Buffer.alloc(bytes.length + text.length * 3)])
      offsets[++place] = start + bytes.write(text, start)
    }
  }
  return { ranks, bytes: bytes.subarray(0, offsets[place] as number), offsets, groups }
}

/** The numbers of the texts by the first character of their keys, in the order of those characters. */
function byBeginning(table: TextTable, keyOf: (text: string) => string): number[][] {
  const numbers = new Map<number, number[]>()
  for (let number = 0; number < table.size; number++) {
    const beginning = beginningOf(table.text(number), keyOf)
    const alike = numbers.get(beginning)
    if (alike === undefined) numbers.set(beginning, [number])
    else alike.push(number)
  }
  return [...numbers].sort(([a], [b]) => a - b).map(([, alike]) => alike)
}

const PLAIN = /^[ -~]{2}/

/** What stands before a plain character does not combine with it, and has a key of its own. */
function beginningOf(text: string, keyOf: (text: string) => string): number {
  return keyOf(PLAIN.test(text) ? text.charAt(0) : text).charCodeAt(0) || 0
}
