// Reads a part of a file at the pace of its reader, without blocking the process.
import { open } from 'node:fs/promises'
import type { FilePart } from '../exchange.ts'

/** Bytes of a file in memory for each client that reads it. */
const READ_BYTES = 1 << 14

/** A chunk is valid until the next one is pulled. */
export async function* readFilePart({ path, from, to }: FilePart): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, to - from))
  await using file = await open(path)
  for (let at = from; at < to; ) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, to - at), at)
    if (bytesRead === 0) throw new Error(`${path} ends after ${at} bytes`)
    yield buffer.subarray(0, bytesRead)
    at += bytesRead
  }
}
