// nomenclator doctor: checks the machine and the home of a service, and prints what to change.
import { accessSync, constants, existsSync, type Stats, statfsSync, statSync } from 'node:fs'
import { totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { V2_PATH } from '../../base/api-v2.ts'
import { net } from '../../base/built-ins.ts'
import { messageOf, OperationalError } from '../../base/operational-error.ts'
import { describeAddress, withoutPassword } from '../../distribution/postgres/address.ts'
import { readSite, SITE_FILE } from '../../explorer/site.ts'
import { OPENAPI_PATH } from '../../http/routes.ts'
import { cacheIn, damagedFiles } from '../../http/v2/cache-directory.ts'
import { urlOf } from '../../http/wire/server.ts'
import { contradictionsIn } from '../../release/guard.ts'
import { isOutdated, refusedFormats } from '../../release/home/other-formats.ts'
import { ReleaseStore } from '../../release/home/release-store.ts'
import { releaseVerifier } from '../../release/home/verify.ts'
import { sizeOf } from '../../release/manifest.ts'
import { columns, command } from '../command.ts'
import { type Environment, type ValuesOf, yes } from '../flags/flags.ts'
import { homeFault, homePath } from '../flags/home-flag.ts'
import { jsonFlag, jsonText } from '../flags/json-flag.ts'
import { contentOf } from '../flags/key-flags.ts'
import { serveFlags } from '../flags/serve-flags.ts'
import { homeFlags, openerOf, type SharedShelf } from '../flags/shelf-flags.ts'
import { fetchDirectly } from '../serving/fetch-directly.ts'

type Status = 'ok' | 'warn' | 'fail'
/** The result of a check; a warning or a failure says what to change. */
type Finding = { readonly status: Status; readonly found: string; readonly change?: string }
type Check = Finding & { readonly check: string }

const ok = (found: string): Finding => ({ status: 'ok', found })
const warn = (found: string, change: string): Finding => ({ status: 'warn', found, change })
const fail = (found: string, change: string): Finding => ({ status: 'fail', found, change })

const { host, port, workers } = serveFlags
const flags = {
  deep: { description: 'also read every file of all releases and check its digest', parse: yes },
  ...jsonFlag('the findings'),
  host,
  port,
  'base-url': serveFlags['base-url'],
  'trust-proxy': serveFlags['trust-proxy'],
  workers,
  cache: serveFlags.cache,
  ...homeFlags,
} as const

type Values = ValuesOf<typeof flags>

export const doctor = command({
  name: 'doctor',
  summary: 'Check the machine and the home, and say what to change',
  description:
    'It checks descriptors, memory, disk, clock, permissions, port, proxies, shelf and home. Give it the flags and variables of serve. The exit code is 1 if something has to be changed.',
  flags,
  examples: ['doctor', 'doctor --home /var/lib/nomenclator --deep', 'doctor --json'],
  run: async ({ values, env, terminal }) => {
    const store = new ReleaseStore(homePath(values.home))
    const fault = homeFault(store.home)
    const findings: Readonly<Record<string, Finding | false>> = {
      descriptors: descriptors(),
      memory: memory(values.workers),
      disk: fault === undefined && disk(store),
      clock: fault === undefined && clock(store, new Date()),
      permissions: fault === undefined ? permissions(store.home) : noHome(store.home, fault),
      port: await listening(values),
      proxies: proxies(values, env),
      shelf: values.shelf !== undefined && (await sharedShelf(values.shelf, values)),
      home: fault === undefined && (await releases(store, values.deep)),
      site: fault === undefined && site(store.home),
      cache: values.deep && (await cache(values.cache ?? cacheIn(store.home))),
    }
    const checks: Check[] = Object.entries(findings).flatMap(([check, one]) => (one ? [{ check, ...one }] : []))
    const failed = checks.some(({ status }) => status === 'fail')
    terminal.out(values.json ? jsonText({ ok: !failed, home: store.home, checks }) : report(checks))
    return failed ? 1 : 0
  },
})

/** Checks the name, colours and logo that the home gives to its pages, if any. */
function site(home: string): Finding | false {
  try {
    const found = readSite(home)
    return found !== undefined && ok(`the pages are those of ${found.name}, by ${join(home, SITE_FILE)}`)
  } catch (error) {
    return fail(messageOf(error), 'serve does not start with it: docs/explorer.md has its members')
  }
}

function report(checks: readonly Check[]): string {
  const count = (wanted: Status) => checks.filter(({ status }) => status === wanted).length
  const rows = checks.flatMap(({ check, status, found, change }) => [
    [`${status.padEnd(4)}  ${check}`, found] as const,
    ...(change === undefined ? [] : [['', `→ ${change}`] as const]),
  ])
  return `${columns(rows)}\n\n${count('ok')} ok, ${count('warn')} to look at, ${count('fail')} to mend.\n`
}

const FEW_DESCRIPTORS = 128
const MANY_DESCRIPTORS = 1_024

/** Each connection needs a descriptor, and so does each file that is open. */
export function descriptors(limits = readOrEmpty('/proc/self/limits')): Finding {
  const [, soft = ''] = limits.match(/^Max open files\s+(\S+)/m) ?? []
  const limit = soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft)
  if (soft === '' || Number.isNaN(limit)) return ok('this system does not show the limit')
  const found = `${limit === Number.POSITIVE_INFINITY ? 'any number of' : limit.toLocaleString('en')} open files a process`
  const change = 'raise it with ulimit -n 65536, LimitNOFILE=65536 of systemd, or ulimits of the container'
  if (limit < FEW_DESCRIPTORS) return fail(found, change)
  return limit < MANY_DESCRIPTORS ? warn(`${found}: few connections at a time`, change) : ok(found)
}

