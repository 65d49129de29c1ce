// A shelf in a real PostgreSQL, a publisher and nodes: what is published reaches all of them, whatever breaks in between.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../bench/free-port.ts'
import {
  parseShelfAddress,
  passwordOf,
  type ShelfAddress,
} from '../../packages/server/src/distribution/postgres/address.ts'
import { readListing } from '../../packages/server/src/distribution/postgres/pg-reader.ts'
import { openPgShelf } from '../../packages/server/src/distribution/postgres/pg-shelf.ts'
import { publish } from '../../packages/server/src/distribution/postgres/publish.ts'
import { migrations } from '../../packages/server/src/distribution/postgres/schema.ts'
import { openShelf } from '../../packages/server/src/distribution/postgres/session.ts'
import { ShelfFollower } from '../../packages/server/src/distribution/shelf/follower.ts'
import { nextPointer } from '../../packages/server/src/distribution/shelf/pointer.ts'
import { SHELF_HEADER } from '../../packages/server/src/http/observation/shelf-header.ts'
import { tryLockHome } from '../../packages/server/src/release/home/lock.ts'
import { ReleaseStore } from '../../packages/server/src/release/home/release-store.ts'
import { openReleaseToServe } from '../../packages/server/src/release/home/release-to-serve.ts'
import { releaseVerifier } from '../../packages/server/src/release/home/verify.ts'
import { type Ran, ran, runHere } from '../support/command.ts'
import { TestPostgres } from '../support/postgres.ts'
import { TestDirectory, TestHome, ThreeReleases, writeTables } from '../support/releases.ts'
import { eventually, Service, workersOf } from '../support/service.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'
import { TransactionPool } from '../support/transaction-pool.ts'
import { cannotMount, SmallDisk } from '../torture/mounts.ts'

setDefaultTimeout(180_000)

const canMount = (await cannotMount()) === undefined

async function succeeded(...argv: readonly string[]): Promise<Ran> {
  const { code, out, err } = await runHere(...argv)
  expect({ argv, code, err: code === 0 ? '' : err }).toEqual({ argv, code: 0, err: '' })
  return { code, out, err }
}

type TestPlace = Disposable & { readonly path: string }

/** Follows a shelf as `serve` does, without a server. */
class TestNode implements AsyncDisposable {
  readonly path: string
  readonly store: ReleaseStore
  readonly #url: string
  readonly #home: TestPlace
  readonly #random: () => number
  readonly #passwordFile: string | undefined
  /** Digests of entities that a scrub has found damaged. */
  damaged: readonly string[] = []
  follower: ShelfFollower

  /** With a large number from `random` it waits so long that only notifications wake it. */
  constructor(url: string, home: TestPlace = new TestDirectory(), random = Math.random, passwordFile?: string) {
    this.path = home.path
    this.store = new ReleaseStore(home.path)
    this.#url = url
    this.#home = home
    this.#random = random
    this.#passwordFile = passwordFile
    this.follower = this.#follower()
  }

  /** Follows again, like a restarted service. */
  async restart(): Promise<void> {
    await this.follower[Symbol.asyncDispose]()
    this.follower = this.#follower()
  }

