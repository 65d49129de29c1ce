// One benchmark at a time: two would measure each other, and take each other's work files away.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { workPath } from './places.ts'

/** The process that benchmarks already, if there is one; otherwise it is this one from now on, until it ends. */
export function otherBenchmark(path = workPath('running')): number | undefined {
  const holder = existsSync(path) ? Number(readFileSync(path, 'utf8')) : undefined
  if (holder !== undefined && holder !== process.pid && existsSync(`/proc/${holder}`)) return holder
  writeFileSync(path, String(process.pid))
  process.on('exit', () => rmSync(path, { force: true }))
  return undefined
}
