// The words of made-up names and codes, indexed as those of a release are.

import { code, entity, id, name } from '../../src/catalog/entity.ts'
import { EntityWriter } from '../../src/release/entity-writer.ts'
import { IndexFile, type Words } from '../../src/release/index/index-file.ts'
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
  using writer = new EntityWriter(named, directory.path, new Map(), names.length)
  for (const row of rows) writer.add(row)
  writer.finish()
  return new IndexFile(directory.path, named).words
}
