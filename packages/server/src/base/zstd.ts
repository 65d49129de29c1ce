// Compresses bytes with zstd, and unpacks no more of them than expected.

const LEVEL = 3

export const pack = (bytes: Uint8Array): Promise<Uint8Array> =>
  Bun.zstdCompress(bytes as Uint8Array<ArrayBuffer>, { level: LEVEL })

/** Unpacks bytes; throws as soon as there are more than expected. */
export async function unpack(packed: Uint8Array, size: number): Promise<Uint8Array> {
  const stream = new Blob([packed as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream('zstd'))
  const bytes = new Uint8Array(size)
  let at = 0
  for await (const piece of stream as AsyncIterable<Uint8Array>) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes.subarray(0, at)
}
