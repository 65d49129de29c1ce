// Which record a row means, and how sure that is: a small catalog, and a row of every kind.
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { releaseOf } from '../../../../../test/support/releases.ts'
import { placesOf, smallSource } from '../../../../../test/support/small-source.ts'
import type { Release } from '../../release/release.ts'
import { partNames, type RowToResolve, resolveRow, rowKey } from './resolve.ts'

setDefaultTimeout(180_000)

const states = [
  ['JAL', 'JC', 'Jalisco', 14],
  ['NAY', 'NT', 'Nayarit', 18],
  ['NL', 'NL', 'Nuevo León', 19],
  ['AGS', 'AS', 'Aguascalientes', 1],
  ['MEX', 'MC', 'México', 15],
] as const
const municipalities = [
  ['039', 'Guadalajara', 14],
  ['067', 'Puerto Vallarta', 14],
  ['014', 'Santa María del Oro', 18],
  ['039', 'Monterrey', 19],
  ['026', 'Guadalupe', 19],
  ['027', 'Guadalcázar', 19],
  ['001', 'Aguascalientes', 1],
  ['101', 'San Pedro', 14],
  ['102', 'San Pedro', 15],
  ['002', 'Santa Elena', 1],
  ['003', 'Santa Elena del Oro Viejo', 1],
  ['028', 'Jesús María', 19],
  ['120', 'Zapopan', 14],
  ['103', 'Nayarit', 14],
  ['103', 'San Juan Coatlán', 15],
  ['104', 'Santa Ana Coatlán', 15],
] as const
/** Name, municipality by its place above. */
const localities = [
  ['0001', 'Guadalajara', 1],
  ['0002', 'San José', 1],
  ['0003', 'San José', 1],
  ['0004', 'La Esperanza', 1],
  ['0005', 'Esperanza', 1],
  ['0006', 'Uno', 1],
  ['0001', 'Santa María del Oro', 3],
  ['0001', 'Monterrey', 4],
  ['0001', 'Guadalupe', 5],
  ['0002', 'Ejido los Pinos', 5],
  ['0001', 'Tanque Nuevo', 6],
  ['0002', 'Pozo Hondo', 6],
  ['0003', 'Pozo', 5],
  ['0001', 'Las Palmitas', 10],
  ['0001', 'Las Palmas', 11],
  ['0002', 'La Labor', 10, 20_000],
  ['0002', 'La Labor', 11, 20_000],
  ['0001', 'Jesús María', 12, 30_000],
  ['0002', 'Ejido Jesús María', 12, 500],
  ['0001', 'Aguascalientes', 7, 700_000],
  ['0002', 'La Unión', 7, 20_000],
  ['0003', 'La Unión', 7, 20_000],
  ['0001', 'Zapopan', 13, 1_000_000],
  ['0002', 'Rancho Santa Fe', 13, 5],
  ['0003', 'Hacienda Santa Fe', 13, 90_000],
  ['0004', 'Rancho Nuevo', 13, 5],
  ['0005', 'Ejido Conchos', 13, 9],
  ['0006', 'Estación Conchos', 13, 5],
  ['0007', 'Granja Palomas', 13, 5],
  ['0008', 'San Diego Palomas', 13, 5],
  ['0009', 'Quintero', 13, 3_000],
  ['0010', 'Quintero', 13, 5],
  ['0011', 'Ninguno', 13, 5],
  ['0012', 'Paso Texas', 13, 3_000],
  ['0001', 'El Tule', 14, 900],
  ['0002', 'Santa María del Oro', 14, 5],
  ['0001', 'El Cerro', 15, 500],
] as const

let release: Release
beforeAll(async () => {
  release = await releaseOf(
    smallSource({
      ...placesOf({ states, municipalities, localities }),
      area: [{ cveArea: '1', descripcion: 'Ciencias', idArea: 1 }],
      campo: [{ cveCampo: '07', descripcion: 'Lógica', idCampo: 7, idArea: 1 }],
      disciplina: [{ cveDisciplina: '0033', descripcion: 'Analogía', idDisciplina: 33, campoCono: 7 }],
    }),
  )
})

