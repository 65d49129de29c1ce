// One writer at a time on all machines: an advisory lock of PostgreSQL, and a row that says who holds it.
import { hostname } from 'node:os'
import { Failure } from '../../base/failure.ts'
import type { ShelfConnection } from './connection.ts'

/** The two numbers of the lock: any that no other program uses in this database. */
const CLASS = 0x6e6f6d65
const OBJECT = 1
export const WRITER_LOCK = `${CLASS}, ${OBJECT}`

const POLL_MILLISECONDS = 250

export type Writer = { readonly host: string; readonly pid: number; readonly doing: string; readonly since: string }

/** Waits for the lock, which ends with the connection. Says who holds it, once when the waiting begins. */
export async function lockShelf(
  connection: ShelfConnection,
  doing: string,
  wait: { readonly milliseconds: number; readonly onWait: (holder: string) => void },
): Promise<void> {
  const deadline = performance.now() + wait.milliseconds
  for (let tries = 0; ; tries++) {
    const [got] = await connection.query<{ locked: boolean }>(`SELECT pg_try_advisory_lock(${WRITER_LOCK}) AS locked`)
    if (got?.locked === true) break
    const holder = describeWriter(await writerOf(connection))
    if (performance.now() >= deadline)
      throw new Failure(`another machine is changing the shelf: ${holder}; try again when it is done`)
    if (tries === 0) wait.onWait(holder)
    await Bun.sleep(POLL_MILLISECONDS)
  }
  await connection.query(
    `INSERT INTO nomenclator.writer (host, pid, doing, since) VALUES ($1, $2, $3, clock_timestamp())
     ON CONFLICT (single) DO UPDATE SET host = excluded.host, pid = excluded.pid, doing = excluded.doing, since = excluded.since`,
    [hostname(), process.pid, doing],
  )
}

/** Who holds the lock at this moment. */
export async function writerOf(connection: ShelfConnection): Promise<Writer | undefined> {
  const [writer] = await connection.query<Writer>(
    `SELECT host, pid, doing, to_char(since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS since
     FROM nomenclator.writer
     WHERE EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = ${CLASS} AND objid = ${OBJECT}
       AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`,
  )
  return writer
}

const describeWriter = (writer: Writer | undefined): string =>
  writer === undefined
    ? 'a process that is just starting or ending'
    : `${writer.doing} (process ${writer.pid} on ${writer.host}, since ${writer.since})`
