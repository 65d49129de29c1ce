// Campaigns of npm run torture in a few seconds: far from all that they try, but enough to see that they still can, and that it holds.
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { campaigns, runCampaign } from '../torture/torture.ts'
import { Homes } from '../torture/trial.ts'

setDefaultTimeout(300_000)

const SAMPLE = ['fuzz', 'load', 'clock', 'import', 'packages', 'state']

/** The test files that do the same to the service as the other campaigns do for longer. */
const HELD_BY: Readonly<Record<string, string>> = {
  slow: 'operation/slow-clients',
  'disk-full': 'import/disk-full',
  workers: 'operation/workers',
  swaps: 'release/swap',
  restarts: 'operation/workers',
  unmounted: 'release/broken-home',
  damaged: 'release/broken-home',
  descriptors: 'operation/slow-clients',
  compute: 'operation/compute-workers',
  lists: 'v2/many-lists',
}

const homes = new Homes('test')
afterAll(() => homes[Symbol.dispose]())

test('every campaign is run here, or has a test file that holds the same', () => {
  expect(campaigns.map(({ name }) => name).sort()).toEqual([...SAMPLE, ...Object.keys(HELD_BY)].sort())
  const missing = Object.values(HELD_BY).filter((name) => !existsSync(join(import.meta.dir, '..', `${name}.test.ts`)))
  expect(missing).toEqual([])
})

for (const campaign of campaigns.filter(({ name }) => SAMPLE.includes(name))) {
  const impossible = await campaign.impossible?.()
  const name = impossible === undefined ? `${campaign.name} holds` : `${campaign.name}: not run, ${impossible}`
  test.skipIf(impossible !== undefined)(name, async () => {
    const log: string[] = []
    const trial = await runCampaign(campaign, homes, { scale: 'test', seed: 1, log: (line) => log.push(line) })
    expect(trial.failures, log.join('\n')).toEqual([])
    expect(trial.facts.length + trial.cases.length).toBeGreaterThan(0)
  })
}
