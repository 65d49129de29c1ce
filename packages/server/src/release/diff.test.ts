// The differences between two releases, against a model that holds both in memory and compares every value.

import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { runHere } from '../../../../test/support/command.ts'
import { code, entity, id, name, numberFact } from '../../../../test/support/definitions.ts'
import { withFacts } from '../../../../test/support/known-facts.ts'
import {
  type Rows,
  releaseOf,
  sourceOf,
  TestDirectory,
  TestHome,
  ThreeReleases,
  tiny,
  tinyNames,
} from '../../../../test/support/releases.ts'
import { catalogOf, entityIn } from '../catalog/catalog.ts'
import { type Entity, embedsOf, type Field, identifierOf } from '../catalog/entity.ts'
import { flatten, type PublishedRecord } from '../catalog/flatten.ts'
import { builtInCatalog } from '../source/built-in.ts'
import type { Numbering } from '../source/numbering.ts'
import type { GivenRow } from '../source/source.ts'
import { changeJson, diffEntity, diffJson, isRenumbered, type RecordKey } from './diff.ts'
import { RecordFile } from './files/record-file.ts'
import type { IndexColumn } from './index/index-file.ts'
import type { Release } from './release.ts'

setDefaultTimeout(180_000)

/**
 * A release that has records of one entity. Its files are written plainly, since to sync hundreds of them to disk would
 * take long, and of its index there is only what a key is read from.
 */
function releaseWith(
  name: string,
  records: readonly PublishedRecord[],
  numbering: Numbering = 'official',
): Release & Disposable {
  const directory = new TestDirectory()
  const sha256 = writeRecords(directory.path, records)
  const indexed = new Map<string, { readonly index: { readonly column: (field: string) => IndexColumn } }>()
  index(entityIn(builtInCatalog, name), records, indexed)
  const entity = {
    ...indexed.get(name),
    definition: entityIn(builtInCatalog, name),
    count: records.length,
    records: new RecordFile(directory.path, records.length),
    stored: { directory: directory.path, manifest: { files: { records: { sha256 } } } },
  }
  const release = {
    catalog: builtInCatalog,
    entity: (each: string) => (each === name ? entity : { count: 0, ...indexed.get(each) }),
    manifest: { entities: { [name]: { numbering } } },
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  }
  return release as unknown as Release & Disposable
}

function writeRecords(directory: string, records: readonly PublishedRecord[]): string {
  const pages = Array.from({ length: Math.ceil(records.length / 10) }, (_, page) =>
    JSON.stringify(records.slice(page * 10, page * 10 + 10)),
  )
  const text = pages.map((page) => `${page}\n`).join('')
  const offsets: number[] = []
  let end = -2
  for (const [at, record] of records.entries()) {
    const start = end + (at % 10 === 0 ? 3 : 1)
    offsets.push(start)
    end = start + Buffer.byteLength(JSON.stringify(record))
  }
  offsets.push(end + 3)
  writeFileSync(join(directory, 'records'), text)
  writeFileSync(join(directory, 'offsets'), new BigUint64Array(offsets.map(BigInt)))
  writeFileSync(join(directory, 'etags'), 'x')
  return new Bun.CryptoHasher('sha256').update(text).digest('hex')
}

/** The columns of the key of an entity, and of what it embeds, each identifier once. */
function index(entity: Entity, records: readonly PublishedRecord[], indexed: Map<string, unknown>): void {
  const parents = new Map(embedsOf(entity).map(([field, parent]) => [field, parent]))
  const positions = new Map<string, Map<unknown, number>>()
  for (const [field, parent] of parents) {
    const byId = new Map(
      records.map((record) => {
        const embedded = record[field] as PublishedRecord
        return [embedded[identifierOf(parent)], embedded]
      }),
    )
    positions.set(field, new Map([...byId.keys()].map((id, position) => [id, position])))
    if (entity.key.includes(field)) index(parent, [...byId.values()], indexed)
  }
  const rows = records.map((record) => flatten(entity, record))
  const column = (field: string) => {
    const of = positions.get(field)
    if (of === undefined)
      return { kind: 'number', values: rows.map((_, at) => at), numbers: rows.map((row) => row[field]) }
    return { kind: 'embed', values: rows.map((row) => of.get(row[field])) }
  }
  indexed.set(entity.name, { index: { column } })
}

function difference(name: string, older: readonly PublishedRecord[], newer: readonly PublishedRecord[]) {
  using before = releaseWith(name, older)
  using after = releaseWith(name, newer)
  return [...diffEntity(before, after, name)]
}

