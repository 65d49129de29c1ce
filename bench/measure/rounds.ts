// Alternating rounds: every contest once in each, so that a machine that slows down slows all of them.
import { type Contest, measure, type Sample, settle } from './window.ts'

export type Rounds = {
  readonly rounds: number
  readonly seconds: number
  readonly warmSeconds: number
  readonly cores: readonly number[]
  readonly onWindow?: (done: number, all: number) => void
}

/** The samples of each contest, in the order of the rounds. */
export async function alternate(contests: readonly Contest[], how: Rounds): Promise<Map<Contest, Sample[]>> {
  const samples = new Map<Contest, Sample[]>(contests.map((contest) => [contest, []]))
  const all = contests.length * how.rounds
  let done = 0
  for (const contest of contests) await warm(contest, how)
  for (let round = 0; round < how.rounds; round++) {
    for (const contest of orderOf(contests, round)) {
      samples.get(contest)?.push(await measure(contest, how.seconds, how.cores))
      await settle(contest.server)
      how.onWindow?.(++done, all)
    }
  }
  return samples
}

const MAX_WARM_WINDOWS = 8

/**
 * Until every page of the load was asked for once: the first time, nginx opens its file and the kernel maps its memory.
 * A server that would take minutes for that keeps nothing that it could gain from.
 */
async function warm(contest: Contest, { warmSeconds, cores }: Rounds): Promise<void> {
  const pages = contest.load.pages(contest.totalPages).length
  let request = 0
  for (let window = 1; window <= MAX_WARM_WINDOWS; window++) {
    request += (await measure(contest, warmSeconds, cores)).requests
    await settle(contest.server)
    if (request >= pages || (request / window) * MAX_WARM_WINDOWS < pages) return
  }
}

/** Every other round goes backwards: nobody is always first. */
export const orderOf = <T>(contests: readonly T[], round: number): readonly T[] =>
  round % 2 === 0 ? contests : [...contests].reverse()
