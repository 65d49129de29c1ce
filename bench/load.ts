// The loads: what is requested of every server, over how many connections, how fast, and by which generator.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomFrom, times } from '../packages/server/src/source/synthetic/random.ts'
import { LOAD_CORES, pinned, workPath } from './machine.ts'
import { sendBySockets } from './sockets.ts'

const BEFORE_PAGE = '/api/v1/localidades?format=api&page='
export const pathOf = (page: number): string => `${BEFORE_PAGE}${page}`

export type Load = {
  readonly name: string
  readonly description: string
  readonly connections: number
  /** Requests a second; without it, as many as the server responds to. */
  readonly rate?: number
  readonly method?: 'HEAD'
  /** True if the request carries the ETag of page 1 in If-None-Match. */
  readonly conditional?: true
  readonly pages: (totalPages: number) => readonly number[]
}

/** The very last page may hold fewer records, which would make depth look cheaper than it is. */
const lastFull = (totalPages: number): number => Math.max(totalPages - 1, 1)
/** Pages that are drawn, no more than nginx can keep open: a process is often allowed 20,000 files. */
const DRAWN = 16_000
const SEED = 0x6e6f6d65
export const CONNECTIONS = 64
const MANY_CONNECTIONS = 512
export const RATE = 20_000

const hot: Load = { name: 'hot', description: 'page 1, again and again', connections: CONNECTIONS, pages: () => [1] }
const random: Load = {
  name: 'random',
  description: `${DRAWN.toLocaleString('en')} pages drawn at random, the same for every server, as many as nginx can keep open`,
  connections: CONNECTIONS,
  pages: (totalPages) => {
    const draw = randomFrom(SEED)
    return times(DRAWN, () => 1 + draw(lastFull(totalPages)))
  },
}

const over = (load: Load, connections: number): Load => ({
  ...load,
  name: `${load.name}, ${connections} connection${connections === 1 ? '' : 's'}`,
  description: `as “${load.name}”, over ${connections === 1 ? 'a single connection' : `${connections} connections`}`,
  connections,
})
const paced = (load: Load, description = `as “${load.name}”`): Load => ({
  ...load,
  name: `${load.name}, equal rate`,
  description: `${description}, ${RATE.toLocaleString('en')} times a second, evenly spread`,
  rate: RATE,
})

export const loads = {
  hot,
  random,
  deep: { ...hot, name: 'deep', description: 'the deepest full page', pages: (total) => [lastFull(total)] },
  unchanged: {
    ...hot,
    name: 'unchanged',
    description: 'page 1 with its ETag in If-None-Match, responded to with 304',
    conditional: true,
  },
  hotPaced: paced(hot),
  randomPaced: paced(random),
  headPaced: paced({ ...hot, name: 'HEAD', method: 'HEAD' }, 'HEAD of page 1'),
  hotOverOne: over(hot, 1),
  randomOverOne: over(random, 1),
  hotOverMany: over(hot, MANY_CONNECTIONS),
  randomOverMany: over(random, MANY_CONNECTIONS),
} satisfies Readonly<Record<string, Load>>

export type LoadName = keyof typeof loads
/** The loads that every server is measured on; only this service and nginx are measured on the others. */
export const loadsForAll: readonly LoadName[] = ['hot', 'random', 'deep', 'unchanged']
export const quickLoads: readonly LoadName[] = [...loadsForAll, 'hotPaced', 'randomPaced', 'headPaced']
export const allLoads = Object.keys(loads) as LoadName[]

export type LoadResult = {
  readonly requests: number
  readonly seconds: number
  /** Responses that were neither 2xx nor 304, connections that failed, and responses that never came. */
  readonly errors: number
  readonly p50Micros: number
  readonly p99Micros: number
  /** The share of its cores that the generator used: near 1, the generator may have been at its limit, and not the server. */
  readonly generatorBusy: number
}

type Target = { readonly port: number; readonly totalPages: number }
export type Generator = (target: Target, load: Load, seconds: number) => Promise<LoadResult>

const headersFor = async ({ port }: Target, load: Load): Promise<Record<string, string>> =>
  load.conditional
    ? { 'If-None-Match': (await fetch(`http://127.0.0.1:${port}${pathOf(1)}`)).headers.get('ETag') ?? '' }
    : {}

/** Slow servers respond late to many connections; that is a latency, not an error. */
const TIMEOUT = '30s'

/** wrk, over connections that are kept alive. It knows no rate, and waits for the body that HEAD does not have. */
const wrk: Generator = async (target, load, seconds) => {
  const pages = workPath('pages-of-load.txt')
  writeFileSync(pages, `${load.pages(target.totalPages).join('\n')}\n`)
  const etag = (await headersFor(target, load))['If-None-Match']
  const threads = Math.min(LOAD_CORES.length, load.connections)
  const numbers = ['-t', threads, '-c', load.connections, '-d', seconds].map(String)
  const script = ['-s', join(import.meta.dir, 'wrk.lua'), `http://127.0.0.1:${target.port}/`]
  const child = Bun.spawn(pinned(LOAD_CORES, ['wrk', ...numbers, '--timeout', TIMEOUT, ...script]), {
    env: { ...process.env, BENCH_PAGES: pages, BENCH_PATH: BEFORE_PAGE, ...(etag && { BENCH_ETAG: etag }) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const result = parseWrk(await child.stdout.text())
  await child.exited
  const cpuMicros = Number(child.resourceUsage()?.cpuTime.total ?? 0)
  return { ...result, generatorBusy: cpuMicros / (result.seconds * 1e6 * threads) }
}

/** The line of JSON that wrk.lua prints after whatever wrk prints itself. */
export function parseWrk(output: string): Omit<LoadResult, 'generatorBusy'> {
  const line = output.split('\n').find((candidate) => candidate.startsWith('{'))
  if (line === undefined) throw new Error(`wrk gave no result:\n${output}`)
  return JSON.parse(line)
}

/** Sockets of this process, which need no other program. */
export const sockets: Generator = async (target, load, seconds) => {
  const headers = Object.entries(await headersFor(target, load)).map(([name, value]) => `${name}: ${value}\r\n`)
  const requests = load.pages(target.totalPages).map((page) => {
    const lines = `${load.method ?? 'GET'} ${pathOf(page)} HTTP/1.1\r\nHost: 127.0.0.1:${target.port}\r\n${headers.join('')}`
    return Buffer.from(`${lines}\r\n`)
  })
  const { connections, rate, method } = load
  return sendBySockets({ port: target.port, connections, rate, requests, hasBody: method !== 'HEAD', seconds })
}

/** wrk where it can, since it costs the least. */
export const wrkOrSockets: Generator = (target, load, seconds) =>
  (load.rate === undefined && load.method === undefined ? wrk : sockets)(target, load, seconds)
