// The changes from one release to another: the number of changed records of each entity, with the first few of them.
import type { Entity } from '../catalog/entity.ts'
import type { RunningJob } from '../http/exchange.ts'
import { catalogOfBoth, diffJson, isRenumbered, type RecordChange, recordChange } from '../release/diff.ts'
import type { Release } from '../release/release.ts'

export type ChangeKind = RecordChange['change']

export type ChangeSummary = {
  readonly entity: Entity
  /** True if the two releases number its records differently, so that they cannot be compared. */
  readonly isRenumbered: boolean
  readonly kinds: Readonly<Record<ChangeKind, { readonly count: number; readonly examples: readonly RecordChange[] }>>
}

const MAX_EXAMPLES = 20
const MAX_SUMMARIES = 16
/** Summaries by the digests of both releases, the oldest first. */
const summaries = new Map<string, readonly ChangeSummary[]>()

/** The changes of each entity in which there are any. Releases never change, so this is kept for each pair. */
export async function summarizeChanges(
  older: Release,
  newer: Release,
  work?: RunningJob,
): Promise<readonly ChangeSummary[]> {
  const key = `${older.digest} ${newer.digest}`
  const kept = summaries.get(key)
  if (kept !== undefined) return kept
  const summary = await summaryOf(older, newer, work)
  const [oldest = ''] = summaries.keys()
  if (summaries.size === MAX_SUMMARIES) summaries.delete(oldest)
  summaries.set(key, summary)
  return summary
}

export const CHANGES_PER_PAGE = 50

/** A page of the changes of one kind of the records of an entity. */
export async function changesOnPage(
  older: Release,
  newer: Release,
  { entity, kind, page }: { readonly entity: string; readonly kind: ChangeKind; readonly page: number },
  work?: RunningJob,
): Promise<readonly RecordChange[]> {
  const changes: RecordChange[] = []
  const first = (page - 1) * CHANGES_PER_PAGE
  let count = 0
  for (const change of diffJson(older, newer, entity, { withoutLostFacts: true })) {
    if (change !== undefined && kindOf(change) === kind && count++ >= first) changes.push(recordChange(change))
    if (changes.length === CHANGES_PER_PAGE) break
    const paused = work?.pause()
    if (paused !== undefined) await paused
  }
  return changes
}

const kindOf = ({ old, new: now }: { readonly old?: unknown; readonly new?: unknown }): ChangeKind =>
  old === undefined ? 'added' : now === undefined ? 'removed' : 'changed'

async function summaryOf(
  older: Release,
  newer: Release,
  work: RunningJob | undefined,
): Promise<readonly ChangeSummary[]> {
  const summary: ChangeSummary[] = []
  for (const entity of catalogOfBoth(older, newer).entities.values()) {
    const kinds: Record<ChangeKind, { count: number; examples: RecordChange[] }> = {
      added: { count: 0, examples: [] },
      changed: { count: 0, examples: [] },
      removed: { count: 0, examples: [] },
    }
    for (const change of diffJson(older, newer, entity.name, { withoutLostFacts: true })) {
      if (change !== undefined) {
        const kind = kinds[kindOf(change)]
        if (kind.count++ < MAX_EXAMPLES) kind.examples.push(recordChange(change))
      }
      const paused = work?.pause()
      if (paused !== undefined) await paused
    }
    if (Object.values(kinds).some(({ count }) => count > 0))
      summary.push({ entity, isRenumbered: isRenumbered(older, newer, entity.name), kinds })
  }
  return summary
}
