// The official codes of a record: which there are, how each is written, and what it is in a record as it is published.
import { memoized } from '../base/memoized.ts'
import { type CodePart, type Entity, embeddedAt, type OfficialCode } from './entity.ts'
import type { PublishedRecord } from './flatten.ts'

/** Between the fields of a code that has no name of its own. */
const BETWEEN_FIELDS = '-'

/** The codes that people know the records of an entity by, the usual one first. */
export const codesOf = memoized((entity: Entity): readonly OfficialCode[] => {
  if (entity.codes !== undefined) return entity.codes
  const [first = '', ...more] = entity.code
  const description = entity.fields[first]?.description ?? ''
  if (more.length === 0) return [{ name: first, parts: [{ field: first }], description }]
  const parts = more.map((field) => ({ field }))
  return [{ name: '', parts: [{ field: first }, ...parts], separator: BETWEEN_FIELDS, description }]
})

/** The code that people mean when they say no more. */
export const usualCodeOf = (entity: Entity): OfficialCode => codesOf(entity)[0] as OfficialCode

/** The codes that are members of a record besides its fields: those that have a name, and are no field as it is. */
export const derivedCodesOf = memoized((entity: Entity): readonly OfficialCode[] =>
  codesOf(entity).filter(({ name }) => name !== '' && !Object.hasOwn(entity.fields, name)),
)

const DIGITS = /^[0-9]+$/

/** A value as it is written in a code; undefined where it cannot be a part of one. */
export function partText({ width, values }: CodePart, value: string | number): string | undefined {
  const given = String(value)
  const text = values === undefined ? given : Object.hasOwn(values, given) ? (values[given] as string) : ''
  if (text === '' || width === undefined || text.length === width) return text || undefined
  return text.length < width && DIGITS.test(text) ? text.padStart(width, '0') : undefined
}

/** All values that are written as this text in a code. */
export function valuesWritten({ width, values }: CodePart, text: string): string[] {
  if (text === '' || (width !== undefined && text.length !== width)) return []
  const shorter = width === undefined || !DIGITS.test(text) ? 0 : (/^0*(?=.)/.exec(text)?.[0].length ?? 0)
  const texts = Array.from({ length: shorter + 1 }, (_, zeros) => text.slice(zeros))
  if (values === undefined) return texts
  return Object.keys(values).filter((value) => texts.includes(values[value] as string))
}

/** The parts of a code put together; undefined where one is missing. */
export const joinedCode = ({ separator = '' }: OfficialCode, parts: readonly (string | undefined)[]) =>
  parts.includes(undefined) ? undefined : parts.join(separator)

/** The parts of the usual code of a record that is published with all that it embeds; undefined where one is missing. */
export function codePartsIn(entity: Entity, record: PublishedRecord): string[] | undefined {
  const parts = usualCodeOf(entity).parts.map((part) => {
    const value = record[part.field] ?? null
    if (value === null) return undefined
    if (entity.fields[part.field]?.kind === 'embed')
      return codePartsIn(embeddedAt(entity, part.field), value as PublishedRecord)
    const text = typeof value === 'object' ? undefined : partText(part, String(value))
    return text === undefined ? undefined : [text]
  })
  return parts.includes(undefined) ? undefined : parts.flatMap((part) => part ?? [])
}

/** The usual code of a record that is published with all that it embeds; undefined where it has none. */
export function codeIn(entity: Entity, record: PublishedRecord): string | undefined {
  const code = usualCodeOf(entity)
  const parts = code.parts.map((part) => {
    const value = record[part.field] ?? null
    if (value === null || typeof value !== 'object') return value === null ? undefined : partText(part, String(value))
    return entity.fields[part.field]?.kind === 'embed'
      ? codeIn(embeddedAt(entity, part.field), value as PublishedRecord)
      : undefined
  })
  return joinedCode(code, parts)
}
