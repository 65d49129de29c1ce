// CSV is parsed line by line and written cell by cell; a file gives its rows with their lines, and every fault with its location.
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { Faults, FaultyRecords } from '../faults.ts'
import { Findings } from '../findings.ts'
import type { GivenRow } from '../source.ts'
import { csvCell, parseCsvLine, spreadsheetCell } from './csv.ts'
import { tabularSource } from './tabular.ts'

const scratch = mkdtempSync(join(tmpdir(), 'nomenclator-csv-'))
afterAll(() => rmSync(scratch, { recursive: true }))

async function read(name: string, text: string) {
  const directory = mkdtempSync(join(scratch, 'case-'))
  const path = join(directory, `${name}.csv`)
  await Bun.write(path, text)
  const report = { faults: new Faults(), findings: new Findings() }
  const rows: GivenRow[] = []
  const lines: number[] = []
  let isWhole = true
  try {
    for await (const block of tabularSource(directory).read(name, report)) {
      rows.push(...block.rows)
      lines.push(...block.lines)
    }
  } catch (error) {
    if (!(error instanceof FaultyRecords)) throw error
    isWhole = false
  }
  return { rows, lines, isWhole, faults: faultsIn(path, report.faults) }
}

function faultsIn(path: string, faults: Faults) {
  try {
    faults.throwIfAny()
    return []
  } catch (error) {
    if (!(error instanceof FaultyRecords)) throw error
    return error.faults.map(({ file, line, column, value, expected }) => {
      expect(file).toBe(path)
      return [line, column, value, expected]
    })
  }
}

describe('a line', () => {
  const value = fc.string({ unit: fc.constantFrom('a', '"', ',', ' ', "'", 'ñ', '🌵', '\t', '\\', ';') })
  const record = fc.array(value, { minLength: 1, maxLength: 5 })

  test('written with quotes where they are needed gives back its values', () =>
    fc.assert(
      fc.property(record, (values) =>
        expect(parseCsvLine(values.map((value) => csvCell(value)).join(','))).toEqual(values),
      ),
    ))

  test('written with quotes around any value gives back its values', () => {
    const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
    const cells = fc.array(fc.tuple(value, fc.boolean()), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(cells, (values) => {
        const line = values.map(([text, isQuoted]) => (isQuoted ? quoted(text) : csvCell(text))).join(',')
        expect(parseCsvLine(line)).toEqual(values.map(([text]) => text))
      }),
    )
  })
})

describe('a cell', () => {
  test.each([
    ['plain text', 'Peña', 'Peña'],
    ['nothing', '', ''],
    ['blanks', ' a ', ' a '],
    ['a comma', 'a,b', '"a,b"'],
    ['a quote', 'El "Sueño"', '"El ""Sueño"""'],
    ['a carriage return', 'a\rb', '"a\rb"'],
    ['a line feed', 'a\nb', '"a\nb"'],
    ['other separators', 'a;b\tc', 'a;b\tc'],
    ['what a spreadsheet takes for a formula', '=1', '=1'],
    ['what looks like a guarded formula', "'=1", "''=1"],
    ['another apostrophe', "'n Huis", "'n Huis"],
  ])('with %s', (_, text, cell) => expect(csvCell(text)).toBe(cell))

  test.each([
    ['=1', "'=1"],
    ['-1,5', `"'-1,5"`],
    ["'@a", "''@a"],
    ["'n Huis", "'n Huis"],
    ['a=b', 'a=b'],
  ])('safe in a spreadsheet: %s', (text, cell) => expect(spreadsheetCell(text)).toBe(cell))
})

const HEADER = 'cvePais,descPais,idPais\n'
const mexico = { cvePais: 'MEX', descPais: 'México', idPais: 484 }
const named = (descPais: string) => ({ cvePais: 'MEX', descPais, idPais: 484 })