const MEGABYTE = 1e6
const WORKER_BYTES = 100 * MEGABYTE
const BASE_BYTES = 100 * MEGABYTE
const megabytes = (bytes: number) => `${Math.round(bytes / MEGABYTE).toLocaleString('en')} MB`

type MemoryFiles = { readonly meminfo: string; readonly limits: readonly string[] }

/** Checks the memory that the machine, or the control group of this process, has available. */
export function memory(workerCount: number, { meminfo, limits }: MemoryFiles = memoryFiles()): Finding {
  const [, kilobytes] = meminfo.match(/^MemAvailable:\s+([0-9]+) kB$/m) ?? []
  const available = kilobytes === undefined ? totalmem() : Number(kilobytes) * 1_024
  const limit = Math.min(...limits.map((text) => (/^[0-9]+\s*$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY)))
  const bytes = Math.min(available, limit)
  const needed = BASE_BYTES + workerCount * WORKER_BYTES
  const whose = limit < available ? 'the limit of this control group' : 'available'
  const found = `${megabytes(bytes)} ${whose}; ${workerCount} workers may need ${megabytes(needed)}`
  if (bytes >= needed) return ok(found)
  const change = `give it more, or run ${Math.max(1, Math.floor((bytes - BASE_BYTES) / WORKER_BYTES))} with --workers`
  return bytes < BASE_BYTES + WORKER_BYTES ? fail(found, 'give it more memory') : warn(found, change)
}

/** Control groups of version 2 have one file at each level; those of version 1 have another. */
function memoryFiles(): MemoryFiles {
  const group = readOrEmpty('/proc/self/cgroup')
  const [, path = '/'] = group.match(/^0::(.*)$/m) ?? []
  const levels = path.split('/').map((_, position, parts) => parts.slice(0, position + 1).join('/'))
  const [, oldPath = ''] = group.match(/^[0-9]+:(?:[^:]*,)?memory(?:,[^:]*)?:(.*)$/m) ?? []
  return {
    meminfo: readOrEmpty('/proc/meminfo'),
    limits: [
      ...levels.map((level) => readOrEmpty(join('/sys/fs/cgroup', level, 'memory.max'))),
      ...['', oldPath].map((level) => readOrEmpty(join('/sys/fs/cgroup/memory', level, 'memory.limit_in_bytes'))),
    ],
  }
}

const FULL_BYTES = 50 * MEGABYTE
const ROOM_BYTES = 500 * MEGABYTE
const FEW_FILES = 1_000

function disk(store: ReleaseStore): Finding {
  const there = nearestThere(store.home)
  const { bavail, bsize, ffree, files } = statfsSync(there)
  const free = bavail * bsize
  const current = currentManifest(store)
  // An import writes a whole release before it removes anything.
  const needed = Math.max(ROOM_BYTES, current === undefined ? 0 : 2 * sizeOf(current))
  const found = `${megabytes(free)} free at ${there}; an import may need ${megabytes(needed)}`
  const change = 'make room, for example with nomenclator releases prune, or give another --home'
  if (free < FULL_BYTES) return fail(found, change)
  // A file system that does not count its files says 0 of 0.
  if (files > 0 && ffree < FEW_FILES) return warn(`only ${ffree} more files fit at ${there}`, change)
  return free < needed ? warn(found, change) : ok(found)
}

const DAY_MILLISECONDS = 86_400_000
/** No clock that runs right shows a time before this version was written. */
const EARLIEST = Date.parse('2026-01-01T00:00:00Z')

