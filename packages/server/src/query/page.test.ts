// Pages cut out of a small release, and those that are not there.

import { describe, expect, test } from 'bun:test'
import { collections } from '../../../../test/support/built-in.ts'
import { releaseOf } from '../../../../test/support/releases.ts'
import { countries, smallSource } from '../../../../test/support/small-source.ts'
import { type PageNumber, pagesOf, readPage } from './page.ts'

const release = await releaseOf(smallSource({ pais: countries(21) }))
const find = (wanted: string) => {
  const found = collections.find(({ name }) => name === wanted)
  if (found === undefined) throw new Error(`${wanted} is missing`)
  return found
}
const [paises, audiencias] = [find('paises'), find('audiencias')]
const page = (number: number) => number as PageNumber

describe('a page', () => {
  test.each([
    [1, countries(21).slice(0, 10)],
    [2, countries(21).slice(10, 20)],
    [3, countries(21).slice(20)],
  ])('%i of three', (number, records) => {
    expect(readPage(release, paises, page(number))).toEqual({
      collection: paises,
      number: page(number),
      total: 21,
      totalPages: 3,
      etag: release.entity('pais').records.etag(number - 1),
      lastModified: new Date(release.manifest.built).toUTCString(),
      body: new TextEncoder().encode(JSON.stringify(records)),
    })
  })

  test('of an empty collection is there, with nothing on it', () => {
    const first = readPage(release, audiencias, page(1))
    expect(first).toMatchObject({ number: 1, total: 0, totalPages: 0, body: new TextEncoder().encode('[]') })
  })

  test.each([
    ['beyond the last', paises, 4, 21, 3],
    ['far beyond the last', paises, 999_999_999_999_999, 21, 3],
    ['the second of an empty collection', audiencias, 2, 0, 0],
  ])('%s is not there', (_, collection, number, total, totalPages) => {
    const missing = { kind: 'page-beyond-last', page: number, total, totalPages } as const
    expect(readPage(release, collection, page(number))).toEqual(missing)
  })
})

test.each([
  [0, 0],
  [1, 1],
  [9, 1],
  [10, 1],
  [11, 2],
  [20, 2],
  [16, 2],
  [247, 25],
  [2_457, 246],
  [3_617, 362],
  [300_137, 30_014],
])('%i records fill %i pages', (total, pages) => expect(pagesOf(total)).toBe(pages))