/** Every value of a record by its dotted path. */
function leaves(record: PublishedRecord, prefix = ''): Map<string, unknown> {
  return new Map(
    Object.entries(record).flatMap(([field, value]) =>
      typeof value === 'object'
        ? [...leaves(value as PublishedRecord, `${prefix}${field}.`)]
        : [[`${prefix}${field}`, value] as [string, unknown]],
    ),
  )
}

function keyOf(name: string, record: PublishedRecord): RecordKey {
  const entity = entityIn(builtInCatalog, name)
  const row = flatten(entity, record)
  return Object.fromEntries(entity.key.map((field) => [field, row[field] as number]))
}

function modelled(name: string, older: readonly PublishedRecord[], newer: readonly PublishedRecord[]) {
  const byKey = (records: readonly PublishedRecord[]) =>
    new Map(records.map((record) => [JSON.stringify(keyOf(name, record)), record]))
  const [before, after] = [byKey(older), byKey(newer)]
  const changes: unknown[] = []
  for (const [text, is] of after) {
    const key = JSON.parse(text)
    const was = before.get(text)
    const values = was === undefined ? undefined : leaves(was)
    const fields = [...leaves(is)].filter(([path, value]) => values?.get(path) !== value).map(([path]) => path)
    if (was === undefined) changes.push({ change: 'added', key, new: is })
    else if (fields.length > 0) changes.push({ change: 'changed', key, fields, old: was, new: is })
  }
  for (const [text, was] of before)
    if (!after.has(text)) changes.push({ change: 'removed', key: JSON.parse(text), old: was })
  return changes
}

const names = fc.constantFrom('Uno', 'Dos', 'Año "3"')
const country = fc.record({ cvePais: fc.constantFrom('MEX', 'FRA'), descPais: names, idPais: fc.nat(40) })
const state = fc.record({
  cveEstado: fc.constant('AGS'),
  cveRenapo: fc.constant('AS'),
  descEstado: names,
  idEstado: fc.nat(2),
  idPais: country,
})
const town = fc.record({
  cveMunicipio: fc.constant('001'),
  descMunicipio: names,
  idEstado: state,
  idMunicipio: fc.nat(3),
})
const locality = fc.record({
  cveLocalidad: fc.constantFrom('0001', '0002'),
  descLocalidad: names,
  idLocalidad: fc.nat(9),
  idEstado: state,
  idMunicipio: town,
})
const unique = (name: string, record: fc.Arbitrary<PublishedRecord>) =>
  fc.uniqueArray(record, { maxLength: 30, size: 'max', selector: (one) => JSON.stringify(keyOf(name, one)) })

describe('like the model', () => {
  test.each([
    ['pais', country],
    ['localidad', locality],
  ] as const)('for any two lists of %s', (name, record) => {
    const list = unique(name, record as fc.Arbitrary<PublishedRecord>)
    const pair = list.chain((older) =>
      // Mostly a list that has to do with the other: some records gone, some altered, some moved.
      fc.tuple(fc.constant(older), fc.oneof(list, fc.shuffledSubarray(older), fc.constant(older))),
    )
    fc.assert(
      fc.property(pair, ([older, newer]) => {
        expect(difference(name, older, newer) as unknown[]).toEqual(modelled(name, older, newer))
      }),
      { numRuns: 40 },
    )
  })
})

