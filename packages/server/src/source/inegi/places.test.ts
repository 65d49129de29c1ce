// Checks the traps in rows, which rows are left out as retired, and which are refused and why.
import { describe, expect, test } from 'bun:test'
import {
  excerpt,
  faultsIn,
  localidad,
  municipio,
  readAll,
  retiredLocality,
  ScratchDirectory,
} from '../../../../../test/support/inegi-file.ts'
import { inegiSource } from './inegi.ts'

const inForce = { includeRetired: false }

const localities = excerpt('localidades-2025')
const CODE_OF_STATE = 'the code of a state in two digits, 01 to 32'
const threeDigits = '3 digits, the zeros in front included, and not all zeros'
const fourDigits = '4 digits, the zeros in front included, and not all zeros'

describe('retired places', () => {
  const labels = (file: string) => [
    `010010114 Residencial San Nicolás [Baños la Cantera] (${file}:5)`,
    `CD0010001 El Lindero (${file}:8)`,
  ]
  test.each(['localidades-2023', 'localidades-2025'])('of %s are left out and counted', async (name) => {
    using directory = new ScratchDirectory()
    const file = directory.put('given.csv', excerpt(name))
    const { rows, findings } = await readAll(await inegiSource([file], inForce))
    expect(rows.localidad).toEqual(localidad)
    expect(findings).toEqual([
      { kind: 'retired-left-out', description: 'a retired place was left out', count: 2, examples: labels(file) },
    ])
  })

  test.each(['localidades-2023', 'localidades-2025'])(
    'of %s are included on request, if their municipality exists',
    async (name) => {
      using directory = new ScratchDirectory()
      const elsewhere = '"010990001","Baja","01","Aguascalientes","Ags.","099","Deshecho"'
      const text = excerpt(name).replace('"010030001","","01","Aguascalientes","Ags.","003","Calvillo"', elsewhere)
      const file = directory.put('given.csv', text)
      const { rows, findings, faults } = await readAll(await inegiSource([file], { includeRetired: true }))
      expect(faults).toEqual([])
      expect(rows.municipio).toEqual(municipio.filter(({ cveMunicipio }) => cveMunicipio !== '003'))
      expect(rows.localidad).toEqual([
        ...localidad.slice(0, 3),
        retiredLocality,
        ...localidad.slice(3, 4),
        ...localidad.slice(5),
      ])
      expect(findings).toMatchObject([
        { kind: 'retired-without-place', count: 2, examples: [`010990001 Calvillo (${file}:7)`, labels(file)[1]] },
      ])
    },
  )

  test('lie in the municipalities of their own table, where one is given', async () => {
    using directory = new ScratchDirectory()
    const localities = directory.put(
      'l.csv',
      excerpt('localidades-2025').replace('"200010012",""', '"200010012","Baja"'),
    )
    const others = excerpt('municipios-2025')
      .split('\n')
      .filter((line) => !line.startsWith('"20001"'))
    const municipalities = directory.put('m.csv', others.join('\n'))
    const source = await inegiSource([localities, municipalities], { includeRetired: true })
    expect((await readAll(source)).findings).toMatchObject([{ kind: 'retired-without-place', count: 2 }])
  })
})

