// Older releases: found without reading more than is needed, let go when they are not, and never called gone in error.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { releaseOf, TestDirectory, variantOf } from '../../../../../test/support/releases.ts'
import { responseTo } from '../../../../../test/support/responses.ts'
import { countries, smallSource } from '../../../../../test/support/small-source.ts'
import { createApp } from '../app.ts'
import { ProblemError } from '../problem.ts'
import { MAX_OPEN, OpenReleases, type ReadableStore } from './open-releases.ts'

const current = await releaseOf(smallSource({ pais: countries(3) }))
const directory = new TestDirectory()
afterAll(() => directory[Symbol.dispose]())

/** Begins with its number, so that no two begin alike. */
const digestOf = (number: number) => number.toString(16).padStart(8, '0').padEnd(64, 'f')

/** A store of directories with nothing in them, which counts what is read of it. */
class CountingStore implements ReadableStore {
  readonly opened: string[] = []
  listed = 0
  manifestsRead = 0
  /** When releases were built, where that is another time than that of the current one. */
  readonly built = new Map<string, string>()
  /** Thrown by the next attempts to open a release. */
  failure: Error | undefined
  readonly #digests = new Set<string>()

  place(digest: string): string {
    mkdirSync(this.releaseDirectory(digest))
    this.#digests.add(digest)
    return digest
  }

  remove(digest: string): void {
    rmSync(this.releaseDirectory(digest), { recursive: true })
    this.#digests.delete(digest)
  }

