// In which ancestors of the records of an entity a typed word is: a locality may be searched for by its name and state.
import { type Entity, embedsOf } from '../catalog/entity.ts'
import { LruCache } from '../lru-cache.ts'
import type { Postings } from '../release/index/postings.ts'
import type { Release } from '../release/release.ts'
import { matchWord } from './word-match.ts'

/** How well a typed word matches the parents that records have in one field, or the ancestors of those. */
export type AncestorMatch = {
  /** The parent of each record. */
  readonly parents: Uint32Array
  /** The records of each parent. */
  readonly children: Postings
  /** The grade of each parent: the best of its own name and its ancestors. */
  readonly grades: Uint8Array
}

/** Empty where the word is in no ancestor. */
export type MatchAncestors = (typed: string, allowEdits: boolean) => readonly AncestorMatch[]

export const ancestorMatcher =
  (release: Release, entity: Entity): MatchAncestors =>
  (typed, allowEdits) =>
    embedsOf(entity).flatMap(([field, parent]) => {
      const grades = cachedGrades(release, parent, typed, allowEdits)
      if (!grades.some((grade) => grade !== 0)) return []
      const column = release.entity(entity.name).index.column(field)
      return [{ parents: column.values, children: column, grades }]
    })

const MAX_CACHED = 256
const caches = new WeakMap<Release, LruCache<Uint8Array>>()

/** The same words come again with every letter that is typed after them, and many entities have the same ancestors. */
function cachedGrades(release: Release, entity: Entity, typed: string, allowEdits: boolean): Uint8Array {
  const cache = caches.get(release) ?? new LruCache<Uint8Array>({ maxEntries: MAX_CACHED })
  caches.set(release, cache)
  return cache.get(`${entity.name} ${allowEdits} ${typed}`, () => gradesOf(release, entity, typed, allowEdits))
}

/** For each record of an entity how well the word matches its name, or that of an ancestor. */
function gradesOf(release: Release, entity: Entity, typed: string, allowEdits: boolean): Uint8Array {
  const { count, index } = release.entity(entity.name)
  const best = new Uint8Array(count)
  const { starts, positions } = index.words.inNames
  const { grades, matching } = matchWord(index.words, typed, allowEdits)
  for (const word of matching) {
    const end = starts[word + 1] as number
    for (let at = starts[word] as number; at < end; at++) improve(best, positions[at] as number, grades[word] as number)
  }
  for (const { parents, grades } of ancestorMatcher(release, entity)(typed, allowEdits)) {
    for (let position = 0; position < count; position++) {
      improve(best, position, grades[parents[position] as number] as number)
    }
  }
  return best
}

function improve(best: Uint8Array, position: number, grade: number): void {
  const known = best[position] as number
  if (grade !== 0 && (known === 0 || grade < known)) best[position] = grade
}
