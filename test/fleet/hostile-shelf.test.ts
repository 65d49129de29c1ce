// What a shelf sends that is not sound is refused in words and changes nothing, signed or not; once the shelf is sound again, it is followed.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '../../packages/server/src/distribution/shelf/chunks.ts'
import { fetchShelf } from '../../packages/server/src/distribution/shelf/fetch.ts'
import { ShelfFollower } from '../../packages/server/src/distribution/shelf/follower.ts'
import { openHttpShelf } from '../../packages/server/src/distribution/shelf/http-shelf.ts'
import { nextPointer } from '../../packages/server/src/distribution/shelf/pointer.ts'
import { openHosts } from '../../packages/server/src/distribution/shelf/several-hosts.ts'
import type { OpenHost, OpenShelf } from '../../packages/server/src/distribution/shelf/shelf-reader.ts'
import { ReleaseStore } from '../../packages/server/src/release/home/release-store.ts'
import { signInHome } from '../../packages/server/src/release/home/sign.ts'
import type { EntityManifest, Manifest } from '../../packages/server/src/release/manifest.ts'
import { generateKeys, parseSecretKey } from '../../packages/server/src/release/signing/minisign.ts'
import { trustIn } from '../../packages/server/src/release/signing/release-signature.ts'
import { FakeShelf } from '../support/fake-shelf.ts'
import { TestHome, ThreeReleases } from '../support/releases.ts'
import { eventually } from '../support/service.ts'

setDefaultTimeout(120_000)

const secret = parseSecretKey(generateKeys().secretFile, undefined)
const three = await ThreeReleases.create()
afterAll(() => three[Symbol.dispose]())
const [a, b, c] = three.digests as [string, string, string]
for (const [at, digest] of [a, b, c].entries())
  three.store.placeSignature(
    digest,
    await signInHome(three.store, digest, secret, { days: 1, now: Date.now() + at * 1_000 }),
  )
const all = await FakeShelf.of(three.store)

/** The shelf after another change, which makes this release current. */
const changed = (base: FakeShelf, name: string, current: string): FakeShelf =>
  Object.assign(base.copy(), nextPointer(base, name), { history: `${current}\n` })

const first = changed(all, 'the first', b)
first.releases.delete(c)
const sound = changed(first, 'the next', c)
sound.releases.set(c, all.releases.get(c) ?? {})

/** All files of a home but those on their way, and their content where they are small. */
function stateOf({ path }: TestHome): object {
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !/^(fetching|lock|entities)/.test(name),
  )
  const read = (name: string) => (/current|json$|minisig$/.test(name) ? readFileSync(join(path, name), 'utf8') : '')
  return Object.fromEntries(names.toSorted().map((name) => [name, read(name)]))
}

const withDefinition = (change: (definition: EntityManifest['definition']) => object) => (shelf: FakeShelf) =>
  void shelf.forgeEntity(c, 'audiencia', (manifest) => ({
    ...manifest,
    definition: change(manifest.definition) as never,
  }))
const withFields = (fields: object | null) =>
  withDefinition((definition) => ({ ...definition, fields: fields && { ...definition.fields, ...fields } }))
const field = (more: object) => ({ kind: 'code', description: 'x', shape: 'x', ...more })
const withEntity = (change: object) => (shelf: FakeShelf) =>
  shelf.changeRelease(c, ({ entities, ...manifest }) => ({
    ...manifest,
    entities: { ...entities, audiencia: { ...entities.audiencia, ...change } },
  }))

const BRACKETS = '['.repeat(1 << 22)

