// Follows a shelf in PostgreSQL, with a connection to each host, which also notifies of changes.
import { openHosts } from '../shelf/several-hosts.ts'
import { ShelfAway } from '../shelf/shelf-failures.ts'
import type { OpenHost, OpenShelf } from '../shelf/shelf-reader.ts'
import { describeAddress, hostsOf } from './address.ts'
import type { ShelfConnection } from './connection.ts'
import { CHANNEL, pgReader, REPORT_PREFIX, readPointer } from './pg-reader.ts'
import { openShelf, type ShelfLogin } from './session.ts'

/** With the time limit of a response, and half as much again at random, a stalled link is noticed within 5 s. */
const POLL_MILLISECONDS = 2_000
/** The poll of a host that sends no notifications. */
const STANDBY_POLL_MILLISECONDS = 1_000

export const openPgShelf = ({ address, password }: ShelfLogin): OpenShelf =>
  openHosts(
    hostsOf(address).map((one) => ({ name: describeAddress(one), open: openPgHost({ address: one, password }) })),
  )

const openPgHost =
  ({ address, password }: ShelfLogin): OpenHost =>
  async (report, onUpdate) => {
    const onNotify = (channel: string) => {
      if (channel === CHANNEL) onUpdate()
    }
    const connection = await openShelf({ address, password, name: `${REPORT_PREFIX}${report}`, onNotify })
    try {
      const pollMilliseconds = (await listens(connection)) ? POLL_MILLISECONDS : STANDBY_POLL_MILLISECONDS
      return {
        ...pgReader(connection),
        pointer: (name) => readPointer(connection, `${REPORT_PREFIX}${name}`),
        pollMilliseconds,
        closed: connection.closed,
        destroy: () => connection.destroy(),
        [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
      }
    } catch (error) {
      await connection[Symbol.asyncDispose]()
      throw error
    }
  }

/** Returns false for a standby, which refuses to send notifications. */
async function listens(connection: ShelfConnection): Promise<boolean> {
  try {
    await connection.query(`LISTEN ${CHANNEL}`)
    return true
  } catch (error) {
    if (error instanceof ShelfAway && /recovery/.test(error.message)) return false
    throw error
  }
}