export function clock(store: ReleaseStore, now: Date): Finding {
  const found = `it is ${now.toISOString().slice(0, 19).replace('T', ' ')} UTC`
  const change = 'set the clock, for example with timedatectl set-ntp true; Date, Last-Modified and caches depend on it'
  if (now.getTime() < EARLIEST) return fail(`${found}, which cannot be`, change)
  const built = currentManifest(store)?.built
  const ahead = built === undefined ? 0 : Date.parse(built) - now.getTime()
  if (ahead <= 0) return ok(found)
  return (ahead > DAY_MILLISECONDS ? fail : warn)(`${found}, but the current release was built ${built}`, change)
}

/** The only finding on a path that cannot be a home. */
function noHome(path: string, fault: string): Finding {
  const [wrong = '', change = ''] = fault.split('; ')
  return fail(`the home ${path} ${wrong}`, `${change}, or give another directory with --home`)
}

const OTHERS_MAY_WRITE = 0o002

function permissions(path: string): Finding {
  const stats = statSync(path, { throwIfNoEntry: false })
  const user = process.getuid?.() ?? 0
  if (stats === undefined) {
    const parent = nearestThere(path)
    return may(parent, constants.W_OK | constants.X_OK)
      ? ok(`${path} does not exist yet and can be created`)
      : fail(`${path} does not exist, and user ${user} may not create it`, `create it, and give it to user ${user}`)
  }
  return usable(path, stats, user)
}

function usable(path: string, stats: Stats, user: number): Finding {
  if (user === 0 && stats.uid !== 0)
    return warn(
      `${path} belongs to user ${stats.uid}, and this is root: a service of that user could not replace what root writes`,
      `run commands that change the home as its owner, for example with setpriv --reuid=${stats.uid} or sudo -u`,
    )
  if ((stats.mode & OTHERS_MAY_WRITE) !== 0)
    return warn(`every user may write to ${path}`, `take the right away: chmod o-w ${path}`)
  if (!may(path, constants.W_OK))
    return warn(
      `user ${user} may read ${path} but not write to it: it can serve, but not import`,
      `run imports as user ${stats.uid}, who owns it`,
    )
  return ok(`user ${user} may read and write ${path}`)
}

async function listening({ host, port }: Values): Promise<Finding> {
  if (port === 0) return ok('any free port')
  const code = await bindError(host, port)
  const where = `port ${port} on ${host}`
  if (code === undefined) return ok(`${where} is free`)
  if (code === 'EADDRINUSE')
    return (await isOurs(host, port))
      ? ok(`Nomenclator serves ${where} already`)
      : fail(`${where} is used by another program`, 'choose another with --port or PORT, or stop that program')
  if (code === 'EACCES')
    return fail(
      `this user may not listen on ${where}`,
      'choose a port from 1024 on, or give CAP_NET_BIND_SERVICE (AmbientCapabilities= of systemd)',
    )
  return fail(`cannot listen on ${where} (${code})`, 'give an address of this machine with --host or HOST')
}