describe('places in zones of no state', () => {
  const zones = ['CD', 'CO', 'CQ', 'CT', 'CY', 'QY']
  const rowOf = (zone: string, line: string) =>
    line.replace('"010010094"', `"${zone}0010094"`).replace('"01","Aguascalientes"', `"${zone}","Zona Interestatal"`)

  test.each([
    ['localidades-2022', 'CD0010094 Granja Adelita'],
    ['localidades-2025', 'CD0010094 Granja Adelita'],
  ])('of %s are left out and counted, without the areas that they name', async (name, first) => {
    using directory = new ScratchDirectory()
    const lines = excerpt(name).trimEnd().split('\n')
    const sample = lines.find((line) => line.startsWith('"010010094"')) as string
    const text = [...lines, ...zones.map((zone) => rowOf(zone, sample))].join('\n')
    const file = directory.put('given.csv', text)
    const { rows, findings, faults } = await readAll(await inegiSource([file], { includeRetired: true }))
    expect(faults).toEqual([])
    expect(rows.municipio).toEqual(municipio)
    const found = findings.find(({ kind }) => kind === 'interstate-left-out')
    expect(found).toMatchObject({
      description: 'a place in a zone that is not assigned to any state was left out',
      count: zones.length,
    })
    expect(found?.examples[0]).toBe(`${first} (${file}:${lines.length + 1})`)
  })

  test.each(['municipios-2025', 'estados-2025'])('of %s too', async (name) => {
    using directory = new ScratchDirectory()
    const [header, first = '', ...others] = excerpt(name).trimEnd().split('\n')
    const zone = first.replace(/^"01/, '"CY').replace('"01"', '"CY"')
    const file = directory.put('given.csv', [header, zone, ...others].join('\n'))
    const { faults, findings } = await readAll(await inegiSource([file], inForce))
    expect(faults).toEqual([])
    expect(findings).toMatchObject([{ kind: 'interstate-left-out', count: 1 }])
  })
})

describe('traps', () => {
  const trap = (before: string | RegExp, after: string) => excerpt('localidades-2022').replace(before, after)
  const first = '"0001","Aguascalientes"'
  test.each([
    ['blanks after a name', trap(first, '"0001","Aguascalientes \u00a0"'), 'Aguascalientes'],
    ['blanks within a name', trap(first, '"0001","San  Juan"'), 'San  Juan'],
    ['a letter put together from two', trap(first, '"0001","Pen\u0303o\u0301n"'), 'Peñón'],
    ['a name in quotes', trap(first, '"0001",""La Chona""'), '"La Chona"'],
    ['a name with a comma', trap(first, '"0001","San Juan, Centro"'), 'San Juan, Centro'],
    ['brackets in brackets', trap(first, '"0001","[Granja (Anexo)]"'), '[Granja (Anexo)]'],
    ['empty lines', trap(/\n/g, '\n\n'), 'Aguascalientes'],
    ['no end of the last line', trap(/\n$/, ''), 'Aguascalientes'],
    [
      'values without quotes',
      excerpt('localidades-2022').replace(/^"010010001".*$/m, (line) =>
        line.replace(/^"|"$/g, '').replaceAll('","', ','),
      ),
      'Aguascalientes',
    ],
    [
      'quotes doubled',
      excerpt('localidades-2022').replace(/(?<=[^",\n])"(?=[^",\n])|(?<=Rancho )"|(?<=Sueño)"/g, '""'),
      'Aguascalientes',
    ],
    ['columns in another order', reversed(excerpt('localidades-2022')), 'Aguascalientes'],
  ])('%s', async (_, text, name) => {
    using directory = new ScratchDirectory()
    const { rows, faults } = await readAll(await inegiSource([directory.put('given.csv', text)], inForce))
    expect(faults).toEqual([])
    expect(rows.localidad).toEqual([{ ...localidad[0], descLocalidad: name }, ...localidad.slice(1)])
  })

  function reversed(text: string): string {
    const [header = '', ...lines] = text.trimEnd().split('\n')
    const turned = lines.map((line) => `"${line.slice(1, -1).split('","').toReversed().join('","')}"`)
    return [header.split(',').toReversed().join(','), ...turned].join('\n')
  }
})

const changed = (before: string | RegExp, after: string) => {
  const text = localities.replace(before, after)
  expect(text).not.toBe(localities)
  return text
}

describe('a row is refused', () => {
  // The second row, on line 3: "010010094","","01","Aguascalientes","Ags.","001","Aguascalientes","0094","Granja Adelita"
  const row = (cells: string) =>
    changed(/"010010094","","01","Aguascalientes","Ags\.","001","Aguascalientes","0094","Granja Adelita"/, cells)
  const cells = {
    shortState: row('"010010094","","1","Aguascalientes","Ags.","001","Aguascalientes","0094","Granja Adelita"'),
    noSuchState: row('"330010094","","33","Aguascalientes","Ags.","001","Aguascalientes","0094","Granja Adelita"'),
    letters: row('"cd0010094","","cd","Aguascalientes","Ags.","001","Aguascalientes","0094","Granja Adelita"'),
    oneLetter: row('"C0010094","","C","Aguascalientes","Ags.","001","Aguascalientes","0094","Granja Adelita"'),
    shortCodes: row('"010010094","","01","Aguascalientes","Ags.","1","Aguascalientes","94","Granja Adelita"'),
    zeros: row('"010000000","","01","Aguascalientes","Ags.","000","Aguascalientes","0000","Granja Adelita"'),
    otherWhole: row('"010010095","","01","Aguascalientes","Ags.","001","Aguascalientes","0094","Granja Adelita"'),
    shortWhole: row('"10010094","","01","Aguascalientes","Ags.","001","Aguascalientes","0094","Granja Adelita"'),
    noNames: row('"010010094","","01","","Ags.","001"," ","0094"," \u00a0"'),
    status: row('"010010094","Alta","01","Aguascalientes","Ags.","001","Aguascalientes","0094","Granja Adelita"'),
    tooMany: row('"010010094","","01","Aguascalientes","Ags.","001","Aguascalientes","0094","Granja","Adelita"'),
    unpaired: row('010010094,"01","Aguascalientes","Ags.","001","Aguascalientes","0094","Granja Adelita"'),
  }
  test.each([
    ['whose state has lost its zero', cells.shortState, [[3, 'CVE_ENT', '"1"', CODE_OF_STATE]]],
    ['of a state that is none', cells.noSuchState, [[3, 'CVE_ENT', '"33"', CODE_OF_STATE]]],
    ['with small letters for a state', cells.letters, [[3, 'CVE_ENT', '"cd"', CODE_OF_STATE]]],
    ['with one letter for a state', cells.oneLetter, [[3, 'CVE_ENT', '"C"', CODE_OF_STATE]]],
    [
      'whose codes have lost their zeros',
      cells.shortCodes,
      [
        [3, 'CVE_MUN', '"1"', threeDigits],
        [3, 'CVE_LOC', '"94"', fourDigits],
      ],
    ],
    [
      'of a total',
      cells.zeros,
      [
        [3, 'CVE_MUN', '"000"', threeDigits],
        [3, 'CVE_LOC', '"0000"', fourDigits],
      ],
    ],
    [
      'whose whole code is another',
      cells.otherWhole,
      [[3, 'CVEGEO', '"010010095"', '010010094, the codes of the row in one']],
    ],
    [
      'whose whole code has lost its zero',
      cells.shortWhole,
      [[3, 'CVEGEO', '"10010094"', '010010094, the codes of the row in one']],
    ],
    [
      'without names',
      cells.noNames,
      [
        [3, 'NOM_ENT', '""', 'a name'],
        [3, 'NOM_MUN', '" "', 'a name'],
        [3, 'NOM_LOC', '" \u00a0"', 'a name'],
      ],
    ],
    [
      'with a status that is not known',
      cells.status,
      [[3, 'Estatus', '"Alta"', 'nothing, or Baja for a retired place']],
    ],
    ['with a column too many', cells.tooMany, [[3, 'all', '"21 columns"', '20 columns, as in the header']]],
    [
      'with quotes that do not pair',
      cells.unpaired,
      [[3, 'all', '"quotes that do not pair"', '20 columns, as in the header']],
    ],
    [
      'that was cut off',
      localities.slice(0, -20),
      [[13, 'all', '"quotes that do not pair"', '20 columns, as in the header']],
    ],
  ])('%s', async (_, text, faults) => expect(await faultsIn(text)).toEqual(faults))

  test('in the words of its own header', async () => {
    const text = excerpt('localidades-2022')
      .replace('"010010094"', '"019990094"')
      .replace('"003","Calvillo"', '"3","Calvillo"')
    expect(await faultsIn(text)).toEqual([
      [3, 'Mapa', '"019990094"', '010010094, the codes of the row in one'],
      [6, 'Cve_Mun', '"3"', threeDigits],
    ])
  })

  test('once, though the table is read twice', async () => {
    const text = excerpt('localidades-2022').replaceAll('"Abejones","0', '"","0')
    expect((await faultsIn(text)).map(([line, column]) => [line, column])).toEqual(
      [8, 9, 10, 11].map((line) => [line, 'Nom_Mun']),
    )
  })

  test('if it is retired, to be included, and has no name', async () => {
    const text = changed('"Residencial San Nicolás [Baños la Cantera]"', '""')
    expect(await faultsIn(text, true)).toEqual([[5, 'NOM_LOC', '""', 'a name']])
    expect(await faultsIn(text)).toEqual([])
  })
})
