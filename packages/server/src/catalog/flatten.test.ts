// Checks that flattening undoes rendering, for every entity.

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { builtIn, entityNames, estado, localidad, subdisciplina } from '../../../../test/support/built-in.ts'
import { code, entity } from '../../../../test/support/definitions.ts'
import { embeddable, rendered } from '../../../../test/support/records.ts'
import { type Entity, embedsOf, identifierOf, publishedFields, type Values } from './entity.ts'
import { flatten, type PublishedRecord, recordParser } from './flatten.ts'

const pais = { cvePais: 'MEX', descPais: 'México', idPais: 484 }
const sonora = { cveEstado: 'SON', cveRenapo: 'SR', descEstado: 'Sonora', idEstado: 26, idPais: pais }
const colima = { cveEstado: 'COL', cveRenapo: 'CM', descEstado: 'Colima', idEstado: 6, idPais: pais }

test('an embedded record becomes its identifier', () =>
  expect(flatten(estado, sonora)).toEqual({
    cveEstado: 'SON',
    cveRenapo: 'SR',
    descEstado: 'Sonora',
    idEstado: 26,
    idPais: 484,
  }))

test('the two states of a locality stay apart', () => {
  const municipio = { cveMunicipio: '001', descMunicipio: 'Armería', idEstado: colima, idMunicipio: 70 }
  const record = {
    cveLocalidad: '0007',
    descLocalidad: 'La Atravesada [Rancho]',
    idLocalidad: 7,
    idEstado: sonora,
    idMunicipio: municipio,
  }
  expect(flatten(localidad, record)).toEqual({
    cveLocalidad: '0007',
    descLocalidad: 'La Atravesada [Rancho]',
    idLocalidad: 7,
    idEstado: 26,
    idMunicipio: 70,
  })
})

test('a copy is left out', () => {
  const named = (name: string) => ({ descripcion: name, description: name })
  const campoCono = {
    cveCampo: '11',
    ...named('Lógica'),
    idCampo: 3,
    idArea: { cveArea: '1', ...named('A'), idArea: 9 },
  }
  const disciplinaCono = { cveDisciplina: '1102', ...named('Lógica deductiva'), idDisciplina: 5, campoCono }
  const record = { cveSubdisciplina: '110201', ...named('Analogía'), idSubdisciplina: 8, disciplinaCono }
  expect(flatten(subdisciplina, record)).toEqual({
    cveSubdisciplina: '110201',
    descripcion: 'Analogía',
    idSubdisciplina: 8,
    disciplinaCono: 5,
  })
})

/** Any texts and numbers; what they mean does not matter here. */
function anyRow(entity: Entity): fc.Arbitrary<Values> {
  const given = publishedFields(entity).filter(([, { kind }]) => kind !== 'copy')
  return fc.record(
    Object.fromEntries(
      given.map(([field, { kind }]) => [field, kind === 'id' || kind === 'embed' ? fc.nat() : fc.string()]),
    ),
  )
}

/** The row itself, and one for each record that it embeds, down to the last. */
function anyFamily(entity: Entity): fc.Arbitrary<{ row: Values; json: string }> {
  const parents = embedsOf(entity)
  return fc.tuple(anyRow(entity), ...parents.map(([, parent]) => anyFamily(parent))).map(([row, ...families]) => {
    const linked = { ...row }
    const parentsOf = new Map<string, Map<number, Uint8Array>>()
    for (const [at, [field, parent]] of parents.entries()) {
      const family = families[at] as { row: Values; json: string }
      const known = parentsOf.get(parent.name) ?? new Map<number, Uint8Array>()
      const id = family.row[identifierOf(parent)] as number
      linked[field] = id
      parentsOf.set(parent.name, known.set(id, new TextEncoder().encode(family.json)))
    }
    const json = rendered(entity, embeddable(parentsOf), linked)
    return { row: linked, json }
  })
}

test.each(entityNames)('flattening a rendered %s gives the row', (name: string) => {
  const entity: Entity = builtIn(name)
  fc.assert(fc.property(anyFamily(entity), ({ row, json }) => expect(flatten(entity, JSON.parse(json))).toEqual(row)))
})

test('numbers keep their digits', () => {
  const list = entity({
    name: 'list',
    plural: 'lists',
    fields: {
      code: code('key', /./, 'anything'),
      number: { kind: 'value', type: 'number', description: 'x' },
      list: { kind: 'value', type: 'list', description: 'x' },
    },
    key: ['code'],
    code: ['code'],
  })
  const json = '{"code":"a","number":12345678901234567890.50,"list":[1.50,2,"x"]}'
  const record = recordParser(list)(json) as PublishedRecord
  expect(JSON.stringify(record)).toBe(json)
  expect(flatten(list, record)).toEqual({ code: 'a', number: '12345678901234567890.50', list: '[1.50,2,"x"]' })
})
