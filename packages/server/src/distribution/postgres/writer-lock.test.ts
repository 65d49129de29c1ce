// Who waits for the lock of a shelf: until it is free or the time is over, and is told once for whom.
import { expect, test } from 'bun:test'
import type { ShelfConnection } from './connection.ts'
import { lockShelf } from './writer-lock.ts'

const writer = { host: 'other', pid: 7, doing: 'import v1', since: '2026-01-02T03:04:05Z' }

/** A shelf that another holds for so many tries. */
function shelfHeldFor(tries: number, holder: object | null = writer) {
  const left = { tries, entered: [] as unknown[] }
  const query = async (text: string, parameters: readonly unknown[] = []) => {
    if (text.includes('pg_try_advisory_lock')) return [{ locked: left.tries-- <= 0 }]
    if (text.startsWith('INSERT')) left.entered.push(parameters[2])
    return text.startsWith('SELECT host') && holder !== null ? [holder] : []
  }
  return { connection: { query } as unknown as ShelfConnection, left }
}

test('a lock that is free is taken, and who has it is written down', async () => {
  const { connection, left } = shelfHeldFor(0)
  const told: string[] = []
  await lockShelf(connection, 'rollback', { milliseconds: 0, onWait: (holder) => told.push(holder) })
  expect([told, left.entered]).toEqual([[], ['rollback']])
})

test('who waits is told once for whom, and then has it', async () => {
  const { connection, left } = shelfHeldFor(3)
  const told: string[] = []
  await lockShelf(connection, 'rollback', { milliseconds: 60_000, onWait: (holder) => told.push(holder) })
  expect(told).toEqual(['import v1 (process 7 on other, since 2026-01-02T03:04:05Z)'])
  expect(left.entered).toEqual(['rollback'])
})

test.each([
  [writer, 'import v1 (process 7 on other, since 2026-01-02T03:04:05Z)'],
  [null, 'a process that is just starting or ending'],
])('who has no time to wait is refused', async (holder, words) => {
  const { connection, left } = shelfHeldFor(1e9, holder)
  const waiting = lockShelf(connection, 'rollback', { milliseconds: 0, onWait: () => {} })
  await expect(waiting).rejects.toThrow(`another machine is changing the shelf: ${words}; try again when it is done`)
  expect(left.entered).toEqual([])
})
