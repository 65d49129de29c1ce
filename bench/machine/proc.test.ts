// What is read from /proc: processor time, memory, and the time of others.
import { describe, expect, test } from 'bun:test'
import { parseRollup } from './memory.ts'
import { parseBusy, parseStolen } from './noise.ts'
import { descendants, parseStat } from './process-tree.ts'

const stat = (pid: number, name: string, parent: number, times: string) =>
  `${pid} (${name}) S ${parent} 1 1 0 -1 4194560 9 0 0 0 ${times} 20 0 5 0 100 1000 200 18446744073709551615`

describe('a line of /proc/<pid>/stat', () => {
  const cases = [
    {
      name: 'adds up user and system time, also of children that ended',
      line: stat(7, 'bun', 3, '100 20 3 4'),
      cpu: 1_270_000,
    },
    { name: 'a program with a space in its name', line: stat(7, 'nginx: worker', 3, '1 0 0 0'), cpu: 10_000 },
    { name: 'a program with brackets in its name', line: stat(7, 'a) S 9 (b', 3, '0 2 0 0'), cpu: 20_000 },
  ]
  for (const { name, line, cpu } of cases) {
    test(name, () => expect(parseStat(line)).toEqual({ pid: 7, parent: 3, cpuMicros: cpu }))
  }

  test('anything else is refused', () => expect(() => parseStat('7 (bun)')).toThrow('not a line'))
})

test('a tree is the process, its children and theirs, and nobody else', () => {
  const all = [
    { pid: 1, parent: 0, cpuMicros: 0 },
    { pid: 5, parent: 1, cpuMicros: 0 },
    { pid: 6, parent: 5, cpuMicros: 0 },
    { pid: 7, parent: 6, cpuMicros: 0 },
    { pid: 8, parent: 1, cpuMicros: 0 },
  ]
  expect(descendants(5, all).map(({ pid }) => pid)).toEqual([5, 6, 7])
  expect(descendants(9, all)).toEqual([])
})

describe('smaps_rollup', () => {
  const text = 'Rss:    2000 kB\nPss_Anon:  7 kB\nPrivate_Clean:  30 kB\nPrivate_Dirty:  12 kB\nAnonymous:   10 kB\n'

  test('private memory is clean and dirty together', () => {
    expect(parseRollup(text)).toEqual({ residentBytes: 2_048_000, privateBytes: 43_008, anonymousBytes: 10_240 })
  })

  test('a missing line is named', () => expect(() => parseRollup('Rss: 1 kB\n')).toThrow('Private_Clean'))
})

test('the time of others on a core leaves out idling and interrupts', () => {
  const text = 'cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 10 1 5 1000 50 7 8 2 0 0\ncpu1 1 0 0 0 0 0 0 0 0 0\nintr 1\n'
  expect(parseBusy(text, [0])).toBe(180_000)
  expect(parseBusy(text, [0, 1])).toBe(190_000)
  expect(() => parseBusy(text, [2])).toThrow('core 2')
})

test('stolen time is that which the host gave to other machines, out of all that there was', () => {
  expect(parseStolen('cpu  100 1 20 300 5 0 4 70 9 9\ncpu0 1 2 3\n')).toEqual({ ticks: 500, stolen: 70 })
})
