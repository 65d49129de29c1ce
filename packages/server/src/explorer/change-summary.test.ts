// The summary of changes between two releases: counted whole, with a few examples, and computed once for each pair.
import { beforeAll, expect, test } from 'bun:test'
import { releaseOf, sourceOf, variantOf } from '../../../../test/support/releases.ts'
import type { Release } from '../release/release.ts'
import { summarizeChanges } from './change-summary.ts'

const countries = (count: number, title: string) => ({
  pais: Array.from({ length: count }, (_, at) => ({
    cvePais: [676, 26, 1].map((place) => String.fromCharCode(65 + (Math.floor(at / place) % 26))).join(''),
    descPais: at < 25 ? `${title} ${at}` : `País ${at}`,
    idPais: at + 1,
  })),
})

let older: Release
let newer: Release
beforeAll(async () => {
  older = await releaseOf(sourceOf(countries(40, 'Antes')))
  newer = await releaseOf(sourceOf(countries(61, 'Después')))
})

let digests = 0
/** A copy of a release under a digest of its own. */
const another = (release: Release) => variantOf(release, { digest: String(++digests).padStart(64, '0') })

const figures = (changes: Awaited<ReturnType<typeof summarizeChanges>>) =>
  changes.map(({ entity, kinds }) => [
    entity.name,
    ...(['added', 'changed', 'removed'] as const).map((kind) => `${kinds[kind].count} ${kinds[kind].examples.length}`),
  ])

test('all are counted, and twenty of each kind are shown', async () => {
  expect(figures(await summarizeChanges(older, newer))).toEqual([['pais', '21 20', '25 20', '0 0']])
  expect(figures(await summarizeChanges(newer, older))).toEqual([['pais', '0 0', '25 20', '21 20']])
  expect(await summarizeChanges(older, another(older))).toEqual([])
})

test('a pair is compared once, until sixteen others were', async () => {
  const [from, to] = [another(older), another(newer)]
  const first = await summarizeChanges(from, to)
  for (let count = 0; count < 15; count++) await summarizeChanges(another(older), to)
  expect(await summarizeChanges(from, to)).toBe(first)
  await summarizeChanges(another(older), to)
  expect(await summarizeChanges(from, to)).not.toBe(first)
})

test('a comparison that fails is tried again', async () => {
  const [from, to] = [another(older), another(newer)]
  const broken = new Proxy(from, {
    get: (release, name) => {
      if (name === 'entity') throw new Error('cannot be read')
      return Reflect.get(release, name)
    },
  })
  await expect(summarizeChanges(broken, to)).rejects.toThrow('cannot be read')
  expect(figures(await summarizeChanges(from, to))).toEqual([['pais', '21 20', '25 20', '0 0']])
})
