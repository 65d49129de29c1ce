// Files of the current release that are damaged under the service, and mended again.
import { copyFileSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Service } from '../support/service.ts'
import { activate, type Campaign, type Home, hasFlag, releaseOf } from './trial.ts'

const ENTITY = 'localidad'
const RECOVERED_MILLISECONDS = 20_000
/** The background verification takes its time, since it may take but a hundredth of a core. */
const FOUND_MILLISECONDS = 600_000
const MENDED_MILLISECONDS = 60_000
/** Connections in a row that must lead to the same release. */
const SEEN_TIMES = 6
const GLANCE_MILLISECONDS = 50

type Damage = {
  readonly name: string
  /** The file that it is done to. */
  readonly file: (home: Home) => string
  readonly strike: (path: string) => void
  /** Only its content tells: it is done before the start, and found by the verification in the background. */
  readonly hidden?: boolean
}

function entityFile({ path, digests }: Home, file: string): string {
  const manifest = JSON.parse(readFileSync(join(path, 'releases', digests[0], 'manifest.json'), 'utf8')) as {
    readonly entities: Readonly<Record<string, { readonly digest: string }>>
  }
  return join(path, 'entities', manifest.entities[ENTITY]?.digest ?? '', file)
}

/** Of the same length, and no page is as it was. */
const overwrite = (path: string) => writeFileSync(path, Buffer.alloc(statSync(path).size, '#'))

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
  { name: 'records overwritten', file: (home) => entityFile(home, 'records'), strike: overwrite, hidden: true },
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
    'A file of the current release, or the file that names it, is damaged under the running service: truncated, overwritten or removed. A sound release must be served again within 20 seconds, the current one or the one before it, and every page must be one of a sound release. Records that were overwritten before the start, so that only their content tells, must be found by the verification in the background. When the file is mended, the current release must be served.',
  run: async (trial) => {
    const hold = trial.size({ full: 10_000, quick: 2_000 })
    const source = await trial.homes.large()
    const canVerify = await hasFlag('--scrub')
    for (const { name, file, strike, hidden = false } of DAMAGES) {
      if (hidden && !canVerify) continue
      const home = trial.homes.copyOf(source)
      activate(home.path, home.digests[0])
      const path = file(home)
      const sound = join(home.path, 'sound')
      copyFileSync(path, sound)
      if (hidden) strike(path)
      // A service in a test scrubs only where it is told to.
      const service = await trial.start(home, hidden ? { flags: ['--scrub', 'daily'] } : {})
      const { probe } = await trial.observe(name, service, home, async () => {
        if (!hidden) strike(path)
        await Bun.sleep(hold)
        const patience = hidden ? FOUND_MILLISECONDS : RECOVERED_MILLISECONDS
        const recovered = await served(service, hidden ? [home.digests[1]] : home.digests, patience)
        if (hidden) trial.fact(`${name}: found and left after ${Math.round((recovered ?? patience) / 1_000)} s`)
        trial.require(recovered !== undefined, `${name}: no sound release was served within ${patience / 1_000} s`)
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
      if (hidden) trial.fact(`${name}: ${wrong} pages were of no sound release until it was found`)
      else trial.require(wrong === 0, `${name}: ${wrong} pages were of no sound release`)
      await service[Symbol.asyncDispose]()
      rmSync(home.path, { recursive: true, force: true })
    }
  },
}
