// The values that rowChecker refuses, value by value.
import { describe, expect, test } from 'bun:test'
import { area, audiencia, campo, estado, localidad, pais } from '../../../../test/support/built-in.ts'
import { entity } from '../../../../test/support/definitions.ts'
import { MAX_ID, MAX_TEXT, rowChecker } from './check.ts'
import type { Entity } from './entity.ts'

const MEXICO = { cvePais: 'MEX', descPais: 'México', idPais: 484 }
const JALISCO = { cveEstado: 'JAL', cveRenapo: 'JC', descEstado: 'Jalisco', idEstado: 14, idPais: 484 }
const TOWN = { cveLocalidad: '0001', descLocalidad: 'Tequila [Centro]', idLocalidad: 1, idEstado: 14, idMunicipio: 94 }
const FACTS = { latitud: 20.88, longitud: -103.83, altitud: 1_218, poblacion: 29_203, ambito: 'U', viviendas: 7_000 }
const FIELD = { cveCampo: '11', descripcion: 'Lógica', idCampo: 11, idArea: 1 }
const READERS = { clave: 'generalPublic2', descCorta: 'Público', shortDesc: 'Public', idAudiencia: 16 }

const ID = `a whole number from 0 to ${MAX_ID}`
const NAME = `a name of 1 to ${MAX_TEXT} characters`
const POPULATION = 'a whole number from 0 to 2000000000'
const SOUND = 'a name in sound Unicode without control characters'

describe('a sound row has no fault', () => {
  const rows: [string, Entity, Record<string, unknown>][] = [
    ['a country', pais, MEXICO],
    ['a state', estado, JALISCO],
    ['a locality', localidad, TOWN],
    ['a field of knowledge, its copy left out', campo, FIELD],
    ['a field of knowledge with a name in another language', campo, { ...FIELD, nombreEn: 'Logic' }],
    ['an audience', audiencia, READERS],
    ['the smallest identifier', pais, { ...MEXICO, idPais: 0 }],
    ['the largest identifier', pais, { ...MEXICO, idPais: MAX_ID }],
    ['the longest name', pais, { ...MEXICO, descPais: 'x'.repeat(MAX_TEXT) }],
    ['a name with quotes, a backslash and a character outside the basic plane', pais, { ...MEXICO, descPais: '"\\𝔘"' }],
    ['a locality with all its facts', localidad, { ...TOWN, ...FACTS }],
    ['the outermost facts', localidad, { ...TOWN, latitud: -90, longitud: 180, altitud: -500, poblacion: 0 }],
    ['the longest numeric code', area, { cveArea: '123456789012', descripcion: 'x', idArea: 1 }],
  ]
  test.each(rows)('%s', (_name, entity, row) => {
    expect(rowChecker(entity)(row)).toEqual([])
  })
})

