// Checks that headers of every vintage are known, and others refused with what they lack.
import { describe, expect, test } from 'bun:test'
import { excerpt } from '../../../../../test/support/inegi-file.ts'
import { layoutOf } from './header.ts'

const headerOf = (name: string) => excerpt(name).slice(0, excerpt(name).indexOf('\n'))

describe('the headers that INEGI has published', () => {
  const below = (first: number) => [
    { code: first, name: first + 1, digits: 2 },
    { code: first + 3, name: first + 4, digits: 3 },
    { code: first + 5, name: first + 6, digits: 4 },
  ]
  test.each([
    ['localidades-2022', 'localidad', below(1), 0, undefined],
    ['localidades-2023', 'localidad', below(2), 0, 1],
    ['localidades-2025', 'localidad', below(2), 0, 1],
    ['municipios-2022', 'municipio', below(0).slice(0, 2), undefined, undefined],
    ['municipios-2025', 'municipio', below(1).slice(0, 2), 0, undefined],
    ['estados-2025', 'estado', below(0).slice(0, 1), undefined, undefined],
  ] as const)('%s', (name, kind, levels, wholeCode, status) => {
    const columns = headerOf(name).split(',')
    expect(layoutOf(headerOf(name))).toMatchObject({ kind, columns, levels, wholeCode, status })
  })
})

describe('a header is known', () => {
  const states = { kind: 'estado', levels: [{ code: 0, name: 1, digits: 2 }] }
  test.each([
    ['in capitals', 'CVE_ENT,NOM_ENT', states],
    ['in small letters', 'cve_ent,nom_ent', states],
    ['with accents', 'Cvé_Ent,Nóm_Ent', states],
    ['in quotes', '"CVE_ENT","NOM_ENT"', states],
    ['with blanks', ' CVE_ENT , NOM_ENT ', states],
    ['with other columns', 'CVE_ENT,NOM_ENT,ANYTHING', states],
    ['in another order', 'NOM_ENT,CVE_ENT', { kind: 'estado', levels: [{ code: 1, name: 0, digits: 2 }] }],
    ['with a status of its own', 'CVE_ENT,NOM_ENT,ESTATUS', { ...states, status: 2 }],
    ['with the whole code last', 'CVE_ENT,NOM_ENT,CVEGEO', { ...states, wholeCode: 2 }],
  ])('%s', (_, header, layout) => expect(layoutOf(header)).toMatchObject(layout))
})

describe('a header is refused', () => {
  const missing = (column: string, description: string) => ({
    column,
    value: undefined,
    expected: `this column, which a table of ${description} has`,
  })
  const unknown = (value: string) => [
    { column: 'all', value, expected: expect.stringContaining('states have CVE_ENT, NOM_ENT; municipalities have') },
  ]
  const twice = (column: string) => [{ column, value: column, expected: 'each column once' }]
  test.each([
    ['with nothing in it', '', unknown('')],
    ['of another table', 'geonameid,name', unknown('geonameid,name')],
    ['with semicolons', 'CVE_ENT;NOM_ENT', unknown('CVE_ENT;NOM_ENT')],
    [
      'of localities without what they lie in',
      'CVE_LOC,NOM_LOC',
      [
        missing('CVE_ENT', 'localities'),
        missing('NOM_ENT', 'localities'),
        missing('CVE_MUN', 'localities'),
        missing('NOM_MUN', 'localities'),
      ],
    ],
    [
      'of localities without their names',
      'CVE_ENT,NOM_ENT,CVE_MUN,NOM_MUN,CVE_LOC',
      [missing('NOM_LOC', 'localities')],
    ],
    ['of municipalities without their codes', 'CVE_ENT,NOM_ENT,NOM_MUN', [missing('CVE_MUN', 'municipalities')]],
    ['of states without their codes', 'NOM_ENT,NOM_ABR', [missing('CVE_ENT', 'states')]],
    ['with a column twice', 'CVE_ENT,NOM_ENT,Cve_Ent', twice('Cve_Ent')],
    ['with the whole code twice', 'Mapa,CVE_ENT,NOM_ENT,CVEGEO', twice('CVEGEO')],
    ['with the status twice', 'CVE_ENT,NOM_ENT,ESTATUS,Estatus', twice('Estatus')],
  ])('%s', (_, header, faults) => expect(layoutOf(header)).toEqual(faults))
})

test('a column that does not matter may stand there twice', () =>
  expect(layoutOf('CVE_ENT,NOM_ENT,POB_TOTAL,POB_TOTAL')).toMatchObject({ kind: 'estado' }))
