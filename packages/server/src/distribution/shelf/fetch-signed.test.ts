// A node that requires signatures: whatever an attacker has forged on the shelf, it serves signed releases or those that it had.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync, statSync } from 'node:fs'
import { FakeShelf } from '../../../../../test/support/fake-shelf.ts'
import { TestHome, ThreeReleases } from '../../../../../test/support/releases.ts'
import { ReleaseStore } from '../../release/home/release-store.ts'
import { openReleaseToServe } from '../../release/home/release-to-serve.ts'
import { signInHome } from '../../release/home/sign.ts'
import { isBuiltHere } from '../../release/home/signature-check.ts'
import { tamperedFiles } from '../../release/home/tampered-files.ts'
import { ENTITY_FORMAT, ENTITY_MANIFEST_FILE, type EntityFileName } from '../../release/manifest.ts'
import { KEYS_FILE, withRotation } from '../../release/signing/key-rotation.ts'
import { generateKeys, parseSecretKey, signMessage } from '../../release/signing/minisign.ts'
import {
  SIGNATURE_FILE,
  signaturesIn,
  signedBytes,
  type Trust,
  trustIn,
  UnsignedRelease,
} from '../../release/signing/release-signature.ts'
import { fetchShelf } from './fetch.ts'

const secret = parseSecretKey(generateKeys().secretFile, undefined)
const three = await ThreeReleases.create()
afterAll(() => three[Symbol.dispose]())
const [a, b, c] = three.digests as [string, string, string]
for (const [at, digest] of [a, b, c].entries())
  three.store.placeSignature(
    digest,
    await signInHome(three.store, digest, secret, { days: 1, now: Date.now() + at * 1_000 }),
  )

const sound = await FakeShelf.of(three.store)
let fake: FakeShelf
beforeEach(() => {
  fake = sound.copy()
})

/** A home that takes only what is signed. */
class SignedHome extends TestHome {
  readonly signed: ReleaseStore

  constructor(more: Partial<Trust> = {}) {
    super()
    this.signed = new ReleaseStore(this.path, trustIn([secret.publicKey], more))
  }

  fetch = (shelf = fake) => fetchShelf(this.signed, shelf.reader())
}

const offered = (digest: string) => {
  fake.history = `${digest}\n`
  fake.change = digest
  fake.generation++
}

/** A file with another last byte, which travels like any other. */
const forged = (bytes: Buffer) => Buffer.from(bytes).fill((bytes.at(-1) ?? 0) ^ 1, bytes.length - 1)

test('everything that is signed is taken as it is, and nothing is built', async () => {
  using home = new SignedHome()
  await home.fetch()
  for (const digest of [a, b, c]) {
    expect(home.signed.read(digest).proof?.covers).toEqual(['records', 'definitions', 'origin', 'files'])
    expect(isBuiltHere(home.store, home.store.read(digest).manifest)).toBe(false)
  }
})

test('identifiers are taken only if the signature of the current release names them', async () => {
  using home = new SignedHome()
  const registry = () => readFileSync(home.signed.idRegistryFile, 'utf8')
  offered(b)
  await home.fetch()
  expect(registry()).toBe(sound.idRegistry)
  offered(c)
  fake.idRegistry = '{"pais":[[4711,"MEX"]]}\n'
  await home.fetch()
  expect([home.signed.currentDigest(), registry()]).toEqual([c, sound.idRegistry])
  using open = new TestHome()
  await fetchShelf(open.store, fake.reader())
  expect(readFileSync(open.store.idRegistryFile, 'utf8')).toBe(fake.idRegistry)
})

