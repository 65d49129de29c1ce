// A mirror has the same releases as its origin, by API v2 alone; what an origin sends that is wrong changes nothing.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { catalogOf } from '../packages/server/src/catalog/catalog.ts'
import { run } from '../packages/server/src/cli/run.ts'
import { Origin } from '../packages/server/src/distribution/mirror/origin.ts'
import type { Release } from '../packages/server/src/release/release.ts'
import { generateKeys, parseSecretKey } from '../packages/server/src/release/signing/minisign.ts'
import { signRelease } from '../packages/server/src/release/signing/release-signature.ts'
import type { Source } from '../packages/server/src/source/source.ts'
import { code, embeds, entity, id, name, numberFact } from './support/definitions.ts'
import { PROGRAM, sourceOf, TestHome, ThreeReleases, tiny } from './support/releases.ts'
import { serverOf, type TestServer } from './support/server.ts'
import { eventually } from './support/service.ts'

setDefaultTimeout(60_000)

const { publicKey, secretFile } = generateKeys()
const secret = parseSecretKey(secretFile, undefined)

const three = await ThreeReleases.create()
const [a, b, c] = three.digests as [string, string, string]
let served: Release
let server: TestServer

/** Stands between a mirror and its origin: notes every request, and may spoil a response. */
type Spoil = (request: Request, response: Response) => Response | Promise<Response>
const requested: string[] = []
let spoil: Spoil = (_, response) => response
const serveRelay = (port = 0) =>
  Bun.serve({
    hostname: '127.0.0.1',
    port,
    development: false,
    // What a test cuts off is no news.
    error: () => new Response('', { status: 500 }),
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url)
      requested.push(`${pathname}${request.headers.has('range') ? ' again' : ''}`)
      const headers = Object.fromEntries(
        ['accept-encoding', 'range', 'if-range', 'if-none-match'].flatMap((header) => {
          const value = request.headers.get(header)
          return value === null ? [] : [[header, value]]
        }),
      )
      const response = await fetch(`${server.url}${pathname}${search}`, { headers, decompress: false })
      return spoil(request, response)
    },
  })
let relay: ReturnType<typeof serveRelay>

beforeAll(() => {
  served = three.shelf.open(a)
  server = serverOf(() => served, { baseUrl: 'http://x' }, three.shelf)
  relay = serveRelay()
})
afterAll(async () => {
  await relay.stop(true)
  expect(server.logged).toEqual([])
  await server.close()
  three[Symbol.dispose]()
})
beforeEach(() => {
  requested.length = 0
})
afterEach(() => {
  spoil = (_, response) => response
})

const url = () => `http://127.0.0.1:${relay.port}`
const downloads = () => requested.filter((path) => path.includes('/all'))

/** Runs the import in this process. */
async function mirror(home: TestHome, ...flags: readonly string[]) {
  let out = ''
  let err = ''
  const terminal = { out: (text: string) => (out += text), err: (text: string) => (err += text), interactive: false }
  try {
    return { code: await run(['import', 'mirror', url(), '--home', home.path, ...flags], {}, terminal), out, err }
  } catch (error) {
    return { code: 1, out, err: error instanceof Error ? error.message : String(error) }
  }
}

/** A home that has taken over the first release. */
async function mirrored(...flags: readonly string[]): Promise<TestHome> {
  served = three.shelf.open(a)
  const home = new TestHome()
  expect(await mirror(home, ...flags)).toMatchObject({ code: 0 })
  return home
}

/** Planets and their moons; what the name of a planet is called is up to a test. */
function skies(description: string): Source {
  const planet = entity({
    name: 'planet',
    plural: 'planets',
    v1: 2,
    fields: {
      sign: code('sign', /^[A-Z]{2}$/, 'two letters'),
      title: name(description),
      planetId: id('number'),
      mass: numberFact('mass', { min: 0, max: 1e30 }),
    },
    key: ['planetId'],
    code: ['sign'],
  })
  const moon = entity({
    name: 'moon',
    plural: 'moons',
    v1: 1,
    fields: { moonId: id('number'), title: name('name'), planet: embeds(planet, 'its planet') },
    key: ['planet', 'moonId'],
    code: ['planet', 'moonId'],
    order: 'as given',
  })
  const rows = {
    planet: [
      { sign: 'MA', title: 'Mars "é"', planetId: 4, mass: 6.39e23 },
      { sign: 'SA', title: 'Saturn', planetId: 6 },
    ],
    moon: [
      { moonId: 2, title: 'Titan', planet: 6 },
      { moonId: 1, title: 'Phobos', planet: 4 },
    ],
  }
  return sourceOf(rows, {}, catalogOf([planet, moon]))
}

