// One worker as its supervisor has it: the process, what it last reported, and where it is in its life.
import { readFileSync } from 'node:fs'
import { eventOf, type Log } from '../../base/log.ts'
import { Silence, workerLife } from './life.ts'
import {
  BRIEFING_VARIABLE,
  COMPUTE_SOCKET_VARIABLE,
  SUPERVISOR_VARIABLE,
  type SupervisorMessage,
  type WorkerBriefing,
  type WorkerMessage,
} from './messages.ts'
import { LeakCheck } from './open-sockets.ts'
import type { WorkerReport } from './serving-status.ts'

/**
 * Options of the garbage collector of a worker, which reads them when it starts. The collector takes mapped files for memory in use,
 * and so by default lets garbage grow to three times the size of a release, or to its size on a machine with less than 16 GB.
 */
export const COLLECTOR_OPTIONS: Readonly<Record<string, string>> = {
  // Garbage grows to a twentieth of the memory in use.
  BUN_JSC_heapGrowthMaxIncrease: '0.05',
  // That share holds for a heap of any size.
  BUN_JSC_heapGrowthFunctionThresholdInMB: '0',
  // Garbage and memory in use may be 64 MB together before anything is collected, on all machines.
  BUN_JSC_largeHeapSize: '64000000',
  // Keeps compiled code that has not run for 20 to 60 seconds: else the first client after a quiet time waits until it is compiled again.
  BUN_JSC_forceCodeBlockLiveness: 'true',
}

/** Options of the garbage collector and the compiler of a compute worker, besides those of every worker. */
const COMPUTE_COLLECTOR_OPTIONS = {
  // Gives memory back as soon as it is found to be garbage. A page worker does so bit by bit when it is idle, since pages would wait.
  BUN_JSC_sweepSynchronously: 'true',
  // The first thousands of rows take a third longer if the last, expensive tier of compiled code is reached as early as by default.
  BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: '400000',
  // Looks at all objects only when those that outlive the others have grown by half, and not at every second collection: of 100 searches
  // the slowest takes half the time, for some tens of MB.
  BUN_JSC_minEdenToOldGenerationRatio: '0.033',
}

type WorkerOptions = {
  readonly command: readonly string[]
  /** The socket that a compute worker listens on. */
  readonly socket: string | undefined
  readonly briefing: WorkerBriefing | undefined
  /** Variables of this process that it does not get. */
  readonly unset: readonly string[]
  /** Descriptors that it inherits, from number 3 on. */
  readonly inherited: readonly (number | 'ignore')[]
  readonly log: Log
  /** Called with its messages but for reports. */
  readonly onMessage: (message: Exclude<WorkerMessage, { readonly report: WorkerReport }>) => void
  /** Called with each report and the one before. */
  readonly onReport: (report: WorkerReport, before: WorkerReport | undefined) => void
}

const KILL_AFTER_MILLISECONDS = 1_000
/** The signals that end a process on purpose. */
const ORDERLY: readonly string[] = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']

export class WorkerProcess {
  readonly life = workerLife()
  readonly leakCheck = new LeakCheck()
  readonly silence = new Silence()
  readonly socket: string | undefined
  readonly briefing: WorkerBriefing | undefined
  readonly #process: Bun.Subprocess
  readonly #log: Log
  /** Called at its next report. */
  readonly #onReport: (() => void)[] = []
  /** True once it is to stop. */
  isRetired = false
  lastReport: WorkerReport | undefined
  /** Resolves when it has ended and its last output is logged. */
  readonly ended: Promise<unknown>

  constructor({ command, socket, briefing, unset, inherited, log, onMessage, onReport }: WorkerOptions) {
    this.socket = socket
    this.briefing = briefing
    this.#log = log
    this.#process = Bun.spawn([...command], {
      stdio: ['ignore', 'pipe', 'pipe', ...inherited],
      env: {
        ...COLLECTOR_OPTIONS,
        ...(socket === undefined ? {} : COMPUTE_COLLECTOR_OPTIONS),
        ...process.env,
        ...Object.fromEntries(unset.map((name) => [name, undefined])),
        [SUPERVISOR_VARIABLE]: String(process.pid),
        ...(briefing === undefined ? {} : { [BRIEFING_VARIABLE]: JSON.stringify(briefing) }),
        ...(socket === undefined ? {} : { [COMPUTE_SOCKET_VARIABLE]: socket }),
      },
      ipc: (message: WorkerMessage) => {
        this.silence.end()
        if (!('report' in message)) return onMessage(message)
        const before = this.lastReport
        this.lastReport = message.report
        onReport(message.report, before)
        for (const waiting of this.#onReport.splice(0)) waiting()
      },
    })
    const { stdout, stderr, exited } = this.#process
    const output = ([stdout, stderr] as ReadableStream<Uint8Array>[]).map((stream) => this.#forwardLines(stream))
    this.ended = Promise.all([exited, ...output])
  }

  get pid(): number {
    return this.#process.pid
  }

  /** The way in which the process ended, in words. */
  get ending(): string {
    const { exitCode, signalCode } = this.#process
    return signalCode === null ? `exit code ${exitCode}` : `signal ${signalCode}`
  }

  /** True if a signal ended it that nobody sends on purpose. */
  get hasCrashed(): boolean {
    const { signalCode } = this.#process
    return signalCode !== null && !ORDERLY.includes(String(signalCode))
  }

  send(message: SupervisorMessage): void {
    try {
      this.#process.send(message)
    } catch {
      // It has ended meanwhile, without waiting for this message.
    }
  }

  kill(): void {
    this.#process.kill('SIGKILL')
  }

  /** Requests a report, and resolves when it is there. */
  nextReport(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onReport.push(resolve)
    this.send({ wanted: 'report' })
    return promise
  }

  /** Lets it end after its last response, and kills it when its time is over. */
  async retire(drainMilliseconds: number): Promise<void> {
    // A signal to the whole process group must not end compute workers while page workers still hand over to them.
    if (this.socket !== undefined && this.life.is('ready')) this.send({ wanted: 'stop' })
    else this.#process.kill('SIGTERM')
    const timer = setTimeout(() => this.kill(), drainMilliseconds + KILL_AFTER_MILLISECONDS)
    await this.#process.exited
    clearTimeout(timer)
  }

  /** Logs its output: only the supervisor writes, so that the lines of several workers are not mixed up. */
  async #forwardLines(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder()
    let unfinished = ''
    for await (const chunk of stream) {
      unfinished += decoder.decode(chunk, { stream: true })
      const end = unfinished.lastIndexOf('\n') + 1
      for (const line of unfinished.slice(0, end).split('\n').slice(0, -1)) this.#log(eventOf(line, this.pid))
      unfinished = unfinished.slice(end)
    }
    if (unfinished !== '') this.#log(eventOf(unfinished, this.pid))
  }

  /** The bytes of memory that it shares with no file: its heap and its buffers. */
  get ownBytes(): number {
    const [, kilobytes = '0'] = /^RssAnon:\s+(\d+) kB/m.exec(this.#textOf('status')) ?? []
    return Number(kilobytes) * 1_024
  }

  /** The time that its first thread, which runs the program, has waited for a core in all, in milliseconds. */
  get waitedForCore(): number {
    return Number(this.#textOf('schedstat').split(' ')[1] ?? 0) / 1_000_000
  }

  /** A file that the system has about the process; empty once it has ended, or where the system does not say. */
  #textOf(file: string): string {
    try {
      return readFileSync(`/proc/${this.pid}/${file}`, 'latin1')
    } catch {
      return ''
    }
  }
}
