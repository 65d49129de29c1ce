// The nodes that follow a shelf, by the names of their sessions.
import { expect, test } from 'bun:test'
import type { ShelfConnection } from './connection.ts'
import { REPORT_PREFIX } from './pg-reader.ts'
import { shelfReport } from './status.ts'

const NOW = 0x6a000000

/** A shelf without a release, that sessions of these names are connected with. */
function shelfWith(...names: readonly string[]): ShelfConnection {
  const query = async (text: string) =>
    text.includes('pg_stat_activity')
      ? names.map((name) => ({ name: `${REPORT_PREFIX}${name}`, now: String(NOW) }))
      : []
  const transaction = (_mode: string, run: () => Promise<unknown>) => run()
  return { query, transaction } as unknown as ShelfConnection
}

test('report their release, their state, and the time of the report', async () => {
  const connection = shelfWith(
    `b/7:0123456789ab:f:${(NOW - 16).toString(16)}`,
    `a/9:-:a:${(NOW + 5).toString(16)}`,
    'a/8:0123456789ab:o:',
    'c/1:0123456789ab:r:6a000000',
    'what is no report',
  )
  const { nodes } = await shelfReport(connection, false)
  const release = '0123456789ab'
  expect(nodes).toEqual([
    { host: 'a', pid: 8, release, state: 'older', reportedSecondsAgo: 0 },
    { host: 'a', pid: 9, release: null, state: 'returning', reportedSecondsAgo: 0 },
    { host: 'b', pid: 7, release, state: 'follows', reportedSecondsAgo: 16 },
    { host: 'c', pid: 1, release, state: 'refused', reportedSecondsAgo: 0 },
  ])
})

test('a shelf without a release has no current one, and chunks are verified on request only', async () => {
  const report = await shelfReport(shelfWith(), false)
  expect(report).toMatchObject({
    generation: 0,
    changed: 'never',
    current: null,
    releases: [],
    writer: null,
    nodes: [],
  })
  expect('damagedChunks' in report).toBe(false)
  expect(await shelfReport(shelfWith(), true)).toMatchObject({ damagedChunks: [] })
})
