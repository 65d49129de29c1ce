// The releases on disk: which is current, which were before, how one is found, put there, gone back to and removed.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { contentOf, nomenclator, sourceOf, TestHome, tiny } from '../../test/support/releases.ts'
import { municipio } from '../catalog/entities.ts'
import { Numbers } from './numbers.ts'
import { Shelf } from './shelf.ts'
import { verifyRelease } from './verify.ts'

setDefaultTimeout(60_000)

const model = new TestHome()
afterAll(() => model[Symbol.dispose]())
const imported = async (descCorta: string) =>
  (await model.import(sourceOf({ ...tiny, audiencia: [{ ...tiny.audiencia[0], descCorta }] }))).digest
const [a, b, c] = [await imported('Uno'), await imported('Dos'), await imported('Tres')]
const unknown = '0123456789abcdef'.repeat(4)

/** A home with three releases, of which none is current yet. */
function threeReleases(): TestHome {
  const home = new TestHome()
  cpSync(join(model.path, 'releases'), join(home.path, 'releases'), { recursive: true })
  return home
}

/** A home whose releases were activated in this order. */
function activated(...digests: readonly string[]): TestHome {
  const home = threeReleases()
  for (const digest of digests) home.shelf.activate(digest)
  return home
}

const damage = (home: TestHome, digest: string) => truncateSync(join(home.shelf.directoryOf(digest), 'pais.records'), 3)
const current = (home: TestHome) => readFileSync(home.shelf.currentFile, 'utf8')

test('a home with nothing in it, or that is not there, has no release', () => {
  using home = new TestHome()
  for (const shelf of [home.shelf, new Shelf(join(home.path, 'nowhere'))]) {
    expect(shelf.currentDigest()).toBeUndefined()
    expect(shelf.openCurrent()).toBeUndefined()
    expect(shelf.history()).toEqual([])
    expect(shelf.list()).toEqual([])
    expect(shelf.loadNumbers().save()).toEqual(new Numbers().save())
  }
})

describe('history', () => {
  test.each([
    ['one', [a], [a]],
    ['three', [a, b, c], [c, b, a]],
    ['the same again at once', [a, b, b, b], [b, a]],
    ['the same again later', [a, b, a], [a, b, a]],
  ])('after activating %s', (_, digests, history) => {
    using home = activated(...digests)
    expect(home.shelf.history()).toEqual(history)
    expect(home.shelf.currentDigest()).toBe(history[0])
    expect(home.current().manifest.digest).toBe(history[0] as string)
    expect(current(home)).toBe(history.map((digest) => `${digest}\n`).join(''))
    expect(readdirSync(home.path).sort()).toEqual(['current', 'releases'])
  })

  test('is kept for a hundred activations', () => {
    using home = activated()
    writeFileSync(home.shelf.currentFile, `${Array.from({ length: 100 }, (_, at) => (at % 2 ? a : b)).join('\n')}\n`)
    home.shelf.activate(c)
    expect([home.shelf.history().length, ...home.shelf.history().slice(0, 3)]).toEqual([100, c, b, a])
  })

  test.each(['', 'nonsense\n', `${a.slice(1)}\n`, `${a}\nnonsense\n`])('that is %j is refused, and mended', (text) => {
    using home = activated()
    writeFileSync(home.shelf.currentFile, text)
    expect(() => home.shelf.currentDigest()).toThrow(
      `${home.shelf.currentFile} does not hold digests; mend it with nomenclator activate DIGEST`,
    )
    home.shelf.activate(b)
    expect(home.shelf.history()).toEqual(text.startsWith(a) ? [b, a] : [b])
  })
})

describe('activate', () => {
  test.each([
    ['a damaged release', (home: TestHome) => damage(home, b), b],
    ['a release that is not there', () => {}, unknown],
  ])('refuses %s, and leaves the current one', (_, spoil, digest) => {
    using home = activated(a)
    spoil(home)
    expect(() => home.shelf.activate(digest)).toThrow('the release is damaged: ')
    expect(home.shelf.history()).toEqual([a])
  })

  test('as a command takes the beginning of a digest, and refuses a damaged release with 1', async () => {
    using home = activated(a)
    const done = await nomenclator('activate', b.slice(0, 8), '--home', home.path)
    expect(done).toEqual({ code: 0, out: `Release ${b.slice(0, 12)} is now current.\n`, err: '' })
    damage(home, c)
    const refused = await nomenclator('activate', c.slice(0, 8), '--home', home.path)
    expect({ ...refused, err: '' }).toEqual({ code: 1, out: '', err: '' })
    expect(refused.err).toStartWith('nomenclator: the release is damaged: ')
    expect(home.shelf.history()).toEqual([b, a])
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
    for (const digest of gone) home.shelf.remove(digest)
    for (const step of steps) {
      expect(home.shelf.rollback()).toBe(step)
      expect(home.shelf.currentDigest()).toBe(step)
    }
    const stays = home.shelf.history()
    expect(() => home.shelf.rollback()).toThrow('there is no earlier release to go back to')
    expect(home.shelf.history()).toEqual(stays)
  })

  test('passes over a damaged release', () => {
    using home = activated(a, b, c)
    damage(home, b)
    expect(home.shelf.rollback()).toBe(a)
  })

  test('forgets what it came from, and a later activation counts from there', () => {
    using home = activated(a, b)
    home.shelf.rollback()
    expect(home.shelf.history()).toEqual([a])
    home.shelf.activate(c)
    expect(home.shelf.rollback()).toBe(a)
  })

  test('as a command says where it went, and ends with 1 when it cannot', async () => {
    using home = activated(a, b)
    const back = () => nomenclator('rollback', '--home', home.path)
    expect(await back()).toEqual({ code: 0, out: `Release ${a.slice(0, 12)} is current again.\n`, err: '' })
    expect(await back()).toEqual({
      code: 1,
      out: '',
      err: 'nomenclator: there is no earlier release to go back to\n',
    })
  })
})

