// A clock on the wall that jumps forward and back while the service runs.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually, workersOf } from '../support/service.ts'
import { OFFSET_VARIABLE } from './clock-shim.ts'
import type { Campaign } from './trial.ts'

const HOUR = 3_600_000
const JUMPS: readonly (readonly [name: string, milliseconds: number])[] = [
  ['an hour forward', HOUR],
  ['an hour back', -HOUR],
  ['ten years forward', 87_660 * HOUR],
  ['forty years back', -40 * 8_766 * HOUR],
]
const CLOSE_MILLISECONDS = 5_000

export const clock: Campaign = {
  name: 'clock',
  title: 'Jumps of the clock',
  description:
    'The clock on the wall jumps under the running service, in all its processes at once. It is a shim in front of the clock of the runtime, which is the only one that the program reads; time as it goes by is left alone, as it is by an operator who sets the clock. No request may fail, no worker may be replaced, and `Date` must follow.',
  run: async (trial) => {
    const hold = trial.size({ full: 15_000, quick: 2_000, test: 200 })
    const home = await trial.homes.large()
    const file = trial.homes.directory('clock')
    writeFileSync(file, '0')
    const shim = join(import.meta.dir, 'clock-shim.ts')
    const service = await trial.start(home, { env: { BUN_OPTIONS: `--preload=${shim}`, [OFFSET_VARIABLE]: file } })
    const workers = workersOf(service.pid).join()
    const jumps = trial.scale === 'test' ? JUMPS.slice(-1) : JUMPS
    for (const [name, milliseconds] of jumps) {
      const { probe } = await trial.observe(name, service, home, async () => {
        writeFileSync(file, String(milliseconds))
        await eventually(`Date is ${name}`, async () => {
          const response = await fetch(`${service.url}/api/v1/paises`)
          await response.arrayBuffer()
          const told = Date.parse(response.headers.get('Date') ?? '')
          return Math.abs(told - Date.now() - milliseconds) < CLOSE_MILLISECONDS
        })
        await (await fetch(`${service.url}/api/v2/estados`)).arrayBuffer()
        await Bun.sleep(hold)
      })
      trial.require(probe.failed === 0, `${name}: ${probe.failed} requests failed (${JSON.stringify(probe.reasons)})`)
      trial.require(workersOf(service.pid).join() === workers, `${name}: workers were replaced`)
    }
  },
}
