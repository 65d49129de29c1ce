// Which release is served: the current one if it is sound, then those before it, then any other; and when there is none.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { IRREGULAR } from '../../../../../test/support/irregular-files.ts'
import { TestHome, ThreeReleases } from '../../../../../test/support/releases.ts'
import { ENTITY_MANIFEST_FILE, MANIFEST_FILE } from '../manifest.ts'
import { openReleaseToServe } from './release-to-serve.ts'

setDefaultTimeout(180_000)

const model = await ThreeReleases.create()
afterAll(() => model[Symbol.dispose]())
const [a, b, c] = model.digests as [string, string, string]

const spoil = (home: TestHome, ...digests: readonly string[]) => {
  for (const digest of digests) truncateSync(home.fileOf(digest, 'audiencia', 'records'), 1)
}
const served = async (home: TestHome, hint?: string) =>
  (await openReleaseToServe(home.store, { served: hint }))?.release.digest

describe('with a current release', () => {
  test.each<[string, activated: readonly string[], damaged: readonly string[], expected: string]>([
    ['that is sound', [a, b, c], [], c],
    ['that is damaged: the one before', [a, c, b], [b], c],
    ['that is damaged, as is the one before: the one before that', [a, c, b], [b, c], a],
    ['that is damaged, with none before: the newest of the others', [a], [a], c],
    ['that is damaged, as is the newest of the others', [a], [a, c], b],
  ])('%s', async (_, activated, damaged, expected) => {
    using home = model.copyTo(new TestHome(), ...activated)
    spoil(home, ...damaged)
    expect(await served(home)).toBe(expected)
  })

  test.each<[string, (home: TestHome) => string]>([
    ['an entity', (home) => home.released(b, 'audiencia').digest],
    ['the release itself', () => b],
  ])('what is known to be damaged is as good as what is seen to be: %s', async (_, digestIn) => {
    using home = model.copyTo(new TestHome(), a, b)
    const damage = new Map([[digestIn(home), 'is damaged']])
    const servable = await openReleaseToServe(home.store, { damage })
    expect([servable?.release.digest, servable?.reason]).toEqual([a, 'is damaged'])
  })

  test('none of them sound: why the current one is not', async () => {
    using home = model.copyTo(new TestHome(), a, b)
    spoil(home, a, b, c)
    await expect(openReleaseToServe(home.store)).rejects.toThrow(home.fileOf(b, 'audiencia', 'records'))
  })

  const places: Readonly<Record<string, (home: TestHome) => string>> = {
    'its manifest': (home) => join(home.store.releaseDirectory(b), MANIFEST_FILE),
    'the manifest of an entity': (home) =>
      join(home.store.entityDirectory(home.released(b, 'audiencia').digest), ENTITY_MANIFEST_FILE),
    'its records': (home) => home.fileOf(b, 'audiencia', 'records'),
  }
  const replacements = Object.entries(IRREGULAR).flatMap(([thing, make]) =>
    Object.entries(places).map(([place, pathIn]) => [thing, place, make, pathIn] as const),
  )
  test.each(replacements)('with %s for %s: the one before', async (_, __, make, pathIn) => {
    using home = model.copyTo(new TestHome(), a, b)
    const path = pathIn(home)
    rmSync(path)
    await make(path)
    const servable = await openReleaseToServe(home.store)
    expect([servable?.release.digest, servable?.reason]).toEqual([
      a,
      expect.stringContaining(`${path} is not a regular file`),
    ])
  })

  test('without its manifest', async () => {
    using home = model.copyTo(new TestHome(), a, b)
    rmSync(join(home.store.releaseDirectory(b), MANIFEST_FILE))
    expect(await served(home)).toBe(a)
  })
})

describe('when it is not known which one is current', () => {
  test('the newest is served, or the one that others serve', async () => {
    using home = model.copyTo(new TestHome())
    const hints = [undefined, a, a.replace(/./g, '0')]
    expect(await Promise.all(hints.map((hint) => served(home, hint)))).toEqual([c, a, c])
  })

  test('because of nonsense: the same, with the reason', async () => {
    using home = model.copyTo(new TestHome())
    writeFileSync(home.store.currentFile, '')
    expect((await openReleaseToServe(home.store))?.reason).toContain('does not hold digests')
  })

  test('in an empty home there is none, and in one with nothing sound why', async () => {
    using empty = new TestHome()
    expect(await openReleaseToServe(empty.store)).toBeUndefined()
    using home = model.copyTo(new TestHome())
    spoil(home, a, b, c)
    await expect(openReleaseToServe(home.store)).rejects.toThrow('is missing or cannot be reached')
  })
})
