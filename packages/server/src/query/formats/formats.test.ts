// Records in every format: how many there are, what of them is selected, and every byte around them.
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { releaseOf } from '../../../../../test/support/releases.ts'
import { placesOf, smallSource } from '../../../../../test/support/small-source.ts'
import type { OpenEntity, Release } from '../../release/release.ts'
import { bodyOf, contentTypeOf, FORMATS, type FormatName, recordEncoder } from './formats.ts'
import type { RecordOptions } from './record-format.ts'
import { memberAdder, type Selection } from './selection.ts'

setDefaultTimeout(180_000)

let release: Release
let municipalities: OpenEntity
let localities: OpenEntity
beforeAll(async () => {
  const places = {
    states: [['JAL', 'JC', 'Jalisco', 14]],
    municipalities: [
      ['039', 'Guadalajara', 14],
      ['067', '=Puerto, "Vallarta"', 14],
    ],
    localities: [
      ['0001', 'Cancún', 1, 500],
      ['0002', 'Tula', 1],
    ],
  } as const
  release = await releaseOf(smallSource(placesOf(places)))
  municipalities = release.entity('municipio')
  localities = release.entity('localidad')
})

const WHOLE: Selection = { fields: undefined, facts: false, embed: 'full' }

function written(entity: OpenEntity, format: FormatName, selection: Partial<RecordOptions> = {}, count = 2): string {
  const rendition = { ...WHOLE, ...selection, format }
  const addMembers = memberAdder(
    release,
    entity,
    rendition,
    selection.added && ((position) => ({ lejos: position + 7 })),
  )
  const jsons = Array.from({ length: count }, (_, at) => addMembers(entity.records.record(at), at))
  return Buffer.from(bodyOf(recordEncoder(release, entity.definition, rendition), jsons)).toString()
}

/** Before the codes that are composed of others. */
const recordAt = (entity: OpenEntity, at: number) => Buffer.from(entity.records.record(at)).toString().slice(0, -1)
const codes = ['14039', '14067']

describe('whole records', () => {
  test('are an array in JSON, and a line each in NDJSON', () => {
    const [first, second] = codes.map((code, at) => `${recordAt(municipalities, at)},"cvegeo":"${code}"}`)
    expect(written(municipalities, 'json')).toBe(`[${first},${second}]`)
    expect(written(municipalities, 'json', {}, 1)).toBe(`[${first}]`)
    expect(written(municipalities, 'ndjson')).toBe(`${first}\n${second}\n`)
    expect(written(municipalities, 'ndjson', {}, 1)).toBe(`${first}\n`)
  })

  test('are rows of CSV below their paths, safe to open in a spreadsheet', () => {
    const [head, first, second, ...rest] = written(municipalities, 'csv').split('\r\n')
    expect(rest).toEqual([''])
    const paths = (head as string).split(',')
    const cell = (path: string) => (first as string).split(',')[paths.indexOf(path)]
    expect(['descMunicipio', 'cveMunicipio', 'idEstado.descEstado', 'idEstado.idPais.cvePais'].map(cell)).toEqual([
      'Guadalajara',
      '039',
      'Jalisco',
      'MEX',
    ])
    expect(paths).not.toContain('idEstado')
    expect(second).toContain(`"'=Puerto, ""Vallarta"""`)
  })

  test('are marked as UTF-8 in CSV where that is wanted', () => {
    const plain = written(municipalities, 'csv')
    expect(written(municipalities, 'csv', { forExcel: true })).toBe(`\ufeff${plain}`)
  })

  test.each([
    ['json', '[]'],
    ['ndjson', ''],
  ] as const)('of which there is none are, as %s, %p', (format, expected) => {
    expect(written(municipalities, format, {}, 0)).toBe(expected)
    expect(written(municipalities, format, { fields: ['idMunicipio'] }, 0)).toBe(expected)
  })

  test('of which there is none are the paths alone as CSV', () =>
    expect(written(municipalities, 'csv', { fields: ['idMunicipio', 'cveMunicipio'] }, 0)).toBe(
      'idMunicipio,cveMunicipio\r\n',
    ))
})

