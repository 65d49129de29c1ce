// A file of JSON lines gives its rows with their lines, and every fault with its location.
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Faults, FaultyRecords } from '../faults.ts'
import { Findings } from '../findings.ts'
import type { GivenRow } from '../source.ts'
import { tabularSource } from './tabular.ts'

const scratch = mkdtempSync(join(tmpdir(), 'nomenclator-ndjson-'))
afterAll(() => rmSync(scratch, { recursive: true }))

async function read(name: string, text: string) {
  const directory = mkdtempSync(join(scratch, 'case-'))
  const path = join(directory, `${name}.ndjson`)
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

const mexico = { cvePais: 'MEX', descPais: 'México', idPais: 484 }
const MEXICO = JSON.stringify(mexico)
const peña = { cveLocalidad: '5', descLocalidad: 'Peña', idLocalidad: 9, idEstado: 14 }

describe('reads', () => {
  const byCode = { ...peña, idMunicipio: { idEstado: 13, cveMunicipio: '001' } }
  const cases: readonly [what: string, entity: string, text: string, rows: readonly object[]][] = [
    ['a plain line', 'pais', `${MEXICO}\n`, [mexico]],
    ['nothing', 'pais', '', []],
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
    expect(await read(entity, text)).toEqual({
      rows: [...rows] as GivenRow[],
      lines: rows.map((_, at) => at + 1),
      isWhole: true,
      faults: [],
    }),
  )
})

test('reads a derived value that is the one that it is derived from, and refuses another', async () => {
  const line = (description: string) => JSON.stringify({ cveArea: '1', descripcion: 'Ciencias', description })
  const { rows, faults } = await read('area', `${line('Ciencias')}\n${line('Science')}\n`)
  expect(rows[0]).toEqual({ cveArea: '1', descripcion: 'Ciencias' })
  expect(faults).toEqual([[2, 'description', '"Science"', 'the value of descripcion, from which it is derived']])
})

describe('refuses a line and reads on', () => {
  const OBJECT = 'one JSON object on the line'
  const [NUMBER, TEXT] = ['a number, without quotes', 'a text, in quotes']
  const missing = (column: string, or = '') => [2, column, 'nothing', `this column${or}, which is missing`]
  const pais = (change: object) => JSON.stringify({ ...mexico, ...change })
  const municipio = (idMunicipio: unknown, more: object = {}) => JSON.stringify({ ...peña, idMunicipio, ...more })
  const cases: readonly [what: string, entity: string, line: string, faults: readonly unknown[]][] = [
    ['no JSON', 'pais', '{"cvePais":', [[2, 'all', '"{\\"cvePais\\":"', OBJECT]]],
    ['two objects', 'pais', '{}{}', [[2, 'all', '"{}{}"', OBJECT]]],
    ['an empty line', 'pais', '', [[2, 'all', '""', OBJECT]]],
    ['a list', 'pais', '[1]', [[2, 'all', '"[1]"', OBJECT]]],
    ['null', 'pais', 'null', [[2, 'all', '"null"', OBJECT]]],
    ['a text', 'pais', '"a"', [[2, 'all', '"\\"a\\""', OBJECT]]],
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
      [[2, 'poblacion', '"poblacion"', 'one of cvePais, descPais, idPais']],
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
      [[2, '__proto__', '"__proto__"', 'one of cvePais, descPais, idPais']],
    ],
    [
      'an object that is no parent',
      'pais',
      pais({ descPais: { es: 'México' } }),
      [[2, 'descPais.es', '"descPais.es"', 'one of cvePais, descPais, idPais'], missing('descPais')],
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
    expect(await read(entity, `${around}\n${line}\n${around}\n`)).toEqual({
      rows: [sound, sound],
      lines: [1, 3],
      isWhole: true,
      faults: [...faults] as never,
    })
  })
})
