// Imports that are killed under a running service, as often as the scale says.
import { tortureImports } from './import/kills.ts'
import type { Plan } from './import/plan.ts'
import type { Campaign } from './trial.ts'

/** At the end, where the new release takes the place of the old: the shortest part, and the one that matters. */
const SHORT: readonly Plan[] = [
  // While the entities are put in their places.
  { way: 'change', last: 20 },
  { way: 'change', last: 4 },
]
const FEW = { localidad: 200, municipio: 200, subdisciplina: 200 }

export const importKills: Campaign = {
  name: 'import',
  title: 'Killed imports',
  description:
    'Imports are killed in the middle of a change to the disk, at random moments, and as soon as a certain file appears. After each kill the current release must be the one before or the new one, whole; no release and no identifier may be lost; the service must serve the current release within ten seconds, and every page that a client got must be a whole page of one of the two; and the next import must work and leave nothing unfinished behind.',
  run: async (trial) => {
    const { kills, localities, seconds } = trial.size({
      full: { kills: 100, localities: 5_000, seconds: 1_800 },
      quick: { kills: 12, localities: 1_000, seconds: 120 },
      test: { kills: SHORT.length, localities: FEW.localidad, seconds: 100 },
    })
    const done = await tortureImports({
      kills,
      seconds,
      limits: trial.scale === 'test' ? FEW : { localidad: localities },
      plans: trial.scale === 'test' ? SHORT : [],
      log: trial.log,
    })
    trial.require(done.total === kills, `the time was over after ${done.total} of ${kills} kills`)
    trial.require(done.pages > done.total * 10, `only ${done.pages} pages were read`)
    trial.fact(
      `${done.kills.change} imports were killed in the middle of a change to the disk, ${done.kills.moment} at a random moment, ${done.kills.sight} when a file appeared; ${done.late} were done before they could be killed`,
    )
    trial.fact(
      `the release before was current ${done.left.before} times afterwards, the new one ${done.left.after} times`,
    )
    trial.fact(`something unfinished was left ${done.remains} times, and never after the next import`)
    trial.fact(
      `${done.pages.toLocaleString('en')} pages were read, each of them whole; the service was at most ${Math.round(done.slowestSwap)} ms behind`,
    )
  },
}
