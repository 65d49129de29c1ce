// How many faults are kept and counted, and how they are told.
import { expect, test } from 'bun:test'
import { Faults, type FaultyRecords } from './faults.ts'

function thrownBy(count: number): FaultyRecords | undefined {
  const faults = new Faults()
  for (let line = 1; line <= count; line++) faults.add({ file: 'a.csv', line, column: 'x', value: line, expected: 'y' })
  expect(faults.any).toBe(count > 0)
  try {
    faults.throwIfAny()
    return undefined
  } catch (error) {
    return error as FaultyRecords
  }
}

test.each([
  ['none', 0, 0, undefined],
  ['one', 1, 1, '1 fault in the records given; nothing was changed'],
  ['a hundred, all told', 100, 100, '100 faults in the records given; nothing was changed'],
  ['more, of which a hundred are told', 101, 100, '… and 1 more\n101 faults in the records given; nothing was changed'],
])('%s', (_, count, kept, end) => {
  const error = thrownBy(count)
  expect([error?.count ?? 0, error?.faults.length ?? 0]).toEqual([count, kept])
  if (end === undefined) return
  expect(error?.message).toStartWith('a.csv:1, x: 1; expected y\n')
  expect(error?.message.split('\n').slice(kept).join('\n')).toBe(end)
})

test('a long value is cut, and what is not there is nothing', () => {
  const faults = new Faults()
  faults.add({ file: 'a', line: 1, column: 'x', value: 'v'.repeat(200), expected: 'y' })
  faults.add({ file: 'a', line: 2, column: 'x', value: undefined, expected: 'y' })
  expect(() => faults.throwIfAny()).toThrow(`a:1, x: "${'v'.repeat(79)}; expected y\na:2, x: nothing; expected y\n`)
})
