// A home gets what its digests say and nothing else: whatever a shelf has that is wrong is refused, and what was current stays.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FakeShelf } from '../../../../../test/support/fake-shelf.ts'
import { TestHome, ThreeReleases } from '../../../../../test/support/releases.ts'
import { ENTITY_FORMAT, ENTITY_MANIFEST_FILE, type EntityManifest } from '../../release/manifest.ts'
import { SIGNATURE_FILE } from '../../release/signing/release-signature.ts'
import { sha256 } from './chunks.ts'
import { fetchShelf } from './fetch.ts'
import { localStates } from './fetch-entity.ts'
import { readFollowed } from './pointer.ts'

const three = await ThreeReleases.create()
afterAll(() => three[Symbol.dispose]())
const [a, b, c] = three.digests as [string, string, string]

const sound = await FakeShelf.of(three.store)
let fake: FakeShelf
beforeEach(() => {
  fake = sound.copy()
})

/** Homes that have fetched everything, and all of the second release alone. */
const [whole, second] = [new TestHome(), new TestHome()]
beforeAll(async () => {
  await fetchShelf(whole.store, sound.reader())
  const earlier = sound.copy()
  earlier.history = `${b}\n`
  for (const digest of [a, c]) earlier.releases.delete(digest)
  await fetchShelf(second.store, earlier.reader())
})
afterAll(() => {
  for (const home of [whole, second]) home[Symbol.dispose]()
})

function copyOf({ path }: TestHome): TestHome {
  const home = new TestHome()
  cpSync(path, home.path, { recursive: true })
  return home
}

const audience = (release: string) => three.released(release, 'audiencia')

test('a home gets all releases with the current one, the id registry, and the state that it follows', async () => {
  const home = whole
  expect([home.store.history(), home.store.digests().toSorted()]).toEqual([three.store.history(), [a, b, c].toSorted()])
  expect(readFileSync(home.store.idRegistryFile, 'utf8')).toBe(fake.idRegistry)
  for (const digest of [a, b, c]) expect(await home.verify(digest)).toEqual([])
  expect(readFollowed(home.path)).toEqual({ generation: 1, change: 'first', chain: [], complete: true, own: [] })
  expect(existsSync(join(home.path, 'fetching'))).toBe(false)
})

test('who needs the current release alone gets that, and keeps what it has of the others', async () => {
  using empty = new TestHome()
  const { present } = await fetchShelf(empty.store, fake.reader(), { currentOnly: true })
  expect([...present, ...empty.store.digests(), readFollowed(empty.path)?.complete]).toEqual([c, c, false])
  using home = copyOf(whole)
  expect((await fetchShelf(home.store, fake.reader(), { currentOnly: true })).present.size).toBe(3)
  expect(readFollowed(home.path)?.complete).toBe(true)
})

