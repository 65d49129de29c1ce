// The start of a service, step by step: operators, home, shelf, first release, processes, and then until it is stopped.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { programCommand } from '../../base/program.ts'
import type { ShelfFollower } from '../../distribution/shelf/follower.ts'
import { readSite } from '../../explorer/site.ts'
import { MEGABYTE } from '../../http/limits/budget.ts'
import { type Admin, startAdmin } from '../../http/observation/admin.ts'
import { NO_FILE } from '../../http/processes/frames.ts'
import { Supervisor } from '../../http/processes/supervisor.ts'
import { cacheDirectory, removeDamaged } from '../../http/v2/cache-directory.ts'
import { ReleaseStore } from '../../release/home/release-store.ts'
import { notScrubbed, Scrub } from '../../release/home/scrub.ts'
import { homeOf } from '../flags/home-flag.ts'
import { trustOf } from '../flags/key-flags.ts'
import { openerOf, type SharedShelf } from '../flags/shelf-flags.ts'
import { countsOf } from '../terminal/counts.ts'
import { onReopenSignal, untilStopped } from '../terminal/signals.ts'
import type { Context } from './context.ts'
import { firstFollowed, firstRelease } from './first-release.ts'
import { inheritedDescriptors } from './process.ts'

/** The parts of a running service; until it serves, there are none. */
type Service = {
  pageWorkers?: Supervisor
  computeWorkers?: Supervisor
  scrub?: Scrub
  follower?: ShelfFollower
  stopping: boolean
}

export async function start(context: Context): Promise<number> {
  const { values, log, terminal } = context
  const service: Service = { stopping: false }
  onReopenSignal(() => service.pageWorkers?.reopen())
  await using _admin = adminOf(context, service)
  const store = new ReleaseStore(homeOf(values.home), trustOf(values))
  // What is wrong with it is told now, and not to the first reader of a page.
  readSite(store.home)
  await using follower =
    values.shelf === undefined ? undefined : await followerOf(context, service, store, values.shelf)
  await (follower === undefined ? firstRelease(store, context) : firstFollowed(store, context, follower))
  const count = process.platform === 'linux' ? values.workers : 1
  if (count < values.workers)
    log({ level: 'warn', event: 'single-process', message: 'This platform cannot share a port: one process serves.' })
  using scrub = scrubOf(context, service, store)
  using directory = privateDirectory()
  const pageWorkers = await supervise(context, service, count, directory?.path)
  // The announcement is read by programs that may stop the service at once.
  const stopped = untilStopped({
    stop: async () => {
      service.stopping = true
      await service.pageWorkers?.stop()
      await service.computeWorkers?.stop()
    },
    now: () => {
      service.pageWorkers?.kill()
      service.computeWorkers?.kill()
      directory?.[Symbol.dispose]()
    },
    restart: () => {
      service.computeWorkers?.restart()
      service.pageWorkers?.restart()
    },
  })
  terminal.out(announcement(store, pageWorkers))
  follower?.wake()
  if (values.scrub !== 'off') scrub.start(values.scrub)
  await stopped
  return 0
}

function adminOf({ values: { admin, 'ready-lag': maxLagSeconds }, log }: Context, service: Service): Admin | undefined {
  if (admin === undefined) return undefined
  const started = startAdmin({
    ...admin,
    reports: async () => service.pageWorkers?.reports() ?? [],
    computeWorkers: async () => service.computeWorkers?.reports() ?? [],
    restarts: () => (service.pageWorkers?.restarts ?? 0) + (service.computeWorkers?.restarts ?? 0),
    stopping: () => service.stopping,
    shelf: () => service.follower?.status,
    maxLagSeconds,
  })
  log({ level: 'info', event: 'admin-listening', message: `Operators are served on ${started.url}`, url: started.url })
  return started
}

/** Follows the shelf as long as the service runs; made before the first release, which it may bring. */
async function followerOf({ values, log }: Context, service: Service, store: ReleaseStore, shared: SharedShelf) {
  if (store.trust === undefined && 'urls' in shared && shared.urls.some((url) => url.startsWith('http:'))) {
    const message =
      'THE SHELF IS FOLLOWED WITHOUT TLS AND WITHOUT SIGNATURES: whoever is between can change what is served. ' +
      'Give https://, or the keys of the publisher with --require-signature.'
    log({ level: 'warn', event: 'shelf-unsigned', message })
  }
  const { ShelfFollower } = await import('../../distribution/shelf/follower.ts')
  service.follower = new ShelfFollower({
    open: await openerOf(shared, values),
    store,
    log,
    served: () => service.pageWorkers?.served,
    damaged: () => Object.keys(service.scrub?.state.damage ?? {}),
    onTrouble: (trouble) => {
      service.pageWorkers?.update({ shelf: trouble ?? null })
      service.computeWorkers?.update({ shelf: trouble ?? null })
    },
  })
  return service.follower
}

