// Points of a map: the cells of the small map, the groups of the points, and their hues.
import { expect, test } from 'bun:test'
import { releaseOf, sourceOf, tiny } from '../../../../test/support/releases.ts'
import type { Release } from '../release/release.ts'
import type { GivenRow } from '../source/source.ts'
import { dotGrid } from './dot-grid.ts'
import { boundsOf, groupHues, mapGroups } from './map-points.ts'

type Spot = readonly [estado: number, latitude: number, longitude: number]

const places = (spots: readonly Spot[]): GivenRow[] =>
  spots.map(([idEstado, latitud, longitud], at) => ({
    cveLocalidad: String(at + 1).padStart(4, '0'),
    descLocalidad: `Lugar ${at + 1}`,
    idLocalidad: at + 1,
    idEstado,
    idMunicipio: idEstado === 2 ? 3 : 1,
    latitud,
    longitud,
  }))

const released = (...spots: readonly Spot[]) => releaseOf(sourceOf({ ...tiny, localidad: places(spots) }))
const localities = (release: Release) => release.entity('localidad').definition

test('the cells of a grid: north is up, a cell has the group of its first record, and a run is of one group', async () => {
  const release = await released(
    [1, 0, 0],
    // It lies in the cell of the first.
    [2, 0, 0],
    // The two cells to the east of it, one of each state.
    [1, 0, 0.06],
    [2, 0, 0.11],
    // The northern and the eastern end of the map.
    [2, 10, 0],
    [2, 0, 10],
  )
  const grid = dotGrid(release, localities(release))
  expect(grid).toMatchObject({ points: 6, rows: 201 })
  const [north, ...south] = grid?.runs ?? []
  const [ags, bc] = [0, 1]
  expect(north).toEqual({ column: 0, row: 0, length: 1, group: bc })
  expect(south).toEqual([
    { column: 0, row: 200, length: 2, group: ags },
    { column: 2, row: 200, length: 1, group: bc },
    { column: (grid?.columns ?? 0) - 1, row: 200, length: 1, group: bc },
  ])
})

test.each([
  ['no record', [], false],
  ['one record', [[1, 20, -100]], false],
  [
    'two records',
    [
      [1, 20, -100],
      [2, 21, -101],
    ],
    true,
  ],
  [
    'two records at one spot',
    [
      [1, 20, -100],
      [2, 20, -100],
    ],
    true,
  ],
] as const)('a grid of %s with coordinates', async (_, spots, isThere) => {
  const release = await released(...spots)
  expect(dotGrid(release, localities(release)) !== undefined).toBe(isThere)
})

test('the bounds of all points', async () => {
  const release = await released([1, 20, -100], [1, 25, -99], [2, 22, -105])
  expect(boundsOf(release.entity('localidad'))).toEqual({ west: -105, east: -99, south: 20, north: 25 })
})

const MAX_GROUPS = 255

test.each([
  ['the ancestors that there are most of', 3, 3, 'municipio'],
  ['as many as a byte can number', MAX_GROUPS, 3, 'municipio'],
  ['others where there are more', MAX_GROUPS + 1, 2, 'estado'],
])('points are coloured by %s', async (_, municipalities, groups, name) => {
  const municipio = Array.from({ length: municipalities }, (_, at) => ({
    cveMunicipio: String(at + 1).padStart(3, '0'),
    descMunicipio: `Municipio ${at + 1}`,
    idEstado: 1,
    idMunicipio: at + 1,
  }))
  const localidad = places([
    [1, 20, -100],
    [2, 21, -101],
    [1, 22, -102],
  ]).map((row, at) => ({ ...row, idMunicipio: at + 1 }))
  const release = await releaseOf(sourceOf({ ...tiny, municipio, localidad }))
  const found = mapGroups(release, localities(release))
  expect([found?.entity.name, found?.positions.length]).toEqual([name, groups])
})

test('where all have the same ancestors, there are no groups and one hue', async () => {
  const release = await releaseOf(
    sourceOf({
      ...tiny,
      localidad: places([
        [1, 20, -100],
        [1, 21, -101],
      ]),
    }),
  )
  expect(mapGroups(release, localities(release))).toBeUndefined()
  expect(groupHues(release, localities(release))).toHaveLength(1)
})

test('two groups have opposite hues', async () => {
  const release = await released([1, 20, -100], [2, 21, -101])
  const [first = 0, second = 0] = groupHues(release, localities(release))
  expect(Math.abs(first - second)).toBe(180)
})
