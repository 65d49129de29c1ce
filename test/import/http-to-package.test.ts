// What API v2 gives of a whole collection can be imported as it is: the way from one service to another.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import type { Release } from '../../packages/server/src/release/release.ts'
import { builtInCatalog } from '../../packages/server/src/source/built-in.ts'
import { DEFINED_FORMATS } from '../../packages/server/src/source/package/defined-tables.ts'
import { homonyms } from '../support/homonyms.ts'
import { bundledRelease, nomenclator, releaseOf, sourceIn, TestDirectory, TestHome } from '../support/releases.ts'
import { serverOf, type TestServer } from '../support/server.ts'

setDefaultTimeout(180_000)

const DOCUMENT = join(import.meta.dir, '..', '..', 'docs', 'built-in-lists.md')

async function download(server: TestServer, directory: string, format: string): Promise<void> {
  for (const { name, plural } of builtInCatalog.entities.values()) {
    const response = await fetch(`${server.url}/api/v2/${plural}/all?format=${format}&embed=id&facts=true`)
    await Bun.write(join(directory, `${name}.${format}`), await response.bytes())
  }
}

describe('names that are hard to write, and facts', () => {
  let release: Release
  let server: TestServer
  beforeAll(async () => {
    release = await releaseOf(homonyms)
    server = serverOf(() => release)
  })
  afterAll(() => server.close())

  test.each(DEFINED_FORMATS)('over HTTP as %s and imported are the same release', async (format) => {
    using directory = new TestDirectory()
    await download(server, directory.path, format)
    using home = new TestHome()
    const { digest } = await home.import(await sourceIn(directory.path), { acceptChanges: true })
    expect(digest).toBe(release.digest)
  })
})

test('the recipe of docs/built-in-lists.md does it with the bundled data', async () => {
  const recipe = /^```sh\n(mkdir [\s\S]*?)^```$/m.exec(await Bun.file(DOCUMENT).text())?.[1] as string
  const release = await bundledRelease()
  const server = serverOf(() => release)
  using directory = new TestDirectory()
  try {
    const [loop = '', command = ''] = recipe.split(/^(?=\.\/nomenclator)/m)
    const script = loop.replaceAll('https://catalogs.example.org', server.url)
    const shell = Bun.spawn(['sh', '-euc', script], { cwd: directory.path, stdio: ['ignore', 'inherit', 'inherit'] })
    expect(await shell.exited).toBe(0)
    using home = new TestHome()
    const [, ...argv] = command.trim().split(' ')
    const from = argv.map((word) => (word === 'catalogs' ? join(directory.path, word) : word))
    const { code, err } = await nomenclator(...from, '--home', home.path)
    expect([code, err]).toEqual([0, expect.not.stringContaining('rror')])
    expect(home.current().digest).toBe(release.digest)
  } finally {
    await server.close()
  }
})
