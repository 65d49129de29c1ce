// Posting lists: the positions that have each value, one list after the other.

export type Postings = {
  /** The place where the list of each value begins, and after the last one where it ends. */
  readonly starts: Uint32Array
  /** Each list in ascending order. */
  readonly positions: Uint32Array
}

/** Each entry is the value at its position. */
export function postingsOf(values: Uint32Array, count: number): Postings {
  const starts = new Uint32Array(count + 1)
  for (let entry = 0; entry < values.length; entry++) {
    const after = (values[entry] as number) + 1
    starts[after] = (starts[after] as number) + 1
  }
  for (let value = 0; value < count; value++)
    starts[value + 1] = (starts[value + 1] as number) + (starts[value] as number)
  const next = starts.slice(0, count)
  const positions = new Uint32Array(values.length)
  for (let position = 0; position < values.length; position++) {
    const value = values[position] as number
    const place = next[value] as number
    positions[place] = position
    next[value] = place + 1
  }
  return { starts, positions }
}
