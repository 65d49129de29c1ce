// A home that vanishes under the service, with and without a worker that dies meanwhile, and comes back.
import { mkdirSync, readdirSync } from 'node:fs'
import { eventually, listenersOf, workersOf } from '../support/service.ts'
import { bind, cannotMount, unmount } from './mounts.ts'
import { activate, type Campaign, releaseOf } from './trial.ts'

const LOST_WITH_A_WORKER = 8
/** Connections in a row that must lead to the same release. */
const SEEN_TIMES = 6

export const unmounted: Campaign = {
  name: 'unmounted',
  title: 'A home that vanishes',
  description:
    'The home is a mounted directory. It is unmounted, which leaves an empty one in its place; a worker is killed while it is gone; then it is mounted again. All the while the release that was served before must be served and no other, nothing may be built in the empty directory, and only requests of the killed worker may fail. Once the home is back there must be two workers, which follow it as before.',
  impossible: cannotMount,
  run: async (trial) => {
    const hold = trial.size({ full: 30_000, quick: 4_000 })
    const stored = trial.homes.copyOf(await trial.homes.large())
    const home = { ...stored, path: trial.homes.directory('mounted') }
    const [first, second] = home.digests
    const { of, targets } = await trial.homes.versions(stored)
    /** Nothing but the release that was current. */
    const versions = Object.fromEntries(targets.map((target) => [target, [of[first]?.[target] ?? '']]))
    mkdirSync(home.path)
    await bind(stored.path, home.path)
    let isMounted = true
    try {
      const service = await trial.start(home)
      const gone = await trial.observe(
        'unmounted',
        service,
        home,
        async () => {
          await unmount(home.path)
          isMounted = false
          await Bun.sleep(hold)
        },
        { versions },
      )
      trial.require(
        gone.probe.failed === 0,
        `unmounted: ${gone.probe.failed} requests failed (${JSON.stringify(gone.probe.reasons)})`,
      )
      const killed = await trial.observe(
        'unmounted, a worker killed',
        service,
        home,
        async () => {
          const [victim] = workersOf(service.pid)
          if (victim !== undefined) process.kill(victim, 'SIGKILL')
          await Bun.sleep(hold * 2)
        },
        { versions },
      )
      trial.require(
        killed.probe.failed <= LOST_WITH_A_WORKER,
        `a worker killed: ${killed.probe.failed} requests failed (${JSON.stringify(killed.probe.reasons)})`,
      )
      const built = readdirSync(home.path)
      trial.require(built.length === 0, `in the empty directory there is now ${built.join(', ')}`)
      const ready = await trial.admin(service, '/readyz')
      if (ready !== undefined) trial.fact(`/readyz responded ${ready.status}: ${ready.text.trim().slice(0, 300)}`)
      const returned = await trial.observe('mounted again', service, home, async () => {
        await bind(stored.path, home.path)
        isMounted = true
        const started = performance.now()
        await eventually(
          'two workers listen',
          () => workersOf(service.pid).length === 2 && listenersOf(service.port) === 2,
        )
        trial.fact(`${Math.round(performance.now() - started)} ms after the home was back there were two workers again`)
        activate(home.path, second)
        let seen = 0
        await eventually('the other release is served', async () => {
          seen = (await releaseOf(service.url)) === second ? seen + 1 : 0
          return seen === SEEN_TIMES
        })
      })
      trial.require(
        returned.probe.failed === 0,
        `mounted again: ${returned.probe.failed} requests failed (${JSON.stringify(returned.probe.reasons)})`,
      )
    } finally {
      if (isMounted) await unmount(home.path)
    }
  },
}
