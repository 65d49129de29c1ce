// Looking things up in numbers that ascend.

/** The place of the first number that is at least so large. */
export function firstFrom(ascending: Uint32Array, least: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ascending[middle] as number) < least) low = middle + 1
    else high = middle
  }
  return low
}

export function placeOf(ascending: Uint32Array, number: number): number | undefined {
  const place = firstFrom(ascending, number)
  return ascending[place] === number ? place : undefined
}
