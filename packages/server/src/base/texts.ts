// The classes of texts from outside: what each may be, wherever it is sent or shown afterwards.
import { isSafePattern } from './safe-pattern.ts'
import { type Schema, such } from './schema.ts'

/** Letters that no line has: control characters, line ends, half letters, and marks that turn the direction of what follows. */
const NOT_IN_A_LINE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]/u
const NOT_IN_A_PARAGRAPH = /(?![\t\r\n])[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u

const MAX_LINE = 500
const MAX_PARAGRAPH = 20_000
const MAX_LANGUAGE_TAG = 35
const MAX_FIELD_NAME = 200

const textSuch = (max: number, expected: string, isSuch: (text: string) => boolean): Schema<string> =>
  such(expected, (value): value is string => typeof value === 'string' && value.length <= max && isSuch(value))

/** A name or title: one line that has something in it. */
export const line = textSuch(
  MAX_LINE,
  `a line of at most ${MAX_LINE} letters, without control characters`,
  (text) => text.trim() !== '' && !NOT_IN_A_LINE.test(text),
)

export const paragraph = textSuch(
  MAX_PARAGRAPH,
  `a text of at most ${MAX_PARAGRAPH} letters, without control characters`,
  (text) => !NOT_IN_A_PARAGRAPH.test(text),
)

export const isLanguageTag = (text: string): boolean =>
  text.length <= MAX_LANGUAGE_TAG && /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/.test(text)

/** A language by its tag (BCP 47), as far as its form says that it is one. */
export const languageTag = textSuch(MAX_LANGUAGE_TAG, 'a language tag such as es or pt-BR', isLanguageTag)

/** The names that every object has would be found in rows that do not give them. */
export const isFieldName = (text: string): boolean =>
  text !== '' && text.length <= MAX_FIELD_NAME && !NOT_IN_A_LINE.test(text) && !(text in Object.prototype)

export const fieldName = textSuch(
  MAX_FIELD_NAME,
  `a name of at most ${MAX_FIELD_NAME} letters, without control characters, that not every object has`,
  isFieldName,
)

/** The name of an entity: it stands in checksums, in paths of files and in queries. */
export const entityName = textSuch(64, 'a letter and then up to 63 letters, digits, hyphens or underscores', (text) =>
  /^[A-Za-z][A-Za-z0-9_-]*$/.test(text),
)

/** The name of a list in paths. */
export const collectionName = textSuch(
  64,
  'a small letter and then up to 63 small letters, digits or hyphens, such as postal-offices',
  (text) => /^[a-z][a-z0-9-]*$/.test(text),
)

/** A regular expression that the runtime matches without going back again and again. */
export const pattern = textSuch(
  MAX_LINE,
  'a regular expression without references, looks around, and repetitions of what repeats',
  isSafePattern,
)

const MAX_ADDRESS = 2_000

/** An address of the web. */
export const address = textSuch(
  MAX_ADDRESS,
  `an address of at most ${MAX_ADDRESS} letters that begins with http:// or https://`,
  (text) => /^https?:\/\//i.test(text) && !NOT_IN_A_LINE.test(text) && URL.canParse(text),
)

const MAX_PACKAGE_NAME = 200

/** The name of a package: it stands in commands and in paths. */
export const packageName = textSuch(
  MAX_PACKAGE_NAME,
  `one word of at most ${MAX_PACKAGE_NAME} letters that can be part of a path, and is no name that every object has`,
  (text) => /^[^\s/\\]+$/.test(text) && !/^\.\.?$/.test(text) && isFieldName(text),
)

const SHA256 = /^[0-9a-f]{64}$/

/** A digest in small hexadecimal digits. */
export const sha256 = textSuch(64, 'the 64 hexadecimal digits of a SHA-256', (text) => SHA256.test(text))

/** A time of this century, as programs write it. */
export const moment = textSuch(
  30,
  'a time from 2000 to 2099, such as 2026-01-31T12:00:00.000Z',
  (text) => /^20\d\d-\d\d-\d\dT[\d:.]+Z$/.test(text) && !Number.isNaN(Date.parse(text)),
)
