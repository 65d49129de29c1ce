// Types of the client that the server says: those of the built-in records, which nomenclator types prints where there is no release,
// and the formats of downloads.
import { test } from 'bun:test'
import { join } from 'node:path'
import { FORMATS } from '../../packages/server/src/query/formats/formats.ts'
import { expectGolden } from '../support/golden.ts'
import { nomenclator, TestDirectory } from '../support/releases.ts'

const typesOf = (file: string) => join(import.meta.dir, '..', '..', 'packages', 'client', 'src', file)

test('the types of the client are printed by nomenclator types', async () => {
  using home = new TestDirectory()
  const { out } = await nomenclator('types', '--home', home.path)
  await expectGolden(typesOf('built-in-types.ts'), out)
})

test('the formats of downloads are those of the server', async () => {
  const names = FORMATS.map((format) => `'${format}'`).join(' | ')
  const text = `// The formats of downloads that the server has.\n\nexport type DownloadFormat = ${names}\n`
  await expectGolden(typesOf('download-format.ts'), text)
})