describe('reads', () => {
  const cases: readonly [what: string, entity: string, text: string, rows: readonly object[]][] = [
    ['a plain file', 'pais', `${HEADER}MEX,México,484\n`, [mexico]],
    ['line ends of Windows', 'pais', `${HEADER}MEX,México,484\n`.replaceAll('\n', '\r\n'), [mexico]],
    ['a byte order mark', 'pais', `\ufeff${HEADER}MEX,México,484\n`, [mexico]],
    ['a last line that does not end', 'pais', `${HEADER}MEX,México,484`, [mexico]],
    ['columns in another order', 'pais', 'idPais,cvePais,descPais\n484,MEX,México\n', [mexico]],
    ['quotes around everything', 'pais', '"cvePais","descPais","idPais"\n"MEX","México","484"\n', [mexico]],
    ['a comma in quotes', 'pais', `${HEADER}MEX,"México, D. F.",484\n`, [named('México, D. F.')]],
    ['doubled quotes', 'pais', `${HEADER}MEX,"El ""Sueño""",484\n`, [named('El "Sueño"')]],
    ['a byte order mark in a name', 'pais', `${HEADER}MEX,\ufeffMéxico,484\n`, [named('\ufeffMéxico')]],
    ['a line separator in a name', 'pais', `${HEADER}MEX,a\u2028b,484\n`, [named('a\u2028b')]],
    ['a guarded formula', 'pais', `${HEADER}MEX,'=1+1,484\n`, [named('=1+1')]],
    ['a guard of its own', 'pais', `${HEADER}MEX,''-x,484\n`, [named("'-x")]],
    ['a formula and an apostrophe', 'pais', `${HEADER}MEX,=a,484\nMEX,'t Huis,484\n`, [named('=a'), named("'t Huis")]],
    [
      'a derived column',
      'area',
      'cveArea,description,descripcion\n1,Ciencias,Ciencias\n',
      [{ cveArea: '1', descripcion: 'Ciencias' }],
    ],
    ['no records', 'pais', HEADER, []],
    ['no identifier column', 'pais', 'cvePais,descPais\nMEX,México\n', [{ cvePais: 'MEX', descPais: 'México' }]],
    ['an empty identifier', 'pais', `${HEADER}MEX,México,\n`, [{ cvePais: 'MEX', descPais: 'México' }]],
    [
      'a parent by identifier',
      'municipio',
      'cveMunicipio,descMunicipio,idEstado,idMunicipio\n001,Mineral,13,7\n',
      [{ cveMunicipio: '001', descMunicipio: 'Mineral', idEstado: 13, idMunicipio: 7 }],
    ],
    [
      'a parent by a code of one field',
      'municipio',
      'cveMunicipio,descMunicipio,idEstado.cveEstado\n001,Mineral,HGO\n',
      [{ cveMunicipio: '001', descMunicipio: 'Mineral', idEstado: { cveEstado: 'HGO' } }],
    ],
    [
      'a parent by a code of two fields, the columns apart',
      'localidad',
      'idMunicipio.cveMunicipio,cveLocalidad,descLocalidad,idLocalidad,idEstado,idMunicipio.idEstado\n001,5,Peña,9,14,13\n',
      [
        {
          idMunicipio: { cveMunicipio: '001', idEstado: 13 },
          cveLocalidad: '5',
          descLocalidad: 'Peña',
          idLocalidad: 9,
          idEstado: 14,
        },
      ],
    ],
  ]
  test.each(cases)('%s', async (_, entity, text, rows) =>
    expect(await read(entity, text)).toEqual({
      rows: [...rows] as GivenRow[],
      lines: rows.map((_, at) => at + 2),
      isWhole: true,
      faults: [],
    }),
  )

  test.each(['01', '+1', '-1', '1.0', '1e3', ' 1', '1 ', '0x1', '1234567890123456', 'x', '４'])(
    '%p as text, for the check of the row to refuse',
    async (text) =>
      expect((await read('pais', `${HEADER}MEX,México,${text}\n`)).rows).toEqual([
        { ...mexico, idPais: text as never },
      ]),
  )

  test.each([0, 1, 9, 10, 2_147_483_647, 999_999_999_999_999])('%p as a number', async (idPais) =>
    expect((await read('pais', `${HEADER}MEX,México,${idPais}\n`)).rows).toEqual([{ ...mexico, idPais }]),
  )

  test('what is read in several pieces as one', async () => {
    const names = Array.from({ length: 40_000 }, (_, at) => (at % 9 === 0 ? `Ñandú "${at}", 🌵` : `Ñandú ${at} 🌵`))
    const records = names.map(
      (name, at) => `MEX,${name.includes('"') ? `"${name.replaceAll('"', '""')}"` : name},${at}`,
    )
    const { rows, lines, faults } = await read('pais', `${HEADER}${records.join('\r\n')}`)
    expect(faults).toEqual([])
    expect(rows).toEqual(names.map((descPais, idPais) => ({ cvePais: 'MEX', descPais, idPais })))
    expect(lines).toEqual(names.map((_, at) => at + 2))
  })
})

