// The benchmark of resolving rows: makes dirty rows from the names of a home, resolves them, and reports how right that is.
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { resolveRow } from '../../packages/server/src/query/resolve/resolve.ts'
import { ReleaseStore } from '../../packages/server/src/release/home/release-store.ts'
import type { Release } from '../../packages/server/src/release/release.ts'
import { csvCell } from '../../packages/server/src/source/csv.ts'
import { runCommand } from '../command.ts'
import { describeMachine, ROOT, workPath } from '../machine.ts'
import { build } from '../servers.ts'
import { spreadOf } from '../spread.ts'
import { judge, type Limit, type Verdict } from '../targets.ts'
import { type Correctness, type RowScore, scoreRows } from './correctness.ts'
import { dirtyRows, homonymRows } from './dirty-rows.ts'
import { realTables, scoreRealRows, shownRows, verdictsOnReal } from './real.ts'

const REPORT = 'bench/results/resolve.md'
const REAL_REPORT = 'bench/results/resolve-real.md'

export const USAGE = `npm run bench:resolve                  dirty rows of the bundled data; prints the report
npm run bench:resolve -- --home DIR    the same of the releases in these homes too; writes ${REPORT}
npm run bench:resolve -- --real DIR    rows as people wrote them, in the CSV files of a directory; writes ${REAL_REPORT}

  --home DIR   a home to make rows from; may be repeated
  --real DIR   the directory of real rows; they are resolved in the home that is given, or in one that is made of
               the file localidades-inegi-*.zip beside the directory
  --only TEXT  only the real rows whose file and kind match this regular expression; nothing is written
  --show       print the real rows that are wrong or not sure
  --rows N     rows of each home, 12000 unless given
  --seed N     of the random numbers, 2026 unless given
  --out FILE   write the report there
  --help       this text

Exits with 1 if a target is missed.
`

/** The greatest share of wrong rows among those that are exact or sure, and the least number of these. */
const MAX_WRONG = 0.002
const MIN_SURE = 0.93
const MAX_COMMAND_SECONDS = 60
const COMMAND_ROWS = 100_000

type HomeResults = Correctness & {
  readonly title: string
  readonly source: string
  readonly records: number
  /** Rows that name one of several records with the same name and parent, and how many of them are called ambiguous. */
  readonly homonyms: { readonly rows: number; readonly ambiguous: number }
  readonly commandSeconds: number
}

const say = (text: string) => console.error(`bench:resolve: ${text}`)
function measureHome(title: string, home: string, { rows, seed }: Options): HomeResults {
  say(`resolving ${rows} rows of ${title}`)
  const release = new ReleaseStore(home).openCurrent()
  if (release === undefined) throw new Error(`there is no release in ${home}`)
  const homonyms = [...homonymRows(release, Math.ceil(rows / 20), seed)]
  const ambiguous = homonyms.filter(({ row }) => resolveRow(release, row).verdict === 'ambiguous').length
  return {
    title,
    source: release.manifest.source.title,
    records: release.entity('localidad').count,
    ...scoreRows(release, dirtyRows(release, rows, seed)),
    homonyms: { rows: homonyms.length, ambiguous },
    commandSeconds: commandSeconds(release, home, seed),
  }
}

/** Seconds that the command takes for rows of three columns. */
function commandSeconds(release: Release, home: string, seed: number): number {
  const file = workPath('resolve', 'rows.csv')
  const parts = ['estado', 'municipio', 'localidad'] as const
  let table = `${parts.join(',')}\n`
  let count = 0
  for (const { row, entity } of dirtyRows(release, COMMAND_ROWS * 4, seed + 1)) {
    if (!('parts' in row) || entity !== 'localidad') continue
    table += `${parts.map((part) => csvCell(row.parts.get(part) ?? '')).join(',')}\n`
    if (++count === COMMAND_ROWS) break
  }
  writeFileSync(file, table)
  const started = performance.now()
  const command = [join(ROOT, 'nomenclator'), 'resolve', file, '--columns', parts.join(','), '--home', home]
  const { exitCode } = Bun.spawnSync([...command, '--out', workPath('resolve', 'resolved.csv')], { stderr: 'inherit' })
  if (exitCode !== 0) throw new Error('the command failed')
  return (performance.now() - started) / 1_000
}

