// The tables of a report, each made from the results alone.
import { NOISY } from '../machine/noise.ts'
import type { Footprint, Growth, Results, Row } from '../measure/results.ts'
import { type Finding, type Limit, targets, type Unit, type Verdict } from '../targets.ts'
import { brief, figure, megabytes, ranged } from './figures.ts'
import type { Table } from './text-table.ts'

const percent = (share: number): string => `${figure(share * 100)} %`
const millis = (micros: number): string => figure(micros / 1_000, micros < 10_000 ? 2 : 0)

export function comparison(rows: readonly Row[]): Table {
  return {
    words: 2,
    head: ['load', 'server', 'requests/s', 'CPU µs/request', 'p50 ms', 'p99 ms', 'p99.9 ms', 'core used', 'errors'],
    rows: rows.map((row) => [
      row.load,
      row.server,
      brief(row.requestsPerSecond),
      brief(row.cpuMicros),
      ...[row.p50, row.p99, row.p999].map(({ median }) => millis(median)),
      percent(row.busy.median),
      String(row.errors),
    ]),
  }
}

export function targetTable(verdicts: readonly Verdict[]): Table {
  return {
    words: 2,
    head: ['target', 'outcome', 'limit', 'found', 'range'],
    rows: verdicts.map(({ name, outcome, finding }) => {
      const { description, unit, limit } = targets[name]
      return [description, outcome, limitText(limit, unit), foundText(finding, unit), rangeText(finding, unit)]
    }),
  }
}

function limitText(limit: Limit, unit: Unit): string {
  if ('most' in limit) return `≤ ${inUnit(limit.most, unit)}`
  return 'below' in limit ? `< ${inUnit(limit.below, unit)}` : `≥ ${inUnit(limit.least, unit)}`
}

const digitsOf = (unit: Unit, value: number): number =>
  unit === 'localities/s' || value >= 100 ? 0 : unit === '×' ? 3 : 1
const inUnit = (value: number, unit: Unit): string =>
  `${Number(value.toFixed(digitsOf(unit, value))).toLocaleString('en')} ${unit}`

const foundText = (finding: Finding, unit: Unit): string =>
  'unmeasured' in finding ? '–' : inUnit(finding.value.median, unit)

const rangeText = (finding: Finding, unit: Unit): string =>
  'unmeasured' in finding ? '–' : `${inUnit(finding.value.min, unit)} – ${inUnit(finding.value.max, unit)}`

/** What has to be said beside the table of the targets. */
export const targetNotes = (verdicts: readonly Verdict[]): string[] =>
  verdicts.flatMap(({ name, finding }) => {
    const note = 'unmeasured' in finding ? finding.unmeasured : finding.note
    return note === undefined ? [] : [`${targets[name].description}: ${note}`]
  })

export function footprintTable(footprints: readonly Footprint[]): Table {
  return {
    words: 1,
    head: ['server', 'processes', 'resident', 'private', 'private, largest process', 'anonymous'],
    rows: footprints.map(({ server, processes, ...memory }) => [
      ...[server, String(processes)],
      ...[memory.residentBytes, memory.privateBytes, memory.largestBytes, memory.anonymousBytes].map(megabytes),
    ]),
  }
}

export function growthTable(growth: readonly Growth[]): Table {
  return {
    words: 1,
    head: [
      ...['localities', 'times', 'CPU µs/request', 'start ms', 'build s', 'localities/s', 'build memory'],
      ...['disk', 'resident', 'anonymous'],
    ],
    rows: growth.map(({ localities, scale, cpuMicros, startMilliseconds, build, ...bytes }) => [
      ...[figure(localities), `×${scale}`, brief(cpuMicros), ranged(startMilliseconds)],
      ...[figure(build.seconds, 1), figure(localities / build.seconds), megabytes(build.peakBytes)],
      ...[bytes.diskBytes, bytes.residentBytes, bytes.anonymousBytes].map(megabytes),
    ]),
  }
}

export function noiseNote({ rows }: Pick<Results, 'rows'>): string | undefined {
  const worst = Math.max(...rows.map(({ others }) => others.median))
  return worst > NOISY
    ? `The machine was not quiet: others used up to ${percent(worst)} of the server's cores during a measurement.`
    : undefined
}