/** Lets another home be the origin. */
function originOf(home: TestHome): AsyncDisposable {
  const other = serverOf(() => home.current(), {}, home.shelf)
  spoil = (request) => {
    const { pathname, search } = new URL(request.url)
    return fetch(`${other.url}${pathname}${search}`, { decompress: false })
  }
  return { [Symbol.asyncDispose]: async () => void (await other.close()) }
}

describe('a release that is taken over', () => {
  let home: TestHome
  beforeAll(async () => {
    home = await mirrored()
  })
  beforeEach(() => {
    served = three.shelf.open(a)
    home.shelf.activate(a)
  })
  afterAll(() => home[Symbol.dispose]())

  test('is the same in every file, with its date, credits, facts and definitions', async () => {
    const [theirs, ours] = [three.shelf.read(a).manifest, home.shelf.read(a).manifest]
    expect(ours.entities).toEqual(theirs.entities)
    expect({ ...ours, source: null }).toEqual({ ...theirs, source: null })
    expect(ours.source).toEqual({ ...theirs.source, options: { mirror: url() } })
    expect(await home.verify(a)).toEqual([])
  })

  test('leaves nothing of its download', () => {
    expect(readdirSync(join(home.path, 'harvest'))).toEqual([])
  })

  test('again is nothing to do, and nothing is downloaded', async () => {
    requested.length = 0
    expect(JSON.parse((await mirror(home, '--json')).out)).toMatchObject({
      outcome: 'nothing to do',
      downloaded: [],
      bytes: 0,
    })
    expect(downloads()).toEqual([])
  })

  test('after another one downloads what has changed, and only that', async () => {
    requested.length = 0
    served = three.shelf.open(b)
    expect(JSON.parse((await mirror(home, '--json')).out)).toMatchObject({ digest: b, downloaded: ['audiencias'] })
    expect([downloads(), home.shelf.history().slice(0, 2)]).toEqual([['/api/v2/audiencias/all'], [b, a]])
    // Back at the first one, everything is here.
    requested.length = 0
    served = three.shelf.open(a)
    expect(await mirror(home)).toMatchObject({ code: 0 })
    expect([downloads(), home.shelf.currentDigest()]).toEqual([[], a])
  })

  test('can be another than the current one there, and a dry run changes nothing', async () => {
    expect(await mirror(home, '--release', c.slice(0, 8), '--dry-run')).toMatchObject({ code: 0 })
    expect(home.shelf.currentDigest()).toBe(a)
    // What was downloaded is there for the import that follows.
    expect(readdirSync(join(home.path, 'harvest'))).not.toEqual([])
    expect(await mirror(home, '--release', c.slice(0, 8))).toMatchObject({ code: 0 })
    expect(readdirSync(join(home.path, 'harvest'))).toEqual([])
    expect(home.shelf.history().slice(0, 2)).toEqual([c, a])
  })

  test('is guarded like any import', async () => {
    using other = new TestHome()
    const { audiencia: _, ...fewer } = tiny
    await other.import(sourceOf({ ...fewer, audiencia: [] }))
    await using _origin = originOf(other)
    expect(await mirror(home)).toMatchObject({
      code: 1,
      err: expect.stringContaining('would break what those who rely'),
    })
    expect(home.shelf.currentDigest()).toBe(a)
    expect(await mirror(home, '--accept-changes')).toMatchObject({ code: 0 })
  })

  test('has the numbering that its origin tells, or that an older one implies', async () => {
    using origin = new TestHome()
    const credits = [{ to: 'GeoNames', of: ['localidad'] }]
    await origin.import({ ...sourceOf(tiny, { credits }), numbering: { localidad: 'stand-in', pais: 'stand-in' } })
    const numberingsOf = ({ shelf }: TestHome) => {
      const { entities } = shelf.read(shelf.currentDigest() ?? '').manifest
      return ['pais', 'estado', 'localidad'].map((name) => entities[name]?.numbering)
    }
    await using _ = originOf(origin)
    using told = new TestHome()
    expect(await mirror(told)).toMatchObject({ code: 0 })
    expect(numberingsOf(told)).toEqual(['stand-in', 'official', 'stand-in'])
    const direct = spoil
    spoil = async (request, given) => {
      const response = await direct(request, given)
      if (!request.url.endsWith('/manifest')) return response
      const text = new TextDecoder().decode(await new Response(response.body).arrayBuffer())
      return new Response(text.replaceAll(/"numbering":"[^"]*",/g, ''))
    }
    using older = new TestHome()
    expect(await mirror(older)).toMatchObject({ code: 0 })
    expect(numberingsOf(older)).toEqual(['official', 'official', 'stand-in'])
  })

  test('may have catalogs and aliases of its own', async () => {
    using origin = new TestHome()
    const alias = { entity: 'planet', code: 'MA', alias: 'red', reason: 'colour' }
    await origin.import({ ...skies('name'), aliases: () => [alias] })
    await using _ = originOf(origin)
    using home = new TestHome()
    expect(await mirror(home)).toMatchObject({ code: 0 })
    const { digest, manifest } = origin.current()
    expect(home.shelf.read(digest).manifest).toMatchObject({ entities: manifest.entities, aliases: [alias] })
  })

  test('with other definitions of the same records is built again from what is here, and what embeds them too', async () => {
    using origin = new TestHome()
    using redefined = new TestHome()
    using home = new TestHome()
    await origin.import(skies('name'))
    await redefined.import(skies('name of a planet'))
    const entitiesOf = ({ shelf }: TestHome, digest = shelf.currentDigest() ?? '') =>
      shelf.read(digest).manifest.entities
    expect(redefined.shelf.currentDigest()).toBe(origin.shelf.currentDigest() as string)
    for (const one of [origin, redefined]) {
      await using _ = originOf(one)
      requested.length = 0
      expect(await mirror(home)).toMatchObject({ code: 0 })
      expect(entitiesOf(home)).toEqual(entitiesOf(one))
    }
    expect(downloads()).toEqual([])
    expect(entitiesOf(origin).moon?.digest).not.toBe(entitiesOf(redefined).moon?.digest)
  })

  test('is downloaded anew where what is here is damaged', async () => {
    using broken = await mirrored()
    rmSync(broken.fileOf(a, 'audiencia', 'records'))
    requested.length = 0
    expect(await mirror(broken)).toMatchObject({ code: 0 })
    expect([downloads().includes('/api/v2/audiencias/all'), await broken.verify(a)]).toEqual([true, []])
  })

  test('is downloaded from where it stopped when the connection is lost', async () => {
    using home = new TestHome()
    let cuts = 0
    spoil = async (request, response) => {
      const whole = new Uint8Array(await response.arrayBuffer())
      const { headers, status } = response
      if (!request.url.includes('/localidades/all') || cuts++ > 0) return new Response(whole, { headers, status })
      const half = whole.subarray(0, whole.length >> 1)
      const chunks = async function* () {
        yield half
        await Bun.sleep(50)
        throw new Error('cut')
      }
      return new Response(chunks(), { headers, status })
    }
    expect(await mirror(home)).toMatchObject({ code: 0 })
    expect(requested.filter((path) => path.includes('localidades'))).toEqual([
      '/api/v2/localidades/all',
      '/api/v2/localidades/all again',
    ])
    expect(home.shelf.currentDigest()).toBe(a)
  })
})

describe('a signature', () => {
  const required = ['--require-signature', publicKey.text]

  test('that is required accepts the changes of its release', async () => {
    using home = await mirrored()
    using other = new TestHome()
    const { audiencia: _, ...fewer } = tiny
    await other.import(sourceOf({ ...fewer, audiencia: [] }))
    other.shelf.placeSignature(other.current().digest, signRelease(secret, other.current()))
    await using _origin = originOf(other)
    expect((await mirror(home)).code).toBe(1)
    expect((await mirror(home, ...required)).code).toBe(0)
    expect(home.shelf.currentDigest()).toBe(other.current().digest)
  })

  test('that is required and is not there is refused before anything is downloaded', async () => {
    using home = new TestHome()
    served = three.shelf.open(a)
    expect(await mirror(home, ...required)).toMatchObject({ code: 1, err: expect.stringContaining('it is not signed') })
    expect([downloads(), home.shelf.history()]).toEqual([[], []])
  })

  test('is taken over with its release, and when it comes later', async () => {
    using home = await mirrored()
    const signature = signRelease(secret, three.shelf.read(a))
    three.shelf.placeSignature(a, signature)
    expect(await mirror(home, ...required)).toMatchObject({ code: 0 })
    expect(home.shelf.signatureOf(a)).toBe(signature)
    // Of another release it proves nothing.
    three.shelf.placeSignature(b, signature)
    served = three.shelf.open(b)
    expect(await mirror(home, ...required)).toMatchObject({ code: 1, err: expect.stringContaining('does not hold') })
    expect(home.shelf.currentDigest()).toBe(a)
  })

  test('that does not cover the definitions that are sent is refused', async () => {
    three.shelf.placeSignature(a, signRelease(secret, three.shelf.read(a)))
    served = three.shelf.open(a)
    using home = new TestHome()
    spoil = async (request, response) =>
      request.url.endsWith('/manifest')
        ? new Response(
            (await inflated(response))
              .replaceAll('"plural":"audiencias"', '"plural":"publicos"')
              .replaceAll('"collection":"audiencias"', '"collection":"publicos"'),
          )
        : response
    expect(await mirror(home, ...required)).toMatchObject({
      code: 1,
      err: expect.stringContaining('definitions are not those'),
    })
  })
})

/** The text of a response that may be compressed. */
async function inflated(response: Response): Promise<string> {
  const bytes = Buffer.from(await response.arrayBuffer())
  const encoding = response.headers.get('content-encoding')
  const plain =
    encoding === 'zstd'
      ? Bun.zstdDecompressSync(bytes)
      : encoding === 'gzip'
        ? Bun.gunzipSync(bytes)
        : encoding === 'br'
          ? brotliDecompressSync(bytes)
          : bytes
  return Buffer.from(plain).toString()
}

describe('an origin that sends something else is refused, and nothing is changed', () => {
  let home: TestHome
  beforeAll(async () => {
    home = await mirrored()
    // Of the next release, only the audiences are not here.
    served = three.shelf.open(b)
  })
  afterAll(() => home[Symbol.dispose]())

  type Change = (text: string) => string | Response
  const changing =
    (part: string, change: Change): Spoil =>
    async (request, response) => {
      if (!new URL(request.url).pathname.endsWith(part)) return response
      const changed = change(await inflated(response))
      return typeof changed === 'string' ? new Response(changed) : changed
    }
  const manifest = (change: (value: ReturnType<typeof JSON.parse>) => void): Spoil =>
    changing('/manifest', (text) => {
      const value = JSON.parse(text)
      change(value)
      return JSON.stringify(value)
    })
  const records = (change: Change) => changing('/audiencias/all', change)
  const endless = () =>
    new ReadableStream({
      pull: (controller) => controller.enqueue(Buffer.alloc(1 << 16, '{"clave":"x"}\n')),
    })
  const bomb = () => Bun.zstdCompressSync(Buffer.alloc(50_000_000, '{}'))

  test.each<[string, Spoil, string]>([
    ['no list of releases', changing('/releases', () => '<html>'), 'does not list releases'],
    ['a list without a current release', changing('/releases', () => '[]'), 'lists no current release'],
    [
      'a list with two current releases',
      changing('/releases', (text) => text.replaceAll('"current":false', '"current":true')),
      'lists more than one current release',
    ],
    ['no manifest', changing('/manifest', () => new Response('', { status: 404 })), 'cannot be mirrored'],
    ['a manifest that is not JSON', changing('/manifest', () => 'x'), 'is not JSON'],
    ['the manifest of another release', manifest((one) => Object.assign(one, { digest: c })), `it is release ${c}`],
    [
      'other checksums',
      manifest(({ entities: [first] }) => Object.assign(first, { records: '0'.repeat(64) })),
      'are not those of its digest',
    ],
    ['another count', manifest(({ entities: [first] }) => Object.assign(first, { count: 1e15 })), 'no sound checksums'],
    ['an entity twice', manifest(({ entities: all }) => all.push(all[0])), 'is not named as it is defined'],
    [
      'an entity under another name',
      manifest(({ entities: [first] }) => Object.assign(first, { name: 'luna' })),
      'is not named as it is defined',
    ],
    [
      'two collections with one name',
      manifest(({ entities: [first, second] }) => {
        second.collection = first.collection
        second.definition.plural = first.definition.plural
      }),
      'two collections have one name',
    ],
    ['no entities', manifest((one) => Object.assign(one, { entities: [] })), 'it has no entities'],
    [
      'more entities than anyone has',
      manifest((one) => Object.assign(one, { entities: Array(1_001).fill(one.entities[0]) })),
      'it has no entities',
    ],
    [
      'a title that does not end',
      manifest(({ source }) => Object.assign(source, { title: 'x'.repeat(5_001) })),
      'where it came from',
    ],
    ['no date', manifest((one) => Object.assign(one, { built: 'soon' })), 'when it was built'],
    ['aliases that are not sound', manifest((one) => Object.assign(one, { aliases: [{}] })), 'its aliases are not'],
    ['findings that are not sound', manifest((one) => Object.assign(one, { findings: [{}] })), 'its findings are not'],
    [
      'facts without a sound checksum',
      manifest(({ entities: [first] }) => Object.assign(first, { facts: 'x' })),
      'no sound checksums',
    ],
    ['an entity left out', manifest(({ entities: all }) => all.pop()), 'are not those of its digest'],
    [
      'a collection that is a path',
      manifest(({ entities: [first] }) => {
        first.collection = '../x'
        first.definition.plural = '../x'
      }),
      'its collection has no sound name',
    ],
    [
      'a definition without fields',
      manifest(({ entities: [first] }) => Object.assign(first.definition, { fields: {} })),
      'no sound fields',
    ],
    [
      'a definition with a broken pattern',
      manifest(({ entities: [first] }) => Object.assign(first.definition.fields.cvePais, { pattern: '(' })),
      'no sound pattern',
    ],
    [
      'a definition that embeds what is not there',
      manifest(({ entities: [, second] }) => Object.assign(second.definition.fields.idPais, { entity: 'luna' })),
      'not defined before it',
    ],
    ['a source that is not one', manifest((one) => Object.assign(one, { source: 7 })), 'where it came from'],
    ['another name in a record', records((text) => text.replace('Dos', 'Dox')), 'their checksum is another'],
    ['fewer records', records((text) => text.slice(0, text.indexOf('\n') + 1).repeat(0)), 'audiencias'],
    ['more records', records((text) => text + text), 'more than the'],
    ['what are no records', records(() => '{"clave":{"a":1}}\n'), 'expected a record of audiencias as JSON'],
    ['a page in place of records', records(() => '<html></html>'), 'something else than audiencia'],
    [
      'half of something compressed',
      records(() => new Response(bomb().subarray(0, 100), { headers: { 'Content-Encoding': 'zstd' } })),
      'cannot be decompressed',
    ],
    [
      'what is far larger than it seems',
      records(() => new Response(bomb(), { headers: { 'Content-Encoding': 'zstd' } })),
      'lines of at most',
    ],
    [
      'another encoding',
      records(() => new Response('{}', { headers: { 'Content-Encoding': 'gzip' } })),
      'which was not asked for',
    ],
    ['a body without an end', records(() => new Response(endless())), 'is larger than 1,048,576 bytes'],
    ['a redirect to another host', records(() => Response.redirect('http://192.0.2.1/')), 'is another host'],
    [
      'a redirect of the list',
      changing('/releases', () => Response.redirect('http://192.0.2.1/')),
      'which is not followed',
    ],
  ])('%s', async (_, spoiled, words) => {
    const before = home.shelf.history()
    spoil = spoiled
    const { code: exitCode, err } = await mirror(home, '--accept-changes')
    expect([exitCode, err]).toEqual([1, expect.stringContaining(words)])
    expect([home.shelf.history(), home.shelf.digests()]).toEqual([before, [a]])
  })

  test('and what was sent in vain is not gone on with, though the origin says that it is the same', async () => {
    using other = await mirrored()
    served = three.shelf.open(b)
    spoil = async (request, response) => {
      if (!request.url.includes('/audiencias/all')) return response
      const text = (await inflated(response)).replace('Dos', 'Dox')
      return new Response(text, { headers: { ETag: response.headers.get('etag') ?? '' } })
    }
    expect(await mirror(other)).toMatchObject({ code: 1, err: expect.stringContaining('their checksum is another') })
    spoil = (_, response) => response
    expect(await mirror(other)).toMatchObject({ code: 0 })
    expect(other.shelf.currentDigest()).toBe(b)
  })

  test('and the same command succeeds once it is sound again', async () => {
    expect(await mirror(home)).toMatchObject({ code: 0 })
    expect([home.shelf.currentDigest(), await home.verify(a), await home.verify(b)]).toEqual([b, [], []])
  })
})

test('what an origin says to be the same is not sent again', async () => {
  served = three.shelf.open(a)
  const statuses: number[] = []
  spoil = (_, response) => {
    statuses.push(response.status)
    return response
  }
  const origin = new Origin(url())
  expect([await origin.find(undefined), await origin.find(undefined), await origin.find(b.slice(0, 8))]).toEqual([
    a,
    a,
    b,
  ])
  expect(statuses).toEqual([200, 304, 304])
  expect([await origin.release(a), statuses.at(-1)]).toEqual([await origin.release(a), 200])
  expect(statuses.at(-1)).toBe(304)
})

test('of the responses of an origin the last eight are kept', async () => {
  const conditions: (string | null)[] = []
  await using kept = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ headers }) => {
      conditions.push(headers.get('If-None-Match'))
      return new Response('signed', { headers: { ETag: '"1"' } })
    },
  })
  const origin = new Origin(`http://127.0.0.1:${kept.port}`)
  const request = async (...digests: readonly number[]) => {
    conditions.length = 0
    for (const digest of digests) expect(await origin.signature(String(digest))).toBe('signed')
    return conditions.map((condition) => condition !== null)
  }
  expect(await request(1, 2, 3, 4, 5, 6, 7, 8)).toEqual(Array(8).fill(false))
  expect(await request(1, 9, 2, 1)).toEqual([true, false, false, true])
})

