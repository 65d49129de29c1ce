// Checks the faults and findings of records on harvested pages, and which parents are found in them.

import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtIn, collections } from '../../../../../test/support/built-in.ts'
import { Faults, FaultyRecords } from '../faults.ts'
import { Findings } from '../findings.ts'
import { PageFile } from './page-file.ts'
import { type Harvested, parentsIn, rowsIn } from './rows.ts'

const directory = mkdtempSync(join(tmpdir(), 'nomenclator-rows-'))
afterAll(() => rmSync(directory, { recursive: true }))

const BASE = 'https://catalogs.example.org/prefix'
const LOCALITIES = '/prefix/api/v1/localidades'
const PER_PAGE = 2

function harvested(entity: string, records: readonly unknown[]): Harvested {
  const collection = collections.find((one) => one.entity === entity)
  if (collection === undefined) throw new Error(`${entity} has no collection`)
  const totalPages = Math.ceil(records.length / PER_PAGE)
  const size = { total: records.length, perPage: PER_PAGE, totalPages }
  const file = new PageFile(join(directory, crypto.randomUUID()), BASE, size)
  for (let page = totalPages; page > 0; page--) {
    const some = records.slice(PER_PAGE * (page - 1), PER_PAGE * page)
    file.add(page, Buffer.from(JSON.stringify(some)))
  }
  file.close()
  return { base: BASE, collection, file }
}

function read(harvest: readonly Harvested[]) {
  const report = { faults: new Faults(), findings: new Findings() }
  const parents = parentsIn(harvest)
  const blocks = harvest.flatMap((one) => [...rowsIn(one, parents, report)])
  const thrown: unknown = catching(() => report.faults.throwIfAny())
  const faults = thrown instanceof FaultyRecords ? thrown.message.split('\n').slice(0, -1) : []
  return { parents, blocks, rows: blocks.flatMap(({ rows }) => rows), faults, findings: report.findings.list() }
}

function catching(work: () => void): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

const country = (id: number, name = `País ${id}`) => ({ cvePais: 'QQQ', descPais: name, idPais: id })
const state = (id: number, name = `Estado ${id}`) => ({
  cveEstado: 'QE',
  cveRenapo: 'QE',
  descEstado: name,
  idEstado: id,
  idPais: country(1),
})
const municipality = (id: number, name = `Municipio ${id}`) => ({
  cveMunicipio: '001',
  descMunicipio: name,
  idEstado: state(id),
  idMunicipio: id,
})
const locality = (id: number, idMunicipio = municipality(7)) => ({
  cveLocalidad: '0001',
  descLocalidad: `Localidad ${id}`,
  idLocalidad: id,
  idEstado: state(3),
  idMunicipio,
})

test('rows come page by page, with the location of each', () => {
  const { blocks, faults, findings } = read([harvested('localidad', [locality(2), locality(1), locality(3)])])
  const row = (idLocalidad: number) => ({ ...locality(idLocalidad), idEstado: 3, idMunicipio: 7 })
  expect(blocks).toEqual([
    { file: `${LOCALITIES}?page=1`, lines: [1, 2], rows: [row(2), row(1)] },
    { file: `${LOCALITIES}?page=2`, lines: [1], rows: [row(3)] },
  ])
  expect({ faults, findings }).toEqual({ faults: [], findings: [] })
})

describe('a record that is no record is a fault with its location', () => {
  const { descLocalidad: _, ...nameless } = locality(2)
  const deep = (change: object) => locality(2, { ...municipality(7), idEstado: { ...state(7), ...change } })
  test.each<[string, unknown, string]>([
    ['a field missing', nameless, 'descLocalidad: nothing; expected a text'],
    ['a number for a text', { ...locality(2), cveLocalidad: 12 }, 'cveLocalidad: 12; expected a text'],
    ['a text for a number', { ...locality(2), idLocalidad: '2' }, 'idLocalidad: "2"; expected a whole number'],
    ['a fraction for a number', { ...locality(2), idLocalidad: 1.5 }, 'idLocalidad: 1.5; expected a whole number'],
    ['null', { ...locality(2), descLocalidad: null }, 'descLocalidad: null; expected a text'],
    ['an identifier alone', { ...locality(2), idEstado: 3 }, 'idEstado: 3; expected the fields of a estado'],
    ['an unknown field', { ...locality(2), lat: 1 }, 'lat: 1; expected no such field in a localidad'],
    ['a fact', { ...locality(2), poblacion: 5 }, 'poblacion: 5; expected no such field in a localidad'],
    ['deep inside', deep({ descEstado: 5 }), 'idMunicipio.idEstado.descEstado: 5; expected a text'],
    ['unknown inside', deep({ x: 1 }), 'idMunicipio.idEstado.x: 1; expected no such field in a estado'],
    ['no object', [1], 'record: [1]; expected the fields of a localidad'],
    ['nothing', null, 'record: null; expected the fields of a localidad'],
  ])('%s', (_what, record, words) => {
    const { rows, faults } = read([harvested('localidad', [locality(1), record, locality(3)])])
    expect(faults).toEqual([`${LOCALITIES}?page=1:2, ${words}`])
    expect(rows.map(({ idLocalidad }) => idLocalidad)).toEqual([1, 3])
  })

  test('a prototype is no field', () => {
    const polluted = JSON.parse(JSON.stringify(locality(2)).replace('{', '{"__proto__":{"lat":1},'))
    const { faults } = read([harvested('localidad', [polluted])])
    expect(faults).toEqual([`${LOCALITIES}?page=1:1, __proto__: {"lat":1}; expected no such field in a localidad`])
  })
})

