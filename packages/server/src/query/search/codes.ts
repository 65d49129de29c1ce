// The whole code of a record, as it is typed: official ones begin with those of the parents, that of a municipality with that
// of its state, and so on.
import { memoized } from '../../base/memoized.ts'
import { type Entity, embeddedAt } from '../../catalog/entity.ts'
import type { PublishedRecord } from '../../catalog/flatten.ts'
import { wordsOf } from '../../catalog/words.ts'
import { aliasesOf } from '../../release/aliases.ts'
import type { Column } from '../../release/index/index-file.ts'
import type { SortedTexts } from '../../release/index/sorted-texts.ts'
import type { Release } from '../../release/release.ts'

const DIGITS = /^[0-9]+$/
/** Longer than any code that is made of several. */
const MAX_DIGITS = 40

/** What was typed as one code, if it can be one: digits, with anything but letters between them. */
export function typedCode(typed: readonly string[]): string | undefined {
  const code = typed.join('')
  return DIGITS.test(code) && code.length <= MAX_DIGITS ? code : undefined
}

/** The positions of the records with this code, as it is composed of the codes of their parents and their own. */
export function positionsWithCode(release: Release, entity: Entity, code: string): number[] {
  const owner = entity.code.find((field) => entity.fields[field]?.kind === 'embed')
  const [own, ...more] = entity.code.filter((field) => field !== owner)
  if (own === undefined || more.length > 0) return []
  const { index } = release.entity(entity.name)
  const column = index.column(own)
  if (column.kind !== 'text') return []
  if (owner === undefined) return [...positionsWith(column, column.texts.find(code)), ...aliased(release, entity, code)]
  const parents = index.column(owner)
  const matches: number[] = []
  for (let split = 1; split < code.length; split++) {
    const value = column.texts.find(code.slice(split))
    if (value === undefined) continue
    for (const parent of positionsWithCode(release, embeddedAt(entity, owner), code.slice(0, split)))
      matches.push(...positionsWith(parents, parent).filter((position) => column.values[position] === value))
  }
  return matches
}

/**
 * The positions of the records that have what was typed as a code, in whatever case and with any signs between its letters.
 * Only where codes are the key: where records have numbers, the letters of a code are rather those of a name.
 */
export function positionsWithKeyCode(release: Release, entity: Entity, typed: readonly string[]): number[] {
  const { fields, key } = entity
  const codes = Object.keys(fields).filter((field) => fields[field]?.kind === 'code')
  if (!key.some((field) => codes.includes(field))) return []
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

/** Where more codes have every word of what was typed, it is too little to be one of them. */
const MAX_COMPARED_CODES = 1_000

const positionsWith = ({ starts, positions }: Column, value: number | undefined): number[] =>
  value === undefined ? [] : Array.from(positions.subarray(starts[value], starts[value + 1]))

/**
 * The whole official code of a record in its parts, those of its parents first. Undefined where it is not digits throughout,
 * or the codes of a level differ in length: in a row, such codes could not be told apart.
 */
export function wholeCodeOf(release: Release, entity: Entity, record: PublishedRecord): string[] | undefined {
  const { code, fields, name } = entity
  const owner = code.find((field) => fields[field]?.kind === 'embed')
  const [own, ...more] = code.filter((field) => field !== owner)
  if (own === undefined || more.length > 0 || fields[own]?.kind !== 'code') return undefined
  const ownCode = String(record[own])
  if (owner !== undefined) {
    const parts = wholeCodeOf(release, embeddedAt(entity, owner), record[owner] as PublishedRecord)
    return parts !== undefined && isFixedDigits(release, name, own) ? [...parts, ownCode] : undefined
  }
  if (isFixedDigits(release, name, own)) return [ownCode]
  const aliases = (aliasesOf(release, name)?.aliases ?? []).filter(({ code: of }) => of === ownCode)
  const number = aliases.find(({ alias }) => DIGITS.test(alias))?.alias
  return number === undefined ? undefined : [number]
}

function isFixedDigits(release: Release, name: string, field: string): boolean {
  const column = release.entity(name).index.column(field)
  return column.kind === 'text' && hasFixedDigits(column.texts)
}

/** Whether all codes are digits, and as many in each. */
const hasFixedDigits = memoized((codes: SortedTexts): boolean => {
  const { length } = codes.size === 0 ? '' : codes.text(0)
  for (let at = 0; at < codes.size; at++) {
    const code = codes.text(at)
    if (code.length !== length || !DIGITS.test(code)) return false
  }
  return true
})

/** A state has its number in official codes as an alias. */
function aliased(release: Release, { name }: Entity, code: string): number[] {
  const aliases = aliasesOf(release, name)
  return (aliases?.aliases ?? []).flatMap(({ alias }, at) => (alias === code ? [aliases?.positions[at] as number] : []))
}
