// nomenclator serve: responds from the current release until it is stopped.
import { diskFailure, Failure } from '../../base/failure.ts'
import { createLog, type Log, logStyle } from '../../base/log.ts'
import { programCommand } from '../../base/program.ts'
import type { ShelfAddress } from '../../distribution/postgres/address.ts'
import type { ShelfFollower } from '../../distribution/postgres/follower.ts'
import { type Admin, startAdmin } from '../../http/observation/admin.ts'
import {
  COLLECTOR_OPTIONS,
  KNOWN_VARIABLE,
  type Known,
  SUPERVISOR_VARIABLE,
  SupervisorLink,
  startWorkers,
  type Workers,
} from '../../http/processes/workers.ts'
import { damageIn, notScrubbed, Scrub, type ScrubState } from '../../release/home/scrub.ts'
import { openServable, type Servable } from '../../release/home/servable.ts'
import { Shelf } from '../../release/home/shelf.ts'
import { isOutdated } from '../../release/home/upgrade.ts'
import { command, type Terminal } from '../command.ts'
import { homeOf } from '../flags/home-flag.ts'
import { type ServeValues, serveFlags } from '../flags/serve-flags.ts'
import { loginOf } from '../flags/shelf-flags.ts'
import { countsOf } from '../terminal/counts.ts'
import { onReopenSignal, untilStopped } from '../terminal/signals.ts'
import { inheritedDescriptors, type Serving, startServing } from './serving.ts'

const WAIT_SECONDS = 60

export const serveCommand = command({
  name: 'serve',
  description: 'Serve the current release; without one, build the bundled data first. SIGHUP restarts the workers.',
  flags: serveFlags,
  examples: ['serve', 'serve --port 0 --workers 1', 'serve --host 0.0.0.0 --base-url https://catalogs.example.org'],
  run: async ({ values, terminal, env }) => {
    const supervised = env[SUPERVISOR_VARIABLE] !== undefined
    // The supervisor reads the log of a worker, and writes it in its own style.
    const style = supervised ? 'json' : logStyle(values['log-format'], terminal.interactive, env.JOURNAL_STREAM)
    const log = createLog(style, terminal.err)
    const context = { values, log, terminal: style === 'text' ? terminal : loggingTerminal(terminal, log) }
    try {
      return await (supervised ? work(context, env[KNOWN_VARIABLE]) : start(context))
    } catch (error) {
      const failure = error instanceof Failure ? error : diskFailure(error)
      if (style === 'text' || failure === undefined) throw error
      log({ level: 'error', event: 'start-failed', message: `nomenclator: ${failure.message}` })
      return 1
    }
  },
})

type Context = { readonly values: ServeValues; readonly log: Log; readonly terminal: Terminal }

/** What other parts of the program print for people becomes events too. */
const loggingTerminal = (terminal: Terminal, log: Log): Terminal => ({
  ...terminal,
  err: (text) => {
    for (const message of text.trimEnd().split('\n')) log({ level: 'info', event: 'notice', message })
  },
})

/** What the listener for operators asks of this process; until it serves, there is nothing to report. */
type Operated = { workers?: Workers; serving?: Serving; scrub?: Scrub; follower?: ShelfFollower; stopping: boolean }

async function start(context: Context): Promise<number> {
  const { values, log } = context
  const shares = process.platform === 'linux'
  // The launcher starts a server with them; any other way, a worker gets them from its supervisor.
  const hasOptions = Object.keys(COLLECTOR_OPTIONS).every((name) => process.env[name] !== undefined)
  const supervises = shares && (values.workers > 1 || !hasOptions)
  const operated: Operated = { stopping: false }
  onReopenSignal(() => {
    operated.workers?.reopen()
    operated.serving?.reopen()
  })
  await using _admin = adminOf(context, operated, supervises)
  const shelf = new Shelf(homeOf(values.home), values['require-signature'])
  await using follower =
    values.shelf === undefined ? undefined : await followerOf(context, operated, shelf, values.shelf)
  const first = await (follower === undefined ? firstServable(shelf, context) : firstFollowed(shelf, context, follower))
  if (values.workers > 1 && !shares)
    log({ level: 'warn', event: 'single-process', message: 'This platform cannot share a port: one process serves.' })
  // Parameters of async functions live as long as they run, and a release must not: others take its place.
  const { reason, release } = first
  const announced: Announced = { digest: release.digest, counts: countsOf(release), reason }
  if (supervises) return await supervise(context, operated, shelf, announced)
  const known = { scrub: notScrubbed, shelf: follower?.status.trouble }
  const serving = startServing({ values, log, shelf, first, known, shared: false })
  return await serveAlone(context, operated, shelf, serving, announced)
}