/** The verdict, and what the record is called, with its collection. */
function resolved(row: RowToResolve): string {
  const { verdict, record } = resolveRow(release, row)
  if (record === undefined) return verdict
  const { records } = release.entity(record.name)
  const json = JSON.parse(new TextDecoder().decode(records.record(record.position)))
  const name = json.descLocalidad ?? json.descMunicipio ?? json.descEstado ?? json.descPais ?? json.descripcion
  return `${verdict} ${record.name} ${name}`
}

const parts = (row: Readonly<Record<string, string>>): RowToResolve => ({ parts: new Map(Object.entries(row)) })

describe('parts', () => {
  test.each([
    [{ estado: 'jalisco', municipio: 'GUADALAJARA' }, 'exact municipio Guadalajara'],
    [{ estado: 'JAL', municipio: '039' }, 'exact municipio Guadalajara'],
    [{ estado: '14', municipio: '39' }, 'exact municipio Guadalajara'],
    [{ municipio: '14039' }, 'exact municipio Guadalajara'],
    // Town and municipality are swapped, and another municipality has a town of that name.
    [{ estado: 'AGS', municipio: 'La Labor', localidad: 'Santa Elena del Oro Viejo' }, 'sure localidad La Labor'],
    // How many people live in the other one is not known.
    [{ estado: 'MEX', municipio: 'Coatlán' }, 'ambiguous municipio Santa Ana Coatlán'],
    // The seat in the state of that name may rather be meant.
    [{ municipio: 'Nayarit', localidad: 'Santa María del Oro' }, 'likely localidad Santa María del Oro'],
    [{ municipio: 'Nayarit', localidad: 'El Tule' }, 'exact localidad El Tule'],
    // Another one is called Uno.
    [{ estado: '14', municipio: '39', localidad: '0001' }, 'exact localidad Guadalajara'],
    [{ municipio: '039' }, 'ambiguous municipio Guadalajara'],
    [{ municipio: 'CVEGEO 14039' }, 'exact municipio Guadalajara'],
    [{ localidad: 'CVEGEO 140390004' }, 'exact localidad La Esperanza'],
    [{ pais: 'MX', estado: 'JAL' }, 'exact estado Jalisco'],
    [{ pais: '484' }, 'exact pais México'],
    [{ municipio: '01001' }, 'exact municipio Aguascalientes'],
    [{ municipio: '01-001' }, 'exact municipio Aguascalientes'],
    [{ municipio: '1001' }, 'exact municipio Aguascalientes'],
    [{ municipio: '001001' }, 'none'],
    [{ estado: 'nl', municipio: '14039' }, 'likely municipio Guadalajara'],
    [{ estado: 'nl', localidad: '140390004' }, 'likely localidad La Esperanza'],
    [{ estado: 'JC', municipio: 'guadalajara' }, 'exact municipio Guadalajara'],
    [{ estado: 'N. L.' }, 'exact estado Nuevo León'],
    [{ campo: '07' }, 'exact campo Lógica'],
    [{ campo: '7' }, 'exact campo Lógica'],
    [{ disciplina: '33' }, 'exact disciplina Analogía'],
    [{ pais: 'México', estado: 'Jalisco' }, 'exact estado Jalisco'],
    [{ pais: 'Francia', estado: 'Jalisco' }, 'likely estado Jalisco'],
    [{ localidad: '140390004' }, 'exact localidad La Esperanza'],
    [{ estado: 'Nay.', municipio: 'STA. MA. DEL ORO' }, 'sure municipio Santa María del Oro'],
    [{ estado: 'edo. de Jalisco', municipio: 'mpio. de Guadalajra' }, 'sure municipio Guadalajara'],
    [{ estado: 'nuebo leon', municipio: 'monterey' }, 'sure municipio Monterrey'],
    [{ estado: 'jal', municipio: 'guadalajara', localidad: 'laesperanza' }, 'sure localidad La Esperanza'],
    [{ estado: 'jal', municipio: 'guadalajara', localidad: 'la esperansa' }, 'sure localidad La Esperanza'],
    [{ estado: 'jal', municipio: 'guadalajara', localidad: 'Esperanza' }, 'exact localidad Esperanza'],
    [{ estado: 'jal', municipio: 'guadalajara', localidad: 'San Jose' }, 'ambiguous localidad San José'],
    [{ estado: 'jal', municipio: 'guadalajara', localidad: 'Popocatépetl' }, 'none'],
    [{ estado: 'jal', municipio: '', localidad: '' }, 'exact estado Jalisco'],
    [{ estado: ' ', municipio: '' }, 'none'],
    [{ estado: 'nl', municipio: 'guadal', localidad: 'Ej. los Pinos' }, 'sure localidad Ejido los Pinos'],
    [{ estado: 'nl', municipio: 'guadal', localidad: 'tanque nuevo' }, 'sure localidad Tanque Nuevo'],
    [{ estado: 'jal', municipio: 'monterrey' }, 'likely municipio Monterrey'],
    [{ estado: 'zzzz', municipio: 'Monterrey' }, 'likely municipio Monterrey'],
    [{ estado: '#N/A', municipio: 'Monterrey' }, 'exact municipio Monterrey'],
    [{ estado: 'jal', municipio: '#N/A', localidad: 'Guadalajara' }, 'exact localidad Guadalajara'],
    [{ estado: 'Nuevo León', municipio: 'Jalisco' }, 'none'],
    [{ estado: 'nl', municipio: 'Guadalupe', localidad: 'Tanque Nuevo' }, 'likely localidad Tanque Nuevo'],
    [{ estado: 'nl', municipio: 'guadal', localidad: 'guadalupe' }, 'sure localidad Guadalupe'],
    [{ estado: 'nl', municipio: 'Guadalupe', localidad: 'Pozo Hondo' }, 'likely localidad Pozo Hondo'],
    [{ estado: 'ags', municipio: 'sta elena', localidad: 'las palmas' }, 'likely localidad Las Palmas'],
    [{ estado: 'nl', localidad: 'tanque nuevo' }, 'exact localidad Tanque Nuevo'],
    [{ estado: '14 - Jalisco', municipio: '039 - Guadalajara' }, 'exact municipio Guadalajara'],
    [{ estado: '14.0', municipio: '39.0' }, 'exact municipio Guadalajara'],
    [{ estado: '14 - Jalisco', municipio: '101 - Guadalajara' }, 'likely municipio Guadalajara'],
    [{ estado: 'Nuevo LeÃ³n', municipio: 'Guadalc&aacute;zar' }, 'sure municipio Guadalcázar'],
    [{ estado: 'Nuevo Le?n', municipio: 'GUADALC#ZAR' }, 'sure municipio Guadalcázar'],
    [{ estado: 'nl', municipio: 'Tanque Nuevo' }, 'sure municipio Guadalcázar'],
    [{ estado: 'nl', municipio: 'Guadalcázar', localidad: 'Guadalcázar' }, 'sure localidad Tanque Nuevo'],
    [{ estado: 'jal', municipio: 'Guadalajara', localidad: 'Guadalajara Jalisco' }, 'exact localidad Guadalajara'],
    [{ estado: 'nl', municipio: 'Guadalupe', localidad: 'Nuevo León' }, 'exact municipio Guadalupe'],
    [{ estado: 'nl', municipio: 'Guadalupe', localidad: 'Guadalupe 2' }, 'likely localidad Guadalupe'],
    [{ estado: 'nl', municipio: 'Jesús María', localidad: 'Ejido Jes?s Mar?a' }, 'sure localidad Ejido Jesús María'],
    [{ estado: 'nl', municipio: 'Ejido los Pinos', localidad: 'Guadalupe' }, 'sure localidad Ejido los Pinos'],
    [{ estado: 'jal', municipio: 'Zapopan', localidad: 'San Juan de Ocotán' }, 'exact localidad Zapopan'],
    [{ estado: 'jal', municipio: 'Zapopan', localidad: 'San Juan' }, 'none'],
    [{ estado: 'ags', municipio: 'La Unión', localidad: 'Aguascalientes' }, 'sure municipio Aguascalientes'],
    [{ estado: 'jal', municipio: 'Zapopan', localidad: 'Pueblo Nuevo' }, 'likely localidad Rancho Nuevo'],
    [{ estado: 'jal', municipio: 'Zapopan', localidad: 'Santa Fe' }, 'sure localidad Hacienda Santa Fe'],
    [{ estado: 'jal', municipio: 'Zapopan', localidad: 'Comunidad Nuevo' }, 'sure localidad Rancho Nuevo'],
    [{ estado: 'jal', municipio: 'Zapopan', localidad: 'Fracc. Santa Fe' }, 'likely localidad Hacienda Santa Fe'],
    [{ estado: 'jal', municipio: 'Zapopan', localidad: 'Conchos' }, 'ambiguous localidad Ejido Conchos'],
    [{ estado: 'jal', municipio: 'Zapopan', localidad: 'Palomas' }, 'ambiguous localidad Granja Palomas'],
    [{ estado: 'jal', municipio: 'Zapopan', localidad: 'Quinteroo' }, 'ambiguous localidad Quintero'],
    [{ estado: 'jal', municipio: 'Zapopan', localidad: 'Ninguna' }, 'exact municipio Zapopan'],
    [{ estado: 'jal', municipio: 'Zapopan', localidad: 'Ninguno' }, 'exact localidad Ninguno'],
  ])('%j', (row, expected) => expect(resolved(parts(row as Record<string, string>))).toBe(expected))
})

