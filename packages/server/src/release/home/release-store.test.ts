// The releases on disk: how one is found, listed, put there and swept away.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { municipio } from '../../../../../test/support/built-in.ts'
import { IRREGULAR } from '../../../../../test/support/irregular-files.ts'
import { contentOf, nomenclator, TestHome, ThreeReleases } from '../../../../../test/support/releases.ts'
import { sizeOf } from '../manifest.ts'
import { IdRegistry } from './id-registry.ts'
import { ReleaseStore } from './release-store.ts'
import { verifyEntity } from './verify.ts'

setDefaultTimeout(180_000)

const model = await ThreeReleases.create()
afterAll(() => model[Symbol.dispose]())
const [a, b, c] = model.digests as [string, string, string]

const activated = (...digests: readonly string[]) => model.copyTo(new TestHome(), ...digests)
/** In what no other of the releases has. */
const damage = (home: TestHome, digest: string) => truncateSync(home.fileOf(digest, 'audiencia', 'records'), 3)

test('a home with nothing in it, or that is not there, has no release', () => {
  using home = new TestHome()
  for (const store of [home.store, new ReleaseStore(join(home.path, 'nowhere'))]) {
    expect(store.currentDigest()).toBeUndefined()
    expect(store.openCurrent()).toBeUndefined()
    expect(store.history()).toEqual([])
    expect(store.list()).toEqual([])
    expect(store.loadIdRegistry().save()).toEqual(new IdRegistry().save())
  }
})

describe('find', () => {
  const alike = [`${'ab12'.repeat(4)}${'0'.repeat(48)}`, `${'ab12'.repeat(4)}${'1'.repeat(48)}`]
  const home = new TestHome()
  afterAll(() => home[Symbol.dispose]())
  for (const name of [a, ...alike, 'README', a.slice(0, 20)])
    mkdirSync(home.store.releaseDirectory(name), { recursive: true })
  const [one, other] = alike as [string, string]

  test.each([
    ['a whole digest', a, a],
    ['its beginning', a.slice(0, 6), a],
    ['capital letters', a.slice(0, 12).toUpperCase(), a],
    ['just enough of two that are alike', one.slice(0, 17), one],
    ['the other of them', other.slice(0, 17), other],
  ])('by %s', (_, prefix, digest) => expect(home.store.find(prefix)).toBe(digest))

  test('by too few digits lists which there are', () => {
    expect(() => home.store.find('ab12')).toThrow('ab12 is not enough: ab12ab12ab12ab12, ab12ab12ab12ab12')
  })

  test.each(['f00f', `${a}0`, 'README', '..'])('by %s finds nothing', (prefix) => {
    expect(() => home.store.find(prefix)).toThrow(
      `there is no release ${prefix}; nomenclator releases lists those that are there`,
    )
  })
})

describe('list', () => {
  test('has the newest first, the current one marked, and what is damaged last', () => {
    using home = activated(b)
    const bare = () => home.store.list().map(({ digest, current }) => ({ digest, current }))
    expect(bare()).toEqual([
      { digest: c, current: false },
      { digest: b, current: true },
      { digest: a, current: false },
    ])
    damage(home, c)
    expect(bare().map(({ digest }) => digest)).toEqual([b, a, c])
    expect(home.store.list()[2]?.manifest).toEqual({
      unreadable: expect.stringMatching(/records has 3 bytes instead of/),
    })
  })

  test('shows what removing a release would free: what no other one names', () => {
    using home = activated(b)
    const bytes = (digest: string) => home.released(digest, 'audiencia').bytes
    const own = () => Object.fromEntries(home.store.list().map(({ digest, ownBytes }) => [digest, ownBytes]))
    expect(own()).toEqual({ [a]: bytes(a), [b]: bytes(b), [c]: bytes(c) })
    for (const digest of [a, c]) home.store.remove(digest)
    expect(own()).toEqual({ [b]: sizeOf(home.current().manifest) })
    expect(sizeOf(home.current().manifest)).toBeGreaterThan(bytes(b))
  })

  test('as a command is one JSON document with --json', async () => {
    using home = activated(b)
    damage(home, c)
    const { code, out, err } = await nomenclator('releases', '--json', '--home', home.path)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const { manifest } = home.store.read(a)
    const unreadable = expect.stringContaining('the release is damaged: ')
    expect(JSON.parse(out)).toEqual([
      { digest: b, current: true, manifest: home.current().manifest, ownBytes: home.released(b, 'audiencia').bytes },
      { digest: a, current: false, manifest, ownBytes: home.released(a, 'audiencia').bytes },
      { digest: c, current: false, manifest: { unreadable }, ownBytes: 0 },
    ])
  })

  test('of damaged releases shows no size', () => {
    using home = activated(b)
    damage(home, c)
    expect(home.store.list().find(({ digest }) => digest === c)?.ownBytes).toBe(0)
  })
})

