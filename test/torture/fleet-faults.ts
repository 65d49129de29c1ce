// Nodes that serve only what is signed, on a shelf in PostgreSQL and on one of plain files, while somebody tampers with it, holds it back or forks it.
import { chmodSync, cpSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../bench/free-port.ts'
import { parseShelfAddress, type ShelfAddress } from '../../packages/server/src/distribution/postgres/address.ts'
import { readListing } from '../../packages/server/src/distribution/postgres/pg-reader.ts'
import { publish } from '../../packages/server/src/distribution/postgres/publish.ts'
import { openShelf } from '../../packages/server/src/distribution/postgres/session.ts'
import { sha256 } from '../../packages/server/src/distribution/shelf/chunks.ts'
import { exportShelf } from '../../packages/server/src/distribution/shelf/export-shelf.ts'
import { nextPointer } from '../../packages/server/src/distribution/shelf/pointer.ts'
import { SHELF_HEADER } from '../../packages/server/src/http/observation/shelf-header.ts'
import { ReleaseStore } from '../../packages/server/src/release/home/release-store.ts'
import {
  ENTITY_MANIFEST_FILE,
  type EntityManifest,
  MANIFEST_FILE,
  manifestText,
  releasedEntity,
} from '../../packages/server/src/release/manifest.ts'
import type { Ran } from '../support/command.ts'
import { Nginx, staticHost } from '../support/nginx.ts'
import { PgBouncer } from '../support/pgbouncer.ts'
import { TestPostgres } from '../support/postgres.ts'
import { TestDirectory } from '../support/releases.ts'
import { eventually } from '../support/service.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'
import { OFFSET_VARIABLE } from './clock-shim.ts'
import {
  type Catalogs,
  catalogsIn,
  command,
  FleetNode,
  inFrontOf,
  LARGE,
  type Model,
  modelOf,
  type Name,
  pageAt,
  pick,
  type Random,
  randomFrom,
  SMALL,
  seconds,
} from './fleet-parts.ts'
import { startTraffic } from './traffic.ts'
import type { Campaign, Trial } from './trial.ts'

const DATABASE = 'signed'
const RATE = 50
const DAY = 86_400_000
const PATIENCE = 120_000
const EXPIRES_DAYS = 30
const AWAY_MILLISECONDS = 5_000
/** Beyond what is promised: for a machine on which everything runs at once. */
const GRACE_MILLISECONDS = 1_500
const DERIVED = ['offsets', 'etags', 'index', 'words'] as const
/** Signatures made within one second are equally old. */
const BETWEEN_SIGNATURES = 1_100

/** Where a shelf lies, and who may write to it. */
type Place = AsyncDisposable & {
  readonly name: string
  /** Where nodes find it, and its address at any port. */
  readonly port: number
  readonly address: (port: number) => string
  /** The flags with which a command of the publisher changes it as well. */
  readonly flags: readonly string[]
  /** What makes the home of the publisher its state where the command itself has not. */
  readonly send: (home: ReleaseStore) => Promise<unknown>
  /** Puts what a home has on it, as somebody can who may write there and has no key. */
  readonly offer: (home: ReleaseStore) => Promise<unknown>
}

/** An empty shelf, with users that read and publish. */
async function prepare(postgres: TestPostgres): Promise<void> {
  await postgres.createDatabase(DATABASE)
  const admin = postgres.url(DATABASE)
  for (const what of [['migrate'], ['roles', '--apply']]) await succeeded(['shelf', ...what, '--shelf', admin])
  const create = (user: string, role: string) =>
    `CREATE ROLE ${user} LOGIN PASSWORD '${postgres.password}' IN ROLE nomenclator_${role};`
  await postgres.query(DATABASE, create('signed', 'reader') + create('publisher', 'publisher'))
}

async function inPostgres(postgres: TestPostgres): Promise<Place> {
  await prepare(postgres)
  const publisher = postgres.url(DATABASE, 'publisher')
  const address = parseShelfAddress(publisher) as ShelfAddress
  const offer = async (home: ReleaseStore) => {
    await using connection = await openShelf({
      ...{ address, password: () => address.password, name: 'tampering', changes: true },
    })
    const base = await readListing(connection)
    const [history, idRegistry] = [home.currentFile, home.idRegistryFile].map((path) => readFileSync(path, 'utf8'))
    const put = new Map(
      home
        .digests()
        .filter((digest) => !home.hasReleaseFiles(digest, base.releases.get(digest) ?? {}))
        .map((digest) => [digest, home.releaseFiles(digest)]),
    )
    const change = { base, history: history ?? '', idRegistry: idRegistry ?? '', put, removed: [] }
    await publish(connection, home, { ...change, doing: 'tampering', next: nextPointer(base, crypto.randomUUID()) })
  }
  return {
    name: 'PostgreSQL',
    port: postgres.port,
    address: (port) => postgres.url(DATABASE, 'signed', port).replace(`:${postgres.password}@`, '@'),
    flags: ['--shelf', publisher],
    send: async () => {},
    offer,
    [Symbol.asyncDispose]: async () => {},
  }
}

async function asFiles(): Promise<Place> {
  const room = new TestDirectory()
  const directory = join(room.path, 'shelf')
  const port = freePort()
  const nginx = await Nginx.running(room.path, staticHost(port, room.path), `http://127.0.0.1:${port}`)
  const offer = (home: ReleaseStore) => exportShelf(home, directory)
  return {
    name: 'files',
    port,
    address: (at) => `http://127.0.0.1:${at}/shelf`,
    flags: [],
    send: offer,
    offer,
    [Symbol.asyncDispose]: async () => {
      await nginx[Symbol.asyncDispose]()
      room[Symbol.dispose]()
    },
  }
}

async function succeeded(argv: readonly string[]): Promise<Ran> {
  const all = await command(argv)
  if (all.code !== 0) throw new Error(`nomenclator ${argv.join(' ')} ended with ${all.code}: ${all.out}${all.err}`)
  return all
}

/** A publisher with a key, and three nodes that require its signature; the last one follows the first where nodes can be followed. */
class SignedFleet implements AsyncDisposable {
  readonly trial: Trial
  readonly place: Place
  readonly random: Random
  readonly nodes: FleetNode[] = []
  readonly room = new TestDirectory()
  readonly publisher = new TestDirectory()
  readonly password = join(this.room.path, 'password')
  readonly #clock = join(this.room.path, 'clock')
  readonly #model: Model
  readonly #catalogs: Catalogs
  #named: Name = 'one'
  /** Pages that were compared one by one with those of the release that the node has to serve. */
  compared = 0
  front = ''
  #nginx: Nginx | undefined

  constructor(trial: Trial, place: Place, model: Model, catalogs: Catalogs) {
    this.trial = trial
    this.place = place
    this.random = randomFrom(trial.seed)
    this.#model = model
    this.#catalogs = catalogs
    writeFileSync(this.#clock, '0')
  }

  async start(password: string): Promise<void> {
    const { place, nodes } = this
    writeFileSync(this.password, password)
    await succeeded(['keygen', '--out', this.#key('')])
    await this.publish('one')
    const shim = { BUN_OPTIONS: `--preload=${join(import.meta.dir, 'clock-shim.ts')}`, [OFFSET_VARIABLE]: this.#clock }
    const secret = place.flags.length === 0 ? [] : ['--shelf-password-file', this.password]
    const follow = (to: number, address: Place['address'], ...more: string[]) =>
      FleetNode.create({ to, shelf: address, flags: [...this.signed, ...secret, ...more], env: shim })
    nodes.push(await follow(place.port, place.address))
    nodes.push(await follow(place.port, place.address, '--refuse-expired'))
    const [first] = nodes as [FleetNode]
    nodes.push(
      place.flags.length === 0
        ? await follow(first.port, (port) => `http://127.0.0.1:${port}`)
        : await follow(place.port, place.address),
    )
    const port = freePort()
    this.front = `http://127.0.0.1:${port}`
    this.#nginx = await Nginx.running(this.room.path, inFrontOf(port, nodes), this.front)
  }

  /** The flags of a node that takes only what the publisher has signed. */
  get signed(): string[] {
    return ['--require-signature', this.#key('.pub')]
  }

  #key = (ending: string) => join(this.room.path, `release${ending}`)

  get store(): ReleaseStore {
    return new ReleaseStore(this.publisher.path)
  }

  get current(): string {
    return this.store.currentDigest() ?? ''
  }

  set clock(offset: number) {
    writeFileSync(this.#clock, String(offset))
  }

  /** A command of the publisher, by another address where one is given. */
  async change(argv: readonly string[], flags = this.place.flags): Promise<Ran> {
    await Bun.sleep(BETWEEN_SIGNATURES)
    const ran = await command([...argv, '--home', this.publisher.path, ...flags])
    if (ran.code === 0) await this.place.send(this.store)
    return ran
  }

  importing = (name: Name, days = EXPIRES_DAYS) => [
    ...['import', 'package', this.#catalogs.get(name) ?? '', '--accept-changes'],
    ...['--sign', this.#key('.key'), '--expires-days', String(days)],
  ]

  async publish(name: Name, days?: number): Promise<string> {
    const { code, err } = await this.change(this.importing(name, days))
    if (code !== 0) throw new Error(`nothing was published: ${err}`)
    this.#named = name
    return this.current
  }

  publishAnother = (days?: number) => this.publish(this.another(), days)
  another = (): Name =>
    pick(
      this.random,
      [...SMALL, ...LARGE].filter((name) => name !== this.#named),
    )

  /** Lets only the current release be left everywhere, so that any other is to be fetched. */
  async prune(): Promise<void> {
    const { code, err } = await this.change(['releases', 'prune', '--keep', '0'])
    if (code !== 0) throw new Error(`nothing was removed: ${err}`)
    const left = ({ home }: FleetNode) => new ReleaseStore(home.path).digests()
    await eventually('nodes have one release', () => this.nodes.every((node) => left(node).length === 1), PATIENCE)
  }

  large = (): Name => LARGE.find((name) => name !== this.#named) as Name

  /** Signs the current release again. */
  async renew(): Promise<void> {
    const { code, err } = await this.change(['sign', '--key', this.#key('.key'), '--expires-days', '400'])
    if (code !== 0) throw new Error(`nothing was signed: ${err}`)
  }

  /** Where somebody prepares what the publisher never published. */
  tampered(): TestDirectory & { readonly store: ReleaseStore } {
    const home = new TestDirectory()
    cpSync(this.publisher.path, home.path, { recursive: true })
    return Object.assign(home, { store: new ReleaseStore(home.path) })
  }

  converged = (digest = this.current) => Promise.all(this.nodes.map((node) => node.serves(digest)))

  /** All nodes have the release that they must have, and every page of each is a page of that. */
  async serves(digest: string, nodes: readonly FleetNode[] = this.nodes): Promise<void> {
    for (const node of nodes) {
      const release = (await node.told())?.release
      this.trial.require(release === digest, `a node serves ${release?.slice(0, 12)}, not ${digest.slice(0, 12)}`)
      for (const [target, page] of this.#model.truth.get(digest) ?? []) {
        this.compared++
        this.trial.require((await pageAt(node.url + target)) === page, `a node has another ${target} than its release`)
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#nginx?.[Symbol.asyncDispose]()
    for (const node of this.nodes.toReversed()) await node[Symbol.asyncDispose]()
    await this.place[Symbol.asyncDispose]()
    this.room[Symbol.dispose]()
    this.publisher[Symbol.dispose]()
  }
}

/** Changes a byte of a file that is made of the records, and every digest above it, so that only the signature does not fit. */
function forge(home: ReleaseStore, release: string, random: Random): void {
  const path = join(home.releaseDirectory(release), MANIFEST_FILE)
  const manifest = JSON.parse(readFileSync(path, 'utf8'))
  const name = pick(random, Object.keys(manifest.entities))
  const from = home.entityDirectory(manifest.entities[name].digest)
  const directory = `${from}.forged`
  cpSync(from, directory, { recursive: true })
  const file = pick(random, DERIVED)
  const bytes = readFileSync(join(directory, file))
  // In its second half: what a file says of itself at its beginning has to be sound to be cut into chunks.
  const at = Math.floor((0.5 + random() / 2) * bytes.length)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  write(join(directory, file), bytes)
  const entity: EntityManifest = JSON.parse(readFileSync(join(directory, ENTITY_MANIFEST_FILE), 'utf8'))
  const forged = { ...entity, files: { ...entity.files, [file]: { size: bytes.length, sha256: sha256(bytes) } } }
  const { digest } = releasedEntity(forged)
  write(join(directory, ENTITY_MANIFEST_FILE), manifestText(forged))
  renameSync(directory, home.entityDirectory(digest))
  manifest.entities[name].digest = digest
  write(path, manifestText(manifest))
}

/** The files of a home are read-only. */
function write(path: string, content: string | Uint8Array): void {
  chmodSync(path, 0o644)
  writeFileSync(path, content)
}

type Fault = (fleet: SignedFleet) => Promise<void>

/** The nodes that read the shelf itself: what they refuse, a node that follows one of them never sees. */
const directOf = ({ nodes, place }: SignedFleet) => (place.flags.length === 0 ? nodes.slice(0, 2) : nodes)

const forgedFile: Fault = async (fleet) => {
  const sound = fleet.current
  using home = fleet.tampered()
  forge(home.store, sound, fleet.random)
  await fleet.place.offer(home.store)
  await Promise.all(directOf(fleet).map((node) => node.inTrouble('refused')))
  await fleet.serves(sound)
  await fleet.publishAnother()
}

const rolledBack: Fault = async (fleet) => {
  const older = fleet.current
  const sound = await fleet.publishAnother()
  await fleet.converged()
  using home = fleet.tampered()
  home.store.activate(older)
  await fleet.place.offer(home.store)
  await Promise.all(directOf(fleet).map((node) => node.inTrouble('refused')))
  await fleet.serves(sound)
  await fleet.publishAnother()
}

/** News is held back until the signature of what is served has expired. */
const frozen: Fault = async (fleet) => {
  const { nodes } = fleet
  const expired = async (node: FleetNode) => {
    const ready = await node.asked<{ readonly ready: boolean; readonly degraded?: readonly string[] }>('/readyz')
    return ready?.ready === true && ready.degraded?.some((words) => /expired/i.test(words)) === true
  }
  const before = fleet.current
  for (const { proxy } of nodes) proxy.hold()
  fleet.clock = (EXPIRES_DAYS + 1) * DAY
  for (const node of nodes) await eventually('the expiry is told', () => expired(node), PATIENCE)
  await fleet.serves(before)
  // What comes then has expired as well: only one of the nodes refuses that.
  const [mild, strict] = nodes as [FleetNode, FleetNode]
  await fleet.publishAnother(1)
  for (const { proxy } of nodes) proxy.mend()
  await mild.serves(fleet.current)
  await strict.inTrouble('refused')
  await fleet.serves(before, [strict])
  await fleet.renew()
  await fleet.converged()
  for (const node of nodes) await eventually('nothing has expired', async () => !(await expired(node)), PATIENCE)
  fleet.clock = 0
}

/** A node that cannot reach the shelf, and then one that is slow, are asked for a release that others have. */
const lagging: Fault = async (fleet) => {
  const [node, other] = fleet.nodes as [FleetNode, FleetNode]
  /** Status, whether there is Retry-After, and what is said of the shelf. */
  const pinned = async (url: string, digest: string) => {
    const { status, headers } = await fetch(`${url}/api/v2/paises?release=${digest}`)
    return [status, headers.get('Retry-After') !== null, headers.get(SHELF_HEADER)].join()
  }
  const lags = '503,true,lag'
  const require = async (url: string, digest: string, expected: string, words: string) => {
    const got = await pinned(url, digest)
    fleet.trial.require(got.startsWith(expected), `${words} responded with ${got}, not ${expected}`)
  }
  const nowhere = sha256('nowhere')
  for (const fault of ['cut', 'slow'] as const) {
    await fleet.prune()
    fault === 'cut' ? node.proxy.cut() : node.proxy.slow(20_000)
    if (fault === 'cut') await node.inTrouble('away')
    const digest = await fleet.publish(fleet.large())
    await other.serves(digest)
    if ((await node.told())?.release !== digest) await require(node.url, digest, lags, `a node that is ${fault}`)
    if (fault === 'cut') await require(node.url, nowhere, lags, 'a node that cannot ask')
    await require(other.url, nowhere, '410,', 'a node that can ask')
    for (let at = 0; at < 20; at++) await require(fleet.front, digest, '200,', 'nginx in front of all')
    node.proxy.mend()
    await fleet.converged()
    await require(node.url, digest, '200,', 'a node that lagged')
  }
}

/** How long it took, over all nodes and times. */
const silences: number[] = []

/** The line stands still while nothing is done, and in the middle of fetching. */
const stalled: Fault = async (fleet) => {
  for (const isAmid of [false, true]) {
    const before = fleet.current
    const nodes = directOf(fleet)
    if (isAmid) {
      await fleet.prune()
      for (const { proxy } of nodes) proxy.slow(50_000)
      await fleet.publish(fleet.large())
      await Promise.all(nodes.map((node) => eventually('it fetches', () => node.isFetching, PATIENCE)))
    }
    const started = performance.now()
    await Promise.all(
      nodes.map(async (node) => {
        node.proxy.hold()
        await node.inTrouble('away')
        silences.push(performance.now() - started)
      }),
    )
    await fleet.serves(before)
    for (const { proxy } of nodes) proxy.mend()
    await Promise.all(nodes.map((node) => node.inTrouble(undefined)))
    await fleet.converged()
  }
}

/** Publishing through a pool in transaction mode is refused, and a node that follows through it has what all have. */
const pooled =
  (postgres: TestPostgres): Fault =>
  async (fleet) => {
    const before = fleet.current
    await using pool = await PgBouncer.inTransactionMode(postgres, DATABASE)
    const { code, err } = await fleet.change(fleet.importing(fleet.another()), [
      ...['--shelf', postgres.url(DATABASE, 'publisher', pool.port)],
    ])
    fleet.trial.require(
      code === 1 && err.includes('a connection pool in transaction mode'),
      `a pool in transaction mode was not refused: ${err}`,
    )
    await fleet.serves(before)
    const shelf = () => postgres.url(DATABASE, 'publisher', pool.port)
    await using node = await FleetNode.create({ to: pool.port, shelf, flags: fleet.signed })
    const digest = await fleet.publishAnother()
    await node.serves(digest)
    await fleet.converged()
    await fleet.serves(digest, [node])
  }

/** The password is another before the nodes know it, and their connections end. */
const rotated =
  (postgres: TestPostgres): Fault =>
  async (fleet) => {
    const before = fleet.current
    const next = `${postgres.password}-${Math.floor(fleet.random() * 1e9)}`
    await postgres.query(DATABASE, `ALTER ROLE signed PASSWORD '${next}'`)
    for (const { proxy } of fleet.nodes) {
      proxy.cut()
      proxy.mend()
    }
    await Promise.all(fleet.nodes.map((node) => node.inTrouble('refused')))
    await fleet.publishAnother()
    await fleet.serves(before)
    writeFileSync(fleet.password, next)
    await Promise.all(fleet.nodes.map((node) => node.inTrouble(undefined)))
  }

/** An old primary that was not fenced takes changes too, and more of them. */
const forked =
  (postgres: TestPostgres): Fault =>
  async (fleet) => {
    await using old = await TestPostgres.create()
    await using line = await TcpProxy.to(old.port)
    await prepare(old)
    const there = old.url(DATABASE, 'publisher')
    {
      using home = fleet.tampered()
      await succeeded(['shelf', 'publish', '--home', home.path, '--shelf', there])
    }
    // The same state, as after a failover.
    const [state] = await postgres.query(DATABASE, 'SELECT generation, change, chain FROM nomenclator.pointer')
    await old.query(
      DATABASE,
      `UPDATE nomenclator.pointer SET generation = ${state?.generation}, change = '${state?.change}', chain = '${state?.chain}'`,
    )
    const both = (port: number) =>
      postgres.url(DATABASE, 'publisher', port).replace('/signed', `,127.0.0.1:${line.port}/signed`)
    using home = fleet.tampered()
    await using node = await FleetNode.create({ to: postgres.port, shelf: both, flags: fleet.signed })
    const right = await fleet.publishAnother()
    await node.serves(right)
    for (const name of [SMALL[1], SMALL[2], LARGE[0]])
      await succeeded([...fleet.importing(name), '--home', home.path, '--shelf', there])
    await node.inTrouble('fork')
    await fleet.serves(right, [node])
    const further = await fleet.publishAnother()
    await node.serves(further)
    await node.inTrouble('fork')
    await fleet.serves(further, [node])
    const { code, err } = await fleet.change(fleet.importing(fleet.another()), ['--shelf', both(postgres.port)])
    fleet.trial.require(
      code === 1 && err.includes('THE SHELF HAS FORKED'),
      `a publisher was not told of a fork: ${err}`,
    )
    line.cut()
    await node.inTrouble(undefined)
    await fleet.serves(further, [node])
  }

/** All faults of one place, so many times. */
async function tamper(
  fleet: SignedFleet,
  faults: Readonly<Record<string, Fault>>,
  rounds: number,
  versions: Model['versions'],
): Promise<void> {
  const { trial, place } = fleet
  const host = new URL(fleet.front).host
  await using load = startTraffic({
    url: fleet.front,
    requests: { kind: 'pages', host, targets: Object.keys(versions) },
    ...{ connections: 4, fresh: 1, rate: RATE, versions },
  })
  await eventually('the first pages have come', () => load.completed() > 0)
  for (let round = 0; round < rounds; round++)
    for (const [name, fault] of Object.entries(faults)) {
      const started = performance.now()
      await fault(fleet)
      await fleet.converged()
      await fleet.serves(fleet.current)
      await Promise.all(fleet.nodes.map((node) => node.inTrouble(undefined)))
      trial.log(`${place.name}, ${name}: ${seconds(performance.now() - started)}`)
    }
  const { completed, failed, reasons, examples } = await load.stop()
  trial.require(failed === 0, `${place.name}: ${failed} failed: ${JSON.stringify(reasons)} ${examples.join(' ')}`)
  if (trial.failures.length > 0) return
  trial.fact(
    `Nodes that serve only what is signed, on a shelf ${place.name === 'files' ? 'of files that nginx serves, one of them behind another as its relay' : 'in PostgreSQL'}: ${Object.keys(faults).join(', ')}, ${rounds === 1 ? 'once' : `${rounds} times`} each. Every fault was told, every node recovered by itself when it was over, and of ${fleet.compared.toLocaleString('en')} pages that were compared with those of the one release that the node had to serve, and ${completed.toLocaleString('en')} through nginx, none was wrong.`,
  )
}

export const fleetFaults: Campaign = {
  name: 'fleet-faults',
  title: 'A shelf that is tampered with, tried',
  description:
    'A publisher with a key and three nodes that require its signature, on one machine, with nginx in front of them as in deploy/nginx.conf, and clients that request pages all the time: first on a shelf in PostgreSQL, then on one of files that a plain nginx serves, where the third node follows the first. Somebody who may write to the shelf changes a byte of the offsets, entity tags, index or words of a list, and every digest above it so that it fits; puts an older signed release back; or holds news back until signatures have expired. Nodes lag behind; lines stand still; a pool in transaction mode (PgBouncer where it is installed) is in between; the password changes; an old primary takes changes beside the new one. All pages of each node are compared with those of the one release that it has to serve, during each fault and after it.',
  impossible: async () => (Bun.which('nginx') === null ? 'it needs nginx.' : undefined),
  run: async (trial) => {
    const rounds = trial.size({ full: 2, quick: 1 })
    using room = new TestDirectory()
    const catalogs = catalogsIn(room.path)
    const model = await modelOf(catalogs)
    const anywhere = {
      'a forged file': forgedFile,
      'an older release put back': rolledBack,
      'news held back until signatures expired': frozen,
      'nodes that lag': lagging,
      'lines that stand still': stalled,
    }
    {
      await using postgres = await TestPostgres.create()
      await using fleet = new SignedFleet(trial, await inPostgres(postgres), model, catalogs)
      await fleet.start(postgres.password)
      const faults = {
        ...anywhere,
        'a pool in transaction mode': pooled(postgres),
        'another password': rotated(postgres),
        'two primaries': forked(postgres),
      }
      await tamper(fleet, faults, rounds, model.versions)
      for (const { log } of fleet.nodes) trial.require(!log.includes(postgres.password), 'a password is in a log')
    }
    {
      await using fleet = new SignedFleet(trial, await asFiles(), model, catalogs)
      await fleet.start('')
      await tamper(fleet, anywhere, rounds, model.versions)
    }
    const longest = Math.max(...silences)
    trial.require(
      longest <= AWAY_MILLISECONDS + GRACE_MILLISECONDS,
      `a line that stood still was told after ${seconds(longest)}`,
    )
    trial.fact(
      `A line that stood still was told after ${seconds(Math.min(...silences))} to ${seconds(longest)} (${silences.length} times).`,
    )
  },
}