/** What is sent, what it is made of, and the words of its refusal. */
const CASES: readonly [string, (shelf: FakeShelf) => unknown, string][] = [
  ['a history with a path', (shelf) => (shelf.history = `../../x\n${c}\n`), 'history is'],
  ['a history with a blank line', (shelf) => (shelf.history = `${c}\n\n${b}\n`), 'history is'],
  ['a history without end', (shelf) => (shelf.history = `${c}\n`.repeat(1_000)), 'history is'],
  ['a history of a release that is not there', (shelf) => (shelf.history = `${'0'.repeat(64)}\n`), 'has no release'],
  ...['garbage{', '[]', '{"pais":5}', '{"pais":[[1]]}', '{"pais":[["1","a"]]}', '{"__proto__":[[1,"a"]]}'].map(
    (registry): [string, (shelf: FakeShelf) => unknown, string] => [
      `the id registry ${registry}`,
      (shelf) => (shelf.idRegistry = registry),
      'an id registry that is not sound',
    ],
  ),
  [
    'an id registry of too many values',
    (shelf) => (shelf.idRegistry = `{"pais":[${'[],'.repeat(2_000_000)}[]]}`),
    'an id registry of at most a million identifiers',
  ],
  ['a pattern that is none', withFields({ x: field({ pattern: '(' }) }), 'fields.x.pattern is "("'],
  ['a pattern that takes long', withFields({ x: field({ pattern: '(a+)+\\1' }) }), 'fields.x.pattern is'],
  ['fields that are null', withFields(null), 'fields is null'],
  [
    'an embed of itself',
    withFields({ x: { kind: 'embed', description: 'x', entity: 'audiencia' } }),
    'embeds audiencia',
  ],
  ['an embed of nothing', withFields({ x: { kind: 'embed', description: 'x', entity: 'nothing' } }), 'embeds nothing'],
  ['a title that is an object', withDefinition((one) => ({ ...one, title: {} })), 'title is an object'],
  [
    'a language with a line',
    withFields({ x: { kind: 'name', description: 'x', language: 'es\r\nX: y' } }),
    'language is',
  ],
  ['a plural with a line', withDefinition((one) => ({ ...one, plural: 'a\nb' })), '"a\\nb"'],
  ['the definition of another list', withDefinition((one) => ({ ...one, name: 'pais' })), 'or another name or size'],
  ['an entity of a claimed size', withEntity({ bytes: 5 }), 'or another name or size'],
  ['an entity without a size', withEntity({ bytes: -1 }), 'bytes is -1'],
  ['an entity of many terabytes', withEntity({ bytes: 2 ** 43 }), 'bytes is 8796093022208'],
  ['a collection of another name', withEntity({ collection: 'others' }), 'or another name or size'],
  [
    'an entity whose name is a path',
    (shelf) =>
      shelf.changeRelease(c, ({ entities, ...manifest }) => ({
        ...manifest,
        entities: { ...entities, '../../x': entities.audiencia as Manifest['entities'][string] },
      })),
    '',
  ],
  ['a manifest of brackets', (shelf) => shelf.releases.set(c, { 'manifest.json': BRACKETS }), 'JSON of fewer'],
  [
    'an entity of brackets',
    (shelf) => shelf.entities.set(three.released(c, 'audiencia').digest, BRACKETS),
    'it is not there',
  ],
  [
    '20,000 releases',
    (shelf) => {
      for (let at = 0; at < 20_000; at++) shelf.releases.set(at.toString(16).padStart(64, '0'), {})
    },
    'releases is an object',
  ],
  ['a release whose digest is a path', (shelf) => shelf.releases.set('../x', {}), 'is "../x"'],
  [
    'a shelf of many terabytes',
    (shelf) => {
      for (let at = 0; at < 9_000; at++)
        shelf.releases.set(at.toString(16).padStart(64, '0'), {
          'manifest.json': JSON.stringify({
            ...{ built: '2026', source: { kind: 'x', options: {} } },
            entities: { x: { digest: at.toString(16).padStart(64, '1'), bytes: 2 ** 33 } },
          }),
        })
    },
    'the releases of the shelf have',
  ],
]

