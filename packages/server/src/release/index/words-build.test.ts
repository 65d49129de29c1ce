// The words of names and codes as they are written, against the plainest way to lay them out.
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { namedWords } from '../../../../../test/support/named-words.ts'
import { TestDirectory } from '../../../../../test/support/releases.ts'
import { batchOf } from '../../catalog/batch.ts'
import { code, entity, id, name } from '../../catalog/entity.ts'
import { ColumnsBuild } from './columns-build.ts'
import { IndexFile, type Words } from './index-file.ts'
import { WordsBuild } from './words-build.ts'

const named = entity({
  name: 'named',
  plural: 'named',
  fields: { code: code('', /./, ''), name: name(''), id: id('') },
  key: ['id'],
  code: ['code'],
})

type Given = { readonly name: string; readonly code: string }

function written(batches: readonly (readonly Given[])[]): Words {
  using directory = new TestDirectory()
  const columns = new ColumnsBuild(named, new Map(), undefined, directory.path)
  const words = new WordsBuild(named, undefined)
  for (const rows of batches) {
    const batch = batchOf(
      named,
      rows.map((row, id) => ({ ...row, id })),
      () => 0,
    )
    columns.add(batch)
    words.add(batch)
  }
  columns.write(join(directory.path, 'index'))
  words.write(join(directory.path, 'words'))
  return new IndexFile(directory.path, named).words
}

/** Texts in place of their bytes, to compare. */
const laidOut = ({ words, ...arrays }: Words) => ({
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
    expect(laidOut(written(batches))).toEqual(laidOut(model))
  })
  fc.assert(holds, { numRuns: 60 })
})
