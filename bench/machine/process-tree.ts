// The processor time of a process and of all its children, as the kernel accounts it.
import { readdirSync, readFileSync } from 'node:fs'

export type ProcessStat = {
  readonly pid: number
  readonly parent: number
  /** User and system time, with that of children that have ended, in microseconds. */
  readonly cpuMicros: number
}

/** The unit of /proc/<pid>/stat is a hundredth of a second on every Linux that Bun runs on. */
const TICK_MICROS = 10_000

/** Reads a line of /proc/<pid>/stat; the name of the program may hold spaces and brackets, so it ends at the last one. */
export function parseStat(line: string): ProcessStat {
  const close = line.lastIndexOf(')')
  const fields = line.slice(close + 2).split(' ')
  // After the name, field 0 is the state, 1 the parent, and 11 to 14 are utime, stime, cutime and cstime.
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  const stat = { pid: Number.parseInt(line, 10), parent: Number(fields[1]), cpuMicros: ticks * TICK_MICROS }
  if (!Object.values(stat).every(Number.isFinite)) throw new Error(`not a line of /proc/<pid>/stat: ${line}`)
  return stat
}

/** The process and those below it, the process itself first. */
export function descendants(root: number, all: readonly ProcessStat[]): ProcessStat[] {
  const found = all.filter(({ pid }) => pid === root)
  for (const member of found) found.push(...all.filter(({ parent, pid }) => parent === member.pid && pid !== root))
  return found
}

export const treeOf = (root: number): ProcessStat[] => descendants(root, everyProcess())

export const cpuMicrosOf = (root: number): number => treeOf(root).reduce((sum, { cpuMicros }) => sum + cpuMicros, 0)

function everyProcess(): ProcessStat[] {
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .flatMap((pid) => {
      try {
        return [parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))]
      } catch (error) {
        // Processes end while the list is being read.
        if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) return []
        throw error
      }
    })
}