test('where the locality fails, state and municipality stay', () => {
  const { verdict, levels } = resolveRow(
    release,
    parts({ estado: 'jal', municipio: 'guadalajara', localidad: 'Popocatépetl' }),
  )
  expect(verdict).toBe('none')
  expect(levels.map((level) => `${level.name} ${level.verdict}`)).toEqual([
    'pais exact',
    'estado exact',
    'municipio exact',
    'localidad none',
  ])
})

test.each([
  [
    'counts as empty',
    { estado: 'nl', municipio: 'Guadalupe', localidad: 'Nuevo León' },
    'municipio',
    'exact',
    'municipio',
  ],
  ['is likely', { estado: 'nl', localidad: 'Pozo' }, 'localidad', 'likely', 'municipio'],
])('the last level has the verdict of the row where its part %s', (_, row, last, verdict, sameAs) => {
  const { levels, ...resolution } = resolveRow(release, parts(row as Record<string, string>))
  expect([levels.at(-1)?.name, levels.at(-1)?.verdict, resolution.verdict] as string[]).toEqual([
    last,
    verdict,
    verdict,
  ])
  expect(levels.find(({ name }) => name === sameAs)?.verdict as string).toBe(verdict)
})

describe('free text', () => {
  test.each([
    ['Río Balsas No. 1225, Col. Quinta Velarde, C.P. 44430 Guadalajara, JALISCO', 'exact municipio Guadalajara'],
    ['Río Balsas 1225 Col. Quinta Velarde CP 44430 Guadalajara Jalisco', 'exact municipio Guadalajara'],
    ['Hidalgo 12, Guadalupe, 64000 Monterrey, N.L., México', 'exact municipio Monterrey'],
    ['Hidalgo 12, Col. Centro, San Pedro, México', 'exact municipio San Pedro'],
    ['Monterrey, Nuevo León', 'exact municipio Monterrey'],
    ['Nuevo León, Monterrey', 'exact municipio Monterrey'],
    ['Monterrey, Monterrey, N.L.', 'exact localidad Monterrey'],
    ['monterrey nl', 'exact municipio Monterrey'],
    ['Sta. Ma. del Oro, Nay.', 'sure municipio Santa María del Oro'],
    ['la esperanza, guadalajara', 'exact localidad La Esperanza'],
    ['San José, Guadalajara, Jalisco', 'ambiguous localidad San José'],
    ['14039', 'exact municipio Guadalajara'],
    ['1001', 'exact municipio Aguascalientes'],
    ['México', 'exact pais México'],
    ['San Pedro, México', 'exact municipio San Pedro'],
    ['San Pedro', 'ambiguous municipio San Pedro'],
    ['Jalisco, México', 'exact estado Jalisco'],
    ['Monterrey, Nuevo León, México', 'exact municipio Monterrey'],
    ['mexico nuevo leon monterrey', 'exact municipio Monterrey'],
    ['tanque nuevo, nuevo leon', 'exact localidad Tanque Nuevo'],
    ['tanque nuevo nuevo leon', 'exact localidad Tanque Nuevo'],
    ['Monterrey, Jalisco', 'likely municipio Monterrey'],
    ['Nuevo León; Guadalupe; Ejido los Pinos', 'exact localidad Ejido los Pinos'],
    ['Guadalupe | Nuevo León', 'exact municipio Guadalupe'],
    ['Guadalupe - Nuevo León', 'exact municipio Guadalupe'],
    ['Guadalupe / Nuevo León', 'exact municipio Guadalupe'],
    ['Guadalupe\tNuevo León', 'exact municipio Guadalupe'],
    [`Monterrey, Nuevo León${' '.repeat(300)}, zzzz`, 'exact municipio Monterrey'],
    ['', 'none'],
    [', ;', 'none'],
    ['xyzzy', 'none'],
    ['El Paso, Texas', 'likely localidad Paso Texas'],
  ])('%p', (text, expected) => expect(resolved({ text })).toBe(expected))

  test('names a record of the level that is wanted', () => {
    const { record } = resolveRow(release, { text: 'Monterrey' }, { names: ['localidad'] })
    expect(record?.name).toBe('localidad')
  })
})

