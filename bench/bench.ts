// The benchmark: reads the command line, starts the servers, measures them side by side, and reports.
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { version } from '../package.json'
import { runCommand } from './command.ts'
import { allLoads, type LoadName, loads, loadsForAll, quickLoads, sockets, wrkOrSockets } from './load.ts'
import { allCores, describeMachine, keepAwake, LOAD_CORES, largestMemory, pinSelf, ROOT, workPath } from './machine.ts'
import { alternate, type Contest, ratioIn, spreadIn } from './measure.ts'
import { copyPages, type Peer, peers, verifySame, versionOf } from './peers.ts'
import { profile } from './profile.ts'
import { ranged, report } from './report.ts'
import { type Build, build, nomenclator, Server, startTimes } from './servers.ts'
import { type Spread, spreadOf } from './spread.ts'
import { compareStarts, homeWithPackages, startsReport } from './starts.ts'
import { type Architecture, OURS, TEN_TIMES, TWO_WORKERS, type Verdict, verdictsOn } from './targets.ts'

export const USAGE = `npm run bench                 compares with all servers; writes bench/results/serving-ARCH.md
npm run bench -- --quick      compares with nginx alone, in about two minutes; prints the report
npm run bench -- --smoke      start time and cost of depth; needs neither wrk nor another server
npm run bench -- --starts     start time with and without twenty packages; writes bench/results/starts.md
npm run bench -- --profile    where the time of one hot page goes: user and system time, and the functions that take most

  --rounds N    alternating rounds (default 5)
  --out FILE    write the report there
  --help        this text

Exits with 1 if a target is missed.
`

type Plan = {
  readonly kind: 'compare' | 'smoke' | 'starts' | 'profile'
  readonly peers: readonly Peer[]
  readonly loads: readonly LoadName[]
  /** True if this service is also measured on ten times the localities. */
  readonly grows: boolean
  readonly seconds: number
  readonly builds: number
  readonly out: string | undefined
}
type Options = Plan & { readonly rounds: number }

const onlyNginx = peers.filter(({ name }) => name === 'nginx')
const alone = { peers: [], loads: [], grows: false, seconds: 1, builds: 1, out: undefined } as const
const plans = {
  full: {
    kind: 'compare',
    peers,
    loads: allLoads,
    grows: true,
    seconds: 2,
    builds: 9,
    out: `bench/results/serving-${process.arch}.md`,
  },
  quick: {
    ...{ kind: 'compare', peers: onlyNginx, loads: quickLoads, grows: false },
    ...{ seconds: 1, builds: 3, out: undefined },
  },
  smoke: { ...alone, kind: 'smoke' },
  starts: { ...alone, kind: 'starts', out: 'bench/results/starts.md' },
  profile: { ...alone, kind: 'profile', seconds: 10 },
} as const satisfies Readonly<Record<string, Plan>>

export function readOptions(argv: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      quick: { type: 'boolean' },
      smoke: { type: 'boolean' },
      starts: { type: 'boolean' },
      profile: { type: 'boolean' },
      rounds: { type: 'string', default: '5' },
      out: { type: 'string' },
    },
  })
  const rounds = Number(values.rounds)
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds is a whole number from 1')
  const named = (['quick', 'smoke', 'starts', 'profile'] as const).filter((name) => values[name])
  if (named.length > 1) throw new Error(`--${named.join(' and --')} exclude one another`)
  const plan = plans[named[0] ?? 'full']
  return { ...plan, rounds, out: values.out ?? plan.out }
}

