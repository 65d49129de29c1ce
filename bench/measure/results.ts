// Everything that a run found out, as it is written to disk and into the report.
import type { Machine } from '../machine/description.ts'
import type { Verdict } from '../targets.ts'
import { type Spread, spreadOf } from './spread.ts'
import type { Contest, Sample } from './window.ts'

export type Row = {
  readonly server: string
  readonly load: string
  readonly connections: number
  readonly reuse: boolean
  readonly requestsPerSecond: Spread
  readonly cpuMicros: Spread
  readonly p50: Spread
  readonly p99: Spread
  readonly p999: Spread
  readonly busy: Spread
  readonly others: Spread
  readonly errors: number
}

export type Footprint = {
  readonly server: string
  readonly processes: number
  readonly residentBytes: number
  readonly privateBytes: number
  readonly anonymousBytes: number
  /** Private memory of the process that has the most of it. */
  readonly largestBytes: number
}

export type Growth = {
  readonly scale: number
  readonly localities: number
  readonly cpuMicros: Spread
  readonly startMilliseconds: Spread
  readonly build: { readonly seconds: number; readonly peakBytes: number }
  readonly diskBytes: number
  readonly residentBytes: number
  readonly anonymousBytes: number
}

export type Results = {
  readonly taken: string
  readonly command: string
  readonly rounds: number
  readonly seconds: number
  readonly workers: number
  readonly machine: Machine
  /** Who could not take part, and how to get them. */
  readonly defaultValue: readonly string[]
  readonly rows: readonly Row[]
  readonly footprints: readonly Footprint[]
  readonly growth: readonly Growth[]
  readonly notes: readonly string[]
  readonly verdicts: readonly Verdict[]
}

export function rowOf({ server, load, connections, reuse }: Contest, samples: readonly Sample[]): Row {
  const spread = (part: keyof Sample) => spreadOf(samples.map((sample) => sample[part]))
  return {
    server: server.name,
    load: load.name,
    connections,
    reuse,
    requestsPerSecond: spread('requestsPerSecond'),
    cpuMicros: spread('cpuMicros'),
    p50: spread('p50'),
    p99: spread('p99'),
    p999: spread('p999'),
    busy: spread('busy'),
    others: spread('others'),
    errors: samples.reduce((sum, { errors }) => sum + errors, 0),
  }
}
