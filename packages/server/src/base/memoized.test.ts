// A memoized function computes once for an object, and again for another.
import { expect, test } from 'bun:test'
import { memoized } from './memoized.ts'

test('computes once for each object, with the arguments of the first call', () => {
  const calls: unknown[] = []
  const of = memoized((key: { name: string }, rest: number) => {
    calls.push([key.name, rest])
    return `${key.name}${rest}`
  })
  const [a, b] = [{ name: 'a' }, { name: 'b' }]
  expect([of(a, 1), of(a, 2), of(b, 3), of({ name: 'a' }, 4)]).toEqual(['a1', 'a1', 'b3', 'a4'])
  expect(calls).toEqual([
    ['a', 1],
    ['b', 3],
    ['a', 4],
  ])
})

test('keeps an undefined result', () => {
  let calls = 0
  const of = memoized((_: object): string | undefined => {
    calls++
    return undefined
  })
  const key = {}
  expect([of(key), of(key), calls]).toEqual([undefined, undefined, 1])
})
