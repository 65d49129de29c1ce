// The report: figures, tables and the file of bench/results that a run writes.
import { CONNECTIONS, type Load, loads, RATE } from './load.ts'
import type { Memory } from './machine.ts'
import { type Measured, ratioIn, type Sample, spreadIn } from './measure.ts'
import { peers } from './peers.ts'
import type { Build } from './servers.ts'
import type { Spread } from './spread.ts'
import { type Architecture, OURS, TEN_TIMES, TWO_WORKERS, type Verdict, voidIn, voidRounds } from './targets.ts'

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
  const rows = verdicts.map(({ description, outcome, limit, unit, found }) => {
    const figures = (spread: Spread) => [
      inUnit(spread.median, unit),
      spread.rounds === 1 ? '–' : `${inUnit(spread.min, unit)} – ${inUnit(spread.max, unit)}`,
      String(spread.rounds),
    ]
    const limited = limit === undefined ? '–' : `${limit[0]} ${inUnit(limit[1], unit)}`
    return [description, outcome, limited, ...(found ? figures(found) : ['–', '–', '–'])]
  })
  return table(2, ['target', 'outcome', 'limit', 'found', 'range', 'rounds'], rows)
}

export const targetNotes = (verdicts: readonly Verdict[]): string[] =>
  verdicts.flatMap(({ description, note }) => (note === undefined ? [] : [`${description}: ${note}`]))

export type Results = {
  readonly architecture: Architecture
  readonly command: string
  readonly rounds: number
  readonly seconds: number
  readonly measured: readonly Measured[]
  /** This service with all localities and with ten times as many. */
  readonly sizes: readonly {
    readonly server: string
    readonly build: Build
    readonly start: Spread
    readonly memory: Memory
  }[]
  readonly verdicts: readonly Verdict[]
  readonly machine: readonly string[]
}

const NONE = '–'
const millis = (micros: number): string => figure(micros / 1_000, micros < 10_000 ? 2 : 0)
const percent = (share: number): string => `${figure(share * 100)} %`
const inRange = (spread: Spread | undefined): string => (spread === undefined ? NONE : ranged(spread))

function timesInRange(ratio: Spread | undefined): string {
  if (ratio === undefined) return NONE
  const digits = ratio.median < 10 ? 2 : 0
  return `${figure(ratio.median, digits)} × (${figure(ratio.min, digits)}–${figure(ratio.max, digits)})`
}

/** The measurements of all servers, without the variants of this service. */
const compared = (measured: readonly Measured[]) =>
  measured.filter(({ server }) => server !== TEN_TIMES && server !== TWO_WORKERS)

const COMPARISON = [
  ...['load', 'server', 'requests/s', 'CPU µs/request', 'user', 'system', 'CPU against nginx', 'rounds'],
  ...['p50 ms', 'p99 ms', 'core used', 'generator', 'void rounds'],
]

const comparison = (measured: readonly Measured[]): string =>
  table(
    2,
    COMPARISON,
    compared(measured).map((own) => {
      const nginx = measured.find((one) => one.server === 'nginx' && one.load === own.load)
      const ratio = nginx === undefined ? undefined : ratioIn(own, nginx, 'cpuMicros')
      const median = (part: keyof Sample, shown: (value: number) => string) => {
        const spread = spreadIn(own, part)
        return spread === undefined ? NONE : shown(spread.median)
      }
      const micros = (value: number) => figure(value, digitsFor(value))
      return [
        ...[own.load, own.server, inRange(spreadIn(own, 'requestsPerSecond')), inRange(spreadIn(own, 'cpuMicros'))],
        ...[median('userMicros', micros), median('systemMicros', micros)],
        ...[timesInRange(ratio), ratio === undefined ? NONE : String(ratio.rounds)],
        ...[median('p50Micros', millis), median('p99Micros', millis)],
        ...[median('busy', percent), median('generatorBusy', percent), String(voidRounds(own))],
      ]
    }),
  )

const growth = ({ measured, sizes }: Results): string =>
  table(
    1,
    'localities,CPU µs/request,start ms,build s,localities/s,build memory,disk,resident,anonymous'.split(','),
    sizes.map(({ server, build, start, memory }) => {
      const random = measured.find((one) => one.server === server && one.load === loads.random.name)
      return [
        ...[figure(build.localities), inRange(random && spreadIn(random, 'cpuMicros')), ranged(start, 0)],
        ...[figure(build.seconds, 1), figure(build.localities / build.seconds)],
        ...[build.peakBytes, build.diskBytes, memory.residentBytes, memory.anonymousBytes].map(megabytes),
      ]
    }),
  )