describe.each([true, false])('with a required signature: %p', (isSigned) => {
  const storeOf = ({ path }: TestHome) =>
    new ReleaseStore(path, isSigned ? trustIn([secret.publicKey], { acceptsRollback: true }) : undefined)

  test.each(CASES)('%s', async (_, spoil, words) => {
    using home = new TestHome()
    const store = storeOf(home)
    await fetchShelf(store, first.reader())
    const before = stateOf(home)
    const hostile = changed(sound, 'hostile', c)
    spoil(hostile)
    const outcome = fetchShelf(store, hostile.reader()).then(
      () => 'taken',
      (error: Error) => `${error.constructor.name} ${error.message}`,
    )
    expect(await outcome).toMatch(/^(ReleaseRefused|UnsignedRelease|DamagedRelease) /)
    // A release that is forged is refused for its signature first.
    if (!(await outcome).startsWith('UnsignedRelease')) expect(await outcome).toContain(words)
    expect(stateOf(home)).toEqual(before)
    // The state before the hostile one is sound: nothing stands in its way.
    await fetchShelf(store, sound.reader())
    expect([store.currentDigest(), store.open(c).digest, await home.verify(c)]).toEqual([c, c, []])
    expect(existsSync(join(home.path, 'fetching'))).toBe(false)
  })
})

test.each([
  ['current', '../../x\n'],
  ['id-registry.json', 'garbage{'],
  ['shelf.json', '{"generation":9e15}'],
])('a home whose %s was damaged before is mended by a sound shelf', async (name, text) => {
  using home = new TestHome()
  await fetchShelf(home.store, first.reader())
  writeFileSync(join(home.path, name), text)
  await fetchShelf(home.store, sound.reader())
  expect([home.store.history(), readFileSync(home.store.idRegistryFile, 'utf8')]).toEqual([[c], sound.idRegistry])
})

test('a chunk that is named hundreds of times is refused before it is written that often', async () => {
  using home = new TestHome()
  const size = 1 << 22
  const sevens = Buffer.alloc(size, 7)
  const chunk = sha256(sevens)
  const hostile = sound.copy()
  const { digest } = hostile.forgeEntity(c, 'audiencia', (manifest) => ({
    ...manifest,
    files: { ...manifest.files, words: { size: 500 * size, sha256: chunk } },
  }))
  hostile.entityChunks = hostile.entityChunks.filter((one) => one.entity !== digest || one.file !== 'words.delta')
  for (let at = 0; at < 500; at++)
    hostile.entityChunks.push({ entity: digest, file: 'words.delta', start: at * size, chunk })
  hostile.chunks.set(chunk, { size, packed: Bun.zstdCompressSync(sevens) })
  const outcome = await fetchShelf(home.store, hostile.reader()).then(() => 'taken', String)
  expect(outcome).toContain('far larger than what they are unpacked from')
  expect(existsSync(join(home.path, 'fetching', digest))).toBe(false)
  await fetchShelf(home.store, sound.reader())
  expect(home.store.currentDigest()).toBe(c)
})

