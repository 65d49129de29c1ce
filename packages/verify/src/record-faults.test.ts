// The faults of records at the limits, and numbers that are written as fractions.
import { expect, test } from 'bun:test'
import { type ContractEntity, collections, MAX_ID, MAX_NAME } from './contract.ts'
import { parseJson, partsOf } from './json.ts'
import { recordFaults } from './record-faults.ts'

const entity = (name: string) => collections.find((one) => one.entity.name === name)?.entity as ContractEntity
const country = { cvePais: 'MEX', descPais: 'México', idPais: 484 }

test.each<[string, object, readonly string[]]>([
  ['the largest identifier', { idPais: MAX_ID }, []],
  ['a larger one', { idPais: MAX_ID + 1 }, ['id-range']],
  ['the smallest identifier', { idPais: 0 }, []],
  ['a smaller one', { idPais: -1 }, ['id-range']],
  ['the longest name', { descPais: 'x'.repeat(MAX_NAME) }, []],
  ['a name of blanks', { descPais: ' ' }, ['names']],
])('%s', (_, change, checks) => {
  expect<string[]>(recordFaults(entity('pais'), { ...country, ...change }).map(({ check }) => check)).toEqual([
    ...checks,
  ])
})

test.each([
  ['[{"id":1,"name":"1.5e3"}]', undefined],
  ['[{"id":1.0}]', '1.0'],
  ['[{"id":1e3}]', '1e3'],
  ['[{"id":1E3}]', '1E3'],
  ['[{"a":"\\"2.5","id":-7.5e-1}]', '-7.5e-1'],
])('%s has the fraction %s', (json, fraction) => {
  expect(parseJson(json).fraction).toBe(fraction)
})

test.each<[string, unknown, string | undefined]>([
  ['its identifiers', { idLocalidad: 2, idMunicipio: { idMunicipio: 3 } }, '3/2'],
  ['nothing where one is null', { idLocalidad: null, idMunicipio: { idMunicipio: 3 } }, undefined],
  ['nothing where one is missing', { idLocalidad: 2, idMunicipio: {} }, undefined],
  ['nothing for what is no record', 7, undefined],
])('the key of a record is %s', (_, record, key) => {
  expect(partsOf(entity('localidad'), 'key', record)).toBe(key)
})
