// The benchmark of the search: reads the command line, builds the releases, measures, and reports.
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { runCommand } from '../command.ts'
import { describeMachine, ROOT, workPath } from '../machine.ts'
import { build, bytesIn, nomenclator, startTimes } from '../servers.ts'
import type { Verdict } from '../targets.ts'
import { measureLatencies } from './latency.ts'
import { writeLocalities } from './localities.ts'
import { scoreRelevance } from './relevance.ts'
import { type Results, report, type Size, verdictsOn } from './report.ts'
import { openService } from './service.ts'
import { findSlowest } from './slowest.ts'
import { againstSqlite } from './sqlite.ts'

const REPORT = 'docs/search-benchmarks.md'

export const USAGE = `npm run bench:search              relevance, latency, growth, SQLite and the slowest requests; writes ${REPORT}
npm run bench:search -- --quick   relevance and latency in fewer rounds; prints the report

  --out FILE   write the report there
  --help       this text

Exits with 1 if a target is missed.
`

/** As many as the official catalog has. */
const LOCALITIES = 300_137
const ROUNDS = 9
const FEWER_ROUNDS = 3

const say = (text: string) => console.error(`bench:search: ${text}`)

async function measureSize(localities: number, rounds: number) {
  say(`building and measuring ${localities.toLocaleString('en')} localities`)
  const home = workPath('search', `home-${localities}`)
  const file = workPath('search', `data-${localities}`, 'localidad.csv')
  await writeLocalities(file, localities)
  await build(home, 'tabular', dirname(file))
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

async function measured(command: string, isQuick: boolean): Promise<Results> {
  const bundled = workPath('search', 'bundled')
  await build(bundled, 'bundled')
  const { home, service, size: official } = await measureSize(LOCALITIES, isQuick ? FEWER_ROUNDS : ROUNDS)
  const starts = (firstPath: string) => startTimes({ ...nomenclator(home), firstPath }, isQuick ? 3 : 11)
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

type Options = { readonly quick: boolean; readonly out: string | undefined }

export function readOptions(argv: readonly string[]): Options {
  const { values } = parseArgs({ args: [...argv], options: { quick: { type: 'boolean' }, out: { type: 'string' } } })
  const { quick = false } = values
  return { quick, out: values.out ?? (quick ? undefined : REPORT) }
}

async function run({ quick, out }: Options, call: string): Promise<readonly Verdict[]> {
  const results = await measured(call, quick)
  console.log(report(results))
  if (out !== undefined) writeFileSync(resolve(ROOT, out), report(results))
  return verdictsOn(results)
}

if (import.meta.main) await runCommand({ name: 'bench:search', usage: USAGE, read: readOptions, run })
