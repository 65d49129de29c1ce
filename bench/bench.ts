// The benchmark: reads the command line, starts the servers, measures them side by side, and reports.
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { version } from '../package.json'
import { runCommand } from './command.ts'
import { fetches, loads, wrk } from './load.ts'
import { allCores, describeMachine, LOAD_CORES, largestMemory, pinSelf, ROOT, workPath } from './machine.ts'
import { alternate, type Contest } from './measure.ts'
import { copyPages, type Peer, peers, verifySame, versionOf } from './peers.ts'
import { ranged, report } from './report.ts'
import { type Build, build, nomenclator, Server, startTimes } from './servers.ts'
import { ratioOf, spreadOf } from './spread.ts'
import { OURS, TEN_TIMES, TWO_WORKERS, type Verdict, verdictsOn } from './targets.ts'

export const USAGE = `npm run bench                 compares with all servers; writes docs/benchmarks.md
npm run bench -- --quick      compares with nginx alone, in about two minutes; prints the report
npm run bench -- --smoke      start time and cost of depth; needs neither wrk nor another server

  --rounds N    alternating rounds (default 5)
  --out FILE    write the report there
  --help        this text

Exits with 1 if a target is missed.
`

type Plan = {
  readonly peers: readonly Peer[]
  readonly seconds: number
  readonly builds: number
  readonly out: string | undefined
}
type Options = Plan & { readonly rounds: number }

const plans = {
  full: { peers, seconds: 2, builds: 9, out: 'docs/benchmarks.md' },
  quick: { peers: peers.filter(({ name }) => name === 'nginx'), seconds: 1, builds: 3, out: undefined },
  smoke: { peers: [], seconds: 1, builds: 1, out: undefined },
} as const satisfies Readonly<Record<string, Plan>>

export function readOptions(argv: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      quick: { type: 'boolean' },
      smoke: { type: 'boolean' },
      rounds: { type: 'string', default: '5' },
      out: { type: 'string' },
    },
  })
  const rounds = Number(values.rounds)
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds is a whole number from 1')
  const plan = plans[values.smoke ? 'smoke' : values.quick ? 'quick' : 'full']
  return { ...plan, rounds, out: values.out ?? plan.out }
}

const STARTS = 11
/** Two for the workers, and as many to keep them busy. */
const CORES_FOR_TWO_WORKERS = 4

const say = (text: string) => console.error(`bench: ${text}`)

/** Builds the release of invented data some times; the last is the one to be served, the one in the middle is reported. */
async function buildTimes(scale: number, times: number): Promise<{ home: string; middle: Build; rates: number[] }> {
  say(`building ${scale} × the localities, ${times} times`)
  const home = workPath(`x${scale}`)
  const builds: Build[] = []
  for (let at = 0; at < times; at++) builds.push(await build(home, 'synthetic', '--scale', String(scale)))
  const middle = builds.toSorted((a, b) => a.seconds - b.seconds)[times >> 1] as Build
  return { home, middle, rates: builds.map(({ localities, seconds }) => localities / seconds) }
}

async function compare(options: Options, command: string): Promise<readonly Verdict[]> {
  const versions = [...options.peers.map(({ name, version }) => [name, version()]), ['wrk', versionOf('wrk', '-v')]]
  const missing = versions.flatMap(([name, found]) => (found === undefined ? [name] : []))
  if (missing.length > 0) throw new Error(`not installed: ${missing.join(', ')}; run bench/setup`)
  const once = await buildTimes(1, options.builds)
  const ten = await buildTimes(10, 1)
  const tenTimes = nomenclator(ten.home, { name: TEN_TIMES })
  const [start, startOfTen] = [await startTimes(nomenclator(once.home), STARTS), await startTimes(tenTimes, STARTS)]

  await using stack = new AsyncDisposableStack()
  const ours = stack.use(await Server.start(nomenclator(once.home)))
  const pages = await copyPages(ours)
  const servers = [ours]
  for (const peer of options.peers) {
    say(`starting ${peer.name}`)
    const server = stack.use(await Server.start(peer.prepare(pages)))
    await verifySame(ours, server)
    servers.push(server)
  }
  const larger = stack.use(await Server.start(tenTimes))
  const doubled = stack.use(await Server.start(nomenclator(once.home, { name: TWO_WORKERS, workers: 2 })))

  // What is compared with one another stands side by side.
  const contests: Contest[] = [
    ...Object.values(loads).flatMap((load) => servers.map((server) => ({ server, load }))),
    ...[larger, doubled].map((server) => ({ server, load: loads.random })),
  ]
  say(`measuring ${options.rounds} rounds of ${contests.length * options.seconds} s`)
  const all = await alternate(contests, { ...options, generate: wrk })
  const measured = all.filter(({ server }) => server !== TWO_WORKERS || allCores.length >= CORES_FOR_TWO_WORKERS)
  // Pages of the release count as private to a process while no other maps them, so this is taken of two workers; a
  // run too short for each of them to read every page finds too much.
  const privateMegabytes = spreadOf([largestMemory(doubled.pid).privateBytes / 1e6])
  const verdicts = verdictsOn({ measured, start, buildRate: spreadOf(once.rates), privateMegabytes })
  const results = {
    ...{ command, rounds: options.rounds, seconds: options.seconds, measured, verdicts },
    sizes: [
      { server: OURS, build: once.middle, start, memory: largestMemory(ours.pid) },
      { server: TEN_TIMES, build: ten.middle, start: startOfTen, memory: largestMemory(larger.pid) },
    ],
    machine: [
      ...describeMachine(),
      `nomenclator ${version} on Bun ${Bun.version}`,
      ...versions.map((pair) => pair.join(' ')),
    ],
  }
  console.log(report(results))
  if (options.out !== undefined) writeFileSync(resolve(ROOT, options.out), report(results))
  return verdicts
}

async function smoke(options: Options): Promise<readonly Verdict[]> {
  const { home } = await buildTimes(1, options.builds)
  console.log(`Start to first response: ${ranged(await startTimes(nomenclator(home), STARTS))} ms, ${STARTS} starts`)
  await using server = await Server.start(nomenclator(home))
  const contests = [loads.hot, loads.deep].map((load) => ({ server, load }))
  const measured = await alternate(contests, { ...options, generate: fetches })
  const [hot = [], deep = []] = measured.map(({ samples }) => samples.map(({ cpuMicros }) => cpuMicros))
  console.log(`CPU per request of page 1: ${ranged(spreadOf(hot))} µs`)
  console.log(`CPU per request of the deepest page: ${ranged(spreadOf(deep))} µs`)
  console.log(`The deepest page against page 1: ${ranged(ratioOf(deep, hot))} ×, ${options.rounds} rounds`)
  return []
}

if (import.meta.main) {
  pinSelf(LOAD_CORES)
  const run = (options: Options, call: string) => (options.peers.length === 0 ? smoke(options) : compare(options, call))
  await runCommand({ name: 'bench', usage: USAGE, read: readOptions, run })
}
