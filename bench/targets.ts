// Targets: what is promised, what was found, and whether the one meets the other.
import type { LoadName } from './load.ts'
import type { Measured, Sample } from './measure.ts'
import { ratioOf, type Spread } from './spread.ts'

export type Limit = readonly ['≤' | '<' | '≥', number]

export type Verdict = {
  readonly description: string
  readonly limit: Limit
  readonly unit: string
  readonly outcome: 'met' | 'missed' | 'not measured'
  readonly found: Spread | undefined
  readonly note: string | undefined
}

export function isMet([relation, limit]: Limit, value: number): boolean {
  if (relation === '≥') return value >= limit
  return relation === '<' ? value < limit : value <= limit
}

/** The median is judged; what was not measured is neither met nor missed. */
export function judge(
  description: string,
  limit: Limit,
  unit: string,
  found: Spread | undefined,
  note?: string,
): Verdict {
  const outcome = found === undefined ? 'not measured' : isMet(limit, found.median) ? 'met' : 'missed'
  return { description, limit, unit, outcome, found, note }
}

/** In which rounds there were errors, and how many in all; undefined if there were none. */
export function errorsIn(samples: readonly Sample[]): string | undefined {
  const rounds = samples.flatMap(({ errors }, round) => (errors > 0 ? [round + 1] : []))
  const sum = samples.reduce((errors, sample) => errors + sample.errors, 0)
  return sum === 0 ? undefined : `${sum} in round ${rounds.join(', ')}`
}

export type Findings = {
  readonly measured: readonly Measured[]
  readonly start: Spread
  readonly buildRate: Spread
  readonly privateMegabytes: Spread
}

export const OURS = 'nomenclator'
export const TEN_TIMES = 'nomenclator ×10'
export const TWO_WORKERS = 'nomenclator, two workers'

export function verdictsOn({ measured, start, buildRate, privateMegabytes }: Findings): Verdict[] {
  type Side = readonly [server: string, load: LoadName]
  const ratio = (
    description: string,
    limit: Limit,
    part: 'cpuMicros' | 'requestsPerSecond',
    ...sides: [Side, Side]
  ) => {
    const [left, right] = sides.map(([server, load]) =>
      measured.find((one) => one.server === server && one.load === load),
    )
    if (left === undefined || right === undefined) return judge(description, limit, '×', undefined, 'not in this run')
    const values = ({ samples }: Measured) => samples.map((sample) => sample[part])
    const errors = [left, right].flatMap(({ server, samples }) => {
      const found = errorsIn(samples)
      return found === undefined ? [] : [`errors of ${server}: ${found}`]
    })
    return judge(description, limit, '×', ratioOf(values(left), values(right)), errors.join('; ') || undefined)
  }
  const cpu = (description: string, limit: Limit, ...sides: [Side, Side]) =>
    ratio(`CPU per request ${description}`, limit, 'cpuMicros', ...sides)
  const rate = (description: string, limit: Limit, ...sides: [Side, Side]) =>
    ratio(`requests/s ${description}`, limit, 'requestsPerSecond', ...sides)
  return [
    cpu('on random pages, against nginx', ['≤', 1.15], [OURS, 'random'], ['nginx', 'random']),
    cpu('on one hot page, against nginx', ['≤', 1.25], [OURS, 'hot'], ['nginx', 'hot']),
    rate('of one core on random pages, against nginx', ['≥', 0.9], [OURS, 'random'], ['nginx', 'random']),
    rate('on page 1, against Django REST Framework', ['≥', 50], [OURS, 'hot'], ['drf', 'hot']),
    rate('on the deepest page, against Django REST Framework', ['≥', 500], [OURS, 'deep'], ['drf', 'deep']),
    cpu('of the deepest page, against page 1', ['≤', 1.05], [OURS, 'deep'], [OURS, 'hot']),
    cpu('of a 304, against its 200', ['<', 1], [OURS, 'unchanged'], [OURS, 'hot']),
    cpu('at ten times the localities, against once', ['≤', 1.1], [TEN_TIMES, 'random'], [OURS, 'random']),
    judge('start to first response', ['<', 150], 'ms', start),
    judge('private memory of a worker, after random pages', ['<', 60], 'MB', privateMegabytes),
    rate(
      'of two workers on two cores, against one (where there are four)',
      ['≥', 1.8],
      [TWO_WORKERS, 'random'],
      [OURS, 'random'],
    ),
    judge('building a release', ['≥', 100_000], 'localities/s', buildRate),
  ]
}
