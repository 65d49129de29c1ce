// The machine and the programs that figures were taken on.
import { readFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { type Contender, versionLine } from '../servers/contender.ts'
import { coreCount } from './cores.ts'
import { ROOT } from './places.ts'

export type Machine = {
  readonly processor: string
  readonly cores: number
  readonly memoryBytes: number
  readonly system: string
  readonly kernel: string
  readonly commit: string
  readonly versions: Readonly<Record<string, string>>
}

export function describeMachine(contenders: readonly Contender[]): Machine {
  const versions = contenders.map(({ name, version }) => [name, version()] as const)
  const wrk = Bun.which('wrk') === null ? [] : [['wrk', versionLine(['wrk', '-v'])] as const]
  return {
    processor: cpus()[0]?.model ?? 'unknown',
    cores: coreCount(),
    memoryBytes: totalmem(),
    system: systemName(),
    kernel: release(),
    commit: commit(),
    versions: Object.fromEntries([...versions, ...wrk]),
  }
}

function systemName(): string {
  try {
    return readFileSync('/etc/os-release', 'utf8').match(/^PRETTY_NAME="?([^"\n]+)/m)?.[1] ?? 'Linux'
  } catch {
    return 'Linux'
  }
}

function commit(): string {
  if (Bun.which('git') === null) return 'unknown'
  const git = (...words: string[]) =>
    Bun.spawnSync(['git', ...words], { cwd: ROOT, stderr: 'ignore' })
      .stdout.toString()
      .trim()
  const head = git('rev-parse', '--short', 'HEAD')
  if (head === '') return 'unknown'
  return git('status', '--porcelain', '--', 'src', 'package.json') === '' ? head : `${head}, with changes`
}
