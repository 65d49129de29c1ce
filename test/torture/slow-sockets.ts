// Sockets of the C library, for clients as no runtime makes them: with tiny receive buffers, many source addresses, and a say over every read.
import { dlopen, ptr } from 'bun:ffi'

const AF_INET = 2
/** Not blocking: a connection that the service does not accept must not keep the campaign. */
const SOCK_STREAM = 1 | 0x800
const SOL_SOCKET = 1
const SO_RCVBUF = 8
const MSG_DONTWAIT = 0x40
const MSG_NOSIGNAL = 0x4000
const ADDRESS_BYTES = 16
const LOOPBACK = [127, 0, 0, 1] as const

function openLibrary() {
  return dlopen('libc.so.6', {
    socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
    setsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'u32'], returns: 'i32' },
    bind: { args: ['i32', 'ptr', 'u32'], returns: 'i32' },
    connect: { args: ['i32', 'ptr', 'u32'], returns: 'i32' },
    send: { args: ['i32', 'ptr', 'u64', 'i32'], returns: 'i64' },
    recv: { args: ['i32', 'ptr', 'u64', 'i32'], returns: 'i64' },
    close: { args: ['i32'], returns: 'i32' },
  }).symbols
}

let opened: ReturnType<typeof openLibrary> | undefined
/** Opened when it is needed: where there is no such library, everything else still runs. */
function library() {
  opened ??= openLibrary()
  return opened
}

function addressOf(bytes: readonly number[], port: number): Uint8Array {
  const address = new DataView(new ArrayBuffer(ADDRESS_BYTES))
  address.setUint16(0, AF_INET, true)
  address.setUint16(2, port)
  for (const [at, byte] of bytes.entries()) address.setUint8(4 + at, byte)
  return new Uint8Array(address.buffer)
}

type SlowOptions = {
  readonly port: number
  readonly text: string
  /** Clients of one number have one address, which is not that of other numbers. */
  readonly client: number
}

const INTERIM = /^(?:HTTP\/1\.1 100 Continue\r\n\r\n)+/

/** A connection of a client that has sent its requests, and reads only when it is told to. */
export class SlowSocket {
  static readonly #RECEIVE_BYTES = 4_096
  readonly #c = library()
  readonly #descriptor: number
  #unsent: Uint8Array
  /** The beginning of the first response, without those that say that it is to come. */
  beginning = ''
  received = 0
  closed = false

  constructor({ port, text, client }: SlowOptions) {
    this.#descriptor = this.#c.socket(AF_INET, SOCK_STREAM, 0)
    if (this.#descriptor < 0) throw new Error('no descriptor is left for another client')
    const size = new Int32Array([SlowSocket.#RECEIVE_BYTES])
    this.#c.setsockopt(this.#descriptor, SOL_SOCKET, SO_RCVBUF, ptr(size), size.byteLength)
    const source = addressOf([127, 1, client >> 8, client & 255], 0)
    this.#c.bind(this.#descriptor, ptr(source), source.length)
    const target = addressOf(LOOPBACK, port)
    this.#c.connect(this.#descriptor, ptr(target), target.length)
    this.#unsent = Buffer.from(text, 'latin1')
    this.send()
  }

  /** Sends as much of what is left as the kernel takes, after something more if there is. */
  send(more = ''): void {
    if (more !== '') this.#unsent = Buffer.concat([this.#unsent, Buffer.from(more, 'latin1')])
    if (this.#unsent.length === 0 || this.closed) return
    const sent = Number(
      this.#c.send(this.#descriptor, ptr(this.#unsent), this.#unsent.length, MSG_DONTWAIT | MSG_NOSIGNAL),
    )
    if (sent > 0) this.#unsent = this.#unsent.slice(sent)
  }

  /** Reads at most this much of what is there. */
  read(bytes: number): void {
    if (this.closed) return
    const buffer = new Uint8Array(bytes)
    const length = Number(this.#c.recv(this.#descriptor, ptr(buffer), bytes, MSG_DONTWAIT))
    // Less than nothing is nothing yet, or an error that the next read tells of as an end.
    if (length === 0) this.closed = true
    if (length <= 0) return
    if (this.beginning === '')
      this.beginning = Buffer.from(buffer.subarray(0, length)).toString('latin1').replace(INTERIM, '')
    this.received += length
  }

  close(): void {
    this.#c.close(this.#descriptor)
    this.closed = true
  }
}
