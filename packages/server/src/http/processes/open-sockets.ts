// The connections of a process as the kernel has them, and whether the process counts some that are no more.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

const LISTENING = '0A'
/** A row of /proc/net/tcp: local port and state in hexadecimal, and the inode of the socket. */
const ROW = /^ *\d+: [0-9A-F]+:([0-9A-F]{4}) \S+ ([0-9A-F]{2}) (?:\S+ +){5}(\d+)/gm

/** How many clients of a port are connected to a process; undefined where the system does not tell. */
export function connectedClients(pid: number, port: number): number | undefined {
  try {
    const directory = `/proc/${pid}/fd`
    const targets = new Set(readdirSync(directory).map((descriptor) => targetOf(`${directory}/${descriptor}`)))
    const rows = ['tcp', 'tcp6'].flatMap((table) => [...tableOf(pid, table).matchAll(ROW)])
    return rows.filter(
      ([, local = '', state, inode]) =>
        Number.parseInt(local, 16) === port && state !== LISTENING && targets.has(`socket:[${inode}]`),
    ).length
  } catch {
    return undefined
  }
}

/** What a descriptor stands for; nothing if it was closed meanwhile. */
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

/** So few more may be counted because clients come and go between the looks at both sides. */
const MIN_LEAKED = 10
/** How many checks one after the other must find it. */
const CHECKS = 3

type Leak = { readonly counted: number; readonly connected: number }

/** Finds out whether a process counts connections that the kernel does not have: it will never see them closed. */
export class LeakCheck {
  #found = 0

  /** Checks once. It is a leak when several checks in a row have found it. */
  async run(
    lastCounted: number,
    count: () => Promise<number>,
    connectedNow: () => number | undefined,
  ): Promise<Leak | undefined> {
    const leak = lastCounted < MIN_LEAKED ? undefined : await leakOf(count, connectedNow)
    this.#found = leak === undefined ? 0 : this.#found + 1
    return this.#found < CHECKS ? undefined : leak
  }
}

async function leakOf(count: () => Promise<number>, connectedNow: () => number | undefined): Promise<Leak | undefined> {
  const before = connectedNow()
  const counted = await count()
  const after = connectedNow()
  if (before === undefined || after === undefined) return undefined
  const connected = Math.max(before, after)
  return counted - connected < MIN_LEAKED ? undefined : { counted, connected }
}
