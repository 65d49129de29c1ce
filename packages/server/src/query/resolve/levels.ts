// What is certain of a row, level by level: of the record that is asked for, and of each of its ancestors.
import type { Entity } from '../../catalog/entity.ts'
import { lineageOf } from '../../catalog/lineage.ts'
import type { Release } from '../../release/release.ts'
import { ancestorAt, ancestorLevels } from '../search/ancestor-match.ts'
import type { Decision, Verdict } from './verdict.ts'
import { isSure } from './verdict.ts'

/** What a row means at one level: a record of an entity, and how sure that is. */
export type Level = {
  /** The name of the entity. */
  readonly name: string
  /** The position of the record; undefined where nothing fits. */
  readonly position: number | undefined
  readonly verdict: Verdict
  /** From 0 to 1, as that of a candidate. */
  readonly score: number
}

/**
 * The levels of an entity that is asked for. The ancestors of a record that is sure are those that it has; where it is not, they are
 * what the row says without it, and those of a likely one where it says nothing.
 */
export function levelsOf(
  release: Release,
  entity: Entity,
  { verdict, record }: Decision,
  above: readonly Level[],
): Level[] {
  const levelAbove = (name: string): Level =>
    above.find((level) => level.name === name) ?? { name, position: undefined, verdict: 'none', score: 0 }
  // From the most distant ancestor to the entity itself.
  return lineageOf(entity)
    .toReversed()
    .map(({ name }): Level => {
      if (record !== undefined && name === record.name)
        return { name, position: record.position, verdict, score: record.score }
      const known = levelAbove(name)
      const isMeant = isSure(verdict) || (verdict === 'likely' && known.position === undefined)
      if (record === undefined || !isMeant) return known
      const position = ancestorOf(release, record.name, record.position, name)
      if (position === undefined) return known
      const isSame = known.position === position && isSure(known.verdict)
      return isSame ? known : { name, position, verdict, score: record.score }
    })
}

/** The position of an ancestor of a record. */
export function ancestorOf(release: Release, name: string, position: number, ancestor: string): number | undefined {
  const level = ancestorLevels(release, release.entity(name).definition).find(({ entity }) => entity === ancestor)
  const at = level === undefined ? undefined : ancestorAt(level, position)
  return at === level?.none ? undefined : at
}