describe('a bad value is reported with its field and what was expected', () => {
  const cases: [string, Entity, Record<string, unknown>, string, unknown, string][] = [
    ['name in another language, blank', campo, FIELD, 'nombreEn', ' ', NAME],
    ['name in another language with a tab', campo, FIELD, 'nombreEn', 'Lo\tgic', SOUND],
    ['identifier missing', pais, MEXICO, 'idPais', undefined, ID],
    ['identifier as text', pais, MEXICO, 'idPais', '484', ID],
    ['identifier negative', pais, MEXICO, 'idPais', -1, ID],
    ['identifier with a fraction', pais, MEXICO, 'idPais', 1.5, ID],
    ['identifier too large', pais, MEXICO, 'idPais', MAX_ID + 1, ID],
    ['identifier not a number', pais, MEXICO, 'idPais', Number.NaN, ID],
    ['identifier infinite', pais, MEXICO, 'idPais', Number.POSITIVE_INFINITY, ID],
    ['identifier null', pais, MEXICO, 'idPais', null, ID],
    ['reference missing', estado, JALISCO, 'idPais', undefined, `the identifier of a pais, ${ID}`],
    ['reference by code', estado, JALISCO, 'idPais', 'MEX', `the identifier of a pais, ${ID}`],
    ['reference as an object', estado, JALISCO, 'idPais', MEXICO, `the identifier of a pais, ${ID}`],
    ['code missing', pais, MEXICO, 'cvePais', undefined, 'three upper-case letters'],
    ['code in lower case', pais, MEXICO, 'cvePais', 'mex', 'three upper-case letters'],
    ['code too short', pais, MEXICO, 'cvePais', 'MX', 'three upper-case letters'],
    ['code with a line end', pais, MEXICO, 'cvePais', 'MEX\n', 'three upper-case letters'],
    ['code as a number', localidad, TOWN, 'cveLocalidad', 1, 'digits'],
    ['numeric code with a letter', localidad, TOWN, 'cveLocalidad', '00A1', 'digits'],
    ['numeric code too long', localidad, TOWN, 'cveLocalidad', '1234567890123', 'digits'],
    ['code with another count of digits', campo, FIELD, 'cveCampo', '011', '2 digits'],
    ['registry code of three letters', estado, JALISCO, 'cveRenapo', 'JAL', 'two upper-case letters'],
    ['key in capitals', audiencia, READERS, 'clave', 'Students', 'camel-case letters and digits'],
    ['key with a hyphen', audiencia, READERS, 'clave', 'news-media', 'camel-case letters and digits'],
    ['name missing', pais, MEXICO, 'descPais', undefined, NAME],
    ['name empty', pais, MEXICO, 'descPais', '', NAME],
    ['name of blanks', pais, MEXICO, 'descPais', ' \u00a0 ', NAME],
    ['name too long', pais, MEXICO, 'descPais', 'x'.repeat(MAX_TEXT + 1), NAME],
    ['name as a number', pais, MEXICO, 'descPais', 7, NAME],
    ['name with a line end', pais, MEXICO, 'descPais', 'Méx\nico', SOUND],
    ['name with a zero byte', pais, MEXICO, 'descPais', 'Méx\0ico', SOUND],
    ['name with a C1 control character', pais, MEXICO, 'descPais', 'Méx\u0085ico', SOUND],
    ['name with the mark of a bad decoding', pais, MEXICO, 'descPais', 'M\ufffdxico', SOUND],
    ['name with half a surrogate pair', pais, MEXICO, 'descPais', 'M\ud835xico', SOUND],
    ['fact as text', estado, JALISCO, 'poblacion', '8348151', POPULATION],
    ['fact negative', estado, JALISCO, 'poblacion', -1, POPULATION],
    ['fact with a fraction', estado, JALISCO, 'poblacion', 1.5, POPULATION],
    ['fact null', estado, JALISCO, 'poblacion', null, POPULATION],
    ['fact out of bounds', localidad, TOWN, 'latitud', 90.5, 'a number from -90 to 90'],
    ['fact that is not a number', localidad, TOWN, 'longitud', Number.NaN, 'a number from -180 to 180'],
    ['fact of another word', localidad, TOWN, 'ambito', 'X', 'U or R'],
    ['fact empty', localidad, TOWN, 'ambito', '', 'U or R'],
    ['copy given', campo, FIELD, 'description', 'Logic', 'nothing: it is derived'],
  ]
  test.each(cases)('%s', (_name, entity, sound, field, value, expected) => {
    expect(rowChecker(entity)({ ...sound, [field]: value })).toEqual([{ field, value, expected }])
  })
})

test('all faults of a row are reported at once, in the order of the fields', () => {
  const faults = rowChecker(estado)({ cveEstado: 'x', cveRenapo: 'JC', descEstado: '', idEstado: -1 })
  expect(faults.map(({ field }) => field)).toEqual(['cveEstado', 'descEstado', 'idEstado', 'idPais'])
})

test('one checker serves many rows, each on its own', () => {
  const check = rowChecker(pais)
  expect(check({ ...MEXICO, idPais: -1 })).toHaveLength(1)
  expect(check(MEXICO)).toEqual([])
})

describe('a key that clients remove from an address', () => {
  const any = { kind: 'code', description: 'any', pattern: /^.+$/, shape: 'any text' } as const
  const fields = { sign: any, of: { kind: 'embed', description: 'of', entity: area }, other: any } as const
  const list = (...key: string[]): Entity => entity({ name: 'a', plural: 'as', title: 'a', fields, key, code: key })
  const row = (sign: string) => ({ sign, of: 1, other: '..' })

  test.each(['.', '..'])('is refused: %j', (sign) => {
    const expected = 'a key other than . and .., which cannot stand in an address'
    for (const one of [list('sign'), list('of', 'sign')])
      expect(rowChecker(one)(row(sign))).toEqual([{ field: 'sign', value: sign, expected }])
    expect(rowChecker(list('sign', 'other'))(row(sign))).toEqual([])
  })

  test.each(['...', '. ', '.a', '%2e', '-'])('is none of those: %j', (sign) => {
    expect(rowChecker(list('sign'))(row(sign))).toEqual([])
  })
})
