// The command line of the benchmark.
import { describe, expect, test } from 'bun:test'
import { readOptions } from './options.ts'

test('without arguments it is the full run', () => {
  expect(readOptions([])).toMatchObject({ run: 'full', rounds: 5, seconds: 2, workers: 1, growth: 10, out: 'docs' })
})

describe('arguments', () => {
  const cases: [string, object][] = [
    ['--quick', { run: 'quick', rounds: 6, seconds: 1 }],
    ['--smoke', { run: 'smoke' }],
    ['--growth 100 --workers 2', { growth: 100, workers: 2 }],
    ['--servers nginx,drf --fresh', { servers: ['nginx', 'drf'], fresh: true }],
  ]
  for (const [argv, expected] of cases) test(argv, () => expect(readOptions(argv.split(' '))).toMatchObject(expected))
})

describe('mistakes', () => {
  const mistakes = [
    '--quick --smoke',
    '--rounds 0',
    '--rounds many',
    '--seconds 1.5',
    '--growth 7',
    '--workers -1',
    '--servers apache',
    '--slow',
  ]
  for (const argv of mistakes) {
    test(argv, () => expect(readOptions(argv.split(' '))).toMatchObject({ wrong: expect.any(String) }))
  }
})