function scrubOf({ values, log }: Context, service: Service, store: ReleaseStore): Scrub {
  service.scrub = new Scrub({
    store,
    log,
    besides: async (sha256) => {
      const directory = cacheDirectory(store.home, values.cache)
      if (typeof directory === 'string') await removeDamaged(directory, log, sha256)
    },
    onChange: (scrub) => {
      service.pageWorkers?.update({ scrub })
      service.computeWorkers?.update({ scrub })
      service.follower?.wake()
    },
  })
  return service.scrub
}

const announcement = (store: ReleaseStore, { served = '', url }: Supervisor) =>
  `Serving release ${served.slice(0, 12)} on ${url}: ${countsOf(store.read(served))}\n`

/** Starts the page workers, and the compute workers when the first of these serves. */
async function supervise({ values, log }: Context, service: Service, count: number, directory: string | undefined) {
  const common = {
    count,
    listening: { host: values.host, port: values.port },
    command: (port: number) => [...programCommand, ...withPort(process.argv.slice(2), port)],
    drainMilliseconds: values['drain-timeout'] * 1_000,
    log,
    briefing: (served: string | undefined) => ({
      scrub: service.scrub?.state ?? notScrubbed,
      served,
      shelf: service.follower?.status.trouble,
      follows: service.follower !== undefined,
      computeSockets: service.computeWorkers?.sockets ?? [],
      directory,
    }),
    unset: SHELF_VARIABLES,
    onFailure: async () => service.scrub?.verifyCurrent(),
  }
  let sockets = 0
  const computeWorkers = new Supervisor({
    ...common,
    name: 'compute worker',
    findOnShelf: async (digest) => service.follower?.has(digest) ?? 'absent',
    socket: () => socketNamed(directory, `compute-${++sockets}`),
    onChange: () => service.pageWorkers?.update({ computeSockets: service.computeWorkers?.sockets ?? [] }),
    maxBytes: values['max-compute-mb'] * MEGABYTE,
  })
  const pageWorkers = new Supervisor({ ...common, inherited: inheritedDescriptors(values, log) })
  service.computeWorkers = computeWorkers
  service.pageWorkers = pageWorkers
  try {
    await pageWorkers.start(() => computeWorkers.start())
  } catch (error) {
    pageWorkers.kill()
    computeWorkers.kill()
    throw error
  }
  return pageWorkers
}

/** Makes a directory that the workers of this service share, and no one else may read; undefined where none can be made. */
function privateDirectory(): (Disposable & { readonly path: string }) | undefined {
  for (const parent of [process.env.XDG_RUNTIME_DIR ?? tmpdir(), tmpdir(), '/dev/shm']) {
    try {
      const path = mkdtempSync(join(parent, 'nomenclator-'))
      return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
    } catch {
      // The next one may do.
    }
  }
  return undefined
}

/** Returns a path for a socket. Linux has sockets outside of directories for where nothing can be written to; others may connect to them, and gain nothing by it. */
const socketNamed = (directory: string | undefined, name: string): string =>
  directory === undefined ? `${NO_FILE}nomenclator-${crypto.randomUUID()}-${name}` : join(directory, name)

const NOT_FOR_WORKERS = /^--(?:port|shelf|shelf-password-file)(?<value>=|$)/
/** Workers serve what is in the home, and need no way into the shelf. */
const SHELF_VARIABLES = ['NOMENCLATOR_SHELF', 'NOMENCLATOR_SHELF_PASSWORD_FILE', 'PGPASSWORD', 'PGPASSFILE']

/** Returns the arguments of a worker: those of its supervisor, with the port that was found. */
function withPort(arguments_: readonly string[], port: number): string[] {
  const isLeftOut = (word: string | undefined) => NOT_FOR_WORKERS.exec(word ?? '')
  const others = arguments_.filter(
    (word, position) => isLeftOut(word) === null && isLeftOut(arguments_[position - 1])?.groups?.value !== '',
  )
  return [...others, `--port=${port}`]
}
