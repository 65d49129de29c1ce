// The peers: servers given the same pages, which have to send the same responses as this service before they are measured.
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { v1PathOf } from '../packages/server/src/base/api-v1.ts'
import { v1Collections } from '../packages/server/src/catalog/collections.ts'
import { builtInCatalog } from '../packages/server/src/source/built-in.ts'
import { times } from '../packages/server/src/source/synthetic/random.ts'
import { loads, pathOf } from './load.ts'
import { openFilesAllowed, workPath } from './machine.ts'
import { BASE_URL, type Launch, PEERS, type Server } from './servers.ts'

/** Every page as this service sends it, for the peers to serve. */
export type Pages = {
  /** One file a page, named by its number. */
  readonly files: string
  /** The ETag and the Link of each page. */
  readonly etags: readonly string[]
  readonly links: readonly string[]
  readonly total: string
  readonly totalPages: number
  readonly lastModified: string
}

const COPIED_AT_ONCE = 64

export async function copyPages(ours: Server): Promise<Pages> {
  const files = dirname(workPath('pages', '1'))
  const { totalPages } = ours
  const { headers } = await ours.get(pathOf(1))
  const lastModified = headers.get('Last-Modified') ?? ''
  const [etags, links]: [string[], string[]] = [[], []]
  const copy = async (page: number) => {
    const response = await ours.get(pathOf(page))
    writeFileSync(join(files, String(page)), await response.bytes())
    // nginx sends the time of the file as Last-Modified.
    utimesSync(join(files, String(page)), new Date(lastModified), new Date(lastModified))
    etags[page - 1] = response.headers.get('ETag') ?? ''
    links[page - 1] = response.headers.get('Link') ?? ''
  }
  for (let page = 1; page <= totalPages; page += COPIED_AT_ONCE)
    await Promise.all(times(Math.min(COPIED_AT_ONCE, totalPages - page + 1), (at) => copy(page + at)))
  for (const { name } of otherCollections) await copyCollection(ours, v1PathOf({ name }), join(files, name))
  return { files, etags, links, total: headers.get('X-Total') ?? '', totalPages, lastModified }
}

/** Measured are the localities; a peer that has the other collections too is a whole server of the contract. */
const otherCollections = v1Collections(builtInCatalog).filter((one) => !pathOf(1).startsWith(v1PathOf(one)))

async function copyCollection(ours: Server, path: string, directory: string): Promise<void> {
  mkdirSync(directory, { recursive: true })
  for (let page = 1, pages = 1; page <= pages; page++) {
    const response = await ours.get(`${path}?format=api&page=${page}`)
    pages = Number(response.headers.get('X-Total-Pages'))
    writeFileSync(join(directory, String(page)), await response.bytes())
  }
}

export type Peer = {
  readonly name: string
  readonly description: string
  /** Undefined if it is not installed. */
  readonly version: () => string | undefined
  readonly prepare: (pages: Pages) => Launch
  /** Fails where the machine does not let it do its best. */
  readonly verifyLimits?: (server: Server) => void
}

