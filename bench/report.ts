// The report: figures, tables and the page of the documentation that a run writes.
import { CONNECTIONS, loads } from './load.ts'
import { LOAD_CORES, type Memory } from './machine.ts'
import type { Measured, Sample } from './measure.ts'
import { peers } from './peers.ts'
import type { Build } from './servers.ts'
import { ratioOf, type Spread, spreadOf } from './spread.ts'
import { errorsIn, OURS, TEN_TIMES, TWO_WORKERS, type Verdict } from './targets.ts'

export const figure = (value: number, digits = 0): string =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })

/** Small figures keep more digits than large ones. */
const digitsFor = (value: number): number => (value < 10 ? 2 : value < 1_000 ? 1 : 0)

/** The median, with the range that it comes from. */
export const ranged = ({ median, min, max }: Spread, digits = digitsFor(median)): string =>
  `${figure(median, digits)} (${figure(min, digits)}–${figure(max, digits)})`

export const megabytes = (bytes: number): string => `${figure(bytes / 1e6, 1)} MB`

/** Markdown that is also aligned on a terminal: the first columns, of words, to the left, figures to the right. */
export function table(words: number, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map((row) => (row[column] ?? '').length)))
  const rule = widths.map((width, column) => (column < words ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  const padded = (cell: string, column: number) =>
    column < words ? cell.padEnd(widths[column] as number) : cell.padStart(widths[column] as number)
  return [head, rule, ...rows].map((row) => `| ${row.map(padded).join(' | ')} |`).join('\n')
}

export const list = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n')

export function targetTable(verdicts: readonly Verdict[]): string {
  const inUnit = (value: number, unit: string) =>
    `${Number(value.toFixed(value < 100 ? 2 : 0)).toLocaleString('en')} ${unit}`
  const rows = verdicts.map(({ description, outcome, limit: [relation, limit], unit, found }) => {
    const figures = (spread: Spread) => [
      inUnit(spread.median, unit),
      spread.rounds === 1 ? '–' : `${inUnit(spread.min, unit)} – ${inUnit(spread.max, unit)}`,
      String(spread.rounds),
    ]
    return [description, outcome, `${relation} ${inUnit(limit, unit)}`, ...(found ? figures(found) : ['–', '–', '–'])]
  })
  return table(2, ['target', 'outcome', 'limit', 'found', 'range', 'rounds'], rows)
}

export const targetNotes = (verdicts: readonly Verdict[]): string[] =>
  verdicts.flatMap(({ description, note }) => (note === undefined ? [] : [`${description}: ${note}`]))

export type Results = {
  readonly command: string
  readonly rounds: number
  readonly seconds: number
  readonly measured: readonly Measured[]
  /** Of this service over once and ten times the localities. */
  readonly sizes: readonly {
    readonly server: string
    readonly build: Build
    readonly start: Spread
    readonly memory: Memory
  }[]
  readonly verdicts: readonly Verdict[]
  readonly machine: readonly string[]
}

const medianOf = (samples: readonly Sample[], part: keyof Sample): number =>
  spreadOf(samples.map((one) => one[part])).median
const rangedOf = (samples: readonly Sample[], part: keyof Sample): string =>
  ranged(spreadOf(samples.map((one) => one[part])))
const millis = (micros: number): string => figure(micros / 1_000, micros < 10_000 ? 2 : 0)
const times = (ratio: number): string => `${figure(ratio, ratio < 10 ? 2 : 0)} ×`
const percent = (share: number): string => `${figure(share * 100)} %`

/** What all servers were measured on, without the variants of this service. */
const compared = (measured: readonly Measured[]) =>
  measured.filter(({ server }) => server !== TEN_TIMES && server !== TWO_WORKERS)

const comparison = (measured: readonly Measured[]): string =>
  table(
    2,
    ['load', 'server', 'requests/s', 'CPU µs/request', 'against nginx', 'p50 ms', 'p99 ms', 'core used', 'errors'],
    compared(measured).map(({ server, load, samples }) => {
      const nginx = measured.find((one) => one.server === 'nginx' && one.load === load)
      const cpuOf = (own: readonly Sample[]) => own.map(({ cpuMicros }) => cpuMicros)
      return [
        ...[load, server, rangedOf(samples, 'requestsPerSecond'), rangedOf(samples, 'cpuMicros')],
        nginx === undefined ? '–' : times(ratioOf(cpuOf(samples), cpuOf(nginx.samples)).median),
        ...[millis(medianOf(samples, 'p50Micros')), millis(medianOf(samples, 'p99Micros'))],
        ...[percent(medianOf(samples, 'busy')), errorsIn(samples) ?? '0'],
      ]
    }),
  )

const growth = ({ measured, sizes }: Results): string =>
  table(
    1,
    'localities,CPU µs/request,start ms,build s,localities/s,build memory,disk,resident,anonymous'.split(','),
    sizes.map(({ server, build, start, memory }) => {
      const random = measured.find((one) => one.server === server && one.load === 'random')
      return [
        ...[figure(build.localities), rangedOf(random?.samples ?? [], 'cpuMicros'), ranged(start, 0)],
        ...[figure(build.seconds, 1), figure(build.localities / build.seconds)],
        ...[build.peakBytes, build.diskBytes, memory.residentBytes, memory.anonymousBytes].map(megabytes),
      ]
    }),
  )

/** Above this share of a core, figures tell as much of the neighbours as of the server. */
const NOISY = 0.05

function noiseNote(measured: readonly Measured[]): string[] {
  const most = Math.max(...measured.map(({ samples }) => medianOf(samples, 'others')))
  const sentence = `The machine was not quiet: others used up to ${percent(most)} of the server's core in a measurement.`
  return most <= NOISY ? [] : [`**${sentence}**`]
}

const INTRO =
  `ratios are taken within each round. Every server has one worker on one core, and the load comes from ${LOAD_CORES[0] === 0 ? 'the same' : 'another'}, ` +
  `over ${CONNECTIONS} connections that are kept alive.`

const HOW =
  'CPU is user and system time of the server and its children from /proc, divided by the requests answered; “against nginx” ' +
  'is its ratio to that of nginx. ' +
  '“Core used” is how much of its core the server took: well below 100 % its requests/s are the limit of the load generator, ' +
  'and only CPU per request compares. Errors are those that wrk counts, with the rounds that had them.'

const GROWTH =
  'This service over more localities, on random pages. Resident memory includes the pages of the release, which is a mapped ' +
  'file: workers share them, and the kernel takes them back when it needs them. Anonymous memory is heap and stacks.'

export const writtenBy = (command: string): string =>
  `Written by \`${command}\` on ${new Date().toISOString().slice(0, 10)}; do not edit.`

export const reproduction = (machine: readonly string[], command: string): string =>
  list([...machine, `to repeat it: \`${command}\``])

export function report(results: Results): string {
  const { command, rounds, seconds, measured, verdicts, machine } = results
  const notes = targetNotes(verdicts)
  return `${[
    '# Benchmarks',
    `${writtenBy(command)} \`bench/setup\` installs what it compares with.`,
    ...noiseNote(measured),
    '## Targets',
    `Medians of ${rounds} alternating rounds of ${seconds} s, with the range they come from; ${INTRO}`,
    targetTable(verdicts),
    ...(notes.length === 0 ? [] : [list(notes)]),
    '## Comparison',
    comparison(measured),
    HOW,
    'The servers:',
    list([
      `**${OURS}**: this service, \`nomenclator serve --workers 1\``,
      ...peers.map(({ name, description }) => `**${name}**: ${description}`),
    ]),
    'The loads:',
    list(Object.values(loads).map(({ name, description }) => `**${name}**: ${description}`)),
    'Before anything is measured, sample pages are fetched from every server: bodies and headers must be the same, ' +
      'apart from what is listed in `bench/peers.ts`.',
    '## Growth',
    GROWTH,
    growth(results),
    '## Machine',
    reproduction(machine, `bench/setup && ${command}`),
  ].join('\n\n')}\n`
}
