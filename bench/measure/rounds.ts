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
  const all = contests.length * (how.rounds + 1)
  let done = 0
  const window = async (contest: Contest, seconds: number) => {
    const sample = await measure(contest, seconds, how.cores)
    await settle(contest.server)
    how.onWindow?.(++done, all)
    return sample
  }
  for (const contest of contests) await window(contest, how.warmSeconds)
  for (let round = 0; round < how.rounds; round++) {
    for (const contest of orderOf(contests, round)) samples.get(contest)?.push(await window(contest, how.seconds))
  }
  return samples
}

/** Every other round goes backwards: nobody is always first. */
export const orderOf = <T>(contests: readonly T[], round: number): readonly T[] =>
  round % 2 === 0 ? contests : [...contests].reverse()
