// Imports in any order, from sources that number the same places otherwise: every place stays where its official code puts it.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { OperationalError } from '../../packages/server/src/base/operational-error.ts'
import type { PublishedRecord } from '../../packages/server/src/catalog/flatten.ts'
import { inegiSource } from '../../packages/server/src/source/inegi/inegi.ts'
import type { GivenRow, Source } from '../../packages/server/src/source/source.ts'
import { inegiTable } from '../support/inegi-file.ts'
import {
  contentOf,
  type Rows,
  sourceIn,
  sourceOf,
  TestDirectory,
  TestHome,
  tiny,
  writeTables,
} from '../support/releases.ts'

setDefaultTimeout(180_000)

// The places: states by their numbers and letters, municipalities by their codes. A place is named by its codes, so that
// a reader of a record sees where its source put it.

const STATES = new Map([
  ['AGS', '01'],
  ['BC', '02'],
  ['BCS', '03'],
])
const CODES = ['001', '002', '003', '004']
const MUNICIPALITIES = [...STATES.keys()].flatMap((state) => CODES.map((code) => `${state}/${code}`))
const stateOf = (municipality: string) => municipality.split('/')[0] as string
const codeOf = (municipality: string) => municipality.split('/')[1] as string
const FIRST_OF_STATE = [...STATES.keys()].map((state) => `${state}/001`)

/** How a source numbers states and municipalities: by their places in a list of its own. */
type Order = { readonly states: readonly string[]; readonly municipalities: readonly string[] }

/** All rows, with identifiers by an order. */
function numberedRows({ states, municipalities }: Order, isThere: (municipality: string) => boolean, kind: string) {
  const idEstado = (state: string) => states.indexOf(state) + 1
  const there = municipalities.filter(isThere)
  const idMunicipio = (municipality: string) => municipalities.indexOf(municipality) + 1
  return {
    pais: tiny.pais,
    estado: states.map((state) => ({
      cveEstado: state,
      cveRenapo: state.slice(0, 2),
      descEstado: state,
      idEstado: idEstado(state),
      idPais: 484,
    })),
    municipio: there.map((municipality) => ({
      cveMunicipio: codeOf(municipality),
      descMunicipio: municipality,
      idEstado: idEstado(stateOf(municipality)),
      idMunicipio: idMunicipio(municipality),
    })),
    localidad: there.flatMap((municipality) =>
      [1, 2].map((number) => ({
        cveLocalidad: `${kind}${number}`,
        descLocalidad: `${municipality}/${kind}${number}`,
        idLocalidad: number,
        idEstado: idEstado(stateOf(municipality)),
        idMunicipio: idMunicipio(municipality),
      })),
    ),
  } satisfies Rows
}

const OFFICIAL: Order = { states: [...STATES.keys()], municipalities: MUNICIPALITIES }
/** The bundled data: states by their official numbers, here the places in the list, and localities by their codes. */
const fallback = sourceOf(
  { ...tiny, ...numberedRows({ ...OFFICIAL, municipalities: MUNICIPALITIES.toReversed() }, () => true, '000') },
  { kind: 'bundled' },
)

/** Invented records under codes that no state has. */
const invented = sourceOf(
  {
    ...tiny,
    estado: tiny.estado.map((row) => ({ ...row, cveEstado: `X${row.cveEstado}` })),
    municipio: tiny.municipio.map((row) => ({
      ...row,
      descMunicipio: `X${row.idEstado === 1 ? 'AGS' : 'BC'}/${row.cveMunicipio}`,
    })),
    localidad: tiny.localidad.map((row) => ({
      ...row,
      idEstado: row.idMunicipio === 3 ? 2 : 1,
      descLocalidad: `X${row.idMunicipio === 3 ? 'BC' : 'AGS'}/001/${row.cveLocalidad}`,
    })),
  },
  { kind: 'synthetic', synthetic: true },
)

