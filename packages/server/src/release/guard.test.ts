// An import that loses much, empties a collection or gives an identifier to another code is a breaking change, and no other.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { sourceOf, TestHome, tiny, tinyNames } from '../../../../test/support/releases.ts'
import { builtInCatalog } from '../catalog/entities.ts'
import { breakingChanges, type Changes, compareReleases, type EntityChanges } from './guard.ts'
import type { Release } from './release.ts'

setDefaultTimeout(60_000)

const quiet: EntityChanges = {
  added: 0,
  changed: 0,
  removed: 0,
  reordered: false,
  fields: {},
  reassigned: { count: 0, examples: [] },
}
const COUNT = 10

/** All of a release that the guard looks at: its counts. */
function counted(counts: Readonly<Record<string, number>>): Release {
  const entities = Object.fromEntries(tinyNames.map((name) => [name, { count: counts[name] ?? COUNT }]))
  return {
    catalog: { ...builtInCatalog, entities: new Map(builtInCatalog.entities) },
    entity: (name: string) => entities[name],
    manifest: { entities },
  } as unknown as Release
}

const changesOf = (changes: Readonly<Record<string, Partial<EntityChanges>>>): Changes =>
  Object.fromEntries(tinyNames.map((name) => [name, { ...quiet, ...changes[name] }]))

/** What is said when so many of so many are gone, and as many others have come. */
function lost(before: number, removed: number): string[] {
  const [older, newer] = [counted({ pais: before }), counted({ pais: before })]
  return breakingChanges(older, newer, changesOf({ pais: { removed, added: removed } }))
}

describe('one in twenty may go', () => {
  test.each([
    [0, 0],
    [1, 0],
    [19, 0],
    [20, 1],
    [39, 1],
    [40, 2],
    [60, 3],
    [100, 5],
    [140, 7],
    [2_457, 122],
    [300_137, 15_006],
  ])('of %i records %i, and not one more', (before, most) => {
    expect(lost(before, most)).toEqual([])
    expect(lost(before, most + 1)).toEqual([`pais: ${most + 1} of ${before} records would be gone`])
  })

  test('for any count that twenty divides', () => {
    const counts = Array.from({ length: 5_000 }, (_, at) => 20 * (at + 1))
    expect(counts.filter((count) => lost(count, count / 20).length > 0)).toEqual([])
    expect(counts.filter((count) => lost(count, count / 20 + 1).length === 0)).toEqual([])
  })
})

describe('an emptied collection', () => {
  test.each([1, 10, 1_000])('of %i is a breaking change, reported once', (count) => {
    const changes = changesOf({ audiencia: { removed: count } })
    expect(breakingChanges(counted({ audiencia: count }), counted({ audiencia: 0 }), changes)).toEqual([
      `audiencia: all ${count} records would be gone`,
    ])
  })

  test('that was empty before is no breaking change', () => {
    expect(breakingChanges(counted({ audiencia: 0 }), counted({ audiencia: 0 }), changesOf({}))).toEqual([])
  })
})

test('records that come, that change and that are in another order break nothing', () => {
  const changes = changesOf({ pais: { added: 1_000, changed: COUNT, fields: { descPais: COUNT }, reordered: true } })
  expect(breakingChanges(counted({}), counted({ pais: 1_010 }), changes)).toEqual([])
})

test('an entity that the newer release does not have counts as emptied', () => {
  const newer = counted({})
  ;(newer.catalog.entities as Map<string, unknown>).delete('audiencia')
  expect(breakingChanges(counted({}), newer, changesOf({ audiencia: { removed: COUNT } }))).toEqual([
    `audiencia: all ${COUNT} records would be gone`,
  ])
})

describe('records that cannot be read', () => {
  const unreadable = (count: number) => new Map([['pais', { count }]])
  const by = ' by their number, since those of the current release are damaged'

  test.each([
    ['fewer', 40, 37, { removed: 3 }, [`pais: 3 of 40 records would be gone${by}`]],
    ['fewer, within the limit', 40, 38, { removed: 2 }, []],
    ['as many', 40, 40, {}, []],
    ['more', 40, 50, { added: 10 }, []],
    ['none', 40, 0, { removed: 40 }, [`pais: all 40 records would be gone${by}`]],
  ])('are compared by their number: %s', (_, before, after, counts, said) => {
    const older = counted({ pais: before })
    const newer = counted({ pais: after })
    const others = new Map(tinyNames.map((name) => [name, { count: COUNT }]))
    const changes = compareReleases(older, newer, new Map([...others, ...unreadable(before)]))
    expect(changes.pais).toEqual({ ...quiet, ...counts, isByNumber: true })
    expect(breakingChanges(older, newer, changes)).toEqual(said)
  })
})