test('the alternatives are the next best, and none of them is the record itself', () => {
  const { record, alternatives } = resolveRow(
    release,
    parts({ estado: 'jal', municipio: 'guadalajara', localidad: 'san jose' }),
  )
  expect(alternatives.length).toBe(1)
  expect(alternatives[0]?.score).toBe(record?.score as number)
  expect(alternatives[0]?.position).not.toBe(record?.position)
})

describe('the score', () => {
  test.each([
    ['of codes', { estado: '14', municipio: '039' }, 1, ['code']],
    ['of a code without its zeros', { estado: '14', municipio: '39' }, 0.997, ['code']],
    ['of a whole code without its zero', { municipio: '1001' }, 0.997, ['code']],
    ['of two codes without their zeros', { estado: 'jal', municipio: '39', localidad: '4' }, 0.994, ['code']],
    ['of a word that says what it is', { municipio: 'municipio de Monterrey' }, 0.988, ['dropped-words']],
    ['of such a word and an article', { municipio: 'municipio del Monterrey' }, 0.988, ['dropped-words']],
    ['of an alias', { estado: 'edomex' }, 1, ['alias']],
    ['of a word that may be part of the name', { municipio: 'ciudad Monterrey' }, 0.964, ['dropped-words']],
    ['of both', { municipio: 'municipio ciudad Monterrey' }, 0.952, ['dropped-words']],
    ['of the same in an ancestor', { estado: 'edo. de Jalisco', municipio: 'Guadalajara' }, 0.988, ['dropped-words']],
    ['of an edit in each part', { estado: 'jalsco', municipio: 'guadalajra' }, 0.88, ['typo']],
    ['of an ancestor that is another', { estado: 'jalisco', municipio: 'monterrey' }, 0.345, ['elsewhere']],
  ])('%s', (_, row, score, how) => {
    const { record } = resolveRow(release, parts(row as Record<string, string>))
    expect(record?.score).toBeCloseTo(score, 9)
    expect(record?.how).toEqual(how as [])
  })
})

