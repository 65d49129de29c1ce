// The end of a run names the failures with their reasons, and the slowest files.
import { expect, test } from 'bun:test'
import { failuresIn, slowestFiles } from './run-log.ts'

const LOG = `bun test v1
 
a.test.ts:
(pass) one > is fine [1.00ms]
7 |  expect(1).toBe(2)
error: expect(received).toBe(expected)

      at <anonymous> (a.test.ts:7:1)
(fail) two > is not [2.00ms]

b.test.ts:
(pass) three

a.test.ts:
error: in a hook
(fail) (unnamed) [19.27ms]

c.test.ts:

# Unhandled error between tests
-------------------------------
error: on its own
-------------------------------

b.test.ts:
(skip) four

2 tests failed:
(fail) two > is not [2.00ms]
(fail) (unnamed) [19.27ms]

 2 pass
 2 fail
`

test('failures are printed once, with their file and their reason', () => {
  expect(failuresIn(LOG)).toEqual([
    `a.test.ts:
7 |  expect(1).toBe(2)
error: expect(received).toBe(expected)

      at <anonymous> (a.test.ts:7:1)
(fail) two > is not [2.00ms]`,
    `a.test.ts:
error: in a hook
(fail) (unnamed) [19.27ms]`,
    `c.test.ts:

# Unhandled error between tests
-------------------------------
error: on its own
-------------------------------`,
  ])
})

test('of a run without failures there are none', () => {
  expect(failuresIn('a.test.ts:\n(pass) one\n\n 1 pass\n 0 fail\n')).toEqual([])
})

test('the slowest files are those whose tests took longest in all, each test counted once', () => {
  expect(slowestFiles(LOG, 1)).toEqual([['a.test.ts', (1 + 2 + 19.27) / 1_000]])
})