describe('records that only stand in for others', () => {
  const reassigned = { count: 3, examples: ['pais 1: A is now B'] }
  const breaksOf = (after: number, standIns: readonly string[]) =>
    breakingChanges(
      counted({ pais: 100 }),
      counted({ pais: after }),
      changesOf({ pais: { removed: 90, added: after - 10, reassigned } }),
      standIns,
    )

  test.each([
    ['as many', 100, []],
    ['more', 200, []],
    ['one in twenty fewer', 95, []],
    ['fewer', 94, ['pais: 6 of 100 records would be gone']],
  ])('may be replaced by %s', (_, after, breaks) => {
    expect(breaksOf(after, ['pais'])).toEqual(breaks)
  })

  test('are those that are named, and no other', () => {
    expect(breaksOf(100, ['estado'])).toEqual([
      'pais: 90 of 100 records would be gone',
      'pais: 3 identifiers would change owner, such as pais 1: A is now B',
    ])
  })
})

test('everything is reported, entity by entity', () => {
  const reassigned = { count: 3, examples: ['pais 1: A is now B', 'pais 2: B is now C'] }
  const changes = changesOf({ pais: { removed: 2, reassigned }, municipio: { removed: COUNT }, area: { removed: 1 } })
  expect(breakingChanges(counted({}), counted({ municipio: 0 }), changes)).toEqual([
    'pais: 2 of 10 records would be gone',
    'pais: 3 identifiers would change owner, such as pais 1: A is now B',
    'municipio: all 10 records would be gone',
    'area: 1 of 10 records would be gone',
  ])
})

describe('two releases compared', async () => {
  const home = new TestHome()
  afterAll(() => home[Symbol.dispose]())
  await home.import(sourceOf(tiny))
  const older = home.current()
  const [asientos, capital, ensenada] = tiny.municipio
  await home.import(
    sourceOf({
      pais: tiny.pais.map((row) => ({ ...row, descPais: `${row.descPais} (nuevo)` })),
      // Two towns of one state exchange their codes; the third gets a name.
      municipio: [
        { ...asientos, cveMunicipio: capital.cveMunicipio },
        { ...capital, cveMunicipio: asientos.cveMunicipio },
        { ...ensenada, descMunicipio: 'Puerto' },
      ],
      localidad: tiny.localidad.toReversed(),
      audiencia: [...tiny.audiencia, { clave: 'x', descCorta: 'X', shortDesc: 'X', idAudiencia: 2 }],
    }),
    { acceptChanges: true },
  )
  const changes = compareReleases(older, home.current())

  test('say how many records came, changed and went, and how often each field changed', () => {
    expect(changes.pais).toEqual({ ...quiet, changed: 2, fields: { descPais: 2 } })
    expect(changes.estado).toEqual({ ...quiet, changed: 2, fields: { 'idPais.descPais': 2 } })
    expect(changes.audiencia).toEqual({ ...quiet, added: 1 })
    expect(changes.area).toEqual(quiet)
  })

  test('say which identifiers have another code, in the order of the records', () => {
    expect(changes.municipio).toEqual({
      ...quiet,
      changed: 3,
      fields: { cveMunicipio: 2, descMunicipio: 1, 'idEstado.idPais.descPais': 3 },
      reassigned: { count: 2, examples: ['municipio 1: 1/001 is now 1/002', 'municipio 2: 1/002 is now 1/001'] },
    })
    expect(breakingChanges(older, home.current(), changes)).toEqual([
      'municipio: 2 identifiers would change owner, such as municipio 1: 1/001 is now 1/002',
    ])
  })

  test('say that records are the same but in another order', async () => {
    await home.import(sourceOf(tiny), { acceptChanges: true })
    const before = home.current()
    await home.import(sourceOf({ localidad: tiny.localidad.toReversed() }))
    const { localidad, ...others } = compareReleases(before, home.current())
    expect(localidad).toEqual({ ...quiet, reordered: true })
    expect(Object.values(others)).toEqual(Object.values(others).map(() => quiet))
  })
})

test('of identifiers that have another code all are counted, and some are shown', async () => {
  using home = new TestHome()
  const countries = (letter: string) =>
    Array.from({ length: 7 }, (_, at) => ({ cvePais: `${letter}A${'ABCDEFG'[at]}`, descPais: 'x', idPais: at + 1 }))
  const release = async (letter: string) => {
    await home.import(sourceOf({ ...tiny, pais: [...tiny.pais, ...countries(letter)] }), { acceptChanges: true })
    return home.current()
  }
  const { reassigned } = compareReleases(await release('X'), await release('Y')).pais as EntityChanges
  expect([reassigned.count, reassigned.examples.length, reassigned.examples[4]]).toEqual([
    7,
    5,
    'pais 5: XAE is now YAE',
  ])
})
