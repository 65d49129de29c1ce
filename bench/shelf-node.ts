// Shared parts of the benchmarks of shelves: commands, nodes, and changes to a catalog.
import { readFileSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { version } from '../package.json'
import { PROGRAM, TestDirectory } from '../test/support/releases.ts'
import { Service } from '../test/support/service.ts'
import { freePort } from './free-port.ts'
import { describeMachine } from './machine.ts'

const TICK_MILLISECONDS = 10
/** Long enough for many nodes to start on a busy machine. */
const PATIENCE_MILLISECONDS = 600_000

export const seconds = (milliseconds: number) => `${(milliseconds / 1_000).toFixed(2)} s`

/** Runs a command, and returns its output and the processor and clock time that it took, in milliseconds. */
export async function command(
  ...argv: readonly string[]
): Promise<{ readonly out: string; readonly cpu: number; readonly wall: number }> {
  const started = performance.now()
  const child = Bun.spawn([...PROGRAM, ...argv], { stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`nomenclator ${argv.join(' ')}: ${err}`)
  const cpu = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1_000
  return { out, cpu, wall: performance.now() - started }
}

export class ShelfNode implements AsyncDisposable {
  readonly home = new TestDirectory()
  readonly #admin = freePort()
  #service: Service | undefined

  async start(shelf: string, workers = 2): Promise<this> {
    const ports = ['--port', '0', '--admin', String(this.#admin)]
    const flags = ['--home', this.home.path, '--workers', String(workers), ...ports]
    this.#service = await Service.serving({
      ...{ flags, env: { NOMENCLATOR_SHELF: shelf } },
      patienceMilliseconds: PATIENCE_MILLISECONDS,
    })
    return this
  }

  get pid(): number {
    return this.#service?.pid ?? 0
  }

  get port(): number {
    return this.#service?.port ?? 0
  }

  async release(): Promise<string | null> {
    const response = await fetch(`http://127.0.0.1:${this.#admin}/release`)
    return ((await response.json()) as { readonly release: string | null }).release
  }

  /** Processor time of the process that fetches, in milliseconds; the name in the line may have blanks. */
  get cpu(): number {
    const stat = readFileSync(`/proc/${this.pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * TICK_MILLISECONDS
  }

  async fetched(): Promise<number> {
    const text = await (await fetch(`http://127.0.0.1:${this.#admin}/metrics`)).text()
    return Number(/^nomenclator_shelf_fetched_bytes_total ([0-9]+)$/m.exec(text)?.[1])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service?.[Symbol.asyncDispose]()
    this.home[Symbol.dispose]()
  }
}

/** Notes when each node serves a release for the first time, from now on. */
export class Watch implements AsyncDisposable {
  readonly #servedAt: Map<string, number>[]
  readonly #watching: Promise<void>[]
  #isOver = false

  /** A short interval takes processor time from the nodes. */
  constructor(nodes: readonly ShelfNode[], milliseconds: number) {
    this.#servedAt = nodes.map(() => new Map())
    this.#watching = nodes.map(async (node, at) => {
      while (!this.#isOver) {
        const release = (await node.release()) ?? ''
        const servedAt = this.#servedAt[at]
        if (!servedAt?.has(release)) servedAt?.set(release, Date.now())
        await Bun.sleep(milliseconds)
      }
    })
  }

  /** When all of them have served it, the time of the last one; undefined before. */
  lastOf(release: string): number | undefined {
    const times = this.#servedAt.map((times) => times.get(release))
    return times.includes(undefined) ? undefined : Math.max(...(times as number[]))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#watching)
  }
}

/** A catalog in CSV files, and the changes to it. */
export class ChangingCatalog {
  readonly #directory: string

  constructor(directory: string) {
    this.#directory = directory
  }

  lines = (name: string) => readFileSync(this.#csv(name), 'utf8').trimEnd().split('\n')
  write = (name: string, lines: readonly string[]) => writeFileSync(this.#csv(name), `${lines.join('\n')}\n`)
  #csv = (name: string) => join(this.#directory, `${name}.csv`)

  replaceAudience(): void {
    const [head = '', first = '', ...others] = this.lines('audiencia')
    this.write('audiencia', [head, ...others, first.replace(/^[^,]*/, 'others')])
  }

  renameLocality(): void {
    const lines = this.lines('localidad')
    const middle = lines.length >> 1
    const column = (lines[0] ?? '').split(',').indexOf('descLocalidad')
    const renamed = (lines[middle] ?? '').split(',').map((field, at) => (at === column ? `${field} Nuevo` : field))
    this.write('localidad', lines.with(middle, renamed.join(',')))
  }
}

/** The line under figures: the call, the time and the machine. */
export const conditions = (call: string) =>
  `\`${call}\`, ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC; nomenclator ${version} on Bun ${Bun.version}; ${describeMachine().join('; ')}; other programs took part of it (load ${loadavg()[0]?.toFixed(0)}).`
