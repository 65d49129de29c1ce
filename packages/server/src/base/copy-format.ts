// The binary format of COPY, in which PostgreSQL receives and sends many rows.

const COPY_SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1')
export const COPY_HEADER = Buffer.concat([COPY_SIGNATURE, Buffer.alloc(8)])
export const COPY_TRAILER = Buffer.from([0xff, 0xff])

export function encodeTuple(fields: readonly Uint8Array[]): Buffer {
  const size = fields.reduce((sum, field) => sum + 4 + field.length, 2)
  const tuple = Buffer.allocUnsafe(size)
  let at = tuple.writeInt16BE(fields.length, 0)
  for (const field of fields) {
    at = tuple.writeInt32BE(field.length, at)
    tuple.set(field, at)
    at += field.length
  }
  return tuple
}

/** Decodes rows from a stream whose pieces end anywhere. */
export async function* decodeTuples(source: { next: () => Promise<Buffer | undefined> }): AsyncGenerator<Buffer[]> {
  let pieces: Buffer[] = []
  let available = 0
  const take = async (count: number): Promise<Buffer> => {
    while (available < count) {
      const piece = await source.next()
      if (piece === undefined) throw new Error('a copy ended in the middle of a row')
      pieces.push(piece)
      available += piece.length
    }
    const all = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)
    pieces = [all.subarray(count)]
    available = all.length - count
    return all.subarray(0, count)
  }
  const header = await take(COPY_HEADER.length)
  if (!header.subarray(0, COPY_SIGNATURE.length).equals(COPY_SIGNATURE)) throw new Error('this is no binary copy')
  for (;;) {
    const count = (await take(2)).readInt16BE(0)
    if (count === -1) break
    const fields: Buffer[] = []
    for (let at = 0; at < count; at++) {
      const length = (await take(4)).readInt32BE(0)
      fields.push(length === -1 ? Buffer.alloc(0) : await take(length))
    }
    yield fields
  }
  // A connection is free again at the end of the stream, which comes after the end of the rows.
  while ((await source.next()) !== undefined);
}
