// The loads: what is requested of every server, and the two generators that request it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LOAD_CORES, pinned, workPath } from './machine.ts'
import { randomFrom, times } from './random.ts'
import { quantile } from './spread.ts'

const BEFORE_PAGE = '/api/v1/localidades?format=api&page='
export const pathOf = (page: number): string => `${BEFORE_PAGE}${page}`

export type Load = {
  readonly name: string
  readonly description: string
  /** Whether the request carries the ETag of page 1 in If-None-Match. */
  readonly conditional?: true
  readonly pages: (totalPages: number) => readonly number[]
}

/** The very last page may hold fewer records, which would make depth look cheaper than it is. */
const lastFull = (totalPages: number): number => Math.max(totalPages - 1, 1)
/** No more than nginx can keep open: a process is often allowed 20,000 files. */
const DRAWN = 16_000
const SEED = 0x6e6f6d65

export const loads = {
  hot: { name: 'hot', description: 'page 1, again and again', pages: () => [1] },
  random: {
    name: 'random',
    description: `${DRAWN.toLocaleString('en')} pages drawn at random, the same for every server, as many as nginx can keep open`,
    pages: (totalPages) => {
      const random = randomFrom(SEED)
      return times(DRAWN, () => 1 + random(lastFull(totalPages)))
    },
  },
  deep: { name: 'deep', description: 'the deepest full page', pages: (totalPages) => [lastFull(totalPages)] },
  unchanged: {
    name: 'unchanged',
    description: 'page 1 with its ETag in If-None-Match, answered with 304',
    conditional: true,
    pages: () => [1],
  },
} as const satisfies Readonly<Record<string, Load>>

export type LoadName = keyof typeof loads

export type LoadResult = {
  readonly requests: number
  readonly seconds: number
  /** Responses that were neither 2xx nor 304, connections that failed, and responses that never came. */
  readonly errors: number
  readonly p50Micros: number
  readonly p99Micros: number
}

type Target = { readonly port: number; readonly totalPages: number }
export type Generator = (target: Target, load: Load, seconds: number) => Promise<LoadResult>

const urlOf = (port: number, page: number) => `http://127.0.0.1:${port}${pathOf(page)}`
const headersFor = async ({ port }: Target, load: Load): Promise<Record<string, string>> =>
  load.conditional ? { 'If-None-Match': (await fetch(urlOf(port, 1))).headers.get('ETag') ?? '' } : {}

export const CONNECTIONS = 64
/** Slow servers answer many connections late; that is a latency, not an error. */
const TIMEOUT = '30s'

/** wrk, over connections that are kept alive. */
export const wrk: Generator = async (target, load, seconds) => {
  const pages = workPath('pages-of-load.txt')
  writeFileSync(pages, `${load.pages(target.totalPages).join('\n')}\n`)
  const etag = (await headersFor(target, load))['If-None-Match']
  const numbers = ['-t', LOAD_CORES.length, '-c', CONNECTIONS, '-d', seconds].map(String)
  const script = ['-s', join(import.meta.dir, 'wrk.lua'), `http://127.0.0.1:${target.port}/`]
  const child = Bun.spawn(pinned(LOAD_CORES, ['wrk', ...numbers, '--timeout', TIMEOUT, ...script]), {
    env: { ...process.env, BENCH_PAGES: pages, BENCH_PATH: BEFORE_PAGE, ...(etag && { BENCH_ETAG: etag }) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return parseWrk(await child.stdout.text())
}

/** The line of JSON that wrk.lua prints after whatever wrk says. */
export function parseWrk(output: string): LoadResult {
  const line = output.split('\n').find((candidate) => candidate.startsWith('{'))
  if (line === undefined) throw new Error(`wrk gave no result:\n${output}`)
  return JSON.parse(line)
}

const FETCHES_AT_ONCE = 16

/** The fetch of the runtime, in this process: it needs no other program, and its own cost is not the server's. */
export const fetches: Generator = async (target, load, seconds) => {
  const headers = await headersFor(target, load)
  const urls = load.pages(target.totalPages).map((page) => urlOf(target.port, page))
  const latencies: number[] = []
  let errors = 0
  const begun = performance.now()
  const keepAsking = async () => {
    while (performance.now() - begun < seconds * 1_000) {
      const sent = performance.now()
      const response = await fetch(urls[latencies.length % urls.length] as string, { headers })
      await response.arrayBuffer()
      latencies.push((performance.now() - sent) * 1_000)
      if (!response.ok && response.status !== 304) errors++
    }
  }
  await Promise.all(times(FETCHES_AT_ONCE, keepAsking))
  const sorted = Float64Array.from(latencies).sort()
  return {
    requests: latencies.length,
    seconds: (performance.now() - begun) / 1_000,
    errors,
    p50Micros: quantile(sorted, 0.5),
    p99Micros: quantile(sorted, 0.99),
  }
}
