// The naive way to find records, one after the other in memory. The index must find the same.
import { type Entity, type FactValue, factsOf, type OfficialCode } from '../../packages/server/src/catalog/entity.ts'
import type { PublishedRecord } from '../../packages/server/src/catalog/flatten.ts'
import { isNaming } from '../../packages/server/src/catalog/languages/languages.ts'
import { pathsOf, type RecordPath } from '../../packages/server/src/catalog/paths.ts'
import { wordsOf } from '../../packages/server/src/catalog/words.ts'
import type { Release } from '../../packages/server/src/release/release.ts'
import type { GivenRow } from '../../packages/server/src/source/source.ts'

const decoder = new TextDecoder()

export function recordsOf(release: Release, name: string): PublishedRecord[] {
  const { count, records } = release.entity(name)
  return Array.from({ length: count }, (_, position) => JSON.parse(decoder.decode(records.record(position))))
}

/** Records with the facts of the rows that they were made from, null for missing ones. */
export function recordsWithFacts(
  entity: Entity,
  records: readonly PublishedRecord[],
  rows: readonly GivenRow[],
): PublishedRecord[] {
  const paths = entity.key.map((name) => pathsOf(entity).get(name) as RecordPath)
  const rowOf = new Map(rows.map((row) => [entity.key.map((name) => row[name]).join(), row]))
  return records.map((record) => {
    const row = rowOf.get(paths.map((path) => valueAt(record, path)).join())
    const facts = factsOf(entity).map(([name]) => [name, (row?.[name] as FactValue | undefined) ?? null])
    return { ...record, ...Object.fromEntries(facts) }
  })
}

/** The official codes that are no fields of a record, put together as they are written; null where there is none. */
export function naiveCodes(entity: Entity, record: PublishedRecord): Record<string, string | null> {
  const codes = (entity.codes ?? []).filter(({ name }) => entity.fields[name] === undefined)
  return Object.fromEntries(codes.map((code) => [code.name, naiveCode(entity, record, code)]))
}

function naiveCode(entity: Entity, record: PublishedRecord, { parts }: OfficialCode): string | null {
  let text = ''
  for (const { field, width, values } of parts) {
    const definition = entity.fields[field]
    const value = record[field]
    if (definition?.kind === 'embed') {
      const above = naiveCode(definition.entity, value as PublishedRecord, definition.entity.codes?.[0] as OfficialCode)
      if (above === null) return null
      text += above
      continue
    }
    const own = (values === undefined ? String(value) : (values[String(value)] ?? '')).padStart(width ?? 0, '0')
    if (own === '' || own.length !== (width ?? own.length)) return null
    text += own
  }
  return text
}

/** The value at a path; an embedded record stands for its identifier, and a missing fact is empty. */
export function valueAt(record: PublishedRecord, { steps, field }: RecordPath): string | number {
  const value = steps.reduce<PublishedRecord[string]>((inner, step) => (inner as PublishedRecord)[step] ?? '', record)
  if (field.kind !== 'embed') return value as string | number
  return (value as PublishedRecord)[field.entity.key[0] as string] as number
}

/** Letters that are their own in Unicode, and others in the eyes of most. */
const ALIKE: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ł: 'l', ı: 'i' }

const plain = (letter: string) => {
  const lower = letter.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return ALIKE[lower] ?? lower
}

/** Letters without their accents, in lower case; ñ after n and everything that follows it. */
const spanish = (text: string) =>
  [...text.normalize('NFC')].map((letter) => (/[ñÑ]/.test(letter) ? 'n\u{10ffff}' : plain(letter))).join('')

const keys = new Map<string, Buffer>()

function keyOf(text: string): Buffer {
  const key = keys.get(text) ?? Buffer.from(spanish(text))
  keys.set(text, key)
  return key
}

function compareValues(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return Buffer.compare(keyOf(String(a)), keyOf(String(b)))
}

export type NaiveFilter = {
  readonly path: RecordPath
  readonly match: 'equals' | 'begins' | 'min' | 'max'
  readonly values: readonly string[]
}

export function passes(record: PublishedRecord, { path, match, values }: NaiveFilter): boolean {
  const value = valueAt(record, path)
  const isMatch = {
    equals: (wanted: string) => String(value) === wanted,
    begins: (wanted: string) => String(value).startsWith(wanted),
    min: (wanted: string) => value !== '' && Number(value) >= Number(wanted),
    max: (wanted: string) => value !== '' && Number(value) <= Number(wanted),
  }
  return values.some(isMatch[match])
}

export type NaiveSort = { readonly path: RecordPath; readonly descending: boolean }

/** The first sort counts for more than the second. Sorting is stable, so that ties stay in the order of their positions. */
export const sortedBy = (records: readonly PublishedRecord[], sorts: readonly NaiveSort[]): PublishedRecord[] =>
  records.toSorted((a, b) => {
    for (const { path, descending } of sorts) {
      const [first, second] = [valueAt(a, path), valueAt(b, path)]
      // Missing values come last in either direction.
      if (['fact', 'derived'].includes(path.field.kind) && (first === '' || second === '') && first !== second)
        return first === '' ? 1 : -1
      const difference = compareValues(first, second)
      if (difference !== 0) return descending ? -difference : difference
    }
    return 0
  })

/** The folded words of a record's own names and codes. */
export const ownWords = (entity: Entity, record: PublishedRecord): string[] =>
  Object.entries(entity.fields).flatMap(([name, field]) =>
    isNaming(field) || field.kind === 'code' ? wordsOf((record[name] ?? '') as string) : [],
  )

export const allPaths = (entity: Entity): RecordPath[] => [...pathsOf(entity).values()]
