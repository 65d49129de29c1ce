// Counts the rows that are resolved to the records that they mean, by the kind and the form of the rows.
import { type Resolution, resolveRow } from '../../packages/server/src/query/resolve/resolve.ts'
import type { Release } from '../../packages/server/src/release/release.ts'
import type { DirtyRow } from './dirty-rows.ts'

export type RowScore = {
  rows: number
  /** Rows that are called exact or sure, and those of them that are wrong. */
  sure: number
  wrong: number
  /** Rows with the right record as the best candidate, whatever the verdict. */
  first: number
  milliseconds: number
}

export type Correctness = {
  readonly kinds: ReadonlyMap<string, RowScore>
  readonly forms: ReadonlyMap<string, RowScore>
  readonly total: RowScore
  /** The resolution of each row. */
  readonly resolutions: readonly Resolution[]
  /** The rows that are called exact or sure, and are wrong. */
  readonly misses: readonly string[]
}

const noScore = (): RowScore => ({ rows: 0, sure: 0, wrong: 0, first: 0, milliseconds: 0 })
const isSure = (verdict: string) => verdict === 'exact' || verdict === 'sure'

/** Resolves rows; free text may mean records of these entities, or else of any. */
export function scoreRows(release: Release, rows: Iterable<DirtyRow>, names?: readonly string[]): Correctness {
  const kinds = new Map<string, RowScore>()
  const forms = new Map<string, RowScore>()
  const total = noScore()
  const resolutions: Resolution[] = []
  const misses: string[] = []
  for (const { kind, row, entity, position, written } of rows) {
    const started = performance.now()
    const resolution = resolveRow(release, row, names === undefined ? {} : { names })
    const milliseconds = performance.now() - started
    resolutions.push(resolution)
    const { verdict, record } = resolution
    const isRight = record?.name === entity && record.position === position
    if (isSure(verdict) && !isRight) misses.push(`${kind}: “${written}”`)
    const form = 'text' in row ? 'free text' : 'parts'
    for (const score of [scoreIn(kinds, kind), scoreIn(forms, form), total]) {
      score.rows++
      score.milliseconds += milliseconds
      if (isRight) score.first++
      if (!isSure(verdict)) continue
      score.sure++
      if (!isRight) score.wrong++
    }
  }
  return { kinds, forms, total, resolutions, misses }
}

function scoreIn(scores: Map<string, RowScore>, key: string): RowScore {
  const score = scores.get(key) ?? noScore()
  scores.set(key, score)
  return score
}