test('a part beyond its first characters is not read', () =>
  expect(resolved(parts({ municipio: `Monterrey${' '.repeat(300)}zzzz` }))).toBe('exact municipio Monterrey'))

test.each([
  ['estado', 'estado'],
  ['municipios', 'municipio'],
  ['areas', 'area'],
  ['areasconocimiento', undefined],
  ['descestado', 'estado'],
  ['cverenapo', 'estado'],
  ['descripcion', undefined],
  ['poblacion', undefined],
])('the part %s is of %p', (part, entity) => expect(partNames(release.catalog).get(part)).toBe(entity as string))

describe('names of many words', () => {
  const locality = 'Uno Dos Tres Cuatro Cinco Seis Siete Ocho Nueve'
  const municipality = 'Alfa Beta Gama Delta Epsilon Zeta Eta Teta'
  let ofLongNames: Release
  beforeAll(async () => {
    const places = {
      states: [['NL', 'NL', 'Nuevo León', 19]],
      municipalities: [['001', municipality, 19]],
      localities: [['0001', locality, 1]],
    } as const
    ofLongNames = await releaseOf(smallSource(placesOf(places)))
  })

  test.each([
    ['from the nearest to the most distant', `${locality}, ${municipality}, Nuevo León`, 'exact'],
    ['from the most distant to the nearest', `Nuevo León, ${municipality}, ${locality}`, 'exact'],
    ['without commas', `${locality} ${municipality} Nuevo León`, 'sure'],
    ['below something that is hardly a state', `${locality}, ${municipality}, León`, 'none'],
    ['between too many others', `a, b, c, ${locality}, ${municipality}, León`, 'none'],
  ])('%s', (_, text, verdict) => expect(resolveRow(ofLongNames, { text }).verdict).toBe(verdict as 'none'))
})

