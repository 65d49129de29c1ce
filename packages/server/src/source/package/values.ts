// Values of columns as Table Schema writes them, as the text that a row has for them.
import { own, parseJsonWithDigits } from '../../base/json.ts'
import type { ValueType } from '../../catalog/entity.ts'
import type { ValueFormat } from './descriptor.ts'

/** Gives what the row has; undefined where the text is not of the type. */
export type ValueReader = (text: string) => string | undefined

/** How a value that is published as one type is read from a column of the declared one. */
export function valueReader(type: ValueType, format: ValueFormat): ValueReader {
  switch (type) {
    case 'text':
      return (text) => text
    case 'integer':
      return numberReader(format, (digits) => wholeNumber(digits))
    case 'number':
      return numberReader(format, (digits) => decimalNumber(digits))
    case 'boolean':
      return booleanReader(format)
    case 'date':
      return dateReader(format)
    case 'year':
      return (text) => yearOf(text)
    case 'list':
      return listReader(format)
  }
}

const WHOLE = /^([+-]?)0*([0-9]+)(?:\.0*)?$/
const DECIMAL = /^([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]{1,3}))?$/
const MAX_DIGITS = 100

/** Nearly all numbers are written as JSON writes them. */
const PLAIN_WHOLE = /^-?[1-9][0-9]{0,14}$/
const PLAIN_DECIMAL = /^-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,25})?$/

/** Without zeros before it; 12.0 is 12. */
function wholeNumber(text: string): string | undefined {
  if (PLAIN_WHOLE.test(text)) return text
  if (text.length > MAX_DIGITS) return undefined
  const [, sign, digits] = WHOLE.exec(text) ?? []
  if (digits === undefined) return undefined
  return sign === '-' && digits !== '0' ? `-${digits}` : digits
}

/** As JSON writes it, with all its digits: .5 is 0.5, and 1.50 stays. */
function decimalNumber(text: string): string | undefined {
  if (PLAIN_DECIMAL.test(text)) return text
  if (text.length > MAX_DIGITS) return undefined
  const [all, sign, whole = '', fraction = '', power] = DECIMAL.exec(text) ?? []
  if (all === undefined || (whole === '' && fraction === '')) return undefined
  const digits = whole.replace(/^0+(?=[0-9])/, '') || '0'
  const number = `${sign === '-' ? '-' : ''}${digits}${fraction === '' ? '' : `.${fraction}`}${power === undefined ? '' : `e${power}`}`
  return Number.isFinite(Number(number)) ? number : undefined
}

/** The sign of typesetters. */
const MINUS = '\u2212'

function numberReader(
  { decimalChar = '.', groupChar, bareNumber = true }: ValueFormat,
  read: ValueReader,
): ValueReader {
  if (decimalChar === '.' && groupChar === undefined && bareNumber)
    return (text) => read(text.startsWith(MINUS) ? text.replace(MINUS, '-') : text)
  return (given) => {
    let text = bareNumber ? given : given.replace(/^[^0-9+-]+/, '').replace(/[^0-9]+$/, '')
    if (groupChar !== undefined) text = text.replaceAll(groupChar, '')
    if (decimalChar !== '.') {
      if (text.includes('.')) return undefined
      text = text.replace(decimalChar, '.')
    }
    return read(text.replace(MINUS, '-'))
  }
}

const TRUE = ['true', 'True', 'TRUE', '1']
const FALSE = ['false', 'False', 'FALSE', '0']

function booleanReader({ trueValues = TRUE, falseValues = FALSE }: ValueFormat): ValueReader {
  const values = new Map([
    ...trueValues.map((text) => [text, 'true'] as const),
    ...falseValues.map((text) => [text, 'false'] as const),
  ])
  return (text) => values.get(text)
}

const yearOf: ValueReader = (text) => {
  const [, sign, digits] = /^([+-]?)0*([0-9]{1,6})$/.exec(text) ?? []
  return digits === undefined ? undefined : `${sign === '-' && digits !== '0' ? '-' : ''}${digits}`
}

/** Nearly all dates are written so, and are read without taking them apart. */
const PLAIN_DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/
const ISO_DATE = /^(-?[0-9]{4,6})-([0-9]{2})(?:-([0-9]{2}))?$/
const ISO_TIME =
  /^(-?[0-9]{4,6}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.[0-9]{1,9})?)?(Z|[+-][0-9]{2}:?[0-9]{2})?$/

/** ISO 8601, or the pattern of the format. A month without a day is a date too. */
function dateReader({ format }: ValueFormat): ValueReader {
  if (format === undefined || format === 'default' || format === 'any' || !format.includes('%')) return isoDate
  const pattern = datePattern(format)
  return (text) => (pattern === undefined ? isoDate(text) : pattern(text))
}