function bindError(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = net().createServer()
    server.once('error', (error) => resolve('code' in error ? String(error.code) : error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}

const RESPONSE_MILLISECONDS = 3_000

/** True if the program that listens there is this one. */
async function isOurs(host: string, port: number): Promise<boolean> {
  const near = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
  try {
    const { status, body } = await fetchDirectly(`${urlOf(near, port)}${V2_PATH}`, RESPONSE_MILLISECONDS)
    return status === 200 && body.includes(`${OPENAPI_PATH}"`)
  } catch {
    return false
  }
}

const LOOPBACK = /^(?:127\.|::1$|localhost$)/

function proxies(values: Values, env: Environment): Finding {
  const set = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].filter((name) => env[name])
  const wrong = set.filter((name) => !/^https?:\/\//.test(env[name] ?? '') || !URL.canParse(env[name] ?? ''))
  if (wrong.length > 0)
    return fail(
      `${wrong.map((name) => `${name} is ${JSON.stringify(env[name])}`).join(', ')}, which is no http address`,
      'give it as http://proxy.example.org:3128, or unset it',
    )
  const [trusted, base] = [values['trust-proxy'], values['base-url']]
  if (trusted?.check('203.0.113.1') === true)
    return warn(
      'every address is trusted as a proxy: any client can choose the links of its responses',
      'name only your proxies with --trust-proxy, such as 10.0.0.5',
    )
  if (!LOOPBACK.test(values.host) && base === undefined && trusted === undefined)
    return warn(
      'it listens on a public address, and links are made from the Host of each request',
      'give --base-url https://catalogs.example.org, or --trust-proxy with the address of the proxy in front',
    )
  const links = base === undefined ? (trusted === undefined ? 'the Host of a request' : 'what the proxy names') : base
  const imports = set.length === 0 ? 'imports connect directly' : `imports go through ${set.join(' and ')}`
  return ok(`links begin with ${links}; ${imports}`)
}

/** Checks that the shelf can be reached, has the tables of this version, and is reached safely. */
async function sharedShelf(address: SharedShelf, values: Values): Promise<Finding> {
  try {
    const open = await openerOf(address, values)
    await using shelf = await open('doctor', () => {})
    const { compareStates, readFollowed } = await import('../../distribution/shelf/pointer.ts')
    const { trouble } = compareStates(await shelf.pointers('doctor'), readFollowed(homePath(values.home)))
    if (trouble !== undefined) return fail(trouble.message, 'see docs/scaling.md#two-primaries')
    if ('urls' in address) return httpShelf(address.urls)
    const found = `${describeAddress(address)} has a shelf of this version`
    const isNear = address.hosts.every((one) => one.host.startsWith('/') || LOOPBACK.test(one.host))
    if (!isNear && address.ssl.mode !== 'verify-full')
      return warn(
        `${found}, but another machine on the way could pretend to be it`,
        'give sslmode=verify-full and sslrootcert in --shelf',
      )
    if (process.argv.some((word) => word.startsWith('postgres') && withoutPassword(word) !== word))
      return warn(
        `${found}, but its password is on the command line`,
        'put it into NOMENCLATOR_SHELF, PGPASSWORD or a file',
      )
    return ok(found)
  } catch (error) {
    return fail(messageOf(error), 'see docs/scaling.md; until then the home is served as it is')
  }
}

function httpShelf(urls: readonly string[]): Finding {
  const found = `${urls.join(', ')} has a shelf`
  const isOpen = urls.some((url) => url.startsWith('http:') && !LOOPBACK.test(new URL(url).hostname))
  return isOpen
    ? warn(
        `${found}, but another machine on the way could change it`,
        'give https:// in --shelf, or serve with --require-signature',
      )
    : ok(found)
}

async function releases(store: ReleaseStore, deep: boolean): Promise<Finding> {
  try {
    const [refused] = refusedFormats(store)
    if (refused !== undefined) return fail(refused.message, 'run that version of the program, or give another --home')
    if (isOutdated(store))
      return warn(
        'an earlier version wrote it: serve and every import upgrade it, and that version cannot read it afterwards',
        'copy the home, then run nomenclator upgrade',
      )
    const digest = store.currentDigest()
    if (digest === undefined) return ok('no release yet: serve builds one from the bundled data')
    store.loadIdRegistry()
    const current = store.read(digest)
    const digests = store.digests()
    const verify = releaseVerifier(store)
    const damaged: string[] = []
    for (const one of digests) {
      const manifest = store.manifestOrReason(one)
      const wrong = deep ? await verify(one) : 'unreadable' in manifest ? [manifest.unreadable] : []
      if (wrong.length > 0) damaged.push(`${one.slice(0, 12)}: ${wrong.join(' ')}`)
    }
    const found = `release ${digest.slice(0, 12)} is current, ${digests.length} on disk`
    const change = 'import its source again to replace it, or remove it with nomenclator releases prune'
    if (damaged.length > 0) return fail(damaged.join('\n'), change)
    const contradictions = contradictionsIn(current)
    if (contradictions.length > 0)
      return fail(
        `release ${digest.slice(0, 12)} is current, and has records in the wrong place: ${contradictions.join('\n')}`,
        'import these collections again, together with those that they refer to',
      )
    return ok(`${found}, ${deep ? 'every byte as it was written' : 'all files there with their sizes'}`)
  } catch (error) {
    if (!(error instanceof OperationalError))
      return fail(`it cannot be read: ${messageOf(error)}`, 'see the check of permissions')
    return fail(error.message, 'see docs/run.md, or run nomenclator releases')
  }
}

/** Checks what is kept once made; the service checks each file when it opens it. */
async function cache(directory: string): Promise<Finding> {
  const damaged = await damagedFiles(directory)
  return damaged.length === 0
    ? ok(`${directory}: every byte as it was written`)
    : warn(damaged.join('\n'), 'remove these files, which have other content than was written; they are made anew')
}

function currentManifest(store: ReleaseStore) {
  try {
    const digest = store.currentDigest()
    return digest === undefined ? undefined : store.read(digest).manifest
  } catch {
    // The check of the home reports it.
    return undefined
  }
}

/** The path, or its nearest parent that exists. */
function nearestThere(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestThere(dirname(path))
}

function may(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}

const readOrEmpty = (path: string): string => contentOf(path) ?? ''