const percent = (share: number, digits = 1) => `${(share * 100).toFixed(digits)} %`
const shareOf = (part: number, all: number) => (all === 0 ? 0 : part / all)

function table(title: string, scores: ReadonlyMap<string, RowScore>, total: RowScore): string[] {
  const line = (name: string, { rows, sure, wrong, first, milliseconds }: RowScore) =>
    `| ${name} | ${rows} | ${percent(shareOf(sure, rows))} | ${wrong} | ${percent(shareOf(first, rows))} | ${Math.round(shareOf(rows, milliseconds / 1_000))} |`
  return [
    `| ${title} | rows | exact or sure | of these wrong | right first | rows/s |`,
    '|---|---:|---:|---:|---:|---:|',
    ...[...scores].map(([name, score]) => line(name, score)),
    line('**all**', total),
    '',
  ]
}

function report(results: readonly HomeResults[], options: Options, call: string): string {
  const lines = [
    '# Benchmarks of resolving rows',
    '',
    `Written by \`npm run bench:resolve\`; do not edit. Rows are made from the names of the catalog itself, as people write them:
misspelt, abbreviated, glued, cut off, by ear, with words that say nothing. A row is right if it is resolved to the very record that it
was made from. Names that several records with the same parent have are measured apart: no one could tell which one is meant,
so they must be called ambiguous. [resolve.md](../../docs/resolve.md#verdicts) says what the verdicts mean.`,
    '',
  ]
  for (const { title, source, records, kinds, forms, total, homonyms, commandSeconds } of results)
    lines.push(
      `## ${title}`,
      '',
      `${source}: ${records.toLocaleString('en')} localities.`,
      `Of ${total.sure} rows answered \`exact\` or \`sure\`, ${total.wrong} are wrong (${percent(shareOf(total.wrong, total.sure), 2)}); ${percent(shareOf(total.sure, total.rows))} of all rows are answered so.`,
      `Of ${homonyms.rows} rows that several records fit, ${homonyms.ambiguous} are called \`ambiguous\`.`,
      `\`nomenclator resolve\` takes ${commandSeconds.toFixed(1)} s for ${COMMAND_ROWS.toLocaleString('en')} rows.`,
      '',
      ...table('kind', kinds, total),
      ...table('form', forms, total),
    )
  lines.push('## Set-up', '', ...describeMachine().map((line) => `- ${line}`), `- Bun ${Bun.version}`)
  lines.push(`- seed ${options.seed}`, `- to repeat it: \`${call}\``, '')
  return lines.join('\n')
}

const verdictsOn = (results: readonly HomeResults[]): Verdict[] =>
  results.flatMap(({ title, total, homonyms, commandSeconds }) => {
    const judged = (what: string, limit: Limit, unit: string, found: number) =>
      judge(`${title}: ${what}`, limit, unit, spreadOf([found]))
    return [
      judged('wrong of those exact or sure', ['≤', MAX_WRONG], '', shareOf(total.wrong, total.sure)),
      judged('exact or sure', ['≥', MIN_SURE], '', shareOf(total.sure, total.rows)),
      judged('homonyms that are not ambiguous', ['≤', 0], '', homonyms.rows - homonyms.ambiguous),
      judged('the command', ['≤', MAX_COMMAND_SECONDS], 's', commandSeconds),
    ]
  })

type Options = {
  readonly homes: readonly string[]
  readonly rows: number
  readonly seed: number
  readonly out: string | undefined
  readonly real: string | undefined
  readonly only: RegExp | undefined
  readonly show: boolean
}

