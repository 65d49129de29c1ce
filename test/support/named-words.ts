// The words of made-up names and codes, indexed as those of a release are.
import { join } from 'node:path'
import { code, entity, id, name } from '../../src/catalog/entity.ts'
import { batchOf, IndexBuild } from '../../src/release/index/index-build.ts'
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
  const path = join(directory.path, 'named.index')
  const build = new IndexBuild(named, new Map(), names.length)
  build.add(
    batchOf(
      named,
      names.map((one, at) => ({ code: codes[at] ?? '-', name: one, id: at })),
    ),
  )
  build.write(path)
  return new IndexFile(path, named).words
}
