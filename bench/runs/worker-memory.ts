// The private memory of a worker, as a finding and with what was seen beside it.
import { loads } from '../load/loads.ts'
import { coreCount } from '../machine/cores.ts'
import { memoryOfWorkers } from '../measure/memory-of-workers.ts'
import { spreadOf } from '../measure/spread.ts'
import { figure, megabytes } from '../report/figures.ts'
import type { Finding } from '../targets.ts'
import { COMPARED_CONNECTIONS, type Stage } from './stage.ts'

/** Long enough for each of the two to have read most of the release. */
const SECONDS = 4

export async function workerMemory(stage: Stage): Promise<{ finding: Finding; note: string }> {
  const everyCore = Array.from({ length: coreCount() }, (_, core) => core)
  const { largest, processes, sample } = await memoryOfWorkers({
    home: stage.built.home,
    load: loads.random,
    totalPages: stage.pages.totalPages,
    cores: everyCore,
    loadCores: everyCore,
    connections: COMPARED_CONNECTIONS,
    seconds: SECONDS,
  })
  return {
    finding: { value: spreadOf([largest.privateBytes / 1e6]) },
    note:
      `Two workers (${processes} processes) with wrk on the same ${everyCore.length} cores: ` +
      `${figure(sample.requestsPerSecond)} requests/s at ${figure(sample.cpuMicros, 1)} µs of CPU each; the largest process ` +
      `holds ${megabytes(largest.privateBytes)} private and ${megabytes(largest.residentBytes)} resident, most of it the shared release.`,
  }
}
