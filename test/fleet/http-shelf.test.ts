// A shelf over HTTP: as files of a static host and as a node serves it, followed, taken over once, and lied about.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '../../packages/server/src/distribution/shelf/chunks.ts'
import { exportShelf } from '../../packages/server/src/distribution/shelf/export-shelf.ts'
import { fetchShelf } from '../../packages/server/src/distribution/shelf/fetch.ts'
import { HomeShelf } from '../../packages/server/src/distribution/shelf/home-shelf.ts'
import { parseHttpShelf } from '../../packages/server/src/distribution/shelf/http-address.ts'
import { openHttpShelf } from '../../packages/server/src/distribution/shelf/http-shelf.ts'
import { type Pointer, readFollowed, saveFollowed } from '../../packages/server/src/distribution/shelf/pointer.ts'
import { shelfResponder } from '../../packages/server/src/distribution/shelf/serve-shelf.ts'
import { createApp } from '../../packages/server/src/http/app.ts'
import { ReleaseStore } from '../../packages/server/src/release/home/release-store.ts'
import { signInHome } from '../../packages/server/src/release/home/sign.ts'
import { verifyEntity } from '../../packages/server/src/release/home/verify.ts'
import { ENTITY_MANIFEST_FILE, type EntityManifest, manifestText } from '../../packages/server/src/release/manifest.ts'
import { generateKeys, parseSecretKey } from '../../packages/server/src/release/signing/minisign.ts'
import { trustIn } from '../../packages/server/src/release/signing/release-signature.ts'
import { runHere } from '../support/command.ts'
import { TestDirectory, TestHome, ThreeReleases } from '../support/releases.ts'
import { responseTo } from '../support/responses.ts'
import { eventually, Service } from '../support/service.ts'

setDefaultTimeout(180_000)

const three = await ThreeReleases.create()
const [a, b, c] = three.digests as [string, string, string]
const files = new TestDirectory()
const exported = join(files.path, 'shelf')

/** Serves files as a static host does; what `change` gives for a name takes the place of a file. */
class StaticHost implements Disposable {
  directory: string
  change: (name: string) => Response | undefined = () => undefined
  readonly requests: string[] = []
  readonly #server: ReturnType<typeof Bun.serve>

  constructor(directory = exported) {
    this.directory = directory
    this.#server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) => {
        const name = new URL(request.url).pathname.replace(/^\/shelf\//, '')
        this.requests.push(name)
        const path = join(this.directory, name)
        return (
          this.change(name) ?? (existsSync(path) ? new Response(Bun.file(path)) : new Response('none', { status: 404 }))
        )
      },
    })
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true)
  }
}

const host = new StaticHost()
beforeAll(async () => {
  await exportShelf(three.store, exported)
})
afterAll(() => {
  host[Symbol.dispose]()
  for (const one of [three, files]) one[Symbol.dispose]()
})

const opened = (urls: string) => {
  const parsed = parseHttpShelf(urls)
  if ('allowed' in parsed) throw new Error(parsed.allowed)
  return openHttpShelf(parsed.urls)('', () => {})
}

