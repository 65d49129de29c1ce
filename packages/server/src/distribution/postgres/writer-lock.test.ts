// Waiting for the lock of a shelf, until it is free or the time is over, with one message about its holder.
import { expect, test } from 'bun:test'
import type { ShelfConnection } from './connection.ts'
import { lockShelf, writerName } from './writer-lock.ts'

const row = { host: 'other', pid: 7, doing: 'import v1', since: '2026-01-02T03:04:05Z' }
const session = { user: 'u', session: 9, name: 'psql', writes: true, ...row }
const writer = { ...session, name: writerName('other', 7) }

/** A shelf that another holds for so many tries. */
function shelfHeldFor(tries: number, holder: object | null = writer) {
  const left = { tries, entered: [] as unknown[] }
  const query = async (text: string, parameters: readonly unknown[] = []) => {
    if (text.includes('pg_try_advisory_lock')) return [{ locked: left.tries-- <= 0 }]
    if (text.startsWith('INSERT')) left.entered.push(parameters[2])
    return text.startsWith('SELECT usename') && holder !== null ? [holder] : []
  }
  return { connection: { query } as unknown as ShelfConnection, left }
}

test('a lock that is free is taken, and who has it is written down', async () => {
  const { connection, left } = shelfHeldFor(0)
  const holders: string[] = []
  await lockShelf(connection, 'rollback', { milliseconds: 0, onWait: (holder) => holders.push(holder) })
  expect([holders, left.entered]).toEqual([[], ['rollback']])
})

test('a writer that waits reports the holder once, and then has the lock', async () => {
  const { connection, left } = shelfHeldFor(3)
  const holders: string[] = []
  await lockShelf(connection, 'rollback', { milliseconds: 60_000, onWait: (holder) => holders.push(holder) })
  expect(holders).toEqual(['import v1 (process 7 on other, since 2026-01-02T03:04:05Z)'])
  expect(left.entered).toEqual(['rollback'])
})

test.each([
  [writer, 'import v1 (process 7 on other, since 2026-01-02T03:04:05Z)'],
  [session, 'session 9 of the user u in PostgreSQL, which has not said what it does'],
  [null, 'a process that is just starting or ending'],
])('who has no time to wait is refused', async (holder, words) => {
  const { connection, left } = shelfHeldFor(1e9, holder)
  const waiting = lockShelf(connection, 'rollback', { milliseconds: 0, onWait: () => {} })
  await expect(waiting).rejects.toThrow(`another machine is changing the shelf: ${words}; try again when it is done`)
  expect(left.entered).toEqual([])
})

test('one who may not write does not keep others from it', async () => {
  const { connection, left } = shelfHeldFor(1e9, { ...session, writes: false })
  await lockShelf(connection, 'rollback', { milliseconds: 0, onWait: () => {} })
  expect(left.entered).toEqual(['rollback'])
})
