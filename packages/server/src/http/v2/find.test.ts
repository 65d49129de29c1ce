// A page of a list after a cursor, and cursors that are refused.
import { beforeAll, describe, expect, test } from 'bun:test'
import { releaseOf, sourceOf, tiny } from '../../../../../test/support/releases.ts'
import type { Release } from '../../release/release.ts'
import { ProblemError } from '../problem.ts'
import { findPage } from './find.ts'
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
})
