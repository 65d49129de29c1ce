// Puts the texts of a table in order by their keys, and those with the same key by themselves.
import { byteOrder, type FlatTexts } from './byte-order.ts'
import type { TextTable } from './text-table.ts'

export type OrderedTexts = {
  /** The numbers of the texts, in order. */
  readonly order: Uint32Array
  /** For each place the number of its key: texts that differ only in accents or case have the same. */
  readonly groups: Uint32Array
}

/** By the keys of the texts, which are in the order of their numbers. */
export function orderTexts(table: TextTable, keys: FlatTexts): OrderedTexts {
  const order = byteOrder(keys)
  const groups = new Uint32Array(table.size)
  let group = 0
  for (let place = 1; place < order.length; place++) {
    if (!isSame(keys, order[place - 1] as number, order[place] as number)) group++
    groups[place] = group
  }
  sortWithinGroups(table, order, groups)
  return { order, groups }
}

/** Neighbours begin alike, so they are compared from their ends. */
function isSame({ bytes, offsets }: FlatTexts, a: number, b: number): boolean {
  const length = (offsets[a + 1] as number) - (offsets[a] as number)
  if (length !== (offsets[b + 1] as number) - (offsets[b] as number)) return false
  for (let at = 1; at <= length; at++) {
    if (bytes[(offsets[a + 1] as number) - at] !== bytes[(offsets[b + 1] as number) - at]) return false
  }
  return true
}

/** There are few of the same key. */
function sortWithinGroups(table: TextTable, order: Uint32Array, groups: Uint32Array): void {
  for (let from = 0; from < order.length; ) {
    let to = from + 1
    while (to < order.length && groups[to] === groups[from]) to++
    if (to - from > 1) {
      const alike = Array.from(order.subarray(from, to), (number) => ({
        number,
        text: Buffer.from(table.text(number)),
      }))
      alike.sort((a, b) => Buffer.compare(a.text, b.text))
      order.set(
        alike.map(({ number }) => number),
        from,
      )
    }
    from = to
  }
}

/** Where each text of the table stands in an order. */
export function ranksOf(order: Uint32Array): Uint32Array {
  const ranks = new Uint32Array(order.length)
  for (let place = 0; place < order.length; place++) ranks[order[place] as number] = place
  return ranks
}
