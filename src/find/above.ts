// In which records above those of an entity a word is: a locality may be asked for by its name and its state.
import { type EntityName, entities, entityNames } from '../catalog/entities.ts'
import { type Entity, embedsOf } from '../catalog/entity.ts'
import type { Release } from '../release/release.ts'
import type { WordAbove } from './hits.ts'
import { matchWord } from './word-match.ts'

/** The fields of each entity that embed another. */
const parents = new Map<string, ReturnType<typeof embedsOf>>(
  entityNames.map((name) => [name, embedsOf(entities[name])]),
)

/** Empty where the word is in no record above. */
export function wordAbove(release: Release, name: string): WordAbove {
  return (typed, forgiving) =>
    (parents.get(name) ?? []).flatMap(([field, parent]) => {
      const grades = remembered(release, parent, typed, forgiving)
      if (!grades.some(isMatch)) return []
      const { values, starts, positions } = release.entity(name).index.column(field)
      return [{ values, starts, positions, grades }]
    })
}

const MAX_REMEMBERED = 256
const memories = new WeakMap<Release, Map<string, Uint8Array>>()

/** The same words are typed again with every letter that follows them, and the same records are above many. */
function remembered(release: Release, entity: Entity, typed: string, forgiving: boolean): Uint8Array {
  const memory = memories.get(release) ?? new Map<string, Uint8Array>()
  memories.set(release, memory)
  const key = `${entity.name} ${forgiving} ${typed}`
  const grades = memory.get(key) ?? gradesOf(release, entity, typed, forgiving)
  if (memory.size >= MAX_REMEMBERED) memory.clear()
  memory.set(key, grades)
  return grades
}

const isMatch = (grade: number) => grade !== 0

/** For each record how well the word matches its name, or the name of one above it. */
function gradesOf(release: Release, entity: Entity, typed: string, forgiving: boolean): Uint8Array {
  const name = entity.name as EntityName
  const { words } = release.entity(name).index
  const best = new Uint8Array(release.entity(name).count)
  const { starts, positions } = words.inNames
  const { grades, matching } = matchWord(words, typed, forgiving)
  for (const word of matching) {
    const end = starts[word + 1] as number
    for (let at = starts[word] as number; at < end; at++) better(best, positions[at] as number, grades[word] as number)
  }
  for (const { values, grades: above } of wordAbove(release, name)(typed, forgiving)) {
    for (let position = 0; position < best.length; position++) {
      better(best, position, above[values[position] as number] as number)
    }
  }
  return best
}

function better(best: Uint8Array, position: number, grade: number): void {
  const known = best[position] as number
  if (grade !== 0 && (known === 0 || grade < known)) best[position] = grade
}