test('a release that differs in facts alone is another one here too', async () => {
  using origin = new TestHome()
  using home = new TestHome()
  const facts = (mass: number): Source => {
    const source = skies('name')
    const heavier = (row: object) => ('sign' in row && row.sign === 'MA' ? { ...row, mass } : row)
    const read: Source['read'] = async function* (name, report) {
      for await (const block of source.read(name, report))
        yield { ...block, rows: block.rows.map((row) => heavier(row) as typeof row) }
    }
    return { ...source, read }
  }
  const digests = new Set<string>()
  for (const mass of [6.39e23, 7e23]) {
    await origin.import(facts(mass), { acceptChanges: true })
    await using _origin = originOf(origin)
    expect(await mirror(home, '--accept-changes')).toMatchObject({ code: 0 })
    expect(home.shelf.currentDigest()).toBe(origin.current().digest)
    digests.add(origin.current().digest)
  }
  expect(digests.size).toBe(2)
})

test.each([
  [['--follow', '--release', a], 'it goes neither with --release nor with --dry-run'],
  [['--follow', '--dry-run'], 'it goes neither with --release nor with --dry-run'],
  [['--release', a.slice(0, 7)], 'its first 8 or more hexadecimal digits'],
  [['--release', `${a}0`], 'its first 8 or more hexadecimal digits'],
])('%p is a wrong call', async (flags, words) => {
  using home = new TestHome()
  expect(await mirror(home, ...flags)).toMatchObject({ code: 1, err: expect.stringContaining(words) })
  expect(requested).toEqual([])
})

test('--follow takes over what becomes current, and survives that the origin is away', async () => {
  served = three.shelf.open(a)
  using home = new TestHome()
  const { port } = relay
  const flags = ['--home', home.path, '--follow', '--interval', '1']
  const child = Bun.spawn([...PROGRAM, 'import', 'mirror', url(), ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let told = ''
  const reading = (async () => {
    for await (const chunk of child.stderr) told += new TextDecoder().decode(chunk)
  })()
  try {
    const isCurrent = (digest: string) =>
      eventually(`${digest} is current`, () => home.shelf.currentDigest() === digest)
    await isCurrent(a)
    await relay.stop(true)
    served = three.shelf.open(c)
    await eventually('the mirror tells', () => told.includes('NOT MIRRORED'))
    expect([home.shelf.currentDigest(), child.exitCode]).toEqual([a, null])
    relay = serveRelay(port)
    await isCurrent(c)
    await eventually('the mirror tells', () => told.includes('is followed again'))
  } finally {
    child.kill('SIGTERM')
  }
  await reading
  expect(await child.exited).toBe(0)
})
