// npm run torture:fleet [-- fleet|fleet-faults]: PostgreSQL, a publisher and three nodes behind nginx, under load, while everything is killed, cut and damaged.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../bench/free-port.ts'
import { ReleaseStore } from '../../packages/server/src/release/home/release-store.ts'
import { releaseVerifier } from '../../packages/server/src/release/home/verify.ts'
import type { Ran } from '../support/command.ts'
import { Nginx } from '../support/nginx.ts'
import { TestPostgres } from '../support/postgres.ts'
import { TestDirectory } from '../support/releases.ts'
import { eventually } from '../support/service.ts'
import { OFFSET_VARIABLE } from './clock-shim.ts'
import { fleetFaults } from './fleet-faults.ts'
import {
  type Catalogs,
  catalogsIn,
  command,
  FleetNode,
  inFrontOf,
  LARGE,
  modelOf,
  type Name,
  pick,
  type Random,
  randomFrom,
  SMALL,
  seconds,
} from './fleet-parts.ts'
import { startTraffic } from './traffic.ts'
import type { Campaign, Sizes, Trial } from './trial.ts'

const DATABASE = 'fleet'
const NODES = 3
const RATE = 100
const WATCH_MILLISECONDS = 20

class Fleet implements AsyncDisposable {
  readonly trial: Trial
  readonly postgres: TestPostgres
  readonly nodes: FleetNode[] = []
  readonly room = new TestDirectory()
  readonly publisher = new TestDirectory()
  readonly catalogs: Catalogs
  readonly random: Random
  readonly clock: string
  /** From the commit of a publication to the last worker of the last node, in milliseconds. */
  readonly convergence: number[] = []
  publications = 0
  refusedPublications = 0
  #nginx: Nginx | undefined
  #named: Name | undefined

  constructor(trial: Trial, postgres: TestPostgres) {
    this.trial = trial
    this.postgres = postgres
    this.random = randomFrom(trial.seed)
    this.clock = join(this.room.path, 'clock')
    this.catalogs = catalogsIn(this.room.path)
  }

  async start(): Promise<void> {
    const { postgres } = this
    await postgres.createDatabase(DATABASE)
    const admin = postgres.url(DATABASE)
    await this.command('shelf', 'migrate', '--shelf', admin)
    await this.command('shelf', 'roles', '--apply', '--shelf', admin)
    await postgres.query(
      DATABASE,
      `CREATE ROLE node LOGIN PASSWORD '${postgres.password}' IN ROLE nomenclator_reader;
       CREATE ROLE publisher LOGIN PASSWORD '${postgres.password}' IN ROLE nomenclator_publisher`,
    )
    await this.publish('one')
    writeFileSync(this.clock, '0')
    const shim = { BUN_OPTIONS: `--preload=${join(import.meta.dir, 'clock-shim.ts')}`, [OFFSET_VARIABLE]: this.clock }
    // The clock of the last node can be set.
    for (let at = 0; at < NODES; at++) {
      const shelf = (port: number) => postgres.url(DATABASE, 'node', port)
      this.nodes.push(await FleetNode.create({ to: postgres.port, shelf, env: at === NODES - 1 ? shim : {} }))
    }
  }

  async startNginx(): Promise<string> {
    const port = freePort()
    const url = `http://127.0.0.1:${port}`
    this.#nginx = await Nginx.running(this.room.path, inFrontOf(port, this.nodes), url)
    return url
  }

  command = (...argv: readonly string[]) => command(argv, { PGPASSWORD: this.postgres.password })

  /** Makes a change to the shelf from the publisher; whatever it is, it counts as one publication. */
  async change(...argv: readonly string[]): Promise<Ran> {
    const shelf = `postgres://publisher@127.0.0.1:${this.postgres.port}/${DATABASE}`
    const ran = await this.command(...argv, '--home', this.publisher.path, '--shelf', shelf)
    this.publications++
    if (ran.code !== 0) this.refusedPublications++
    return ran
  }

  async publish(name: Name) {
    this.#named = name
    return this.change('import', 'package', this.catalogs.get(name) ?? '', '--accept-changes')
  }

