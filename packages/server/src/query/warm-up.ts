// What the first requests would have to wait for: tables that are computed once for a release, and code that is not compiled yet.

import type { Release } from '../release/release.ts'
import { entityNames } from './resolve/entity-names.ts'
import { type RowToResolve, resolveRow } from './resolve/resolve.ts'
import { ancestorAt, ancestorLevels } from './search/ancestor-match.ts'
import { searchAcross } from './search/search.ts'

/** Of so many records of a collection one is asked for, and so many at most: small collections take no time. */
const RECORDS_FOR_ROW = 1_000
const MAX_ROWS = 16

/** Searches and resolves as the first requests would, a step at a time, so that whoever has a request does not wait for all of it. */
export async function warmUp(release: Release): Promise<void> {
  const names = [...release.catalog.collections.values()].map(({ name }) => name)
  for (const name of names) {
    await Bun.sleep(0)
    searchAcross(release, ['a'], [[name, []]], 1)
  }
  for (const row of names.flatMap((name) => sampleRows(release, name))) {
    await Bun.sleep(0)
    resolveRow(release, row)
  }
}

/** Rows that mean some records of a collection, all over it, as people write them: each way that there is takes tables of its own. */
export function sampleRows(release: Release, name: string): RowToResolve[] {
  const { count, definition } = release.entity(name)
  const levels = ancestorLevels(release, definition).toReversed()
  const rows = Math.min(Math.floor(count / RECORDS_FOR_ROW), MAX_ROWS)
  return Array.from({ length: rows }, (_, row) => {
    const position = Math.floor((row * count) / rows)
    const above = levels.flatMap((level): [string, string][] => {
      const at = ancestorAt(level, position)
      return at === level.none ? [] : [[level.entity, nameAt(release, level.entity, at)]]
    })
    return asWritten(above, [name, nameAt(release, name, position)], row)
  })
}

const nameAt = (release: Release, name: string, position: number): string =>
  entityNames(release, release.entity(name).definition).texts(position)[0] ?? ''

type Part = readonly [name: string, text: string]

/** In turn: to the letter, misspelt, without what it lies in, and as one text with commas and without. */
function asWritten(above: readonly Part[], own: Part, turn: number): RowToResolve {
  const [name, text] = own
  const misspelt: Part = [name, text.slice(0, 3) + text.slice(4)]
  const all = [...above, own].map(([, text]) => text)
  const ways: readonly RowToResolve[] = [
    { parts: new Map([...above, own]) },
    { parts: new Map([...above, misspelt]) },
    { parts: new Map([...above.slice(0, -1), own]) },
    { text: all.join(', ') },
    { text: all.join(' ') },
  ]
  return ways[turn % ways.length] as RowToResolve
}
