// The language of a page: the choice by the request, its words, and its way to write numbers and dates.
import type { RequestHeaders } from '../http/exchange.ts'
import { LANGUAGE_PARAMETER } from './links.ts'
import { type Words, words } from './words/words.ts'

export type LanguageCode = keyof typeof words

/** The languages in the order in which they are offered; the first is used when in doubt. */
export const LANGUAGES = Object.keys(words) as readonly LanguageCode[]
const DEFAULT_LANGUAGE: LanguageCode = 'es'

export type PageLanguage = {
  readonly code: LanguageCode
  /** The language as it is written in a country, by which a browser writes numbers as the pages do. */
  readonly locale: string
  readonly words: Words
  readonly number: (value: number) => string
  /** A number with at most so many decimals. */
  readonly decimal: (value: number, digits: number) => string
  /** A number as it was written, with all of its digits. */
  readonly numeral: (text: string) => string
  /** The day of a time in ISO 8601. */
  readonly date: (time: string) => string
  /** The day with hour and minute, where several may be of one day. */
  readonly moment: (time: string) => string
  readonly compare: (a: string, b: string) => number
  /** The name of a language by its tag (BCP 47), or else the tag. */
  readonly languageName: (tag: string) => string
}

/** Spanish as it is written in Mexico, English as it is written in the United States. */
const LOCALES: Readonly<Record<LanguageCode, string>> = { es: 'es-MX', en: 'en-US' }

const languages = new Map<LanguageCode, PageLanguage>()

/** Formatters take long to make and are made once. */
export function languageOf(code: LanguageCode): PageLanguage {
  const made = languages.get(code)
  if (made !== undefined) return made
  const locale = LOCALES[code]
  const number = new Intl.NumberFormat(locale)
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
  const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
  const collator = new Intl.Collator(locale)
  const languageNames = new Intl.DisplayNames(locale, { type: 'language' })
  const separators = separatorsOf(number)
  const decimals = new Map<number, Intl.NumberFormat>()
  const decimalFormat = (digits: number) => {
    const format = decimals.get(digits) ?? new Intl.NumberFormat(locale, { maximumFractionDigits: digits })
    decimals.set(digits, format)
    return format
  }
  const language: PageLanguage = {
    code,
    locale,
    words: words[code],
    number: cached((value) => number.format(value)),
    decimal: (value, digits) => decimalFormat(digits).format(value),
    numeral: (text) => numeralIn(separators, text),
    date: (time) => date.format(new Date(time)),
    moment: (time) => `${moment.format(new Date(time))} UTC`,
    compare: (a, b) => collator.compare(a, b),
    languageName: (tag) => nameOfLanguage(languageNames, tag),
  }
  languages.set(code, language)
  return language
}

/** A list may give its languages any tag. */
function nameOfLanguage(names: Intl.DisplayNames, tag: string): string {
  try {
    return names.of(tag) ?? tag
  } catch {
    return tag
  }
}

type Separators = { readonly group: string; readonly decimal: string }

function separatorsOf(format: Intl.NumberFormat): Separators {
  const parts = format.formatToParts(1_234_567.8)
  const separator = (type: string) => parts.find((part) => part.type === type)?.value ?? ''
  return { group: separator('group'), decimal: separator('decimal') }
}

const PLAIN_NUMBER = /^(-?)([0-9]+)(?:\.([0-9]+))?$/

/** A number with an exponent stays as it is. */
function numeralIn({ group, decimal }: Separators, text: string): string {
  const [, sign, whole, fraction] = PLAIN_NUMBER.exec(text) ?? []
  if (whole === undefined) return text
  const grouped = whole.replace(/\B(?=(?:[0-9]{3})+$)/g, group)
  return `${sign === '-' ? '−' : ''}${grouped}${fraction === undefined ? '' : `${decimal}${fraction}`}`
}

const MAX_CACHED_NUMBERS = 10_000

/** A page has hundreds of numbers, many of them the same as on the page before. */
function cached(format: (value: number) => string): (value: number) => string {
  const texts = new Map<number, string>()
  return (value) => {
    let text = texts.get(value)
    if (text === undefined) {
      if (texts.size === MAX_CACHED_NUMBERS) texts.clear()
      text = format(value)
      texts.set(value, text)
    }
    return text
  }
}

export const isLanguage = (text: string | undefined): text is LanguageCode =>
  text !== undefined && Object.hasOwn(words, text)

/** The language that the address names, or else the cookie, or else the one that the browser prefers. */
export function requestedLanguage(named: string | undefined, headers: RequestHeaders): LanguageCode {
  if (isLanguage(named)) return named
  const cookie = COOKIE.exec(headers.get('cookie') ?? '')?.[1]
  return isLanguage(cookie) ? cookie : acceptedLanguage(headers.get('accept-language'))
}

const COOKIE = new RegExp(`(?:^|;\\s*)${LANGUAGE_PARAMETER}=([a-z]+)(?=;|$)`)

export const languageCookie = (code: LanguageCode): string =>
  `${LANGUAGE_PARAMETER}=${code}; Path=/; Max-Age=31536000; SameSite=Lax`

/** The language with the highest quality; of equal ones the first that the header names. */
export function acceptedLanguage(header: string | undefined): LanguageCode {
  let best: LanguageCode = DEFAULT_LANGUAGE
  let highest = 0
  for (const member of header?.split(',') ?? []) {
    const [range = '', ...parameters] = member.split(';').map((part) => part.trim().toLowerCase())
    const [primary] = range.split('-')
    const quality = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1)
    if (!isLanguage(primary) || !(quality > highest)) continue
    best = primary
    highest = quality
  }
  return best
}
