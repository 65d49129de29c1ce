// A shelf in PostgreSQL that is followed: one connection with each host, which also tells of changes.
import { openHosts } from '../shelf/several-hosts.ts'
import { ShelfAway } from '../shelf/shelf-failures.ts'
import type { OpenHost, OpenShelf } from '../shelf/shelf-reader.ts'
import { describeAddress, hostsOf } from './address.ts'
import type { ShelfConnection } from './connection.ts'
import { CHANNEL, pgReader, REPORT_PREFIX, readPointer } from './pg-reader.ts'
import { openShelf, type ShelfLogin } from './session.ts'

/** With the time that a response may take, and half as much again at random, a link that stands still is noticed in 5 s. */
const POLL_MILLISECONDS = 2_000
/** The poll where notifications do not come. */
const STANDBY_POLL_MILLISECONDS = 1_000

/** Opens a shelf in PostgreSQL to be followed, with a connection to each of its hosts. */
export const openPgShelf = ({ address, password }: ShelfLogin): OpenShelf =>
  openHosts(
    hostsOf(address).map((one) => ({ name: describeAddress(one), open: openPgHost({ address: one, password }) })),
  )

const openPgHost =
  ({ address, password }: ShelfLogin): OpenHost =>
  async (report, onNews) => {
    const onNotify = (channel: string) => {
      if (channel === CHANNEL) onNews()
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

/** A standby sends no notifications, and says so. */
async function listens(connection: ShelfConnection): Promise<boolean> {
  try {
    await connection.query(`LISTEN ${CHANNEL}`)
    return true
  } catch (error) {
    if (error instanceof ShelfAway && /recovery/.test(error.message)) return false
    throw error
  }
}