type Step =
  | { readonly from: 'inegi'; readonly files: readonly InegiFile[]; readonly places: readonly string[] }
  | {
      readonly from: 'tables'
      readonly names: readonly string[]
      readonly order: Order
      readonly places: readonly string[]
    }
  | { readonly from: 'codes'; readonly places: readonly string[] }
  | { readonly from: 'bundled' | 'synthetic' | 'rollback' | 'lost registry' }
type InegiFile = 'estado' | 'municipio' | 'localidad'

async function sourceFor(step: Step, directory: string): Promise<Source | undefined> {
  switch (step.from) {
    case 'inegi': {
      const places = step.places.map((municipality) => ({
        state: STATES.get(stateOf(municipality)) as string,
        stateName: stateOf(municipality),
        code: codeOf(municipality),
        name: municipality,
        localities: [1, 2].map((number) => `${municipality}/${number}`),
      }))
      const files = step.files.map((kind) => inegiTable(join(directory, `${kind}.csv`), kind, places))
      return inegiSource(files, { includeRetired: false })
    }
    case 'tables': {
      const rows: Rows = numberedRows(step.order, (municipality) => step.places.includes(municipality), '')
      const some = Object.entries(rows).filter(([name]) => step.names.includes(name))
      return sourceIn(writeTables(join(directory, 'tables'), Object.fromEntries(some)))
    }
    case 'codes': {
      // Municipalities by their codes alone, as in a table that someone keeps by hand.
      const municipio = step.places.map(
        (municipality): GivenRow => ({
          cveMunicipio: codeOf(municipality),
          descMunicipio: municipality,
          idEstado: { cveEstado: stateOf(municipality) },
        }),
      )
      return sourceIn(writeTables(join(directory, 'codes'), { municipio }))
    }
    case 'bundled':
      return fallback
    case 'synthetic':
      return invented
  }
  return undefined
}

type Locality = { readonly name: string; readonly municipality: string; readonly places: readonly string[] }

/** Every locality that is served: its name, and where it is by the codes and by the names that are served with it. */
function served(home: TestHome): Locality[] {
  const { records, count } = home.current().entity('localidad')
  return Array.from({ length: count }, (_, at) => {
    const record = JSON.parse(new TextDecoder().decode(records.record(at)))
    const municipality: PublishedRecord = record.idMunicipio
    const state = municipality.idEstado as PublishedRecord
    const place = `${state.cveEstado}/${municipality.cveMunicipio}`
    return {
      name: record.descLocalidad,
      municipality: municipality.descMunicipio as string,
      places: [place, `${record.idEstado.cveEstado}/${municipality.cveMunicipio}`],
    }
  })
}

/** All of them as often as some: without those in which localities lie that complete a release, it is refused. */
const places = fc.oneof(
  fc.constant(MUNICIPALITIES),
  fc.subarray(MUNICIPALITIES).map((some) => [...new Set([...FIRST_OF_STATE, ...some])]),
)
const order = fc.record({
  states: fc.shuffledSubarray([...STATES.keys()], { minLength: STATES.size }),
  municipalities: fc.shuffledSubarray(MUNICIPALITIES, { minLength: MUNICIPALITIES.length }),
})
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      from: fc.constant('inegi' as const),
      files: fc.subarray<InegiFile>(['estado', 'municipio', 'localidad'], { minLength: 1 }),
      places,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      from: fc.constant('tables' as const),
      // Tables that are left out are not referred to by the others, or have the same numbers.
      names: fc.constantFrom(['pais', 'estado', 'municipio', 'localidad'], ['estado', 'municipio'], ['estado']),
      order,
      places,
    }),
  },
  { weight: 2, arbitrary: fc.record({ from: fc.constant('codes' as const), places }) },
  {
    weight: 3,
    arbitrary: fc.record({ from: fc.constantFrom('bundled', 'synthetic', 'rollback', 'lost registry') }),
  },
)

async function take(home: TestHome, step: Step, acceptChanges: boolean): Promise<'taken' | 'refused'> {
  if (step.from === 'lost registry') rmSync(home.store.idRegistryFile, { force: true })
  else if (step.from === 'rollback') {
    if (new Set(home.store.history()).size > 1) home.store.rollback()
  } else {
    using directory = new TestDirectory()
    const source = (await sourceFor(step, directory.path)) as Source
    try {
      await home.import(source, { fallback, acceptChanges })
    } catch (error) {
      if (error instanceof OperationalError) return 'refused'
      throw error
    }
  }
  return 'taken'
}

