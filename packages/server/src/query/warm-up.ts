// Prepares a process for its first requests: tables that are computed once for a release, and code that is not compiled yet.

import type { Release } from '../release/release.ts'
import { entityNames } from './resolve/entity-names.ts'
import { type RowToResolve, resolveRow } from './resolve/resolve.ts'
import { ancestorAt, ancestorLevels } from './search/ancestor-match.ts'
import { searchText } from './search/anchored.ts'

/** The number of records that a search suggests. */
const SUGGESTIONS = 5

/** The work that it is part of, which lets others go first. */
type Pausing = { pause(): Promise<void> | undefined }

/** Lists that are read beforehand: all of most homes, and of a home with very many the largest, whose tables take longest. */
const MAX_LISTS = 16

/** The lists that are read beforehand, in the order of the catalog. */
export function warmedLists(release: Release): readonly string[] {
  const names = [...release.catalog.collections.values()].map(({ name }) => name)
  const countOf = (name: string) => release.entity(name).count
  const largest = names.toSorted((a, b) => countOf(b) - countOf(a)).slice(0, MAX_LISTS)
  return names.filter((name) => largest.includes(name))
}

/** Resolves and searches what people may write, a step at a time. */
export async function warmUp(release: Release, work: Pausing): Promise<void> {
  const names = warmedLists(release)
  const levels = names.map((name) => [name, []] as const)
  for (const name of names)
    for (const row of sampleRows(release, name)) {
      await work.pause()
      resolveRow(release, row)
      const text = 'text' in row ? row.text : [...row.parts.values()].join(' ')
      // A person begins with one letter.
      for (const typed of [text.slice(0, 1), text]) {
        await work.pause()
        searchText(release, typed, levels, SUGGESTIONS)
      }
    }
}

/** The memory that compiled code takes, and that tables take for each record. */
const CODE_BYTES = 64 << 20
const BYTES_PER_RECORD = 250

/** About how much memory it takes; where a process may not have that much, what it made would be lost with the process. */
export function warmUpBytes(release: Release): number {
  const entities = [...release.catalog.entities.keys()].map((name) => release.entity(name))
  return entities.reduce((bytes, { count }) => bytes + count * BYTES_PER_RECORD, CODE_BYTES)
}

type Part = readonly [name: string, text: string]

/** How people write a record and what it is in: to the letter, misspelt, without its parent, and as one text with commas and without. */
const WAYS: readonly ((above: readonly Part[], own: Part) => RowToResolve)[] = [
  (above, own) => ({ parts: new Map([...above, own]) }),
  (above, [name, text]) => ({ parts: new Map([...above, [name, text.slice(0, 3) + text.slice(4)]]) }),
  (above, own) => ({ parts: new Map([...above.slice(0, -1), own]) }),
  (above, own) => ({ text: textsOf([...above, own]).join(', ') }),
  (above, own) => ({ text: textsOf([...above, own]).join(' ') }),
]

const textsOf = (parts: readonly Part[]): string[] => parts.map(([, text]) => text)

/** Records from all over a collection, one written in each way: each takes tables of its own. */
export function sampleRows(release: Release, name: string): RowToResolve[] {
  const { count, definition } = release.entity(name)
  const levels = ancestorLevels(release, definition).toReversed()
  const nameAt = (name: string, position: number): Part => [
    name,
    entityNames(release, release.entity(name).definition).texts(position)[0] ?? '',
  ]
  return WAYS.slice(0, count).map((write, way) => {
    const position = Math.floor((way * count) / WAYS.length)
    const above = levels.flatMap((level) => {
      const at = ancestorAt(level, position)
      return at === level.none ? [] : [nameAt(level.entity, at)]
    })
    return write(above, nameAt(name, position))
  })
}
