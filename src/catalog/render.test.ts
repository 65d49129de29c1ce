// How rows become JSON: order of the fields, copies, embedded records and escaping.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { asBytes, rendered } from '../../test/support/records.ts'
import { area, audiencia, campo, type EntityName, entities, entityNames, estado, localidad, pais } from './entities.ts'
import type { Entity, Values } from './entity.ts'
import { recordRenderer } from './render.ts'

const MEXICO = { cvePais: 'MEX', descPais: 'México', idPais: 484 }
const MEXICO_JSON = '{"cvePais":"MEX","descPais":"México","idPais":484}'

const none = () => new Map<number, Uint8Array>()
const only = (known: Readonly<Record<string, Readonly<Record<number, string>>>>) => (entity: string) =>
  asBytes(known[entity] ?? {})

test('a record is compact JSON with its fields in the order of the definition, not of the row', () => {
  const row = { idPais: 484, descPais: 'México', cvePais: 'MEX' }
  expect(rendered(recordRenderer(pais, none), row)).toBe(MEXICO_JSON)
})

test('description repeats descripcion', () => {
  const row = { cveArea: '1', descripcion: 'Física', idArea: 1 }
  expect(rendered(recordRenderer(area, none), row)).toBe(
    '{"cveArea":"1","descripcion":"Física","description":"Física","idArea":1}',
  )
})

test('an embedded record stands in full in the place of its identifier', () => {
  const row = { cveEstado: 'JAL', cveRenapo: 'JC', descEstado: 'Jalisco', idEstado: 14, idPais: 484 }
  expect(rendered(recordRenderer(estado, only({ pais: { 484: MEXICO_JSON } })), row)).toBe(
    `{"cveEstado":"JAL","cveRenapo":"JC","descEstado":"Jalisco","idEstado":14,"idPais":${MEXICO_JSON}}`,
  )
})

test('the state of a locality and the state of its municipality are rendered apart', () => {
  const parents = only({ estado: { 1: '"own"', 2: '"other"' }, municipio: { 5: '{"idEstado":"other"}' } })
  const row = { cveLocalidad: '0001', descLocalidad: 'x', idLocalidad: 1, idEstado: 1, idMunicipio: 5 }
  expect(JSON.parse(rendered(recordRenderer(localidad, parents), row))).toMatchObject({
    idEstado: 'own',
    idMunicipio: { idEstado: 'other' },
  })
})

test('codes stay text with their zeros, identifiers become numbers', () => {
  const row = { cveCampo: '07', descripcion: 'x', idCampo: 7, idArea: 0 }
  expect(rendered(recordRenderer(campo, only({ area: { 0: '{}' } })), row)).toContain('{"cveCampo":"07",')
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
  ]
  test.each(names)('%s', (_what, descPais) => {
    expect(JSON.parse(rendered(recordRenderer(pais, none), { ...MEXICO, descPais }))).toEqual({ ...MEXICO, descPais })
  })

  test('whatever the name', () => {
    const render = recordRenderer(pais, none)
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (descPais) => {
        const json = rendered(render, { ...MEXICO, descPais })
        expect(JSON.parse(json)).toEqual({ ...MEXICO, descPais })
        // A page is a line of the record file.
        expect(json).not.toContain('\n')
      }),
    )
  })
})

test('every entity renders all its fields, in order', () => {
  const parents = () => asBytes({ 1: '{}' })
  for (const name of entityNames) {
    const json = rendered(recordRenderer(entities[name], parents), anyRow(name))
    expect(Object.keys(JSON.parse(json))).toEqual(Object.keys(entities[name].fields))
  }
  expect(rendered(recordRenderer(audiencia, none), anyRow('audiencia'))).toStartWith('{"clave":"x",')
})

function anyRow(name: EntityName): Values {
  const { fields }: Entity = entities[name]
  const given = Object.entries(fields).filter(([, { kind }]) => kind !== 'copy')
  return Object.fromEntries(given.map(([field, { kind }]) => [field, kind === 'id' || kind === 'embed' ? 1 : 'x']))
}
