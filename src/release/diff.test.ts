// What differs between two releases, against a model that holds both in memory and looks at every value.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { TestDirectory } from '../../test/support/releases.ts'
import { type EntityName, entities } from '../catalog/entities.ts'
import { flatten, type PublishedRecord } from '../catalog/flatten.ts'
import { diffEntity, keyOf } from './diff.ts'
import { RecordFile } from './record-file.ts'
import type { Release } from './release.ts'

setDefaultTimeout(60_000)

/** A release that has records of one entity, written plainly: syncing hundreds of them to disk would take long. */
function releaseWith(name: EntityName, records: readonly PublishedRecord[]): Release & Disposable {
  const directory = new TestDirectory()
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
  writeFileSync(join(directory.path, `${name}.records`), text)
  writeFileSync(join(directory.path, `${name}.offsets`), new BigUint64Array(offsets.map(BigInt)))
  writeFileSync(join(directory.path, `${name}.etags`), 'x')
  const sha256 = new Bun.CryptoHasher('sha256').update(text).digest('hex')
  const release = {
    directory: directory.path,
    manifest: { entities: { [name]: { count: records.length, files: { records: { sha256 } } } } },
    records: { [name]: new RecordFile(directory.path, name, records.length) },
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  }
  return release as unknown as Release & Disposable
}

function difference(name: EntityName, older: readonly PublishedRecord[], newer: readonly PublishedRecord[]) {
  using before = releaseWith(name, older)
  using after = releaseWith(name, newer)
  return [...diffEntity(before, after, name)]
}

/** Every value of a record by its dotted path. */
function leaves(record: PublishedRecord, prefix = ''): Map<string, string | number> {
  return new Map(
    Object.entries(record).flatMap(([field, value]) =>
      typeof value === 'object' ? [...leaves(value, `${prefix}${field}.`)] : [[`${prefix}${field}`, value] as const],
    ),
  )
}

function modelled(name: EntityName, older: readonly PublishedRecord[], newer: readonly PublishedRecord[]) {
  const key = (record: PublishedRecord) => keyOf(entities[name], flatten(entities[name], record))
  const [before, after] = [older, newer].map((records) => new Map(records.map((record) => [key(record), record])))
  const changes: unknown[] = []
  for (const [key, is] of after ?? []) {
    const was = before?.get(key)
    const values = was === undefined ? undefined : leaves(was)
    const fields = [...leaves(is)].filter(([path, value]) => values?.get(path) !== value).map(([path]) => path)
    if (was === undefined) changes.push({ change: 'added', key, after: is })
    else if (fields.length > 0) changes.push({ change: 'changed', key, fields, before: was, after: is })
  }
  for (const [key, was] of before ?? []) if (!after?.has(key)) changes.push({ change: 'removed', key, before: was })
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
const unique = (name: EntityName, record: fc.Arbitrary<PublishedRecord>) =>
  fc.uniqueArray(record, {
    maxLength: 30,
    size: 'max',
    selector: (one) => keyOf(entities[name], flatten(entities[name], one)),
  })

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
      { change: 'added', key: '251', after: { ...france, idPais: 251 } },
      { change: 'changed', key: '484', fields: ['descPais'], before: mexico, after: renamed },
      { change: 'removed', key: '250', before: france },
    ])
  })

  test('a change in an embedded record is told by its path', () => {
    const after = { ...ags, idPais: { ...mexico, descPais: 'x', cvePais: 'MXX' } }
    expect(difference('estado', [ags], [after])).toEqual([
      { change: 'changed', key: '1', fields: ['idPais.cvePais', 'idPais.descPais'], before: ags, after },
    ])
  })

  test('the same records in another order do not differ', () => {
    expect(difference('pais', [france, mexico], [mexico, france])).toEqual([])
  })

  test('everything came, everything went', () => {
    expect(difference('pais', [], [mexico])).toEqual([{ change: 'added', key: '484', after: mexico }])
    expect(difference('pais', [mexico], [])).toEqual([{ change: 'removed', key: '484', before: mexico }])
  })
})
