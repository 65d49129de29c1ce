// nomenclator serve: responds from the current release until it is stopped.
import { availableParallelism } from 'node:os'
import { createApp } from '../http/app.ts'
import { serve } from '../http/serve.ts'
import { reportClosed, reportReady, SUPERVISOR_VARIABLE, startWorkers } from '../http/workers.ts'
import { programCommand } from '../program.ts'
import type { Release } from '../release/release.ts'
import { followCurrent } from '../release/shelf/follow.ts'
import { Shelf } from '../release/shelf/shelf.ts'
import { isOutdated } from '../release/shelf/upgrade.ts'
import { command, type Terminal } from './command.ts'
import { countsOf } from './counts.ts'
import { text, type ValuesOf, type Wrong, wholeNumber } from './flags.ts'
import { home, homeOf } from './home-flag.ts'
import { addresses, baseUrl } from './serve-values.ts'
import { untilStopped } from './signals.ts'

export const serveFlags = {
  host: { value: 'ADDRESS', env: 'HOST', description: 'address to listen on', defaultValue: '127.0.0.1', parse: text },
  port: {
    value: 'PORT',
    env: 'PORT',
    description: 'port to listen on, 0 for a free one',
    defaultValue: '8080',
    parse: wholeNumber(0, 65_535),
  },
  'base-url': {
    value: 'URL',
    env: 'BASE_URL',
    description: 'address to use in links; else that of the request',
    parse: baseUrl,
  },
  'trust-proxy': {
    value: 'LIST',
    env: 'TRUST_PROXY',
    description: 'believe X-Forwarded-Host and X-Forwarded-Proto from these addresses, such as 10.0.0.0/8,::1',
    parse: addresses,
  },
  workers: {
    value: 'N',
    env: 'WORKERS',
    description: 'processes that share the port, or auto for one a core',
    defaultValue: 'auto',
    parse: workerCount,
  },
  'drain-timeout': {
    value: 'SECONDS',
    env: 'DRAIN_TIMEOUT',
    description: 'how long requests in flight may take to finish at a stop',
    defaultValue: '10',
    parse: wholeNumber(0, 3_600),
  },
  home,
} as const

type Values = ValuesOf<typeof serveFlags>

const WAIT_SECONDS = 60

export const serveCommand = command({
  name: 'serve',
  description: 'Serve the current release; without one, build the bundled data first. SIGHUP restarts the workers.',
  flags: serveFlags,
  examples: ['serve', 'serve --port 0 --workers 1', 'serve --host 0.0.0.0 --base-url https://catalogs.example.org'],
  run: async ({ values, terminal, env }) => {
    if (env[SUPERVISOR_VARIABLE] !== undefined) return work(values, terminal)
    const shelf = new Shelf(homeOf(values.home))
    const release = await currentRelease(shelf, terminal)
    const shares = process.platform === 'linux'
    if (values.workers > 1 && !shares) terminal.err('This platform cannot share a port: one process serves.\n')
    if (values.workers > 1 && shares) return supervise(values, release, terminal)
    const server = listen(values, shelf, release, terminal, false)
    // Whoever reads that it serves may tell it to stop at once.
    const stopped = untilStopped({ stop: () => server.stop(values['drain-timeout'] * 1_000) })
    announce(server.url, release, terminal)
    await stopped
    return 0
  },
})

function workerCount(value: string): number | Wrong {
  if (value === 'auto') return availableParallelism()
  const count = wholeNumber(1, 256)(value)
  return typeof count === 'number' ? count : { allowed: `auto, or ${count.allowed}` }
}

function announce(url: string, release: Release, terminal: Terminal): void {
  terminal.out(`Serving release ${release.digest.slice(0, 12)} on ${url}: ${countsOf(release)}\n`)
}

function listen(values: Values, shelf: Shelf, first: Release, terminal: Terminal, shared: boolean) {
  const following = followCurrent(shelf, first, {
    onSwap: ({ manifest }) => terminal.out(`Serving release ${manifest.digest.slice(0, 12)} from now on.\n`),
    onRefused: (reason) => terminal.err(`Not swapped, the release before goes on being served: ${reason}\n`),
  })
  const app = createApp({
    release: following.release,
    shelf,
    policy: { baseUrl: values['base-url'], trustedProxies: values['trust-proxy'] },
    logError: (error, { method, path }) => terminal.err(`${method} ${path} failed: ${Bun.inspect(error)}\n`),
  })
  return serve(app, { host: values.host, port: values.port, shared })
}

async function supervise(values: Values, release: Release, terminal: Terminal): Promise<number> {
  const arguments_ = process.argv.slice(2)
  const workers = await startWorkers({
    count: values.workers,
    listening: { host: values.host, port: values.port },
    command: (port) => [...programCommand, ...withPort(arguments_, port)],
    drainMilliseconds: values['drain-timeout'] * 1_000,
    log: terminal.err,
  })
  const stopped = untilStopped({
    stop: () => workers.stop(),
    now: () => workers.kill(),
    restart: () => workers.restart(),
  })
  announce(workers.url, release, terminal)
  await stopped
  return 0
}

/** A worker gets the arguments of its supervisor, with the port that was found. */
function withPort(arguments_: readonly string[], port: number): string[] {
  const others = arguments_.filter(
    (word, position) => !/^--port(?:=|$)/.test(word) && arguments_[position - 1] !== '--port',
  )
  return [...others, `--port=${port}`]
}

async function work(values: Values, terminal: Terminal): Promise<number> {
  const shelf = new Shelf(homeOf(values.home))
  const release = await currentRelease(shelf, terminal)
  const server = listen(values, shelf, release, terminal, true)
  const stop = () => server.stop(values['drain-timeout'] * 1_000, reportClosed)
  const stopped = untilStopped({ stop, supervised: true })
  reportReady(server.port)
  await stopped
  return 0
}

/** A home that an earlier version made is brought up, so that an upgrade of the program is no more than a restart. */
async function upgradeIfOutdated(shelf: Shelf, terminal: Terminal): Promise<void> {
  if (!isOutdated(shelf)) return
  const { lockFor } = await import('./locking.ts')
  using _lock = await lockFor(shelf, 'serve', WAIT_SECONDS, terminal)
}

async function currentRelease(shelf: Shelf, terminal: Terminal): Promise<Release> {
  await upgradeIfOutdated(shelf, terminal)
  const current = shelf.openCurrent()
  if (current !== undefined) return current
  const { firstRelease } = await import('./first-release.ts')
  return firstRelease(shelf, terminal)
}
