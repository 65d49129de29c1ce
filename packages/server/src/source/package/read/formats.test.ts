// The same table is read whatever it is saved as, with the places of its rows.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { zipOf } from '../../../../../../test/support/inegi-file.ts'
import { PackageDirectory, readPackage } from '../../../../../../test/support/package-directory.ts'
import { examinePackage } from '../open-package.ts'

setDefaultTimeout(30_000)

const CODES = ['A1', 'B2', 'C3']
const ROWS = CODES.map((code) => ({ code, name: `Office ${code}` }))
const CSV = `code,name\n${ROWS.map(({ code, name }) => `${code},${name}\n`).join('')}`
const NDJSON = ROWS.map((row) => `${JSON.stringify(row)}\n`).join('')
const gzip = (text: string) => Buffer.from(Bun.gzipSync(Buffer.from(text)))
const zip = (files: Readonly<Record<string, string | Buffer>>) =>
  zipOf(Object.entries(files).map(([name, content]) => ({ name, bytes: Buffer.from(content as string) })))

const odsCell = (text: string, more = '') =>
  `<table:table-cell office:value-type="string"${more}><text:p>${text}</text:p></table:table-cell>`
const ods = (rows: string) =>
  zip({
    'content.xml': `<office:document-content><office:body><office:spreadsheet><table:table table:name="Offices">${rows}</table:table></office:spreadsheet></office:body></office:document-content>`,
  })
const odsRow = (...cells: readonly string[]) => `<table:table-row>${cells.join('')}</table:table-row>`
const ODS = ods(
  [
    odsRow(odsCell('code'), odsCell('name')),
    ...ROWS.map(({ code, name }) => odsRow(odsCell(code), odsCell(name))),
    `<table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>`,
  ].join(''),
)

describe('a table', () => {
  test.each<[string, string, string | Buffer]>([
    ['CSV', 'offices.csv', CSV],
    ['packed CSV', 'offices.csv.gz', gzip(CSV)],
    ['a list of objects', 'offices.json', JSON.stringify(ROWS)],
    ['a list of lists', 'offices.json', JSON.stringify([['code', 'name'], ...ROWS.map(Object.values)])],
    ['a packed list of objects', 'offices.json.gz', gzip(JSON.stringify(ROWS))],
    ['an object on each line', 'offices.ndjson', NDJSON],
    ['the same under its other ending', 'offices.jsonl', `\ufeff${NDJSON}\n`],
    [
      'a list on each line',
      'offices.ndjson',
      `["code","name"]\n${ROWS.map((row) => `${JSON.stringify(Object.values(row))}\n`).join('')}`,
    ],
    ['packed lines', 'offices.ndjson.gz', gzip(NDJSON)],
    ['an OpenDocument workbook', 'offices.ods', ODS],
    ['a zip with CSV', 'offices.zip', zip({ 'offices.csv': CSV })],
    ['a zip with lines', 'offices.zip', zip({ 'offices.ndjson': NDJSON })],
  ])('may be %s', async (_, name, content) => {
    using directory = new PackageDirectory().put(name, content)
    const { rows } = await readPackage(`${directory.path}/${name}`)
    expect(rows).toEqual({ offices: ROWS })
  })

  test('of a directory is read once, whatever else it is saved as there', async () => {
    using directory = new PackageDirectory().put('offices.csv', CSV).put('offices.json', JSON.stringify(ROWS))
    directory.put('package.json', '{}').put('places.ndjson', NDJSON)
    expect(Object.keys((await directory.read()).rows)).toEqual(['offices', 'places'])
  })
})

