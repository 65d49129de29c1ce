// check reports of a package what an import of it reports.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { runHere } from '../../../../../test/support/command.ts'
import { PackageDirectory, table } from '../../../../../test/support/package-directory.ts'
import { TestHome } from '../../../../../test/support/releases.ts'
import type { Fault } from '../../source/faults.ts'
import type { LocatedFinding } from '../../source/findings.ts'

setDefaultTimeout(180_000)

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
  await runHere('import', 'package', colours.path, '--alone', '--home', home.path)
})
afterAll(() => {
  for (const one of [colours, home]) one[Symbol.dispose]()
})

type Checked = {
  readonly sound: boolean
  readonly faults: readonly Fault[]
  readonly faultCount: number
  readonly findings: readonly LocatedFinding[]
  readonly notes: readonly { readonly what: string }[]
}

describe('tables of the lists that ship with the program', () => {
  /** Instead of the bundled localities, which are most of what would be built; all else that is not given is bundled. */
  const LOCALIDAD = 'cveLocalidad,descLocalidad,idLocalidad,idEstado,idMunicipio\n0001,Aguascalientes,1,1,1\n'
  const PAIS = 'cvePais,descPais,idPais\nMEX,México,484\n'
  test.each<[string, Readonly<Record<string, string>>, readonly object[]]>([
    ['that are sound', { 'pais.csv': PAIS }, []],
    ['with a value that cannot be', { 'pais.csv': `${PAIS}ABC,Otro,x\n` }, [{ line: 3, column: 'idPais' }]],
    [
      'that refer to nothing',
      { 'estado.csv': 'cveEstado,cveRenapo,descEstado,idEstado,idPais\nHGO,HG,Hidalgo,13,9999\n' },
      [{ line: 2, column: 'idPais', value: '9999' }],
    ],
  ])('%s', async (_, files, faults) => {
    using directory = new PackageDirectory()
    directory.put('localidad.csv', LOCALIDAD)
    for (const [name, text] of Object.entries(files)) directory.put(name, text)
    const found = await checked(directory)
    // A bundled list below a replaced one may have lost its parents, which an import into an empty home reports, too.
    expect(found.faults.slice(0, 1)).toMatchObject(faults)
    expect(found.sound).toBe(faults.length === 0)
  })
})

