// Packages from the command line: brought in, listed, brought in again, written as one, and taken out.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runHere } from '../../../../../test/support/command.ts'
import { sourceOf, TestDirectory, TestHome, tiny, writeTables } from '../../../../../test/support/releases.ts'
import { homeForPackages } from '../../release/package-references.ts'
import { openPackage } from '../../source/package/open-package.ts'

setDefaultTimeout(180_000)

const work = new TestDirectory()
const home = new TestHome()

/** A package of one table, whose records may refer to a list of another package. */
function written(name: string, rows: readonly string[], reference?: { fields: string[]; reference: object }): string {
  const directory = join(work.path, name)
  mkdirSync(directory, { recursive: true })
  const [header = ''] = rows
  const schema = {
    fields: header.split(',').map((column) => ({ name: column, type: 'string' })),
    primaryKey: 'code',
    ...(reference === undefined ? {} : { foreignKeys: [reference] }),
  }
  const descriptor = {
    name,
    version: '1.0',
    licenses: [{ name: 'CC0-1.0' }],
    resources: [{ name: 'items', path: 'items.csv', schema }],
  }
  writeFileSync(join(directory, 'datapackage.json'), JSON.stringify(descriptor))
  writeFileSync(join(directory, 'items.csv'), `${rows.join('\n')}\n`)
  return directory
}

const inHome = (...argv: readonly string[]) => runHere(...argv, '--home', home.path)
const importing = async (directory: string, ...flags: readonly string[]) => {
  const { code, out, err } = await inHome('import', 'package', directory, '--json', ...flags)
  return { code, err, report: code === 0 ? JSON.parse(out) : undefined }
}
const collections = () => [...home.current().catalog.collections.keys()]

let colours: string
let paints: string
beforeAll(async () => {
  colours = written('colours', ['code,name', 'r,Red', 'g,Green'])
  const reference = { fields: ['colour'], reference: { package: 'colours', resource: 'items', fields: ['code'] } }
  paints = written('paints', ['code,name,colour', 'p1,Barn paint,r'], reference)
  await importing(colours, '--alone')
})
afterAll(() => {
  for (const one of [work, home]) one[Symbol.dispose]()
})

test('a package alone is all that the home has', () => {
  expect(collections()).toEqual(['items'])
})

test('another one is beside it, its collection named after it where the name is taken, and refers to it', async () => {
  expect((await importing(paints)).report).toMatchObject({ package: 'paints', outcome: 'activated' })
  expect(collections()).toEqual(['items', 'paints-items'])
  const { records } = home.current().entity('paints-items')
  expect(new TextDecoder().decode(records.record(0))).toContain('"colour":{"code":"r","name":"Red"}')
})

describe('without any declaration a column that is named like a list of the home and has its keys refers to it', () => {
  const file = join(work.path, 'cars.csv')
  const says = 'cars: 3 records by code; name name; colours by colour\n'
  // A package of one list that is called as people call it.
  beforeAll(async () => {
    const table = join(work.path, 'colours.csv')
    writeFileSync(table, 'code,name\nRD,Red\nGN,Green\nBU,Blue\n')
    writeFileSync(file, 'code,name,colour\nA1,Beetle,RD\nB2,Panda,GN\nC3,Twingo,BU\n')
    await runHere('import', 'package', table, '--home', other.path, '--alone')
  })
  const other = new TestHome()
  afterAll(() => other[Symbol.dispose]())

  test.each([
    ['check', []],
    ['describe', ['--output', '-']],
    ['import package', ['--explain']],
  ] as const)('%s', async (command, flags) => {
    const argv = [...command.split(' '), file, ...flags]
    const { code, out, err } = await runHere(...argv, '--home', other.path)
    expect(code).toBe(0)
    expect(`${out}${err}`).toContain(says)
  })

  test('the record is embedded, and the list that it refers to is imported again without a reference back', async () => {
    const cars = other.current().entity('cars').records
    expect(new TextDecoder().decode(cars.record(0))).toContain('"colour":{"code":"RD","name":"Red"}')
    const { code, out } = await runHere('import', 'package', join(work.path, 'colours.csv'), '--home', other.path)
    expect([code, out]).toEqual([0, expect.stringMatching(/colours +3 {2}unchanged/)])
  })

  test('and to nothing without the home', async () => {
    expect((await runHere('check', file)).out).not.toContain('by colour')
  })
})

