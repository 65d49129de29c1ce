// Which type the values of a column have: the one that is declared, or the narrowest that all of them fit.
import { memoized } from '../../base/memoized.ts'
import type { ValueType } from '../../catalog/entity.ts'
import type { ValueFormat } from './descriptor.ts'
import { allFit, type ProfiledColumn } from './guess-table.ts'
import { isOfOthers, namesCode, namesYear } from './guess-words.ts'
import { isDay, valueReader } from './values.ts'

/** What a type of Table Schema is published as. Others are text. */
const PUBLISHED: ReadonlyMap<string, ValueType> = new Map([
  ['integer', 'integer'],
  ['number', 'number'],
  ['boolean', 'boolean'],
  ['date', 'date'],
  ['datetime', 'date'],
  ['yearmonth', 'date'],
  ['year', 'year'],
  ['list', 'list'],
  ['array', 'list'],
])
export const valueTypeOf = ({ type }: ValueFormat): ValueType => PUBLISHED.get(type) ?? 'text'

const MAX_DIGITS = 15
export const isWholeNumber = (value: string): boolean =>
  /^-?(?:0|[1-9][0-9]*)$/.test(value) && value.length <= MAX_DIGITS
export const isDecimal = (value: string): boolean => /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/.test(value)
const isYear = (value: string) => /^(?:1[0-9]|20|21)[0-9]{2}$/.test(value)
const isTruth = (value: string) => /^(?:true|false)$/i.test(value)

/** Forms of dates, each with the positions of year, month and day. */
const DATES: readonly (readonly [format: string, form: RegExp, parts: readonly [number, number, number]])[] = [
  ['default', /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/, [1, 2, 3]],
  ['%Y/%m/%d', /^([0-9]{4})\/([0-9]{2})\/([0-9]{2})$/, [1, 2, 3]],
  ['%d/%m/%Y', /^([0-9]{2})\/([0-9]{2})\/([0-9]{4})$/, [3, 2, 1]],
  ['%m/%d/%Y', /^([0-9]{2})\/([0-9]{2})\/([0-9]{4})$/, [3, 1, 2]],
  ['%d.%m.%Y', /^([0-9]{2})\.([0-9]{2})\.([0-9]{4})$/, [3, 2, 1]],
  ['%d-%m-%Y', /^([0-9]{2})-([0-9]{2})-([0-9]{4})$/, [3, 2, 1]],
]

function hasForm(value: string, form: RegExp, [year, month, day]: readonly [number, number, number]): boolean {
  const match = form.exec(value)
  return match !== null && isDay(Number(match[year]), Number(match[month]), Number(match[day]))
}

/** The one form that all values have; undefined where none or more than one could be meant. */
function dateFormat(column: ProfiledColumn): string | undefined {
  const formats = DATES.filter(([, form, parts]) => allFit(column, (value) => hasForm(value, form, parts)))
  return formats.length === 1 ? formats[0]?.[0] : undefined
}

const readTime = valueReader('date', { type: 'datetime', missingValues: [] })
/** A day with a time, as in ISO 8601. */
const isTime = (value: string) =>
  value.length > '2020-01-31'.length && value.includes(':') && readTime(value) !== undefined

type Guessed = Pick<ValueFormat, 'type' | 'format'>
const TEXT: Guessed = { type: 'string' }

const guessedType = memoized((column: ProfiledColumn): Guessed => {
  const isCode = namesCode(column.words) || isOfOthers(column.words)
  if (!isCode && allFit(column, isYear) && namesYear(column.words)) return { type: 'year' }
  if (!isCode && allFit(column, isWholeNumber)) return { type: 'integer' }
  if (!isCode && allFit(column, isDecimal)) return { type: 'number' }
  if (allFit(column, isTruth)) return { type: 'boolean' }
  if (allFit(column, isTime)) return { type: 'datetime' }
  const format = dateFormat(column)
  return format === undefined ? TEXT : { type: 'date', ...(format === 'default' ? {} : { format }) }
})

const UNDECLARED = new Set([undefined, '', 'any', 'default'])

export const isTypeDeclared = ({ declared }: ProfiledColumn): boolean => !UNDECLARED.has(declared.type)

/** How the values of a column are read. */
export const formatOf = memoized((column: ProfiledColumn): ValueFormat => {
  const { declared, missingValues } = column
  const { type, format, decimalChar, groupChar, bareNumber, trueValues, falseValues, delimiter, constraints } = declared
  const given = { decimalChar, groupChar, bareNumber, trueValues, falseValues, delimiter, constraints, format }
  const kept = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const chosen = isTypeDeclared(column) ? { type: type as string } : guessedType(column)
  return { ...kept, ...chosen, missingValues }
})

/** As text, whatever is declared: codes and names keep their digits. */
export const textFormatOf = ({ declared: { constraints }, missingValues }: ProfiledColumn): ValueFormat => ({
  type: 'string',
  missingValues,
  ...(constraints === undefined ? {} : { constraints }),
})

/** Whether each value can be read as what it is declared to be; one that cannot may turn out to be none. */
export function isSureToFit(column: ProfiledColumn): boolean {
  const format = formatOf(column)
  const type = valueTypeOf(format)
  if (type === 'text' || !isTypeDeclared(column)) return true
  const read = valueReader(type, format)
  return allFit(column, (value) => read(value) !== undefined)
}

/** Whether its values are text that is neither declared nor looks like anything else. */
export const isTextual = (column: ProfiledColumn): boolean =>
  valueTypeOf(formatOf(column)) === 'text' && !allFit(column, isDecimal)

/** Whether they are numbers that were counted up, of which every one begins with another by chance. */
export function isSeries(codes: ReadonlySet<string>): boolean {
  let [min, max] = [Number.POSITIVE_INFINITY, 0]
  for (const code of codes) {
    if (!isWholeNumber(code)) return false
    min = Math.min(min, Number(code))
    max = Math.max(max, Number(code))
  }
  return (max - min + 1) / codes.size < 2
}
