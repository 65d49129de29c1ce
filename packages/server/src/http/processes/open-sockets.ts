// The connections of a process as the kernel has them, and whether the process counts some that are no more.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** The rows of /proc/net/tcp of a local port, but for those that listen; each with the inode of its socket. */
const rowsOf = (port: number) =>
  new RegExp(
    `^ *\\d+: \\w+:${port.toString(16).toUpperCase().padStart(4, '0')} \\S+ (?!0A)\\w+ (?:\\S+ +){5}(\\d+)`,
    'gm',
  )

/** Returns the number of clients of a port that are connected to a process; undefined if the system does not say. */
export function connectedClients(pid: number, port: number): number | undefined {
  try {
    const directory = `/proc/${pid}/fd`
    const targets = new Set(readdirSync(directory).map((descriptor) => targetOf(`${directory}/${descriptor}`)))
    const rows = ['tcp', 'tcp6'].flatMap((table) => [...tableOf(pid, table).matchAll(rowsOf(port))])
    return rows.filter(([, inode]) => targets.has(`socket:[${inode}]`)).length
  } catch {
    return undefined
  }
}

/** Returns the target of a descriptor; nothing if it was closed meanwhile. */
function targetOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

/** A machine may be without IPv6. */
function tableOf(pid: number, table: string): string {
  try {
    return readFileSync(`/proc/${pid}/net/${table}`, 'latin1')
  } catch {
    return ''
  }
}

/** Fewer may be counted only because clients come and go between the two counts. */
const MIN_LEAKED = 10
/** Checks in a row that must find a leak. */
const CHECKS = 3

type Leak = { readonly counted: number; readonly connected: number }

/** Finds connections that a process counts and the kernel does not have: the process would never see them closed. */
export class LeakCheck {
  #found = 0

  /**
   * Checks once: by what the process reported last, and where that is too much, by what it counts now. It is a leak when
   * several checks in a row have found it.
   */
  async run(
    lastCounted: number,
    count: () => Promise<number>,
    connectedNow: () => number | undefined,
  ): Promise<Leak | undefined> {
    const before = lastCounted < MIN_LEAKED ? undefined : connectedNow()
    const isSuspect = before !== undefined && lastCounted - before >= MIN_LEAKED
    const counted = isSuspect ? await count() : 0
    const connected = isSuspect ? Math.max(before, connectedNow() ?? counted) : 0
    this.#found = counted - connected >= MIN_LEAKED ? this.#found + 1 : 0
    return this.#found < CHECKS ? undefined : { counted, connected }
  }
}
