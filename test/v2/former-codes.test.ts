// Codes that localities had before: they lead to the record of today wherever a code does, and are said to be former ones.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { shippedFile } from '../../packages/server/src/base/program.ts'
import { explorerPages } from '../../packages/server/src/explorer/mount.ts'
import { findEntity } from '../../packages/server/src/http/reconcile/entity.ts'
import { reasonOf } from '../../packages/server/src/query/resolve/reason.ts'
import { type RowToResolve, resolveRow } from '../../packages/server/src/query/resolve/resolve.ts'
import { codeReader } from '../../packages/server/src/release/official-codes.ts'
import type { Release } from '../../packages/server/src/release/release.ts'
import { inegiSource } from '../../packages/server/src/source/inegi/inegi.ts'
import { ScratchDirectory } from '../support/inegi-file.ts'
import { releaseOf, TestHome } from '../support/releases.ts'
import { appOf, responseTo, type TestRequest } from '../support/responses.ts'
import { placesOf, smallSource } from '../support/small-source.ts'

setDefaultTimeout(180_000)

const rows = placesOf({
  states: [['BC', 'BC', 'Baja California', 2]],
  municipalities: [
    ['001', 'Ensenada', 2],
    ['006', 'San Quintín', 2],
    ['004', 'Tijuana', 2],
  ],
  localities: [
    ['0001', 'Ensenada', 1],
    // It is what Vicente Guerrero was before.
    ['0268', 'El Sauzal', 1],
    ['0040', 'Camalú', 2],
    ['0863', 'Vicente Guerrero', 2],
    ['0001', 'Tijuana', 3],
    // Its name has the number that Camalú had.
    ['0002', 'Rancho Sesenta', 1],
  ],
})
const [FORMER, TODAY] = ['020010060', '020060040']
const release = await releaseOf(smallSource(rows))
const app = appOf(() => release)
const send = (target: string, request: Omit<TestRequest, 'target'> = {}) =>
  responseTo(app, { ...request, target: `/api/v2${target}` })
const codeAt = (position: number | undefined, of: Release = release) =>
  position === undefined ? undefined : codeReader(of, of.entity('localidad').definition)(position)

describe('a path', () => {
  test.each([
    [`/localidades/${FORMER}?by=code`, `/localidades/${TODAY}?by=code`],
    [`/localidades/${FORMER}`, `/localidades/${TODAY}`],
    ['/localidades/02-001-0060?by=code&format=csv&excel=true', `/localidades/${TODAY}?by=code&format=csv&excel=true`],
    ['/municipios/02001/localidades/0060?by=code&fields=cvegeo', `/localidades/${TODAY}?by=code&fields=cvegeo`],
    [`/municipios/1/localidades/${FORMER}?by=code`, `/localidades/${TODAY}?by=code`],
    ['/municipios/1/localidades/0060', `/localidades/${TODAY}`],
  ])('%s is redirected to %s, where the record is', async (former, today) => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await send(former, { method })
      expect([status, headers.get('location'), headers.get('cache-control')]).toEqual([
        308,
        `/api/v2${today}`,
        'public, no-cache',
      ])
    }
    const found = await send(today)
    expect([found.status, await found.text()]).toEqual([200, expect.stringContaining(TODAY)])
    const etag = found.headers.get('etag') ?? ''
    expect((await send(today, { headers: { 'if-none-match': etag } })).status).toBe(304)
  })

  test.each([
    ['of a code that a record has', '/localidades/020010268?by=code', 200],
    ['of a code whose record of today is not in the release', '/localidades/020010133?by=code', 404],
    ['of a code that no record had', '/localidades/020010061?by=code', 404],
    ['of the code of another municipality', `/municipios/3/localidades/${FORMER}?by=code`, 404],
    ['of a municipality that is not there', `/municipios/02999/localidades/${FORMER}?by=code`, 404],
    ['of an identifier', '/municipios/1/localidades/60', 404],
    ['of what is said to be an identifier', `/localidades/${FORMER}?by=id`, 404],
    ['of another list', `/municipios/${FORMER}?by=code`, 404],
  ])('is as without former codes: %s', async (_, path, status) => {
    expect((await send(path)).status).toBe(status)
  })
})

describe('a search', () => {
  const suggestions = async (q: string) =>
    (await (await send(`/search?q=${encodeURIComponent(q)}`)).json()) as { readonly code: string }[]

  test.each([FORMER, '02 001 0060', '02-001-0060'])('finds the record by %s, and says why', async (typed) => {
    expect(await suggestions(typed)).toMatchObject([
      {
        name: 'Camalú',
        code: TODAY,
        how: ['alias'],
        dropped: [],
        matches: [
          { field: 'alias', alias: FORMER, reason: 'former code, another since 2020', collection: 'localidades' },
        ],
      },
    ])
  })

  test('finds by a code the record that has it first, and by no part of a former code', async () => {
    expect((await suggestions('020010268')).map(({ code }) => code)).toEqual(['020010268'])
    expect(await suggestions('02001006')).toEqual([])
  })

  test('of a list has the record', async () => {
    const found = await send(`/localidades?q=${FORMER}&fields=cvegeo`)
    expect(await found.json()).toEqual([{ cvegeo: TODAY }])
  })
})

