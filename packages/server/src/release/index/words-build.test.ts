// The words of names and codes as they are written, against the plainest way to lay them out.
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { code, entity, id, name } from '../../../../../test/support/definitions.ts'
import { namedWords } from '../../../../../test/support/named-words.ts'
import { TestDirectory } from '../../../../../test/support/releases.ts'
import { batchOf } from '../../catalog/batch.ts'
import type { Entity, Values } from '../../catalog/entity.ts'
import { ColumnsBuild } from './columns-build.ts'
import { IndexFile, type WordIndex } from './index-file.ts'
import { nameEnd, nameStart, namesPerRecord } from './name-ranges.ts'
import { WordsBuild } from './words-build.ts'

const named = entity({
  name: 'named',
  plural: 'named',
  fields: { code: code('', /./, ''), name: name(''), id: id('') },
  key: ['id'],
  code: ['code'],
})

function written(of: Entity, batches: readonly (readonly Values[])[]): WordIndex {
  using directory = new TestDirectory()
  const columns = new ColumnsBuild(of, new Map(), undefined, directory.path)
  const words = new WordsBuild(of, undefined)
  for (const rows of batches) {
    const batch = batchOf(
      of,
      rows.map((row, id) => ({ ...row, id })),
      () => 0,
    )
    columns.add(batch)
    words.add(batch)
  }
  columns.write(join(directory.path, 'index'))
  words.write(join(directory.path, 'words'))
  return new IndexFile(directory.path, of).words
}

/** Texts in place of their bytes, to compare. */
const laidOut = ({ words, ...arrays }: WordIndex) => ({
  ...arrays,
  words: Array.from({ length: words.size }, (_, at) => words.text(at)),
})

test('words are written as they stand in names and codes', () => {
  const text = fc
    .array(fc.constantFrom('San', 'san', 'Ñandú', 'de', 'la', '[Ejido]', 'a-b', '中央', '5', '', '🌵'), {
      maxLength: 6,
    })
    .map((words) => words.join(' '))
  const batch = fc.array(fc.record({ name: text, code: fc.constantFrom('A1', '001', 'san', '') }), {
    minLength: 1,
    maxLength: 9,
  })
  const holds = fc.property(fc.array(batch, { minLength: 1, maxLength: 3 }), (batches) => {
    const rows = batches.flat()
    const model = namedWords(
      rows.map((row) => row.name),
      rows.map((row) => row.code),
    )
    expect(laidOut(written(named, batches))).toEqual(laidOut(model))
  })
  fc.assert(holds, { numRuns: 60 })
})

test('where each of several names ends is written, also of those that are missing', () => {
  const several = entity({
    ...named,
    package: 'test',
    fields: { id: id(''), es: name(''), other: { kind: 'value', type: 'text', role: 'alias', description: '' } },
    code: ['id'],
  })
  const words = written(several, [
    [{ es: 'San José', other: 'Chepe' }, { other: 'El Puerto Viejo' }],
    [{ es: 'Limón' }],
  ])
  const count = namesPerRecord(words)
  const names = [0, 1, 2].map((position) =>
    Array.from({ length: count }, (_, at) =>
      Array.from(
        words.names.subarray(nameStart(words, position, at, count), nameEnd(words, position, at, count)),
        (word) => words.words.text(word),
      ).join(' '),
    ),
  )
  expect(names).toEqual([
    ['san jose', 'chepe'],
    ['', 'el puerto viejo'],
    ['limon', ''],
  ])
})