describe('by example', () => {
  const mexico = { cvePais: 'MEX', descPais: 'México', idPais: 484 }
  const france = { cvePais: 'FRA', descPais: 'Francia', idPais: 250 }
  const ags = { cveEstado: 'AGS', cveRenapo: 'AS', descEstado: 'Aguascalientes', idEstado: 1, idPais: mexico }

  test('a record that came, one that went and one that changed', () => {
    const renamed = { ...mexico, descPais: 'Estados Unidos Mexicanos' }
    expect(difference('pais', [france, mexico], [{ ...france, idPais: 251 }, renamed])).toEqual([
      { change: 'added', key: { idPais: 251 }, new: { ...france, idPais: 251 } },
      { change: 'changed', key: { idPais: 484 }, fields: ['descPais'], old: mexico, new: renamed },
      { change: 'removed', key: { idPais: 250 }, old: france },
    ])
  })

  test('a change in an embedded record is named by its path', () => {
    const after = { ...ags, idPais: { ...mexico, descPais: 'x', cvePais: 'MXX' } }
    const fields = ['idPais.cvePais', 'idPais.descPais']
    expect(difference('estado', [ags], [after])).toEqual([
      { change: 'changed', key: { idEstado: 1 }, fields, old: ags, new: after },
    ])
  })

  test('the same records in another order do not differ', () => {
    expect(difference('pais', [france, mexico], [mexico, france])).toEqual([])
  })

  test('everything came, everything went', () => {
    expect(difference('pais', [], [mexico])).toEqual([{ change: 'added', key: { idPais: 484 }, new: mexico }])
    expect(difference('pais', [mexico], [])).toEqual([{ change: 'removed', key: { idPais: 484 }, old: mexico }])
  })

  test('records of two numberings are all removed and then all added, whatever they have in common', () => {
    using before = releaseWith('pais', [france, mexico], 'synthetic')
    using after = releaseWith('pais', [{ ...mexico, descPais: 'x' }], 'official')
    const changes = [...diffEntity(before, after, 'pais')]
    expect(changes.map((change) => [change.change, change.key.idPais])).toEqual([
      ['removed', 250],
      ['removed', 484],
      ['added', 484],
    ])
    expect(changes[2]).toMatchObject({ new: { ...mexico, descPais: 'x' } })
    expect(isRenumbered(before, after, 'pais')).toBe(true)
  })

  test.each<[string, Numbering, PublishedRecord[], boolean]>([
    ['another numbering', 'synthetic', [france], true],
    ['another numbering of the same records', 'synthetic', [mexico], false],
    ['the same numbering', 'official', [france], false],
    ['no records', 'synthetic', [], false],
  ])('with %s before: renumbered %#', (_, numbering, records, renumbered) => {
    using before = releaseWith('pais', records, numbering)
    using after = releaseWith('pais', [mexico])
    expect(isRenumbered(before, after, 'pais')).toBe(renumbered)
  })

  test('thousands of records are compared step by step, and none is missed between two steps', () => {
    const many = Array.from({ length: 4_500 }, (_, idPais) => ({ ...mexico, idPais }))
    const changed = [1_999, 2_000, 3_999, 4_000, 4_499]
    const altered = many.map((row) => (changed.includes(row.idPais) ? { ...row, descPais: 'x' } : row))
    const gone = difference('pais', many, altered.slice(2_001))
    expect(gone.filter(({ change }) => change === 'changed').map(({ key }) => key.idPais)).toEqual(changed.slice(2))
    expect(gone.filter(({ change }) => change === 'removed').map(({ key }) => key.idPais)).toEqual(
      Array.from({ length: 2_001 }, (_, at) => at),
    )
    expect(gone.length).toBe(2_001 + 3)
  })
})

test('what embeds records of another numbering is not compared either', async () => {
  using home = new TestHome()
  const imported = async (numbering: Numbering, rows: Rows) => {
    const numbered = { estado: numbering, pais: 'official' as const }
    await home.import({ ...sourceOf(rows), numbering: numbered }, { acceptChanges: true })
    return home.current()
  }
  const renamed = tiny.estado.map((row) => ({ ...row, descEstado: `${row.descEstado} II` }))
  const [older, newer] = [await imported('synthetic', tiny), await imported('official', { ...tiny, estado: renamed })]
  const compared = tinyNames.filter((name) => !isRenumbered(older, newer, name))
  expect(compared).toEqual(['pais', 'area', 'campo', 'disciplina', 'subdisciplina', 'audiencia'])
  const kinds = [...diffEntity(older, newer, 'localidad')].map(({ change }) => change)
  expect(kinds).toEqual(['removed', 'removed', 'removed', 'added', 'added', 'added'])
})

test('with embed id, a renamed parent is one change, and a move to another parent is one', async () => {
  using home = new TestHome()
  const imported = (rows: Rows) => home.import(sourceOf(withFacts(rows)), { acceptChanges: true })
  const renamed = tiny.municipio.map((row) => (row.idMunicipio === 3 ? { ...row, descMunicipio: 'Otra' } : row))
  const moved = tiny.localidad.map((row) => (row.idLocalidad === 2 ? { ...row, idEstado: 2 } : row))
  const counted = { poblacionMasculina: expect.any(Number), poblacionFemenina: expect.any(Number) }
  const known = { cabecera: expect.any(String), poblacion: null, ...counted, viviendas: null }
  const releases = [tiny, { ...tiny, municipio: renamed }, { ...tiny, municipio: renamed, localidad: moved }]
  const opened: Release[] = []
  for (const rows of releases) opened.push(home.store.open((await imported(rows)).digest))
  const [one, two, three] = opened as [Release, Release, Release]
  const changed = (older: Release, newer: Release, embed: 'full' | 'id') =>
    // A change is good until the next one is found.
    ['municipio', 'localidad'].flatMap((name) =>
      diffJson(older, newer, name, { embed })
        .map((change) => change && JSON.parse(Buffer.concat(changeJson(name, change)).toString()))
        .filter((change) => change !== undefined)
        .toArray(),
    )
  expect(changed(one, two, 'full').map(({ collection }) => collection)).toEqual(['municipio', 'localidad', 'localidad'])
  expect(changed(one, two, 'id')).toEqual([
    {
      collection: 'municipio',
      key: { idMunicipio: 3 },
      change: 'changed',
      fields: ['descMunicipio'],
      old: { ...known, ...tiny.municipio[2] },
      new: { ...known, ...renamed[2] },
    },
  ])
  const [move, ...others] = changed(two, three, 'id')
  expect([move.key, move.fields, move.old.idEstado, move.new.idEstado, others]).toEqual([
    { idMunicipio: 3, idLocalidad: 2 },
    ['idEstado'],
    1,
    2,
    [],
  ])
})

