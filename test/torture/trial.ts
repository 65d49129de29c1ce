// What all campaigns share: the service under trial, homes for it, a well-behaved client beside the hostile ones, and what was found.
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../bench/free-port.ts'
import { ReleaseStore } from '../../packages/server/src/release/home/release-store.ts'
import { randomFrom, shuffled } from '../../packages/server/src/source/synthetic/random.ts'
import { nomenclator, TestDirectory } from '../support/releases.ts'
import { eventually, Service, TwoReleases } from '../support/service.ts'
import type { TrafficReport } from './clients.ts'
import { type MemorySeen, MemoryWatch, memoryOf } from './memory.ts'
import { fingerprintOf, startTraffic, type TrafficPlan } from './traffic.ts'

/** Everything as promised, the same in minutes, or in the seconds that a test may take. */
export type Scale = 'full' | 'quick' | 'test'

/** What a campaign does at each scale; those that no test runs have nothing for it. */
export type Sizes<T> = { readonly full: T; readonly quick: T; readonly test?: T }

/** What the well-behaved client and the memory of the service saw during one case. */
export type Case = {
  readonly name: string
  readonly probe: TrafficReport
  readonly memory: MemorySeen
}

export type Campaign = {
  readonly name: string
  readonly title: string
  /** What is done to the service, for the report. */
  readonly description: string
  /** In the words of the report, why it cannot run on this machine. */
  readonly impossible?: () => Promise<string | undefined>
  readonly run: (trial: Trial) => Promise<void>
}

/** A home with two releases; the first is current. */
export type Home = { readonly path: string; readonly digests: readonly [first: string, second: string] }

type StartOptions = {
  readonly flags?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** How many descriptors it may have open. */
  readonly descriptors?: number
  readonly workers?: number
}

type ObserveOptions = {
  readonly rate?: number
  /** Clients that check every page against what both releases have. */
  readonly versions?: TrafficPlan['versions']
}

/** The variable that names a file of INEGI to try the service with. */
export const DATA_VARIABLE = 'TORTURE_INEGI'

const DATA = join(import.meta.dir, '..', '..', 'data')
const PROBE_CONNECTIONS = 8
const PROBE_FRESH_CONNECTIONS = 2
const PROBE_RATE = 200
const PAGES_OF_A_COLLECTION = 8
const PAGE_RECORDS = 10

/** Homes that are built once for all campaigns of a run. */
export class Homes implements Disposable {
  readonly #room = new TestDirectory()
  readonly #scale: Scale
  readonly #built = new Map<string, Promise<Home>>()
  readonly #versions = new Map<string, Promise<Versions>>()
  #copies = 0

  constructor(scale: Scale) {
    this.#scale = scale
  }

  /** Of the size of the official catalog, but in a test of a few records. */
  large(): Promise<Home> {
    return this.#once('large', (path) => (this.#scale === 'test' ? small(path) : synthetic(path)))
  }

  /** Of the size of the bundled data, but in a test of a few records. */
  bundled(): Promise<Home> {
    return this.#once('bundled', (path) => (this.#scale === 'test' ? small(path) : bundled(path)))
  }

  /** As large; of a file of INEGI where the environment names one, beside the bundled data. */
  official(): Promise<Home> {
    const file = process.env[DATA_VARIABLE]
    return file === undefined || this.#scale === 'test'
      ? this.large()
      : this.#once('official', (path) => official(path, file))
  }

