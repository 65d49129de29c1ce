// The command line of the benchmark of the search.
import { describe, expect, test } from 'bun:test'
import { REPORT, readOptions } from './options.ts'

describe('arguments', () => {
  const cases: [string, object][] = [
    ['', { growth: false, worst: false, quick: false, json: false, out: REPORT }],
    ['--growth --worst', { growth: true, worst: true, out: REPORT }],
    ['--quick', { quick: true, out: undefined }],
    ['--quick --out here.md', { quick: true, out: 'here.md' }],
    ['--json --fresh --first', { json: true, fresh: true, first: true }],
  ]
  test.each(cases)('%p', (argv, expected) =>
    expect(readOptions(argv.split(' ').filter((word) => word !== ''))).toMatchObject(expected),
  )
})

test.each(['--slow', '--out', 'more'])('refuses %s', (argv) =>
  expect(readOptions([argv])).toMatchObject({ wrong: expect.any(String) }),
)
