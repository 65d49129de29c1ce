// One window of load on one server, and what the generator saw.
import { writeFileSync } from 'node:fs'
import { workPath } from '../machine/places.ts'
import type { Load } from './loads.ts'

export type Generator = 'wrk' | 'own'

export type Job = {
  readonly port: number
  readonly load: Load
  readonly totalPages: number
  readonly connections: number
  /** Keep-alive, or a new connection for each request. */
  readonly reuse: boolean
  readonly seconds: number
  /** The ETag to name, where the load is conditional. */
  readonly etag: string | undefined
  readonly cores: readonly number[]
  readonly generator: Generator
}

export type LoadResult = {
  readonly requests: number
  readonly seconds: number
  /** Answers that were neither 2xx nor 304, connections that failed, and answers that never came. */
  readonly errors: number
  /** Microseconds. */
  readonly p50: number
  readonly p99: number
  readonly p999: number
}

const written = new Map<string, string>()

/** The pages of a load, one a line, in a file that any generator can read. */
export function pagesFile(load: Load, totalPages: number): string {
  const name = `${load.name}-${totalPages}.txt`
  const known = written.get(name)
  if (known !== undefined) return known
  const path = workPath('loads', name)
  writeFileSync(path, `${load.pages(totalPages).join('\n')}\n`)
  written.set(name, path)
  return path
}

export function parseResult(output: string): LoadResult {
  const line = output.split('\n').findLast((candidate) => candidate.startsWith('{'))
  const found: unknown = line === undefined ? undefined : JSON.parse(line)
  if (!isResult(found)) throw new Error(`the load generator gave no result:\n${output}`)
  return found
}

const FIGURES = ['requests', 'seconds', 'errors', 'p50', 'p99', 'p999'] as const

function isResult(value: unknown): value is LoadResult {
  if (typeof value !== 'object' || value === null) return false
  const found: Partial<Record<string, unknown>> = { ...value }
  return FIGURES.every((figure) => typeof found[figure] === 'number')
}
