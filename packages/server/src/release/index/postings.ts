// Posting lists: the positions that have each value, one list after the other.
import { NumberList } from './number-list.ts'

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

/** The posting lists of records that have several values each; a record that has a value twice stands once in its list. */
export function postingsOfRecords(values: Uint32Array, recordStarts: Uint32Array, count: number): Postings {
  const different = new NumberList(values.length)
  const owners = new NumberList(values.length)
  /** The last record that had each value, counted from one. */
  const last = new Uint32Array(count)
  for (let record = 0; record < recordStarts.length - 1; record++) {
    const end = recordStarts[record + 1] as number
    for (let at = recordStarts[record] as number; at < end; at++) {
      const value = values[at] as number
      if (last[value] === record + 1) continue
      last[value] = record + 1
      different.push(value)
      owners.push(record)
    }
  }
  const { starts, positions } = postingsOf(different.array, count)
  return { starts, positions: positions.map((entry) => owners.at(entry)) }
}
