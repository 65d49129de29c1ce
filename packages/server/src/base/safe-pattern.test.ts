// What is taken for safe is matched at once, and ordinary patterns are safe.
import { expect, test } from 'bun:test'
import { isSafePattern } from './safe-pattern.ts'

test.each([
  '^[^\\x00-\\x1f\\x7f]{1,1000}$',
  '^[A-Z]{2,5}$',
  '^[a-z][A-Za-z0-9]*$',
  '^(censo 2020|servicio 2026)$',
  '^\\d{2}(?:\\.\\d+)?$',
  '^[\\w.-]+@[\\w-]+\\.(?:com|org)$',
  '^(?<year>\\d{4})-(ab){2}$',
  'a*?b',
])('%s is safe', (source) => {
  expect(isSafePattern(source)).toBe(true)
})

test.each([
  ...[
    '(a+)+$',
    '(a|a)*$',
    '(a*)*b',
    '((ab)?)+c',
    '(?:x+){2,}y',
    '.*.*.*.*=',
    '(a)\\1',
    'a(?=b)',
    '(?<!a)b',
    '[z-a]',
    '(a',
  ],
  'a'.repeat(501),
])('%s is not', (source) => {
  expect(isSafePattern(source)).toBe(false)
})

test.each(['^\\w*\\d*x$', '^(?:ab){40}c$', '^.{1,1000}y$', '^[a-z]+@[a-z]+\\.[a-z]+$'])('%s takes little', (source) => {
  expect(isSafePattern(source)).toBe(true)
  const before = process.cpuUsage()
  new RegExp(source, 'u').test(`${'a'.repeat(1_000)}!`)
  expect(process.cpuUsage(before).user).toBeLessThan(500_000)
})
