// The private memory of a worker, measured where it means something: with two of them over the same release.
import type { Load } from '../load/loads.ts'
import { type Memory, memoryOf } from '../machine/memory.ts'
import { knowsWorkers, serveFrom } from '../servers/nomenclator.ts'
import { RunningServer } from '../servers/running-server.ts'
import { measure, type Sample } from './window.ts'

export type WorkerMemory = {
  /** Of the processes that share the release, the one with the most private memory. */
  readonly largest: Memory
  readonly processes: number
  readonly sample: Sample
}

export type Crowd = {
  readonly home: string
  readonly load: Load
  readonly totalPages: number
  readonly cores: readonly number[]
  readonly loadCores: readonly number[]
  readonly connections: number
  readonly seconds: number
}

/**
 * To the kernel a page of a file that one process maps is private to it. Two processes that have read the same release
 * share its pages and those of the program, and what is left is really a worker's own.
 */
export async function memoryOfWorkers(crowd: Crowd): Promise<WorkerMemory> {
  const setting = { launch: serveFrom(crowd.home), cores: crowd.cores, workers: 2 }
  await using first = await RunningServer.start({ ...setting, name: 'two-workers' })
  const sample = await loaded(first, crowd)
  if (knowsWorkers()) return largestOf([first], sample)
  await using second = await RunningServer.start({ ...setting, name: 'second-worker' })
  await loaded(second, crowd)
  return largestOf([first, second], sample)
}

const loaded = (server: RunningServer, { load, totalPages, connections, seconds, loadCores }: Crowd): Promise<Sample> =>
  measure({ server, load, connections, reuse: true, totalPages, generator: 'wrk' }, seconds, loadCores)

function largestOf(servers: readonly RunningServer[], sample: Sample): WorkerMemory {
  const processes = servers.flatMap(({ pid }) => memoryOf(pid).processes)
  const largest = processes.reduce((most, memory) => (memory.privateBytes > most.privateBytes ? memory : most))
  return { largest, processes: processes.length, sample }
}