const isoDate: ValueReader = (text) => {
  if (PLAIN_DATE.test(text))
    return isDay(digitsOf(text, 0, 4), digitsOf(text, 5, 7), digitsOf(text, 8, 10)) ? text : undefined
  const [, year, month, day] = ISO_DATE.exec(text) ?? []
  if (year !== undefined && month !== undefined)
    return isDay(Number(year), Number(month), Number(day ?? '01')) ? text : undefined
  const [all, date = '', hour, minute, second] = ISO_TIME.exec(text) ?? []
  if (all === undefined || isoDate(date) === undefined) return undefined
  if (Number(hour) > 24 || Number(minute) > 59 || Number(second ?? 0) > 60) return undefined
  return text.replace(' ', 'T')
}

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

const ZERO = 0x30

/** The number that digits of a text stand for. */
function digitsOf(text: string, start: number, end: number): number {
  let number = 0
  for (let at = start; at < end; at++) number = number * 10 + text.charCodeAt(at) - ZERO
  return number
}

export function isDay(year: number, month: number, day: number): boolean {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const days = MONTH_DAYS[month - 1] ?? 0
  return day >= 1 && day <= (month === 2 && isLeap ? 29 : days)
}

const DIRECTIVES: Readonly<Record<string, string>> = {
  Y: '(?<Y>[0-9]{4})',
  y: '(?<y>[0-9]{2})',
  m: '(?<m>[0-9]{1,2})',
  d: '(?<d>[0-9]{1,2})',
  H: '(?<H>[0-9]{1,2})',
  M: '(?<M>[0-9]{1,2})',
  S: '(?<S>[0-9]{1,2})',
  b: '(?<b>[A-Za-z]{3})',
  B: '(?<b>[A-Za-z]{3,9})',
}
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const MAX_FORMAT = 50

/** Undefined where the format has something that is not known. Each part is of few digits, so it is matched at once. */
function datePattern(format: string): ValueReader | undefined {
  const parts = [...format.slice(0, MAX_FORMAT).matchAll(/%(.)|([^%]+)/g)]
  const names = parts.flatMap(([, directive]) => (directive === undefined ? [] : [directive]))
  if (names.some((name) => !Object.hasOwn(DIRECTIVES, name)) || new Set(names).size < names.length) return undefined
  const source = parts
    .map(([, name, text]) => (name === undefined ? RegExp.escape(text ?? '') : own(DIRECTIVES, name)))
    .join('')
  const pattern = new RegExp(`^${source}$`)
  return (text) => {
    const found = pattern.exec(text)?.groups
    return found === undefined ? undefined : composedDate(found)
  }
}

function composedDate(found: Readonly<Record<string, string | undefined>>): string | undefined {
  const two = (text: string | undefined) => (text ?? '').padStart(2, '0')
  // As POSIX has it: 69 to 99 are of the last century.
  const year = found.Y ?? (found.y === undefined ? undefined : `${Number(found.y) < 69 ? '20' : '19'}${found.y}`)
  const named = found.b === undefined ? undefined : MONTHS.indexOf(found.b.slice(0, 3).toLowerCase()) + 1
  const month = named === undefined ? found.m : named === 0 ? undefined : String(named)
  if (year === undefined || month === undefined) return undefined
  const date = `${year}-${two(month)}${found.d === undefined ? '' : `-${two(found.d)}`}`
  return isoDate(found.H === undefined ? date : `${date}T${two(found.H)}:${two(found.M)}:${two(found.S)}`)
}

/** A list of JSON, or values with a sign between them. */
function listReader({ delimiter = ',', type }: ValueFormat): ValueReader {
  return (text) => {
    if (text.startsWith('[') || type === 'array') return jsonList(text)
    const items = text.split(delimiter).map((item) => item.trim())
    return JSON.stringify(items.filter((item) => item !== ''))
  }
}

function jsonList(text: string): string | undefined {
  try {
    const value = parseJsonWithDigits(text)
    return Array.isArray(value) ? JSON.stringify(value) : undefined
  } catch {
    return undefined
  }
}

/** The numbers of a place that stand in one column, such as "19.43, -99.13", [19.43, -99.13] or {"lon": …, "lat": …}. */
export function partOfPair(text: string, part: 0 | 1, format: string | undefined): string | undefined {
  if (format === 'object' || text.startsWith('{')) {
    const named = new RegExp(part === 0 ? '"(?:lon|lng|longitude)"' : '"(?:lat|latitude)"')
    const [, number] = new RegExp(`${named.source}\\s*:\\s*"?(-?[0-9.]{1,25})`).exec(text) ?? []
    return number === undefined ? undefined : decimalNumber(number)
  }
  const numbers = text.replace(/^[[(]\s*|\s*[\])]$/g, '').split(/\s*[,;]\s*|\s+/)
  return numbers.length === 2 ? decimalNumber(numbers[part] as string) : undefined
}