const STARTS = 11
/** Cores for two workers, and as many for the load. */
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
  const start = await startTimes(nomenclator(once.home), STARTS)
  const ten = options.grows ? await startOfTenTimes() : undefined

  await using stack = new AsyncDisposableStack()
  const ours = stack.use(await Server.start(nomenclator(once.home)))
  const pages = await copyPages(ours)
  const servers = [ours]
  for (const peer of options.peers) {
    say(`starting ${peer.name}`)
    const server = stack.use(await Server.start(peer.prepare(pages)))
    await verifySame(ours, server)
    peer.verifyLimits?.(server)
    servers.push(server)
  }
  const larger = ten === undefined ? undefined : stack.use(await Server.start(ten.launch))
  const doubled = stack.use(await Server.start(nomenclator(once.home, { name: TWO_WORKERS, workers: 2 })))

  const variants = larger === undefined ? [doubled] : [larger, doubled]
  const serversFor = (load: LoadName) =>
    loadsForAll.includes(load) ? servers : servers.filter(({ name }) => name === OURS || name === 'nginx')
  // The servers of a load stand side by side, since they are compared.
  const contests: Contest[] = [
    ...options.loads.flatMap((load) => serversFor(load).map((server) => ({ server, load: loads[load] }))),
    ...variants.map((server) => ({ server, load: loads.random })),
  ]
  say(`measuring ${options.rounds} rounds of ${contests.length * options.seconds} s`)
  const all = await alternate(contests, { ...options, generate: wrkOrSockets })
  const measured = all.filter(({ server }) => server !== TWO_WORKERS || allCores.length >= CORES_FOR_TWO_WORKERS)
  const anonymous = [ours, doubled].map(({ pid }) => largestMemory(pid).anonymousBytes / 1e6)
  const anonymousMegabytes = spreadOf([Math.max(...anonymous)])
  const architecture: Architecture = process.arch === 'x64' ? 'x64' : 'arm64'
  const verdicts = verdictsOn({ measured, start, buildRate: spreadOf(once.rates), anonymousMegabytes }, architecture)
  const text = report({
    ...{ architecture, command, rounds: options.rounds, seconds: options.seconds, measured, verdicts },
    sizes: [
      { server: OURS, build: once.middle, start, memory: largestMemory(ours.pid) },
      ...(ten === undefined || larger === undefined
        ? []
        : [{ server: TEN_TIMES, build: ten.middle, start: ten.start, memory: largestMemory(larger.pid) }]),
    ],
    machine: [
      ...describeMachine(),
      `nomenclator ${version} on Bun ${Bun.version}`,
      ...versions.map((pair) => pair.join(' ')),
    ],
  })
  console.log(text)
  if (options.out !== undefined) writeFileSync(resolve(ROOT, options.out), `${text}\n`)
  return verdicts
}

async function startOfTenTimes() {
  const { home, middle } = await buildTimes(10, 1)
  const launch = nomenclator(home, { name: TEN_TIMES })
  return { middle, launch, start: await startTimes(launch, STARTS) }
}

async function smoke(options: Options): Promise<readonly Verdict[]> {
  const { home } = await buildTimes(1, options.builds)
  console.log(`Start to first response: ${ranged(await startTimes(nomenclator(home), STARTS))} ms, ${STARTS} starts`)
  await using server = await Server.start(nomenclator(home))
  const contests = [loads.hot, loads.deep].map((load) => ({ server, load }))
  const [hot, deep] = await alternate(contests, { ...options, generate: sockets })
  const shown = (found: Spread | undefined) => (found === undefined ? 'not measured, for errors' : ranged(found))
  if (hot === undefined || deep === undefined) return []
  console.log(`CPU per request of page 1: ${shown(spreadIn(hot, 'cpuMicros'))} µs`)
  console.log(`CPU per request of the deepest page: ${shown(spreadIn(deep, 'cpuMicros'))} µs`)
  console.log(`The deepest page against page 1: ${shown(ratioIn(deep, hot, 'cpuMicros'))} ×, ${options.rounds} rounds`)
  return []
}

async function starts(options: Options, command: string): Promise<readonly Verdict[]> {
  const { home } = await buildTimes(1, options.builds)
  say('importing packages')
  const withPackages = await homeWithPackages(home)
  say('starting with and without them')
  const { text, verdict } = await compareStarts(home, withPackages, STARTS)
  const machine = [...describeMachine(), `nomenclator ${version} on Bun ${Bun.version}`]
  const page = startsReport({ text, verdict, command, machine })
  console.log(page)
  if (options.out !== undefined) writeFileSync(resolve(ROOT, options.out), `${page}\n`)
  return [verdict]
}

async function profileHot(options: Options): Promise<readonly Verdict[]> {
  const { home } = await buildTimes(1, options.builds)
  console.log(await profile(home, options.seconds))
  return []
}

if (import.meta.main) {
  pinSelf(LOAD_CORES)
  const kinds = { compare, smoke, starts, profile: profileHot }
  await runCommand({
    name: 'bench',
    usage: USAGE,
    read: readOptions,
    run: async (options, call) => {
      using _awake = keepAwake()
      return await kinds[options.kind](options, call)
    },
  })
}