/** The localities that are not where their names say. */
const misplaced = (home: TestHome): Locality[] =>
  served(home).filter(({ name, municipality, places }) => {
    const given = name.split('/').slice(0, 2).join('/')
    return municipality !== given || places.some((place) => place !== given)
  })

const inegi = (...files: InegiFile[]): Step => ({ from: 'inegi', files, places: MUNICIPALITIES })
const tables = (...names: string[]): Step => ({
  from: 'tables',
  names,
  order: {
    states: ['BC', 'BCS', 'AGS'],
    municipalities: MUNICIPALITIES.toSorted((a, b) => codeOf(a).localeCompare(codeOf(b))),
  },
  places: MUNICIPALITIES,
})
const whole = tables('pais', 'estado', 'municipio', 'localidad')
const byCode: Step = { from: 'codes', places: MUNICIPALITIES }

describe('places stay where they are:', () => {
  test.each<[string, readonly Step[]]>([
    ['municipalities of INEGI into an empty home', [inegi('municipio')]],
    ['states of INEGI into an empty home', [inegi('estado')]],
    ['municipalities of INEGI over the bundled data', [{ from: 'bundled' }, inegi('municipio')]],
    ['municipalities of INEGI over tables that number all otherwise', [whole, inegi('municipio')]],
    ['states of INEGI over tables that number them otherwise', [whole, inegi('estado')]],
    ['all of INEGI, then municipalities alone', [inegi('localidad'), inegi('municipio')]],
    [
      'tables that number municipalities otherwise, below localities of INEGI',
      [inegi('localidad'), tables('estado', 'municipio')],
    ],
    ['tables that number states otherwise, below bundled localities', [tables('estado')]],
    ['municipalities by code over tables that number all otherwise', [whole, byCode]],
    ['the bundled data over all of INEGI', [inegi('localidad'), { from: 'bundled' }, inegi('municipio')]],
    ['a lost registry', [inegi('municipio'), { from: 'lost registry' }, inegi('estado', 'municipio')]],
    [
      'a release before that is numbered otherwise',
      [inegi('localidad'), whole, { from: 'rollback' }, inegi('municipio')],
    ],
  ])('%s', async (_, steps) => {
    using home = new TestHome()
    for (const one of steps) expect([one.from, await take(home, one, true)]).toEqual([one.from, 'taken'])
    expect(served(home)).toHaveLength(MUNICIPALITIES.length * 2)
    expect(misplaced(home)).toEqual([])
  })

  test.each<[string, readonly Step[]]>([
    ['real municipalities in invented states', [{ from: 'synthetic' }, inegi('municipio')]],
    ['municipalities without those of the localities', [inegi('localidad'), { from: 'codes', places: FIRST_OF_STATE }]],
    [
      'municipalities without those of bundled localities',
      [{ from: 'bundled' }, { from: 'codes', places: FIRST_OF_STATE }],
    ],
  ])('%s are refused', async (_, steps) => {
    using home = new TestHome()
    for (const one of steps.slice(0, -1)) await take(home, one, true)
    const before = contentOf(home.path)
    expect(await take(home, steps.at(-1) as Step, true)).toBe('refused')
    expect(contentOf(home.path)).toEqual(before)
  })
})

test('whatever is imported in whatever order, every locality served is where the code of its source puts it', async () => {
  let taken = 0
  const steps = fc.array(fc.tuple(step, fc.boolean()), { minLength: 2, maxLength: 6, size: 'max' })
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      using home = new TestHome()
      for (const [one, acceptChanges] of sequence) {
        if ((await take(home, one, acceptChanges)) === 'taken') taken++
        if (home.store.currentDigest() === undefined) continue
        expect(misplaced(home)).toEqual([])
      }
    }),
    { numRuns: 12 },
  )
  // Most are taken, or the property would say little.
  expect(taken).toBeGreaterThan(24)
})
