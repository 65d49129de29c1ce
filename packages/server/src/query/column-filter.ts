// A filter as values of one column: how many records have one of them, which they are, and whether one does.
import type { IndexColumn } from '../release/index/index-file.ts'
import type { Span, WantedValues } from './wanted-values.ts'

/** A filter as values of one column of the entity itself. */
export type ColumnFilter = { readonly column: IndexColumn; readonly wanted: WantedValues }
export type Test = (position: number) => boolean
/** A condition on records: how many satisfy it, which do, and whether one does. */
export type Condition = { readonly count: number; positions(): Uint32Array; test(): Test }

/** Both bounds of a column are one span of its values. */
export function intersected(filters: readonly ColumnFilter[]): ColumnFilter[] {
  const spans = new Map<IndexColumn, Span>()
  const others: ColumnFilter[] = []
  for (const { column, wanted } of filters) {
    if (wanted instanceof Uint32Array) others.push({ column, wanted })
    else {
      const { from, to } = spans.get(column) ?? wanted
      spans.set(column, { from: Math.max(from, wanted.from), to: Math.min(to, wanted.to) })
    }
  }
  return [...others, ...Array.from(spans, ([column, wanted]) => ({ column, wanted }))]
}

export const conditionOf = (filter: ColumnFilter): Condition => ({
  count: recordsOf(filter),
  positions: () => positionsOf(filter),
  test: () => testOf(filter),
})

/** The number of records that pass. */
function recordsOf({ column: { starts }, wanted }: ColumnFilter): number {
  if (!(wanted instanceof Uint32Array))
    return wanted.to > wanted.from ? (starts[wanted.to] as number) - (starts[wanted.from] as number) : 0
  let records = 0
  for (let at = 0; at < wanted.length; at++) {
    const value = wanted[at] as number
    records += (starts[value + 1] as number) - (starts[value] as number)
  }
  return records
}

/** Above this share of all records, testing each of them is cheaper than sorting. */
const MANY = 1 / 8

/** The positions of the records that pass, ascending. A single value has a posting list, of which nothing is copied. */
export function positionsOf(filter: ColumnFilter): Uint32Array {
  const { column, wanted } = filter
  const count = recordsOf(filter)
  if (count === 0) return new Uint32Array()
  const postings = (from: number, to: number) => column.positions.subarray(column.starts[from], column.starts[to])
  const isList = wanted instanceof Uint32Array
  const [first, last] = isList ? [wanted[0] as number, wanted.at(-1) as number] : [wanted.from, wanted.to - 1]
  if (first === last) return postings(first, first + 1)
  const positions = new Uint32Array(count)
  let used = 0
  if (count > column.values.length * MANY) {
    const test = testOf(filter)
    for (let position = 0; position < column.values.length; position++) if (test(position)) positions[used++] = position
    return positions
  }
  if (!isList) positions.set(postings(first, last + 1))
  else
    for (const value of wanted) {
      const list = postings(value, value + 1)
      positions.set(list, used)
      used += list.length
    }
  return positions.sort()
}

function testOf({ column: { values, starts }, wanted }: ColumnFilter): Test {
  if (!(wanted instanceof Uint32Array)) {
    const { from, to } = wanted
    return (position) => {
      const value = values[position] as number
      return value >= from && value < to
    }
  }
  if (wanted.length === 1) {
    const only = wanted[0]
    return (position) => values[position] === only
  }
  const flags = new Uint8Array(starts.length - 1)
  for (const value of wanted) flags[value] = 1
  return (position) => flags[values[position] as number] === 1
}
