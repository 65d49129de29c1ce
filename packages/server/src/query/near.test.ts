// The records nearest to a point against a naive model: the distance of every record, sorted.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { located, metresBetween, type Point } from '../../../../test/support/located.ts'
import { releaseOf } from '../../../../test/support/releases.ts'
import { placesOf, smallSource } from '../../../../test/support/small-source.ts'
import { factReader } from '../release/facts.ts'
import type { Filter } from './filter.ts'
import { find } from './finder.ts'
import { distanceFrom, type Near } from './near.ts'
import { type Scope, searchAcross } from './search/search.ts'

setDefaultTimeout(180_000)

const release = await releaseOf(located)
const entity = release.entity('localidad')
const factsAt = factReader(entity)
const all = Array.from({ length: entity.count }, (_, position) => {
  const { latitud, longitud } = factsAt(position)
  return { position, latitude: latitud as number | null, longitude: longitud as number | null }
})
const points = all.flatMap(({ latitude, longitude }) =>
  latitude === null || longitude === null ? [] : [{ latitude, longitude }],
)

/** Anywhere; where records are, beside them, and opposite to them; on the edges of the map. */
const anyPoint = fc.oneof(
  fc.record({
    latitude: fc.double({ min: -90, max: 90, noNaN: true }),
    longitude: fc.double({ min: -180, max: 180, noNaN: true }),
  }),
  fc.constantFrom(...points),
  fc.constantFrom(...points).map(({ latitude, longitude }) => ({
    latitude: -latitude,
    longitude: longitude > 0 ? longitude - 180 : longitude + 180,
  })),
  fc.record({
    latitude: fc.constantFrom(-90, -89.999, -16.5, 0, 65, 89.999, 90),
    longitude: fc.constantFrom(-180, -179.999, 0, 179.999, 180),
  }),
)
/** Any distance, and the very one of a record or a metre less. */
const anyWithin = (point: Point): fc.Arbitrary<number> =>
  fc.oneof(
    fc.double({ min: 0.4, max: 3e4, noNaN: true }),
    fc.integer({ min: 1, max: 20_040_000 }),
    fc
      .tuple(fc.constantFrom(...points), fc.constantFrom(0, -1))
      .map(([other, less]) => Math.max(metresBetween(point, other) + less, 0.1)),
  )
const anyNear: fc.Arbitrary<Near> = anyPoint.chain((point) =>
  fc.option(anyWithin(point), { nil: undefined, freq: 2 }).map((within) => ({ ...point, within })),
)

/** From none to all of the records pass. */
const anyFilters: fc.Arbitrary<readonly Filter[]> = fc.subarray([
  { steps: ['idMunicipio', 'idEstado', 'idEstado'], match: 'equals', values: [2, 3] },
  { steps: ['idMunicipio', 'idMunicipio'], match: 'equals', values: [5] },
  { steps: ['idMunicipio', 'descMunicipio'], match: 'equals', values: ['Municipio 2', 'Municipio 3', 'Municipio 7'] },
  { steps: ['poblacion'], match: 'min', values: [700] },
  { steps: ['latitud'], match: 'max', values: [60] },
] as const)

const anyWords = fc.option(fc.constantFrom(['san'], ['la'], ['rio', 'seco'], ['tlua']), { freq: 3 })

/** The records that are found without the point, by distance. */
function expected({ within, ...point }: Near, filters: readonly Filter[], words: readonly string[]): number[] {
  const found = find(release, 'localidad', { filters, words, sorts: [] })
  const metres = Array.from(found.slice(0, found.total)).flatMap((position) => {
    const { latitude, longitude } = all[position] as (typeof all)[number]
    if (latitude === null || longitude === null) return []
    return [{ position, metres: metresBetween(point, { latitude, longitude }) }]
  })
  return metres
    .filter(({ metres }) => metres <= (within ?? Number.POSITIVE_INFINITY))
    .sort((a, b) => a.metres - b.metres || a.position - b.position)
    .map(({ position }) => position)
}

