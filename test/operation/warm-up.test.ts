// What a service does after its start, before anything is asked of it.
import { afterAll, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { homeWith } from '../support/releases.ts'
import { childrenOf, eventually, Service } from '../support/service.ts'

setDefaultTimeout(180_000)

const home = await homeWith()
afterAll(() => home[Symbol.dispose]())

/** The processor time of its processes so far, in ticks. */
const workOf = ({ pid }: Service): number =>
  childrenOf(pid).reduce((sum, child) => {
    const stat = readFileSync(`/proc/${child}/stat`, 'utf8')
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
    return sum + Number(user) + Number(system)
  }, 0)

test.skipIf(process.platform !== 'linux')('its processes make themselves ready, unless it is told not to', async () => {
  await using cold = await Service.over(home, { flags: ['--workers', '1', '--no-warm-up'] })
  await using warm = await Service.over(home, { flags: ['--workers', '1'], env: { NO_WARM_UP: '' } })
  await eventually('one has worked half as much again as the other', () => workOf(warm) > 1.5 * workOf(cold))
})
