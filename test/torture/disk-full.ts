// A disk that is full to the last byte while the service runs from it.
import { readFileSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { ran } from '../support/command.ts'
import { nomenclator } from '../support/releases.ts'
import { eventually } from '../support/service.ts'
import { cannotMount, SmallDisk } from './mounts.ts'
import { activate, type Campaign, type Home, releaseOf } from './trial.ts'

const BUNDLED_KILOBYTES = 512 * 1_024
const SMALL_KILOBYTES = 32 * 1_024
const SMALL_PACKAGE = join(import.meta.dir, '..', 'data', 'packages', 'offices')

/** Room for the home, and for one release of what is imported. */
async function kilobytesFor(home: Home, imported: number): Promise<number> {
  const { out } = await ran(['du', '-sk', home.path])
  return Number.parseInt(out, 10) + imported
}

export const diskFull: Campaign = {
  name: 'disk-full',
  title: 'A full disk',
  description:
    'The home is on a small file system of its own that is filled to the last byte. Pages of API v1, and everything of API v2, must be served as always, compressed or not. An import must end with words and without harm. When there is room again, it must work, and its release must be served.',
  impossible: cannotMount,
  run: async (trial) => {
    const source = await trial.homes.large()
    const room = trial.size({ full: BUNDLED_KILOBYTES, quick: BUNDLED_KILOBYTES, test: SMALL_KILOBYTES })
    await using disk = await SmallDisk.create(await kilobytesFor(source, room))
    const home = trial.homes.copyOf(source, join(disk.path, 'home'))
    const [first, second] = home.digests
    const service = await trial.start(home)
    const imported = trial.size({ full: ['bundled'], quick: ['bundled'], test: ['package', SMALL_PACKAGE] })
    const importing = () => nomenclator('import', ...imported, '--accept-changes', '--home', home.path)
    const { probe } = await trial.observe('a full disk', service, home, async () => {
      disk.fill(0)
      trial.require(statfsSync(disk.path).bavail === 0, 'the disk could not be filled')
      for (const format of ['json', 'csv', 'ndjson'])
        for (const coding of ['identity', 'gzip', 'br', 'zstd'])
          for (const path of ['municipios/all', `changes?from=${second}&in=municipios`]) {
            if (path.startsWith('changes') && format === 'csv') continue
            const target = `/api/v2/${path}${path.includes('?') ? '&' : '?'}format=${format}`
            const response = await fetch(service.url + target, { headers: { 'Accept-Encoding': coding } })
            const { length } = await response.bytes()
            trial.require(
              response.status === 200 && length > 0,
              `${target} as ${coding}: ${response.status}, ${length} bytes`,
            )
          }
      const { code, err } = await importing()
      trial.require(code === 1 && /the disk is full/.test(err), `an import ended with ${code}: ${err}`)
      const [current] = readFileSync(join(home.path, 'current'), 'utf8').split('\n')
      trial.require(current === first, `the current release is ${current}`)
    })
    trial.require(probe.failed === 0, `${probe.failed} requests failed (${JSON.stringify(probe.reasons)})`)
    const again = await trial.observe('room again', service, home, async () => {
      disk.empty()
      activate(home.path, second)
      await eventually('the other release is served', async () => (await releaseOf(service.url)) === second)
    })
    trial.require(again.probe.failed === 0, `${again.probe.failed} requests failed with room again`)
    const { code, err } = await importing()
    trial.require(code === 0, `with room again, an import ended with ${code}: ${err}`)
    const [latest] = readFileSync(join(home.path, 'current'), 'utf8').split('\n')
    await eventually('the imported release is served', async () => (await releaseOf(service.url)) === latest)
  },
}