describe('find', () => {
  const alike = [`${'ab12'.repeat(4)}${'0'.repeat(48)}`, `${'ab12'.repeat(4)}${'1'.repeat(48)}`]
  const home = new TestHome()
  afterAll(() => home[Symbol.dispose]())
  for (const name of [a, ...alike, 'README', a.slice(0, 20)])
    mkdirSync(home.shelf.directoryOf(name), { recursive: true })
  const [one, other] = alike as [string, string]

  test.each([
    ['a whole digest', a, a],
    ['its beginning', a.slice(0, 6), a],
    ['capital letters', a.slice(0, 12).toUpperCase(), a],
    ['just enough of two that are alike', one.slice(0, 17), one],
    ['the other of them', other.slice(0, 17), other],
  ])('by %s', (_, prefix, digest) => expect(home.shelf.find(prefix)).toBe(digest))

  test('by too little tells which there are', () => {
    expect(() => home.shelf.find('ab12')).toThrow('ab12 is not enough: ab12ab12ab12ab12, ab12ab12ab12ab12')
  })

  test.each(['f00f', `${a}0`, 'README', '..'])('by %s finds nothing', (prefix) => {
    expect(() => home.shelf.find(prefix)).toThrow(
      `there is no release ${prefix}; nomenclator releases lists those that are there`,
    )
  })
})

describe('list', () => {
  test('has the newest first, the current one marked, and what is damaged last', () => {
    using home = activated(b)
    const bare = () => home.shelf.list().map(({ digest, current }) => ({ digest, current }))
    expect(bare()).toEqual([
      { digest: c, current: false },
      { digest: b, current: true },
      { digest: a, current: false },
    ])
    damage(home, c)
    expect(bare().map(({ digest }) => digest)).toEqual([b, a, c])
    expect(home.shelf.list()[2]?.manifest).toEqual({ damage: expect.stringContaining('pais.records has 3 bytes') })
  })
})

describe('place', () => {
  const building = async (home: TestHome) => {
    const directory = home.shelf.newBuilding()
    cpSync(model.shelf.directoryOf(a), directory, { recursive: true })
    return directory
  }
  const marked = (home: TestHome) => existsSync(join(home.shelf.directoryOf(a), 'mark'))
  const mark = (home: TestHome) => writeFileSync(join(home.shelf.directoryOf(a), 'mark'), '')

  test('puts a release where there is none', async () => {
    using home = new TestHome()
    await home.shelf.place(await building(home), a)
    expect(await verifyRelease(home.shelf.directoryOf(a), a)).toEqual([])
  })

  test('leaves a sound release as it is', async () => {
    using home = activated(a)
    mark(home)
    await home.shelf.place(await building(home), a)
    expect(marked(home)).toBe(true)
  })

  test.each([
    ['cut short', (path: string) => truncateSync(path, 3)],
    ['altered in one byte', (path: string) => writeFileSync(path, readFileSync(path, 'utf8').replace('MEX', 'MEY'))],
  ])('replaces a release that was %s', async (_, spoil) => {
    using home = activated(a)
    mark(home)
    spoil(join(home.shelf.directoryOf(a), 'pais.records'))
    await home.shelf.place(await building(home), a)
    expect(marked(home)).toBe(false)
    expect(await verifyRelease(home.shelf.directoryOf(a), a)).toEqual([])
    home.shelf.sweep()
    expect(readdirSync(home.path).sort()).toEqual(['current', 'releases'])
  })
})

test('what an interrupted import has left behind is swept away by the next', () => {
  using home = activated(a)
  const before = contentOf(home.path)
  writeFileSync(join(home.shelf.newBuilding(), 'pais.records'), 'half')
  for (const name of ['current.next', 'numbers.json.next']) writeFileSync(join(home.path, name), 'half')
  const directory = home.shelf.newBuilding()
  expect(readdirSync(directory)).toEqual([])
  expect(readdirSync(join(directory, '..'))).toHaveLength(1)
  home.shelf.sweep()
  expect(contentOf(home.path)).toEqual(before)
})

describe('numbers', () => {
  test('are kept', () => {
    using home = new TestHome()
    const numbers = new Numbers()
    numbers.claim(municipio, { idEstado: 1, cveMunicipio: '001', idMunicipio: 41 })
    home.shelf.saveNumbers(numbers)
    expect(home.shelf.loadNumbers().numberFor(municipio, { idEstado: 1, cveMunicipio: '002' })).toBe(42)
    expect(readdirSync(home.path)).toEqual(['numbers.json'])
  })
})

describe('prune', () => {
  const prune = async (home: TestHome, keep: number) => {
    const { code, err } = await nomenclator('releases', 'prune', '--keep', String(keep), '--home', home.path)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    return home.shelf.list().map(({ digest }) => digest)
  }

  test.each([
    ['the oldest', a],
    ['the newest', c],
  ])('keeps the current one, though it is %s', async (_, digest) => {
    using home = activated(digest)
    expect(await prune(home, 0)).toEqual([digest])
    expect(await verifyRelease(home.shelf.directoryOf(digest), digest)).toEqual([])
    expect(
      readdirSync(home.path)
        .filter((name) => !name.startsWith('lock'))
        .sort(),
    ).toEqual(['current', 'releases'])
  })

  test('keeps as many of the newest as it is told', async () => {
    using home = activated(a)
    expect(await prune(home, 1)).toEqual([c, a])
  })
})
