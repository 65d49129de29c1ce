// Sorts texts by their bytes, without making an object of any of them.

/** Texts one after the other in one buffer, none with a zero byte; each ends where the next begins. */
export type FlatTexts = { readonly bytes: Buffer; readonly offsets: Uint32Array }

const BYTES_PER_KEY = 4

/**
 * The numbers of the texts in the order of their bytes; equal texts in the order of their numbers.
 *
 * This is a multikey quicksort. A range of texts that have their first `depth` bytes in common is divided in three by the
 * next four bytes of one of them: texts with less, the same, and more in their place. The first and the last part are
 * divided again at the same depth, the middle one four bytes deeper.
 */
export function byteOrder(texts: FlatTexts): Uint32Array {
  const count = texts.offsets.length - 1
  const order = new Uint32Array(count)
  for (let number = 0; number < count; number++) order[number] = number
  /** For each place in the order, the four bytes of its text at the depth of its range. */
  const keys = new Int32Array(count)
  readKeys(texts, order, keys, 0, count, 0)
  /** The ranges still to be sorted, as three numbers each: from, to, depth. */
  const ranges: number[] = [0, count, 0]
  while (ranges.length > 0) {
    const depth = ranges.pop() as number
    const to = ranges.pop() as number
    const from = ranges.pop() as number
    if (to - from < 2) continue
    const pivot = medianOf(keys[from] as number, keys[(from + to) >>> 1] as number, keys[to - 1] as number)
    let lessEnd = from
    let moreStart = to
    for (let at = from; at < moreStart; ) {
      const key = keys[at] as number
      if (key < pivot) swap(order, keys, at++, lessEnd++)
      else if (key > pivot) swap(order, keys, at, --moreStart)
      else at++
    }
    ranges.push(from, lessEnd, depth, moreStart, to, depth)
    if (isEnd(pivot)) order.subarray(lessEnd, moreStart).sort()
    else if (moreStart - lessEnd > 1) {
      readKeys(texts, order, keys, lessEnd, moreStart, depth + BYTES_PER_KEY)
      ranges.push(lessEnd, moreStart, depth + BYTES_PER_KEY)
    }
  }
  return order
}

/** Turned over, the topmost bit of four bytes makes their order that of signed numbers. */
const TOPMOST_BIT = 1 << 31

/** After the end of a text its key is filled up with zero bytes. */
function readKeys(
  { bytes, offsets }: FlatTexts,
  order: Uint32Array,
  keys: Int32Array,
  from: number,
  to: number,
  depth: number,
): void {
  for (let at = from; at < to; at++) {
    const number = order[at] as number
    const start = (offsets[number] as number) + depth
    const end = offsets[number + 1] as number
    let key = 0
    for (let place = start; place < start + BYTES_PER_KEY; place++) {
      key = (key << 8) | (place < end ? (bytes[place] as number) : 0)
    }
    keys[at] = key ^ TOPMOST_BIT
  }
}

/** True if texts with this key end within it, and so are equal. */
const isEnd = (key: number): boolean => (key & 0xff) === 0

function swap(order: Uint32Array, keys: Int32Array, a: number, b: number): void {
  const number = order[a] as number
  const key = keys[a] as number
  order[a] = order[b] as number
  keys[a] = keys[b] as number
  order[b] = number
  keys[b] = key
}

const medianOf = (a: number, b: number, c: number) => Math.max(Math.min(a, b), Math.min(Math.max(a, b), c))
