// Loaded before the program: lets it die in the middle of a change to the file system, or lets the disk be full from there on.
import { createRequire } from 'node:module'

export type Mishap = {
  /** None at all only counts. */
  readonly kind: 'none' | 'killed' | 'full'
  /** Which change it is, from 1: of all changes, or of those that need room on the disk. */
  readonly at: number
  /** Where the program leaves word of how many changes it made. */
  readonly count?: string
}

export const MISHAP_VARIABLE = 'NOMENCLATOR_TEST_MISHAP'
const FIRST_FILE = 3

type FileSystem = typeof import('node:fs')

/** Changes that need no room succeed on a full disk too. */
const ROOMLESS = new Set<keyof FileSystem>(['fsyncSync', 'renameSync', 'rmSync'])
const CHANGES = [...ROOMLESS, 'openSync', 'writeSync', 'writeFileSync', 'mkdirSync'] as const

function prepare({ kind, at, count }: Mishap): void {
  // Before anyone has imported it: the names that modules import are bound to what stands here then.
  const fs = createRequire(import.meta.url)('node:fs') as FileSystem
  const real = { ...fs }
  let changes = 0

  const strike = (name: keyof FileSystem, arguments_: readonly unknown[]): number | undefined => {
    const half = name === 'writeSync' ? writeHalf(real, arguments_) : undefined
    if (kind === 'killed') process.kill(process.pid, 'SIGKILL')
    if (half !== undefined && half > 0 && changes === at) return half
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  }

  for (const name of CHANGES) {
    const change = real[name] as (...arguments_: unknown[]) => unknown
    const struck = (...arguments_: unknown[]) => {
      const counts = isChange(real, name, arguments_) && (kind !== 'full' || !ROOMLESS.has(name))
      if (counts) changes++
      if (counts && kind !== 'none' && (kind === 'full' ? changes >= at : changes === at))
        return strike(name, arguments_)
      return change(...arguments_)
    }
    Object.assign(fs, { [name]: struck })
  }
  if (count !== undefined) process.on('exit', () => real.writeFileSync(count, String(changes)))
}

/** What goes to the terminal changes no file; neither does opening one to read it, nor making a directory that is there. */
function isChange(
  { existsSync, constants }: FileSystem,
  name: keyof FileSystem,
  [first, second]: readonly unknown[],
): boolean {
  if (name === 'writeSync') return (first as number) >= FIRST_FILE
  if (name === 'mkdirSync') return !existsSync(first as string)
  if (name !== 'openSync') return true
  return typeof second === 'number' ? (second & (constants.O_WRONLY | constants.O_RDWR)) !== 0 : second !== 'r'
}

/** As a disk does that becomes full, or a machine that is switched off. */
function writeHalf({ writeSync }: FileSystem, [file, bytes, from = 0]: readonly unknown[]): number {
  const rest = (bytes as Uint8Array).subarray(from as number)
  return writeSync(file as number, rest, 0, rest.length >> 1)
}

const wanted = process.env[MISHAP_VARIABLE]
if (wanted !== undefined) prepare(JSON.parse(wanted))
