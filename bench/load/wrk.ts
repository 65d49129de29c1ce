// Load by wrk, with requests prepared by a Lua script.
import { join } from 'node:path'
import { pinned } from '../machine/cores.ts'
import { BENCH } from '../machine/places.ts'
import { type Job, type LoadResult, pagesFile, parseResult } from './job.ts'
import { BEFORE_PAGE } from './loads.ts'

const SCRIPT = join(BENCH, 'load', 'wrk.lua')
/** Slow servers with many connections answer late; that is a latency, not an error. */
const TIMEOUT_SECONDS = 30

export async function wrk({ port, load, totalPages, connections, seconds, etag, cores }: Job): Promise<LoadResult> {
  const threads = Math.min(cores.length, connections)
  const command = ['wrk', '-t', threads, '-c', connections, '-d', `${seconds}s`, '--timeout', `${TIMEOUT_SECONDS}s`]
  const child = Bun.spawn(pinned(cores, [...command.map(String), '-s', SCRIPT, `http://127.0.0.1:${port}/`]), {
    env: {
      ...process.env,
      BENCH_PAGES: pagesFile(load, totalPages),
      BENCH_PATH: BEFORE_PAGE,
      ...(etag === undefined ? {} : { BENCH_ETAG: etag }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const output = await child.stdout.text()
  return parseResult(output)
}