describe('the header', () => {
  const below = (...above: readonly string[]) => `${[...above, ''].join('\n')}${CSV}`
  test.each([
    ['below a title', below('Directory of offices'), [2, 3, 4].map((line) => line + 1)],
    ['below a title in cells, and an empty row', below('Directory of offices,', ','), [4, 5, 6]],
    [
      'below a title with a comma, in a file with semicolons',
      below('Offices, 2024', '').replaceAll(/(?<=[a-z0-9]),(?! )/g, ';'),
      [4, 5, 6],
    ],
    ['below empty lines', below('', ''), [4, 5, 6]],
  ])('is found %s', async (_, csv, lines) => {
    using directory = new PackageDirectory().put('offices.csv', csv)
    const read = await directory.read()
    expect(read.rows.offices).toEqual(ROWS)
    expect(read.lines.offices).toEqual(lines)
  })

  test('is where the names of the schema are', async () => {
    using directory = new PackageDirectory()
      .describe({ name: 'offices', path: 'offices.csv', schema: { fields: [{ name: 'code' }, { name: 'name' }] } })
      .put('offices.csv', below('a,b', 'c,d'))
    expect((await directory.read()).rows.offices).toEqual(ROWS)
  })

  test('is the first row where no row below looks like one', async () => {
    using directory = new PackageDirectory().put('offices.csv', 'code,\nA1,1\nB2,2\nC3,3\n')
    expect((await directory.read()).rows.offices?.[0]).toMatchObject({ code: 'A1' })
  })
})

test('decimal commas are numbers in a file with semicolons', async () => {
  using directory = new PackageDirectory().put(
    'offices.csv',
    'code;name;lat;lon\nA;One;19,43;-99,13\nB;Two;20,67;-103,35\nC;Three;25,69;-100,32\n',
  )
  expect((await directory.read()).rows.offices?.[0]).toMatchObject({ lat: '19.43', lon: '-99.13' })
})

test('a workbook that lost zeros is told, with what they must have been', async () => {
  const cell = (value: string) =>
    `<c${/^\d+$/.test(value) ? `><v>${value}</v>` : ` t="inlineStr"><is><t>${value}</t></is>`}</c>`
  const codes = ['1001', '9015', ...Array.from({ length: 18 }, (_, at) => String(14_001 + at * 977))]
  const rows = [['clave', 'nombre'], ...codes.map((code, at) => [code, `Oficina ${String.fromCharCode(65 + at)}`])]
  const workbook = zip({
    'xl/workbook.xml': '<workbook><sheets><sheet name="one" r:id="rId1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>',
    'xl/worksheets/sheet1.xml': `<sheetData>${rows.map((row) => `<row>${row.map(cell).join('')}</row>`).join('')}</sheetData>`,
  })
  using directory = new PackageDirectory().put('offices.xlsx', workbook)
  const { examples, kinds } = await readPackage(`${directory.path}/offices.xlsx`)
  expect(kinds).toEqual({ 'lost-zero': 2 })
  expect(examples.join()).toContain('1001, which must have been 01001')
})

describe('what is broken', () => {
  const faultsOf = async (name: string, content: string | Buffer) => {
    using directory = new PackageDirectory().put(name, content)
    const { faults } = await examinePackage(`${directory.path}/${name}`)
    return faults.map(({ line, column, expected }) => `${line} ${column} ${expected}`)
  }
  test.each<[string, string, string | Buffer, readonly (string | RegExp)[]]>([
    ['JSON', 'x.json', '[{"code": "A"},\n {"code": }]', [/^2 column 11 a value/]],
    [
      'each line',
      'x.ndjson',
      '{"code":"A"}\n{"code":}\n{"code":"B"}\n7\n',
      [/^2 column 9 a value/, /^4 column 1 an object/],
    ],
    ['a quote', 'x.csv', 'code,name\nA,"One\n', ['2 column 2 a closing quote']],
    ['gzip', 'x.csv.gz', gzip(CSV.repeat(99)).subarray(0, 60), [/^1 all sound gzip/]],
  ])('in %s is told with its place', async (_, name, content, expected) => {
    const faults = await faultsOf(name, content)
    expect(faults).toHaveLength(expected.length)
    for (const [at, one] of expected.entries()) expect(faults[at]).toMatch(one)
  })

  test('and a zip within a zip is refused', async () => {
    const content = zip({ 'outer.csv': zip({ 'inner.csv': CSV }) })
    expect(await faultsOf('x.csv', content)).toEqual([expect.stringContaining('is a zip within a zip')])
  })
})
