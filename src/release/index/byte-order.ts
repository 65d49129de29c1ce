// Puts many texts in order by their bytes, without making a single object of them.

/** Texts one after the other in one buffer, none with a zero byte; each ends where the next begins. */
export type FlatTexts = { readonly bytes: Buffer; readonly offsets: Uint32Array }

const STEP = 4
const TOPMOST = 1 << 31

/**
 * The numbers of the texts in the order of their bytes; equal ones in the order of their numbers. It is a three-way
 * radix quicksort, which takes four bytes at a time: texts that begin alike are told apart by what follows alone.
 */
export function byteOrder(texts: FlatTexts): Uint32Array {
  const count = texts.offsets.length - 1
  const order = new Uint32Array(count)
  for (let number = 0; number < count; number++) order[number] = number
  /** The four bytes of each text at the depth of its part. */
  const keys = new Int32Array(count)
  readKeys(texts, order, keys, 0, count, 0)
  const waiting: number[] = [0, count, 0]
  while (waiting.length > 0) {
    const depth = waiting.pop() as number
    const to = waiting.pop() as number
    const from = waiting.pop() as number
    if (to - from < 2) continue
    const pivot = middleOf(keys[from] as number, keys[(from + to) >>> 1] as number, keys[to - 1] as number)
    let below = from
    let above = to
    for (let at = from; at < above; ) {
      const key = keys[at] as number
      if (key < pivot) swap(order, keys, at++, below++)
      else if (key > pivot) swap(order, keys, at, --above)
      else at++
    }
    waiting.push(from, below, depth, above, to, depth)
    // A zero byte stands for the end: these texts are equal.
    if ((pivot & 0xff) === 0) order.subarray(below, above).sort()
    else if (above - below > 1) {
      readKeys(texts, order, keys, below, above, depth + STEP)
      waiting.push(below, above, depth + STEP)
    }
  }
  return order
}

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
    const end = offsets[number + 1] as number
    let key = 0
    for (let place = (offsets[number] as number) + depth, read = 0; read < STEP; read++, place++) {
      key = (key << 8) | (place < end ? (bytes[place] as number) : 0)
    }
    // As signed numbers they are in the order of their bytes once the topmost bit is turned over.
    keys[at] = key ^ TOPMOST
  }
}

function swap(order: Uint32Array, keys: Int32Array, a: number, b: number): void {
  const number = order[a] as number
  const key = keys[a] as number
  order[a] = order[b] as number
  keys[a] = keys[b] as number
  order[b] = number
  keys[b] = key
}

const middleOf = (a: number, b: number, c: number) => Math.max(Math.min(a, b), Math.min(Math.max(a, b), c))