test('both are listed, as a table and as JSON', async () => {
  expect((await inHome('packages')).out).toBe(
    [
      'package  version  lists  records  licence  title',
      'colours  1.0          1        2  CC0-1.0',
      'paints   1.0          1        1  CC0-1.0',
      '',
    ].join('\n'),
  )
  expect(JSON.parse((await inHome('packages', '--json')).out)).toMatchObject([
    { name: 'colours', version: '1.0', collections: { items: 2 } },
    { name: 'paints', collections: { 'paints-items': 1 } },
  ])
})

test('each of them again is nothing to do', async () => {
  for (const directory of [colours, paints])
    expect((await importing(directory)).report).toMatchObject({ outcome: 'nothing to do' })
})

test('a dry run prints what would change, and changes nothing', async () => {
  const before = home.current().digest
  const more = written('colours', ['code,name', 'r,Red', 'g,Green', 'b,Blue'])
  const { report } = await importing(more, '--dry-run')
  expect(report).toMatchObject({ outcome: 'dry run', changes: { items: { added: 1, removed: 0 } } })
  expect(home.current().digest).toBe(before)
})

test('all of it, exported and imported into an empty home, is the same release', async () => {
  using other = new TestHome()
  const directory = join(work.path, 'exported')
  const { code, out } = await inHome('export', 'package', directory)
  expect([code, out]).toEqual([0, 'items.csv                  2\npaints-items.csv           1\ndatapackage.json\n'])
  await runHere('import', 'package', directory, '--home', other.path)
  expect(other.current().digest).toBe(home.current().digest)
  const renamed = await runHere('import', 'package', directory, '--home', other.path, '--name', 'x')
  expect([renamed.code, renamed.err]).toEqual([1, expect.stringContaining('leave out --name')])
})

describe('remove', () => {
  test.each<[string, readonly string[], string]>([
    ['what others refer to', ['colours', '--accept-changes'], 'paints-items of package paints refers to items'],
    ['what is not accepted', ['paints'], 'paints-items of package paints: the list would be gone, with its 1 records'],
    ['what is not there', ['paint'], 'did you mean paints?'],
  ])('refuses %s', async (_, argv, words) => {
    const { code, err } = await inHome('remove', ...argv)
    expect([code, err]).toEqual([1, expect.stringContaining(words)])
  })

  test('takes a package out once that is accepted, and its name stays free', async () => {
    expect((await inHome('remove', 'paints', '--accept-changes')).code).toBe(0)
    expect(collections()).toEqual(['items'])
    expect((await inHome('remove', 'colours', '--accept-changes')).err).toContain('nothing would be left')
  })
})

test('a list keeps the name that it had, also when the one that it differed from is gone', async () => {
  using other = new TestHome()
  const bring = (directory: string) =>
    runHere('import', 'package', directory, '--home', other.path, '--alone', '--accept-changes')
  const tools = written('tools', ['code,name', 't,Brush'])
  for (const directory of [colours, tools]) await bring(directory)
  await runHere('remove', 'colours', '--home', other.path, '--accept-changes')
  await bring(tools)
  expect([...other.current().catalog.collections.keys()]).toEqual(['tools-items'])
})

describe('an empty home gets the bundled lists too', () => {
  test('that a package of some of them has not, unless it is to be alone', async () => {
    using other = new TestHome()
    const directory = join(work.path, 'localities')
    // In place of the bundled localities, which take seconds to build.
    writeTables(directory, { localidad: tiny.localidad.slice(-1) })
    const alone = await runHere('import', 'package', directory, '--home', other.path, '--alone')
    expect([alone.code, alone.err]).toEqual([
      1,
      expect.stringContaining('expected the identifier of a known municipio'),
    ])
    expect(await runHere('import', 'package', directory, '--home', other.path)).toMatchObject({ code: 0 })
    const countOf = (name: string) => other.current().entity(name).count
    expect(['localidad', 'estado', 'pais'].map(countOf)).toEqual([1, 32, 249])
  })

  test('beside those of a package of others', async () => {
    using other = new TestHome()
    const source = await openPackage(colours, { outside: homeForPackages(other.store) })
    source.close()
    await other.import(source, { fallback: sourceOf(tiny) })
    expect([...other.current().catalog.collections.keys()]).toEqual(expect.arrayContaining(['paises', 'items']))
    expect(other.current().entity('pais').count).toBe(tiny.pais.length)
  })
})
