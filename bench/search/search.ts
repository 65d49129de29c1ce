// The benchmark of the search: reads the command line, measures, prints, and writes the report.
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { goFirst } from '../machine/cores.ts'
import { describeMachine } from '../machine/description.ts'
import { ROOT } from '../machine/places.ts'
import { textTable } from '../report/text-table.ts'
import { againstSqlite } from './against-sqlite.ts'
import { measureLatencies } from './latency.ts'
import { type Options, readOptions, USAGE } from './options.ts'
import { askerOf } from './questions.ts'
import { bundledSubject, grownSubject, indexBytes, LOCALITIES, type Subject } from './releases.ts'
import { readRelevance, scoreRelevance } from './relevance.ts'
import { report, sectionsOf } from './report.ts'
import type { AtSize, Results } from './results.ts'
import { measureStarts } from './starts.ts'
import { verdictsOn } from './targets.ts'
import { findWorst } from './worst.ts'

const STARTS = 11
const QUICK_STARTS = 3
const TEN = 10

async function main(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help')) {
    console.log(USAGE)
    return 0
  }
  const options = readOptions(argv)
  if ('wrong' in options) {
    console.error(`bench:search: ${options.wrong}\n\n${USAGE}`)
    return 2
  }
  if (options.first) goFirst()
  const results = await measured(
    options,
    ['npm run bench:search', ...(argv.length > 0 ? ['--', ...argv] : [])].join(' '),
  )
  console.log(options.json ? JSON.stringify(results, null, 2) : asText(results))
  if (options.out !== undefined) writeFileSync(resolve(ROOT, options.out), report(results))
  const missed = results.verdicts.filter(({ isMet }) => !isMet)
  for (const { description, found, unit } of missed)
    console.error(`bench:search: missed: ${description}: ${found.toFixed(1)} ${unit}`)
  return missed.length > 0 ? 1 : 0
}

async function measured(options: Options, command: string): Promise<Results> {
  const bundled = await bundledSubject()
  const official = await grownSubject(bundled, 1, options.fresh)
  const larger = options.growth ? [[TEN, await grownSubject(bundled, TEN, options.fresh)] as const] : []
  const sizes: AtSize[] = []
  for (const [times, subject] of [[1, official] as const, ...larger]) sizes.push(await atSize(subject, times, options))
  const results = {
    ...{ taken: new Date().toISOString(), command, machine: describeMachine([]) },
    bundled: await relevanceOf(bundled),
    sizes,
    starts: await measureStarts(official.home, options.quick ? QUICK_STARTS : STARTS),
    sqlite: options.quick ? undefined : againstSqlite(official.release),
    worst: options.worst ? await findWorst(official.release, options.quick) : [],
  }
  return { ...results, verdicts: verdictsOn(results) }
}

async function atSize(subject: Subject, times: number, { quick }: Options): Promise<AtSize> {
  const { release, records } = subject
  return {
    ...{ times, localities: LOCALITIES * times, records, indexBytes: indexBytes(subject) },
    words: release.entity('localidad').index.words.words.size,
    relevance: await relevanceOf(subject),
    // A larger size shows how it grows, and takes ten times as long to measure.
    latencies: await measureLatencies(release, quick || times > 1),
  }
}

const relevanceOf = async ({ release }: Subject) => scoreRelevance(await askerOf(() => release), readRelevance())

const asText = (results: Results): string =>
  sectionsOf(results)
    .map(({ title, table, notes }) => [`${title}\n`, textTable(table), ...notes.map((note) => `- ${note}`)].join('\n'))
    .join('\n')

process.exit(await main(process.argv.slice(2)))