/** The release that a service begins with, in words. */
type Announced = {
  readonly digest: string
  readonly counts: string
  /** Why it is not the current one. */
  readonly reason: Servable['reason']
}

function adminOf({ values: { admin }, log }: Context, operated: Operated, supervises: boolean): Admin | undefined {
  if (admin === undefined) return undefined
  const started = startAdmin({
    ...admin,
    supervises,
    reports: async () =>
      operated.workers?.reports() ?? (operated.serving === undefined ? [] : [operated.serving.report()]),
    restarts: () => operated.workers?.restarts ?? 0,
    stopping: () => operated.stopping,
    shelf: () => operated.follower?.status,
  })
  log({ level: 'info', event: 'admin-listening', message: `Operators are served on ${started.url}`, url: started.url })
  return started
}

async function serveAlone(
  { values, log, terminal }: Context,
  operated: Operated,
  shelf: Shelf,
  serving: Serving,
  announced: Announced,
): Promise<number> {
  operated.serving = serving
  const onChange = (state: ScrubState) => {
    serving.onScrub(state)
    operated.follower?.wake()
  }
  using scrub = new Scrub({ shelf, log, onChange })
  operated.scrub = scrub
  // Whoever reads that it serves may tell it to stop at once.
  const stopped = untilStopped({
    stop: () => {
      operated.stopping = true
      return serving.stop(values['drain-timeout'] * 1_000)
    },
  })
  announce(serving.url, announced, terminal)
  operated.follower?.wake()
  if (values.scrub !== 'off') scrub.start(values.scrub)
  await stopped
  return 0
}

async function supervise(
  { values, log, terminal }: Context,
  operated: Operated,
  shelf: Shelf,
  announced: Announced,
): Promise<number> {
  const { digest, reason } = announced
  const arguments_ = process.argv.slice(2)
  const onChange = (state: ScrubState) => {
    operated.workers?.tell({ scrub: state })
    operated.follower?.wake()
  }
  using scrub = new Scrub({ shelf, log, onChange })
  operated.scrub = scrub
  const workers = await startWorkers({
    count: values.workers,
    listening: { host: values.host, port: values.port },
    command: (port) => [...programCommand, ...withPort(arguments_, port)],
    drainMilliseconds: values['drain-timeout'] * 1_000,
    log,
    known: (served) => ({
      scrub: scrub.state,
      served: served ?? (reason === undefined ? undefined : digest),
      shelf: operated.follower?.status.trouble,
    }),
    unset: SHELF_VARIABLES,
    onCrash: () => scrub.verifyCurrent(),
    inherited: inheritedDescriptors(values, log),
  })
  operated.workers = workers
  const stopped = untilStopped({
    stop: () => {
      operated.stopping = true
      return workers.stop()
    },
    now: () => workers.kill(),
    restart: () => workers.restart(),
  })
  announce(workers.url, announced, terminal)
  operated.follower?.wake()
  if (values.scrub !== 'off') scrub.start(values.scrub)
  await stopped
  return 0
}

function announce(url: string, { digest, counts }: Announced, terminal: Terminal): void {
  terminal.out(`Serving release ${digest.slice(0, 12)} on ${url}: ${counts}\n`)
}

const NOT_FOR_WORKERS = /^--(?:port|shelf|shelf-password-file)(?<value>=|$)/
/** Workers serve what is in the home, and need no way into the shelf. */
const SHELF_VARIABLES = ['NOMENCLATOR_SHELF', 'NOMENCLATOR_SHELF_PASSWORD_FILE', 'PGPASSWORD', 'PGPASSFILE']

/** A worker gets the arguments of its supervisor, with the port that was found. */
function withPort(arguments_: readonly string[], port: number): string[] {
  const isLeftOut = (word: string | undefined) => NOT_FOR_WORKERS.exec(word ?? '')
  const others = arguments_.filter(
    (word, position) => isLeftOut(word) === null && isLeftOut(arguments_[position - 1])?.groups?.value !== '',
  )
  return [...others, `--port=${port}`]
}