  #follower(): ShelfFollower {
    const follower = new ShelfFollower({
      open: openPgShelf(loginOf(this.#url, this.#passwordFile)),
      store: this.store,
      log: () => {},
      served: () => this.store.currentDigest(),
      onTrouble: () => {},
      damaged: () => this.damaged,
      random: this.#random,
    })
    follower.start()
    return follower
  }

  async follows(digest: string): Promise<void> {
    await eventually(`${digest} is current in a node`, () => this.store.currentDigest() === digest)
    expect(await releaseVerifier(this.store)(digest)).toEqual([])
  }

  async inTrouble(kind: string | undefined): Promise<void> {
    await eventually(`the trouble of a node is ${kind}`, () => this.follower.status.trouble?.kind === kind)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.follower[Symbol.asyncDispose]()
    this.#home[Symbol.dispose]()
  }
}

const loginOf = (url: string, passwordFile?: string) => {
  const address = parseShelfAddress(url) as ShelfAddress
  return { address, password: () => passwordOf(address, passwordFile, {}) }
}

let postgres: TestPostgres
let proxy: TcpProxy
/** The directories of catalogs to import, by the name in which they differ. */
const catalogs = new TestDirectory()
const publisher = new TestHome()
const nodes: TestNode[] = []
const disposed = new AsyncDisposableStack()

const DATABASE = 'fleet'
const admin = () => postgres.url(DATABASE)
const publishing = () => postgres.url(DATABASE, 'publisher')
const reading = () => postgres.url(DATABASE, 'node', proxy.port)

/** Imports a catalog with one audience of this name, and gives the digest of its release. */
async function published(name: string): Promise<string> {
  const directory = writeTables(join(catalogs.path, name), ThreeReleases.rows(name))
  const { out } = await succeeded(...importing(directory), '--json')
  return JSON.parse(out).digest
}

const importing = (directory: string, home = publisher.path, url = publishing()) => [
  ...['import', 'package', directory, '--accept-changes', '--home', home, '--shelf', url],
]

const allFollow = (digest: string) => Promise.all(nodes.map((node) => node.follows(digest)))

beforeAll(async () => {
  postgres = disposed.use(await TestPostgres.create())
  proxy = disposed.use(await TcpProxy.to(postgres.port))
  await postgres.createDatabase(DATABASE)
})

afterAll(async () => {
  for (const node of nodes) await node[Symbol.asyncDispose]()
  await disposed.disposeAsync()
  catalogs[Symbol.dispose]()
  publisher[Symbol.dispose]()
})

test('every SQL file is a migration, in the order of their numbers', () => {
  const files = readdirSync(join(import.meta.dir, '..', '..', 'packages/server/src/distribution/postgres/sql')).filter(
    (name) => /^[0-9]/.test(name),
  )
  expect(migrations.map(({ number, name }) => `${String(number).padStart(4, '0')}-${name}.sql`)).toEqual(files.sort())
  expect(migrations.map(({ number }) => number)).toEqual(migrations.map((_, at) => at + 1))
})

describe('a shelf is made', () => {
  test('by an administrator, and until then commands say how', async () => {
    const refused = await runHere('releases', '--home', publisher.path, '--shelf', admin())
    expect(refused.err).toContain('make one with nomenclator shelf migrate')
  })

  test('once, however many make it at the same time', async () => {
    const both = await Promise.all([1, 2].map(() => succeeded('shelf', 'migrate', '--shelf', admin(), '--json')))
    expect(both.flatMap(({ out }) => JSON.parse(out).applied)).toEqual([{ number: 1, name: 'shelf' }])
    const again = await succeeded('shelf', 'migrate', '--shelf', admin())
    expect(again.out).toBe('Nothing to do: the shelf is up to date.\n')
  })

  test('with roles: one reads and listens, the other publishes, and neither changes what a shelf is', async () => {
    for (const _ of [1, 2]) await succeeded('shelf', 'roles', '--apply', '--shelf', admin())
    await postgres.query(
      DATABASE,
      `CREATE ROLE node LOGIN PASSWORD '${postgres.password}' IN ROLE nomenclator_reader;
       CREATE ROLE publisher LOGIN PASSWORD '${postgres.password}' IN ROLE nomenclator_publisher`,
    )
    const { default: client } = await import('postgres')
    const allowed = async (user: string, statement: string) => {
      const sql = client(postgres.url(DATABASE, user), { max: 1, onnotice: () => {} })
      try {
        await sql.unsafe(statement)
        return true
      } catch (error) {
        expect((error as { code?: string }).code).toBe('42501')
        return false
      } finally {
        await sql.end({ timeout: 1 })
      }
    }
    const statements = {
      'SELECT * FROM nomenclator.pointer': { node: true, publisher: true },
      'LISTEN nomenclator_shelf': { node: true, publisher: true },
      "DELETE FROM nomenclator.release WHERE digest = ''": { node: false, publisher: true },
      'UPDATE nomenclator.pointer SET history = history': { node: false, publisher: true },
      "UPDATE nomenclator.chunk SET size = size WHERE digest = ''": { node: false, publisher: true },
      'DELETE FROM nomenclator.writer': { node: false, publisher: true },
      'DELETE FROM nomenclator.pointer': { node: false, publisher: false },
      'DELETE FROM nomenclator.migration': { node: false, publisher: false },
      'CREATE TABLE nomenclator.own (a int)': { node: false, publisher: false },
      'DROP TABLE nomenclator.chunk': { node: false, publisher: false },
    }
    for (const [statement, expected] of Object.entries(statements))
      expect({
        statement,
        node: await allowed('node', statement),
        publisher: await allowed('publisher', statement),
      }).toEqual({ statement, ...expected })
  })

  test('and a database that a newer program made is refused', async () => {
    await postgres.query(DATABASE, "INSERT INTO nomenclator.migration (number, name) VALUES (99, 'later')")
    const { err } = await runHere('shelf', 'status', '--shelf', admin())
    expect(err).toContain('schema 99, which a newer Nomenclator made')
    await postgres.query(DATABASE, 'DELETE FROM nomenclator.migration WHERE number = 99')
  })
})

describe('what is published', () => {
  let one = ''
  let two = ''

  test('reaches every node, with every byte as it was, and the id registry', async () => {
    nodes.push(new TestNode(reading()), new TestNode(reading()))
    one = await published('one')
    await allFollow(one)
    for (const node of nodes)
      for (const file of ['current', 'id-registry.json'])
        expect(readFileSync(join(node.path, file), 'utf8')).toBe(readFileSync(join(publisher.path, file), 'utf8'))
  })

  test('is stored and fetched once, however many releases share it', async () => {
    const count = async () =>
      Number((await postgres.query(DATABASE, 'SELECT count(*) FROM nomenclator.chunk'))[0]?.count)
    const [before, fetched] = [await count(), nodes[0]?.follower.status.fetchedChunks ?? 0]
    two = await published('two')
    await allFollow(two)
    // Chunks of the files with that name, in one entity out of nine.
    const added = (await count()) - before
    expect(added).toBeGreaterThan(0)
    expect(added).toBeLessThan(6)
    expect((nodes[0]?.follower.status.fetchedChunks ?? 0) - fetched).toBe(added)
    const { releases } = JSON.parse((await succeeded('shelf', 'status', '--json', '--shelf', publishing())).out)
    for (const { bytes, ownBytes } of releases) {
      expect(ownBytes).toBeGreaterThan(0)
      expect(ownBytes).toBeLessThan(bytes / 2)
    }
  })

  test('can be gone back to, made current again and removed from any machine', async () => {
    using other = new TestHome()
    const there = ['--home', other.path, '--shelf', publishing()]
    expect((await succeeded('rollback', ...there)).out).toBe(`Release ${one.slice(0, 12)} is current again.\n`)
    await allFollow(one)
    await succeeded('activate', two.slice(0, 12), ...there)
    await allFollow(two)
    await succeeded('releases', 'prune', '--keep', '0', ...there)
    await eventually('the removed release is gone', () => nodes.every(({ store }) => store.digests().join() === two))
    const left = await postgres.query(
      DATABASE,
      'SELECT digest FROM nomenclator.chunk WHERE digest NOT IN (SELECT chunk FROM nomenclator.entity_chunk)',
    )
    expect(left).toEqual([])
    expect((await succeeded('releases', '--home', publisher.path, '--shelf', publishing())).out).toContain(
      two.slice(0, 12),
    )
  })

  test('is one change at a time, and a command that waits names the holder', async () => {
    const { default: client } = await import('postgres')
    const lockedBy = async (url: string) => {
      const sql = client(url, { max: 1, onnotice: () => {} })
      await sql.unsafe('SELECT pg_advisory_lock(1852796261, 1)')
      const there = ['--home', publisher.path, '--shelf', publishing()]
      const { code, err } = await runHere('releases', 'prune', '--keep', '9', '--wait', '0', ...there)
      await sql.end({ timeout: 1 })
      return [code, err]
    }
    const held = /another machine is changing the shelf: session [0-9]+ of the user publisher in PostgreSQL/
    expect(await lockedBy(publishing())).toEqual([1, expect.stringMatching(held)])
    // One who only reads cannot keep publishers out.
    expect((await lockedBy(postgres.url(DATABASE, 'node')))[0]).toBe(0)
  })

  test('is reported with the nodes that have it', async () => {
    const report = async () =>
      JSON.parse((await succeeded('shelf', 'status', '--verify', '--json', '--shelf', publishing())).out)
    await eventually('both nodes report the release', async () => {
      const { nodes: reported } = await report()
      return reported.filter(({ release }: { release: string }) => release === two.slice(0, 12)).length === 2
    })
    const { current, releases, damagedChunks, writer, room } = await report()
    expect({ current, releases: releases.length, damagedChunks, writer }).toEqual({
      current: two,
      releases: 1,
      damagedChunks: [],
      writer: null,
    })
    expect(room.packedBytes).toBeGreaterThan(0)
    expect((await succeeded('shelf', 'status', '--shelf', publishing())).out).toContain(two.slice(0, 12))
  })
})

describe('PostgreSQL', () => {
  test('killed and back: nodes serve what they have, say so, and follow again', async () => {
    const before = await published('before')
    await allFollow(before)
    const [node] = nodes
    const operators = freePort()
    await using service = await Service.over(node as TestNode, {
      flags: ['--workers', '2', '--admin', String(operators), '--shelf', reading()],
    })
    for (const worker of workersOf(service.pid))
      for (const file of ['cmdline', 'environ'])
        expect(readFileSync(`/proc/${worker}/${file}`, 'latin1')).not.toContain(postgres.password)
    await postgres.kill()
    for (const each of nodes) await each.inTrouble('away')
    await service.line(/THE SHELF IS NOT FOLLOWED/)
    const header = async (path: string) => (await fetch(service.url + path)).headers.get(SHELF_HEADER)
    await eventually('the workers know', async () => (await header('/api/v2')) !== null)
    // While the shelf is away, a release may be on its way.
    const pinned = async (digest: string) => {
      const { status, headers } = await fetch(`${service.url}/api/v2/paises?release=${digest}`)
      return [status, headers.get('Retry-After'), headers.get(SHELF_HEADER)]
    }
    const lagging = [503, '2', 'lag']
    const gone = [410, null, null]
    expect(await pinned('0'.repeat(64))).toEqual(lagging)
    expect(await header('/api/v2/paises')).toMatch(/^away;since=@[0-9]+$/)
    expect(await header('/api/v2/nothing')).toMatch(/^away;since=@[0-9]+$/)
    expect(await header(`/api/v2/paises/484?release=${before}`)).toBeNull()
    for (const path of ['/api/v1/paises', '/api/v1/nothing', '/']) expect(await header(path)).toBeNull()
    const ready = (await (await fetch(`http://127.0.0.1:${operators}/readyz`)).json()) as {
      ready: boolean
      degraded: string[]
    }
    expect(ready.ready).toBe(true)
    expect(ready.degraded.join()).toContain('PostgreSQL is away')
    const metrics = await (await fetch(`http://127.0.0.1:${operators}/metrics`)).text()
    expect(metrics).toContain('nomenclator_shelf_connected 0\n')
    expect(metrics).toContain('nomenclator_shelf_trouble{kind="away"} 1\n')

    // One that is started meanwhile serves its copy; one without a copy waits.
    await nodes[1]?.restart()
    await nodes[1]?.inTrouble('away')
    expect(nodes[1]?.store.currentDigest()).toBe(before)

    await postgres.start()
    for (const each of nodes) await each.inTrouble(undefined)
    await eventually('the warning is gone', async () => (await header('/api/v2')) === null)
    // A release that is published and not here yet, since another process holds the home.
    const lock = tryLockHome((node as TestNode).path, 'test')
    const after = await published('after')
    const both = await Promise.all([pinned(after), pinned(after.slice(0, 12)), pinned('0'.repeat(64))])
    const lag = async () => {
      const metrics = await (await fetch(`http://127.0.0.1:${operators}/metrics`)).text()
      return Number(/^nomenclator_shelf_lag_seconds (.*)$/m.exec(metrics)?.[1])
    }
    await eventually('it lags', async () => (await lag()) > 0)
    lock?.[Symbol.dispose]()
    expect(both).toEqual([lagging, lagging, gone])
    await allFollow(after)
    await eventually('it lags no more', async () => (await lag()) === 0)
    await eventually('it is there', async () => (await pinned(after))[0] === 200)
    await eventually(
      'it is served',
      async () => (await fetch(`${service.url}/api/v2`)).headers.get('X-Release') === after,
    )
    expect(`${service.said.out}${service.said.err}`).not.toContain(postgres.password)

    // A list that another machine publishes is served here, without a restart, and is gone when it takes it out.
    const colours = join(catalogs.path, 'colours')
    mkdirSync(colours)
    writeFileSync(join(colours, 'colours.csv'), 'code,name\nr,Red\ng,Green\n')
    await succeeded(...importing(colours))
    const places = [
      '/api/v2/colours',
      '/api/v2/colours/g',
      '/explore/colours',
      '/explore/colours/g',
      '/api/openapi.json',
    ]
    const lists = async () => {
      const responses = await Promise.all(places.map((path) => fetch(service.url + path)))
      const texts = await Promise.all(responses.map((response) => response.text()))
      return texts.map((text, at) => responses[at]?.status === 200 && /Green|\/api\/v2\/colours\//.test(text))
    }
    await eventually('its list is served', async () => !(await lists()).includes(false))
    await succeeded('remove', 'colours', '--accept-changes', '--home', publisher.path, '--shelf', publishing())
    await eventually('its list is gone', async () => !(await lists()).includes(true))
    await allFollow(publisher.store.currentDigest() ?? '')
  })

  /** Through a proxy of its own, so that the conversation can be cut at any place. */
  const catalog = (name: string) => writeTables(join(catalogs.path, name), ThreeReleases.rows(name))
  const through = (line: { readonly port: number }, name: string) =>
    importing(catalog(name), publisher.path, postgres.url(DATABASE, 'publisher', line.port))

  test('gone in the middle of a publication: nothing is published, or all of it', async () => {
    await using line = await TcpProxy.to(postgres.port)
    await succeeded(...through(line, 'cut0'))
    const whole = line.sent
    const before = publisher.store.currentDigest() ?? ''
    for (const [at, share] of [0.2, 0.5, 0.8, 0.9].entries()) {
      line.cutAfter(Math.floor(whole * share))
      // Another one each time, since chunks that were sent are not sent again.
      const { code, err } = await runHere(...through(line, `cut${at + 1}`), '--wait', '0')
      line.mend()
      expect({ share, code }).toEqual({ share, code: 1 })
      expect(err).not.toContain(postgres.password)
      expect(publisher.store.currentDigest()).toBe(before)
      const [pointer] = await postgres.query(DATABASE, 'SELECT history FROM nomenclator.pointer')
      expect(String(pointer?.history).split('\n')[0]).toBe(before)
    }
    await allFollow(await published('cut1'))
  })

  test('back before a publisher has given up: the publication goes through', async () => {
    await using line = await TcpProxy.to(postgres.port)
    await succeeded(...through(line, 'back0'))
    line.cutAfter(Math.floor(line.sent * 0.9))
    const publishing = succeeded(...through(line, 'back1'), '--json')
    await eventually('it is cut', () => line.cuts > 0)
    line.mend()
    const { out } = await publishing
    await allFollow(JSON.parse(out).digest)
  })

  test('gone before it said that a publication went through: the publisher finds out', async () => {
    await using line = await TcpProxy.to(postgres.port)
    let isPublished = false
    line.cutReplyTo((message) => {
      isPublished ||= message.includes('pg_notify')
      return isPublished && message.includes('COMMIT')
    })
    const publishing = succeeded(...through(line, 'unnoticed'), '--json')
    await eventually('it is cut', () => line.cuts > 0)
    line.mend()
    const { digest } = JSON.parse((await publishing).out)
    expect(publisher.store.currentDigest()).toBe(digest)
    await allFollow(digest)
    const history = readFileSync(publisher.store.currentFile, 'utf8').split('\n')
    expect(history.filter((one) => one === digest)).toEqual([digest])
  })

  test('not there yet when a publication begins: it waits, and says so', async () => {
    await using line = await TcpProxy.to(postgres.port)
    line.cut()
    const publishing = succeeded(...through(line, 'waited'), '--json')
    await eventually('it has tried', () => line.connections > 1)
    line.mend()
    const { out, err } = await publishing
    expect(err).toContain('Waiting, since PostgreSQL is away')
    await allFollow(JSON.parse(out).digest)
  })

  test('behind a pool in transaction mode: publications are refused, and nodes follow', async () => {
    await using pool = await TransactionPool.to(postgres.port)
    const { code, err } = await runHere(...through(pool, 'pooled'))
    expect([code, err]).toEqual([1, expect.stringContaining('a connection pool in transaction mode')])
    await using node = new TestNode(postgres.url(DATABASE, 'node', pool.port))
    await node.follows(publisher.store.currentDigest() ?? '')
  })

  test('with another password from now on: who reads it from a file goes on without a restart', async () => {
    using room = new TestDirectory()
    const file = join(room.path, 'password')
    const set = async (password: string) => {
      writeFileSync(file, password)
      await postgres.query(DATABASE, `ALTER ROLE rotated PASSWORD '${password}'`)
    }
    await postgres.query(DATABASE, 'CREATE ROLE rotated LOGIN IN ROLE nomenclator_reader')
    await set('first')
    await using line = await TcpProxy.to(postgres.port)
    const url = postgres.url(DATABASE, 'rotated', line.port).replace(`:${postgres.password}@`, '@')
    await using node = new TestNode(url, new TestDirectory(), Math.random, file)
    await node.follows(publisher.store.currentDigest() ?? '')
    await set('second')
    line.cut()
    await node.inTrouble('away')
    line.mend()
    await node.inTrouble(undefined)
  })

  test('on a line that stands still: it counts as away without another attempt', async () => {
    await using line = await TcpProxy.to(postgres.port)
    await using node = new TestNode(postgres.url(DATABASE, 'node', line.port), new TestDirectory(), () => 1)
    await node.follows(publisher.store.currentDigest() ?? '')
    await eventually('it is done', () => node.follower.status.trouble === undefined)
    line.hold()
    await node.inTrouble('away')
    expect(node.follower.status.trouble?.message).toMatch(/no response from .* within [25] s/)
    line.mend()
    await node.inTrouble(undefined)
  })

  test('silent behind a broken network: it counts as away, and reconnecting is no stampede', async () => {
    proxy.cut()
    for (const node of nodes) await node.inTrouble('away')
    const tries = proxy.connections
    await Bun.sleep(1_000)
    // Two nodes with a backoff that begins at a quarter of a second; a loop without one would make thousands.
    expect(proxy.connections - tries).toBeLessThan(40)
    proxy.mend()
    for (const node of nodes) await node.inTrouble(undefined)
  })
})

test('a command that reads says that the shelf is away, and reads the home; one that changes it changes nothing', async () => {
  const current = publisher.store.currentDigest() ?? ''
  await using silent = await TcpProxy.to(postgres.port)
  silent.hold()
  const there = [
    '--home',
    publisher.path,
    '--shelf',
    `${postgres.url(DATABASE, 'publisher', silent.port)}?connect_timeout=1`,
  ]
  const listed = await succeeded('releases', ...there)
  expect(listed.err).toContain('THE SHELF IS NOT FOLLOWED, what is in the home is read: no connection with')
  expect(listed.out).toContain(current.slice(0, 12))
  expect((await runHere('rollback', '--wait', '0', ...there)).err).toContain('no connection with')
  expect(publisher.store.currentDigest()).toBe(current)
})

describe('what cannot be taken', () => {
  test('a chunk that is damaged in the database is refused, and followed once it is mended', async () => {
    const sound = publisher.store.currentDigest() ?? ''
    const directory = writeTables(join(catalogs.path, 'damaged'), ThreeReleases.rows('damaged'))
    proxy.cut()
    for (const node of nodes) await node.inTrouble('away')
    const before = (await postgres.query(DATABASE, 'SELECT digest FROM nomenclator.chunk')).map(({ digest }) => digest)
    const { out } = await succeeded(...importing(directory), '--json')
    const { digest } = JSON.parse(out)
    await postgres.query(
      DATABASE,
      `UPDATE nomenclator.chunk SET packed = set_byte(packed, length(packed) / 2, get_byte(packed, length(packed) / 2) # 1)
       WHERE digest NOT IN (${before.map((one) => `'${one}'`).join()})`,
    )
    proxy.mend()
    for (const node of nodes) {
      await node.inTrouble('refused')
      expect(node.follower.status.trouble?.message).toContain('has other content than its digest says')
      expect(node.store.currentDigest()).toBe(sound)
      expect(await releaseVerifier(node.store)(sound)).toEqual([])
      expect(node.store.digests()).not.toContain(digest)
    }
    const status = await runHere('shelf', 'status', '--verify', '--shelf', publishing())
    expect(status.code).toBe(1)
    expect(status.out).toContain('DAMAGED')
    await succeeded('shelf', 'mend', '--home', publisher.path, '--shelf', publishing())
    await allFollow(digest)
    for (const node of nodes) await node.inTrouble(undefined)
  })

  test('a chunk in whose place somebody put another is refused', async () => {
    proxy.cut()
    for (const node of nodes) await node.inTrouble('away')
    const before = (await postgres.query(DATABASE, 'SELECT digest FROM nomenclator.chunk')).map(({ digest }) => digest)
    const current = await published('replaced')
    const [chunk] = await postgres.query(
      DATABASE,
      `SELECT digest, encode(packed, 'base64') AS packed FROM nomenclator.chunk
       WHERE digest NOT IN (${before.map((one) => `'${one}'`).join()}) LIMIT 1`,
    )
    const packed = Buffer.from(String(chunk?.packed), 'base64')
    const bytes = Bun.zstdDecompressSync(packed)
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1
    const put = (content: Buffer) => {
      const value = `decode('${content.toString('base64')}', 'base64')`
      return postgres.query(
        DATABASE,
        `UPDATE nomenclator.chunk SET packed = ${value}, packed_sha256 = sha256(${value}) WHERE digest = '${chunk?.digest}';
         NOTIFY nomenclator_shelf`,
      )
    }
    await put(Bun.zstdCompressSync(bytes))
    proxy.mend()
    for (const node of nodes) {
      await node.inTrouble('refused')
      expect(node.follower.status.trouble?.message).toContain(
        `chunk ${String(chunk?.digest).slice(0, 12)} has other content`,
      )
    }
    await put(packed)
    await allFollow(current)
    for (const node of nodes) await node.inTrouble(undefined)
  })

  test('a manifest that names other content under its digest is refused', async () => {
    const sound = publisher.store.currentDigest() ?? ''
    const [row] = await postgres.query(DATABASE, `SELECT files FROM nomenclator.release WHERE digest = '${sound}'`)
    const forged = String(row?.files).replace(/\\"count\\": 1,/, '\\"count\\": 2,')
    expect(forged).not.toBe(String(row?.files))
    const set = (files: string, change: string) =>
      postgres.query(
        DATABASE,
        `UPDATE nomenclator.release SET files = $shelf$${files}$shelf$ WHERE digest = '${sound}';
         ${change} NOTIFY nomenclator_shelf`,
      )
    await using patient = new TestNode(reading(), new TestDirectory(), () => 3_600)
    await patient.follows(sound)
    const all = [...nodes, patient]
    const change = "generation = generation + 1, change = change || '.', chain = change || ' ' || chain"
    await set(forged, `UPDATE nomenclator.pointer SET ${change};`)
    for (const node of all) await node.inTrouble('refused')
    // The state of the shelf is that which was refused: it is tried again because something was done, long before its time.
    await set(String(row?.files), '')
    for (const node of all) await node.inTrouble(undefined)
  })

  test.if(canMount)('a release that does not fit on the disk is reported, and fetched when it fits', async () => {
    await using disk = await SmallDisk.create(16_384)
    await using small = new TestNode(reading(), { path: disk.path, [Symbol.dispose]: () => {} })
    const sound = publisher.store.currentDigest() ?? ''
    await small.follows(sound)
    disk.fill(8)
    const next = await published('no room')
    await small.inTrouble('refused')
    expect(small.follower.status.trouble?.message).toContain('the disk is full')
    expect(small.store.currentDigest()).toBe(sound)
    // It tries again now and then.
    await eventually('nothing is left of it', () => !existsSync(join(disk.path, 'fetching')))
    disk.empty()
    await small.follows(next)
    await allFollow(next)
  })
})

describe('a shelf that was restored to an older state', () => {
  const state = 'generation, change, chain, history, id_registry, changed, changed_by'
  /** Restores the state of this moment later, like a backup. */
  async function backup(): Promise<() => Promise<unknown>> {
    await postgres.query(
      DATABASE,
      `DROP TABLE IF EXISTS saved; CREATE TABLE saved AS SELECT ${state} FROM nomenclator.pointer`,
    )
    return () => postgres.query(DATABASE, `UPDATE nomenclator.pointer SET (${state}) = (SELECT ${state} FROM saved)`)
  }

  test('is not followed until somebody accepts it', async () => {
    const older = await published('older')
    await allFollow(older)
    const restore = await backup()
    const newer = await published('newer')
    await allFollow(newer)
    await restore()
    for (const node of nodes) {
      node.follower.wake()
      await node.inTrouble('older')
      await node.restart()
      await node.inTrouble('older')
      expect(node.store.currentDigest()).toBe(newer)
    }
    // A home with the newer state does not publish upon the older one by mistake.
    const refused = await runHere('rollback', '--home', publisher.path, '--shelf', publishing())
    expect(refused.err).toContain('restored to an older state')
    await succeeded('shelf', 'accept', '--shelf', publishing())
    await allFollow(older)
    for (const node of nodes) await node.inTrouble(undefined)
  })

  test('or until a home with a later state publishes it', async () => {
    const restore = await backup()
    const newer = await published('newest')
    await allFollow(newer)
    await restore()
    nodes[0]?.follower.wake()
    await nodes[0]?.inTrouble('older')
    await succeeded('shelf', 'publish', '--home', publisher.path, '--shelf', publishing())
    await allFollow(newer)
    for (const node of nodes) await node.inTrouble(undefined)
    const again = await runHere('shelf', 'publish', '--home', publisher.path, '--shelf', publishing())
    expect(again.err).toContain('nothing was published')
  })
})

test('a change that is based on a state that is over is refused', async () => {
  await using connection = await openShelf({ ...loginOf(publishing()), name: 'test', changes: true })
  const base = await readListing(connection)
  const current = await published('meanwhile')
  const { history, idRegistry } = base
  const change = {
    base,
    history,
    idRegistry,
    put: new Map(),
    removed: [],
    doing: 'test',
    next: nextPointer(base, 'late'),
  }
  await expect(publish(connection, publisher.store, change)).rejects.toThrow('changed by another machine meanwhile')
  await allFollow(current)
})

test('several processes of one machine fetch once', async () => {
  using home = new TestDirectory()
  const both = [1, 2].map(() => new TestNode(reading(), home))
  const current = publisher.store.currentDigest() ?? ''
  for (const node of both) await node.follows(current)
  await eventually('both are done', () => both.every(({ follower }) => follower.status.generation > 0))
  await Promise.all(both.map(({ follower }) => follower.tried))
  const used = await postgres.query(DATABASE, 'SELECT count(DISTINCT chunk) FROM nomenclator.entity_chunk')
  const fetched = both.reduce((sum, { follower }) => sum + follower.status.fetchedChunks, 0)
  for (const node of both) await node[Symbol.asyncDispose]()
  expect(fetched).toBe(Number(used[0]?.count))
})

test('a fetch that is cut short shows nothing of what it has, and is made again', async () => {
  await using slow = await TcpProxy.to(postgres.port)
  slow.slow(40_000)
  await using node = new TestNode(postgres.url(DATABASE, 'node', slow.port))
  await eventually('some chunks have come', () => node.follower.status.fetchedChunks > 10)
  slow.cut()
  await node.inTrouble('away')
  expect(node.store.currentDigest()).toBeUndefined()
  slow.mend()
  await node.follows(publisher.store.currentDigest() ?? '')
})

test('what an earlier attempt has fetched is not fetched again', async () => {
  const home = new TestDirectory()
  cpSync(join(publisher.path, 'entities'), join(home.path, 'fetching'), { recursive: true })
  for (const entry of readdirSync(join(home.path, 'fetching'), { recursive: true, withFileTypes: true }))
    if (entry.isFile()) chmodSync(join(entry.parentPath, entry.name), 0o644)
  await using node = new TestNode(reading(), home)
  await node.follows(publisher.store.currentDigest() ?? '')
  await node.follower.tried
  expect(node.follower.status.fetchedChunks).toBe(0)
})

describe('what is damaged on the shelf', () => {
  const damaged = async (digests: string[]) => {
    const flip = 'set_byte(packed, length(packed) / 2, get_byte(packed, length(packed) / 2) # 1)'
    await postgres.query(
      DATABASE,
      `UPDATE nomenclator.chunk SET packed = ${flip} WHERE digest IN (${digests.map((one) => `'${one}'`).join()})`,
    )
  }
  /** The chunks that only one release has. */
  const chunksOf = async (release: string): Promise<string[]> => {
    const rows = await postgres.query(
      DATABASE,
      `SELECT chunk FROM nomenclator.release_entity JOIN nomenclator.entity_chunk USING (entity)
       GROUP BY chunk HAVING min(release) = max(release) AND min(release) = '${release}' ORDER BY chunk`,
    )
    return rows.map(({ chunk }) => String(chunk))
  }

  test('of a release that is not current, is all that is fetched again', async () => {
    const older = publisher.store.currentDigest() ?? ''
    const current = await published('after the damaged one')
    const [chunk = '', ...others] = await chunksOf(older)
    expect(others.length).toBeGreaterThan(0)
    await damaged([chunk])
    await using node = new TestNode(reading(), new TestDirectory(), () => 3_600)
    await node.inTrouble('refused')
    expect(node.store.currentDigest()).toBe(current)
    const before = node.follower.status.fetchedChunks
    await postgres.query(DATABASE, 'NOTIFY nomenclator_shelf')
    await eventually('it was tried again', () => node.follower.status.fetchedChunks > before)
    expect(node.follower.status.fetchedChunks - before).toBe(1)
    await damaged([chunk])
    await postgres.query(DATABASE, 'NOTIFY nomenclator_shelf')
    await node.inTrouble(undefined)
    expect(existsSync(join(node.path, 'fetching'))).toBe(false)
  })

  test('of the current release, leaves an empty node with the newest sound one', async () => {
    const older = publisher.store.currentDigest() ?? ''
    const current = await published('the damaged one')
    const chunks = await chunksOf(current)
    await damaged(chunks)
    await using node = new TestNode(reading())
    await node.inTrouble('refused')
    expect((await openReleaseToServe(node.store))?.release.digest).toBe(older)
    expect(node.store.currentDigest()).toBeUndefined()
    await damaged(chunks)
    await postgres.query(DATABASE, 'NOTIFY nomenclator_shelf')
    await node.follows(current)
    await allFollow(current)
  })
})

test('a publisher with an empty home fetches the current release alone', async () => {
  using other = new TestHome()
  const [before, listed] = [publisher.store.currentDigest() ?? '', publisher.store.digests().length]
  const directory = writeTables(join(catalogs.path, 'from elsewhere'), ThreeReleases.rows('from elsewhere'))
  const { out } = await succeeded(...importing(directory, other.path), '--json')
  const { digest } = JSON.parse(out)
  expect(new Set(other.store.digests())).toEqual(new Set([before, digest]))
  expect(listed).toBeGreaterThan(2)
  await allFollow(digest)
  await succeeded('releases', '--home', publisher.path, '--shelf', publishing())
  expect(publisher.store.digests()).toHaveLength(listed + 1)
})

test('a home that had releases of its own keeps them', async () => {
  using three = await ThreeReleases.create()
  await succeeded('releases', '--home', three.path, '--shelf', publishing())
  expect(three.store.currentDigest()).toBe(publisher.store.currentDigest() ?? '')
  expect(three.digests.filter((digest) => !three.store.digests().includes(digest))).toEqual([])
  expect(existsSync(join(three.path, 'id-registry.own.json'))).toBe(true)
})

test('what is damaged in the home of a node is fetched again', async () => {
  const node = nodes[0] as TestNode
  const current = node.store.currentDigest() ?? ''
  const { digest } = Object.values(node.store.read(current).manifest.entities)[0] as { digest: string }
  const file = join(node.store.entityDirectory(digest), 'records')
  const bytes = readFileSync(file)
  bytes[0] = 0
  chmodSync(file, 0o644)
  writeFileSync(file, bytes)
  expect(await releaseVerifier(node.store)(current)).not.toEqual([])
  node.damaged = [digest]
  node.follower.wake()
  await eventually('it is sound again', async () => (await releaseVerifier(node.store)(current)).length === 0)
  node.damaged = []
})

test('what a node changes by itself is set right again', async () => {
  const [node] = nodes
  const current = node?.store.currentDigest() ?? ''
  const other = node?.store.digests().find((digest) => digest !== current) ?? ''
  node?.store.activate(other)
  node?.follower.wake()
  await node?.follows(current)
})

/** More than is taken at once, several times, each with something else after it. */
async function copies(url: string): Promise<void> {
  await using connection = await openShelf({ ...loginOf(url), name: 'test' })
  await connection.query('CREATE TEMP TABLE copied (bytes bytea)')
  const rows = async function* () {
    for (let row = 0; row < 8; row++) yield [Buffer.alloc(1_000_000, row)]
  }
  for (let times = 1; times <= 3; times++) {
    await connection.copyIn('copied (bytes)', rows())
    let bytes = 0
    for await (const [field] of connection.copyOut('SELECT bytes FROM copied')) bytes += field?.length ?? 0
    expect(bytes).toBe(8_000_000 * times)
    expect(await connection.query('SELECT count(*)::int AS rows FROM copied')).toEqual([{ rows: 8 * times }])
  }
}

describe('a connection', () => {
  test('goes on after copies', () => copies(admin()))

  test('ends with a copy that is not sent or not read to its end', async () => {
    const opened = () => openShelf({ ...loginOf(admin()), name: 'test' })
    await using sending = await opened()
    await sending.query('CREATE TEMP TABLE copied (bytes bytea)')
    const rows = async function* () {
      yield [Buffer.alloc(10)]
      throw new Error('no more rows')
    }
    await expect(sending.copyIn('copied (bytes)', rows())).rejects.toThrow('no more rows')
    await expect(sending.query('SELECT 1')).rejects.toThrow('was closed')
    await using reading = await opened()
    for await (const _ of reading.copyOut('SELECT generate_series(1, 1000000)')) break
    await reading.closed
    await expect(reading.query('SELECT 1')).rejects.toThrow('was closed')
  })

  test('is with the first host that responds', async () => {
    await succeeded('shelf', 'status', '--shelf', admin().replace('@', `@127.0.0.1:${freePort()},`))
    // Who changes it, or follows it, looks at all of them.
    const both = publishing().replace('@', `@127.0.0.1:${freePort()},127.0.0.1:${proxy.port},`)
    await succeeded('releases', 'prune', '--keep', '9', '--home', publisher.path, '--shelf', both)
    await using node = new TestNode(both)
    await node.follows(publisher.store.currentDigest() ?? '')
    const nobody = `postgres://a@127.0.0.1:${freePort()},127.0.0.1:${freePort()}/d`
    const { code, err } = await runHere('shelf', 'status', '--shelf', nobody)
    expect([code, err]).toEqual([1, expect.stringContaining('PostgreSQL is away')])
  })
})

test('no output has a password', async () => {
  const wrong = 'hunter2-hunter2'
  const url = postgres.url(DATABASE).replace(postgres.password, wrong)
  const said: string[] = []
  for (const argv of [
    ['shelf', 'status', '--shelf', url],
    ['shelf', 'status', '--shelf', `${url}?sslmode=nonsense`],
    ['releases', '--json', '--home', publisher.path, '--shelf', url],
    ['rollback', '--home', publisher.path, '--shelf', url],
    ['shelf', 'status', '--shelf', url.replace(/:[0-9]+\//, ':1/')],
  ]) {
    const { code, out, err } = await runHere(...argv)
    expect({ argv, isRefused: code > 0 }).toEqual({ argv, isRefused: true })
    said.push(out, err)
  }
  expect(said.join('\n')).toContain('password authentication failed')
  expect(said.join('\n')).not.toContain(wrong)
})

describe.if(Bun.which('openssl') !== null)('TLS', () => {
  test('as sslmode of libpq has it', async () => {
    using room = new TestDirectory()
    const path = (name: string) => join(room.path, name)
    const openssl = async (command: string) => {
      const { code, err } = await ran(['openssl', ...command.split(' ')], { cwd: room.path })
      if (code !== 0) throw new Error(err)
    }
    const newKey = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'
    for (const name of ['ca', 'other'])
      await openssl(`req -x509 ${newKey} -days 2 -keyout ${name}.key -out ${name}.crt -subj /CN=${name}`)
    writeFileSync(path('names'), 'subjectAltName=DNS:localhost')
    await openssl(`req ${newKey} -keyout server.key -out server.csr -subj /CN=localhost`)
    const signing = '-CA ca.crt -CAkey ca.key -CAcreateserial'
    await openssl(`x509 -req -in server.csr ${signing} -out server.crt -days 2 -extfile names`)
    const encrypted = async (host: string, mode: string, root = '') => {
      const url = new URL(admin().replace('127.0.0.1', host))
      url.search = `sslmode=${mode}${root === '' ? '' : `&sslrootcert=${path(root)}`}`
      return runHere('shelf', 'status', '--shelf', url.href)
    }
    // Without TLS on the server.
    for (const [mode, code] of [
      ['disable', 0],
      ['allow', 0],
      ['prefer', 0],
      ['require', 1],
      ['verify-full', 1],
    ] as const)
      expect({ mode, code: (await encrypted('127.0.0.1', mode)).code }).toEqual({ mode, code })
    expect((await encrypted('127.0.0.1', 'require')).err).toContain('offers no TLS, and sslmode=require requires it')

    postgres.useTls(readFileSync(path('server.crt'), 'utf8'), readFileSync(path('server.key'), 'utf8'))
    await postgres.stop()
    await postgres.start()
    const cases = [
      ['127.0.0.1', 'disable', '', 0],
      ['127.0.0.1', 'allow', '', 0],
      ['127.0.0.1', 'prefer', '', 0],
      ['127.0.0.1', 'prefer', 'other.crt', 1],
      ['127.0.0.1', 'require', '', 0],
      ['127.0.0.1', 'require', 'other.crt', 1],
      ['127.0.0.1', 'verify-ca', 'ca.crt', 0],
      ['127.0.0.1', 'verify-ca', 'other.crt', 1],
      ['127.0.0.1', 'verify-full', 'ca.crt', 1],
      ['localhost', 'verify-full', 'ca.crt', 0],
      ['localhost', 'verify-full', '', 1],
    ] as const
    for (const [host, mode, root, code] of cases) {
      const ran = await encrypted(host, mode, root)
      expect({ host, mode, root, code: ran.code, err: ran.code === code ? '' : ran.err }).toEqual({
        host,
        mode,
        root,
        code,
        err: '',
      })
    }
    await copies(`${admin()}?sslmode=require`)
  })
})