describe('a node follows again as soon as its shelf is sound, running or started anew', () => {
  const hostOf = (name: string, shelf: () => FakeShelf): { readonly name: string; readonly open: OpenHost } => ({
    name,
    open: async () => ({
      pointer: async () => {
        const { generation, change, chain } = shelf()
        return { generation, change, chain }
      },
      ...{ listing: () => shelf().reader().listing(), entity: (digest) => shelf().reader().entity(digest) },
      chunks: (entity, digests) => shelf().reader().chunks(entity, digests),
      ...{ pollMilliseconds: 10, closed: new Promise(() => {}), destroy: () => {} },
      [Symbol.asyncDispose]: async () => {},
    }),
  })
  const follow = (store: ReleaseStore, open: OpenShelf) => {
    const follower = new ShelfFollower({
      ...{ open, store, log: () => {}, onTrouble: () => {} },
      served: () => store.currentDigest(),
    })
    follower.start()
    return follower
  }

  test.each([true, false])('running: %p', async (isRunning) => {
    using home = new TestHome()
    await fetchShelf(home.store, first.reader())
    const hostile = Object.assign(changed(sound, 'hostile', c), { generation: 4e12, idRegistry: 'garbage{' })
    let shelf = hostile
    const open = openHosts([hostOf('x', () => shelf)])
    const follower = follow(home.store, open)
    await eventually('it is refused', () => follower.status.trouble?.kind === 'refused')
    if (!isRunning) await follower[Symbol.asyncDispose]()
    shelf = sound
    await using later = isRunning ? follower : follow(home.store, open)
    await eventually('the sound shelf is followed', () => home.store.currentDigest() === c)
    await eventually('nothing is wrong', () => later.status.trouble === undefined)
  })

  test.each<[string, (shelf: FakeShelf) => void]>([
    ['a release that is sound under a time that is yet to come', (shelf) => (shelf.generation = 4e12)],
    ['another change of the same generation, with a release that is not sound', (shelf) => shelf.releases.set(a, {})],
    [
      'a later time, with a release that is not sound',
      (shelf) => {
        Object.assign(shelf, { generation: Date.now(), chain: [] })
        shelf.releases.set(a, {})
      },
    ],
  ])('after %s, running or not, signed or not', async (_, spoil) => {
    const hostile = changed(first, 'hostile', b)
    spoil(hostile)
    for (const trust of [undefined, trustIn([secret.publicKey])])
      for (const isRunning of [true, false]) {
        using home = new TestHome()
        const store = new ReleaseStore(home.path, trust)
        await fetchShelf(store, first.reader())
        let shelf = hostile
        const open = openHosts([hostOf('x', () => shelf)])
        const follower = follow(store, open)
        await eventually('it is refused', () => follower.status.trouble?.kind === 'refused')
        if (!isRunning) await follower[Symbol.asyncDispose]()
        shelf = sound
        await using later = isRunning ? follower : follow(store, open)
        await eventually('the sound shelf is followed', () => store.currentDigest() === c)
        await eventually('nothing is wrong', () => later.status.trouble === undefined)
      }
  })

  test('although another host claims to be further, under the name of the same change', async () => {
    using home = new TestHome()
    await fetchShelf(home.store, first.reader())
    const hostile = Object.assign(sound.copy(), { generation: 4e12, history: '../../x' })
    await using follower = follow(home.store, openHosts([hostOf('x', () => hostile), hostOf('y', () => sound)]))
    await eventually('the sound host is followed', () => home.store.currentDigest() === c)
    expect(follower.status.trouble?.kind).toBe('refused')
  })
})

describe('a host over HTTP', () => {
  const listing =
    (text: string): ((name: string) => Body) =>
    (name) => {
      const pointer = { generation: 1, change: 'x', chain: [], listing: sha256(text) }
      return { body: name === '/current' ? JSON.stringify(pointer) : text }
    }
  type Body = { readonly body: string | Uint8Array<ArrayBuffer>; readonly headers?: Record<string, string> }

  const packed = Bun.gzipSync(Buffer.alloc(1 << 28, '['), { level: 1 })

  test.each<[string, (name: string) => Body, string]>([
    ['a pointer of brackets', () => ({ body: '['.repeat(60_000) }), 'is not the pointer'],
    ['a pointer without end', () => ({ body: '['.repeat(1 << 25) }), 'sends more than'],
    ['a list of brackets', listing('['.repeat(1 << 23)), 'a list of its releases that is not sound'],
    [
      'a list of pairs of brackets',
      listing(`[${'[],'.repeat(1 << 21)}[]]`),
      'a list of its releases that is not sound',
    ],
    [
      'a pointer that unpacks to more',
      () => ({ body: packed, headers: { 'Content-Encoding': 'gzip' } }),
      'sends more than',
    ],
  ])('that sends %s costs little, and is refused', async (_, response, words) => {
    using server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) => {
        const { body, headers = {} } = response(new URL(request.url).pathname.replace('/shelf', ''))
        return new Response(body, { headers })
      },
    })
    using home = new TestHome()
    Bun.gc(true)
    const before = process.memoryUsage.rss()
    const fetched = openHttpShelf([`http://127.0.0.1:${server.port}/shelf`])('', () => {}).then((shelf) =>
      fetchShelf(home.store, shelf),
    )
    expect(await fetched.then(() => 'taken', String)).toContain(words)
    expect(process.memoryUsage.rss() - before).toBeLessThan(300 * 2 ** 20)
  })
})
