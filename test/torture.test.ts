// A short campaign of killed imports; npm run torture:import is the long one.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { tortureImports } from './torture/campaign.ts'
import type { Plan } from './torture/plan.ts'

setDefaultTimeout(120_000)

/** Most of them while the new release is being put in its place, which is the shortest part and the one that matters. */
const plans: readonly Plan[] = [
  { way: 'change', part: 0.4 },
  { way: 'change', part: 0.92 },
  { way: 'sight', path: 'numbers.json.next' },
  { way: 'change', part: 0.95 },
  { way: 'moment', part: 0.5 },
  { way: 'change', part: 0.97 },
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
