// A body in pieces: pulled one by one as the client takes them, framed as HTTP/1.1 wants it, and counted.
import { headerLines, type Streamed } from '../exchange.ts'

/** Resolves when the client has taken the bytes, to whether it did: not if it is gone. */
export type Write = (bytes: Uint8Array) => Promise<boolean>

/** Where the client goes away, nothing more is pulled, and to leave the loop tells the source to clean up. */
export async function sendStream(body: Streamed, chunked: boolean, write: Write): Promise<void> {
  const { length } = body
  let sent = 0
  for await (const chunk of body.chunks()) {
    sent += chunk.length
    if (length !== undefined && sent > length) throw new Error(`a body of ${length} bytes has ${sent} or more`)
    if (!(await write(chunked ? framed(chunk) : chunk))) return
  }
  if (length !== undefined && sent < length) throw new Error(`a body of ${length} bytes has only ${sent}`)
  if (chunked) await write(Buffer.from(`0\r\n${headerLines(body.trailers?.() ?? {})}\r\n`, 'latin1'))
}

const LINE_END = Buffer.from('\r\n')

function framed(chunk: Uint8Array): Uint8Array {
  // A chunk of no bytes would be the last one.
  if (chunk.length === 0) return chunk
  return Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, LINE_END])
}
