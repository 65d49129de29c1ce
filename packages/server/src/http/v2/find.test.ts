// A page of a list: where it begins and ends, what comes after it, and which cursors lead nowhere.
import { beforeAll, describe, expect, test } from 'bun:test'
import { releaseOf, sourceOf, tiny } from '../../../../../test/support/releases.ts'
import { DISTANCE } from '../../query/near.ts'
import type { Release } from '../../release/release.ts'
import { ProblemError } from '../problem.ts'
import { findPage, recordJsons } from './find.ts'
import { parseQuery, writeCursor } from './request/query-string.ts'
import { type ListRequest, parseListRequest } from './request/records-request.ts'
import { catalogRouteAt } from './v2-routes.ts'

const COUNT = 6
const localidad = Array.from({ length: COUNT }, (_, at) => ({
  cveLocalidad: String(at + 1).padStart(4, '0'),
  descLocalidad: `Lugar ${at + 1}`,
  idLocalidad: at + 1,
  idEstado: at % 2 === 0 ? 2 : 1,
  idMunicipio: 3,
  latitud: 20,
  longitud: -100 + at,
}))

let release: Release
beforeAll(async () => {
  release = await releaseOf(sourceOf({ ...tiny, localidad }))
})

function list(target: string): ListRequest {
  const [path = '', query = ''] = target.split('?')
  const route = catalogRouteAt(release.catalog, `/api/v2/${path}`)
  if (route.kind !== 'list') throw new Error(`${path} is no list`)
  return parseListRequest(route, parseQuery(query), new Map())
}

const LIST = 'localidades?per_page=2'
const cursorAfter = (position: number) => writeCursor(release.digest, position)

describe('a page', () => {
  test.each([
    ['&page=1', [0, 1], { page: 1, start: 0, total: COUNT, totalPages: 3 }, 1],
    ['&page=2', [2, 3], { page: 2, start: 2 }, 3],
    ['&page=3', [4, 5], { page: 3, start: 4 }, undefined],
    ['&sort=-idLocalidad', [5, 4], { page: 1, start: 0 }, 4],
    ['&idEstado=2&page=2', [4], { page: 2, start: 2, total: 3, totalPages: 2 }, undefined],
    ['&descLocalidad=Nada', [], { page: 1, start: 0, total: 0, totalPages: 0 }, undefined],
  ] as const)('of %s has its records and leads to the next', (query, positions, page, last) => {
    const found = findPage(release, list(`${LIST}${query}`))
    expect([...found.positions]).toEqual([...positions])
    expect(found.page).toMatchObject({ ...page, next: last === undefined ? undefined : cursorAfter(last) })
  })

  test.each([
    ['after the second', 1, '', [2, 3], { page: 2, start: 2 }],
    ['in the middle of a numbered page', 0, '', [1, 2], { page: 1, start: 1 }],
    ['after the last', 5, '', [], { page: 4, start: 6, next: undefined }],
    ['in the order of a query', 4, '&sort=-idLocalidad', [3, 2], { page: 2, start: 2 }],
  ] as const)('begins %s', (_, position, query, positions, page) => {
    const found = findPage(release, list(`${LIST}${query}&after=${cursorAfter(position)}`))
    expect([...found.positions]).toEqual([...positions])
    expect(found.page).toMatchObject(page)
  })

  const problemOf = (target: string) => {
    try {
      findPage(release, list(target))
    } catch (error) {
      if (error instanceof ProblemError) return error.problem
    }
    return undefined
  }

  test.each([
    ['is not in the list', () => `${LIST}&idEstado=2&after=${cursorAfter(1)}`],
    ['is beyond all records', () => `${LIST}&after=${cursorAfter(COUNT)}`],
  ])('after a record that %s is refused', (_, target) =>
    expect(problemOf(target())).toMatchObject({ kind: 'bad-parameter', name: 'after' }),
  )

  test.each([
    [`${LIST}&page=4`, { kind: 'page-beyond-last', page: 4, total: COUNT, totalPages: 3, perPage: 2 }],
    [`${LIST}&descLocalidad=Nada&page=2`, { kind: 'page-beyond-last', page: 2, total: 0, totalPages: 0 }],
    ['estados/9/localidades', { kind: 'record-not-found' }],
  ])('that is not there is a problem: %s', (target, problem) => expect(problemOf(target)).toMatchObject(problem))

  test('of what is below a record has nothing else', () => {
    expect(findPage(release, list('estados/1/localidades')).page.total).toBe(3)
    expect(findPage(release, list('estados/AGS/localidades?by=code')).page.total).toBe(3)
    expect(findPage(release, list('municipios/1/localidades')).page.total).toBe(0)
  })
})

test.each([
  ['', ['descLocalidad'], ['latitud', DISTANCE]],
  ['?facts=true', ['descLocalidad', 'latitud'], [DISTANCE]],
  ['?near=20,-100', ['descLocalidad', DISTANCE], ['latitud']],
])('a record with %s has the members that are asked for', (query, present, absent) => {
  const request = list(`localidades${query}`)
  const [json = new Uint8Array()] = recordJsons(release, request, findPage(release, request).positions)
  const members = Object.keys(JSON.parse(new TextDecoder().decode(json)))
  expect(present.filter((name) => !members.includes(name))).toEqual([])
  expect(absent.filter((name) => members.includes(name))).toEqual([])
})