describe('the current release is refused, and what was current stays', () => {
  const checksum = '0'.repeat(64)
  const forged = (change: (manifest: EntityManifest) => EntityManifest) => () =>
    fake.forgeEntity(c, 'localidad', change)
  const filesOf = (manifest: EntityManifest, file: 'records' | 'facts') => ({
    ...manifest,
    files: { ...manifest.files, [file]: { ...manifest.files[file], sha256: checksum } } as EntityManifest['files'],
  })
  const audienceWith = (changed: Partial<ReturnType<typeof audience>>) => () =>
    fake.changeRelease(c, (manifest) => ({
      ...manifest,
      entities: { ...manifest.entities, audiencia: { ...audience(c), ...changed } },
    }))
  const chunkOf = (file: string) => {
    const found = fake.entityChunks.find((one) => one.entity === audience(c).digest && one.file === file)
    if (found === undefined) throw new Error(`there is no chunk of ${file}`)
    return found
  }

  test.each<[string, () => void, string]>([
    [
      'an entity with the records of another release',
      audienceWith({ digest: audience(b).digest }),
      'it has other records',
    ],
    ['other records', forged((manifest) => filesOf(manifest, 'records')), 'it has other records'],
    ['other facts', forged((manifest) => filesOf(manifest, 'facts')), 'it has other records'],
    [
      'no facts',
      forged(({ files: { facts: _, ...files }, ...manifest }) => ({ ...manifest, files })),
      'it has other records',
    ],
    [
      'another number of records',
      forged((manifest) => ({ ...manifest, count: manifest.count + 1 })),
      'it has other records',
    ],
    ['a release that is not there', () => fake.releases.delete(c), `has no release ${c.slice(0, 12)}`],
    [
      'a manifest that is not sound',
      () => fake.changeRelease(c, (manifest) => ({ ...manifest, findings: 7 })),
      'is not sound: findings is 7',
    ],
    [
      'another release under its digest',
      () => fake.releases.set(c, three.store.releaseFiles(b)),
      'another release under the digest',
    ],
    ['a newer format', audienceWith({ format: ENTITY_FORMAT + 1 }), 'which is newer than this program'],
    [
      'an earlier format whose entities are not named',
      audienceWith({ format: ENTITY_FORMAT - 1, digest: '../x' }),
      'that is not sound: entities.audiencia.digest is "../x"',
    ],
    [
      'a file with a name of its own',
      forged((manifest) => ({ ...manifest, files: { ...manifest.files, '../../../x': manifest.files.records } })),
      'files."../../../x" is "../../../x"; expected "records" or',
    ],
    [
      'a release with a file of its own',
      () => fake.releases.set(c, { ...fake.releases.get(c), '../../x': 'y' }),
      'must not have a file "../../x"',
    ],
    [
      'a chunk of another size',
      () => {
        const chunk = chunkOf('words.delta').chunk
        const { size, packed } = fake.chunks.get(chunk) ?? { size: 0, packed: new Uint8Array() }
        fake.chunks.set(chunk, { size: size - 1, packed })
      },
      'has other content than its digest says',
    ],
    ['an entity that is not there', () => fake.entities.delete(audience(c).digest), 'it is not there'],
    [
      'a manifest of an entity that was changed',
      () => fake.entities.set(audience(c).digest, fake.entities.get(audience(b).digest) ?? ''),
      'does not match its digest',
    ],
    [
      'a file that begins later',
      () => {
        const chunk = chunkOf('index.delta')
        fake.entityChunks = fake.entityChunks.map((one) => (one === chunk ? { ...one, start: 1 } : one))
      },
      'the chunks of index.delta do not make up the file',
    ],
    [
      'a file that the manifest does not name',
      () => fake.entityChunks.push({ ...chunkOf('index.delta'), file: 'other' }),
      'it has no file "other"',
    ],
    [
      'a chunk that is sent with other content',
      () => {
        const { chunk } = chunkOf('records')
        const bytes = Bun.zstdDecompressSync(fake.chunks.get(chunk)?.packed as Uint8Array<ArrayBuffer>)
        bytes[0] = (bytes[0] as number) ^ 1
        fake.chunks.set(chunk, { size: bytes.length, packed: Bun.zstdCompressSync(bytes) })
      },
      'has other content than its digest says',
    ],
    ['a chunk that is not sent', () => fake.withheld.add(chunkOf('records').chunk), 'is not there'],
    [
      'a chunk that cannot be unpacked',
      () => {
        const { chunk } = chunkOf('records')
        fake.chunks.set(chunk, { size: fake.chunks.get(chunk)?.size ?? 0, packed: Buffer.from('nonsense') })
      },
      'has other content than its digest says',
    ],
    [
      'a file without its last chunk',
      () => {
        const chunk = chunkOf('records')
        fake.entityChunks = fake.entityChunks.filter((one) => one !== chunk)
      },
      'has 0 bytes instead of',
    ],
    [
      'a form of an index that is none',
      () => {
        const chunk = chunkOf('index.delta')
        const bytes = Buffer.from('nonsense')
        fake.chunks.set(sha256(bytes), { size: bytes.length, packed: Bun.zstdCompressSync(bytes) })
        fake.entityChunks = fake.entityChunks.map((one) => (one === chunk ? { ...one, chunk: sha256(bytes) } : one))
      },
      'the shelf has a damaged entity',
    ],
  ])('%s', async (_, spoil, words) => {
    using home = copyOf(second)
    fake.change = 'second'
    fake.generation++
    spoil()
    await expect(fetchShelf(home.store, fake.reader())).rejects.toThrow(words)
    expect([home.store.currentDigest(), home.store.digests(), await home.verify(b)]).toEqual([b, [b], []])
    expect(readFollowed(home.path)?.change).toBe('first')
    // Nothing wrong is kept: a shelf that is sound again is fetched.
    await fetchShelf(home.store, sound.reader())
    expect([home.store.currentDigest(), await home.verify(c)]).toEqual([c, []])
  })
})

