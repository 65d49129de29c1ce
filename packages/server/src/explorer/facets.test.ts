// Facets: for every value, the number of records that a list filtered by it has.
import { describe, expect, test } from 'bun:test'
import { entity, id, name, textFact } from '../../../../test/support/definitions.ts'
import { withLocalities } from '../../../../test/support/fewer-localities.ts'
import { fullSource, releaseOf, sourceOf } from '../../../../test/support/releases.ts'
import { catalogOf } from '../catalog/catalog.ts'
import { parseQuery } from '../http/v2/request/query-string.ts'
import { parseListRequest } from '../http/v2/request/records-request.ts'
import { find } from '../query/finder.ts'
import { knownFacts } from '../release/facts.ts'
import { facetOf, facetParameters } from './facets.ts'
import { languageOf } from './language.ts'

// Of every state and of many municipalities, without the time that hundreds of thousands of localities take.
const release = await releaseOf(withLocalities(fullSource, (_, at) => at % 20 === 0))
const spanish = languageOf('es')
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
    const { values, size } = facetOf(release, requestOf(name, ''), parameter, 20, spanish)
    expect(values.length).toBe(Math.min(size, 20))
    for (const { value, count } of values) expect(count).toBe(totalOf(name, `${parameter}=${value}`))
  })
})

test('are counted within the other filters and the search, but not within their own', () => {
  const [first = 0] = find(release, 'localidad', requestOf('localidad', 'idEstado=20').query).slice(0, 1)
  const { descLocalidad } = JSON.parse(new TextDecoder().decode(release.entity('localidad').records.record(first)))
  const words = `q=${encodeURIComponent(descLocalidad.slice(0, 2))}`
  const query = `${words}&idEstado=20`
  const states = facetOf(release, requestOf('localidad', query), 'idEstado', 100, spanish)
  expect(states.size).toBeGreaterThan(5)
  for (const { value, count } of states.values) expect(count).toBe(totalOf('localidad', `${words}&idEstado=${value}`))
  const municipalities = facetOf(release, requestOf('localidad', query), 'idMunicipio', 5, spanish)
  for (const { value, count } of municipalities.values)
    expect(count).toBe(totalOf('localidad', `${query}&idMunicipio=${value}`))
})

test('have the most frequent values where there are too many', () => {
  const all = facetOf(release, requestOf('localidad', ''), 'idMunicipio', 100_000, spanish)
  const few = facetOf(release, requestOf('localidad', ''), 'idMunicipio', 3, spanish)
  expect(few.size).toBe(all.size)
  expect(few.values.map(({ count }) => count)).toEqual(
    all.values
      .map(({ count }) => count)
      .toSorted((a, b) => b - a)
      .slice(0, 3),
  )
})

describe('a fact that is text', () => {
  const stone = entity({
    name: 'stone',
    plural: 'stones',
    title: 'Stones',
    fields: { title: name('name'), stoneId: id('number'), colour: textFact('colour', /^.+$/, 'any') },
    key: ['stoneId'],
    code: ['stoneId'],
  })
  /** `count` colours; the last has two stones, and one stone has none. */
  const stones = (colours: number) => {
    const coloured = Array.from({ length: colours + 1 }, (_, at) => ({ colour: `colour ${Math.min(at + 1, colours)}` }))
    return [...coloured, {}].map((row, at) => ({ title: `Stone ${at}`, stoneId: at + 1, ...row }))
  }
  const released = (colours: number) =>
    releaseOf(sourceOf({ stone: colours === 0 ? [] : stones(colours) }, {}, catalogOf([stone])))

  test.each([
    [0, false, false],
    [1, true, true],
    [20, true, true],
    [21, true, false],
  ])('with %i values', async (colours, isKnown, isOffered) => {
    const release = await released(colours)
    expect(knownFacts(release.entity(stone.name))).toEqual(isKnown ? ['colour'] : [])
    expect(facetParameters(release, stone)).toEqual(isOffered ? ['colour'] : [])
  })

  test.each([
    ['all in their order', 3, ['colour 1 1', 'colour 2 1', 'colour 3 2']],
    ['the most frequent of more than are shown', 2, ['colour 3 2', 'colour 1 1']],
  ])('is counted: %s', async (_, max, expected) => {
    const release = await released(3)
    const request = parseListRequest({ kind: 'list', entity: stone, parent: undefined }, parseQuery(''), new Map())
    const { values, size } = facetOf(release, request, 'colour', max, spanish)
    expect([size, ...values.map(({ value, count }) => `${value} ${count}`)]).toEqual([3, ...expected])
  })
})