/** The version that a program prints, on either stream. */
export function versionOf(program: string, ...words: readonly string[]): string | undefined {
  if (Bun.which(program) === null) return undefined
  const { stdout, stderr, success } = Bun.spawnSync([program, ...words])
  // wrk prints its version and fails.
  return success || program === 'wrk' ? `${stdout}${stderr}`.match(/[0-9]+\.[0-9][^[\n]*/)?.[0].trim() : undefined
}

/** Debian puts nginx where only root looks, and its packages for Python belong to Debian's own. */
const NGINX = Bun.which('nginx', { PATH: `${process.env.PATH}:/usr/sbin:/sbin` }) ?? 'nginx'
const PYTHON = '/usr/bin/python3'
const VERSIONS = `import django, gunicorn, platform, rest_framework
print(rest_framework.VERSION, 'on Django', django.__version__, 'and Python', platform.python_version(), end=', ')
print('gunicorn', gunicorn.__version__)`
const FASTIFY = join(import.meta.dir, 'node_modules', 'fastify', 'package.json')

/** Files that nginx opens besides the random pages: its logs, other pages, and files of its own. */
const OTHER_FILES = 200

const nginx: Peer = {
  name: 'nginx',
  description: 'nginx, every page a static file, its open files kept',
  version: () => versionOf(NGINX, '-v'),
  prepare: ({ links, ...pages }) => {
    const config = workPath('nginx', 'nginx.conf')
    const directory = dirname(config)
    // nginx cannot count, so the Link of each page stands in a map.
    writeFileSync(join(directory, 'links.map'), links.map((link, index) => `${index + 1} '${link}';\n`).join(''))
    const command = (port: number) => {
      const values: Readonly<Record<string, unknown>> = { ...pages, port, directory }
      const template = readFileSync(join(PEERS, 'nginx.conf'), 'utf8')
      writeFileSync(
        config,
        template.replaceAll(/@(\w+)@/g, (_, name: string) => String(values[name])),
      )
      return [NGINX, '-c', config, '-e', join(directory, 'error.log')]
    }
    return { name: 'nginx', command }
  },
  verifyLimits: ({ pid, totalPages }) => {
    const connections = Math.max(...Object.values(loads).map((load) => load.connections))
    const needed = new Set(loads.random.pages(totalPages)).size + connections + OTHER_FILES
    const allowed = openFilesAllowed(pid)
    // Without a descriptor left nginx responds with 500, closes the connection, and accepts no other.
    if (allowed < needed)
      throw new Error(
        `nginx may have ${allowed} files open and needs ${needed}: raise the limit, as by ulimit -n ${needed}`,
      )
  },
}

const fastify: Peer = {
  name: 'fastify',
  description: 'Fastify on Node, every page in memory',
  version: () =>
    existsSync(FASTIFY)
      ? `${JSON.parse(readFileSync(FASTIFY, 'utf8')).version} on Node ${versionOf('node', '--version')}`
      : undefined,
  prepare: (pages) => {
    const facts = workPath('fastify.json')
    writeFileSync(facts, JSON.stringify(pages))
    const command = (port: number) => ['node', 'fastify.js', String(port), facts, BASE_URL]
    return { name: 'fastify', command, env: { NODE_ENV: 'production' } }
  },
}

const drf: Peer = {
  name: 'drf',
  description: 'Django REST Framework over SQLite, under gunicorn',
  version: () => versionOf(PYTHON, '-c', VERSIONS),
  prepare: ({ files, totalPages, lastModified }) => {
    const env = {
      BENCH_DATABASE: workPath('drf', 'localities.sqlite3'),
      BENCH_BASE_URL: BASE_URL,
      BENCH_LAST_MODIFIED: lastModified,
      PYTHONPYCACHEPREFIX: workPath('drf', 'pycache'),
    }
    const fill = [PYTHON, 'drf.py', files, String(totalPages)]
    const { success, stderr } = Bun.spawnSync(fill, { cwd: PEERS, env: { ...process.env, ...env } })
    if (!success) throw new Error(`filling the database of Django failed:\n${stderr}`)
    // Threads are what lets gunicorn keep connections alive.
    const threads = ['--worker-class', 'gthread', '--threads', '4', '--keep-alive', '60']
    const gunicorn = [PYTHON, '-m', 'gunicorn', 'drf:application', ...threads]
    return { name: 'drf', command: (port) => [...gunicorn, '--bind', `127.0.0.1:${port}`], env }
  },
}

export const peers: readonly Peer[] = [nginx, fastify, drf]

/** Differences between the headers of responses that are let through; any other stops the benchmark. */
const ALLOWED: readonly { readonly server?: string; readonly status?: number; readonly headers: string }[] = [
  // The time goes on, some servers name themselves, and some announce that they keep the connection.
  { headers: 'date server connection keep-alive' },
  // nginx compares only a tag of its own, made of time and size; Django makes the tag from the MD5 of the response.
  { server: 'nginx', headers: 'etag' },
  { server: 'drf', headers: 'etag' },
  // In a 304 nginx leaves out the type, and Django all that caches do not need.
  { server: 'nginx', status: 304, headers: 'content-type' },
  {
    server: 'drf',
    status: 304,
    headers: 'content-type allow access-control-allow-origin access-control-expose-headers',
  },
  { server: 'drf', status: 304, headers: 'link x-page x-per-page x-total x-total-pages' },
]

export type Plain = { readonly status: number; readonly headers: Headers; readonly body: Uint8Array }

/** How the response of a peer differs from ours, apart from what is allowed. */
export function differencesOf(server: string, ours: Plain, theirs: Plain): string[] {
  if (ours.status !== theirs.status) return [`status ${theirs.status} instead of ${ours.status}`]
  const isAllowed = (header: string) =>
    ALLOWED.some(
      (entry) =>
        entry.headers.split(' ').includes(header) &&
        (entry.server ?? server) === server &&
        (entry.status ?? theirs.status) === theirs.status,
    )
  const headers = [...new Set([...ours.headers.keys(), ...theirs.headers.keys()])].filter(
    (name) => ours.headers.get(name) !== theirs.headers.get(name) && !isAllowed(name),
  )
  return [
    ...(Buffer.from(ours.body).equals(theirs.body) ? [] : ['another body']),
    ...headers.map((name) => `${name} is ${theirs.headers.get(name)} instead of ${ours.headers.get(name)}`),
  ]
}

const COMPARED_PAGES = 25

/** Fails unless the peer sends the same bytes and headers for sample pages, and the same 304. */
export async function verifySame(ours: Server, theirs: Server): Promise<void> {
  const plain = async (server: Server, page: number, isConditional: boolean): Promise<Plain> => {
    const etag = isConditional ? (await server.get(pathOf(page))).headers.get('ETag') : null
    const response = await server.get(pathOf(page), etag === null ? {} : { 'If-None-Match': etag })
    return { status: response.status, headers: response.headers, body: await response.bytes() }
  }
  const { totalPages } = ours
  const sample = [1, ...loads.random.pages(totalPages).slice(0, COMPARED_PAGES), totalPages - 1, totalPages]
  for (const page of sample) {
    for (const isConditional of [false, true]) {
      const pair = await Promise.all([plain(ours, page, isConditional), plain(theirs, page, isConditional)])
      const differences = differencesOf(theirs.name, ...pair)
      if (differences.length === 0) continue
      const where = `page ${page}${isConditional ? ' with its ETag' : ''}`
      throw new Error(`${theirs.name} does not respond as nomenclator does to ${where}: ${differences.join('; ')}`)
    }
  }
}
