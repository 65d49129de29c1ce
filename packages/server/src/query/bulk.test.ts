// All records in one body: around the size of a block, from beginning to end or at some positions.
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { releaseOf, TestHome } from '../../../../test/support/releases.ts'
import { countries, smallSource } from '../../../../test/support/small-source.ts'
import type { OpenEntity, Release } from '../release/release.ts'
import { bulkPieces } from './bulk.ts'
import { bodyOf, type FormatName, recordEncoder } from './formats/formats.ts'
import { memberAdder } from './formats/selection.ts'

setDefaultTimeout(180_000)

const BLOCK = 100
const releases = new Map<number, Release>()
beforeAll(async () => {
  for (const count of [0, 1, BLOCK, BLOCK + 1, 2 * BLOCK + 1])
    releases.set(count, await releaseOf(smallSource({ pais: countries(count) })))
})

/** A workbook is compressed block by block, so its bytes depend on them: its own tests read it back. */
const TEXT_FORMATS = ['json', 'ndjson', 'csv'] as const

const entityOf = (count: number): OpenEntity => (releases.get(count) as Release).entity('pais')
const releaseOfEntity = ({ count }: OpenEntity) => releases.get(count) as Release
const renditionIn = (format: FormatName) => ({ fields: undefined, facts: false, embed: 'full', format }) as const

/** Each piece is good until the next one is pulled. */
const bodyIn = (entity: OpenEntity, format: FormatName, records: Parameters<typeof bulkPieces>[3]): string =>
  Array.from(bulkPieces(releaseOfEntity(entity), entity, renditionIn(format), records), (piece) =>
    Buffer.from(piece).toString(),
  ).join('')

function expectedIn(entity: OpenEntity, format: FormatName, positions: readonly number[]): string {
  const release = releaseOfEntity(entity)
  const addMembers = memberAdder(release, entity, renditionIn(format))
  const jsons = positions.map((at) => addMembers(entity.records.record(at), at))
  return Buffer.from(bodyOf(recordEncoder(release, entity.definition, renditionIn(format)), jsons)).toString()
}

describe.each(
  TEXT_FORMATS.flatMap((format) => [
    ...[0, 1, BLOCK, BLOCK + 1, 2 * BLOCK + 1].map((count) => [format, count] as const),
  ]),
)('as %s, %i records', (format, count) => {
  test('are in one body as they are published', () => {
    const entity = entityOf(count)
    expect(bodyIn(entity, format, { positions: undefined })).toBe(expectedIn(entity, format, [...Array(count).keys()]))
  })

  test('are in one body in the order of their positions', () => {
    const entity = entityOf(count)
    const positions = [...Array(count).keys()].reverse()
    expect(bodyIn(entity, format, { positions: Uint32Array.from(positions) })).toBe(
      expectedIn(entity, format, positions),
    )
  })
})

test.each([
  ['as they are published', undefined],
  ['at some positions', Uint32Array.from({ length: 201 }, (_, at) => 200 - at)],
])('each record has its own members: %s', (_, positions) => {
  const entity = entityOf(2 * BLOCK + 1)
  const ownMembers = (position: number) => ({ place: position })
  const records = JSON.parse(bodyIn(entity, 'json', { positions, ownMembers })) as { place: number; idPais: number }[]
  expect(records.map(({ place }) => place)).toEqual(Array.from(positions ?? Array(201).keys()))
  expect(records.filter(({ place, idPais }) => idPais !== place + 1)).toEqual([])
})

test('no more than a block is rendered at once', () => {
  const pieces = Array.from(
    bulkPieces(releases.get(2 * BLOCK + 1) as Release, entityOf(2 * BLOCK + 1), renditionIn('csv'), {
      positions: undefined,
    }),
    (piece) => Buffer.from(piece).toString().split('\r\n').length - 1,
  )
  expect(pieces.filter((lines) => lines > 0)).toEqual([1, BLOCK, BLOCK, 1])
})

test('records that are read from disk are not overwritten by those after them', async () => {
  using home = new TestHome()
  await home.import(smallSource({ pais: countries(2 * BLOCK + 1) }))
  const entity = home.current().entity('pais')
  expect(entity.stored).toBeDefined()
  const positions = Uint32Array.from({ length: 2 * BLOCK + 1 }, (_, at) => 2 * BLOCK - at)
  expect(bodyIn(entity, 'json', { positions })).toBe(expectedIn(entity, 'json', Array.from(positions)))
})
