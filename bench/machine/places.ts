// Where the benchmark finds the program and keeps its own work.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dir, '..', '..')
export const BENCH = join(ROOT, 'bench')
export const MAIN = join(ROOT, 'src', 'main.ts')
/** The Bun that runs the benchmark is the one that runs the program: tools/with-bun sees to it. */
export const BUN = process.execPath

const WORK = join(ROOT, 'var', 'bench')

/** A path among the work files, whose directory is there. */
export function workPath(...names: readonly string[]): string {
  const path = join(WORK, ...names)
  mkdirSync(join(path, '..'), { recursive: true })
  return path
}
