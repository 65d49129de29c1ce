// The turns of the event loop: long work is spread over several, in order.
import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test'
import { Turns } from './turns.ts'

/** The clock, which only goes on while a task is busy. */
let now = 0
let clock: ReturnType<typeof spyOn>
beforeEach(() => {
  clock = spyOn(performance, 'now').mockImplementation(() => now)
})
afterEach(() => clock.mockRestore())

const busyFor = (milliseconds: number) => {
  now += milliseconds
}
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

test('a turn has time until it is used up, and the next one has time again', async () => {
  const turns = new Turns(2)
  expect([turns.hasTime(), turns.hasTime()]).toEqual([true, true])
  busyFor(3)
  expect(turns.hasTime()).toBe(false)
  await nextTurn()
  expect(turns.hasTime()).toBe(true)
})

test('tasks run in order, as many in a turn as it has time for, and other work comes between', async () => {
  const turns = new Turns(2)
  const done: string[] = []
  for (const name of ['a', 'b', 'c', 'd']) {
    turns.enqueue(() => {
      busyFor(1.5)
      done.push(name)
      return false
    })
  }
  expect(done).toEqual([])
  let others = 0
  for (let turn = 0; done.length < 4 && turn < 100; turn++) {
    const before = done.length
    await nextTurn()
    expect(done.length - before).toBeLessThanOrEqual(2)
    others++
  }
  expect([done, others > 1]).toEqual([['a', 'b', 'c', 'd'], true])
})

test('what goes on after its task is the only one of its turn', async () => {
  const turns = new Turns(2)
  turns.hasTime()
  busyFor(3)
  const done: number[] = []
  const all = [1, 2, 3].map((n) => turns.timeForMore().then(() => done.push(n)))
  for (let turn = 0; done.length < 3 && turn < 100; turn++) {
    const before = done.length
    await nextTurn()
    expect(done.length - before).toBeLessThanOrEqual(1)
  }
  await Promise.all(all)
  expect(done).toEqual([1, 2, 3])
})

test('where nothing is said, a turn has three milliseconds', () => {
  const turns = new Turns()
  expect(turns.hasTime()).toBe(true)
  busyFor(3)
  expect(turns.hasTime()).toBe(false)
})
