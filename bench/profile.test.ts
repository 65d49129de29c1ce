// Readings of profiles: shares by perf, and self times by Bun.
import { expect, test } from 'bun:test'
import { parsePerf, selfTimes, systemCalls } from './profile.ts'

test('the lines of perf, with and without a second share and a mark of the kernel', () => {
  const text = `
    56.25%  [kernel.kallsyms]
     7.13%  [JIT] tid 20448
    40.50%     0.30%  [k] __x64_sys_sendto            -      -
    12.00%     0.10%  [k] __arm64_sys_recvfrom        -      -
     1.59%  [.] __memmove_avx512_unaligned_erms       -      -
`
  const shares = parsePerf(text)
  expect(shares).toEqual([
    { name: '[kernel.kallsyms]', share: 0.5625 },
    { name: '[JIT] tid 20448', share: 0.0713 },
    { name: '__x64_sys_sendto', share: 0.405 },
    { name: '__arm64_sys_recvfrom', share: 0.12 },
    { name: '__memmove_avx512_unaligned_erms', share: 0.0159 },
  ])
  expect(systemCalls(shares).map(({ name }) => name)).toEqual(['sendto', 'recvfrom'])
})

test('self times add up over the nodes of a function, and idling does not count', () => {
  const node = (id: number, functionName: string, url = '') => ({ id, callFrame: { functionName, url, lineNumber: 4 } })
  const shares = selfTimes({
    nodes: [node(1, '(idle)'), node(2, 'parse', 'file:///a/b/c.ts'), node(3, 'parse', 'file:///a/b/c.ts'), node(4, '')],
    samples: [1, 2, 3, 4, 9],
    timeDeltas: [1_000, 10, 20, 60, 10],
  })
  expect(shares).toEqual([
    { name: 'anonymous', share: 0.6 },
    { name: 'parse (b/c.ts:5)', share: 0.3 },
    { name: 'unknown', share: 0.1 },
  ])
})
