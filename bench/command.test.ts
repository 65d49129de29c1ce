// The command lines of both benchmarks.
import { describe, expect, test } from 'bun:test'
import { readOptions } from './bench.ts'
import { readOptions as readSearchOptions } from './search/search.ts'

const words = (line: string) => line.split(' ').filter((word) => word !== '')

describe('npm run bench', () => {
  const cases: [string, string[], object][] = [
    ['', ['nginx', 'fastify', 'drf'], { rounds: 5, out: `bench/results/serving-${process.arch}.md` }],
    ['--quick', ['nginx'], { rounds: 5, out: undefined }],
    ['--smoke --rounds 3', [], { rounds: 3, out: undefined }],
    ['--quick --out here', ['nginx'], { kind: 'compare', out: 'here' }],
    ['--starts', [], { kind: 'starts', out: 'bench/results/starts.md' }],
    ['--profile', [], { kind: 'profile', out: undefined }],
  ]
  test.each(cases)('%p', (line, compared, expected) => {
    const { peers, ...options } = readOptions(words(line))
    expect(peers.map(({ name }) => name)).toEqual(compared)
    expect(options).toMatchObject(expected)
  })

  test.each(['--rounds 0', '--rounds many', '--slow', 'more', '--quick --profile'])('refuses %s', (line) =>
    expect(() => readOptions(words(line))).toThrow(),
  )
})

describe('npm run bench:search', () => {
  test('writes the report unless it is quick', () => {
    expect(readSearchOptions([]).out).toBe('bench/results/search.md')
    expect(readSearchOptions(['--quick'])).toMatchObject({ quick: true, out: undefined })
    expect(readSearchOptions(['--home', 'here']).out).toBeUndefined()
    expect(readSearchOptions(['--quick', '--out', 'here.md']).out).toBe('here.md')
  })

  test.each(['--slow', '--out', 'more', '--sample=many'])('refuses %s', (line) =>
    expect(() => readSearchOptions([line])).toThrow(),
  )
})
