// Checks where states and municipalities come from, whatever tables are given together.
import { describe, expect, test } from 'bun:test'
import {
  estado,
  excerpt,
  inOwnTable,
  localidad,
  municipio,
  readAll,
  ScratchDirectory,
  zipOf,
} from '../../../../../test/support/inegi-file.ts'
import { sourceOf, TestHome, tiny } from '../../../../../test/support/releases.ts'
import { inegiSource } from './inegi.ts'

const inForce = { includeRetired: false }

const localities = excerpt('localidades-2025')

describe('what is given together', () => {
  const names = {
    localities: 'localidades-2025',
    municipalities: 'municipios-2025',
    states: 'estados-2025',
  }
  const renamed = {
    municipalities: ['"Calvillo","0001"', '"Villa Calvillo","0001"'],
    states: ['"Oaxaca"', '"Oaxaca de Juárez"'],
  }
  const given = (directory: ScratchDirectory, kind: keyof typeof names) => {
    const [before = '', after = ''] = kind === 'localities' ? [] : renamed[kind]
    return directory.put(`${kind}.csv`, excerpt(names[kind]).replace(before, after))
  }
  const ownMunicipalities = inOwnTable.map((row) =>
    row.descMunicipio === 'Calvillo' ? { ...row, descMunicipio: 'Villa Calvillo' } : row,
  )
  const ownStates = estado.map((row) => (row.idEstado === 20 ? { ...row, descEstado: 'Oaxaca de Juárez' } : row))
  test.each([
    [['localities'], { estado, municipio, localidad }],
    [['localities', 'municipalities'], { estado, municipio: ownMunicipalities, localidad }],
    [['municipalities', 'localities'], { estado, municipio: ownMunicipalities, localidad }],
    [['localities', 'states'], { estado: ownStates, municipio, localidad }],
    [['states', 'localities', 'municipalities'], { estado: ownStates, municipio: ownMunicipalities, localidad }],
    [['municipalities', 'states'], { estado: ownStates, municipio: ownMunicipalities }],
    [['municipalities'], { municipio: ownMunicipalities }],
    [['states'], { estado: ownStates }],
  ] as const)('%p', async (kinds, expected) => {
    using directory = new ScratchDirectory()
    const source = await inegiSource(
      kinds.map((kind) => given(directory, kind)),
      inForce,
    )
    expect(source.provides).toEqual(Object.keys(expected) as typeof source.provides)
    const { rows, faults } = await readAll(source)
    expect(faults).toEqual([])
    expect(rows).toEqual(expected)
  })

  test('states of which there are only municipalities', async () => {
    using directory = new ScratchDirectory()
    const ofOneState = excerpt('localidades-2022').replace(/^"(09|20).*\n/gm, '')
    const files = [directory.put('l.csv', ofOneState), directory.put('m.csv', excerpt('municipios-2025'))]
    const { rows } = await readAll(await inegiSource(files, inForce))
    expect(rows).toEqual({ estado, municipio: inOwnTable, localidad: localidad.slice(0, 5) })
  })

  test.each([
    ['first', ['AGEEML_1_utf8.csv', 'AGEEML_2.csv']],
    ['last', ['AGEEML_1.csv', 'AGEEML_2_UTF.csv']],
  ])('of the twins in a zip the one in UTF-8, which comes %s', async (_, names) => {
    using directory = new ScratchDirectory()
    const members = names.map((name) => {
      const text = excerpt('localidades-2022')
      const isUtf8 = /_utf/i.test(name)
      return { name, bytes: isUtf8 ? Buffer.from(text) : Buffer.from(text.replaceAll('Calvillo', 'Otro'), 'latin1') }
    })
    const source = await inegiSource([directory.put('a.zip', zipOf(members))], inForce)
    expect((await readAll(source)).rows).toEqual({ estado, municipio, localidad })
  })

  test('a zip of all three', async () => {
    using directory = new ScratchDirectory()
    const members = Object.values(names).map((name) => ({ name: `${name}.csv`, bytes: Buffer.from(excerpt(name)) }))
    const source = await inegiSource([directory.put('all.zip', zipOf(members))], inForce)
    expect((await readAll(source)).rows).toEqual({ estado, municipio: inOwnTable, localidad })
  })

  test('a table for each state, in the order given; areas come in the order of their codes', async () => {
    using directory = new ScratchDirectory()
    const [header, ...lines] = excerpt('localidades-2022').trimEnd().split('\n') as [string, ...string[]]
    const ofState = (code: string) => [header, ...lines.filter((line) => line.startsWith(`"${code}`))].join('\n')
    const paths = ['20', '01', '09'].map((code) => directory.put(`${code}.csv`, ofState(code)))
    const { rows, locations } = await readAll(await inegiSource(paths, inForce))
    expect(rows).toEqual({ estado, municipio, localidad: [...localidad.slice(6), ...localidad.slice(0, 6)] })
    expect(locations.estado).toEqual([`${paths[1]}:2`, `${paths[2]}:2`, `${paths[0]}:2`])
    expect(locations.municipio).toEqual([`${paths[1]}:2`, `${paths[1]}:6`, `${paths[2]}:2`, `${paths[0]}:2`])
  })
})

describe('areas with two names', () => {
  test('keep the first, and are reported once', async () => {
    using directory = new ScratchDirectory()
    const text = excerpt('localidades-2022')
      .replace('"Oaxaca","Oax.","001","Abejones","0007"', '"Oajaca","Oax.","001","Los Abejones","0007"')
      .replace('"Abejones","0008"', '"Las Abejas","0008"')
    const file = directory.put('given.csv', text)
    const { rows, findings, faults } = await readAll(await inegiSource([file], inForce))
    expect(faults).toEqual([])
    expect(rows).toEqual({ estado, municipio, localidad })
    expect(findings).toMatchObject([
      { kind: 'state-named-twice', count: 1, examples: [`20 Oaxaca; Oajaca (${file}:9)`] },
      { kind: 'municipality-named-twice', count: 1, examples: [`20001 Abejones; Los Abejones (${file}:9)`] },
    ])
  })
})

describe('a code given twice is refused', () => {
  test.each([
    ['of a municipality', excerpt('municipios-2025'), '"01003"', 'CVE_MUN', '"003"', 7],
    ['of a state', excerpt('estados-2025'), '"20"', 'CVE_ENT', '"20"', 5],
  ])('%s', async (_, text, start, column, value, line) => {
    using directory = new ScratchDirectory()
    const again = text.split('\n').find((one) => one.startsWith(start))
    const file = directory.put('given.csv', `${text}${again}\n`)
    const { faults } = await readAll(await inegiSource([file], inForce))
    const earlier = text.split('\n').findIndex((one) => one.startsWith(start)) + 1
    expect(faults).toEqual([
      { file, line, column, value, expected: `a code not given before; ${file}:${earlier} has it already` },
    ])
  })

  test('of a locality, when the release is built', async () => {
    using directory = new ScratchDirectory()
    using home = new TestHome()
    const row = localities.split('\n')[2]?.replace('Granja Adelita', 'Granja Adela')
    const file = directory.put('given.csv', `${localities}${row}\n`)
    const building = home.import(await inegiSource([file], inForce), { fallback: sourceOf(tiny) })
    await expect(building).rejects.toThrow(`${file}:14, idMunicipio and idLocalidad: `)
  })
})
