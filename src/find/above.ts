// In which records above those of an entity a word is: a locality may be asked for by its name and its state.
import { type EntityName, entities } from '../catalog/entities.ts'
import { type Entity, embedsOf } from '../catalog/entity.ts'
import type { Release } from '../release/release.ts'
import type { Above, WordAbove } from './search.ts'
import { matchWord } from './word-match.ts'

/** Empty where the word is in no record above. */
export function wordAbove(release: Release, name: EntityName): WordAbove {
  return (typed, forgiving) =>
    embedsOf(entities[name]).flatMap(([field, parent]) => {
      const flags = flagsOf(release, parent, typed, forgiving)
      return flags.includes(1) ? [{ values: release.indexes[name].column(field).values, flags }] : []
    })
}

/** For each record whether the word is in it, or in one above it. */
function flagsOf(release: Release, entity: Entity, typed: string, forgiving: boolean): Above['flags'] {
  const name = entity.name as EntityName
  const { words } = release.indexes[name]
  const flags = new Uint8Array(release.manifest.entities[name].count)
  const { starts, positions } = words.inNames
  for (const word of matchWord(words, typed, forgiving).matching) {
    for (let at = starts[word] as number; at < (starts[word + 1] as number); at++) flags[positions[at] as number] = 1
  }
  for (const { values, flags: above } of wordAbove(release, name)(typed, forgiving)) {
    for (let position = 0; position < flags.length; position++) {
      if (above[values[position] as number] === 1) flags[position] = 1
    }
  }
  return flags
}