async function checked(directory: PackageDirectory, ...flags: readonly string[]): Promise<Checked> {
  const { out } = await runHere('check', directory.path, '--json', ...flags)
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

describe('an import reports what check reports of', () => {
  test.each(broken)('%s', async (_, directory, kinds, faultCount) => {
    const checkedReport = await checked(directory)
    expect(countsOf(checkedReport.findings)).toEqual(kinds)
    expect([checkedReport.sound, checkedReport.faultCount, checkedReport.faults.length]).toEqual([
      false,
      faultCount,
      faultCount,
    ])
    for (const { places, count, kind } of checkedReport.findings) {
      if (kind !== 'list-left-out') expect(places).toHaveLength(count)
      for (const place of places) expect(place.file).toBeString()
    }
    const argv = ['import', 'package', directory.path, '--home', home.path, '--dry-run', '--json']
    const { code, out, err } = await runHere(...argv)
    if (code !== 0) {
      for (const { file, line, column, value, expected } of checkedReport.faults.slice(0, 100))
        expect(err).toContain(`${file}:${line}, ${column}: ${value}; expected ${expected}\n`)
      for (const { examples, description, count } of checkedReport.findings)
        expect(err).toContain(`${examples[0]}: ${description} (${count})\n`)
      expect(err).toContain(`${faultCount} faults`)
      return
    }
    const report = JSON.parse(out)
    expect(report.faults).toEqual(checkedReport.faults)
    const ofLeftOut = report.leftOut.flatMap((one: { findings: LocatedFinding[] }) => one.findings)
    expect(countsOf([...report.findings, ...ofLeftOut])).toEqual(kinds)
    const strict = await runHere(...argv, '--strict')
    expect([strict.code, strict.err]).toEqual([1, expect.stringContaining(checkedReport.faults[0]?.expected ?? '')])
  })
})

function countsOf(findings: readonly LocatedFinding[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { kind, count } of findings) counts[kind] = (counts[kind] ?? 0) + count
  return counts
}

type Place = { readonly kind: string; readonly file: string; readonly line?: number; readonly column?: string }

const fault = (file: string, line: number, column: string): Place => ({ kind: 'fault', file, line, column })
const inUnits = (kind: string, line: number, column?: string): Place => ({
  ...{ kind, file: 'units.csv', line },
  ...(column !== undefined && { column }),
})
const unitsWith = (
  csv: string | Uint8Array,
  fields: readonly { readonly name: string }[] = [],
  more = {},
  resource = {},
) =>
  new PackageDirectory()
    .describe(table('units', [CODE, NAME, ...fields], { ...KEY, ...more }, resource))
    .put('units.csv', csv)
const PARENT = { name: 'parent' }
const toItself = { foreignKeys: [{ fields: 'parent', reference: { resource: '', fields: 'code' } }] }
const toZones = { foreignKeys: [{ fields: 'zone', reference: { resource: 'zones', fields: 'code' } }] }
const REFERRING = JSON.stringify(
  { name: 'p', resources: [table('units', [CODE, NAME, { name: 'zone' }], { ...KEY, ...toZones })] },
  null,
  2,
)
const lineWith = (text: string, word: string) => text.split('\n').findIndex((line) => line.includes(word)) + 1

/** Faulty packages of others, with the kind and the first place of every finding. */
const ofOthers: readonly [string, PackageDirectory, readonly Place[]][] = [
  [
    'a descriptor that is no JSON',
    new PackageDirectory().put('datapackage.json', '{\n "name": ]'),
    [fault('datapackage.json', 2, 'column 10')],
  ],
  [
    'a descriptor that is no YAML',
    new PackageDirectory().put('datapackage.yaml', 'name: x\nresources: [\n'),
    [fault('datapackage.yaml', 3, 'column 1')],
  ],
  [
    'a mark at the beginning of the descriptor and of the table',
    new PackageDirectory()
      .put('datapackage.json', `\ufeff${JSON.stringify({ name: 'x', resources: [units] })}`)
      .put('units.csv', '\ufeffcode,name\nA,One\n'),
    [],
  ],
  ['a header with another column', unitsWith('code,name,more\nA,One,x\n'), [inUnits('column-not-declared', 1)]],
  ['a header without a column', unitsWith('code,name\nA,One\n', [{ name: 'lost' }]), [inUnits('column-missing', 1)]],
  [
    'a file whose name differs in case',
    unitsWith('code,name\nA,One\n', [], {}, { path: 'Units.csv' }),
    [fault('datapackage.json', 1, expect.stringMatching(/^column \d+$/))],
  ],
  [
    'a parent that is its own',
    unitsWith('code,name,parent\nA,One,A\nB,Two,A\n', [PARENT], toItself),
    [inUnits('own-parent', 2, 'parent')],
  ],
  [
    'a circle',
    unitsWith('code,name,parent\nA,One,B\nB,Two,A\n', [PARENT], toItself),
    [inUnits('parents-in-a-circle', 2, 'parent')],
  ],
  ['a key that is there twice', unitsWith('code,name\nA,One\nA,Two\n'), [fault('units.csv', 3, 'code')]],
  ['a blank key', unitsWith('code,name\nA,One\n,Two\n'), [fault('units.csv', 3, 'code')]],
  ['NA, which may be a code', unitsWith('code,name\nNA,One\n'), [inUnits('looks-missing', 2, 'code')]],
  [
    'dates in four forms',
    unitsWith('code,name,on\nA,a,2001-02-03\nB,b,3/2/2001\nC,c,3 Feb 2001\nD,d,03.02.01\n', [
      { name: 'on', type: 'date' } as { name: string },
    ]),
    [inUnits('not-of-type', 3, 'on')],
  ],
  [
    'a reference that leads nowhere',
    new PackageDirectory()
      .describe(
        table('units', [CODE, NAME, { name: 'zone' }], { ...KEY, ...toZones }),
        table('zones', [CODE, NAME], KEY),
      )
      .put('units.csv', 'code,name,zone\nA,One,x\nB,Two,y\n')
      .put('zones.csv', 'code,name\nx,Ex\n'),
    [inUnits('reference-not-found', 3, 'zone')],
  ],
  [
    'a reference to a list that is not there',
    new PackageDirectory().put('datapackage.json', REFERRING).put('units.csv', 'code,name,zone\nA,One,x\n'),
    [
      {
        kind: 'reference-to-no-list',
        file: 'datapackage.json',
        line: lineWith(REFERRING, 'foreignKeys') + 1,
        column: 'zone',
      },
    ],
  ],
  ['semicolons', unitsWith('code;name\nA;One\n'), [{ kind: 'separator', file: 'units.csv' }]],
  ['gzip', unitsWith(Bun.gzipSync('code,name\nA,One\n')), []],
  ['Latin-1', unitsWith(Buffer.from('code,name\nA,Ñandú\n', 'latin1')), [{ kind: 'encoding', file: 'units.csv' }]],
  [
    'a directory that is a link out',
    unitsWith('', [], {}, { path: 'out/passwd' }).link('out', '/etc'),
    [fault('datapackage.json', 1, expect.stringMatching(/^column \d+$/))],
  ],
]
afterAll(() => {
  for (const [, directory] of ofOthers) directory[Symbol.dispose]()
})

describe('every finding has its place:', () => {
  test.each(ofOthers)('%s', async (_, directory, expected) => {
    const { faults, findings, sound } = await checked(directory)
    const placed = (kind: string, { file = '', line, column }: Partial<Fault>) => ({
      kind,
      file: file.replace(`${directory.path}/`, ''),
      ...(line === undefined ? {} : { line }),
      ...(column === undefined ? {} : { column }),
    })
    expect([
      ...faults.map((one) => placed('fault', one)),
      ...findings.map(({ kind, places }) => placed(kind, places[0] ?? {})),
    ]).toEqual([...expected])
    expect(sound).toBe(expected.every(({ kind }) => kind !== 'fault'))
    expect((await checked(directory, '--strict')).sound).toBe(expected.length === 0)
  })

  test('a link out is called so', async () => {
    const [, directory] = ofOthers.at(-1) as (typeof ofOthers)[number]
    expect((await checked(directory)).faults[0]?.expected).toContain('a link that leads out')
  })
})

test('codes that are shorter than the rest are a finding with its places, which --strict refuses', async () => {
  using directory = new PackageDirectory()
    .describe(table('units', [{ name: 'code', type: 'integer' }, NAME], KEY))
    .put(
      'units.csv',
      `code,name\n1110,One\n${Array.from({ length: 9 }, (_, at) => `${at + 1}2110,Unit ${at}\n`).join('')}`,
    )
  const { findings, notes } = await checked(directory)
  expect(findings).toMatchObject([
    {
      kind: 'lost-zero',
      count: 1,
      examples: [expect.stringContaining('units.csv:2, code: 1110')],
      places: [{ line: 2, column: 'code' }],
    },
  ])
  expect(notes.map(({ what }) => what).join()).not.toContain('shorter')
  const imported = await runHere('import', 'package', directory.path, '--home', home.path, '--dry-run', '--strict')
  expect([imported.code, imported.err]).toEqual([1, expect.stringContaining('a code is shorter than the rest')])
})

describe('a reference to a list of another package', () => {
  const foreignKeys = [{ fields: 'tone', reference: { package: 'colours', resource: 'tones', fields: 'code' } }]
  const paints = () =>
    new PackageDirectory()
      .describe(table('paints', [CODE, NAME, { name: 'tone' }], { ...KEY, foreignKeys }))
      .put('paints.csv', 'code,name,tone\np1,Barn,r\np2,Sky,blue\n')

  test('is not found without a home, which is reported', async () => {
    using directory = paints()
    const { notes } = await checked(directory)
    expect(notes.map(({ what }) => what)).toContainEqual(
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
    const { out } = await runHere('import', 'package', directory.path, '--home', home.path, '--dry-run', '--json')
    expect(countsOf(JSON.parse(out).findings)).toEqual({ 'reference-not-found': 1 })
  })
})
