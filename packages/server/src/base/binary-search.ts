// Looks a number up in numbers that ascend.

/** Its index, or -1. */
export function indexInAscending(ascending: Uint32Array, number: number): number {
  const index = lowerBound(ascending, number)
  return ascending[index] === number ? index : -1
}

/** The index of the first number that is not less, from one index to another, between which they ascend. */
export function lowerBound(ascending: Uint32Array | Float64Array, number: number, from = 0, to = ascending.length) {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ascending[middle] as number) < number) low = middle + 1
    else high = middle
  }
  return low
}

/** The first index, from one to another, for which a condition holds that holds for all that follow. */
export function firstWhich(holds: (index: number) => boolean, from: number, to: number): number {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
