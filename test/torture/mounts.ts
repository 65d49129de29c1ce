// File systems that are mounted for a trial, which takes a superuser.
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TestDirectory } from '../support/releases.ts'

function run(...command: readonly string[]): void {
  const { success, stderr } = Bun.spawnSync([...command])
  if (!success) throw new Error(`${command.join(' ')}: ${stderr}`)
}

/** Lazily, since files that a process has mapped keep it busy. */
export const unmount = (path: string): void => run('umount', '--lazy', path)

/** Lets a directory be seen at another path. */
export function bind(directory: string, path: string): void {
  mkdirSync(path, { recursive: true })
  run('mount', '--bind', directory, path)
}

/** A disk of some kilobytes in memory. */
export class SmallDisk extends TestDirectory {
  #mounted = false

  constructor(kilobytes: number) {
    super()
    try {
      run('mount', '-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', this.path)
      this.#mounted = true
    } catch (error) {
      super[Symbol.dispose]()
      throw error
    }
  }

  /** Takes all room but these kilobytes. */
  fill(leaving: number): void {
    this.empty()
    const { bavail, bsize } = statfsSync(this.path)
    writeFileSync(join(this.path, 'filler'), Buffer.alloc(Math.max(0, bavail * bsize - leaving * 1_024)))
  }

  empty(): void {
    rmSync(join(this.path, 'filler'), { force: true })
  }

  readOnly(): void {
    run('mount', '-o', 'remount,ro', this.path)
  }

  override [Symbol.dispose](): void {
    if (this.#mounted) unmount(this.path)
    super[Symbol.dispose]()
  }
}

let reason: string | undefined | null = null
/** In words, why nothing can be mounted here; undefined if it can. */
export function cannotMount(): string | undefined {
  if (reason !== null) return reason
  if (process.getuid?.() !== 0) reason = 'it takes root to mount a file system.'
  else
    try {
      using _disk = new SmallDisk(64)
      reason = undefined
    } catch (error) {
      reason = `nothing can be mounted here (${error instanceof Error ? error.message.trim() : error}).`
    }
  return reason
}
