// The benchmark: reads the command line, starts the servers, measures them side by side, and reports.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { fetches, loads, wrk } from './load.ts'
import { allCores, describeMachine, LOAD_CORES, largestMemory, pinSelf, ROOT, WORK, workPath } from './machine.ts'
import { alternate, type Contest } from './measure.ts'
import { charts, ranged, report, type Size, targetTable } from './report.ts'
import {
  type Build,
  build,
  copyPages,
  nomenclator,
  peers,
  Server,
  startTimes,
  verifySame,
  versionOf,
} from './servers.ts'
import { ratioOf, spreadOf } from './spread.ts'
import { OURS, TEN_TIMES, TWO_WORKERS, verdictsOn } from './targets.ts'

export const USAGE = `npm run bench                 compares with all servers; writes docs/benchmarks.md and docs/charts
npm run bench -- --quick      compares with nginx alone, in about two minutes; prints the report
npm run bench -- --smoke      start time and cost of depth; needs neither wrk nor another server

  --rounds N    alternating rounds (default 5)
  --out DIR     write the report and its charts there
  --help        this text

Exits with 1 if a target is missed.
`

type Options = { readonly run: 'full' | 'quick' | 'smoke'; readonly rounds: number; readonly out: string | undefined }

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
  const run = values.smoke ? 'smoke' : values.quick ? 'quick' : 'full'
  return { run, rounds, out: values.out ?? (run === 'full' ? 'docs' : undefined) }
}

const STARTS = 11
const FULL = { peers, seconds: 2, builds: 9 }
const QUICK = { peers: peers.filter(({ name }) => name === 'nginx'), seconds: 1, builds: 3 }

const say = (text: string) => console.error(`bench: ${text}`)

/** Builds the release of invented data some times; the last is the one to be served, the one in the middle is told of. */
async function buildTimes(scale: number, times: number): Promise<{ home: string; middle: Build; rates: number[] }> {
  say(`building ${times} releases of ${scale} × the localities`)
  const home = workPath(`x${scale}`)
  const builds: Build[] = []
  for (let at = 0; at < times; at++) builds.push(await build(home, 'synthetic', '--scale', String(scale)))
  const middle = builds.toSorted((a, b) => a.seconds - b.seconds)[times >> 1] as Build
  return { home, middle, rates: builds.map(({ localities, seconds }) => localities / seconds) }
}

async function compare({ run, rounds, out }: Options, command: string): Promise<number> {
  const plan = run === 'full' ? FULL : QUICK
  const missing = new Map(plan.peers.map((peer) => [peer, peer.missing()]))
  const present = plan.peers.filter((peer) => missing.get(peer)?.length === 0)
  const leftOut = plan.peers
    .filter((peer) => !present.includes(peer))
    .map((peer) => `${peer.name} is left out: ${missing.get(peer)?.join(', ')} is not installed; run bench/setup.`)
  for (const sentence of leftOut) say(sentence)

  const once = await buildTimes(1, plan.builds)
  const ten = await buildTimes(10, 1)
  const tenTimes = nomenclator(ten.home, { name: TEN_TIMES })
  const [start, startOfTen] = [await startTimes(nomenclator(once.home), STARTS), await startTimes(tenTimes, STARTS)]

  await using stack = new AsyncDisposableStack()
  const ours = stack.use(await Server.start(nomenclator(once.home)))
  const pages = await copyPages(ours)
  const servers = [ours]
  for (const peer of present) {
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
  say(`measuring ${rounds} rounds of ${contests.length * plan.seconds} s`)
  const measured = await alternate(contests, { rounds, seconds: plan.seconds, generate: wrk })
  const size = (scale: number, { middle }: { middle: Build }, server: Server, ownStart: typeof start): Size => {
    return { scale, build: middle, start: ownStart, ...largestMemory(server.pid) }
  }
  const verdicts = verdictsOn({
    ...{ measured, start, buildRate: spreadOf(once.rates), cores: allCores.length },
    // While one process alone maps the release its pages count as private, so two workers share it here.
    privateMegabytes: spreadOf([largestMemory(doubled.pid).privateBytes / 1e6]),
  })
  const results = {
    ...{
      command,
      date: new Date().toISOString().slice(0, 10),
      rounds,
      seconds: plan.seconds,
      leftOut,
      measured,
      verdicts,
    },
    sizes: [size(1, once, ours, start), size(10, ten, larger, startOfTen)],
    machine: [
      ...describeMachine(),
      `${OURS} ${JSON.parse(await Bun.file(join(ROOT, 'package.json')).text()).version} on Bun ${Bun.version}`,
      ...present.map((peer) => `${peer.name} ${peer.version()}`),
      `wrk ${versionOf('wrk', '-v')}`,
    ],
  }
  if (out === undefined) console.log(report(results, []))
  else {
    const directory = resolve(ROOT, out)
    mkdirSync(join(directory, 'charts'), { recursive: true })
    const drawn = await charts(measured)
    for (const { file, svg } of drawn) writeFileSync(join(directory, 'charts', file), svg)
    writeFileSync(join(directory, 'benchmarks.md'), report(results, drawn))
    console.log(targetTable(verdicts))
    say(`the report is ${join(directory, 'benchmarks.md')}`)
  }
  return leftOut.length > 0 || verdicts.some(({ outcome }) => outcome === 'missed') ? 1 : 0
}

const SMOKE = { seconds: 1, generate: fetches }

async function smoke(rounds: number): Promise<number> {
  const { home } = await buildTimes(1, 1)
  console.log(`Start to first response: ${ranged(await startTimes(nomenclator(home), STARTS))} ms, ${STARTS} starts`)
  await using server = await Server.start(nomenclator(home))
  const contests = [loads.hot, loads.deep].map((load) => ({ server, load }))
  const [hot = [], deep = []] = (await alternate(contests, { ...SMOKE, rounds })).map(({ samples }) =>
    samples.map(({ cpuMicros }) => cpuMicros),
  )
  console.log(
    `CPU per request of page 1: ${ranged(spreadOf(hot))} µs, of the deepest page: ${ranged(spreadOf(deep))} µs`,
  )
  console.log(`The deepest page against page 1: ${ranged(ratioOf(deep, hot))} ×, ${rounds} rounds`)
  return 0
}

async function main(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help')) {
    console.log(USAGE)
    return 0
  }
  let options: Options
  try {
    options = readOptions(argv)
    if (process.platform !== 'linux')
      throw new Error('processor time and memory are read from /proc, so it needs Linux')
    if (options.run !== 'smoke' && Bun.which('wrk') === null) throw new Error('wrk is not installed; run bench/setup')
  } catch (error) {
    say(`${error instanceof Error ? error.message : error}\n\n${USAGE}`)
    return 2
  }
  rmSync(WORK, { recursive: true, force: true })
  pinSelf(LOAD_CORES)
  if (options.run === 'smoke') return smoke(options.rounds)
  return compare(options, ['npm run bench', ...(argv.length === 0 ? [] : ['--', ...argv])].join(' '))
}

if (import.meta.main) process.exit(await main(process.argv.slice(2)))