  /** Any change that makes another release current. */
  async publishAnything() {
    const kind = this.random()
    if (kind < 0.35) {
      const ran = await this.change('rollback')
      if (ran.code === 0) return ran
    }
    if (kind < 0.6) {
      const [current, ...others] = new ReleaseStore(this.publisher.path).list().map(({ digest }) => digest)
      const other = pick(this.random, others.length === 0 ? [current ?? ''] : others)
      return this.change('activate', other)
    }
    const others = [...this.catalogs.keys()].filter((name) => name !== this.#named)
    return this.publish(pick(this.random, others))
  }

  /** What was not published is published after all: a publisher that is told to try again does. */
  async publishSurely(publishing = () => this.publishAnything()): Promise<void> {
    for (let tries = 0; ; tries++) {
      const { code, err } = await publishing()
      if (code === 0) return
      if (tries === 5) throw new Error(`nothing can be published: ${err}`)
    }
  }

  async pointer(): Promise<{ readonly current: string; readonly changed: number }> {
    const [row] = await this.postgres.query(
      DATABASE,
      "SELECT split_part(history, E'\\n', 1) AS current, extract(epoch FROM changed) * 1000 AS changed FROM nomenclator.pointer",
    )
    return { current: String(row?.current), changed: Number(row?.changed) }
  }

  /** Waits until every worker of every node serves what the shelf calls current. */
  async converged(): Promise<void> {
    const { current } = await this.pointer()
    await Promise.all(this.nodes.map((node) => node.serves(current)))
  }

  /** Publishes, and counts how long the slowest node takes. The nodes are watched from before the publication on. */
  async publishAndCount(): Promise<void> {
    const before = await this.pointer()
    const seen = this.nodes.map(() => new Map<string, number>())
    let isOver = false
    const watching = this.nodes.map(async (node, at) => {
      while (!isOver) {
        const release = (await node.told())?.release ?? ''
        if (!seen[at]?.has(release)) seen[at]?.set(release, Date.now())
        await Bun.sleep(WATCH_MILLISECONDS)
      }
    })
    await this.publishSurely()
    const { current, changed } = await this.pointer()
    await eventually('all nodes have served it', () => seen.every((one) => one.has(current)))
    isOver = true
    await Promise.all(watching)
    // An import of what is current changes nothing.
    if (current === before.current || changed === before.changed) return
    this.convergence.push(Math.max(...seen.map((one) => one.get(current) ?? 0)) - changed)
  }

  inTrouble = (kind: string | undefined) => Promise.all(this.nodes.map((node) => node.inTrouble(kind)))

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#nginx?.[Symbol.asyncDispose]()
    for (const node of this.nodes) await node[Symbol.asyncDispose]()
    this.room[Symbol.dispose]()
    this.publisher[Symbol.dispose]()
  }
}

type Plan = {
  readonly calm: number
  readonly postgresKills: number
  readonly nodeKills: number
  readonly damages: number
  readonly cuts: number
  readonly skews: readonly number[]
}

const HOUR = 3_600_000
const PLANS: Sizes<Plan> = {
  full: {
    calm: 45,
    postgresKills: 20,
    nodeKills: 30,
    damages: 4,
    cuts: 8,
    skews: [HOUR, -HOUR, 87_660 * HOUR, -40 * 8_766 * HOUR],
  },
  quick: { calm: 6, postgresKills: 4, nodeKills: 4, damages: 1, cuts: 2, skews: [-HOUR] },
}

async function calm(fleet: Fleet, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    await fleet.publishAndCount()
  }
}

/** Every second one in the middle of a publication. */
async function killPostgres(fleet: Fleet, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const isAmid = at % 2 === 0
    const publishing = isAmid ? fleet.publishAnything() : undefined
    await Bun.sleep(fleet.random() * 2_000)
    await fleet.postgres.kill()
    await Bun.sleep(100 + fleet.random() * 900)
    await fleet.postgres.start()
    const ran = await publishing
    if (ran === undefined || ran.code !== 0) await fleet.publishSurely()
    await fleet.converged()
  }
}

