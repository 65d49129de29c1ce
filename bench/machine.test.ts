// Readings of /proc and lscpu: processor time, memory, the time of others, and the name of the processor.
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { eventually } from '../test/support/service.ts'
import {
  allCores,
  descendants,
  keepAwake,
  parseBusy,
  parseOpenFiles,
  parseRollup,
  parseStat,
  processorName,
  processTree,
} from './machine.ts'

const stat = (name: string, times: string) =>
  `7 (${name}) S 3 1 1 0 -1 4194560 9 0 0 0 ${times} 20 0 5 0 100 1000 200 18446744073709551615`

describe('a line of /proc/<pid>/stat', () => {
  const cases = [
    {
      name: 'user and system time, also of children that ended',
      line: stat('bun', '100 20 3 4'),
      cpu: [1_030_000, 240_000],
    },
    { name: 'a program with a space in its name', line: stat('nginx: worker', '1 0 0 0'), cpu: [10_000, 0] },
    { name: 'a program with brackets in its name', line: stat('a) S 9 (b', '0 2 0 0'), cpu: [0, 20_000] },
  ]
  for (const { name, line, cpu } of cases)
    test(name, () =>
      expect(parseStat(line)).toEqual({
        ...{ pid: 7, parent: 3 },
        ...{ userMicros: cpu[0] as number, systemMicros: cpu[1] as number },
      }),
    )
})

test('a tree is the process, its children and theirs, and nobody else', () => {
  const parents = { 1: 0, 5: 1, 6: 5, 7: 6, 8: 1 }
  const all = Object.entries(parents).map(([pid, parent]) => ({
    pid: Number(pid),
    parent,
    userMicros: 0,
    systemMicros: 0,
  }))
  expect(descendants(5, all).map(({ pid }) => pid)).toEqual([5, 6, 7])
  expect(descendants(9, all)).toEqual([])
})

test('memory is resident and anonymous, and a missing line is named', () => {
  const text = 'Rss:    2000 kB\nPss_Anon:  7 kB\nPrivate_Clean:  30 kB\nPrivate_Dirty:  12 kB\nAnonymous:   10 kB\n'
  expect(parseRollup(text)).toEqual({ residentBytes: 2_048_000, anonymousBytes: 10_240 })
  expect(() => parseRollup('Rss: 1 kB\n')).toThrow('Anonymous')
})

test('the limit of open files is the soft one', () => {
  const limits = 'Max processes   1   2  processes\nMax open files            1024                 20000     files\n'
  expect(parseOpenFiles(limits)).toBe(1_024)
  expect(parseOpenFiles('Max open files  unlimited  unlimited  files')).toBe(Number.POSITIVE_INFINITY)
  expect(() => parseOpenFiles('')).toThrow('open files')
})

test('the time of others on a core leaves out idling, interrupts and what keeps it awake', () => {
  const text = 'cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 10 1 5 1000 50 7 8 2 0 0\ncpu1 1 0 0 0 0 0 0 0 0 0\nintr 1\n'
  expect(parseBusy(text, [0])).toBe(170_000)
  expect(parseBusy(text, [0, 1])).toBe(180_000)
  expect(() => parseBusy(text, [2])).toThrow('core 2')
})

describe('the name of the processor', () => {
  const arm = 'processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n'
  const cases = [
    ['from lscpu', 'Vendor ID:   ARM\nModel name:   Neoverse-N1\n', arm, 'Neoverse-N1'],
    ['from /proc/cpuinfo', '', 'processor\t: 0\nmodel name\t: Intel(R) Xeon(R)\n', 'Intel(R) Xeon(R)'],
    ['by its numbers', 'Model name:  -\n', arm, 'processor of implementer 0x41, part 0xd0c'],
    ['nowhere', '', '', 'unknown processor'],
  ] as const
  test.each(cases)('%s', (_, lscpu, cpuinfo, expected) => expect(processorName(lscpu, cpuinfo)).toBe(expected))
})

test('a core is kept awake by a loop that gives way to everything, until it need not be', async () => {
  const SCHED_IDLE = '5'
  const policyOf = (pid: number) => {
    try {
      const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
      return line.slice(line.lastIndexOf(')') + 2).split(' ')[38]
    } catch {
      // It has just ended.
      return undefined
    }
  }
  const loops = () => processTree(process.pid).filter(({ pid }) => policyOf(pid) === SCHED_IDLE)
  const expected = Bun.which('chrt') === null ? 0 : allCores.length
  {
    using _awake = keepAwake()
    await eventually('the loops run', () => loops().length === expected)
  }
  await eventually('the loops have ended', () => loops().length === 0)
})
