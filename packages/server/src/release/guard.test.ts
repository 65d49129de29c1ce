// An import that loses much, empties a collection or gives an identifier to another code is a breaking change, and no other.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { embeds, entity, id, name } from '../../../../test/support/definitions.ts'
import { contentOf, type Rows, sourceOf, TestHome, tiny, tinyNames } from '../../../../test/support/releases.ts'
import { OperationalError } from '../base/operational-error.ts'
import { catalogOf } from '../catalog/catalog.ts'
import { builtInCatalog } from '../source/built-in.ts'
import type { Numbering } from '../source/numbering.ts'
import type { Source } from '../source/source.ts'
import { breakingChanges, type ChangesByEntity, compareReleases, type EntityChanges } from './guard.ts'
import type { Release } from './release.ts'

setDefaultTimeout(180_000)

const quiet: EntityChanges = {
  added: 0,
  changed: 0,
  removed: 0,
  reordered: false,
  fields: {},
  reassigned: { count: 0, examples: [] },
}
const COUNT = 10

/** All of a release that the guard looks at: its counts, and whose records they are. */
function counted(counts: Readonly<Record<string, number>>, numberings: Readonly<Record<string, string>> = {}): Release {
  const entities = Object.fromEntries(
    tinyNames.map((name) => [name, { count: counts[name] ?? COUNT, numbering: numberings[name] ?? 'official' }]),
  )
  return {
    catalog: { ...builtInCatalog, entities: new Map(builtInCatalog.entities) },
    entity: (name: string) => entities[name],
    manifest: { entities },
  } as unknown as Release
}

const changesOf = (changes: Readonly<Record<string, Partial<EntityChanges>>>): ChangesByEntity =>
  Object.fromEntries(tinyNames.map((name) => [name, { ...quiet, ...changes[name] }]))

/** The words of the guard when so many of so many are gone, and as many others have come. */
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

