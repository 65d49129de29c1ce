// The machine that is measured on: what it is, its cores, and what the kernel accounts to processes.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { availableParallelism, release, totalmem } from 'node:os'
import { join } from 'node:path'

export const ROOT = join(import.meta.dir, '..')
/** Releases, copies of pages and logs of the latest run; every run begins by emptying it. */
export const WORK = join(ROOT, 'var', 'bench')

const CORES = availableParallelism()
export const allCores: readonly number[] = Array.from({ length: CORES }, (_, core) => core)
/** Every server has the first core to itself, and one with two workers the first two; the load comes from the others. */
export const SERVER_CORES: readonly number[] = [0]
export const LOAD_CORES = allCores.slice(CORES > 1 ? Math.max(CORES >> 1, 1) : 0)
const taskset = Bun.which('taskset')

/** A command that stays on the cores given; without taskset it goes where the kernel puts it. */
export const pinned = (cores: readonly number[], command: readonly string[]): string[] =>
  taskset === null ? [...command] : [taskset, '-c', cores.join(','), ...command]

export function pinSelf(cores: readonly number[]): void {
  if (taskset !== null) Bun.spawnSync([taskset, '-a', '-p', '-c', cores.join(','), String(process.pid)])
}

const chrt = Bun.which('chrt')

/**
 * Keeps every core busy with a loop of the lowest class there is, which gives way to anything else at once. The host of a
 * virtual machine takes away cores that idle and gives them back late, by tens of milliseconds on a host with much to do:
 * without the loops, it is the host's latency that is measured. The kernel accounts them as nice, apart from all else.
 * Nothing is done where chrt is missing.
 */
export function keepAwake(): Disposable {
  // It ends with this process too, however that ends.
  const loop = `while [ -d /proc/${process.pid} ]; do i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; done`
  const loops =
    chrt === null
      ? []
      : allCores.map((core) => Bun.spawn(pinned([core], ['nice', '-n', '19', chrt, '-i', '0', 'sh', '-c', loop])))
  return {
    [Symbol.dispose]: () => {
      for (const each of loops) each.kill('SIGKILL')
    },
  }
}

/** The unit of /proc/stat and /proc/<pid>/stat is a hundredth of a second on every Linux that Bun runs on. */
const TICK_MICROS = 10_000

/** Processor time, apart for what a process did itself and what the kernel did for it. */
export type CpuTime = { readonly userMicros: number; readonly systemMicros: number }

/** The times are with those of children that have ended. */
export type ProcessStat = CpuTime & { readonly pid: number; readonly parent: number }

/** Reads a line of /proc/<pid>/stat; the name of the program may hold spaces and brackets, so it ends at the last one. */
export function parseStat(line: string): ProcessStat {
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
  // After the name, field 0 is the state, 1 the parent, and 11 to 14 are utime, stime, cutime and cstime.
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15).map(Number)
  return {
    ...{ pid: Number.parseInt(line, 10), parent: Number(fields[1]) },
    ...{ userMicros: (user + childUser) * TICK_MICROS, systemMicros: (system + childSystem) * TICK_MICROS },
  }
}

/** The process and those below it, the process itself first. */
export function descendants(root: number, all: readonly ProcessStat[]): ProcessStat[] {
  const found = all.filter(({ pid }) => pid === root)
  for (const member of found) found.push(...all.filter(({ parent }) => parent === member.pid))
  return found
}

export function processTree(root: number): ProcessStat[] {
  const all = readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .flatMap((pid) => {
      try {
        return [parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))]
      } catch {
        // It ended while the list was being read.
        return []
      }
    })
  return descendants(root, all)
}

export const cpuTimeOf = (root: number): CpuTime =>
  processTree(root).reduce(
    (sum: CpuTime, { userMicros, systemMicros }) => ({
      userMicros: sum.userMicros + userMicros,
      systemMicros: sum.systemMicros + systemMicros,
    }),
    { userMicros: 0, systemMicros: 0 },
  )

export function cpuMicrosOf(root: number): number {
  const { userMicros, systemMicros } = cpuTimeOf(root)
  return userMicros + systemMicros
}

/** From /proc/stat: user, system and stolen time of the cores given; idling, interrupts and what keeps a core awake are left out. */
export function parseBusy(text: string, cores: readonly number[]): number {
  const ticks = cores.flatMap((core) => {
    const fields = text
      .match(new RegExp(`^cpu${core} (.*)$`, 'm'))?.[1]
      ?.split(' ')
      .map(Number)
    if (fields === undefined) throw new Error(`/proc/stat has no line for core ${core}`)
    return [0, 2, 7].map((field) => fields[field] ?? 0)
  })
  return ticks.reduce((sum, each) => sum + each, 0) * TICK_MICROS
}

