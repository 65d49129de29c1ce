// Finds out if a client that has stopped sending still waits for its response: one that has closed its socket resets the connection as
// soon as anything is sent to it.
import type { SendBuffer } from './send-buffer.ts'

/**
 * The way to find out:
 * - `interim`: an interim response, which every client of HTTP/1.1 can read (RFC 9110, section 15.2)
 * - `zero`: a zero in front of the size of the next chunk (RFC 9112, section 7.1)
 * - `none`: by the rest of the response, and by nothing before it
 * - `end`: HTTP/1.0 has no interim responses, so one that has stopped sending is taken for gone
 */
type Way = 'interim' | 'zero' | 'none' | 'end'

const ZERO = Buffer.from('0')
const AFTER_MILLISECONDS = 3

export class ClientProbe {
  readonly #unsent: Pick<SendBuffer, 'length' | 'closed' | 'send'>
  readonly #sendInterim: () => void
  readonly #onGone: () => void
  way: Way = 'none'

  constructor(unsent: Pick<SendBuffer, 'length' | 'closed' | 'send'>, sendInterim: () => void, onGone: () => void) {
    this.#unsent = unsent
    this.#sendInterim = sendInterim
    this.#onGone = onGone
  }

  /** Probes in a moment: a response that is ready earlier does as well. */
  soon(): void {
    setTimeout(() => this.now(), AFTER_MILLISECONDS)
  }

  now(): void {
    // Bytes that are still to be sent do the same.
    if (this.#unsent.length > 0 || this.#unsent.closed) return
    if (this.way === 'end') this.#onGone()
    else if (this.way === 'zero') this.#unsent.send(ZERO, ZERO.length)
    else if (this.way === 'interim') this.#sendInterim()
  }
}