describe('a release that is not current', () => {
  test('and cannot be had is missing, and the others are there', async () => {
    fake.entities.delete(audience(a).digest)
    using home = new TestHome()
    const { missing, present } = await fetchShelf(home.store, fake.reader())
    expect([missing, present]).toEqual([[expect.stringContaining('it is not there')], new Set([c, b])])
    expect(readFollowed(home.path)?.complete).toBe(false)
  })

  test('comes after the current one, the newest first', async () => {
    fake.changeRelease(a, (manifest) => ({ ...manifest, built: '2099-01-01T00:00:00.000Z' }))
    using home = new TestHome()
    const { present } = await fetchShelf(home.store, fake.reader())
    expect([...present]).toEqual([c, a, b])
  })

  test('and that the shelf has no more is removed, unless the home had it before', async () => {
    using home = copyOf(whole)
    using owner = new TestHome()
    three.copyTo(owner, a)
    await fetchShelf(owner.store, fake.reader())
    fake.releases.delete(a)
    for (const { store } of [home, owner]) await fetchShelf(store, fake.reader())
    expect([home, owner].map(({ store }) => store.digests().includes(a))).toEqual([false, true])
    expect(readFollowed(owner.path)?.own.toSorted()).toEqual([a, b, c].toSorted())
  })
})

test('a shelf without a release removes nothing, and is not said to be followed', async () => {
  using home = copyOf(whole)
  const before = readFollowed(home.path)
  await fetchShelf(home.store, new FakeShelf().reader())
  expect([home.store.digests().length, home.store.currentDigest(), readFollowed(home.path)]).toEqual([3, c, before])
})

test('the files of a release are those that the shelf has: one that comes is added, and one that is gone is removed', async () => {
  using home = copyOf(whole)
  const files = fake.releases.get(c) ?? {}
  for (const signature of ['one', 'other', undefined]) {
    fake.releases.set(c, signature === undefined ? files : { ...files, [SIGNATURE_FILE]: signature })
    await fetchShelf(home.store, fake.reader())
    expect(home.store.signatureOf(c)).toBe(signature as string)
    expect(await home.verify(c)).toEqual([])
  }
})

test.each([true, false])(
  'a release of an earlier format is taken, upgraded by others %p or else at once',
  async (outdated) => {
    fake.changeRelease(c, (manifest) => ({
      ...manifest,
      entities: { ...manifest.entities, audiencia: { ...audience(c), format: ENTITY_FORMAT - 1 } },
    }))
    using home = new TestHome()
    const { present } = await fetchShelf(home.store, fake.reader(), { outdated })
    expect([present.has(c), 'unreadable' in home.store.manifestOrReason(c)]).toEqual([true, outdated])
  },
)

