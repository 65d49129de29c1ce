// References to the lists that ship with the program, as a descriptor declares them, without any home.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { PackageDirectory, table } from '../../../../../test/support/package-directory.ts'

// All localities are read.
setDefaultTimeout(60_000)

const reference = (resource: string, ...fields: readonly string[]) => ({
  foreignKeys: [
    { fields: ['at'], reference: { package: 'nomenclator', resource, ...(fields.length > 0 ? { fields } : {}) } },
  ],
})

/** What an office in a place refers to, and the kinds of findings. */
async function read(place: string, more: object) {
  const fields = [
    { name: 'code', type: 'string' },
    { name: 'name', type: 'string', 'nomenclator:role': 'name' },
    { name: 'at', type: 'string' },
  ]
  const offices = table('offices', fields, { primaryKey: ['code'], ...more }, { 'nomenclator:broader': false })
  using directory = new PackageDirectory().describe(offices).put('offices.csv', `code,name,at\nA,One,${place}\n`)
  const { rows, kinds, source } = await directory.read()
  return { at: rows.offices?.[0]?.at, kinds, notes: source.notes, source }
}

test.each([
  ['a municipality by its five digits', '14039', 'municipios', [], 580],
  ['the same by the name of the code', '14039', 'municipios', ['cvegeo'], 580],
  ['the same by the name of the list', '14039', 'municipio', [], 580],
  ['the same by its key', '580', 'municipios', ['idMunicipio'], 580],
  ['a state by two digits', '09', 'estados', [], 9],
  ['a state by its letters', 'JAL', 'estados', ['cveEstado'], 14],
  ['a locality by nine digits', '140390001', 'localidades', [], '580\u00001'],
  ['a country by two letters', 'MX', 'paises', [], 484],
  ['a country by three letters', 'MEX', 'paises', [], 484],
  ['a country by three digits', '484', 'paises', [], 484],
  ['a country by one of its codes only', 'MEX', 'paises', ['alpha2'], undefined],
])('%s', async (_, place, resource, fields, expected) => {
  const { at, kinds, notes } = await read(place, reference(resource, ...fields))
  expect(at).toBe(expected as never)
  expect(kinds).toEqual(expected === undefined ? { 'reference-not-found': 1 } : {})
  expect(notes).toEqual([])
})

test('a code that has lost its zero refers to nothing, and what it must have been is told', async () => {
  const { at, source } = await read('1001', reference('municipios', 'cvegeo'))
  expect(at).toBeUndefined()
  const [finding] = source.findings
  expect(finding).toMatchObject({ kind: 'lost-zero', field: 'at' })
  expect(finding?.examples).toEqual([expect.stringContaining('1001, which must have been 01001')])
})

test('the list embeds the record, with all that is above it', async () => {
  const { source } = await read('14039', reference('municipios'))
  expect(source.catalog.entities.get('offices')?.fields.at).toMatchObject({
    kind: 'embed',
    entity: { name: 'municipio' },
  })
  expect([...source.catalog.entities.keys()]).toEqual(['pais', 'estado', 'municipio', 'offices'])
  expect(source.provides).toEqual(['offices'])
})

test.each([
  ['no such list', reference('ciudades'), 'the home has no list "ciudades" of a package "nomenclator"'],
  ['no such code', reference('municipios', 'clave'), '"municipios" has no field or code "clave"'],
])('%s is told', async (_, more, expected) => {
  const { notes, at } = await read('14039', more)
  expect(notes.map(({ what }) => what).join()).toContain(expected)
  expect(at).toBe('14039')
})
