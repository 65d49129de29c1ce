// npm run dev: serves with the given flags, and starts again whenever a source has changed. What browsers load is bundled anew.
import { type FSWatcher, watch } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '..')
/** False for files that the launcher bundles. */
export const isSource = (file: string): boolean => !/(?:^|\/)built\//.test(file)
/** An editor writes several files at once, or one in several steps. */
const SETTLE_MILLISECONDS = 100

/** Runs a command, and again after every change below the directories, until it is disposed of. */
export class Restarting implements AsyncDisposable {
  readonly #command: readonly string[]
  readonly #watchers: readonly FSWatcher[]
  #child: Bun.Subprocess
  #timer: ReturnType<typeof setTimeout> | undefined
  /** One restart after the other. */
  #restarts: Promise<void> = Promise.resolve()
  #isOver = false

  constructor(command: readonly string[], directories: readonly string[]) {
    this.#command = command
    this.#child = this.#start()
    this.#watchers = directories.map((directory) =>
      watch(directory, { recursive: true }, (_event, file) => this.#changed(String(file))),
    )
  }

  #start(): Bun.Subprocess {
    return Bun.spawn([...this.#command], { cwd: ROOT, stdio: ['inherit', 'inherit', 'inherit'] })
  }

  #changed(file: string): void {
    if (!isSource(file)) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      console.error(`nomenclator: ${file} has changed`)
      this.#restarts = this.#restarts.then(() => this.#restart())
    }, SETTLE_MILLISECONDS)
  }

  /** The old process has let go of the port and of its files before the new one starts. */
  async #restart(): Promise<void> {
    this.#child.kill('SIGTERM')
    await this.#child.exited
    if (!this.#isOver) this.#child = this.#start()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    clearTimeout(this.#timer)
    for (const watcher of this.#watchers) watcher.close()
    await this.#restarts
    this.#child.kill('SIGTERM')
    await this.#child.exited
  }
}

if (import.meta.main) {
  const sources = ['server', 'picker'].map((name) => join(ROOT, 'packages', name, 'src'))
  // The launcher would compile them anew after each change.
  const fromSources = [join(ROOT, 'tools', 'with-bun'), join(ROOT, 'packages', 'server', 'src', 'main.ts')]
  const serving = new Restarting([...fromSources, 'serve', ...process.argv.slice(2)], sources)
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void serving[Symbol.asyncDispose]().then(() => process.exit(0)))
}
