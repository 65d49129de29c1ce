// Which release is current and which were before it: activated, gone back to, and pruned around.

import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runHere } from '../../../../../test/support/command.ts'
import { TestHome, ThreeReleases } from '../../../../../test/support/releases.ts'

setDefaultTimeout(180_000)

const model = await ThreeReleases.create()
afterAll(() => model[Symbol.dispose]())
const [a, b, c] = model.digests as [string, string, string]
const unknown = '0123456789abcdef'.repeat(4)

/** A home whose releases were activated in this order. */
const activated = (...digests: readonly string[]) => model.copyTo(new TestHome(), ...digests)
/** In what no other of the releases has. */
const damage = (home: TestHome, digest: string) => truncateSync(home.fileOf(digest, 'audiencia', 'records'), 3)
const current = (home: TestHome) => readFileSync(home.store.currentFile, 'utf8')

describe('history', () => {
  test.each([
    ['one', [a], [a]],
    ['three', [a, b, c], [c, b, a]],
    ['the same again at once', [a, b, b, b], [b, a]],
    ['the same again later', [a, b, a], [a, b, a]],
  ])('after activating %s', (_, digests, history) => {
    using home = activated(...digests)
    expect(home.store.history()).toEqual(history)
    expect(home.store.currentDigest()).toBe(history[0])
    expect(home.current().manifest.digest).toBe(history[0] as string)
    expect(current(home)).toBe(history.map((digest) => `${digest}\n`).join(''))
    expect(readdirSync(home.path).sort()).toEqual(['current', 'entities', 'releases'])
  })

  test('is kept for a hundred activations', () => {
    using home = activated()
    writeFileSync(home.store.currentFile, `${Array.from({ length: 100 }, (_, at) => (at % 2 ? a : b)).join('\n')}\n`)
    home.store.activate(c)
    expect([home.store.history().length, ...home.store.history().slice(0, 3)]).toEqual([100, c, b, a])
  })

  test.each(['', 'nonsense\n', `${a.slice(1)}\n`, `${a}\nnonsense\n`])('that is %j is refused, and mended', (text) => {
    using home = activated()
    writeFileSync(home.store.currentFile, text)
    expect(() => home.store.currentDigest()).toThrow(
      `${home.store.currentFile} does not hold digests; mend it with nomenclator activate DIGEST`,
    )
    home.store.activate(b)
    expect(home.store.history()).toEqual(text.startsWith(a) ? [b, a] : [b])
  })
})

describe('activate', () => {
  test.each([
    ['a damaged release', (home: TestHome) => damage(home, b), b],
    ['a release that is not there', () => {}, unknown],
  ])('refuses %s, and leaves the current one', (_, spoil, digest) => {
    using home = activated(a)
    spoil(home)
    expect(() => home.store.activate(digest)).toThrow('the release is damaged: ')
    expect(home.store.history()).toEqual([a])
  })

  test('as a command takes the beginning of a digest, and refuses a damaged release with 1', async () => {
    using home = activated(a)
    const done = await runHere('activate', b.slice(0, 8), '--home', home.path)
    expect(done).toEqual({ code: 0, out: `Release ${b.slice(0, 12)} is now current.\n`, err: '' })
    damage(home, c)
    const refused = await runHere('activate', c.slice(0, 8), '--home', home.path)
    expect({ ...refused, err: '' }).toEqual({ code: 1, out: '', err: '' })
    expect(refused.err).toStartWith('nomenclator: the release is damaged: ')
    expect(home.store.history()).toEqual([b, a])
  })
})

describe('rollback', () => {
  const chains: readonly [name: string, order: readonly string[], gone: readonly string[], steps: readonly string[]][] =
    [
      ['goes back one at a time', [a, b, c], [], [b, a]],
      ['goes back to a release that came twice', [a, b, a], [], [b, a]],
      ['passes over what was removed', [a, b, c], [b], [a]],
      ['passes over the current one', [a, b, a], [b], []],
      ['has nowhere to go from the first', [a], [], []],
      ['has nowhere to go in an empty home', [], [], []],
      ['has nowhere to go when all others are gone', [a, b, c], [a, b], []],
    ]

  test.each(chains)('%s', (_, order, gone, steps) => {
    using home = activated(...order)
    for (const digest of gone) home.store.remove(digest)
    for (const step of steps) {
      expect(home.store.rollback()).toBe(step)
      expect(home.store.currentDigest()).toBe(step)
    }
    const stays = home.store.history()
    expect(() => home.store.rollback()).toThrow('there is no earlier release to go back to')
    expect(home.store.history()).toEqual(stays)
  })

  test('passes over a damaged release', () => {
    using home = activated(a, b, c)
    damage(home, b)
    expect(home.store.rollback()).toBe(a)
  })

  test('forgets what it came from, and a later activation counts from there', () => {
    using home = activated(a, b)
    home.store.rollback()
    expect(home.store.history()).toEqual([a])
    home.store.activate(c)
    expect(home.store.rollback()).toBe(a)
  })

  test('as a command says where it went, and ends with 1 when it cannot', async () => {
    using home = activated(a, b)
    const back = () => runHere('rollback', '--home', home.path)
    expect(await back()).toEqual({ code: 0, out: `Release ${a.slice(0, 12)} is current again.\n`, err: '' })
    expect(await back()).toEqual({
      code: 1,
      out: '',
      err: 'nomenclator: there is no earlier release to go back to; nomenclator releases lists those on disk, and nomenclator activate DIGEST makes one of them current\n',
    })
  })
})

describe('prune', () => {
  const prune = async (home: TestHome, keep: number) => {
    const { code, err } = await runHere('releases', 'prune', '--keep', String(keep), '--home', home.path)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    return home.store.list().map(({ digest }) => digest)
  }

  test.each([
    ['the oldest', a],
    ['the newest', c],
  ])('keeps the current one, though it is %s', async (_, digest) => {
    using home = activated(digest)
    expect(await prune(home, 0)).toEqual([digest])
    expect(await home.verify(digest)).toEqual([])
    expect(
      readdirSync(home.path)
        .filter((name) => !name.startsWith('lock'))
        .sort(),
    ).toEqual(['current', 'entities', 'releases'])
  })

  test('removes the entities that no release names any more, and no other', async () => {
    using home = activated(b)
    const entitiesOf = (digest: string) =>
      Object.values(home.store.read(digest).manifest.entities).map((entity) => entity.digest)
    const kept = entitiesOf(b)
    const gone = [a, c].flatMap(entitiesOf).filter((digest) => !kept.includes(digest))
    expect(gone).toHaveLength(2)
    expect(readdirSync(join(home.path, 'entities')).sort()).toEqual([...kept, ...gone].sort())
    await prune(home, 0)
    expect(readdirSync(join(home.path, 'entities')).sort()).toEqual(kept.sort())
  })

  test('keeps as many of the newest as requested', async () => {
    using home = activated(a)
    expect(await prune(home, 1)).toEqual([c, a])
  })
})