  /** For a campaign that does harm to it. */
  copyOf({ path, digests }: Home, to = join(this.#room.path, `copy-${this.#copies++}`)): Home {
    cpSync(path, to, { recursive: true })
    return { path: to, digests }
  }

  directory(name: string): string {
    return join(this.#room.path, name)
  }

  /** A report is read where these directories are not. */
  withoutPaths(text: string): string {
    return text.replaceAll(`${this.#room.path}/`, '')
  }

  versions(home: Home): Promise<Versions> {
    const key = home.digests.join()
    const known = this.#versions.get(key) ?? versionsOf(home)
    this.#versions.set(key, known)
    return known
  }

  [Symbol.dispose](): void {
    this.#room[Symbol.dispose]()
  }

  #once(name: string, build: (path: string) => Promise<Home>): Promise<Home> {
    const known = this.#built.get(name) ?? build(join(this.#room.path, name))
    this.#built.set(name, known)
    return known
  }
}

async function succeeded(...argv: readonly string[]): Promise<void> {
  const { code, out, err } = await nomenclator(...argv)
  if (code !== 0) throw new Error(`nomenclator ${argv.join(' ')} ended with ${code}: ${out}${err}`)
}

function homeAt(path: string): Home {
  const [second, first] = readFileSync(join(path, 'current'), 'utf8').trim().split(/\s+/)
  if (first === undefined || second === undefined) throw new Error(`${path} has not had two releases`)
  activate(path, first)
  return { path, digests: [first, second] }
}

async function synthetic(path: string): Promise<Home> {
  for (const seed of ['1', '2'])
    await succeeded('import', 'synthetic', '--seed', seed, '--accept-changes', '--home', path)
  return homeAt(path)
}

async function bundled(path: string): Promise<Home> {
  await succeeded('import', 'bundled', '--home', path)
  // The same with one audience less: most entities are shared by both releases.
  using room = new TestDirectory()
  const lines = readFileSync(join(DATA, 'audiencia.csv'), 'utf8').trimEnd().split('\n')
  writeFileSync(join(room.path, 'audiencia.csv'), `${lines.slice(0, -1).join('\n')}\n`)
  await succeeded('import', 'package', room.path, '--accept-changes', '--home', path)
  return homeAt(path)
}

async function official(path: string, file: string): Promise<Home> {
  await succeeded('import', 'bundled', '--home', path)
  await succeeded('import', 'inegi', file, '--accept-changes', '--home', path)
  const { digests } = homeAt(path)
  activate(path, digests[1])
  return { path, digests: [digests[1], digests[0]] }
}

async function small(path: string): Promise<Home> {
  using home = await TwoReleases.create()
  cpSync(home.path, path, { recursive: true })
  return { path, digests: home.digests }
}

export const activate = (home: string, digest: string): void => new ReleaseStore(home).activate(digest)

/** Pages to request, and how each may be answered: as the first release has it, or as the second. */
export type Versions = {
  readonly targets: readonly string[]
  readonly both: Readonly<Record<string, readonly string[]>>
  /** By release. */
  readonly of: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** Asks a single process for the same pages of one release after the other. */
async function versionsOf(home: Home): Promise<Versions> {
  await using service = await Service.over(home, { flags: ['--workers', '1'] })
  const random = randomFrom(1)
  const of: Record<string, Record<string, string>> = {}
  const targets: string[] = []
  for (const digest of home.digests) {
    activate(home.path, digest)
    await eventually(`${digest} is served`, async () => (await releaseOf(service.url)) === digest)
    if (targets.length === 0) targets.push(...(await somePages(service.url, random)))
    of[digest] = {}
    for (const target of targets) {
      const response = await fetch(service.url + target)
      const fingerprint = fingerprintOf(200, (name) => response.headers.get(name), await response.bytes())
      // A page that only one of them has is no good page to request.
      if (response.status === 200) (of[digest] as Record<string, string>)[target] = fingerprint
    }
  }
  activate(home.path, home.digests[0])
  const [first, second] = home.digests.map((digest) => of[digest] ?? {})
  const inBoth = targets.filter((target) => first?.[target] !== undefined && second?.[target] !== undefined)
  const both = inBoth.map((target) => [target, [first?.[target] ?? '', second?.[target] ?? '']] as const)
  return { targets: inBoth, both: Object.fromEntries(both), of }
}

async function somePages(url: string, random: ReturnType<typeof randomFrom>): Promise<string[]> {
  const { paths } = (await (await fetch(`${url}/api/openapi.json`)).json()) as { readonly paths: object }
  const lists = Object.keys(paths).filter((path) => path.startsWith('/api/v1/'))
  const targets = lists.map(async (path) => {
    const response = await fetch(url + path)
    await response.arrayBuffer()
    const pages = Math.max(1, Math.ceil(Number(response.headers.get('X-Total')) / PAGE_RECORDS))
    const numbers = new Set([1, ...Array.from({ length: PAGES_OF_A_COLLECTION }, () => 1 + random(pages))])
    return [...numbers].map((page) => `${path}?page=${page}`)
  })
  return (await Promise.all(targets)).flat()
}

/** The release that a service has at this moment, by whichever worker responds; undefined if none does. */
export async function releaseOf(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${url}/api/v2`, { keepalive: false, signal: AbortSignal.timeout(2_000) })
    await response.arrayBuffer()
    return response.headers.get('X-Release') ?? undefined
  } catch {
    return undefined
  }
}

let help: Promise<string> | undefined
/** Whether `serve` has a flag. */
export async function hasFlag(flag: string): Promise<boolean> {
  help ??= nomenclator('serve', '--help').then(({ out }) => out)
  return new RegExp(`^\\s+${flag}\\b`, 'm').test(await help)
}

/** One run of one campaign: how large it is, what it may use, and what it found. */
export class Trial implements AsyncDisposable {
  readonly scale: Scale
  readonly seed: number
  readonly homes: Homes
  readonly log: (line: string) => void
  readonly cases: Case[] = []
  /** What is worth telling, a sentence each. */
  readonly facts: string[] = []
  /** What did not hold. */
  readonly failures: string[] = []
  readonly #services = new AsyncDisposableStack()
  readonly #admin = new WeakMap<Service, string>()

  constructor(scale: Scale, seed: number, homes: Homes, log: (line: string) => void) {
    this.scale = scale
    this.seed = seed
    this.homes = homes
    this.log = log
  }

  size<T>(sizes: Sizes<T>): T {
    return sizes[this.scale] ?? sizes.quick
  }

  fact(text: string): void {
    this.facts.push(this.homes.withoutPaths(text))
    this.log(text)
  }

  /** Something that must hold, in the words of what is wrong if it does not. */
  require(holds: boolean, otherwise: string): void {
    if (holds) return
    this.failures.push(this.homes.withoutPaths(otherwise))
    this.log(`DOES NOT HOLD: ${otherwise}`)
  }

  /** `nomenclator serve` with two workers, and a second listener for operators where it has one. */
  async start(home: Pick<Home, 'path'>, { flags = [], workers = 2, ...options }: StartOptions = {}): Promise<Service> {
    const admin = (await hasFlag('--admin')) ? `127.0.0.1:${freePort()}` : undefined
    const all = ['--workers', String(workers), ...(admin === undefined ? [] : ['--admin', admin]), ...flags]
    const env = { ...(this.scale === 'test' ? {} : { NO_WARM_UP: '' }), ...options.env }
    const service = this.#services.use(await Service.over(home, { ...options, env, flags: all }))
    if (admin !== undefined) this.#admin.set(service, `http://${admin}`)
    return service
  }

  /** A page of the listener for operators; undefined where there is none, or it does not respond. */
  async admin(service: Service, path: string): Promise<{ readonly status: number; readonly text: string } | undefined> {
    const url = this.#admin.get(service)
    if (url === undefined) return undefined
    try {
      const response = await fetch(url + path, { signal: AbortSignal.timeout(2_000) })
      return { status: response.status, text: await response.text() }
    } catch {
      return undefined
    }
  }

  /** The sum of all samples of a metric whose name and labels match; undefined where there are no metrics. */
  async metric(service: Service, pattern: RegExp): Promise<number | undefined> {
    const metrics = await this.admin(service, '/metrics')
    if (metrics?.status !== 200) return undefined
    const samples = metrics.text.split('\n').filter((line) => !line.startsWith('#') && pattern.test(line))
    return samples.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
  }

  /** Lets a well-behaved client request pages of API v1 while something happens, and watches the memory. */
  async observe(
    name: string,
    service: Service,
    home: Home,
    happening: (watch: MemoryWatch) => Promise<void>,
    { rate = PROBE_RATE, versions }: ObserveOptions = {},
  ): Promise<Case> {
    const { targets, both } = await this.homes.versions(home)
    using watch = new MemoryWatch(service.pid)
    const plan: TrafficPlan = {
      url: service.url,
      requests: { kind: 'pages', host: new URL(service.url).host, targets: shuffled(randomFrom(this.seed), targets) },
      connections: PROBE_CONNECTIONS,
      fresh: PROBE_FRESH_CONNECTIONS,
      rate,
      versions: versions ?? both,
    }
    await using probe = startTraffic(plan)
    // Connected before anything happens.
    await eventually('the first pages have come', () => probe.completed() > 0)
    await happening(watch)
    const report = await probe.stop()
    await Bun.sleep(this.size({ full: 10_000, quick: 2_000, test: 100 }))
    const { before, peak } = watch
    const seen = { name, probe: report, memory: { before, peak, after: memoryOf(service.pid) } }
    this.cases.push(seen)
    this.log(`${name}: ${caseText(seen)}`)
    return seen
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#services.disposeAsync()
  }
}

const caseText = ({ probe, memory: { before, peak, after } }: Case) =>
  `${probe.failed} of ${probe.completed + probe.failed} failed ${JSON.stringify(probe.reasons)}, ${probe.limited} turned away, p50 ${probe.latency.p50.toFixed(2)} p99 ${probe.latency.p99.toFixed(2)} max ${probe.latency.max.toFixed(0)} ms, ${[before, peak, after].map(({ pss }) => pss.toFixed(0)).join(' → ')} MB`
