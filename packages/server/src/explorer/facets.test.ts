// Facets: for every value, the number of records that a list filtered by it has.
import { describe, expect, test } from 'bun:test'
import { fullRelease } from '../../../../test/support/releases.ts'
import { parseQuery } from '../http/v2/request/query-string.ts'
import { parseListRequest } from '../http/v2/request/records.ts'
import { find } from '../query/finder.ts'
import { facetOf, facetParameters } from './facets.ts'

const release = await fullRelease()
const requestOf = (name: string, query: string) =>
  parseListRequest(
    { kind: 'list', entity: release.entity(name).definition, parent: undefined },
    parseQuery(query),
    new Map(),
  )
const totalOf = (name: string, query: string) => find(release, name, requestOf(name, query).query).total

describe.each([...release.catalog.entities.keys()])('the facets of %s', (name) => {
  const { definition } = release.entity(name)

  test.each(facetParameters(release, definition))('by %s', (parameter) => {
    const { values, size } = facetOf(release, requestOf(name, ''), parameter, 20)
    expect(values.length).toBe(Math.min(size, 20))
    for (const { value, count } of values) expect(count).toBe(totalOf(name, `${parameter}=${value}`))
  })
})

test('are counted within the other filters and the search, but not within their own', () => {
  const [first = 0] = find(release, 'localidad', requestOf('localidad', 'idEstado=20').query).slice(0, 1)
  const { descLocalidad } = JSON.parse(new TextDecoder().decode(release.entity('localidad').records.record(first)))
  const words = `q=${encodeURIComponent(descLocalidad.slice(0, 2))}`
  const query = `${words}&idEstado=20`
  const states = facetOf(release, requestOf('localidad', query), 'idEstado', 100)
  expect(states.size).toBeGreaterThan(5)
  for (const { value, count } of states.values) expect(count).toBe(totalOf('localidad', `${words}&idEstado=${value}`))
  const municipalities = facetOf(release, requestOf('localidad', query), 'idMunicipio', 5)
  for (const { value, count } of municipalities.values)
    expect(count).toBe(totalOf('localidad', `${query}&idMunicipio=${value}`))
})

test('have the most frequent values where there are too many', () => {
  const all = facetOf(release, requestOf('localidad', ''), 'idMunicipio', 100_000)
  const few = facetOf(release, requestOf('localidad', ''), 'idMunicipio', 3)
  expect(few.size).toBe(all.size)
  expect(few.values.map(({ count }) => count)).toEqual(
    all.values
      .map(({ count }) => count)
      .toSorted((a, b) => b - a)
      .slice(0, 3),
  )
})