describe('files of a static host', () => {
  test('bring a home to the same state', async () => {
    using home = new TestHome()
    await using shelf = await opened(host.url)
    const { missing } = await fetchShelf(home.store, shelf)
    expect([missing, home.store.history(), home.store.digests().toSorted()]).toEqual([
      [],
      three.store.history(),
      [a, b, c].toSorted(),
    ])
    for (const digest of [a, b, c]) expect(await home.verify(digest)).toEqual([])
    expect(readFileSync(home.store.idRegistryFile, 'utf8')).toBe(readFileSync(three.store.idRegistryFile, 'utf8'))
  })

  test('are written again where they are new, and removed where no state names them', async () => {
    using home = three.copyTo(new TestHome(), a)
    using directory = new TestDirectory()
    for (const digest of [b, c]) home.store.remove(digest)
    const first = await exportShelf(home.store, directory.path)
    const before = new Set(readdirSync(join(directory.path, 'entities')))
    expect([first.releases, first.chunks > 0]).toEqual([1, true])
    expect(await exportShelf(home.store, directory.path)).toMatchObject({ chunks: 0, bytes: 0 })
    const { digest } = await home.import(ThreeReleases.source('Otra'), { acceptChanges: true })
    const second = await exportShelf(home.store, directory.path)
    expect(second.generation).toBeGreaterThan(first.generation)
    expect(second.chunks).toBeLessThan(first.chunks)
    home.store.remove(a)
    await exportShelf(home.store, directory.path)
    // A reader of the state before still finds its files.
    expect(new Set(readdirSync(join(directory.path, 'entities'))).isSupersetOf(before)).toBe(true)
    await exportShelf(home.store, directory.path)
    expect(readdirSync(join(directory.path, 'entities')).toSorted()).toEqual(
      Object.values(home.store.read(digest).manifest.entities)
        .map((one) => one.digest)
        .toSorted(),
    )
  })

  test('keep their pointer where something is damaged, and no other directory is taken for a shelf', async () => {
    using home = three.copyTo(new TestHome(), c)
    using directory = new TestDirectory()
    const target = join(directory.path, 'shelf')
    cpSync(exported, target, { recursive: true })
    const pointer = readFileSync(join(target, 'current'), 'utf8')
    const { digest } = await home.import(ThreeReleases.source('Otra'), { acceptChanges: true })
    const words = home.fileOf(digest, 'audiencia', 'words')
    chmodSync(words, 0o644)
    writeFileSync(words, Buffer.alloc(readFileSync(words).length))
    await expect(exportShelf(home.store, target)).rejects.toThrow('is damaged')
    rmSync(words)
    await expect(exportShelf(home.store, target)).rejects.toThrow('no sound current release')
    expect(readFileSync(join(target, 'current'), 'utf8')).toBe(pointer)
    const ahead = { ...JSON.parse(pointer), generation: Date.now() + 3_600_000, change: 'ahead' }
    writeFileSync(join(target, 'current'), JSON.stringify(ahead))
    await expect(exportShelf(three.store, target)).rejects.toThrow('does not go on; nothing was written')
    writeFileSync(join(directory.path, 'letter.txt'), '')
    await expect(exportShelf(three.store, directory.path)).rejects.toThrow('has other files in it')
  })
})

