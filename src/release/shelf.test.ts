// The releases on disk: how one is found, listed, put there and swept away.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { contentOf, TestHome, ThreeReleases } from '../../test/support/releases.ts'
import { municipio } from '../catalog/entities.ts'
import { IdRegistry } from './id-registry.ts'
import { Shelf } from './shelf.ts'
import { verifyRelease } from './verify.ts'

setDefaultTimeout(60_000)

const model = await ThreeReleases.create()
afterAll(() => model[Symbol.dispose]())
const [a, b, c] = model.digests as [string, string, string]

const activated = (...digests: readonly string[]) => model.copyTo(new TestHome(), ...digests)
const damage = (home: TestHome, digest: string) => truncateSync(join(home.shelf.directoryOf(digest), 'pais.records'), 3)

test('a home with nothing in it, or that is not there, has no release', () => {
  using home = new TestHome()
  for (const shelf of [home.shelf, new Shelf(join(home.path, 'nowhere'))]) {
    expect(shelf.currentDigest()).toBeUndefined()
    expect(shelf.openCurrent()).toBeUndefined()
    expect(shelf.history()).toEqual([])
    expect(shelf.list()).toEqual([])
    expect(shelf.loadIdRegistry().save()).toEqual(new IdRegistry().save())
  }
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
    const numbers = new IdRegistry()
    numbers.claim(municipio, { idEstado: 1, cveMunicipio: '001', idMunicipio: 41 })
    home.shelf.saveIdRegistry(numbers)
    expect(home.shelf.loadIdRegistry().numberFor(municipio, { idEstado: 1, cveMunicipio: '002' })).toBe(42)
    expect(readdirSync(home.path)).toEqual(['numbers.json'])
  })

  test('that are damaged are refused, with what to do', () => {
    using home = new TestHome()
    home.shelf.saveIdRegistry(new IdRegistry())
    const path = join(home.shelf.home, 'numbers.json')
    for (const damaged of ['{', '{"pais":7}']) {
      writeFileSync(path, damaged)
      expect(() => home.shelf.loadIdRegistry()).toThrow(`${path} is damaged`)
    }
  })
})
