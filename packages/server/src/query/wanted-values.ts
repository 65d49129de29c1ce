// Finds the values of one column that a filter means: equal ones, beginnings, numbers and dates within bounds, lists that contain one.
import { firstWhich, indexInAscending, lowerBound } from '../base/binary-search.ts'
import { checkpoint } from '../base/checkpoint.ts'
import { parseJsonWithDigits } from '../base/json.ts'
import { memoized } from '../base/memoized.ts'
import type { IndexColumn } from '../release/index/index-file.ts'
import type { SortedTexts } from '../release/index/sorted-texts.ts'
import { compareDates, datePartsOf, isAfter } from './dates.ts'

/** A condition on a value, whichever record has it. */
export type ValueMatch = 'equals' | 'begins' | 'min' | 'max' | 'contains'

type Values = readonly (string | number)[]
type ValueColumn = Exclude<IndexColumn, { kind: 'embed' }>

/** Values of a column from one number to just before another. */
export type Span = { readonly from: number; readonly to: number }

/** Numbers of values, ascending. */
export type WantedValues = Uint32Array | Span

/** The values that a filter means. */
export function wantedIn(column: ValueColumn, match: ValueMatch, values: Values): WantedValues {
  const [only] = values
  if (match === 'min' || match === 'max') return bounded(column, match, only as string | number)
  if (match === 'contains') return listsWith(column, values)
  if (values.length === 1 && only !== undefined) return new Uint32Array(numbersOf(column, match, only))
  const flags = new Uint8Array(column.starts.length - 1)
  let count = 0
  for (const value of new Set(values)) {
    if (match === 'begins' && values.some((prefix) => isLongerThan(value, prefix))) continue
    for (const number of numbersOf(column, match, value)) {
      if (flags[number] === 0) count++
      flags[number] = 1
    }
  }
  const wanted = new Uint32Array(count)
  for (let number = 0, used = 0; used < count; number++) if (flags[number] === 1) wanted[used++] = number
  return wanted
}

/** The values within a bound; a missing value is within none. */
function bounded(column: ValueColumn, match: 'min' | 'max', bound: string | number): WantedValues {
  if (column.kind === 'text') return datesBounded(column.texts, match, String(bound))
  if (column.kind !== 'number fact') throw new Error('only numbers and dates have bounds')
  const { known } = column
  const limit = Number(bound)
  if (match === 'min') return { from: lowerBound(known, limit), to: known.length }
  return { from: 0, to: firstWhich((at) => (known[at] as number) > limit, 0, known.length) }
}

/** A day is at most the month or year that it is in. */
function datesBounded(texts: SortedTexts, match: 'min' | 'max', bound: string): WantedValues {
  const limit = datePartsOf(bound)
  const order = dateOrder(texts)
  const size = order?.length ?? texts.size
  const dateAt = (at: number) => datePartsOf(texts.text(order?.[at] ?? at))
  const isPast =
    match === 'min' ? (at: number) => compareDates(dateAt(at), limit) >= 0 : (at: number) => isAfter(dateAt(at), limit)
  // An unknown value is the empty text, which is the first.
  const first = order === undefined && size > 0 && texts.lengthOf(0) === 0 ? 1 : 0
  const edge = firstWhich(isPast, first, size)
  const span = match === 'min' ? { from: edge, to: size } : { from: first, to: edge }
  return order === undefined ? span : order.slice(span.from, span.to).sort()
}

/** The numbers of the dates from the earliest to the latest; undefined where they are stored in this order, as most are. */
const dateOrder = memoized((texts: SortedTexts): Uint32Array | undefined => {
  const dates: { readonly number: number; readonly parts: ReturnType<typeof datePartsOf> }[] = []
  let isAscending = true
  eachText(texts, (text, number) => {
    if (text === '') return
    const parts = datePartsOf(text)
    const last = dates.at(-1)
    if (last !== undefined && compareDates(last.parts, parts) > 0) isAscending = false
    dates.push({ number, parts })
  })
  if (isAscending) return undefined
  return Uint32Array.from(
    dates.sort((a, b) => compareDates(a.parts, b.parts)),
    ({ number }) => number,
  )
})

function eachText(texts: SortedTexts, visit: (text: string, number: number) => void): void {
  for (let number = 0; number < texts.size; number++) {
    if ((number & CHECKED_EVERY) === 0) checkpoint()
    visit(texts.text(number), number)
  }
}

/** Number of texts between two checkpoints, less one. */
const CHECKED_EVERY = 0xfff

function listsWith(column: ValueColumn, values: Values): Uint32Array {
  if (column.kind !== 'text') throw new Error('only lists contain something')
  const lists = listsByElement(column.texts)
  return Uint32Array.from(new Set(values.flatMap((value) => lists.get(String(value)) ?? []))).sort()
}

/** The lists that have each element, as a text: those of numbers are their digits. */
const listsByElement = memoized((texts: SortedTexts): ReadonlyMap<string, readonly number[]> => {
  const lists = new Map<string, number[]>()
  eachText(texts, (text, number) => {
    const elements = text === '' ? [] : (parseJsonWithDigits(text) as unknown[])
    for (const element of new Set(elements.map(elementText))) lists.getOrInsertComputed(element, () => []).push(number)
  })
  return lists
})

const elementText = (element: unknown) => (typeof element === 'string' ? element : JSON.stringify(element))

/** True if the value is the prefix and more, so that whatever begins with it begins with the prefix too. */
const isLongerThan = (value: string | number, prefix: string | number): boolean =>
  value !== prefix && String(value).startsWith(String(prefix))

function numbersOf(column: ValueColumn, match: ValueMatch, value: string | number): number[] {
  if (column.kind === 'number fact') {
    const at = lowerBound(column.known, Number(value))
    return column.known[at] === Number(value) ? [at] : []
  }
  if (column.kind === 'text fact') return [column.known.indexOf(value as string)].filter((at) => at !== -1)
  if (column.kind === 'number') return [indexInAscending(column.numbers, value as number)].filter((at) => at !== -1)
  const text = value as string
  if (match === 'equals') return [column.texts.find(text) ?? -1].filter((at) => at !== -1)
  const [from, to] = column.texts.range(text)
  const alike = Array.from({ length: to - from }, (_, at) => from + at)
  if (column.texts.isOwnKey(text) && areOwnKeys(column.texts)) return alike
  return alike.filter((number) => column.texts.text(number).startsWith(text))
}

/** True if every text is its own sort key, as codes of digits are: a range of keys then is a range of beginnings. */
const areOwnKeys = memoized((texts: SortedTexts): boolean => {
  for (let number = 0; number < texts.size; number++) if (!texts.isOwnKey(texts.text(number))) return false
  return true
})
