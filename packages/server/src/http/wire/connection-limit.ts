// The limit on connections of a process: as many as it has descriptors for, with a reserve for files. Others are refused.
import { closeSync, openSync, readFileSync } from 'node:fs'
import type { Socket } from 'bun'

/** The limit that is assumed if the system names none. */
const USUAL_DESCRIPTORS = 1_024
const MIN_RESERVE = 64
/** More is never the default: every connection takes memory, too. */
const MAX_DEFAULT = 65_536
const MIN_CONNECTIONS = 16

export function descriptorLimit(limits = readLimits()): number {
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1]
  if (soft === undefined) return USUAL_DESCRIPTORS
  return soft === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(soft)
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'latin1')
  } catch {
    return ''
  }
}

/** The default leaves a quarter of the descriptors for files; a configured number is lowered only as far as a few are left. */
export function connectionLimit(wanted: number | undefined, descriptors = descriptorLimit()): number {
  const reserve = wanted === undefined ? Math.max(MIN_RESERVE, Math.ceil(descriptors / 4)) : MIN_RESERVE
  return Math.min(wanted ?? MAX_DEFAULT, Math.max(descriptors - reserve, MIN_CONNECTIONS))
}

/** True if another file can be opened. Without a descriptor left, accepting fails again and again and takes much time. */
export function hasDescriptorLeft(): boolean {
  try {
    closeSync(openSync('/dev/null', 'r'))
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'EMFILE')
  }
}

/** Refused connections that may be open at a time; their clients have some time to read why. */
const MAX_REFUSED_OPEN = 16
const REFUSED_MILLISECONDS = 1_000

/**
 * The connections that were refused and not closed yet. Closing a connection at once resets it if its client has sent a
 * request, and the client may not see the response; so only our direction is shut at first.
 */
export class RefusedConnections {
  readonly #open = new Map<Socket<unknown>, number>()

  /** Sends a small response and shuts the connection. The oldest of the others is closed if they are too many. */
  add(socket: Socket<unknown>, response: Uint8Array, now: number): void {
    socket.write(response)
    socket.shutdown()
    this.#open.set(socket, now)
    const [oldest] = this.#open.keys()
    if (oldest !== undefined && this.#open.size > MAX_REFUSED_OPEN) this.#close(oldest)
  }

  delete(socket: Socket<unknown>): void {
    this.#open.delete(socket)
  }

  closeExpired(now: number): void {
    for (const [socket, since] of this.#open) if (now - since > REFUSED_MILLISECONDS) this.#close(socket)
  }

  closeAll(): void {
    for (const socket of this.#open.keys()) this.#close(socket)
  }

  #close(socket: Socket<unknown>): void {
    this.#open.delete(socket)
    socket.end()
  }
}
