// Targets: the promised limits, the figures that were found, and whether they meet them.
import { type LoadName, loads, RATE } from './load.ts'
import { type Measured, ratioIn, type Sample, spreadIn } from './measure.ts'
import type { Spread } from './spread.ts'

export type Limit = readonly ['≤' | '<' | '≥', number]

export type Verdict = {
  readonly description: string
  /** Undefined for a figure that is only reported. */
  readonly limit: Limit | undefined
  readonly unit: string
  readonly outcome: 'met' | 'missed' | 'not measured' | 'reported'
  readonly found: Spread | undefined
  readonly note: string | undefined
}

export function isMet([relation, limit]: Limit, value: number): boolean {
  if (relation === '≥') return value >= limit
  return relation === '<' ? value < limit : value <= limit
}

/** Judges the median; a target that was not measured is neither met nor missed. */
export function judge(
  description: string,
  limit: Limit | undefined,
  unit: string,
  found: Spread | undefined,
  note?: string,
): Verdict {
  const outcomeOf = ({ median }: Spread) => (limit === undefined ? 'reported' : isMet(limit, median) ? 'met' : 'missed')
  return { description, limit, unit, outcome: found === undefined ? 'not measured' : outcomeOf(found), found, note }
}

export const voidRounds = ({ samples }: Measured): number => samples.filter((sample) => sample === undefined).length

/** The number of void rounds, and the reasons why windows were thrown away; undefined if none was. */
export function voidIn(measured: Measured): string | undefined {
  const { server, load, samples, discarded } = measured
  if (discarded.length === 0) return undefined
  const errors = discarded.reduce((sum, window) => sum + window.errors, 0)
  const slowest = Math.min(...discarded.map(({ requestsPerSecond }) => requestsPerSecond))
  const reason = errors > 0 ? `${errors} errors` : `as few as ${Math.round(slowest).toLocaleString('en')} requests/s`
  return `of ${server} on “${load}” ${discarded.length} windows were thrown away (${reason}) and ${voidRounds(measured)} of ${samples.length} rounds are void`
}

export type Findings = {
  readonly measured: readonly Measured[]
  readonly start: Spread
  readonly buildRate: Spread
  readonly anonymousMegabytes: Spread
}

export const OURS = 'nomenclator'
export const TEN_TIMES = 'nomenclator ×10'
export const TWO_WORKERS = 'nomenclator, two workers'

export type Architecture = 'x64' | 'arm64'

/** The limits that differ between kinds of processor; rates are the reciprocal of the CPU that a request may take. */
const LIMITS: Readonly<
  Record<Architecture, { cpu: number; pacedCpu: number; rate: number; userMicros: number | undefined }>
> = {
  x64: { cpu: 1, pacedCpu: 1, rate: 0.9, userMicros: undefined },
  arm64: { cpu: 1.6, pacedCpu: 1.3, rate: 0.6, userMicros: 6.5 },
}

export function verdictsOn(
  { measured, start, buildRate, anonymousMegabytes }: Findings,
  architecture: Architecture,
): Verdict[] {
  const limits = LIMITS[architecture]
  type Side = readonly [server: string, load: LoadName]
  const measuredOn = ([server, load]: Side) =>
    measured.find((one) => one.server === server && one.load === loads[load].name)
  /** Judges a spread over rounds, which may all be void. */
  const judgeRounds = (description: string, limit: Limit | undefined, unit: string, found: Spread | undefined) =>
    judge(description, limit, unit, found, found === undefined ? 'all rounds are void' : undefined)
  const ratio = (description: string, limit: Limit, part: keyof Sample, ...sides: [Side, Side]) => {
    const [left, right] = sides.map(measuredOn)
    if (left === undefined || right === undefined) return judge(description, limit, '×', undefined, 'not in this run')
    return judgeRounds(description, limit, '×', ratioIn(left, right, part))
  }
  const cpu = (description: string, limit: Limit, ...sides: [Side, Side]) =>
    ratio(`CPU per request ${description}`, limit, 'cpuMicros', ...sides)
  const rate = (description: string, limit: Limit, ...sides: [Side, Side]) =>
    ratio(`requests/s ${description}`, limit, 'requestsPerSecond', ...sides)
  const user = (description: string, load: LoadName) => {
    const limit: Limit | undefined = limits.userMicros === undefined ? undefined : ['≤', limits.userMicros]
    const own = measuredOn([OURS, load])
    const name = `user time per request ${description}`
    return own === undefined
      ? judge(name, limit, 'µs', undefined, 'not in this run')
      : judgeRounds(name, limit, 'µs', spreadIn(own, 'userMicros'))
  }
  const atRate = `at ${RATE.toLocaleString('en')} requests/s`
  return [
    cpu('on random pages, against nginx', ['≤', limits.cpu], [OURS, 'random'], ['nginx', 'random']),
    cpu('on one hot page, against nginx', ['≤', limits.cpu], [OURS, 'hot'], ['nginx', 'hot']),
    user('on random pages', 'random'),
    user('on one hot page', 'hot'),
    cpu(
      `on random pages ${atRate}, against nginx`,
      ['≤', limits.pacedCpu],
      [OURS, 'randomPaced'],
      ['nginx', 'randomPaced'],
    ),
    cpu(`on one hot page ${atRate}, against nginx`, ['≤', limits.pacedCpu], [OURS, 'hotPaced'], ['nginx', 'hotPaced']),
    rate('of one core on random pages, against nginx', ['≥', limits.rate], [OURS, 'random'], ['nginx', 'random']),
    rate('on page 1, against Django REST Framework', ['≥', 50], [OURS, 'hot'], ['drf', 'hot']),
    rate('on the deepest page, against Django REST Framework', ['≥', 500], [OURS, 'deep'], ['drf', 'deep']),
    cpu('of the deepest page, against page 1', ['≤', 1.05], [OURS, 'deep'], [OURS, 'hot']),
    cpu('of a 304, against its 200', ['≤', 1], [OURS, 'unchanged'], [OURS, 'hot']),
    cpu(`of HEAD, against GET, both ${atRate}`, ['≤', 1], [OURS, 'headPaced'], [OURS, 'hotPaced']),
    cpu('at ten times the localities, against once', ['≤', 1.1], [TEN_TIMES, 'random'], [OURS, 'random']),
    judge('start to first response', ['<', 150], 'ms', start),
    judge('anonymous memory of a worker, after all loads', ['<', 60], 'MB', anonymousMegabytes),
    rate(
      'of two workers on two cores, against one (where there are four)',
      ['≥', 1.8],
      [TWO_WORKERS, 'random'],
      [OURS, 'random'],
    ),
    judge('building a release', ['≥', 100_000], 'localities/s', buildRate),
  ]
}
