// Looks a number up in numbers that ascend.

/** Its index, or -1. */
export function indexInAscending(ascending: Uint32Array, number: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ascending[middle] as number) < number) low = middle + 1
    else high = middle
  }
  return ascending[low] === number ? low : -1
}
