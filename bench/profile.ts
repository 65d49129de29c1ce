// The time of one hot page, by where it goes: user and system time, system calls, and functions of our own.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loads, wrkOrSockets } from './load.ts'
import { cpuTimeOf, describeMachine, workPath } from './machine.ts'
import { figure, list, table } from './report.ts'
import { nomenclator, Server } from './servers.ts'

type Share = { readonly name: string; readonly share: number }

const SHOWN = 16
/** The least share of the time of a process that is shown; less is noise. */
const MIN_SHARE = 0.005
const SAMPLES_PER_SECOND = 2_999

/** The lines of `perf report`, each a share and what it is the share of. */
export function parsePerf(text: string): Share[] {
  return [...text.matchAll(/^ *([0-9.]+)% +(?:[0-9.]+% +)?(?:\[[.k]\] +)?(\S.*?)(?: +-)* *$/gm)].map(
    ([, percent, name]) => ({ name: name as string, share: Number(percent) / 100 }),
  )
}

/** The shares of system calls, callees included: the kernel names their functions alike on every processor. */
export const systemCalls = (shares: readonly Share[]): Share[] =>
  shares.flatMap(({ name, share }) => {
    const call = /^__(?:x64|arm64)_sys_(\w+)$/.exec(name)?.[1]
    return call === undefined ? [] : [{ name: call, share }]
  })

type CpuProfile = {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/** The time in each function itself, without what it calls; largest first. */
export function selfTimes({ nodes, samples, timeDeltas }: CpuProfile): Share[] {
  const names = new Map(
    nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => {
      const file = url.split('/').slice(-2).join('/')
      return [id, `${functionName || 'anonymous'}${file === '' ? '' : ` (${file}:${lineNumber + 1})`}`]
    }),
  )
  const sums = new Map<string, number>()
  samples.forEach((id, at) => {
    const name = names.get(id) ?? 'unknown'
    // Waiting for requests is no work.
    if (name !== '(idle)') sums.set(name, (sums.get(name) ?? 0) + (timeDeltas[at] ?? 0))
  })
  const total = [...sums.values()].reduce((sum, each) => sum + each, 0)
  return [...sums].map(([name, micros]) => ({ name, share: micros / total })).sort((a, b) => b.share - a.share)
}

const shareTable = (head: string, shares: readonly Share[]): string =>
  table(
    1,
    [head, 'share'],
    shares
      .filter(({ share }) => share >= MIN_SHARE)
      .slice(0, SHOWN)
      .map(({ name, share }) => [name.replaceAll('|', '/'), `${figure(share * 100, 1)} %`]),
  )

/** Samples of all threads of the process, kernel and user alike, while the load runs. */
async function perfTables(pid: number, run: () => Promise<unknown>, seconds: number): Promise<string[]> {
  if (Bun.which('perf') === null) return ['perf is not installed (Debian: linux-perf), so system calls are not shown.']
  const data = workPath('perf.data')
  const rate = ['-e', 'cpu-clock', '-F', String(SAMPLES_PER_SECOND), '-g']
  const recorder = Bun.spawn(['perf', 'record', ...rate, '-p', String(pid), '-o', data, '--', 'sleep', `${seconds}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await run()
  if ((await recorder.exited) !== 0) return [`perf does not work here: ${(await recorder.stderr.text()).trim()}`]
  const shares = (...how: string[]) => {
    const command = ['perf', 'report', '-i', data, '--stdio', '-q', '-g', 'none', ...how]
    return parsePerf(Bun.spawnSync(command).stdout.toString())
  }
  const symbols = shares('--no-children', '--sort', 'symbol').filter(({ name }) => !name.startsWith('0x'))
  return [
    'All processor time, by where it was spent:',
    shareTable('program', shares('--no-children', '--sort', 'dso')),
    'By system call, with all that the kernel does in it:',
    shareTable('system call', systemCalls(shares('--children', '--sort', 'symbol'))),
    'By function of the kernel or a library, without what it calls:',
    shareTable('function', symbols),
  ]
}

async function functionTable(home: string, seconds: number): Promise<string[]> {
  const directory = workPath('cpu-profile')
  mkdirSync(directory, { recursive: true })
  {
    const flags = ['--cpu-prof', `--cpu-prof-dir=${directory}`]
    await using server = await Server.start(nomenclator(home, { name: 'nomenclator, profiled', bunFlags: flags }))
    await wrkOrSockets(server, loads.hot, seconds)
  }
  const [file] = readdirSync(directory)
  if (file === undefined) return ['Bun wrote no profile of functions.']
  const shares = selfTimes(JSON.parse(readFileSync(join(directory, file), 'utf8')))
  return [
    'By function of this program, without what it calls (calls of the system count for the function that makes them):',
    shareTable('function', shares),
  ]
}

/** The load is that of one hot page, over 64 connections, as fast as responses come. */
export async function profile(home: string, seconds: number): Promise<string> {
  const parts: string[] = [list(describeMachine())]
  {
    await using server = await Server.start(nomenclator(home))
    await wrkOrSockets(server, loads.hot, 2)
    const before = cpuTimeOf(server.pid)
    const { requests, seconds: loaded } = await wrkOrSockets(server, loads.hot, seconds)
    const after = cpuTimeOf(server.pid)
    const user = (after.userMicros - before.userMicros) / requests
    const system = (after.systemMicros - before.systemMicros) / requests
    const sum = `${figure(user + system, 2)} µs of CPU: ${figure(user, 2)} user and ${figure(system, 2)} system`
    parts.push(`A request took ${sum}, at ${figure(requests / loaded)} requests/s.`)
    parts.push(...(await perfTables(server.pid, () => wrkOrSockets(server, loads.hot, seconds), seconds)))
  }
  parts.push(...(await functionTable(home, seconds)))
  return parts.join('\n\n')
}
