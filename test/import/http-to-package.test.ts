// The downloads of API v2 can be imported as they are: the way from one service to another.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import type { Catalog } from '../../packages/server/src/catalog/catalog.ts'
import type { Release } from '../../packages/server/src/release/release.ts'
import { builtInCatalog } from '../../packages/server/src/source/built-in.ts'
import { DEFINED_FORMATS } from '../../packages/server/src/source/package/defined-tables.ts'
import { ran } from '../support/command.ts'
import { homonyms } from '../support/homonyms.ts'
import { recordedCatalog } from '../support/recorded-lists.ts'
import { nomenclator, releaseOf, TestDirectory, TestHome } from '../support/releases.ts'
import { serverOf, type TestServer } from '../support/server.ts'

setDefaultTimeout(180_000)

const DOCUMENT = join(import.meta.dir, '..', '..', 'docs', 'built-in-lists.md')

/** The recipe: a loop of requests, and the command that imports what they wrote. */
const [documented = '', command = ''] =
  /^```sh\n(mkdir [\s\S]*?)^```$/m.exec(await Bun.file(DOCUMENT).text())?.[1]?.split(/^(?=\.\/nomenclator)/m) ?? []
const filesOf = ({ entities }: Catalog) => [...entities.values()].map(({ name, plural }) => `${name}:${plural}`)
const LISTS = /(?<=^for file in )[\s\S]*?(?=\ndo$)/m
/** Of all lists that there are. */
const loop = documented.replace(LISTS, filesOf(builtInCatalog).join(' '))

test('the recipe names the lists', () => {
  expect(LISTS.exec(documented)?.[0].split(/[\s\\]+/)).toEqual(filesOf(recordedCatalog))
})

describe('the recipe of docs/built-in-lists.md, over names that are hard to write and facts,', () => {
  let release: Release
  let server: TestServer
  beforeAll(async () => {
    release = await releaseOf(homonyms)
    server = serverOf(() => release)
  })
  afterAll(() => server.close())

  test.each(DEFINED_FORMATS)('as %s gives the same release', async (format) => {
    using directory = new TestDirectory()
    using home = new TestHome()
    const script = loop.replaceAll('https://catalogs.example.org', server.url).replaceAll('csv', format)
    expect(await ran(['sh', '-euc', script], { cwd: directory.path })).toMatchObject({ code: 0 })
    const argv = command.trim().split(' ').slice(1)
    const imported = argv.map((word) => (word === 'catalogs' ? join(directory.path, word) : word))
    const { code, err } = await nomenclator(...imported, '--accept-changes', '--home', home.path)
    expect({ code, err }).toEqual({ code: 0, err: expect.not.stringContaining('rror') })
    expect(home.current().digest).toBe(release.digest)
  })
})
