// Reads a records file from beginning to end without mapping it: memory stays flat.
import { closeSync, openSync, readSync } from 'node:fs'
import type { PublishedRecord } from '../../catalog/flatten.ts'

const CHUNK = 1 << 20
const NEWLINE = 0x0a

/** One page of records at a time: a line of the file. */
export function* scanPages(path: string): Generator<readonly PublishedRecord[]> {
  const descriptor = openSync(path, 'r')
  const decoder = new TextDecoder()
  let buffer = new Uint8Array(CHUNK)
  let held = 0
  try {
    for (;;) {
      const read = readSync(descriptor, buffer, held, buffer.length - held, null)
      if (read === 0) return
      held += read
      let start = 0
      for (
        let end = buffer.indexOf(NEWLINE, held - read);
        end !== -1 && end < held;
        end = buffer.indexOf(NEWLINE, start)
      ) {
        yield JSON.parse(decoder.decode(buffer.subarray(start, end)))
        start = end + 1
      }
      if (start === 0 && held === buffer.length) buffer = grown(buffer)
      buffer.copyWithin(0, start, held)
      held -= start
    }
  } finally {
    closeSync(descriptor)
  }
}

function grown(buffer: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(buffer.length * 2)
  larger.set(buffer)
  return larger
}
