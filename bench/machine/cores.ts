// Which cores serve and which make the load, so that the one does not take time from the other.
import { cpus, setPriority } from 'node:os'

export type Cores = {
  readonly server: readonly number[]
  readonly load: readonly number[]
  /** Whether no core does both. */
  readonly apart: boolean
}

/** The first cores serve, one for each worker; the rest make the load. */
export function shareCores(count: number, workers: number): Cores {
  const all = Array.from({ length: count }, (_, core) => core)
  if (count <= workers) return { server: all, load: all, apart: false }
  return { server: all.slice(0, workers), load: all.slice(workers), apart: true }
}

export const coreCount = (): number => cpus().length

const PRIORITY = -15
const taskset = Bun.which('taskset')

/** A command that stays on the cores given; without taskset it goes where the kernel puts it. */
export function pinned(cores: readonly number[], command: readonly string[]): string[] {
  return taskset === null ? [...command] : [taskset, '-c', cores.join(','), ...command]
}

/** Moves this process, and what it starts without a place of its own, to the cores given. */
export function pinSelf(cores: readonly number[]): void {
  if (taskset !== null) Bun.spawnSync([taskset, '-a', '-p', '-c', cores.join(','), String(process.pid)])
}

/** This process and all that it starts go before other programs; only root may do that. */
export const goFirst = (): void => setPriority(PRIORITY)
