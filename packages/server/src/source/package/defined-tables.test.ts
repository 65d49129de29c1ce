// A table of CSV or NDJSON gives its rows with their lines, and every fault with its location.
import { describe, expect, test } from 'bun:test'
import { builtInCatalog } from '../built-in.ts'
import { Faults } from '../faults.ts'
import { Findings } from '../findings.ts'
import type { GivenRow } from '../source.ts'
import { type DefinedTable, definedLists } from './defined-tables.ts'

const reader = (format: DefinedTable['format']) => async (name: string, text: string) => {
  const open = async function* () {
    const bytes = Buffer.from(text)
    // Nothing depends on where a file is cut.
    for (let start = 0; start < bytes.length; start += 60_000) yield bytes.subarray(start, start + 60_000)
  }
  const tables = new Map([[name, { file: 'given', open, format, isGuarded: true as const }]])
  const report = { faults: new Faults(), findings: new Findings() }
  const rows: GivenRow[] = []
  const lines: number[] = []
  let isWhole = true
  try {
    for await (const block of definedLists(builtInCatalog, tables).read(name, report)) {
      rows.push(...block.rows)
      lines.push(...block.lines)
    }
  } catch (error) {
    if (!report.faults.any) throw error
    isWhole = false
  }
  const faults = report.faults.list().map(({ line, column, value, expected }) => [line, column, value, expected])
  return { rows, lines, isWhole, faults, findings: report.findings.list().map(({ kind }) => kind) }
}

const readCsv = reader('csv')
const readNdjson = reader('ndjson')

const HEADER = 'cvePais,descPais,idPais\n'
const mexico = { cvePais: 'MEX', descPais: 'México', idPais: 484 }
const named = (descPais: string) => ({ cvePais: 'MEX', descPais, idPais: 484 })

describe('of CSV, reads', () => {
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
    expect(await readCsv(entity, text)).toEqual({
      rows: [...rows] as GivenRow[],
      lines: rows.map((_, at) => at + 2),
      isWhole: true,
      faults: [],
      findings: [],
    }),
  )

  test.each(['01', '+1', '-1', '1.0', '1e3', ' 1', '1 ', '0x1', '1234567890123456', 'x', '４'])(
    '%p as text, for the check of the row to refuse',
    async (text) =>
      expect((await readCsv('pais', `${HEADER}MEX,México,${text}\n`)).rows).toEqual([
        { ...mexico, idPais: text as never },
      ]),
  )

  test.each([0, 1, 9, 10, 2_147_483_647, 999_999_999_999_999])('%p as a number', async (idPais) =>
    expect((await readCsv('pais', `${HEADER}MEX,México,${idPais}\n`)).rows).toEqual([{ ...mexico, idPais }]),
  )

  test('what is read in several pieces as one', async () => {
    const names = Array.from({ length: 40_000 }, (_, at) => (at % 9 === 0 ? `Ñandú "${at}", 🌵` : `Ñandú ${at} 🌵`))
    const records = names.map(
      (name, at) => `MEX,${name.includes('"') ? `"${name.replaceAll('"', '""')}"` : name},${at}`,
    )
    const { rows, lines, faults } = await readCsv('pais', `${HEADER}${records.join('\r\n')}`)
    expect(faults).toEqual([])
    expect(rows).toEqual(names.map((descPais, idPais) => ({ cvePais: 'MEX', descPais, idPais })))
    expect(lines).toEqual(names.map((_, at) => at + 2))
  })
})

describe('of CSV, refuses a line and reads on', () => {
  const VALUES = '3 values, as in the header'
  const cases: readonly [what: string, lines: string, last: number, faults: readonly unknown[]][] = [
    ['too few values', 'MEX,México\n', 3, [[2, 'all', '"2 values"', VALUES]]],
    ['too many values', 'MEX,México,484,\n', 3, [[2, 'all', '"4 values"', VALUES]]],
    [
      'several lines, each in its place',
      'A,"a",1\n\nC,c\nD,"d\ne",4\nE,1\n',
      8,
      [
        [4, 'all', '"2 values"', VALUES],
        [7, 'all', '"2 values"', VALUES],
      ],
    ],
  ]
  test.each(cases)('%s', async (_, lines, last, faults) => {
    const found = await readCsv('pais', `${HEADER}${lines}MEX,México,484\n`)
    expect(found.faults).toEqual([...faults] as never)
    expect([found.rows.at(-1), found.lines.at(-1), found.isWhole]).toEqual([mexico, last, true])
  })
})

test('of CSV, refuses a derived value that is not the one that it is derived from', async () => {
  const { faults } = await readCsv('area', 'cveArea,description,descripcion\n1,Science,Ciencias\n')
  expect(faults).toEqual([[2, 'description', '"Science"', 'the value of descripcion, from which it is derived']])
})

