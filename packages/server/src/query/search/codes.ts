// Codes as they are typed: whole ones of digits, and those that are the keys of records.
import { memoized } from '../../base/memoized.ts'
import type { Entity } from '../../catalog/entity.ts'
import { languageOfNames } from '../../catalog/languages/languages.ts'
import { codesOf } from '../../catalog/official-code.ts'
import { wordsOf } from '../../catalog/words.ts'
import type { Release } from '../../release/release.ts'

const DIGITS = /^[0-9]+$/
/** Longer than any code that is made of several. */
const MAX_DIGITS = 40

/** What was typed as one code, if it can be one: digits, with anything but letters between them. */
export function typedCode(typed: readonly string[]): string | undefined {
  const code = typed.join('')
  return DIGITS.test(code) && code.length <= MAX_DIGITS ? code : undefined
}

/**
 * What was typed as a code of an entity, without what says that it is one: words before it, such as its name, its title or "clave", or
 * the first letters of these, as in "U120304". Letters are a code where they are one word, or where that is said.
 */
export function typedCodeOf(entity: Entity, typed: readonly string[]): string | undefined {
  const { isCode } = languageOfNames(entity)
  const labels = labelsOf(entity)
  const start = typed.findIndex((word) => !labels.has(word) && !isCode(word))
  const words = start <= 0 ? typed : typed.slice(start)
  const digits = typedCode(words)
  const [first = '', ...more] = words
  const isOne = more.length === 0 || (LABELLED.test(first) && typedCode(more) !== undefined)
  if (digits !== undefined || (start <= 0 && !isOne)) return digits
  const text = words.join('')
  const [, letters = '', labelled] = LABELLED.exec(text) ?? []
  return labelled !== undefined && [...labels].some((label) => label.startsWith(letters))
    ? labelled
    : text.toUpperCase()
}

const LABELLED = /^(\p{L}+)([0-9]+)$/u

const labelsOf = memoized(
  (entity: Entity): ReadonlySet<string> =>
    new Set(
      codesOf(entity).flatMap(({ name, title = '' }) =>
        wordsOf(`${name} ${title}`).filter((word) => !DIGITS.test(word)),
      ),
    ),
)

/**
 * The positions of the records that have what was typed as a code, in whatever case and with any signs between its letters.
 * Only where codes are the key: where records have numbers, the letters of a code are rather those of a name.
 */
export function positionsWithKeyCode(release: Release, entity: Entity, typed: readonly string[]): number[] {
  const codes = keyCodesOf(entity)
  if (codes.length === 0) return []
  const { index } = release.entity(entity.name)
  const { words, inCodes } = index.words
  const numbers = typed.map((word) => words.indexOf(word))
  const sizeOf = (word: number | undefined) =>
    word === undefined ? 0 : (inCodes.starts[word + 1] as number) - (inCodes.starts[word] as number)
  if (numbers.includes(undefined)) return []
  const rarest = numbers.toSorted((a, b) => sizeOf(a) - sizeOf(b))[0]
  if (rarest === undefined || sizeOf(rarest) > MAX_COMPARED_CODES) return []
  const columns = codes.map((field) => index.column(field)).filter((column) => column.kind === 'text')
  const written = typed.join(' ')
  return Array.from(inCodes.positions.subarray(inCodes.starts[rarest], inCodes.starts[rarest + 1])).filter((position) =>
    columns.some(({ texts, values }) => wordsOf(texts.text(values[position] as number)).join(' ') === written),
  )
}

/** The fields that are codes, where one of them is in the key. */
const keyCodesOf = memoized(({ fields, key }: Entity): readonly string[] => {
  const codes = Object.keys(fields).filter((field) => fields[field]?.kind === 'code')
  return key.some((field) => codes.includes(field)) ? codes : []
})

/** Where more codes have every word of what was typed, it is too little to be one of them. */
const MAX_COMPARED_CODES = 1_000