describe('as a command', () => {
  test('with a collection tells names, and old and new values', async () => {
    using home = new TestHome()
    const before = await home.import(sourceOf(tiny), { acceptChanges: true })
    const [first, second, third] = tiny.municipio
    const municipio = [
      first,
      { ...second, descMunicipio: 'Aguas "Buenas"', poblacion: 5 },
      { ...third, cveMunicipio: '004', descMunicipio: 'Tijuana', idMunicipio: 4 },
    ]
    const localidad = tiny.localidad.map((row) => (row.idMunicipio === 3 ? { ...row, idMunicipio: 4 } : row))
    const after = await home.import(sourceOf({ ...tiny, municipio, localidad }), { acceptChanges: true })
    const listed = (collection: string) =>
      runHere('diff', before.digest, after.digest, '--collection', collection, '--home', home.path)
    expect(await listed('municipios')).toEqual({
      code: 0,
      err: '',
      out: [
        '~ 1 Aguas "Buenas"',
        '    descMunicipio: old "Aguascalientes" → new "Aguas \\"Buenas\\""',
        '    poblacion: old null → new 5',
        '+ 4 Tijuana',
        '- 3 Ensenada',
        '',
      ].join('\n'),
    })
    expect((await listed('localidades')).out).toContain(
      '~ 1/1 Aguascalientes\n    idMunicipio.descMunicipio: old "Aguascalientes" → new "Aguas \\"Buenas\\""\n',
    )
  })

  test('with --json prints one change a line', async () => {
    using three = await ThreeReleases.create()
    const [one = '', two = ''] = three.digests
    const { code, out, err } = await runHere('diff', one, two, '--json', '--home', three.path)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const audience = { ...tiny.audiencia[0], descCorta: ThreeReleases.names[0] }
    expect(JSON.parse(out)).toEqual({
      collection: 'audiencias',
      key: { idAudiencia: 1 },
      change: 'changed',
      fields: ['descCorta'],
      old: audience,
      new: { ...audience, descCorta: ThreeReleases.names[1] },
    })
  })
})

describe('of releases', () => {
  const planets = (fields: Readonly<Record<string, Field>>, rows: readonly GivenRow[]) => {
    const planet = entity({
      ...{ name: 'planet', plural: 'planets', v1: 1, key: ['planetId'], code: ['sign'] },
      fields: { sign: code('sign', /^[A-Z]{2}$/, 'two letters'), planetId: id('number'), ...fields },
    })
    return releaseOf(sourceOf({ planet: rows }, {}, catalogOf([planet])))
  }
  const mass = numberFact('mass', { min: 0, max: 1e30 })
  const fieldsOf = (older: Release, newer: Release) =>
    [...diffEntity(older, newer, 'planet')].map((change) => 'fields' in change && change.fields)

  test('with the same records and other facts, the facts differ', async () => {
    const rows = (weight: number) => [
      { sign: 'MA', planetId: 4, mass: weight },
      { sign: 'SA', planetId: 6 },
    ]
    expect(fieldsOf(await planets({ mass }, rows(1)), await planets({ mass }, rows(2)))).toEqual([['mass']])
  })

  test('with other fields, those of the newer one come first, and a fact that neither knows is the same', async () => {
    const older = await planets({ title: name('name'), mass }, [
      { sign: 'MA', planetId: 4, title: 'Mars', mass: 1 },
      { sign: 'SA', planetId: 6, title: 'Saturn' },
    ])
    const newer = await planets({ colour: name('colour'), mass }, [
      { sign: 'MA', planetId: 4, colour: 'red' },
      { sign: 'SA', planetId: 6, colour: 'yellow' },
    ])
    expect(fieldsOf(older, newer)).toEqual([
      ['colour', 'mass', 'title'],
      ['colour', 'title'],
    ])
  })
})
