// How rows become JSON: order of the fields, copies, embedded records and escaping.

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  area,
  audiencia,
  builtIn,
  campo,
  entityNames,
  estado,
  localidad,
  pais,
} from '../../../../test/support/built-in.ts'
import { asBytes, embeddable, rendered } from '../../../../test/support/records.ts'
import { type Entity, publishedFields, type Values } from './entity.ts'

const MEXICO = { cvePais: 'MEX', descPais: 'México', idPais: 484 }
const MEXICO_JSON = '{"cvePais":"MEX","descPais":"México","idPais":484}'

const none = embeddable(new Map())
const only = (known: Readonly<Record<string, Readonly<Record<number, string>>>>) =>
  embeddable(new Map(Object.entries(known).map(([entity, records]) => [entity, asBytes(records)])))

test('a record is compact JSON with its fields in the order of the definition, not of the row', () => {
  const row = { idPais: 484, descPais: 'México', cvePais: 'MEX' }
  expect(rendered(pais, none, row)).toBe(MEXICO_JSON)
})

test('description repeats descripcion', () => {
  const row = { cveArea: '1', descripcion: 'Física', idArea: 1 }
  expect(rendered(area, none, row)).toBe('{"cveArea":"1","descripcion":"Física","description":"Física","idArea":1}')
})

test('an embedded record stands in full in the place of its identifier', () => {
  const row = { cveEstado: 'JAL', cveRenapo: 'JC', descEstado: 'Jalisco', idEstado: 14, idPais: 484 }
  expect(rendered(estado, only({ pais: { 484: MEXICO_JSON } }), row)).toBe(
    `{"cveEstado":"JAL","cveRenapo":"JC","descEstado":"Jalisco","idEstado":14,"idPais":${MEXICO_JSON}}`,
  )
})

test('the state of a locality and the state of its municipality are rendered apart', () => {
  const parents = only({ estado: { 1: '"own"', 2: '"other"' }, municipio: { 5: '{"idEstado":"other"}' } })
  const row = { cveLocalidad: '0001', descLocalidad: 'x', idLocalidad: 1, idEstado: 1, idMunicipio: 5 }
  expect(JSON.parse(rendered(localidad, parents, row))).toMatchObject({
    idEstado: 'own',
    idMunicipio: { idEstado: 'other' },
  })
})

test('codes stay text with their zeros, identifiers become numbers', () => {
  const row = { cveCampo: '07', descripcion: 'x', idCampo: 7, idArea: 0 }
  expect(rendered(campo, only({ area: { 0: '{}' } }), row)).toContain('{"cveCampo":"07",')
})

describe('names come back as they went in', () => {
  const names: [string, string][] = [
    ['quotes', 'El "Rancho"'],
    ['a backslash', 'a\\b'],
    ['markup', '</script><b>&'],
    ['brackets', 'Ninguno [CERESO] (2)'],
    ['line separators', 'a\u2028b\u2029c'],
    ['outside the basic plane', '𝔘𝔫𝔦𝔠𝔬𝔡𝔢 🌵'],
    ['combining marks', 'Me\u0301xico'],
    ['a byte-order mark and quotes', '\ufeff"x"'],
  ]
  test.each(names)('%s', (_what, descPais) => {
    expect(JSON.parse(rendered(pais, none, { ...MEXICO, descPais }))).toEqual({ ...MEXICO, descPais })
  })

  /** NUL is the one character that no row has. */
  const anyName = fc.string({ unit: 'binary' }).map((text) => text.toWellFormed().replaceAll('\0', ' '))

  test('whatever the name', () => {
    fc.assert(
      fc.property(anyName, (descPais) => {
        const json = rendered(pais, none, { ...MEXICO, descPais })
        expect(JSON.parse(json)).toEqual({ ...MEXICO, descPais })
        // A page is a line of the record file.
        expect(json).not.toContain('\n')
      }),
    )
  })
})

test('facts are not rendered', () => {
  const row = { cveEstado: 'JAL', cveRenapo: 'JC', descEstado: 'Jalisco', idEstado: 14, idPais: 484 }
  const parents = only({ pais: { 484: MEXICO_JSON } })
  expect(rendered(estado, parents, { ...row, poblacion: 8_348_151 })).toBe(rendered(estado, parents, row))
})

test('every entity renders all its published fields, in order', () => {
  const parents = only(Object.fromEntries(entityNames.map((name) => [name, { 1: '{}' }])))
  for (const name of entityNames) {
    const json = rendered(builtIn(name), parents, anyRow(name))
    expect(Object.keys(JSON.parse(json))).toEqual(publishedFields(builtIn(name)).map(([field]) => field))
  }
  expect(rendered(audiencia, none, anyRow('audiencia'))).toStartWith('{"clave":"x",')
})

function anyRow(name: string): Values {
  const entity: Entity = builtIn(name)
  const given = publishedFields(entity).filter(([, { kind }]) => kind !== 'copy')
  return Object.fromEntries(given.map(([field, { kind }]) => [field, kind === 'id' || kind === 'embed' ? 1 : 'x']))
}
