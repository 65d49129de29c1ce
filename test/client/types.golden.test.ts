// The formats of downloads, as types of the client: those of the server.
import { test } from 'bun:test'
import { join } from 'node:path'
import { FORMATS } from '../../packages/server/src/query/formats/formats.ts'
import { expectGolden } from '../support/golden.ts'

const typesOf = (file: string) => join(import.meta.dir, '..', '..', 'packages', 'client', 'src', file)

test('the formats of downloads are those of the server', async () => {
  const names = FORMATS.map((format) => `'${format}'`).join(' | ')
  const text = `// The formats of downloads that the server has.\n\nexport type DownloadFormat = ${names}\n`
  await expectGolden(typesOf('download-format.ts'), text)
})
