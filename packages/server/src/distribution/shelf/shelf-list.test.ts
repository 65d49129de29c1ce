// The list of releases on the shelf: when it is read again, and the result while the shelf cannot be reached.
import { expect, test } from 'bun:test'
import { ShelfList } from './shelf-list.ts'

const NEVER_AGAIN = 3_600_000

test('a release on the shelf is found by its digest or the beginning of it, with one read', async () => {
  let reads = 0
  const list = new ShelfList(
    async () => {
      reads++
      return ['abcdef']
    },
    undefined,
    NEVER_AGAIN,
  )
  expect(await Promise.all(['abc', 'abcdef'].map((digest) => list.has(digest)))).toEqual(['there', 'there'])
  expect(await list.has('abcd')).toBe('there')
  expect(reads).toBe(1)
})

test('a release is never absent by a list that was begun before the call', async () => {
  const lists = [[], ['new']]
  const begun = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  let reads = 0
  const list = new ShelfList(
    async () => {
      const digests = lists[reads++] ?? []
      begun.resolve()
      await released.promise
      return digests
    },
    undefined,
    0,
  )
  const early = list.has('new')
  await begun.promise
  // It was published while the first list was being read.
  const late = [list.has('new'), list.has('old')]
  released.resolve()
  expect(await early).toBe('absent')
  expect(await Promise.all(late)).toEqual(['there', 'absent'])
  expect(reads).toBe(2)
})

test('while the shelf cannot be reached, the result is unknown, and the next list is another attempt', async () => {
  let reads = 0
  const list = new ShelfList(
    async () => {
      if (reads++ === 0) throw new Error('away')
      return []
    },
    undefined,
    0,
  )
  expect(await list.has('abc')).toBe('unknown')
  expect(await list.has('abc')).toBe('absent')
})

test('a release that is not on the list of a relay may be on its way there, and is requested once', async () => {
  const requested: string[] = []
  const list = new ShelfList(
    async () => [],
    async (prefix) => {
      requested.push(prefix)
      return prefix === 'awaited'
    },
    0,
  )
  const all = await Promise.all(['awaited', 'gone', 'awaited'].map((prefix) => list.has(prefix)))
  expect(all).toEqual(['unknown', 'absent', 'unknown'])
  expect(requested).toEqual(['awaited', 'gone'])
  const many = Array.from({ length: 20 }, (_, at) => list.has(`gone${at}`))
  expect((await Promise.all(many)).filter((one) => one === 'unknown').length).toBe(4)
})
