// Every campaign of npm run torture in a few seconds: far from all that it tries, but enough to see that it still can, and that it holds.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { campaigns, runCampaign } from './torture/torture.ts'
import { type Campaign, Homes } from './torture/trial.ts'
import { workers } from './torture/workers.ts'

setDefaultTimeout(300_000)

const homes = new Homes('test')

test('there is a campaign for everything that is promised', () => {
  const promised = [
    'fuzz',
    'load',
    'slow',
    'workers',
    'swaps',
    'restarts',
    'disk-full',
    'unmounted',
    'damaged',
    'clock',
  ]
  expect(campaigns.map(({ name }) => name)).toEqual([...promised, 'descriptors', 'import', 'think', 'packages'])
})

const run = async (campaign: Campaign) => {
  const log: string[] = []
  const trial = await runCampaign(campaign, homes, { scale: 'test', seed: 1, log: (line) => log.push(line) })
  return { trial, log }
}

/** It waits for heartbeats most of the time, so the others run meanwhile. */
let waiting: ReturnType<typeof run>
beforeAll(() => {
  waiting = run(workers)
})
afterAll(async () => {
  // Also where only some of the tests run: its service must be gone before its home is.
  await waiting
  homes[Symbol.dispose]()
})

for (const campaign of campaigns) {
  const impossible = await campaign.impossible?.()
  const name = impossible === undefined ? `${campaign.name} holds` : `${campaign.name}: not run, ${impossible}`
  test.skipIf(impossible !== undefined)(name, async () => {
    const { trial, log } = await (campaign === workers ? waiting : run(campaign))
    expect(trial.failures, log.join('\n')).toEqual([])
    expect(trial.facts.length + trial.cases.length).toBeGreaterThan(0)
  })
}