describe('a selection', () => {
  test.each([
    [
      'fields in the order of the definition',
      'json',
      ['idMunicipio', 'cveMunicipio'],
      'full',
      '[{"cveMunicipio":"039","idMunicipio":1},{"cveMunicipio":"067","idMunicipio":2}]',
    ],
    [
      'and in that of their names as columns',
      'csv',
      ['idMunicipio', 'cveMunicipio'],
      'full',
      'idMunicipio,cveMunicipio\r\n1,039\r\n2,067\r\n',
    ],
    ['a field of a parent', 'csv', ['idEstado.cveEstado'], 'full', 'idEstado.cveEstado\r\nJAL\r\nJAL\r\n'],
    [
      'a parent by its identifier',
      'csv',
      ['idEstado', 'idMunicipio'],
      'id',
      'idEstado,idMunicipio\r\n14,1\r\n14,2\r\n',
    ],
    [
      'a field of it beside identifiers',
      'csv',
      ['idEstado.cveEstado', 'idMunicipio'],
      'id',
      'idEstado.cveEstado,idMunicipio\r\nJAL,1\r\nJAL,2\r\n',
    ],
    ['a parent by its identifier in JSON', 'ndjson', ['idEstado'], 'id', '{"idEstado":14}\n{"idEstado":14}\n'],
    [
      'a field within it in JSON',
      'ndjson',
      ['idEstado.cveEstado'],
      'id',
      '{"idEstado":{"cveEstado":"JAL"}}\n{"idEstado":{"cveEstado":"JAL"}}\n',
    ],
  ] as const)('has %s: %s', (_, format, fields, embed, expected) =>
    expect(written(municipalities, format, { fields, embed })).toBe(expected),
  )

  test('has a whole parent as columns of its own', () => {
    const [head, first] = written(municipalities, 'csv', { fields: ['idEstado'] }).split('\r\n')
    expect((head as string).split(',')).toContain('idEstado.idPais.cvePais')
    expect((first as string).split(',')).toContain('Jalisco')
  })

  test('has all fields, and parents by their identifiers', () => {
    const [record] = JSON.parse(written(municipalities, 'json', { embed: 'id' }))
    expect(record).toMatchObject({ cveMunicipio: '039', idEstado: 14, idMunicipio: 1 })
    const head = written(municipalities, 'csv', { embed: 'id' }).split('\r\n')[0] as string
    expect(head.split(',').filter((path) => path.startsWith('idEstado'))).toEqual(['idEstado'])
  })

  test('has facts where they are named or wanted, and nothing where one is not known', () => {
    const fields = ['cveLocalidad', 'poblacion']
    expect(written(localities, 'csv', { fields })).toBe('cveLocalidad,poblacion\r\n0001,500\r\n0002,\r\n')
    expect(written(localities, 'ndjson', { fields })).toBe(
      '{"cveLocalidad":"0001","poblacion":500}\n{"cveLocalidad":"0002","poblacion":null}\n',
    )
    expect(written(localities, 'json')).not.toContain('poblacion')
    expect(written(localities, 'csv')).not.toContain('poblacion')
    expect(written(localities, 'json', { facts: true })).toContain('"poblacion":500')
    expect(written(localities, 'json', { facts: true, embed: 'id' })).toContain('"poblacion":500')
    expect(written(localities, 'json', { embed: 'id' })).not.toContain('poblacion')
    expect(written(localities, 'csv', { facts: true })).toContain('poblacion')
  })

  test('has official codes where all is given or they are named, and null where a record has none', () => {
    expect(written(municipalities, 'csv', { fields: ['cvegeo', 'cveMunicipio'] })).toBe(
      'cvegeo,cveMunicipio\r\n14039,039\r\n14067,067\r\n',
    )
    expect(written(municipalities, 'ndjson', { fields: ['cvegeo', 'idMunicipio'] })).toBe(
      '{"idMunicipio":1,"cvegeo":"14039"}\n{"idMunicipio":2,"cvegeo":"14067"}\n',
    )
    expect(written(municipalities, 'ndjson', { embed: 'id' })).toEndWith('"idMunicipio":2,"cvegeo":"14067"}\n')
    expect(written(municipalities, 'csv').split('\r\n')[0]).toEndWith(',idMunicipio,cvegeo')
    expect(written(municipalities, 'json', { fields: ['idMunicipio'] })).not.toContain('cvegeo')
    expect(written(localities, 'ndjson', { facts: true }, 1)).toEndWith(',"cvegeo":"140390001"}\n')
  })

  test('has what is added to each record after its fields', () => {
    const selection = { fields: ['cveLocalidad'], added: ['lejos'] }
    expect(written(localities, 'csv', selection)).toBe('cveLocalidad,lejos\r\n0001,7\r\n0002,8\r\n')
    expect(written(localities, 'ndjson', selection)).toBe(
      '{"cveLocalidad":"0001","lejos":7}\n{"cveLocalidad":"0002","lejos":8}\n',
    )
  })
})

test('each format has its media type', () =>
  expect(FORMATS.map(contentTypeOf)).toEqual([
    'application/json',
    'application/x-ndjson',
    'text/csv; charset=utf-8; header=present',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'application/geo+json',
    'application/geo+json-seq',
    'application/json',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ]))