/** Every second one in the middle of a fetch. Gives how many were. */
async function killNodes(fleet: Fleet, count: number): Promise<number> {
  let amid = 0
  for (let at = 0; at < count; at++) {
    const node = fleet.nodes[at % NODES] as FleetNode
    if (at % 2 === 0) {
      // So that there is something to fetch, and slowly enough to be killed meanwhile.
      await fleet.change('releases', 'prune', '--keep', '0')
      await fleet.converged()
      node.proxy.slow(1e6)
      await fleet.publishSurely(() => fleet.publish(LARGE[(at / 2) % 2] as Name))
      await Bun.sleep(fleet.random() * 800)
      if (node.isFetching) amid++
      await node.kill()
      node.proxy.mend()
    } else {
      await node.kill()
      await fleet.publishSurely()
    }
    await node.start()
    await fleet.converged()
  }
  return amid
}

/** A release whose new chunks are damaged in the database before the nodes fetch them. */
async function damageChunks(fleet: Fleet, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    await fleet.change('releases', 'prune', '--keep', '0')
    await fleet.converged()
    const { current: sound } = await fleet.pointer()
    for (const { proxy } of fleet.nodes) proxy.cut()
    await fleet.inTrouble('away')
    const known = (await fleet.postgres.query(DATABASE, 'SELECT digest FROM nomenclator.chunk')).map(
      ({ digest }) => digest,
    )
    const { current: before } = await fleet.pointer()
    while ((await fleet.pointer()).current === before)
      await fleet.publishSurely(() => fleet.publish(pick(fleet.random, [...SMALL, ...LARGE])))
    await fleet.postgres.query(
      DATABASE,
      `UPDATE nomenclator.chunk SET packed = set_byte(packed, length(packed) / 2, get_byte(packed, length(packed) / 2) # 1)
       WHERE digest NOT IN (${known.map((digest) => `'${digest}'`).join()})`,
    )
    for (const { proxy } of fleet.nodes) proxy.mend()
    await fleet.inTrouble('refused')
    for (const node of fleet.nodes)
      fleet.trial.require(
        (await node.told())?.release === sound,
        'a node does not serve the release before a damaged one',
      )
    await fleet.change('shelf', 'mend')
    await fleet.converged()
    await fleet.inTrouble(undefined)
  }
}

/** The network of some nodes is cut, or loses everything without a word, while something is published. */
async function cutNetwork(fleet: Fleet, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const some = fleet.nodes.slice(0, 1 + (at % NODES))
    for (const { proxy } of some) at % 3 === 2 ? proxy.hold() : proxy.cut()
    await fleet.publishSurely()
    await Bun.sleep(500 + fleet.random() * 1_500)
    for (const { proxy } of some) proxy.mend()
    await fleet.converged()
  }
}

async function skewClocks(fleet: Fleet, skews: readonly number[]): Promise<void> {
  for (const skew of skews) {
    writeFileSync(fleet.clock, String(skew))
    await Bun.sleep(200)
    await fleet.publishAndCount()
  }
  writeFileSync(fleet.clock, '0')
}

async function verifyAll(fleet: Fleet): Promise<void> {
  const { trial, nodes, publisher } = fleet
  for (const { path } of [publisher, ...nodes.map(({ home }) => home)]) {
    const store = new ReleaseStore(path)
    for (const digest of store.digests()) {
      const wrong = await releaseVerifier(store)(digest)
      trial.require(wrong.length === 0, `a home has a damaged release: ${wrong.join(' ')}`)
    }
  }
  const listed = (path: string) => new ReleaseStore(path).digests().sort().join()
  const registry = (path: string) => readFileSync(join(path, 'id-registry.json'), 'utf8')
  await eventually('every node has every release', () =>
    nodes.every(({ home }) => listed(home.path) === listed(publisher.path)),
  )
  for (const { home } of nodes)
    trial.require(registry(home.path) === registry(publisher.path), 'a node has another id registry than the publisher')
  const { code, out, err } = await fleet.command('shelf', 'status', '--verify', '--shelf', fleet.postgres.url(DATABASE))
  trial.require(code === 0, `the shelf is damaged: ${out}${err}`)
}

const quantile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? 0

