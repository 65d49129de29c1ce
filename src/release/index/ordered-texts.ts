// Puts the texts of a table in order by their keys, and those with the same key by themselves.
import { byteOrder } from './byte-order.ts'
import { NumberList } from './number-list.ts'
import type { TextTable } from './text-table.ts'
import { tidyAfter } from './tidy.ts'

export type OrderedTexts = {
  /** The numbers of the texts, in order. */
  readonly order: Uint32Array
  /** For each place the number of its key: texts that differ only in accents or case have the same. */
  readonly groups: Uint32Array
}

export function orderTexts(table: TextTable, keyOf: (text: string) => string): OrderedTexts {
  const keys = keysOf(table, keyOf)
  const order = byteOrder(keys, table.size)
  const groups = new Uint32Array(table.size)
  const isSame = (a: number, b: number) =>
    keys.bytes.compare(keys.bytes, keys.offsets[a], keys.offsets[a + 1], keys.offsets[b], keys.offsets[b + 1]) === 0
  let group = 0
  for (let place = 1; place < order.length; place++) {
    if (!isSame(order[place - 1] as number, order[place] as number)) group++
    groups[place] = group
  }
  sortWithinGroups(table, order, groups)
  return { order, groups }
}

/** The keys of all texts, one after the other. */
function keysOf(
  table: TextTable,
  keyOf: (text: string) => string,
): { readonly bytes: Buffer; readonly offsets: Uint32Array } {
  let bytes: Buffer = Buffer.allocUnsafeSlow(table.bytes + 1_024)
  const offsets = new NumberList(table.size + 1)
  let used = 0
  offsets.push(0)
  for (let number = 0; number < table.size; number++) {
    const key = keyOf(table.text(number))
    if (used + key.length * 3 > bytes.length)
      bytes = Buffer.concat([bytes, Buffer.alloc(bytes.length + key.length * 3)])
    used += bytes.write(key, used)
    offsets.push(used)
    tidyAfter(number)
  }
  return { bytes, offsets: offsets.array }
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
