// A server process on cores of its own, from its start to its first answer to its end.
import { openSync } from 'node:fs'
import { ask } from '../load/ask.ts'
import { pathOf } from '../load/loads.ts'
import { pinned } from '../machine/cores.ts'
import { freePort } from '../machine/free-port.ts'
import { workPath } from '../machine/places.ts'
import { treeOf } from '../machine/process-tree.ts'
import type { Launch, Place } from './contender.ts'

const START_MILLISECONDS = 60_000
const STOP_MILLISECONDS = 5_000

/** Whatever way the benchmark ends, it leaves no server behind. */
const running = new Set<Bun.Subprocess>()
process.on('exit', () => {
  for (const child of running) for (const { pid } of treeOf(child.pid)) killIfThere(pid)
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

export type Setting = {
  readonly name: string
  readonly launch: (place: Place) => Launch
  readonly cores: readonly number[]
  readonly workers: number
}

export class RunningServer implements AsyncDisposable {
  readonly name: string
  readonly port = freePort()
  readonly cores: readonly number[]
  readonly #setting: Setting
  #child: Bun.Subprocess | undefined
  /** From just before the process was made to the first whole 200. */
  startMilliseconds = 0

  private constructor(setting: Setting) {
    this.#setting = setting
    this.name = setting.name
    this.cores = setting.cores
  }

  static async start(setting: Setting): Promise<RunningServer> {
    const server = new RunningServer(setting)
    await server.#start()
    return server
  }

  get pid(): number {
    if (this.#child === undefined) throw new Error(`${this.name} does not run`)
    return this.#child.pid
  }

  /** At once: whatever it still does is not wanted any more. */
  async restart(): Promise<void> {
    await this.stop(0)
    await this.#start()
  }

  async stop(patience = STOP_MILLISECONDS): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined) return
    const members = treeOf(child.pid).map(({ pid }) => pid)
    child.kill('SIGTERM')
    const ended = await Promise.race([child.exited.then(() => true), Bun.sleep(patience).then(() => false)])
    if (!ended) for (const pid of members) killIfThere(pid)
    await child.exited
    running.delete(child)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  async #start(): Promise<void> {
    const { name, launch, cores, workers } = this.#setting
    const { command, env = {}, cwd } = launch({ port: this.port, workers })
    const logPath = workPath('logs', `${name.replaceAll(/[^A-Za-z0-9]+/g, '-')}.log`)
    const log = openSync(logPath, 'w')
    const begun = performance.now()
    const child = Bun.spawn(pinned(cores, command), {
      env: { ...process.env, ...env },
      ...(cwd === undefined ? {} : { cwd }),
      stdio: ['ignore', log, log],
    })
    this.#child = child
    running.add(child)
    // No pause between tries: the time to the first answer is what is measured.
    while (!(await this.#answers())) {
      if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}; see ${logPath}`)
      if (performance.now() - begun > START_MILLISECONDS) throw new Error(`${name} did not answer; see ${logPath}`)
    }
    this.startMilliseconds = performance.now() - begun
  }

  async #answers(): Promise<boolean> {
    try {
      return (await ask({ port: this.port, path: pathOf(1) })).status === 200
    } catch {
      return false
    }
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself.
  }
}