describe('refuses a line and reads on', () => {
  const VALUES = '3 values, as in the header'
  const DOUBLED = 'a value with quotes in it to be quoted whole, and each quote in it doubled'
  const CLOSED = 'a closing quote on the same line'
  const AFTER = 'a comma or the end of the line after the closing quote'
  const cases: readonly [what: string, lines: string, last: number, faults: readonly unknown[]][] = [
    ['too few values', 'MEX,México\n', 3, [[2, 'all', '"2 values"', VALUES]]],
    ['too many values', 'MEX,México,484,\n', 3, [[2, 'all', '"4 values"', VALUES]]],
    ['an empty line', '\n', 3, [[2, 'all', '"one value"', VALUES]]],
    [
      'a quote that is not closed',
      'MEX,"México,484\n',
      3,
      [[2, 'descPais', JSON.stringify('MEX,"México,484'), CLOSED]],
    ],
    [
      'something after a closing quote',
      'MEX,"México" D.F.,484\n',
      3,
      [[2, 'descPais', JSON.stringify('MEX,"México" D.F.,484'), AFTER]],
    ],
    [
      'a quote inside a value',
      'MEX,El "Sueño",484\n',
      3,
      [[2, 'descPais', JSON.stringify('MEX,El "Sueño",484'), DOUBLED]],
    ],
    [
      'quotes beyond the last column',
      'MEX,México,484,"x\n',
      3,
      [[2, 'all', JSON.stringify('MEX,México,484,"x'), CLOSED]],
    ],
    [
      'a line break in quotes, on both lines',
      'MEX,"Mé\nxico",484\n',
      4,
      [
        [2, 'descPais', JSON.stringify('MEX,"Mé'), CLOSED],
        [3, 'cvePais', JSON.stringify('xico",484'), DOUBLED],
      ],
    ],
    [
      'several lines, each in its place',
      'A,"a",1\nB,"b,2\nC,c\nD,"d",4\nE,"e"e,5\n',
      7,
      [
        [3, 'descPais', JSON.stringify('B,"b,2'), CLOSED],
        [4, 'all', '"2 values"', VALUES],
        [6, 'descPais', JSON.stringify('E,"e"e,5'), AFTER],
      ],
    ],
  ]
  test.each(cases)('%s', async (_, lines, last, faults) => {
    const found = await read('pais', `${HEADER}${lines}MEX,México,484\n`)
    expect(found.faults).toEqual([...faults] as never)
    expect([found.rows.at(-1), found.lines.at(-1), found.isWhole]).toEqual([mexico, last, true])
  })
})

test('refuses a derived value that is not the one that it is derived from', async () => {
  const { faults } = await read('area', 'cveArea,description,descripcion\n1,Science,Ciencias\n')
  expect(faults).toEqual([[2, 'description', '"Science"', 'the value of descripcion, from which it is derived']])
})

describe('refuses a whole file', () => {
  const cases: readonly [what: string, text: string, fault: readonly unknown[]][] = [
    ['without anything', '', [1, 'all', '"an empty file"', 'a header']],
    ['with a byte order mark and nothing else', '\ufeff', [1, 'all', '"an empty file"', 'a header']],
    [
      'with columns that are not right',
      'cvePais,idPais\nMEX,484\n',
      [1, 'descPais', 'nothing', 'this column, which is missing'],
    ],
    [
      'with broken quotes in the header',
      'cvePais,"descPais,idPais\n',
      [1, 'column 2', JSON.stringify('cvePais,"descPais,idPais'), 'a closing quote on the same line'],
    ],
  ]
  test.each(cases)('%s', async (_, text, fault) =>
    expect(await read('pais', text)).toEqual({ rows: [], lines: [], isWhole: false, faults: [fault] as never }),
  )
})