test('a list that the newer release does not have is told once', () => {
  const newer = counted({})
  ;(newer.catalog.entities as Map<string, unknown>).delete('audiencia')
  expect(breakingChanges(counted({}), newer, changesOf({ audiencia: { removed: COUNT } }))).toEqual([
    `audiencias: the list would be gone, with its ${COUNT} records`,
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

describe('records that are not the official ones', () => {
  const reassigned = { count: 3, examples: ['pais 1: A is now B'] }
  const breaksOf = (after: number, numberings: Readonly<Record<string, string>>) =>
    breakingChanges(
      counted({ pais: 100 }, numberings),
      counted({ pais: after }),
      changesOf({ pais: { removed: 90, added: after - 10, reassigned } }),
    )

  test.each([
    ['that are invented may be replaced by fewer', 'synthetic', 1, []],
    ['that are invented may be replaced by none', 'synthetic', 0, []],
  ])('%s', (_, pais, after, breaks) => {
    expect(breaksOf(after, { pais })).toEqual(breaks)
  })

  test('are those that the release names, and no other', () => {
    expect(breaksOf(100, { estado: 'synthetic', municipio: 'synthetic' })).toEqual([
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

  test('tell once of a fact that no record has any more', async () => {
    const known = { ...tiny, municipio: tiny.municipio.map((row, at) => ({ ...row, cabecera: '0001', poblacion: at })) }
    await home.import(sourceOf(known), { acceptChanges: true })
    const before = home.current()
    const municipio = tiny.municipio.map((row, at) => ({ ...row, poblacion: at === 0 ? 7 : at }))
    await home.import(sourceOf({ municipio }))
    const { municipio: changes } = compareReleases(before, home.current())
    expect(changes).toEqual({ ...quiet, changed: 1, fields: { poblacion: 1 }, lostFacts: ['cabecera'] })
    await home.import(sourceOf({ municipio: tiny.municipio }))
    const { municipio: later } = compareReleases(before, home.current())
    expect(later).toEqual({ ...quiet, lostFacts: ['cabecera', 'poblacion'] })
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

describe('records of another numbering', () => {
  const numbered = (rows: Rows, numbering: Numbering): Source => ({
    ...sourceOf(rows),
    numbering: { audiencia: numbering },
  })
  const [student] = tiny.audiencia
  const audience = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ ...student, clave: `a${at}`, idAudiencia: at + 1 }))

  test.each<[string, Numbering, Numbering, number, readonly string[]]>([
    [
      'that are official do not give way to others',
      'official',
      'synthetic',
      3,
      ['audiencia: 2 of 2 records would be gone'],
    ],
    ['that are invented give way to anything', 'synthetic', 'official', 1, []],
  ])('%s', async (_, before, after, count, breaks) => {
    using home = new TestHome()
    await home.import(numbered({ ...tiny, audiencia: audience(2) }, before))
    const older = home.current()
    const { changes } = await home.import(
      numbered(
        {
          audiencia: audience(count)
            .toReversed()
            .map((row) => ({ ...row, descCorta: 'X' })),
        },
        after,
      ),
      {
        acceptChanges: true,
      },
    )
    expect(changes?.audiencia).toEqual({ ...quiet, added: count, removed: 2, isRenumbered: true })
    expect(breakingChanges(older, home.current(), changes as ChangesByEntity)).toEqual([...breaks])
  })
})

describe('records that may have been retired already', () => {
  const [place] = tiny.localidad
  const localities = (from: number, to: number, fuente: string) =>
    Array.from({ length: to - from }, (_, at) => ({
      ...{ ...place, cveLocalidad: String(from + at), idLocalidad: from + at },
      fuente,
    }))

  test.each([
    [12, 0, []],
    [12, 3, []],
    [0, 3, []],
    [13, 0, ['localidad: 13 of 100 records would be gone']],
    [12, 4, ['localidad: 16 of 100 records would be gone']],
    [2, 4, ['localidad: 6 of 100 records would be gone']],
  ])('may lose %i of 40 where the others lose %i of 60', async (doubtful, others, breaks) => {
    using home = new TestHome()
    const imported = async (gone: { doubtful: number; others: number }) => {
      const localidad = [
        ...localities(1 + gone.doubtful, 41, 'catálogo 2018'),
        ...localities(41 + gone.others, 101, 'censo 2020'),
      ]
      return home.import(sourceOf({ ...tiny, localidad }), { acceptChanges: true })
    }
    await imported({ doubtful: 0, others: 0 })
    expect((await imported({ doubtful, others })).breakingChanges).toEqual(breaks)
  })
})

describe('references that contradict each other', () => {
  /** So many localities, some of them in another state than their municipality. */
  const localities = (count: number, contradicting: number) =>
    Array.from({ length: count }, (_, at) => ({
      ...tiny.localidad[0],
      idLocalidad: at + 1,
      idEstado: at < contradicting ? 1 : 2,
    }))
  const imported = (home: TestHome, count: number, contradicting: number) =>
    home.import(sourceOf({ ...tiny, localidad: localities(count, contradicting) }), { acceptChanges: true })

  test.each([
    ['a handful of few', 20, 20],
    ['a handful of many', 5_000, 25],
  ])('are served where they are %s', async (_, count, contradicting) => {
    using home = new TestHome()
    expect((await imported(home, count, contradicting)).findings[0]).toMatchObject({ count: contradicting })
  })

  test.each([
    ['few', 21, 21],
    ['many', 5_000, 26],
  ])(
    'are refused where they are more than a handful of %s, accepted or not, and nothing changes',
    async (_, count, contradicting) => {
      using home = new TestHome()
      await home.import(sourceOf(tiny))
      const before = contentOf(home.path)
      const error = await imported(home, count, contradicting).catch((thrown) => thrown)
      expect(error).toBeInstanceOf(OperationalError)
      expect(error.message).toContain(
        `  ${contradicting} of ${count} localidades: the state of a locality is not the state of its municipality, such as localidad 3/1: 1, 2; `,
      )
      expect(error.message).toContain('Nothing was changed')
      expect(contentOf(home.path)).toEqual(before)
    },
  )

  test('are refused of entities that no definition here knows, too', async () => {
    const title = { title: name('name') }
    const star = entity({
      name: 'star',
      plural: 'stars',
      fields: { starId: id('number'), ...title },
      key: ['starId'],
      code: ['starId'],
    })
    const planet = entity({
      name: 'planet',
      plural: 'planets',
      fields: { planetId: id('number'), ...title, star: embeds(star, 'its star') },
      key: ['planetId'],
      code: ['planetId'],
    })
    const moon = entity({
      name: 'moon',
      plural: 'moons',
      fields: { moonId: id('number'), ...title, planet: embeds(planet, 'its planet'), sun: embeds(star, 'its sun') },
      key: ['moonId'],
      code: ['moonId'],
    })
    const rows = {
      star: [1, 2].map((starId) => ({ starId, title: 'X' })),
      planet: [{ planetId: 1, title: 'X', star: 1 }],
      moon: Array.from({ length: 30 }, (_, at) => ({ moonId: at + 1, title: 'X', planet: 1, sun: 2 })),
    }
    using home = new TestHome()
    const given = home.import(sourceOf(rows, {}, catalogOf([star, planet, moon])))
    await expect(given).rejects.toThrow('30 of 30 moons: two references of a record lead to different records')
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
