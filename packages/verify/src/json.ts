// Values of JSON whose shape is not known.
import type { ContractEntity } from './contract.ts'

export type ParsedObject = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is ParsedObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value at the end of a path through objects. */
export const valueAt = (value: unknown, steps: readonly string[]): unknown =>
  steps.reduce((at, step) => (isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined), value)

/** The key or the code of a record as text, in which an embedded record stands for its own identifier; undefined if a part is missing. */
export function partsOf(entity: ContractEntity, which: 'key' | 'code', record: unknown): string | undefined {
  const parts = entity[which].map((name) => {
    const field = entity.fields[name]
    return valueAt(record, field?.kind === 'embed' ? [name, field.entity.key[0]] : [name])
  })
  return parts.some((part) => part === undefined || part === null) ? undefined : parts.map(String).join('/')
}

/** The number that decimal digits write, without zeros before it; undefined for any other text. */
export const parseWholeNumber = (text: string): number | undefined =>
  /^(?:0|[1-9][0-9]{0,14})$/.test(text) ? Number(text) : undefined

/** A value of JSON, and what its text shows. */
export type ParsedJson = {
  readonly value: unknown
  /** The number of names that stand in its objects, repeated ones too. */
  readonly names: number
  /** The first number that is written with a fraction or an exponent: to many clients it is no integer, whatever its value. */
  readonly fraction: string | undefined
}

/** Values in values beyond this depth are taken for no JSON: whatever goes through them would go too deep. */
const MAX_DEPTH = 100
const NUMBER = /-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const BLANKS = [' ', '\t', '\r', '\n']

/** Parses JSON, reading each letter once; throws a SyntaxError if it is none. */
export function parseJson(text: string): ParsedJson {
  let [depth, names] = [0, 0]
  let fraction: string | undefined
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] as string
    if (letter === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === '\\') at++
      while (BLANKS.includes(text[at + 1] ?? '')) at++
      if (text[at + 1] === ':') names++
    } else if (letter === '[' || letter === '{') {
      if (++depth > MAX_DEPTH) throw new SyntaxError(`more than ${MAX_DEPTH} values in each other`)
    } else if (letter === ']' || letter === '}') depth--
    else if (letter === '-' || (letter >= '0' && letter <= '9')) {
      NUMBER.lastIndex = at
      const number = NUMBER.exec(text)?.[0] ?? letter
      if (/[.eE]/.test(number)) fraction ??= number
      at += number.length - 1
    }
  }
  return { value: JSON.parse(text), names, fraction }
}