describe('what is fetched', () => {
  /** The chunks that come when a home is brought up to date. */
  async function downloads(home: TestHome, options: Parameters<typeof fetchShelf>[2] = {}): Promise<string[]> {
    const chunks: string[] = []
    await fetchShelf(
      home.store,
      fake.reader((chunk) => chunks.push(chunk)),
      options,
    )
    return chunks
  }
  const chunksOf = (entity: string) =>
    new Set(fake.entityChunks.filter((one) => one.entity === entity).map(({ chunk }) => chunk))

  test('is nothing where everything is there', async () => {
    using home = copyOf(whole)
    expect(await downloads(home)).toEqual([])
  })

  test('is what an entity has that no other has', async () => {
    using home = copyOf(whole)
    home.store.activate(b)
    home.store.remove(c)
    const others = new Set([...chunksOf(audience(a).digest), ...chunksOf(audience(b).digest)])
    const ownChunks = [...chunksOf(audience(c).digest)].filter((chunk) => !others.has(chunk))
    expect(new Set(await downloads(home))).toEqual(new Set(ownChunks))
    expect(await home.verify(c)).toEqual([])
  })

  test('may be files as they are on disk, cut anywhere', async () => {
    using home = copyOf(second)
    await fake.cut(three.store, audience(c).digest, 100)
    expect((await downloads(home)).length).toBeGreaterThan(10)
    expect(await home.verify(c)).toEqual([])
  })

  test('is looked for in the same list of the current release first, then in those placed last', () => {
    using home = copyOf(whole)
    const directories = [a, b, c].map((release) => home.store.entityDirectory(audience(release).digest))
    const [ofA, ofB, ofC] = directories as [string, string, string]
    for (const [at, directory] of [ofC, ofA, ofB].entries()) utimesSync(directory, at, at)
    expect(localStates(home.store, 'audiencia')).toEqual([ofC, ofB, ofA])
    rmSync(home.store.currentFile)
    expect(localStates(home.store, 'audiencia')).toEqual([ofB, ofA, ofC])
    rmSync(join(ofB, ENTITY_MANIFEST_FILE))
    mkdirSync(join(ofB, ENTITY_MANIFEST_FILE))
    expect(localStates(home.store, 'audiencia')).toEqual([ofA, ofC])
    rmSync(join(home.path, 'entities'), { recursive: true })
    expect(localStates(home.store, 'audiencia')).toEqual([])
  })

  test('is not what an attempt that was cut short has left, as far as that is sound', async () => {
    using home = new TestHome()
    const { digest } = audience(c)
    const directory = join(home.path, 'fetching', digest)
    mkdirSync(directory, { recursive: true })
    const bytes = readFileSync(join(three.store.entityDirectory(digest), 'records'))
    const chunkOf = (file: string) =>
      fake.entityChunks.find((one) => one.entity === digest && one.file === file)?.chunk ?? ''
    writeFileSync(join(directory, 'records'), bytes)
    writeFileSync(join(directory, 'index.delta'), 'nonsense')
    const chunks = await downloads(home)
    expect([chunks.includes(chunkOf('records')), chunks.includes(chunkOf('index.delta'))]).toEqual([false, true])
    expect(await home.verify(c)).toEqual([])
  })

  test.each<[string, (file: string) => void]>([
    ['is missing', (file) => rmSync(file)],
    ['has lost its end', (file) => truncateSync(file, 1)],
  ])('again: an entity of which a file %s', async (_, spoil) => {
    using home = copyOf(whole)
    spoil(home.fileOf(c, 'audiencia', 'records'))
    expect(await downloads(home)).not.toEqual([])
    expect(await home.verify(c)).toEqual([])
  })

  test('again: an entity that is reported as damaged', async () => {
    using home = copyOf(whole)
    const file = home.fileOf(c, 'audiencia', 'records')
    writeFileSync(file, readFileSync(file, 'utf8').replace('Tres', 'Trex'))
    expect(await downloads(home)).toEqual([])
    expect(await downloads(home, { damaged: (digest) => digest === audience(c).digest })).toHaveLength(1)
    expect(await home.verify(c)).toEqual([])
  })
})
