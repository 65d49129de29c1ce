// Texts in the order of a language: their sort keys, the order that follows from them, and how they are written.
import { LATIN_KEY_GROWS, type SortOrder } from '../../catalog/languages/order.ts'
import { ByteList } from './byte-list.ts'
import { byteOrder, type FlatTexts } from './byte-order.ts'
import { NumberList } from './number-list.ts'
import type { SectionWriter } from './sections.ts'
import type { TextTable } from './text-table.ts'

/** The sort keys of the texts of a table, in the order of their numbers. Room that is reserved and never used takes no memory. */
export function sortKeysOf(order: SortOrder, table: TextTable): FlatTexts {
  const { bytes, offsets } = table.flat
  const keys = new ByteList(Math.ceil(table.bytes * LATIN_KEY_GROWS))
  const ends = new NumberList(table.size + 1)
  ends.push(0)
  for (let number = 0; number < table.size; number++) {
    const [from, to] = [offsets[number] as number, offsets[number + 1] as number]
    const room = keys.room((to - from) * LATIN_KEY_GROWS)
    const end = order.latinSortKey(bytes, from, to, room, keys.length)
    if (end === undefined) {
      const key = Buffer.from(order.sortKey(table.text(number)))
      keys.push(key, 0, key.length)
    } else keys.grewTo(end)
    ends.push(keys.length)
  }
  return { bytes: keys.array, offsets: ends.array }
}

type OrderedTexts = {
  /** The numbers of the texts, in order. */
  readonly order: Uint32Array
  /** For each place the number of its key: texts that differ only in accents or case have the same. */
  readonly groups: Uint32Array
}

/** Orders texts by their keys, and those with the same key by themselves. The keys are in the order of the texts' numbers. */
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

function sortWithinGroups(table: TextTable, order: Uint32Array, groups: Uint32Array): void {
  const { bytes, offsets } = table.flat
  const byBytes = (a: number, b: number) => bytes.compare(bytes, offsets[b], offsets[b + 1], offsets[a], offsets[a + 1])
  for (let from = 0; from < order.length; ) {
    let to = from + 1
    while (to < order.length && groups[to] === groups[from]) to++
    if (to - from > 1) order.subarray(from, to).sort(byBytes)
    from = to
  }
}

/** The place of each text of the table in an order. */
export function ranksOf(order: Uint32Array): Uint32Array {
  const ranks = new Uint32Array(order.length)
  for (let place = 0; place < order.length; place++) ranks[order[place] as number] = place
  return ranks
}

/** Writes the texts of a table in some order: their bytes one after the other, and where each begins. */
export function writeTexts(
  file: SectionWriter,
  name: string,
  offsetsName: string,
  table: TextTable,
  order: Uint32Array,
): void {
  const { bytes, offsets } = table.flat
  const ordered = new Uint32Array(order.length + 1)
  file.addPieces(name, 'bytes', (put) => {
    for (let place = 0; place < order.length; place++) {
      const number = order[place] as number
      const [start, end] = [offsets[number] as number, offsets[number + 1] as number]
      ordered[place + 1] = (ordered[place] as number) + end - start
      put(bytes.subarray(start, end))
    }
  })
  file.add(offsetsName, ordered)
}
