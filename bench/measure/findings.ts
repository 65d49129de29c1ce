// From the samples of a run to the values that the targets speak of.
import type { LoadName } from '../load/loads.ts'
import type { Finding, Findings } from '../targets.ts'
import { ratioOf, spreadOf } from './spread.ts'
import type { Contest, Sample } from './window.ts'

export type Measured = ReadonlyMap<Contest, readonly Sample[]>
type Part = 'cpuMicros' | 'requestsPerSecond'

const OURS = 'nomenclator'
const TEN = 'nomenclator ×10'
/** When a core was used less than this the server waited for the load, and its requests/s are those of the generator. */
const SATURATED = 0.9

/** The ratios of the loads at 64 connections that are kept alive; what was not measured is left out. */
export function ratioFindings(measured: Measured): Findings {
  const samplesOf = (server: string, load: LoadName): readonly Sample[] | undefined => {
    const found = [...measured].find(
      ([contest]) =>
        contest.server.name === server && contest.load.name === load && contest.connections === 64 && contest.reuse,
    )
    return found?.[1]
  }
  const against = (part: Part, left: [string, LoadName], right: [string, LoadName]): Finding => {
    const [above, below] = [samplesOf(...left), samplesOf(...right)]
    if (above === undefined || below === undefined) {
      const missing = above === undefined ? left : right
      return { unmeasured: `${missing[0]} was not measured on ${missing[1]} in this run` }
    }
    const value = ratioOf(values(above, part), values(below, part))
    return part === 'cpuMicros' || isSaturated(above) ? { value } : { value, note: WAITED }
  }
  return {
    randomCpu: against('cpuMicros', [OURS, 'random'], ['nginx', 'random']),
    hotCpu: against('cpuMicros', [OURS, 'hot'], ['nginx', 'hot']),
    randomRate: against('requestsPerSecond', [OURS, 'random'], ['nginx', 'random']),
    drfFirst: against('requestsPerSecond', [OURS, 'hot'], ['drf', 'hot']),
    drfDeep: against('requestsPerSecond', [OURS, 'deep'], ['drf', 'deep']),
    depth: against('cpuMicros', [OURS, 'deep'], [OURS, 'hot']),
    unchanged: against('cpuMicros', [OURS, 'unchanged'], [OURS, 'hot']),
    growth: against('cpuMicros', [TEN, 'random'], [OURS, 'random']),
  }
}

const WAITED = 'the server waited for the load: it could have done more'

const values = (samples: readonly Sample[], part: Part): number[] => samples.map((sample) => sample[part])

const isSaturated = (samples: readonly Sample[]): boolean =>
  spreadOf(samples.map(({ busy, others }) => busy + others)).median >= SATURATED