describe('of CSV, refuses a whole file', () => {
  const cases: readonly [what: string, text: string, fault: readonly unknown[]][] = [
    ['without anything', '', [1, 'all', '"an empty file"', 'a header']],
    ['with a byte order mark and nothing else', '\ufeff', [1, 'all', '"an empty file"', 'a header']],
    [
      'with columns that are not right',
      'cvePais,idPais\nMEX,484\n',
      [1, 'descPais', 'nothing', 'this column, which is missing'],
    ],
    [
      'with a quote that is not closed',
      `${HEADER}MEX,"México,484\n`,
      [2, 'column 2', expect.stringContaining('México'), 'a closing quote'],
    ],
  ]
  test.each(cases)('%s', async (_, text, fault) =>
    expect(await readCsv('pais', text)).toEqual({
      rows: [],
      lines: [],
      isWhole: false,
      faults: [fault] as never,
      findings: [],
    }),
  )
})

test.each([
  ['no records', HEADER, ['no-records']],
  ['text after a closing quote', `${HEADER}MEX,"México" D.F.,484\n`, ['stray-quote']],
  ['another separator', `${HEADER}MEX,México,484\n`.replaceAll(',', ';'), ['separator']],
])('of CSV, it is odd to have %s', async (_, text, findings) =>
  expect(await readCsv('pais', text)).toMatchObject({ isWhole: true, faults: [], findings }),
)

const MEXICO = JSON.stringify(mexico)
const peña = { cveLocalidad: '5', descLocalidad: 'Peña', idLocalidad: 9, idEstado: 14 }

describe('of NDJSON, reads', () => {
  const byCode = { ...peña, idMunicipio: { idEstado: 13, cveMunicipio: '001' } }
  const cases: readonly [what: string, entity: string, text: string, rows: readonly object[]][] = [
    ['a plain line', 'pais', `${MEXICO}\n`, [mexico]],
    ['line ends of Windows', 'pais', `${MEXICO}\r\n${MEXICO}`, [mexico, mexico]],
    ['a byte order mark', 'pais', `\ufeff${MEXICO}`, [mexico]],
    [
      'fields in any order, and another on the next line',
      'pais',
      `{"idPais":484, "descPais":"México","cvePais":"MEX"}\n${MEXICO}`,
      [mexico, mexico],
    ],
    ['no identifier', 'pais', '{"cvePais":"MEX","descPais":"M"}', [{ cvePais: 'MEX', descPais: 'M' }]],
    ['a parent by identifier', 'localidad', JSON.stringify({ ...peña, idMunicipio: 7 }), [{ ...peña, idMunicipio: 7 }]],
    ['a parent by code, nested', 'localidad', JSON.stringify(byCode), [byCode]],
    [
      'a parent by code, dotted',
      'localidad',
      JSON.stringify({ 'idMunicipio.cveMunicipio': '001', ...peña, 'idMunicipio.idEstado': 13 }),
      [byCode],
    ],
    [
      'each parent in its own way',
      'localidad',
      JSON.stringify({ ...byCode, idEstado: { cveEstado: 'HGO' } }),
      [{ ...byCode, idEstado: { cveEstado: 'HGO' } }],
    ],
    [
      'numbers that no identifier is, for the check of the row to refuse',
      'pais',
      MEXICO.replace('484', '-4.5'),
      [{ ...mexico, idPais: -4.5 }],
    ],
  ]
  test.each(cases)('%s', async (_, entity, text, rows) =>
    expect(await readNdjson(entity, text)).toEqual({
      rows: [...rows] as GivenRow[],
      lines: rows.map((_, at) => at + 1),
      isWhole: true,
      faults: [],
      findings: [],
    }),
  )
})

test('of NDJSON, reads a derived value that is the one that it is derived from, and refuses another', async () => {
  const line = (description: string) => JSON.stringify({ cveArea: '1', descripcion: 'Ciencias', description })
  const { rows, faults } = await readNdjson('area', `${line('Ciencias')}\n${line('Science')}\n`)
  expect(rows[0]).toEqual({ cveArea: '1', descripcion: 'Ciencias' })
  expect(faults).toEqual([[2, 'description', '"Science"', 'the value of descripcion, from which it is derived']])
})