describe('a row', () => {
  const resolved = (row: RowToResolve) => {
    const resolution = resolveRow(release, row)
    const municipality = resolution.levels.find(({ name }) => name === 'municipio')?.position
    return [resolution.verdict, codeAt(resolution.record?.position), reasonOf(resolution), municipality]
  }
  const parts = (given: Readonly<Record<string, string>>) => ({ parts: new Map(Object.entries(given)) })
  const BY_FORMER = 'by a former code'

  test.each([
    ['the code alone', parts({ localidad: FORMER }), 'exact', BY_FORMER],
    ['without its first zero', parts({ localidad: FORMER.slice(1) }), 'exact', BY_FORMER],
    ['as text', { text: FORMER }, 'exact', BY_FORMER],
    ['beside its state', parts({ estado: '02', localidad: FORMER }), 'exact', `${BY_FORMER}; by its code`],
    ['beside its former municipality', parts({ municipio: 'Ensenada', localidad: FORMER }), 'exact', BY_FORMER],
    ['beside its municipality', parts({ municipio: 'San Quintín', localidad: FORMER }), 'exact', BY_FORMER],
    ['in parts', parts({ estado: '02', municipio: '001', localidad: '0060' }), 'exact', `${BY_FORMER}; by its code`],
    [
      'in parts without zeros',
      parts({ estado: '2', municipio: '1', localidad: '60' }),
      'sure',
      `${BY_FORMER}; by its code`,
    ],
    ['beside its name', parts({ municipio: 'San Quintín', localidad: `${FORMER} - Camalú` }), 'exact', 'called so'],
  ])('means the record of today: %s', (_, row, verdict, reason) => {
    expect(resolved(row)).toEqual([verdict, TODAY, reason, 1])
  })

  test.each([
    ['of a code that a record has', parts({ localidad: '020010268' }), ['exact', '020010268', 'by its code', 0]],
    [
      'in parts that a record has',
      parts({ municipio: '02001', localidad: '0268' }),
      ['exact', '020010268', 'by its code', 0],
    ],
    [
      'in another municipality',
      parts({ municipio: 'Tijuana', localidad: '0060' }),
      ['none', undefined, 'nothing fits', 2],
    ],
  ])('is read as without former codes: %s', (_, row, expected) => {
    expect(resolved(row)).toEqual(expected)
  })

  test('beside a third municipality is not sure', () => {
    const [verdict, code] = resolved(parts({ municipio: 'Tijuana', localidad: FORMER }))
    expect([verdict, code]).toEqual(['likely', TODAY])
  })

  test('is reconciled by it', () => {
    const found = findEntity(release, `localidades/${FORMER}`)
    expect(codeAt(found?.position)).toBe(TODAY)
  })
})

test('the address of a page with the code leads to the page of the record', async () => {
  const pages = appOf(() => release, { pages: explorerPages })
  const headers = { accept: 'text/html' }
  for (const target of [`/explore/localidades/${FORMER}`, `/explore/localidades?q=${FORMER}`]) {
    const { status, headers: sent } = await responseTo(pages, { target, headers })
    expect([status, sent.get('location')]).toEqual([303, '/explore/localidades/2-3'])
  }
})

test('each is the former code of one locality, and of none today', () => {
  const [header, ...lines] = readFileSync(shippedFile('data/claves-anteriores.csv'), 'utf8').trimEnd().split('\n')
  expect(header).toBe('CVEGEO_ANTERIOR,CVEGEO,DESDE')
  expect(lines.filter((line) => !/^\d{9},\d{9},20[12]\d$/.test(line))).toEqual([])
  expect(new Set(lines.flatMap((line) => line.split(',').slice(0, 2))).size).toBe(lines.length * 2)
})

test('the codes hold for localities that are imported from a file of INEGI', async () => {
  using directory = new ScratchDirectory()
  const table =
    'CVE_ENT,NOM_ENT,CVE_MUN,NOM_MUN,CVE_LOC,NOM_LOC\r\n"02","Baja California","006","San Quintín","0040","Camalú"'
  const file = directory.put('localities.csv', table)
  using home = new TestHome()
  const { localidad: _, ...others } = rows
  await home.import(smallSource(others))
  await home.import(await inegiSource([file], { includeRetired: false }), { acceptChanges: true })
  const imported = home.current()
  const { record } = resolveRow(imported, { text: FORMER })
  expect([imported.manifest.source.kind, codeAt(record?.position, imported)]).toEqual(['inegi', TODAY])
})
