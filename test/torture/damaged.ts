// Files of the current release that are damaged under the service, and mended again.
import { copyFileSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Service } from '../support/service.ts'
import { activate, type Campaign, type Home, releaseOf } from './trial.ts'

const ENTITY = 'localidad'
const RECOVERED_MILLISECONDS = 20_000
const MENDED_MILLISECONDS = 60_000
/** Connections in a row that must lead to the same release. */
const SEEN_TIMES = 6
const GLANCE_MILLISECONDS = 50

type Damage = {
  readonly name: string
  /** The file that it is done to. */
  readonly file: (home: Home) => string
  readonly strike: (path: string) => void
}

function entityFile({ path, digests }: Home, file: string): string {
  const manifest = JSON.parse(readFileSync(join(path, 'releases', digests[0], 'manifest.json'), 'utf8')) as {
    readonly entities: Readonly<Record<string, { readonly digest: string }>>
  }
  return join(path, 'entities', manifest.entities[ENTITY]?.digest ?? '', file)
}

const DAMAGES: readonly Damage[] = [
  { name: 'records truncated', file: (home) => entityFile(home, 'records'), strike: (path) => truncateSync(path, 10) },
  { name: 'index truncated', file: (home) => entityFile(home, 'index'), strike: (path) => truncateSync(path, 10) },
  { name: 'records removed', file: (home) => entityFile(home, 'records'), strike: (path) => rmSync(path) },
  {
    name: '`entity.json` overwritten',
    file: (home) => entityFile(home, 'entity.json'),
    strike: (path) => writeFileSync(path, '{'),
  },
  { name: '`current` emptied', file: ({ path }) => join(path, 'current'), strike: (path) => writeFileSync(path, '') },
  {
    name: '`current` overwritten',
    file: ({ path }) => join(path, 'current'),
    strike: (path) => writeFileSync(path, '\0'.repeat(65)),
  },
  {
    name: '`current` names no release',
    file: ({ path }) => join(path, 'current'),
    strike: (path) => writeFileSync(path, `${'0'.repeat(64)}\n`),
  },
]

/** How long it takes until the service has one of these releases on every connection; undefined if it does not come to be. */
async function served(service: Service, releases: readonly string[], patience: number): Promise<number | undefined> {
  const started = performance.now()
  for (let seen = 0; seen < SEEN_TIMES; ) {
    if (performance.now() - started > patience) return undefined
    const release = await releaseOf(service.url)
    seen = release !== undefined && releases.includes(release) ? seen + 1 : 0
    await Bun.sleep(GLANCE_MILLISECONDS)
  }
  return performance.now() - started
}

export const damaged: Campaign = {
  name: 'damaged',
  title: 'Damaged files',
  description:
    'A file of the current release, or the file that names it, is damaged under the running service: truncated, overwritten or removed. A sound release must be served again within 20 seconds, the current one or the one before it, and every page must be one of a sound release. When the file is mended, the current release must be served.',
  run: async (trial) => {
    const hold = trial.size({ full: 10_000, quick: 2_000, test: 300 })
    const source = await trial.homes.large()
    const damages = trial.scale === 'test' ? DAMAGES.slice(0, 1) : DAMAGES
    for (const { name, file, strike } of damages) {
      const home = trial.homes.copyOf(source)
      activate(home.path, home.digests[0])
      const service = await trial.start(home)
      const path = file(home)
      const sound = `${path}.sound`
      copyFileSync(path, sound)
      const { probe } = await trial.observe(name, service, home, async () => {
        strike(path)
        await Bun.sleep(hold)
        const recovered = await served(service, home.digests, RECOVERED_MILLISECONDS)
        trial.require(
          recovered !== undefined,
          `${name}: no sound release was served within ${RECOVERED_MILLISECONDS / 1_000} s`,
        )
        const ready = await trial.admin(service, '/readyz')
        trial.fact(
          `${name}: served ${(await releaseOf(service.url)) === home.digests[0] ? 'the current release' : 'the release before'}${ready === undefined ? '' : `; /readyz responded ${ready.status}: ${ready.text.trim().slice(0, 200)}`}`,
        )
        renameSync(sound, path)
        const mended = await served(service, [home.digests[0]], MENDED_MILLISECONDS)
        trial.require(
          mended !== undefined,
          `${name}: mended, but the current release was not served within ${MENDED_MILLISECONDS / 1_000} s`,
        )
        if (mended !== undefined)
          trial.fact(`${name}: the current release was served ${Math.round(mended)} ms after it was mended`)
      })
      const wrong = probe.reasons['a response of neither release'] ?? 0
      trial.require(wrong === 0, `${name}: ${wrong} pages were of no sound release`)
      await service[Symbol.asyncDispose]()
      rmSync(home.path, { recursive: true, force: true })
    }
  },
}
