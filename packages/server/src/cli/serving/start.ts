// The start of a service, step by step: operators, home, shelf, first release, processes, and then until it is stopped.
import { programCommand } from '../../base/program.ts'
import type { ShelfAddress } from '../../distribution/postgres/address.ts'
import type { ShelfFollower } from '../../distribution/postgres/follower.ts'
import { type Admin, startAdmin } from '../../http/observation/admin.ts'
import { COLLECTOR_OPTIONS, startWorkers, type Workers } from '../../http/processes/workers.ts'
import { notScrubbed, Scrub } from '../../release/home/scrub.ts'
import type { Servable } from '../../release/home/servable.ts'
import { Shelf } from '../../release/home/shelf.ts'
import { homeOf } from '../flags/home-flag.ts'
import { loginOf } from '../flags/shelf-flags.ts'
import { countsOf } from '../terminal/counts.ts'
import { onReopenSignal, untilStopped } from '../terminal/signals.ts'
import type { Context } from './context.ts'
import { firstFollowed, firstServable } from './first-release.ts'
import { inheritedDescriptors, type Serving, startServing } from './process.ts'

/** The parts of a running service; until it serves, there are none. */
type Service = { workers?: Workers; serving?: Serving; scrub?: Scrub; follower?: ShelfFollower; stopping: boolean }

export async function start(context: Context): Promise<number> {
  const { values, log, terminal } = context
  const shares = process.platform === 'linux'
  // The launcher starts a server with them; any other way, a worker gets them from its supervisor.
  const hasOptions = Object.keys(COLLECTOR_OPTIONS).every((name) => process.env[name] !== undefined)
  const supervises = shares && (values.workers > 1 || !hasOptions)
  const service: Service = { stopping: false }
  onReopenSignal(() => {
    service.workers?.reopen()
    service.serving?.reopen()
  })
  await using _admin = adminOf(context, service, supervises)
  const shelf = new Shelf(homeOf(values.home), values['require-signature'])
  await using follower =
    values.shelf === undefined ? undefined : await followerOf(context, service, shelf, values.shelf)
  const first = await (follower === undefined ? firstServable(shelf, context) : firstFollowed(shelf, context, follower))
  if (values.workers > 1 && !shares)
    log({ level: 'warn', event: 'single-process', message: 'This platform cannot share a port: one process serves.' })
  const { reason, release } = first
  const { digest } = release
  const announcement = `Serving release ${digest.slice(0, 12)} on`
  const counts = countsOf(release)
  using scrub = scrubOf(context, service, shelf)
  // Parameters of async functions live as long as they run, and a release must not: others take its place.
  const url = supervises
    ? await supervise(context, service, reason === undefined ? undefined : digest)
    : serveAlone(context, service, shelf, first)
  // Whoever reads that it serves may tell it to stop at once.
  const stopped = untilStopped({
    stop: async () => {
      service.stopping = true
      await (service.workers?.stop() ?? service.serving?.stop(values['drain-timeout'] * 1_000))
    },
    now: () => service.workers?.kill(),
    restart: () => service.workers?.restart(),
  })
  terminal.out(`${announcement} ${url}: ${counts}\n`)
  follower?.wake()
  if (values.scrub !== 'off') scrub.start(values.scrub)
  await stopped
  return 0
}

function adminOf({ values: { admin }, log }: Context, service: Service, supervises: boolean): Admin | undefined {
  if (admin === undefined) return undefined
  const started = startAdmin({
    ...admin,
    supervises,
    reports: async () =>
      service.workers?.reports() ?? (service.serving === undefined ? [] : [service.serving.report()]),
    restarts: () => service.workers?.restarts ?? 0,
    stopping: () => service.stopping,
    shelf: () => service.follower?.status,
  })
  log({ level: 'info', event: 'admin-listening', message: `Operators are served on ${started.url}`, url: started.url })
  return started
}

/** Follows the shelf as long as the service runs; made before the first release, which it may bring. */
async function followerOf(
  { values, log }: Context,
  service: Service,
  shelf: Shelf,
  address: ShelfAddress,
): Promise<ShelfFollower> {
  const { ShelfFollower } = await import('../../distribution/postgres/follower.ts')
  service.follower = new ShelfFollower({
    ...loginOf(address, values),
    shelf,
    log,
    served: () => service.workers?.served ?? service.serving?.report().status.release,
    damaged: () => Object.keys(service.scrub?.state.damage ?? {}),
    onTrouble: (trouble) => {
      service.workers?.tell({ shelf: trouble ?? null })
      service.serving?.onShelf(trouble)
    },
  })
  return service.follower
}

function scrubOf({ log }: Context, service: Service, shelf: Shelf): Scrub {
  service.scrub = new Scrub({
    shelf,
    log,
    onChange: (scrub) => {
      service.workers?.tell({ scrub })
      service.serving?.onScrub(scrub)
      service.follower?.wake()
    },
  })
  return service.scrub
}

/** Serves in this process. */
function serveAlone({ values, log }: Context, service: Service, shelf: Shelf, first: Servable): string {
  const known = { scrub: notScrubbed, shelf: service.follower?.status.trouble }
  service.serving = startServing({ values, log, shelf, first, known, shared: false })
  return service.serving.url
}

/** Serves in workers. Where they begin with another release than the current one, they are told which. */
async function supervise({ values, log }: Context, service: Service, instead: string | undefined): Promise<string> {
  service.workers = await startWorkers({
    count: values.workers,
    listening: { host: values.host, port: values.port },
    command: (port) => [...programCommand, ...withPort(process.argv.slice(2), port)],
    drainMilliseconds: values['drain-timeout'] * 1_000,
    log,
    known: (served) => ({
      scrub: service.scrub?.state ?? notScrubbed,
      served: served ?? instead,
      shelf: service.follower?.status.trouble,
    }),
    unset: SHELF_VARIABLES,
    onCrash: async () => service.scrub?.verifyCurrent(),
    inherited: inheritedDescriptors(values, log),
  })
  return service.workers.url
}

const NOT_FOR_WORKERS = /^--(?:port|shelf|shelf-password-file)(?<value>=|$)/
/** Workers serve what is in the home, and need no way into the shelf. */
const SHELF_VARIABLES = ['NOMENCLATOR_SHELF', 'NOMENCLATOR_SHELF_PASSWORD_FILE', 'PGPASSWORD', 'PGPASSFILE']

/** The arguments of a worker: those of its supervisor, with the port that was found. */
function withPort(arguments_: readonly string[], port: number): string[] {
  const isLeftOut = (word: string | undefined) => NOT_FOR_WORKERS.exec(word ?? '')
  const others = arguments_.filter(
    (word, position) => isLeftOut(word) === null && isLeftOut(arguments_[position - 1])?.groups?.value !== '',
  )
  return [...others, `--port=${port}`]
}