test('where nothing fits below a municipality, it is looked for below the best of the states alone', async () => {
  const places = {
    states: [
      ['JAL', 'JC', 'Vallarta', 14],
      ['NAY', 'NT', 'Ballarta', 18],
    ],
    municipalities: [
      ['001', 'Norte', 14],
      ['002', 'Sur', 14],
      ['001', 'Oeste', 18],
    ],
    localities: [
      ['0001', 'Primera', 1],
      ['0001', 'Segunda', 2],
      ['0001', 'Tercera', 3],
    ],
  } as const
  const ofTwoStates = await releaseOf(smallSource(placesOf(places)))
  const verdictOf = (localidad: string) =>
    resolveRow(ofTwoStates, parts({ estado: 'vallarta', municipio: 'norte', localidad })).verdict
  expect(['primera', 'segunda', 'tercera'].map(verdictOf)).toEqual(['exact', 'likely', 'none'])
})

test.each(['campo', 'provincia', 'rancho', 'de'])(
  'a text means the same in any case: "%s" before what has towns',
  (word) => {
    const text = `${word}, Guadalajara, Jalisco`
    const first = `${word[0]?.toUpperCase()}${word.slice(1)}, Guadalajara, Jalisco`
    expect(resolveRow(release, { text })).toEqual(resolveRow(release, { text: text.toUpperCase() }))
    expect(resolveRow(release, { text })).toEqual(resolveRow(release, { text: first }))
  },
)

test('rows have the same key where case and accents alone are other', () => {
  const parts = (entries: Record<string, string>) => rowKey({ parts: new Map(Object.entries(entries)) })
  expect(rowKey({ text: 'LEÓN, Gto.' })).toBe(rowKey({ text: 'leon, gto.' }))
  expect(parts({ estado: 'Jalisco', localidad: 'Tonalá' })).toBe(parts({ estado: 'JALISCO', localidad: 'TONALA' }))
  // In damaged text every letter tells something.
  expect(rowKey({ text: 'LEÃ“N' })).not.toBe(rowKey({ text: 'leã“n' }))
  const others = [
    parts({ estado: 'a', localidad: 'b' }),
    parts({ localidad: 'a', estado: 'b' }),
    parts({ estado: 'a,localidad 1 b' }),
    rowKey({ text: parts({ estado: 'a', localidad: 'b' }) }),
  ]
  expect(new Set(others).size).toBe(others.length)
})

test('what was a town and is part of a city is not sure where a town is called so', async () => {
  const places = await releaseOf(
    smallSource(
      placesOf({
        states: [
          ['QRO', 'QT', 'Querétaro', 22],
          ['QROO', 'QR', 'Quintana Roo', 23],
        ],
        municipalities: [
          ['014', 'Querétaro', 22],
          ['002', 'Felipe Carrillo Puerto', 23],
        ],
        localities: [
          ['0001', 'Santiago de Querétaro', 1, 800_000],
          ['0001', 'Felipe Carrillo Puerto', 2, 25_000],
        ],
      }),
    ),
  )
  const verdictOn = (parts: Record<string, string>) =>
    resolveRow(places, { parts: new Map(Object.entries(parts)) }).verdict
  const localidad = 'Felipe Carrillo Puerto'
  expect(verdictOn({ localidad })).not.toMatch(/exact|sure/)
  expect(verdictOn({ estado: 'Querétaro', localidad })).toBe('exact')
})