/** A worker takes what it finds in the home and writes no release: only the first start may build one. */
async function work({ values, log }: Context, knownText: string | undefined): Promise<number> {
  const known: Known = knownText === undefined ? { scrub: notScrubbed } : JSON.parse(knownText)
  const shelf = new Shelf(homeOf(values.home), values['require-signature'])
  const first = openServable(shelf, { damage: damageIn(known.scrub), served: known.served })
  if (first === undefined)
    throw new Failure(`there is no release in ${shelf.home}: it is gone or empty. Mount it again, or restore it.`)
  const serving = startServing({ values, log, shelf, first, known, shared: true })
  const link = new SupervisorLink(serving)
  const stop = () => serving.stop(values['drain-timeout'] * 1_000, () => link.closed())
  const stopped = untilStopped({ stop, supervised: true })
  onReopenSignal(serving.reopen)
  link.ready(serving.port)
  await stopped
  return 0
}

/** A home that an earlier version made is brought up, so that an upgrade of the program is no more than a restart. */
async function upgradeIfOutdated(shelf: Shelf, terminal: Terminal): Promise<void> {
  if (!isOutdated(shelf)) return
  const { lockFor } = await import('./locking.ts')
  using _lock = await lockFor(shelf, 'serve', WAIT_SECONDS, terminal)
}

/** Follows the shelf as long as the service runs; started here, so that there is something to begin with. */
async function followerOf(
  { values, log }: Context,
  operated: Operated,
  shelf: Shelf,
  address: ShelfAddress,
): Promise<ShelfFollower> {
  const { ShelfFollower } = await import('../../distribution/postgres/follower.ts')
  const follower = new ShelfFollower({
    ...loginOf(address, values),
    shelf,
    log,
    served: () => operated.workers?.served ?? operated.serving?.report().status.release,
    damaged: () => Object.keys(operated.scrub?.state.damage ?? {}),
    onTrouble: (trouble) => {
      operated.workers?.tell({ shelf: trouble ?? null })
      operated.serving?.onShelf(trouble)
    },
  })
  operated.follower = follower
  return follower
}

/** How long a start waits for the shelf while there is something in the home to begin with. */
const SHELF_MILLISECONDS = 3_000
const WAITING_MILLISECONDS = 100

/** What a service begins with that follows a shelf: nothing is built, and an empty home waits for its first release. */
async function firstFollowed(shelf: Shelf, { log, terminal }: Context, follower: ShelfFollower): Promise<Servable> {
  await upgradeIfOutdated(shelf, terminal)
  follower.start()
  const failure = await Promise.race([follower.tried, Bun.sleep(SHELF_MILLISECONDS)])
  for (let waited = 0; ; waited++) {
    const servable = openServable(shelf)
    if (servable !== undefined) return servable
    const { ShelfRefused } = await import('../../distribution/postgres/shelf-failures.ts')
    if (failure instanceof ShelfRefused) throw failure
    if (waited === 0) {
      const message = `There is no release in ${shelf.home} yet: waiting for the first one from the shelf.`
      log({ level: 'warn', event: 'shelf-awaited', message })
    }
    await Bun.sleep(WAITING_MILLISECONDS)
  }
}

/** What a service begins with; in an empty home it is built from the bundled data. */
async function firstServable(shelf: Shelf, { values, terminal }: Context): Promise<Servable> {
  await upgradeIfOutdated(shelf, terminal)
  const servable = openServable(shelf)
  if (servable !== undefined) return servable
  if (values['require-signature'] !== undefined)
    throw new Failure(
      `there is no release in ${shelf.home}, and the bundled one would not be signed. Import and sign one with ` +
        'nomenclator import … --sign FILE, or take one over with nomenclator import mirror.',
    )
  if (values['no-bundled'])
    throw new Failure(
      `there is no release in ${shelf.home}, and with --no-bundled none is built. Mount the home, give another with ` +
        '--home, or make a release with nomenclator import; nomenclator import bundled builds the bundled one.',
    )
  const { firstRelease } = await import('./first-release.ts')
  return { release: await firstRelease(shelf, terminal) }
}
