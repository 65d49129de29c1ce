// Finds the values of one column that a filter means: equal ones, beginnings, numbers and dates within bounds, lists that contain one.

import { indexInAscending } from '../base/binary-search.ts'
import { checkpoint } from '../base/checkpoint.ts'
import { parseJsonWithDigits } from '../base/json.ts'
import { memoized } from '../base/memoized.ts'
import type { IndexColumn } from '../release/index/index-file.ts'
import type { SortedTexts } from '../release/index/sorted-texts.ts'
import { compareDates, isWithinDate } from './dates.ts'

/** A condition on a value, whichever record has it. */
export type ValueMatch = 'equals' | 'begins' | 'min' | 'max' | 'contains'

type Values = readonly (string | number)[]
type ValueColumn = Exclude<IndexColumn, { kind: 'embed' }>

/** The numbers of the values that a filter means, ascending. */
export function wantedIn(column: ValueColumn, match: ValueMatch, values: Values): Uint32Array {
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
function bounded(column: ValueColumn, match: 'min' | 'max', bound: string | number): Uint32Array {
  if (column.kind === 'text') return datesBounded(column.texts, match, String(bound))
  if (column.kind !== 'number fact') throw new Error('only numbers and dates have bounds')
  const { known } = column
  const limit = Number(bound)
  const below = known.findIndex((number) => (match === 'min' ? number >= limit : number > limit))
  const [from, to] = match === 'min' ? [below, known.length] : [0, below === -1 ? known.length : below]
  return from === -1 ? new Uint32Array() : Uint32Array.from({ length: to - from }, (_, at) => from + at)
}

/** A day is at most the month or year that it is in. */
function datesBounded(texts: SortedTexts, match: 'min' | 'max', bound: string): Uint32Array {
  const isWithin = (date: string) =>
    match === 'min' ? compareDates(date, bound) >= 0 : compareDates(date, bound) <= 0 || isWithinDate(date, bound)
  return numbersWhere(texts, (text) => text !== '' && isWithin(text))
}

function numbersWhere(texts: SortedTexts, holds: (text: string) => boolean): Uint32Array {
  const numbers: number[] = []
  eachText(texts, (text, number) => {
    if (holds(text)) numbers.push(number)
  })
  return Uint32Array.from(numbers)
}

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
    for (const element of new Set(elements.map(elementText))) {
      const known = lists.get(element)
      if (known === undefined) lists.set(element, [number])
      else known.push(number)
    }
  })
  return lists
})

const elementText = (element: unknown) => (typeof element === 'string' ? element : JSON.stringify(element))

/** True if the value is the prefix and more, so that whatever begins with it begins with the prefix too. */
const isLongerThan = (value: string | number, prefix: string | number): boolean =>
  value !== prefix && String(value).startsWith(String(prefix))

function numbersOf(column: ValueColumn, match: ValueMatch, value: string | number): number[] {
  if (column.kind === 'number fact') return [column.known.indexOf(Number(value))].filter((at) => at !== -1)
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
