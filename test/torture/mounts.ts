// File systems that are mounted for a trial, which takes a superuser.
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ran } from '../support/command.ts'
import { TestDirectory } from '../support/releases.ts'

async function run(...command: readonly string[]): Promise<void> {
  const { code, err } = await ran(command)
  if (code !== 0) throw new Error(`${command.join(' ')}: ${err}`)
}

/** Lazily, since files that a process has mapped keep it busy. */
export const unmount = (path: string): Promise<void> => run('umount', '--lazy', path)

/** Lets a directory be seen at another path. */
export async function bind(directory: string, path: string): Promise<void> {
  mkdirSync(path, { recursive: true })
  await run('mount', '--bind', directory, path)
}

/** A disk of some kilobytes in memory. */
export class SmallDisk implements AsyncDisposable {
  readonly #directory: TestDirectory

  private constructor(directory: TestDirectory) {
    this.#directory = directory
  }

  static async create(kilobytes: number): Promise<SmallDisk> {
    const directory = new TestDirectory()
    try {
      await run('mount', '-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', directory.path)
      return new SmallDisk(directory)
    } catch (error) {
      directory[Symbol.dispose]()
      throw error
    }
  }

  get path(): string {
    return this.#directory.path
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

  async readOnly(): Promise<void> {
    await run('mount', '-o', 'remount,ro', this.path)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await unmount(this.path)
    this.#directory[Symbol.dispose]()
  }
}

/** A file system that never responds, over a directory: whoever touches that waits until the mount is gone. */
export class SilentMount implements AsyncDisposable {
  readonly #path: string
  readonly #descriptor: number

  private constructor(path: string, descriptor: number) {
    this.#path = path
    this.#descriptor = descriptor
  }

  /** The requests of a FUSE mount are read from its descriptor, and here nobody does. */
  static async over(path: string): Promise<SilentMount> {
    const descriptor = openSync('/dev/fuse', 'r+')
    const options = 'fd=3,rootmode=40000,user_id=0,group_id=0'
    const child = Bun.spawn(['mount', '--internal-only', '-t', 'fuse', '-o', options, 'silent', path], {
      stdio: ['ignore', 'ignore', 'inherit', descriptor],
    })
    if ((await child.exited) === 0) return new SilentMount(path, descriptor)
    closeSync(descriptor)
    throw new Error(`nothing could be mounted over ${path}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await unmount(this.#path)
    closeSync(this.#descriptor)
  }
}

let reason: Promise<string | undefined> | undefined
/** In words, why nothing can be mounted here; undefined if it can. */
export function cannotMount(): Promise<string | undefined> {
  reason ??= whyNot()
  return reason
}

async function whyNot(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'it takes root to mount a file system.'
  try {
    await using _disk = await SmallDisk.create(64)
    return undefined
  } catch (error) {
    return `nothing can be mounted here (${error instanceof Error ? error.message.trim() : error}).`
  }
}