describe('an entity', () => {
  const { digest } = model.released(a, 'pais')
  const building = (home: TestHome) => {
    const directory = join(home.store.newBuilding(), 'pais')
    cpSync(model.store.entityDirectory(digest), directory, { recursive: true })
    return directory
  }
  const mark = (home: TestHome) => join(home.store.entityDirectory(digest), 'mark')
  const wrong = (home: TestHome) => verifyEntity(home.store.entityDirectory(digest), digest)

  test('is placed where there is none', async () => {
    using home = new TestHome()
    expect(await home.store.placeEntity(building(home), digest)).toBe('placed')
    expect(await wrong(home)).toEqual([])
  })

  test('that is there and sound stays as it is', async () => {
    using home = activated(a)
    const directory = building(home)
    writeFileSync(mark(home), '')
    expect(await home.store.placeEntity(directory, digest)).toBe('was there')
    expect(existsSync(mark(home))).toBe(true)
  })

  test.each([
    ['cut short', (path: string) => truncateSync(path, 3)],
    ['altered in one byte', (path: string) => writeFileSync(path, readFileSync(path, 'utf8').replace('MEX', 'MEY'))],
    ['removed in part', (path: string) => rmSync(path)],
  ])('that was %s is replaced', async (_, spoil) => {
    using home = activated(a)
    const directory = building(home)
    writeFileSync(mark(home), '')
    spoil(home.fileOf(a, 'pais', 'records'))
    expect(await home.store.placeEntity(directory, digest)).toBe('mended')
    expect(existsSync(mark(home))).toBe(false)
    expect(await wrong(home)).toEqual([])
    home.store.sweep()
    expect(readdirSync(home.path).sort()).toEqual(['current', 'entities', 'releases'])
  })
})

describe('a manifest', () => {
  const { manifest } = model.store.read(a)

  test('is placed where there is none', () => {
    using home = activated(b)
    home.store.remove(a)
    cpSync(join(model.path, 'entities'), join(home.path, 'entities'), { recursive: true })
    home.store.placeRelease(manifest)
    expect(home.store.read(a).manifest).toEqual(manifest)
    expect(readdirSync(home.store.releaseDirectory(a))).toEqual(['manifest.json'])
  })

  test('of the same digest is replaced', () => {
    using home = activated(a)
    home.store.placeRelease({ ...manifest, built: '2001-02-03T04:05:06.000Z' })
    expect(home.store.read(a).manifest.built).toBe('2001-02-03T04:05:06.000Z')
    expect(readdirSync(home.store.releaseDirectory(a))).toEqual(['manifest.json'])
  })
})

describe('sweep', () => {
  const stray = '0123456789abcdef'.repeat(4)

  test('removes entities that no release names', () => {
    using home = activated(a)
    const before = contentOf(home.path)
    mkdirSync(home.store.entityDirectory(stray))
    home.store.sweep()
    expect(contentOf(home.path)).toEqual(before)
  })

  test.each([
    ['that is damaged', (path: string) => writeFileSync(path, '{')],
    ['that is missing', (path: string) => rmSync(path)],
  ])('removes none while a manifest %s does not say which it names', (_, spoil) => {
    using home = activated(a)
    spoil(join(home.store.releaseDirectory(b), 'manifest.json'))
    mkdirSync(home.store.entityDirectory(stray))
    const before = contentOf(home.path)
    home.store.sweep()
    expect(contentOf(home.path)).toEqual(before)
  })

  test('keeps the entities of a release whose other entities are damaged', () => {
    using home = activated(a)
    damage(home, b)
    const before = contentOf(home.path)
    home.store.sweep()
    expect(contentOf(home.path)).toEqual(before)
  })
})

test('what an interrupted import has left behind is swept away by the next', () => {
  using home = activated(a)
  const before = contentOf(home.path)
  writeFileSync(join(home.store.newBuilding(), 'records'), 'half')
  for (const name of ['current.next', 'id-registry.json.next', `releases/${b}/manifest.json.next`])
    writeFileSync(join(home.path, name), 'half')
  const directory = home.store.newBuilding()
  expect(readdirSync(directory)).toEqual([])
  expect(readdirSync(join(directory, '..'))).toHaveLength(1)
  home.store.sweep()
  expect(contentOf(home.path)).toEqual(before)
})

describe('the id registry', () => {
  test('is kept', () => {
    using home = new TestHome()
    const registry = new IdRegistry()
    registry.claim(municipio, { idEstado: 1, cveMunicipio: '001', idMunicipio: 41 })
    home.store.saveIdRegistry(registry)
    expect(home.store.loadIdRegistry().idFor(municipio, { idEstado: 1, cveMunicipio: '002' })).toBe(42)
    expect(readdirSync(home.path)).toEqual(['id-registry.json'])
  })

  test('that is damaged is refused, with what to do', () => {
    using home = new TestHome()
    home.store.saveIdRegistry(new IdRegistry())
    const path = join(home.store.home, 'id-registry.json')
    for (const damaged of ['{', '{"pais":7}']) {
      writeFileSync(path, damaged)
      expect(() => home.store.loadIdRegistry()).toThrow(`${path} is damaged`)
    }
  })

  test.each(Object.entries(IRREGULAR))('that is %s is refused', async (_, make) => {
    using home = new TestHome()
    await make(home.store.idRegistryFile)
    expect(() => home.store.loadIdRegistry()).toThrow(`${home.store.idRegistryFile} is not a regular file`)
  })
})

describe('what another machine has', () => {
  test('is taken over, but an id registry that it does not have replaces none', () => {
    using home = activated(a, b)
    const { store } = home
    const registry = '{"pais":[[484,"MEX"]]}\n'
    writeFileSync(store.idRegistryFile, registry)
    store.adopt({ history: `${a}\n`, idRegistry: '' }, false)
    expect([store.history(), readFileSync(store.idRegistryFile, 'utf8')]).toEqual([[a], registry])
    store.adopt({ history: `${b}\n`, idRegistry: '{}\n' }, false)
    expect([store.history(), readFileSync(store.idRegistryFile, 'utf8')]).toEqual([[b], '{}\n'])
  })

  test('has no file that is only being written', () => {
    using home = activated(a)
    const files = home.store.releaseFiles(a)
    writeFileSync(join(home.store.releaseDirectory(a), 'manifest.json.next'), '{')
    expect(home.store.releaseFiles(a)).toEqual(files)
    expect(home.store.hasReleaseFiles(a, files)).toBe(true)
  })
})