  clear(): void {
    for (const digest of [...this.#digests]) this.remove(digest)
  }

  digests(): string[] {
    this.listed++
    return [...this.#digests]
  }

  releaseDirectory = (digest: string): string => join(directory.path, digest)

  signatureOf = () => undefined

  open(digest: string) {
    if (this.failure !== undefined) throw this.failure
    this.opened.push(digest)
    return variantOf(current, { digest })
  }

  manifestOrReason(digest: string) {
    this.manifestsRead++
    return { ...current.manifest, digest, built: this.built.get(digest) ?? current.manifest.built }
  }
}

let store: CountingStore
let releases: OpenReleases
beforeEach(() => {
  store?.clear()
  store = new CountingStore()
  releases = new OpenReleases(() => current, store)
})

const problemOf = (call: () => unknown): unknown => {
  try {
    return call()
  } catch (error) {
    return error instanceof ProblemError ? error.problem : error
  }
}

describe('an older release', () => {
  test('is opened once, and after that costs no look at any other', () => {
    const digest = store.place(digestOf(1))
    for (let times = 0; times < 3; times++) expect(releases.find('release', digest).digest).toBe(digest)
    expect(store).toMatchObject({ opened: [digest], listed: 0, manifestsRead: 0 })
  })

  test('is found by the beginning of its digest, from the names of the directories alone', () => {
    const digest = store.place(digestOf(1))
    store.place(digestOf(2))
    expect(releases.find('release', digest.slice(0, 8)).digest).toBe(digest)
    expect(store).toMatchObject({ opened: [digest], listed: 1, manifestsRead: 0 })
  })

  test('that is not the only one to begin like this is refused as ambiguous', () => {
    for (const last of ['a', 'b']) store.place(`${'1'.repeat(63)}${last}`)
    expect(problemOf(() => releases.find('to', '11111111'))).toEqual({
      kind: 'bad-parameter',
      name: 'to',
      value: '11111111',
      allowed: 'more of the digest: 2 begin like this',
    })
  })

  test.each([digestOf(9), '00000009'])('that was never there is gone: %s', (digest) => {
    expect(problemOf(() => releases.find('release', digest))).toEqual({ kind: 'release-gone', digest })
  })

  test('that is removed is gone at once, also when it was open', () => {
    const digest = store.place(digestOf(1))
    releases.find('release', digest)
    store.remove(digest)
    expect(problemOf(() => releases.find('release', digest))).toEqual({ kind: 'release-gone', digest })
  })

  test('that is replaced is opened again', async () => {
    const digest = store.place(digestOf(1))
    releases.find('release', digest)
    store.remove(digest)
    // A directory that is made in the same instant may be given the number of the one before.
    await Bun.sleep(20)
    store.place(digest)
    releases.find('release', digest)
    expect(store.opened).toEqual([digest, digest])
  })

  test('that is removed while it is being opened is gone', () => {
    const digest = store.place(digestOf(1))
    store.open = () => {
      store.remove(digest)
      throw new Error('manifest.json is missing')
    }
    expect(problemOf(() => releases.find('release', digest))).toEqual({ kind: 'release-gone', digest })
  })
})

describe('of those that are open', () => {
  test(`at most ${MAX_OPEN} are kept, and the least recently used is let go`, () => {
    const digests = Array.from({ length: MAX_OPEN }, (_, number) => store.place(digestOf(number)))
    const [first = '', second = ''] = digests
    for (const digest of digests) releases.find('release', digest)
    releases.find('release', first)
    const further = store.place(digestOf(MAX_OPEN))
    releases.find('release', further)
    expect(store.opened).toEqual([...digests, further])
    releases.find('release', first)
    expect(store.opened).toEqual([...digests, further])
    releases.find('release', second)
    expect(store.opened).toEqual([...digests, further, second])
  })

  test.each([
    ['another is opened', () => void releases.find('release', store.place(digestOf(2)))],
    ['all are listed', () => void releases.list()],
  ])('one that was removed is not held any longer when %s', async (_event, happen) => {
    const digest = store.place(digestOf(1))
    const held = new WeakRef(releases.find('release', digest))
    store.remove(digest)
    happen()
    // A weak reference is kept until the turn in which it was made has ended.
    for (let turns = 0; turns < 50 && held.deref() !== undefined; turns++) {
      await Bun.sleep(1)
      Bun.gc(true)
    }
    expect(held.deref()).toBeUndefined()
  })
})

describe('the list', () => {
  test('reads each manifest once, and leaves out what was removed', () => {
    const [one, two] = [store.place(digestOf(1)), store.place(digestOf(2))]
    const listed = () => releases.list().map(({ digest }) => digest)
    expect(listed()).toEqual([one, two, current.digest].sort())
    listed()
    expect(store.manifestsRead).toBe(2)
    store.remove(one)
    expect(listed()).toEqual([two, current.digest].sort())
    expect(store.manifestsRead).toBe(2)
  })

  test('is of the newest first', () => {
    const [one, two, three] = [1, 2, 3].map((number) => store.place(digestOf(number))) as [string, string, string]
    store.built
      .set(one, '2001-01-01T00:00:00.000Z')
      .set(two, '2003-01-01T00:00:00.000Z')
      .set(three, '2002-01-01T00:00:00.000Z')
    expect(releases.list().map(({ digest }) => digest)).toEqual([current.digest, two, three, one])
  })

  test('reads a manifest again where the release was replaced', () => {
    const digest = store.place(digestOf(1))
    const builtOf = () => releases.list().find((manifest) => manifest.digest === digest)?.built
    expect(builtOf()).toBe(current.manifest.built)
    const built = '2001-01-01T00:00:00.000Z'
    store.built.set(digest, built)
    expect(builtOf()).toBe(current.manifest.built)
    // Another directory under the same name, made while the one before is still there.
    const before = `${store.releaseDirectory(digest)}-before`
    renameSync(store.releaseDirectory(digest), before)
    store.place(digest)
    expect(builtOf()).toBe(built)
    rmSync(before, { recursive: true })
  })
})

test.each([
  ['too many open files', Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' })],
  ['a directory that may not be read', Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' })],
  ['damage', new Error('the release is damaged')],
])('%s is logged and no fault of the request', async (_name, failure) => {
  const digest = store.place(digestOf(1))
  const logged: unknown[] = []
  const app = createApp({
    release: () => current,
    store,
    policy: { baseUrl: 'http://x', trustedProxies: undefined },
    logError: (error) => logged.push(error),
  })
  const status = async () =>
    (await responseTo(app, { target: `/api/v2/paises?release=${digest}` }, { listeningUrl: '', peer: undefined }))
      .status
  store.failure = failure
  expect([await status(), logged]).toEqual([500, [failure]])
  store.failure = undefined
  expect(await status()).toBe(200)
})
