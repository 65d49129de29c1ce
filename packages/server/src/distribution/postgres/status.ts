// Reports the releases on the shared shelf, their size, the current writer, and the nodes that follow.
import { own } from '../../base/json.ts'
import { parsedObject } from '../../base/json-bounds.ts'
import { readOrUndefined } from '../../base/schema.ts'
import { MANIFEST_FILE } from '../../release/manifest.ts'
import { fetchable } from '../shelf/offered.ts'
import type { ShelfConnection } from './connection.ts'
import { REPORT_PREFIX, readListing } from './pg-reader.ts'
import { writerOf } from './writer-lock.ts'

export type ShelfReport = Awaited<ReturnType<typeof shelfReport>>

export async function shelfReport(connection: ShelfConnection, verifies: boolean) {
  const { generation, history, releases } = await readListing(connection)
  const [current = ''] = history.split('\n')
  const [pointer] = await connection.query<{ changed: string; changed_by: string }>(
    "SELECT to_char(changed AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') AS changed, changed_by FROM nomenclator.pointer",
  )
  const sizes = await sizesOf(connection)
  const [room] = await connection.query<Record<'chunks' | 'plain' | 'packed' | 'disk', string>>(
    `SELECT count(*) AS chunks, coalesce(sum(size), 0) AS plain, coalesce(sum(length(packed)), 0) AS packed,
       (SELECT sum(pg_total_relation_size(oid)) FROM pg_class
        WHERE relnamespace = 'nomenclator'::regnamespace AND relkind = 'r') AS disk
     FROM nomenclator.chunk`,
  )
  const listed = [...releases].map(([digest, files]) => {
    const { built = null, source } = readOrUndefined(fetchable, parsedObject(files[MANIFEST_FILE] ?? '')) ?? {}
    // Compressed sizes: of all its chunks, and of those that no other release has.
    const { bytes = 0, ownBytes = 0 } = sizes.get(digest) ?? {}
    return { digest, built, source: source?.kind ?? null, current: digest === current, bytes, ownBytes }
  })
  return {
    generation,
    changed: generation === 0 ? 'never' : (pointer?.changed ?? ''),
    changedBy: pointer?.changed_by ?? '',
    current: current === '' ? null : current,
    releases: listed.toSorted((a, b) => (b.built ?? '').localeCompare(a.built ?? '')),
    room: {
      chunks: Number(room?.chunks ?? 0),
      // Before and after compression.
      plainBytes: Number(room?.plain ?? 0),
      packedBytes: Number(room?.packed ?? 0),
      // All tables with their indexes on the disk of PostgreSQL.
      databaseBytes: Number(room?.disk ?? 0),
    },
    // Absent unless the chunks were verified.
    ...(verifies && { damagedChunks: await damagedChunks(connection) }),
    writer: (await writerOf(connection)) ?? null,
    nodes: await nodesOf(connection),
  }
}

async function sizesOf(connection: ShelfConnection): Promise<Map<string, { bytes: number; ownBytes: number }>> {
  const rows = await connection.query<{ release: string; bytes: string; own: string }>(
    `WITH used AS (
       SELECT DISTINCT release, chunk FROM nomenclator.release_entity JOIN nomenclator.entity_chunk USING (entity)
     ), counted AS (SELECT chunk, count(*) AS uses FROM used GROUP BY chunk)
     SELECT release, sum(length(packed)) AS bytes, coalesce(sum(length(packed)) FILTER (WHERE uses = 1), 0) AS own
     FROM used JOIN counted USING (chunk) JOIN nomenclator.chunk ON chunk.digest = used.chunk GROUP BY release`,
  )
  return new Map(rows.map(({ release, bytes, own }) => [release, { bytes: Number(bytes), ownBytes: Number(own) }]))
}

const VERIFY_SECONDS = 600

/** The database verifies the chunks itself, so that nothing goes over the network. */
export async function damagedChunks(connection: ShelfConnection): Promise<string[]> {
  const rows = await connection.query<{ digest: string }>(
    'SELECT digest FROM nomenclator.chunk WHERE sha256(packed) <> packed_sha256',
    [],
    VERIFY_SECONDS,
  )
  return rows.map(({ digest }) => digest)
}

const STATES = { f: 'follows', o: 'older', k: 'fork', r: 'refused', a: 'returning' } as const

/** Reads the status of nodes from the names of their sessions, so that a node needs no right to write. */
async function nodesOf(connection: ShelfConnection) {
  const rows = await connection.query<{ name: string; now: string }>(
    `SELECT application_name AS name, extract(epoch FROM clock_timestamp())::bigint AS now
     FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE $1`,
    [`${REPORT_PREFIX}%`],
  )
  const nodes = rows.flatMap(({ name, now }) => {
    const parts = /^([A-Za-z0-9.-]*)\/([0-9]{1,10}):([0-9a-f-]*):([forak]):([0-9a-f]*)$/.exec(
      name.slice(REPORT_PREFIX.length),
    )
    if (parts === null) return []
    const [, host = '', pid, release = '-', state = 'f', time = ''] = parts
    const reportedSecondsAgo = Math.max(0, Number(now) - (time === '' ? Number(now) : Number.parseInt(time, 16)))
    // The beginning of the digest of the served release.
    const served = release === '-' ? null : release
    return [{ host, pid: Number(pid), release: served, state: own(STATES, state) ?? STATES.f, reportedSecondsAgo }]
  })
  return nodes.toSorted((a, b) => a.host.localeCompare(b.host) || a.pid - b.pid)
}