describe('a node', () => {
  const context = {
    release: () => three.current(),
    shelf: three.store,
    policy: { baseUrl: 'http://x', trustedProxies: undefined },
    logError: (error: unknown) => {
      throw error
    },
  }
  const app = createApp({ ...context, shelfFiles: shelfResponder(three.store) })
  const peer = { listeningUrl: 'http://x', peer: undefined }
  const get = (target: string, headers: Record<string, string> = {}, method = 'GET') =>
    responseTo(app, { target, headers, method }, peer)

  test('serves the same bytes as are exported', async () => {
    for (const name of readdirSync(exported, { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? join(entry.parentPath, entry.name).slice(exported.length + 1) : [],
    )) {
      const response = await get(`/shelf/${name}`)
      expect([name, response.status]).toEqual([name, 200])
      expect(Buffer.from(await response.arrayBuffer()).equals(readFileSync(join(exported, name)))).toBe(true)
      const caching = name === 'current' ? 'public, no-cache' : 'public, max-age=31536000, immutable'
      expect(response.headers.get('Cache-Control')).toBe(caching)
      const etag = response.headers.get('ETag') ?? ''
      expect((await get(`/shelf/${name}`, { 'if-none-match': etag })).status).toBe(304)
    }
  })

  test('compresses a chunk once for all that fetch it at about the same time', async () => {
    using home = three.copyTo(new TestHome(), c)
    const respond = createApp({ ...context, store: home.store, shelfFiles: shelfResponder(home.store) })
    const chunk = [...new Bun.Glob('entities/*/*').scanSync(exported)].find((name) => !name.endsWith('/chunks'))
    const fetched = async () => {
      const given = { target: `/shelf/${chunk}`, headers: {}, method: 'GET' }
      return await (await responseTo(respond, given, peer)).arrayBuffer()
    }
    const first = await fetched()
    rmSync(join(home.path, 'entities'), { recursive: true })
    expect(Buffer.from(await fetched()).equals(Buffer.from(first))).toBe(true)
  })

  test.each([
    '/shelf',
    '/shelf/',
    '/shelf/currents',
    `/shelf/releases/${'0'.repeat(64)}.json`,
    '/shelf/releases/../current',
    `/shelf/entities/${'0'.repeat(64)}/chunks`,
    '/shelf/entities/../chunks',
    '/shelf/entities/%2e%2e/chunks',
    '/shelf/entities//chunks',
    `/shelf/entities/${'0'.repeat(64)}/entity.json`,
  ])('has nothing at %s', async (target) => {
    const response = await get(target)
    expect([response.status, response.headers.get('Content-Type')]).toEqual([404, expect.stringContaining('problem')])
  })

  test('takes an entity whose index was forged for damaged, though every checksum fits', async () => {
    using home = three.copyTo(new TestHome(), c)
    const directory = home.store.entityDirectory(home.released(c, 'audiencia').digest)
    const index = Buffer.from('nothing that can be parsed')
    const manifest: EntityManifest = JSON.parse(readFileSync(join(directory, ENTITY_MANIFEST_FILE), 'utf8'))
    const files = { ...manifest.files, index: { size: index.length, sha256: sha256(index) } }
    const forged = manifestText({ ...manifest, files })
    const target = home.store.entityDirectory(sha256(forged))
    cpSync(directory, target, { recursive: true })
    writeFileSync(join(target, 'index'), index)
    writeFileSync(join(target, ENTITY_MANIFEST_FILE), forged)
    expect(await verifyEntity(target, sha256(forged))).toEqual([])
    expect(await new HomeShelf(home.store).entity(sha256(forged))).toBeUndefined()
  })

  test('only reads', async () => {
    expect((await get('/shelf/current', {}, 'PUT')).status).toBe(405)
    expect((await get('/shelf/current', {}, 'OPTIONS')).status).toBe(200)
  })

  test('says of one release whether it has it; one that has it not may be awaited there', async () => {
    expect((await get(`/shelf/releases/${c}`)).status).toBe(200)
    expect((await get(`/shelf/releases/${'0'.repeat(64)}`)).status).toBe(410)
    await using shelf = await opened(host.url)
    const awaited = async (status: number) => {
      host.change = (name) => (name === `releases/${a}` ? new Response('', { status }) : undefined)
      return await shelf.awaits?.(a)
    }
    expect([await awaited(503), await awaited(200), await awaited(410), await awaited(404)]).toEqual([
      ...[true, true, false, false],
    ])
    host.change = () => undefined
  })

  test('that follows a shelf has its state, and a part of it until it has everything', () => {
    using home = three.copyTo(new TestHome(), c)
    const pointer = { generation: 7, change: 'x', chain: ['w'] }
    saveFollowed(home.path, { ...pointer, own: [], complete: false })
    expect(new HomeShelf(home.store).state()?.pointer).toMatchObject({ ...pointer, change: 'x-part' })
    saveFollowed(home.path, { ...pointer, own: [], complete: true })
    expect(new HomeShelf(home.store).state()?.pointer).toMatchObject(pointer)
  })
})

test('a home that took a shelf over and is changed alone goes on from it, change by change', async () => {
  using home = new TestHome()
  using source = new StaticHost()
  await runHere('import', 'mirror', source.url, '--home', home.path)
  const taken = new HomeShelf(home.store).state()?.pointer as Pointer
  const change = async (...argv: readonly string[]) => {
    expect(await runHere(...argv, '--home', home.path)).toMatchObject({ code: 0 })
    return new HomeShelf(home.store).state()?.pointer as Pointer
  }
  expect(await change('releases', 'prune', '--keep', '9')).toEqual(taken as never)
  const first = await change('rollback')
  const second = await change('activate', c)
  expect([first, second].map(({ generation }) => generation - taken.generation)).toEqual([1, 2])
  expect(second.chain.slice(0, 2)).toEqual([first.change, taken.change])
  // Taken over again, it is what the origin is.
  await runHere('import', 'mirror', source.url, '--home', home.path)
  expect(new HomeShelf(home.store).state()?.pointer).toEqual(taken as never)
})

describe('several hosts', () => {
  test('of which the one with the highest generation counts, and those that are away do not', async () => {
    using older = new TestDirectory()
    using home = three.copyTo(new TestHome(), a)
    const directory = join(older.path, 'shelf')
    await exportShelf(home.store, directory)
    const pointer = JSON.parse(readFileSync(join(directory, 'current'), 'utf8'))
    writeFileSync(join(directory, 'current'), JSON.stringify({ ...pointer, generation: 1 }))
    using other = new StaticHost(directory)
    for (const urls of [`${other.url},${host.url}`, `${host.url},${other.url}`, `http://127.0.0.1:1,${host.url}`]) {
      await using shelf = await opened(urls)
      expect((await shelf.listing()).history).toBe(readFileSync(three.store.currentFile, 'utf8'))
    }
    await expect(opened('http://127.0.0.1:1')).rejects.toThrow('cannot be read')
  })

  test.each(['ftp://x', 'https://user@host', 'https://host?x=1', 'https://a,b'])('%s is no address', (url) => {
    expect(parseHttpShelf(url)).toHaveProperty('allowed')
  })

  test('are given by the address of a service, or of the files', () => {
    expect(parseHttpShelf('https://a.example.org,https://b.example.org/files/shelf/')).toEqual({
      urls: ['https://a.example.org/shelf', 'https://b.example.org/files/shelf'],
    })
  })
})

describe('a host that asks for a pause', () => {
  const busy = (retryAfter: string, status = 429) =>
    new Response('', { status, headers: { 'Retry-After': retryAfter } })

  test.each([429, 503])('with %p is asked again, and gives everything', async (status) => {
    using other = new StaticHost()
    const asked = new Set<string>()
    other.change = (name) => {
      if (asked.has(name)) return undefined
      asked.add(name)
      return busy('0', status)
    }
    using home = new TestHome()
    await using shelf = await opened(other.url)
    await fetchShelf(home.store, shelf)
    expect(home.store.currentDigest()).toBe(three.store.currentDigest() as string)
  })

  test('for long is away, and gets no request before it is over', async () => {
    using other = new StaticHost()
    other.change = () => busy('300')
    const parsed = parseHttpShelf(other.url)
    if ('allowed' in parsed) throw new Error(parsed.allowed)
    const open = openHttpShelf(parsed.urls)
    for (let attempt = 0; attempt < 3; attempt++) {
      const reason = await open('', () => {}).then(() => '', String)
      expect(reason).toMatch(/wants no request for (?:300|299) s/)
    }
    expect(other.requests).toEqual(['current'])
  })
})

describe('a host that lies', () => {
  const bomb = Bun.zstdCompressSync(Buffer.alloc(1 << 26))
  const lies: [string, (name: string) => Response | undefined, string][] = [
    ['a pointer that is none', (name) => (name === 'current' ? new Response('{}') : undefined), 'is not the pointer'],
    ['a page for a pointer', (name) => (name === 'current' ? new Response('<html>') : undefined), 'is not the pointer'],
    [
      'no pointer',
      (name) => (name === 'current' ? new Response('', { status: 404 }) : undefined),
      'is not the pointer',
    ],
    ['a refusal', () => new Response('', { status: 403 }), 'responds with 403'],
    ['a fault', () => new Response('', { status: 500 }), 'responds with 500'],
    ['a redirect', () => Response.redirect('http://127.0.0.1:1/'), 'cannot be read'],
    ['a pointer without end', () => new Response(Buffer.alloc(1 << 17, ' ')), 'sends more than'],
    ['another listing', (name) => (name.startsWith('releases/') ? new Response('{}') : undefined), 'no sound list'],
    ['entities without chunks', (name) => (name.endsWith('/chunks') ? new Response('{}') : undefined), 'is not there'],
    ['other chunks', (name) => (/\/[0-9a-f]{64}$/.test(name) ? new Response('x') : undefined), 'has other content'],
    [
      'chunks that unpack to more',
      (name) => (/\/[0-9a-f]{64}$/.test(name) ? new Response(bomb) : undefined),
      'has other content',
    ],
    [
      'no chunks',
      (name) => (/\/[0-9a-f]{64}$/.test(name) ? new Response('', { status: 404 }) : undefined),
      'is not there',
    ],
  ]
  test.each(lies)('about %s is refused, and nothing is current', async (_, change, wrong) => {
    using liar = new StaticHost()
    liar.change = change
    using home = new TestHome()
    const fetched = opened(liar.url).then((shelf) => fetchShelf(home.store, shelf))
    // While rejects waits for a promise, setImmediate comes seldom.
    expect(await fetched.then(() => 'fetched', String)).toContain(wrong)
    expect(home.store.currentDigest()).toBeUndefined()
  })
})

describe('the commands', () => {
  const secret = parseSecretKey(generateKeys().secretFile, undefined)

  test('take a shelf over once, and only what is signed where that is required', async () => {
    using home = new TestHome()
    const key = secret.publicKey.text
    const signed = ['import', 'mirror', host.url, '--home', home.path, '--require-signature', key, '--json']
    expect(await runHere(...signed)).toMatchObject({ code: 1, err: expect.stringContaining('it is not signed') })
    using publisher = three.copyTo(new TestHome(), a, b)
    publisher.store.placeSignature(b, await signInHome(publisher.store, b, secret, { days: undefined }))
    using directory = new TestDirectory()
    const target = join(directory.path, 'shelf')
    expect(await runHere('export', 'shelf', target, '--home', publisher.path)).toMatchObject({ code: 0 })
    using source = new StaticHost(target)
    const taken = await runHere('import', 'mirror', source.url, ...signed.slice(3))
    expect({ err: taken.err, ...JSON.parse(taken.out) }).toMatchObject({ digest: b, missing: [] })
    expect(new ReleaseStore(home.path, trustIn([secret.publicKey])).read(b).digest).toBe(b)
    expect(home.store.digests()).toEqual([b])
  })

  test('read a home that follows one, and change none', async () => {
    using home = new TestHome()
    const flags = ['--home', home.path, '--shelf', host.url]
    const listed = await runHere('releases', ...flags)
    expect([listed.code, listed.out.includes(c.slice(0, 12))]).toEqual([0, true])
    const changed = await runHere('activate', a, ...flags)
    expect([changed.code, changed.err]).toEqual([1, expect.stringContaining('can be followed, and not changed')])
    expect(readFollowed(home.path)?.complete).toBe(true)
  })

  test('serve what it has, swap when it changes, and are the shelf of others', async () => {
    using publisher = three.copyTo(new TestHome(), a)
    using directory = new TestDirectory()
    const target = join(directory.path, 'shelf')
    await exportShelf(publisher.store, target)
    using source = new StaticHost(target)
    using home = new TestHome()
    await using service = await Service.serving({
      flags: ['--port', '0', '--workers', '1', '--home', home.path, '--shelf', source.url, '--log-format', 'json'],
    })
    const served = async () => (await fetch(`${service.url}/api/v2/releases`)).headers.get('x-release')
    expect(await served()).toBe(a)
    await eventually('it warns', () => service.said.err.includes('"shelf-unsigned"'))
    publisher.store.activate(c)
    await exportShelf(publisher.store, target)
    await eventually('the node serves the other release', async () => (await served()) === c)
    using next = new TestHome()
    await using relay = await opened(service.url)
    await fetchShelf(next.store, relay)
    expect(next.store.currentDigest()).toBe(c)
  })
})