test('a record that comes twice is a fault that names both pages', () => {
  const { faults, rows } = read([
    harvested(
      'localidad',
      [1, 2, 3, 2].map((id) => locality(id)),
    ),
  ])
  expect(faults).toEqual([
    `${LOCALITIES}?page=2:2, idMunicipio and idLocalidad: "7/2"; expected a key not given before; page 1 has it already`,
  ])
  expect(rows).toHaveLength(3)
})

test('the same identifier in another municipality is another record', () => {
  const { faults } = read([harvested('localidad', [locality(1), locality(1, municipality(8))])])
  expect(faults).toEqual([])
})

describe('parents', () => {
  test('are all that are embedded, in the order of their identifiers, each with its location', () => {
    const harvest = [harvested('municipio', [municipality(9)]), harvested('localidad', [locality(1), locality(2)])]
    const { parents, findings } = read(harvest)
    expect(parents.list(builtIn('estado')).map(({ row, location }) => [row.idEstado, location])).toEqual([
      [3, { file: `${LOCALITIES}?page=1`, line: 1 }],
      [7, { file: `${LOCALITIES}?page=1`, line: 1 }],
      [9, { file: '/prefix/api/v1/municipios?page=1', line: 1 }],
    ])
    expect(parents.list(builtIn('estado'))[0]?.row).toEqual({ ...state(3), idPais: 1 })
    expect(findings).toEqual([])
  })

  test('that differ from the record of their collection are a finding, and that record wins', () => {
    const harvest = [
      harvested('pais', [country(1, 'México')]),
      harvested('municipio', [
        { ...municipality(7, 'Armería'), idEstado: { ...state(7), idPais: country(1, 'México') } },
      ]),
      harvested('localidad', [locality(1, municipality(7, 'ARMERIA'))]),
    ]
    const { parents, findings } = read(harvest)
    const differs = (path: string, words: string) => `${LOCALITIES}?page=1:1, ${path}: ${words}`
    const country1 = 'descPais "País 1" instead of "México"'
    expect(findings).toEqual([
      {
        kind: 'embedded-differs',
        description: 'an embedded record differs from the one with its identifier elsewhere, and is left out',
        count: 3,
        examples: [
          differs('idEstado.idPais', country1),
          differs('idMunicipio', 'descMunicipio "ARMERIA" instead of "Armería"'),
          differs('idMunicipio.idEstado.idPais', country1),
        ],
      },
    ])
    expect(parents.list(builtIn('municipio')).map(({ row }) => row.descMunicipio)).toEqual(['Armería'])
    expect(parents.list(builtIn('pais')).map(({ row }) => row.descPais)).toEqual(['México'])
  })

  test('of two versions without a collection the first wins', () => {
    const other = { ...locality(2), idEstado: state(3, 'Otro') }
    const { parents, findings } = read([harvested('localidad', [locality(1), other])])
    expect(parents.list(builtIn('estado')).map(({ row }) => row.descEstado)).toEqual(['Estado 3', 'Estado 7'])
    expect(findings).toMatchObject([{ kind: 'embedded-differs', count: 1 }])
  })
})

test('a copy that differs is a finding, at any depth', () => {
  const named = (descripcion: string, description = descripcion) => ({ descripcion, description })
  const idArea = { cveArea: '1', ...named('Lógica', 'Logic'), idArea: 1 }
  const campoCono = { cveCampo: '11', ...named('Lógica'), idCampo: 1, idArea }
  const disciplinaCono = { cveDisciplina: '1101', ...named('Lógica'), idDisciplina: 1, campoCono }
  const record = { cveSubdisciplina: '110101', ...named('Lógica', ''), idSubdisciplina: 1, disciplinaCono }
  const { rows, findings } = read([harvested('subdisciplina', [record])])
  const place = '/prefix/api/v1/subdisciplinas-conocimiento?page=1:1'
  expect(findings).toMatchObject([
    {
      kind: 'copy-differs',
      examples: [`${place}, description: ""`, `${place}, disciplinaCono.campoCono.idArea.description: "Logic"`],
    },
  ])
  expect(rows).toEqual([{ cveSubdisciplina: '110101', descripcion: 'Lógica', idSubdisciplina: 1, disciplinaCono: 1 }])
})