describe('forged, with digests that fit', () => {
  const files: EntityFileName[] = ['offsets', 'etags', 'index', 'words']
  const forgeFile = (file: EntityFileName) => {
    return fake.forgeFile(c, 'pais', file, forged(readFileSync(three.fileOf(c, 'pais', file))))
  }

  test.each<[string, () => Promise<void> | void]>([
    ...files.map((file): [string, () => Promise<void>] => [file, () => forgeFile(file)]),
    [
      ENTITY_MANIFEST_FILE,
      () => void fake.forgeEntity(c, 'pais', (one) => ({ ...one, definition: { ...one.definition, title: 'x' } })),
    ],
    ['the date', () => fake.changeRelease(c, (manifest) => ({ ...manifest, built: '2031-01-01T00:00:00.000Z' }))],
    [
      'the credits',
      () =>
        fake.changeRelease(c, ({ source, ...one }) => ({
          ...one,
          source: { ...source, credits: [{ to: 'me', of: [] }] },
        })),
    ],
    [
      'the findings',
      () =>
        fake.changeRelease(c, (manifest) => ({ ...manifest, findings: [], versions: { nomenclator: '9', bun: '9' } })),
    ],
  ])('%s: the node keeps what it had', async (_, forge) => {
    using home = new SignedHome()
    offered(b)
    await home.fetch()
    const before = home.signed.releaseFiles(c)
    offered(c)
    await forge()
    await expect(home.fetch()).rejects.toThrow(UnsignedRelease)
    expect([home.signed.currentDigest(), home.signed.releaseFiles(c)]).toEqual([b, before])
    // Without required signatures, a release that fits its digests is accepted.
    using open = new TestHome()
    await fetchShelf(open.store, fake.reader())
    expect(open.store.currentDigest()).toBe(c)
    expect(() => new ReleaseStore(open.path, home.signed.trust).read(c)).toThrow(UnsignedRelease)
  })

  test.each(files)('%s is named', async (file) => {
    await forgeFile(file)
    using open = new TestHome()
    await fetchShelf(open.store, fake.reader())
    expect(await tamperedFiles(open.store, c)).toEqual([`${open.fileOf(c, 'pais', file)} (pais)`])
  })

  test('an older release is as good as not there', async () => {
    fake.changeRelease(a, (manifest) => ({ ...manifest, built: '2031-01-01T00:00:00.000Z' }))
    using home = new SignedHome()
    expect((await home.fetch()).missing).toEqual([])
    expect(home.signed.digests().toSorted()).toEqual([b, c].toSorted())
  })
})

describe('where a signature covers the records only', () => {
  beforeEach(() => {
    const { manifest } = three.store.read(c)
    fake.releases.set(c, { ...fake.releases.get(c), [SIGNATURE_FILE]: signMessage(secret, signedBytes(manifest), 'x') })
  })

  test('the other files are built from them, once', async () => {
    const index = readFileSync(three.fileOf(c, 'pais', 'index'))
    await fake.forgeFile(c, 'pais', 'index', forged(index))
    using home = new SignedHome()
    await home.fetch()
    expect(home.signed.read(c).proof?.covers).toEqual(['records'])
    expect(readFileSync(home.fileOf(c, 'pais', 'index')).equals(index)).toBe(true)
    const { ino } = statSync(home.store.releaseDirectory(c))
    await home.fetch()
    expect(statSync(home.store.releaseDirectory(c)).ino).toBe(ino)
  })

  test('what another format has made of them is built here too', async () => {
    fake.releases.set(c, sound.releases.get(c) ?? {})
    fake.changeRelease(c, (manifest) => ({
      ...manifest,
      entities: Object.fromEntries(
        Object.entries(manifest.entities).map(([name, one]) => [name, { ...one, format: ENTITY_FORMAT - 1 }]),
      ),
    }))
    using home = new SignedHome()
    await home.fetch()
    expect(isBuiltHere(home.signed, home.signed.read(c).manifest)).toBe(true)
  })
})

test('where the current release is not signed, a home with nothing that is gets the newest that is', async () => {
  using home = new SignedHome()
  const { [SIGNATURE_FILE]: _, ...unsigned } = fake.releases.get(c) ?? {}
  fake.releases.set(c, unsigned)
  // It has what is not signed, from before signatures were required.
  await fetchShelf(home.store, fake.reader())
  for (const digest of [a, b]) home.store.remove(digest)
  await expect(home.fetch()).rejects.toThrow('it is not signed')
  expect(home.signed.digests().filter((digest) => !('unreadable' in home.signed.manifestOrReason(digest)))).toEqual([b])
  expect((await openReleaseToServe(home.signed))?.release.digest).toBe(b)
})