describe('of NDJSON, refuses a line and reads on', () => {
  const OBJECT = 'one JSON object on the line'
  const [NUMBER, TEXT] = ['a number, without quotes', 'a text, in quotes']
  const missing = (column: string, or = '') => [2, column, 'nothing', `this column${or}, which is missing`]
  const pais = (change: object) => JSON.stringify({ ...mexico, ...change })
  const municipio = (idMunicipio: unknown, more: object = {}) => JSON.stringify({ ...peña, idMunicipio, ...more })
  const cases: readonly [what: string, entity: string, line: string, faults: readonly unknown[]][] = [
    ['no JSON', 'pais', '{"cvePais":', [[2, 'column 12', '""', expect.stringMatching(/^a value: an object/)]]],
    ['two objects', 'pais', '{}{}', [[2, 'column 3', '"{}"', 'the end of the file']]],
    ['an empty line', 'pais', '', []],
    ['a list', 'pais', '[1]', [[2, 'all', '"[1]"', OBJECT]]],
    ['null', 'pais', 'null', [[2, 'column 1', '"null"', 'an object, or a list']]],
    ['a text', 'pais', '"a"', [[2, 'column 1', '"\\"a\\""', 'an object, or a list']]],
    ['missing fields', 'pais', '{}', [missing('cvePais'), missing('descPais')]],
    [
      'a missing parent',
      'localidad',
      JSON.stringify(peña),
      [missing('idMunicipio', ' or idMunicipio.idEstado and idMunicipio.cveMunicipio')],
    ],
    [
      'an unknown field',
      'pais',
      pais({ poblacion: 1 }),
      [[2, 'poblacion', '"poblacion"', 'one of cvePais, descPais, idPais, nombreEn']],
    ],
    [
      'a misspelt field',
      'pais',
      pais({ idpais: 1 }),
      [[2, 'idpais', '"idpais"', 'a known column; did you mean idPais?']],
    ],
    [
      'what every object has',
      'pais',
      MEXICO.replace('{', '{"__proto__":1,'),
      [[2, '__proto__', '"__proto__"', 'one of cvePais, descPais, idPais, nombreEn']],
    ],
    [
      'an object that is no parent',
      'pais',
      pais({ descPais: { es: 'México' } }),
      [[2, 'descPais.es', '"descPais.es"', 'one of cvePais, descPais, idPais, nombreEn'], missing('descPais')],
    ],
    ['an identifier in quotes', 'pais', pais({ idPais: '484' }), [[2, 'idPais', '"484"', NUMBER]]],
    ['an identifier that is null', 'pais', pais({ idPais: null }), [[2, 'idPais', 'null', NUMBER]]],
    ['a code that is a number', 'pais', pais({ cvePais: 1 }), [[2, 'cvePais', '1', TEXT]]],
    ['a name that is a list', 'pais', pais({ descPais: ['México'] }), [[2, 'descPais', '["México"]', TEXT]]],
    [
      'several wrong values',
      'pais',
      pais({ idPais: true, cvePais: null }),
      [
        [2, 'cvePais', 'null', TEXT],
        [2, 'idPais', 'true', NUMBER],
      ],
    ],
    ['a parent that is null', 'localidad', municipio(null), [[2, 'idMunicipio', 'null', NUMBER]]],
    ['a parent that is a list', 'localidad', municipio([1]), [[2, 'idMunicipio', '[1]', NUMBER]]],
    [
      'a parent by nothing',
      'localidad',
      municipio({}),
      [missing('idMunicipio', ' or idMunicipio.idEstado and idMunicipio.cveMunicipio')],
    ],
    ['half a code', 'localidad', municipio({ idEstado: 1 }), [missing('idMunicipio.cveMunicipio')]],
    [
      'a code with a number in quotes',
      'localidad',
      municipio({ idEstado: '1', cveMunicipio: '001' }),
      [[2, 'idMunicipio.idEstado', '"1"', NUMBER]],
    ],
    [
      'a code with a text that is a number',
      'localidad',
      municipio({ idEstado: 1, cveMunicipio: 1 }),
      [[2, 'idMunicipio.cveMunicipio', '1', TEXT]],
    ],
    [
      'a code in a code',
      'localidad',
      municipio({ idEstado: { cveEstado: 'HGO' }, cveMunicipio: '001' }),
      [[2, 'idMunicipio.idEstado', '{"cveEstado":"HGO"}', NUMBER]],
    ],
    [
      'a code both nested and dotted',
      'localidad',
      municipio({ idEstado: 1, cveMunicipio: '001' }, { 'idMunicipio.idEstado': 1 }),
      [[2, 'idMunicipio.idEstado', '"idMunicipio.idEstado"', 'each column once']],
    ],
    [
      'a parent both by identifier and by code',
      'localidad',
      municipio(7, { 'idMunicipio.idEstado': 1, 'idMunicipio.cveMunicipio': '001' }),
      ['idEstado', 'cveMunicipio'].map((part) => [
        2,
        `idMunicipio.${part}`,
        `"idMunicipio.${part}"`,
        'either idMunicipio or idMunicipio.idEstado and idMunicipio.cveMunicipio, not both',
      ]),
    ],
  ]
  test.each(cases)('%s', async (_, entity, line, faults) => {
    const sound = entity === 'pais' ? mexico : { ...peña, idMunicipio: 7 }
    const around = JSON.stringify(sound)
    expect(await readNdjson(entity, `${around}\n${line}\n${around}\n`)).toEqual({
      rows: [sound, sound],
      lines: [1, 3],
      isWhole: true,
      faults: [...faults] as never,
      findings: [],
    })
  })
})
