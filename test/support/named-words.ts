// The words of made-up names and codes, indexed as those of a release are.

import { batchOf } from '../../src/catalog/batch.ts'
import { code, entity, id, name } from '../../src/catalog/entity.ts'
import { INDEX_FILE_PARTS, IndexFile, type Words } from '../../src/release/index/index-file.ts'
import { partBuild } from '../../src/release/parts.ts'
import { TestDirectory } from './releases.ts'

const named = entity({
  name: 'named',
  plural: 'named',
  fields: { code: code('', /./, ''), name: name(''), id: id('') },
  key: ['id'],
  code: ['code'],
})

/** One record for each name, in this order; the codes are those of the names at the same places. */
export function namedWords(names: readonly string[], codes: readonly string[] = []): Words {
  using directory = new TestDirectory()
  const rows = names.map((one, at) => ({ code: codes[at] ?? '-', name: one, id: at }))
  for (const part of INDEX_FILE_PARTS) {
    using build = partBuild(part, named, { directory: directory.path, parents: new Map(), expected: names.length })
    build.add(batchOf(named, rows))
    build.finish()
  }
  return new IndexFile(directory.path, named).words
}