describe('going back', () => {
  test('is refused, unless a person accepts it or it is signed again', async () => {
    using home = new SignedHome()
    await home.fetch()
    offered(b)
    await expect(home.fetch()).rejects.toThrow('it was signed before what is current here')
    expect(home.signed.currentDigest()).toBe(c)
    await fetchShelf(new ReleaseStore(home.path, trustIn([secret.publicKey], { acceptsRollback: true })), fake.reader())
    expect(home.signed.currentDigest()).toBe(b)
    offered(a)
    await expect(home.fetch()).rejects.toThrow('--accept-rollback')
    using publisher = three.copyTo(new TestHome(), a)
    const again = await signInHome(publisher.store, a, secret, { days: undefined })
    fake.releases.set(a, { ...fake.releases.get(a), [SIGNATURE_FILE]: again })
    await home.fetch()
    expect(home.signed.currentDigest()).toBe(a)
  })

  test('to an earlier signature of the same release is refused too', async () => {
    using home = new SignedHome()
    const later = await signInHome(three.store, c, secret, { days: 100, now: Date.now() + 10_000 })
    const earlier = fake.releases.get(c) ?? {}
    fake.releases.set(c, { ...earlier, [SIGNATURE_FILE]: later })
    await home.fetch()
    fake.releases.set(c, earlier)
    await expect(home.fetch()).rejects.toThrow('it was signed before')
  })
})

describe('another key', () => {
  const next = parseSecretKey(generateKeys().secretFile, undefined)
  const thief = parseSecretKey(generateKeys().secretFile, undefined)
  const rotation = (by: typeof secret, to: typeof secret) => withRotation(undefined, [to.publicKey], by)
  const signedBy = async (digest: string, key: typeof secret) => {
    using publisher = three.copyTo(new TestHome(), digest)
    const all = await signInHome(publisher.store, digest, key, { days: undefined, now: Date.now() + 60_000 })
    return signaturesIn(all).at(-1) as string
  }
  const offer = async (digest: string, key: typeof secret, keys?: string) => {
    offered(digest)
    const files = fake.releases.get(digest)
    fake.releases.set(digest, {
      ...files,
      [SIGNATURE_FILE]: await signedBy(digest, key),
      ...(keys && { [KEYS_FILE]: keys }),
    })
  }

  test('is trusted once the old one has said so, and the old one no more', async () => {
    using home = new SignedHome()
    offered(a)
    await home.fetch()
    await offer(b, next, rotation(thief, next))
    await expect(home.fetch()).rejects.toThrow(UnsignedRelease)
    await offer(b, next, rotation(secret, next))
    await home.fetch()
    expect(home.signed.currentDigest()).toBe(b)
    // Who has stolen the old key offers a release without the rotation, or with one of their own.
    for (const keys of [undefined, rotation(secret, thief)]) {
      await offer(c, keys === undefined ? secret : thief, keys)
      await expect(home.fetch()).rejects.toThrow(UnsignedRelease)
    }
    await offer(c, next, rotation(secret, next))
    await home.fetch()
    expect(home.signed.read(c).proof?.key).toEqual(next.publicKey)
  })
})

test('what has expired is taken, and refused where the operator says so', async () => {
  const expired = await signInHome(three.store, c, secret, { days: 1, now: Date.now() - 2 * 86_400_000 })
  fake.releases.set(c, { ...fake.releases.get(c), [SIGNATURE_FILE]: expired })
  using mild = new SignedHome()
  await mild.fetch()
  expect(mild.signed.currentDigest()).toBe(c)
  using strict = new SignedHome({ refusesExpired: true })
  await expect(strict.fetch()).rejects.toThrow('its signature has expired on')
  expect(strict.signed.currentDigest()).toBeUndefined()
})

test('a publisher does not sign what a shelf has forged', async () => {
  const index = readFileSync(three.fileOf(c, 'pais', 'index'))
  await fake.forgeFile(c, 'pais', 'index', forged(index))
  using publisher = new TestHome()
  await fetchShelf(publisher.store, fake.reader())
  expect(readFileSync(publisher.fileOf(c, 'pais', 'index')).equals(forged(index))).toBe(true)
  // Also not by way of a release that names the forged entity again.
  const { digest } = await publisher.import(ThreeReleases.source('Cuatro'), { acceptChanges: true })
  for (const release of [c, digest]) {
    publisher.store.placeSignature(release, await signInHome(publisher.store, release, secret, { days: undefined }))
    expect(readFileSync(publisher.fileOf(release, 'pais', 'index')).equals(index)).toBe(true)
    expect(new ReleaseStore(publisher.path, trustIn([secret.publicKey])).read(release).proof?.covers).toContain('files')
  }
})