/** Above this share of a core, figures tell as much of the neighbours as of the server. */
const NOISY = 0.05

function noiseNote(measured: readonly Measured[]): string[] {
  const most = Math.max(...measured.map((one) => spreadIn(one, 'others')?.median ?? 0))
  const sentence = `The machine was not quiet: others used up to ${percent(most)} of the server's core in a measurement.`
  return most <= NOISY ? [] : [`**${sentence}**`]
}

function voidNote(measured: readonly Measured[]): string[] {
  const found = measured.flatMap((one) => voidIn(one) ?? [])
  return [found.length === 0 ? 'No round is void.' : `Not all rounds were sound:\n\n${list(found)}`]
}

/** Why figures of one load may not be those of the servers. */
function limitNotes(measured: readonly Measured[]): string[] {
  const limited = compared(measured).filter((one) => {
    const [busy, generator] = [spreadIn(one, 'busy'), spreadIn(one, 'generatorBusy')]
    const isPaced = Object.values<Load>(loads).some(({ name, rate }) => name === one.load && rate !== undefined)
    return !isPaced && busy !== undefined && generator !== undefined && busy.median < 0.9 && generator.median > 0.9
  })
  const named = limited.map(({ server, load }) => `${server} on ${load}`).join('; ')
  return limited.length === 0 ? [] : [`The load generator and not the server was the limit here: ${named}.`]
}

const HOW =
  'Every server has one worker on one core, and the load comes from other cores (where there are any), over ' +
  `${CONNECTIONS} connections that are kept alive unless the load says otherwise. Figures are medians of alternating rounds, ` +
  'with the range that they come from; ratios are taken within each round.'

const COLUMNS = [
  'CPU is user and system time of the server and its children from /proc, divided by the requests; “user” and “system” are its parts. “CPU against nginx” is its ratio to that of nginx, over so many rounds.',
  '“Core used” is how much of its core the server took, “generator” how much of its own the load generator took. Where the server is well below 100 % and the generator is not, the generator was the limit: requests/s do not compare then, and CPU per request does.',
  `At an equal rate, ${figure(RATE)} requests a second are sent by sockets of the benchmark, evenly spread; it polls all the time, so its core is always in use. Everything else is sent by wrk, as fast as responses come. wrk knows no rate, and waits for the body that a response to HEAD does not have.`,
  'A loop of the lowest class (SCHED_IDLE) keeps every core awake, and gives way to anything else: the host of a virtual machine takes away cores that have nothing to do, and gives them back late.',
  'A window with errors (a status other than 2xx and 304, a connection that failed, no response) or with less than 98 % of its rate is thrown away and repeated, up to twice. If that does not help, the round is void: it counts for neither side of a ratio.',
]

const GROWTH =
  'This service over more localities, on random pages. Resident memory includes the pages of the release, which is a mapped ' +
  'file: workers share them, and the kernel takes them back when it needs them. Anonymous memory is heap and stacks.'

export const writtenBy = (command: string): string =>
  `Written by \`${command}\` on ${new Date().toISOString().slice(0, 10)}; do not edit.`

export const reproduction = (machine: readonly string[], command: string): string =>
  list([...machine, `to repeat it: \`${command}\``])

/** How it is measured, which is the same on every machine. */
const method = (): string =>
  [
    HOW,
    list(COLUMNS),
    'The servers:',
    list([
      `**${OURS}**: this service, \`nomenclator serve --workers 1\``,
      ...peers.map(({ name, description }) => `**${name}**: ${description}`),
    ]),
    'The loads:',
    list(Object.values(loads).map(({ name, description }) => `**${name}**: ${description}`)),
    'Before anything is measured, sample pages are fetched from every server: bodies and headers must be the same, ' +
      'apart from what is listed in `bench/peers.ts`.',
  ].join('\n\n')

/** The page of one run, on one kind of processor. */
export function report(results: Results): string {
  const { architecture, command, rounds, seconds, measured, verdicts, machine } = results
  const notes = targetNotes(verdicts)
  return [
    `# Pages of API v1 on ${architecture}`,
    `${machine[0]}. ${writtenBy(command)}`,
    ...noiseNote(measured),
    '## Targets',
    `Rounds: ${rounds}, with windows of ${seconds} s.`,
    targetTable(verdicts),
    ...(notes.length === 0 ? [] : [list(notes)]),
    '## Comparison',
    comparison(measured),
    ...voidNote(measured),
    ...limitNotes(measured),
    '## Growth',
    GROWTH,
    growth(results),
    '## Machine',
    reproduction(machine, `bench/setup && ${command}`),
    '## How it is measured',
    method(),
  ].join('\n\n')
}