export function readOptions(argv: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      home: { type: 'string', multiple: true },
      rows: { type: 'string' },
      seed: { type: 'string' },
      out: { type: 'string' },
      real: { type: 'string' },
      only: { type: 'string' },
      show: { type: 'boolean' },
    },
  })
  const homes = values.home ?? []
  const report = values.real === undefined ? REPORT : REAL_REPORT
  return {
    homes,
    rows: wholeNumber('rows', values.rows, 12_000),
    seed: wholeNumber('seed', values.seed, 2_026),
    out: values.out ?? (homes.length === 0 && values.real === undefined ? undefined : report),
    real: values.real,
    only: values.only === undefined ? undefined : new RegExp(values.only),
    show: values.show === true,
  }
}

function wholeNumber(name: string, given: string | undefined, defaultValue: number): number {
  const number = given === undefined ? defaultValue : Number(given)
  if (!Number.isSafeInteger(number) || number < 1) throw new Error(`--${name} must be a whole number from 1`)
  return number
}

async function run(options: Options): Promise<readonly Verdict[]> {
  return options.real === undefined ? runMade(options) : runReal(options, options.real)
}

/** Resolves rows that people wrote. */
async function runReal({ homes, out, only, show }: Options, directory: string): Promise<readonly Verdict[]> {
  const home = homes[0] ?? workPath('resolve', 'real')
  if (homes.length === 0) await build(home, 'inegi', catalogBeside(directory))
  const release = new ReleaseStore(home).openCurrent()
  if (release === undefined) throw new Error(`there is no release in ${home}`)
  const scores = scoreRealRows(release, directory, only)
  const text = [
    '# Benchmarks of resolving real rows',
    '',
    `Written by \`npm run bench:resolve -- --real DIR\`; do not edit. The rows are those that companies, ministries and the postal
service wrote, with the official codes of what they mean; the catalog has ${release.entity('localidad').count.toLocaleString('en')} localities
(${release.manifest.source.title}). Sure is \`exact\` or \`sure\`; what is dropped from a name is wrong wherever it is \`sure\`, but not where what is left is \`exact\`. Where a cell
says nothing of a locality (the name of the state, *no aplica*), the row is judged by what it says. Rows of
companies name the municipality alone, so a wrong locality of the same municipality goes unnoticed; those without a locality are left
out where a locality is judged, and addresses are put together from their columns. Some codes are those of
the people who wrote the row, who may have named a town of another municipality. [resolve.md](../../docs/resolve.md#verdicts) says what the
verdicts mean.`,
    '',
    ...realTables(scores),
    '## Set-up',
    '',
    ...describeMachine().map((line) => `- ${line}`),
    `- Bun ${Bun.version}`,
    '',
  ].join('\n')
  console.log(text)
  if (show) for (const line of shownRows(scores)) console.log(line)
  if (out !== undefined && only === undefined) writeFileSync(resolve(ROOT, out), text)
  // Some kinds alone say nothing of the others.
  const verdicts = only === undefined ? verdictsOnReal(scores) : []
  for (const { description, outcome } of verdicts) if (outcome === 'missed') say(`missed: ${description}`)
  return verdicts
}

function catalogBeside(directory: string): string {
  const [file] = [...new Bun.Glob('localidades-inegi-*.zip').scanSync({ cwd: join(directory, '..'), absolute: true })]
  if (file === undefined) throw new Error(`there is no localidades-inegi-*.zip beside ${directory}; give --home DIR`)
  return file
}

async function runMade(options: Options): Promise<readonly Verdict[]> {
  const bundled = workPath('resolve', 'bundled')
  await build(bundled, 'bundled')
  const results = [
    measureHome('Bundled data', bundled, options),
    ...options.homes.map((home) => measureHome('A home that was given', home, options)),
  ]
  const call = `npm run bench:resolve${options.homes.length === 0 ? '' : ' -- --home DIR'}`
  const text = report(results, options, call)
  console.log(text)
  for (const { title, misses } of results) for (const miss of misses) say(`${title}, wrong: ${miss}`)
  if (options.out !== undefined) writeFileSync(resolve(ROOT, options.out), text)
  const verdicts = verdictsOn(results)
  for (const { description, outcome } of verdicts) if (outcome === 'missed') say(`missed: ${description}`)
  return verdicts
}

if (import.meta.main) await runCommand({ name: 'bench:resolve', usage: USAGE, read: readOptions, run })