export const fleet: Campaign = {
  name: 'fleet',
  title: 'A fleet, tried',
  description:
    'PostgreSQL, one publisher and three nodes of two workers on one machine, nginx in front of them, and clients that request pages all the time and compare each with what the releases have. Releases are published and rolled back; PostgreSQL is killed (SIGKILL) and started again, also in the middle of publications; nodes are killed with all their processes and started again, also in the middle of fetching; chunks are damaged in the database; the network between nodes and PostgreSQL is cut, or loses everything without a word; the clock of a node jumps. No client may get a wrong response or none, and all nodes must come to serve what was published.',
  impossible: async () => (Bun.which('nginx') === null ? 'it needs nginx.' : undefined),
  run: async (trial) => {
    const plan = trial.size(PLANS)
    await using postgres = await TestPostgres.create()
    await using tried = new Fleet(trial, postgres)
    const model = await modelOf(tried.catalogs)
    trial.log(`${model.digests.size} catalogs, ${Object.keys(model.versions).length} pages`)
    await tried.start()
    const url = await tried.startNginx()
    await using load = startTraffic({
      url,
      requests: { kind: 'pages', host: new URL(url).host, targets: Object.keys(model.versions) },
      connections: 8,
      fresh: 2,
      rate: RATE,
      versions: model.versions,
    })
    await eventually('the first pages have come', () => load.completed() > 0)
    const phase = async (name: string, work: () => Promise<unknown>) => {
      const [started, before] = [performance.now(), load.completed()]
      await work()
      trial.log(`${name}: ${seconds(performance.now() - started)}, ${load.completed() - before} responses`)
    }
    let amid = 0
    await phase('calm', () => calm(tried, plan.calm))
    await phase('PostgreSQL killed', () => killPostgres(tried, plan.postgresKills))
    await phase('nodes killed', async () => {
      amid = await killNodes(tried, plan.nodeKills)
    })
    await phase('chunks damaged', () => damageChunks(tried, plan.damages))
    await phase('network cut', () => cutNetwork(tried, plan.cuts))
    await phase('clock set', () => skewClocks(tried, plan.skews))
    await verifyAll(tried)
    const { completed, failed, reasons, latency, longestOutage, examples } = await load.stop()
    const { convergence, publications, refusedPublications } = tried
    trial.require(failed === 0, `${failed} requests failed: ${JSON.stringify(reasons)} ${examples.join(' ')}`)
    trial.require(
      quantile(convergence, 1) <= 2_000,
      `a node took ${seconds(quantile(convergence, 1))} to serve what was published`,
    )
    for (const { log } of tried.nodes) trial.require(!log.includes(postgres.password), 'a password is in a log')
    trial.fact(
      `${publications} publications, activations, rollbacks, prunings and mendings, of which ${refusedPublications} failed (PostgreSQL was away, or there was nothing to go back to) and were made again.`,
    )
    trial.fact(
      `PostgreSQL killed ${plan.postgresKills} times, ${Math.ceil(plan.postgresKills / 2)} of them within 2 s of the start of a publication; nodes killed ${plan.nodeKills} times, ${amid} of them in the middle of fetching; ${plan.damages} times all new chunks damaged, refused by all nodes, told, and taken after they were mended; ${plan.cuts} times the network cut or silent; ${plan.skews.length} times the clock of a node set, by up to 40 years.`,
    )
    trial.fact(
      `From the commit of a publication until every worker of every node serves it, while nothing else was broken: median ${seconds(quantile(convergence, 0.5))}, 95 of 100 within ${seconds(quantile(convergence, 0.95))}, the slowest ${seconds(quantile(convergence, 1))} (${convergence.length} publications).`,
    )
    trial.fact(
      `${completed.toLocaleString('en')} responses through nginx, ${failed} wrong or missing; p50 ${latency.p50.toFixed(1)} ms, p99 ${latency.p99.toFixed(1)} ms, the longest time without one ${Math.round(longestOutage)} ms. nginx tries another node where one does not respond.`,
    )
  },
}

if (import.meta.main) {
  const { torture } = await import('./torture.ts')
  await torture('npm run torture:fleet', [fleet, fleetFaults])
}
