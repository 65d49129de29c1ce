// A short campaign of killed imports; npm run torture:import is the long one.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { tortureImports } from './torture/campaign.ts'
import type { Plan } from './torture/plan.ts'

setDefaultTimeout(120_000)

/** Most of them at the end, where the new release takes the place of the old: the shortest part, and the one that matters. */
const plans: readonly Plan[] = [
  { way: 'change', part: 0.4 },
  { way: 'change', last: 7 },
  { way: 'change', last: 11 },
  { way: 'moment', part: 0.5 },
  { way: 'change', last: 5 },
  { way: 'change', last: 4 },
  // While the entities are put in their places.
  { way: 'change', last: 20 },
]

test('a killed import leaves the release before or the new one, whole, and the next import is none the worse', async () => {
  const limits = { localidad: 200, municipio: 200, subdisciplina: 200 }
  const { total, pages, left } = await tortureImports({
    kills: plans.length,
    seconds: 100,
    limits,
    plans,
    log: () => {},
  })
  expect(total).toBe(plans.length)
  expect(left.before + left.after).toBe(plans.length)
  expect(pages).toBeGreaterThan(plans.length * 10)
})
