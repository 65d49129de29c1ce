// Records that may have been retired before they were published: by the definition of their list, more of them may go at once.
import { factsOf } from '../catalog/entity.ts'
import { diffJson } from './diff.ts'
import type { Release } from './release.ts'

/** As a sample of the localities that ship with the program has it. */
const EXPECTED_SHARE_RETIRED = 0.25

/** True if no more are gone of the records that may have been retired, and of the others, than of either may. */
export function areMostlyDoubtful(older: Release, newer: Release, name: string, maxShare: number): boolean {
  const definition = older.catalog.entities.get(name)
  const facts = definition === undefined ? [] : factsOf(definition)
  const [field, doubtful] = facts.flatMap(([name, fact]) =>
    fact.type === 'text' && fact.doubtful !== undefined ? [name, fact.doubtful] : [],
  )
  if (field === undefined) return false
  const { index, count } = older.entity(name)
  const column = index.column(field)
  if (column.kind !== 'text fact') return false
  const value = column.known.indexOf(doubtful as string)
  const doubtfulBefore = value < 0 ? 0 : (column.starts[value + 1] as number) - (column.starts[value] as number)
  const gone = { doubtful: 0, others: 0 }
  for (const change of diffJson(older, newer, name, { embed: 'id', withoutLostFacts: true }))
    if (change !== undefined && change.new === undefined)
      gone[column.values[change.oldAt] === value ? 'doubtful' : 'others']++
  return (
    gone.doubtful <= doubtfulBefore * (EXPECTED_SHARE_RETIRED + maxShare) &&
    gone.others <= (count - doubtfulBefore) * maxShare
  )
}
