// What check says of a package is what an import says, whatever is wrong with it.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { PackageDirectory, table } from '../../../../../test/support/package-directory.ts'
import { nomenclator, TestHome } from '../../../../../test/support/releases.ts'
import type { Fault } from '../../source/faults.ts'
import type { LocatedFinding } from '../../source/findings.ts'

setDefaultTimeout(60_000)

const CODE = { name: 'code', type: 'string' }
const NAME = { name: 'name', type: 'string' }
const KEY = { primaryKey: 'code' }
const units = table('units', [CODE, NAME], KEY)
const rooms = table('rooms', [CODE, NAME, { name: 'opened', type: 'date' }], KEY)

const home = new TestHome()
let colours: PackageDirectory
beforeAll(async () => {
  colours = new PackageDirectory()
    .put('datapackage.json', JSON.stringify({ name: 'colours', resources: [table('tones', [CODE, NAME], KEY)] }))
    .put('tones.csv', 'code,name\nr,Red\ng,Green\n')
  await nomenclator('import', 'package', colours.path, '--alone', '--home', home.path)
})
afterAll(() => {
  for (const one of [colours, home]) one[Symbol.dispose]()
})

type Checked = {
  readonly sound: boolean
  readonly faults: readonly Fault[]
  readonly faultCount: number
  readonly findings: readonly LocatedFinding[]
  readonly guesses: readonly { readonly what: string }[]
}

async function checked(directory: PackageDirectory, ...flags: readonly string[]): Promise<Checked> {
  const { out } = await nomenclator('check', directory.path, '--json', ...flags)
  return JSON.parse(out)
}

const FAULTY = 'code,name,opened\nA,One,2001-01-02\nA,Two,1/2/01\n,Three,x\nB,Four,too,many\nNA,Five,\n'

const broken: readonly [string, PackageDirectory, kinds: Readonly<Record<string, number>>, faults: number][] = [
  [
    'a table with faults alone',
    new PackageDirectory().describe(rooms).put('rooms.csv', FAULTY),
    { 'looks-missing': 1, 'not-of-type': 2 },
    3,
  ],
  [
    'a table with faults beside one that is sound',
    new PackageDirectory().describe(rooms, units).put('rooms.csv', FAULTY).put('units.csv', 'code,name\nNA,One\n'),
    { 'list-left-out': 1, 'looks-missing': 2, 'not-of-type': 2 },
    3,
  ],
  [
    'two tables with faults',
    new PackageDirectory().describe(rooms, units).put('rooms.csv', FAULTY).put('units.csv', 'code,name\n,One\n-,Two\n'),
    { 'looks-missing': 2, 'not-of-type': 2 },
    4,
  ],
  [
    'names with stray blanks, beside a table with faults',
    new PackageDirectory()
      .describe(rooms, units)
      .put('rooms.csv', FAULTY)
      .put('units.csv', 'code,name\nA,One  two\nA,One  two\nB,E\u0301l\n'),
    { 'list-left-out': 1, 'looks-missing': 1, 'not-nfc': 1, 'not-of-type': 2, 'repeated-row': 1, 'stray-blanks': 1 },
    3,
  ],
  ['a file that is not there', new PackageDirectory().describe(units), {}, 1],
  ['a descriptor that is no JSON', new PackageDirectory().put('datapackage.json', '{\n "name": ]'), {}, 1],
  [
    'more faults than are shown',
    new PackageDirectory().describe(units).put('units.csv', `code,name\n${',x\n'.repeat(250)}`),
    {},
    250,
  ],
]
afterAll(() => {
  for (const [, directory] of broken) directory[Symbol.dispose]()
})

describe('an import says what check says of', () => {
  test.each(broken)('%s', async (_, directory, kinds, faultCount) => {
    const said = await checked(directory)
    expect(countsOf(said.findings)).toEqual(kinds)
    expect([said.sound, said.faultCount, said.faults.length]).toEqual([false, faultCount, faultCount])
    for (const { places, count, kind } of said.findings) {
      if (kind !== 'list-left-out') expect(places).toHaveLength(count)
      for (const place of places) expect(place.file).toBeString()
    }
    const argv = ['import', 'package', directory.path, '--home', home.path, '--dry-run', '--json']
    const { code, out, err } = await nomenclator(...argv)
    if (code !== 0) {
      for (const { file, line, column, value, expected } of said.faults.slice(0, 100))
        expect(err).toContain(`${file}:${line}, ${column}: ${value}; expected ${expected}\n`)
      for (const { examples, description, count } of said.findings)
        expect(err).toContain(`${examples[0]}: ${description} (${count})\n`)
      expect(err).toContain(`${faultCount} faults`)
      return
    }
    const report = JSON.parse(out)
    expect(report.faults).toEqual(said.faults)
    const ofLeftOut = report.leftOut.flatMap((one: { findings: LocatedFinding[] }) => one.findings)
    expect(countsOf([...report.findings, ...ofLeftOut])).toEqual(kinds)
    const strict = await nomenclator(...argv, '--strict')
    expect([strict.code, strict.err]).toEqual([1, expect.stringContaining(said.faults[0]?.expected ?? '')])
  })
})

function countsOf(findings: readonly LocatedFinding[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { kind, count } of findings) counts[kind] = (counts[kind] ?? 0) + count
  return counts
}

test('codes that are shorter than the rest are a finding with its places, which --strict refuses', async () => {
  using directory = new PackageDirectory()
    .describe(table('units', [{ name: 'code', type: 'integer' }, NAME], KEY))
    .put('units.csv', 'code,name\n1110,One\n21110,Two\n31110,Three\n41110,Four\n')
  const { findings, guesses } = await checked(directory)
  expect(findings).toMatchObject([
    {
      kind: 'lost-zero',
      count: 1,
      examples: [expect.stringContaining('units.csv:2, code: 1110')],
      places: [{ line: 2, column: 'code' }],
    },
  ])
  expect(guesses.map(({ what }) => what).join()).not.toContain('shorter')
  const imported = await nomenclator('import', 'package', directory.path, '--home', home.path, '--dry-run', '--strict')
  expect([imported.code, imported.err]).toEqual([1, expect.stringContaining('a code is shorter than the rest')])
})

describe('a reference to a list of another package', () => {
  const foreignKeys = [{ fields: 'tone', reference: { package: 'colours', resource: 'tones', fields: 'code' } }]
  const paints = () =>
    new PackageDirectory()
      .describe(table('paints', [CODE, NAME, { name: 'tone' }], { ...KEY, foreignKeys }))
      .put('paints.csv', 'code,name,tone\np1,Barn,r\np2,Sky,blue\n')

  test('is not seen without a home, and that is said', async () => {
    using directory = paints()
    const { guesses } = await checked(directory)
    expect(guesses.map(({ what }) => what)).toContainEqual(
      '"tone" of "paints" is no reference: package "colours" is not seen without a home; give --home with the home that has it.',
    )
  })

  test('is checked against the home that is given, as an import does', async () => {
    using directory = paints()
    const { sound, findings } = await checked(directory, '--home', home.path)
    expect([sound, countsOf(findings)]).toEqual([true, { 'reference-not-found': 1 }])
    expect(findings[0]?.places).toEqual([
      { file: expect.stringContaining('paints.csv'), line: 3, column: 'tone', value: '"blue"' },
    ])
    const { out } = await nomenclator('import', 'package', directory.path, '--home', home.path, '--dry-run', '--json')
    expect(countsOf(JSON.parse(out).findings)).toEqual({ 'reference-not-found': 1 })
  })
})