describe('the nearest', () => {
  test('are those of the model, for any point, distance, filters and words, on any page', () => {
    const found = { some: 0, within: 0, filtered: 0, searched: 0 }
    const holds = fc.property(
      anyNear,
      anyFilters,
      anyWords,
      fc.nat(),
      fc.integer({ min: 1, max: 1_200 }),
      (near, filters, given, turn, size) => {
        const words = given ?? []
        const positions = expected(near, filters, words)
        const result = find(release, 'localidad', { filters, words, sorts: [], near })
        expect(result.total).toBe(positions.length)
        expect(Array.from(result.slice(0, size))).toEqual(positions.slice(0, size))
        const from = turn % (positions.length + 1)
        expect(Array.from(result.slice(from, from + size))).toEqual(positions.slice(from, from + size))
        for (const place of [0, from, positions.length - 1])
          if (positions[place] !== undefined) expect(result.placeOf(positions[place])).toBe(place)
        if (positions.length > 0) found.some++
        if (positions.length > 0 && near.within !== undefined) found.within++
        if (positions.length > 0 && filters.length > 0) found.filtered++
        if (positions.length > 0 && words.length > 0) found.searched++
      },
    )
    fc.assert(holds, { numRuns: 600, seed: 2_013 })
    for (const count of Object.values(found)) expect(count).toBeGreaterThan(100)
  })

  test('have the distance of the model, which is not a number where coordinates are not known', () => {
    const holds = fc.property(anyNear, fc.constantFrom(...all), (near, { position, latitude, longitude }) => {
      const known = latitude !== null && longitude !== null
      const metres = known ? metresBetween(near, { latitude, longitude }) : Number.NaN
      expect(distanceFrom(entity, near)(position)).toBe(metres)
    })
    fc.assert(holds, { numRuns: 800 })
  })

  test('a record that is not among them has no place', () => {
    const near = { latitude: 19.43, longitude: -99.13, within: undefined }
    const filters = [{ steps: ['idMunicipio', 'idEstado', 'idEstado'], match: 'equals', values: [2] }] as const
    const result = find(release, 'localidad', { filters, words: [], sorts: [], near })
    const among = new Set(result.slice(0, result.total))
    const others = all.filter(({ position }) => !among.has(position))
    expect(others.length).toBeGreaterThan(1_000)
    expect(others.filter(({ position }) => result.placeOf(position) !== -1)).toEqual([])
    expect(result.placeOf(entity.count)).toBe(-1)
  })
})

test('a search gives the nearest of all hits', () => {
  const scope: Scope = [['localidad', []]]
  const holds = fc.property(
    anyNear,
    fc.constantFrom(['san'], ['la'], ['tlua']),
    fc.integer({ min: 1, max: 50 }),
    (near, words, limit) => {
      const results = searchAcross(release, words, scope, limit, near)
      const positions = expected(near, [], words).slice(0, limit)
      expect(results.map(({ position }) => position)).toEqual(positions)
      expect(results.map(({ distance }) => distance)).toEqual(positions.map(distanceFrom(entity, near)))
    },
  )
  fc.assert(holds, { numRuns: 200 })
})

test('a distance is rounded to whole metres before it is compared with the greatest', async () => {
  const metre = 180 / Math.PI / 6_371_000
  const places = placesOf({
    states: [['JAL', 'JC', 'Jalisco', 14]],
    municipalities: [['001', 'Tala', 14]],
    localities: [
      ['0001', 'Near', 1],
      ['0002', 'Far', 1],
    ],
  })
  const latitudes = [1_000.4, 1_000.6].map((metres) => ({ latitud: 20 + metres * metre, longitud: 0 }))
  const localities = (places.localidad ?? []).map((row, at) => ({ ...row, ...latitudes[at] }))
  const two = await releaseOf(smallSource({ ...places, localidad: localities }))
  const near = { latitude: 20, longitude: 0, within: 1_000 }
  const found = find(two, 'localidad', { filters: [], words: [], sorts: [], near })
  expect(Array.from(found.slice(0, found.total))).toEqual([0])
})
