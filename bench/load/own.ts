// Load by the generator that comes with the benchmark, in a process of its own.
import { join } from 'node:path'
import { pinned } from '../machine/cores.ts'
import { BENCH, BUN } from '../machine/places.ts'
import { type Job, type LoadResult, pagesFile, parseResult } from './job.ts'

export type Plan = {
  readonly port: number
  readonly method: string
  readonly pages: string
  readonly etag: string | undefined
  readonly connections: number
  readonly reuse: boolean
  readonly seconds: number
}

export async function ownLoad(job: Job): Promise<LoadResult> {
  const plan: Plan = {
    port: job.port,
    method: job.load.method,
    pages: pagesFile(job.load, job.totalPages),
    etag: job.etag,
    connections: job.connections,
    reuse: job.reuse,
    seconds: job.seconds,
  }
  const program = join(BENCH, 'load', 'generator.ts')
  const child = Bun.spawn(pinned(job.cores, [BUN, program, JSON.stringify(plan)]), {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const output = await child.stdout.text()
  return parseResult(output)
}