export const busyMicros = (cores: readonly number[]): number => parseBusy(readFileSync('/proc/stat', 'utf8'), cores)

/** The ticks in which the machine could run, idle or not, and those that its host gave to others. */
export function hostTicks(text = readFileSync('/proc/stat', 'utf8')): {
  readonly all: number
  readonly stolen: number
} {
  const ticks = (text.match(/^cpu +(.*)$/m)?.[1] ?? '').split(' ').slice(0, 8).map(Number)
  return { all: ticks.reduce((sum, some) => sum + some, 0), stolen: ticks[7] ?? 0 }
}

export type Memory = {
  readonly residentBytes: number
  /**
   * Heap and stacks, which the kernel cannot drop because there is no file behind them. What the kernel calls private would
   * be wrong here: it counts the pages of a mapped file too, as long as no other process has touched the same ones.
   */
  readonly anonymousBytes: number
}

export function parseRollup(text: string): Memory {
  const bytes = (name: string): number => {
    const kilobytes = text.match(new RegExp(`^${name}:\\s+([0-9]+) kB$`, 'm'))?.[1]
    if (kilobytes === undefined) throw new Error(`smaps_rollup has no line ${name}`)
    return Number(kilobytes) * 1024
  }
  return {
    residentBytes: bytes('Rss'),
    anonymousBytes: bytes('Anonymous'),
  }
}

/** The memory of the largest process among this one and its descendants, by anonymous memory. */
export function largestMemory(root: number): Memory {
  const each = processTree(root).map(({ pid }) => parseRollup(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')))
  return each.reduce((largest, memory) => (memory.anonymousBytes > largest.anonymousBytes ? memory : largest))
}

/** On arm64 /proc/cpuinfo has no names: lscpu knows the usual processors by their numbers, which are the last resort. */
export function processorName(lscpu: string, cpuinfo: string): string {
  const value = (text: string, name: string) => text.match(new RegExp(`^${name}\\s*:\\s*(.*[^\\s-].*)$`, 'im'))?.[1]
  const name = value(lscpu, 'Model name') ?? value(cpuinfo, 'model name')
  if (name !== undefined) return name.trim()
  const [implementer, part] = [value(cpuinfo, 'CPU implementer'), value(cpuinfo, 'CPU part')]
  return implementer === undefined ? 'unknown processor' : `processor of implementer ${implementer}, part ${part}`
}

function output(command: readonly string[]): string {
  if (Bun.which(command[0] as string) === null) return ''
  const { stdout } = Bun.spawnSync([...command], { cwd: ROOT, env: { ...process.env, LC_ALL: 'C' }, stderr: 'ignore' })
  return stdout.toString().trim()
}

/** The lines about the machine that stand beside figures. */
export function describeMachine(): string[] {
  const processor = processorName(output(['lscpu']), readFileSync('/proc/cpuinfo', 'utf8'))
  const system = readFileSync('/etc/os-release', 'utf8').match(/^PRETTY_NAME="?([^"\n]+)/m)?.[1] ?? 'Linux'
  const commit = output(['git', 'rev-parse', '--short', 'HEAD']) || 'unknown'
  const isChanged = output(['git', 'status', '--porcelain', '--', 'packages', 'package.json']) !== ''
  return [
    `${processor} (${process.arch}), ${CORES} cores, ${Math.round(totalmem() / 2 ** 30)} GiB of memory`,
    `${system}, Linux ${release()}`,
    `commit ${commit}${isChanged ? ', with changes' : ''}`,
  ]
}

/** The highest limit of open files among a process and its descendants. */
export function openFilesAllowed(root: number): number {
  const each = processTree(root).map(({ pid }) => parseOpenFiles(readFileSync(`/proc/${pid}/limits`, 'utf8')))
  return Math.max(...each)
}

export function parseOpenFiles(limits: string): number {
  const soft = limits.match(/^Max open files\s+(\S+)/m)?.[1]
  if (soft === undefined) throw new Error('/proc/<pid>/limits has no line for open files')
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft)
}

/** A path among the work files, whose directory is there. */
export function workPath(...names: readonly string[]): string {
  const path = join(WORK, ...names)
  mkdirSync(join(path, '..'), { recursive: true })
  return path
}
