// The benchmark of the search: reads the command line, builds the releases, measures, and reports.
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { parseWholeNumber } from '../../packages/server/src/base/whole-number.ts'
import { runCommand } from '../command.ts'
import { describeMachine, keepAwake, ROOT, workPath } from '../machine.ts'
import { build, bytesIn, nomenclator, startTimes } from '../servers.ts'
import type { Verdict } from '../targets.ts'
import { measureLatencies } from './latency.ts'
import { writeLocalities } from './localities.ts'
import { scoreRelevance } from './relevance.ts'
import { type HomeResults, homeReport, homeVerdicts, type Results, report, type Size, verdictsOn } from './report.ts'
import { scoreHome } from './samples.ts'
import { openService } from './service.ts'
import { findSlowest } from './slowest.ts'
import { againstSqlite } from './sqlite.ts'

const REPORT = 'bench/results/search.md'

export const USAGE = `npm run bench:search              relevance, latency, growth, SQLite and the slowest requests; writes ${REPORT}
npm run bench:search -- --quick   relevance and latency in fewer rounds; prints the report
npm run bench:search -- --home DIR
                                  relevance and latency on the names of that home alone; prints the report

  --home DIR     a home with a release, such as one with INEGI's catalog
  --also DIR     measure the names of that home too
  --sample N     so many queries of each kind on the names of a home; 300
  --out FILE     write the report there
  --help         this text

Exits with 1 if a target is missed.
`

/** The number of localities in the official catalog. */
const LOCALITIES = 300_137
const ROUNDS = 9
const FEWER_ROUNDS = 3

const say = (text: string) => console.error(`bench:search: ${text}`)

async function measureSize(localities: number, rounds: number) {
  say(`building and measuring ${localities.toLocaleString('en')} localities`)
  const home = workPath('search', `home-${localities}`)
  const file = workPath('search', `data-${localities}`, 'localidad.csv')
  await writeLocalities(file, localities)
  await build(home, 'package', dirname(file))
  const service = await openService(home)
  const size: Size = {
    localities,
    relevance: scoreRelevance(service),
    latencies: measureLatencies(service, rounds),
    indexBytes: bytesIn(home, 'entities/*/{index,words}'),
    localityIndexBytes: bytesIn(home, `entities/${localityDigest(home)}/{index,words}`),
  }
  return { home, service, size }
}

/** The digest of the localities in the only release of a home. */
function localityDigest(home: string): string {
  const [path = ''] = new Bun.Glob('releases/*/manifest.json').scanSync(home)
  return JSON.parse(readFileSync(join(home, path), 'utf8')).entities.localidad.digest
}

async function measured(command: string, isQuick: boolean): Promise<Omit<Results, 'home'>> {
  const bundled = workPath('search', 'bundled')
  await build(bundled, 'bundled')
  const { home, service, size: official } = await measureSize(LOCALITIES, isQuick ? FEWER_ROUNDS : ROUNDS)
  const starts = async (firstPath: string) => {
    using _awake = keepAwake()
    return await startTimes({ ...nomenclator(home), firstPath }, isQuick ? 3 : 11)
  }
  const further = async () => {
    say('comparing with SQLite')
    const sqlite = againstSqlite(service)
    say('looking for slow requests')
    const slowest = findSlowest(service)
    // A larger size takes ten times as long to measure.
    return { sqlite, slowest, larger: (await measureSize(LOCALITIES * 10, FEWER_ROUNDS)).size }
  }
  return {
    command,
    machine: [...describeMachine(), `Bun ${Bun.version}`],
    bundled: scoreRelevance(await openService(bundled)),
    official,
    starts: { v1: await starts('/api/v1/localidades'), v2: await starts('/api/v2/search?q=guadalajara&limit=1') },
    further: isQuick ? undefined : await further(),
  }
}

type Options = {
  readonly quick: boolean
  readonly out: string | undefined
  readonly home: string | undefined
  readonly also: string | undefined
  readonly sample: number
}

export function readOptions(argv: readonly string[]): Options {
  const text = { type: 'string' } as const
  const options = { quick: { type: 'boolean' }, out: text, home: text, also: text, sample: text } as const
  const { quick = false, out, home, also, sample = '300' } = parseArgs({ args: [...argv], options }).values
  const size = parseWholeNumber(sample, { min: 1, max: 100_000 })
  if (size === undefined) throw new Error(`--sample was ${sample}; it is a whole number from 1 to 100000`)
  return { quick, out: out ?? (quick || home !== undefined ? undefined : REPORT), home, also, sample: size }
}

async function measureHome(home: string, sample: number): Promise<HomeResults> {
  say(`measuring the names in ${home}`)
  const service = await openService(resolve(home))
  const { localities, samples, wellKnown } = scoreHome(service, sample)
  return { localities, samples, wellKnown, latencies: measureLatencies(service, FEWER_ROUNDS) }
}

async function run({ quick, out, home, also, sample }: Options, call: string): Promise<readonly Verdict[]> {
  if (home !== undefined) {
    const results = await measureHome(home, sample)
    const text = homeReport(call, results)
    console.log(text)
    if (out !== undefined) writeFileSync(resolve(ROOT, out), text)
    return homeVerdicts(results)
  }
  const further = also === undefined ? undefined : await measureHome(also, sample)
  const results = { ...(await measured(also === undefined ? call : call.replace(also, 'DIR'), quick)), home: further }
  console.log(report(results))
  if (out !== undefined) writeFileSync(resolve(ROOT, out), report(results))
  return verdictsOn(results)
}

if (import.meta.main) await runCommand({ name: 'bench:search', usage: USAGE, read: readOptions, run })
