// One writer at a time on all machines: an advisory lock of PostgreSQL, and a row that names its holder.
import { hostname } from 'node:os'
import { OperationalError } from '../../base/operational-error.ts'
import type { ShelfConnection } from './connection.ts'

/** The two numbers of the lock, which no other program uses in this database. */
const CLASS = 0x6e6f6d65
const OBJECT = 1
export const WRITER_LOCK = `${CLASS}, ${OBJECT}`

const POLL_MILLISECONDS = 250

type Writer = { readonly host: string; readonly pid: number; readonly doing: string; readonly since: string }

/** The session name of a writer, at most 63 bytes. It shows which session has written the row. */
export const writerName = (host = hostname(), pid = process.pid): string => `nomenclator ${pid}@${host}`.slice(0, 63)

/**
 * Waits for the lock, which ends with the connection. Reports its holder once when the wait begins. Any user can take an advisory
 * lock, so the lock of a user who may not write is ignored: a change is refused anyway if another one came first.
 */
export async function lockShelf(
  connection: ShelfConnection,
  doing: string,
  wait: { readonly milliseconds: number; readonly onWait: (holder: string) => void },
): Promise<void> {
  const deadline = performance.now() + wait.milliseconds
  for (let tries = 0; ; tries++) {
    const [got] = await connection.query<{ locked: boolean }>(`SELECT pg_try_advisory_lock(${WRITER_LOCK}) AS locked`)
    if (got?.locked === true) break
    const holder = await holderOf(connection)
    if (holder?.writes === false) break
    if (performance.now() >= deadline)
      throw new OperationalError(
        `another machine is changing the shelf: ${describeHolder(holder)}; try again when it is done`,
      )
    if (tries === 0) wait.onWait(describeHolder(holder))
    await Bun.sleep(POLL_MILLISECONDS)
  }
  await connection.query(
    `INSERT INTO nomenclator.writer (host, pid, doing, since) VALUES ($1, $2, $3, clock_timestamp())
     ON CONFLICT (single) DO UPDATE SET host = excluded.host, pid = excluded.pid, doing = excluded.doing, since = excluded.since`,
    [hostname(), process.pid, doing],
  )
}

/** Returns the holder of the lock, if that user may write. */
export async function writerOf(connection: ShelfConnection): Promise<Writer | undefined> {
  const holder = await holderOf(connection)
  return holder?.writes === true ? holder.writer : undefined
}

type Holder = NonNullable<Awaited<ReturnType<typeof holderOf>>>

/** The holder of the lock, with the row that names it if the session of the holder has written that. */
async function holderOf(connection: ShelfConnection) {
  type Row = Writer & {
    readonly user: string
    readonly session: number
    readonly name: string
    readonly writes: boolean
  }
  const [row] = await connection.query<Row>(
    `SELECT usename AS user, activity.pid AS session, application_name AS name,
       has_table_privilege(usesysid, 'nomenclator.pointer', 'UPDATE') AS writes,
       host, writer.pid, doing, to_char(since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS since
     FROM pg_locks JOIN pg_stat_activity AS activity USING (pid) LEFT JOIN nomenclator.writer ON true
     WHERE locktype = 'advisory' AND classid = ${CLASS} AND objid = ${OBJECT} AND granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  )
  if (row === undefined) return undefined
  const { user, session, name, writes, host, pid, doing, since } = row
  return { user, session, writes, writer: name === writerName(host, pid) ? { host, pid, doing, since } : undefined }
}

const describeHolder = (holder: Holder | undefined): string => {
  if (holder === undefined) return 'a process that is just starting or ending'
  const { writer, session, user } = holder
  return writer === undefined
    ? `session ${session} of the user ${user} in PostgreSQL, which has not said what it does`
    : `${writer.doing} (process ${writer.pid} on ${writer.host}, since ${writer.since})`
}
