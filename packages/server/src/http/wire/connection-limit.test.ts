// How many connections a process takes.
import { expect, test } from 'bun:test'
import { connectionLimit, descriptorLimit } from './connection-limit.ts'

const limits = (soft: string) =>
  `Limit   Soft Limit   Hard Limit   Units\nMax open files            ${soft}   99   files\n`

test.each([
  ['a number', limits('256'), 256],
  ['no limit', limits('unlimited'), Number.MAX_SAFE_INTEGER],
  ['a system that does not say', '', 1_024],
])('the limit on descriptors: %s', (_name, text, limit) => {
  expect(descriptorLimit(text)).toBe(limit)
})

test.each([
  ['leaves a quarter for files', undefined, 1_024, 768],
  ['leaves at least 64 for files', undefined, 128, 64],
  ['is never nothing', undefined, 20, 16],
  ['does not grow with the descriptors for ever', undefined, 1 << 30, 65_536],
  ['is what was asked for', 10, 1_024, 10],
  ['is what was asked for, also beyond the default', 900, 1_024, 900],
  ['is less if there are not enough descriptors', 2_000, 1_024, 960],
])('the limit on connections %s', (_name, wanted, descriptors, limit) => {
  expect(connectionLimit(wanted, descriptors)).toBe(limit)
})
