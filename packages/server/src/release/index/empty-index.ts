// The index of an entity without records.
import { isNumberValue } from '../../catalog/batch.ts'
import type { Entity } from '../../catalog/entity.ts'
import { languageOfNames } from '../../catalog/languages/languages.ts'
import { columnOf } from '../../catalog/paths.ts'
import { type EntityIndex, type IndexColumn, noPoints, unknownColumn } from './index-file.ts'
import { SortedTexts } from './sorted-texts.ts'
import { wordsInMemory } from './words-in-memory.ts'

/** A column of embedded records has a value for each of them, as `countOf` says. */
export function emptyIndex(entity: Entity, countOf: (name: string) => number): EntityIndex {
  const none = new Uint32Array()
  const texts = new SortedTexts(Buffer.alloc(0), new Uint32Array(1), (text) => text)
  const columnFor = (field: string): IndexColumn => {
    const definition = entity.fields[field]
    const parent = definition?.kind === 'embed' ? definition.entity : undefined
    const values = {
      values: none,
      starts: new Uint32Array((parent === undefined ? 0 : countOf(parent.name)) + 1),
      positions: none,
    }
    if (parent !== undefined || definition?.kind === 'broader') return { kind: 'embed', ...values }
    if (definition?.kind === 'fact') return unknownColumn(definition.type, 0)
    if (isNumberValue(definition)) return unknownColumn('number', 0)
    return definition?.kind === 'id'
      ? { kind: 'number', ...values, numbers: none }
      : { kind: 'text', ...values, texts, groups: none }
  }
  return {
    column: (field) => columnFor(columnOf(entity, field)),
    points: noPoints,
    words: wordsInMemory(languageOfNames(entity), []),
  }
}
