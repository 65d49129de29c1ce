// Bodies compressed on the way out, whole or in pieces.
import { pipeline, Readable } from 'node:stream'
import { brotliCompressSync, constants, createBrotliCompress, createGzip, createZstdCompress } from 'node:zlib'
import type { Encoding } from './negotiate.ts'

/** A smaller body is not worth it: it goes out in one packet anyway. */
export const LEAST_BYTES = 1_000

/** Levels that cost about as much time as they save on a fast network. */
const GZIP = 5
const ZSTD = 3
const BROTLI = 4

const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI, [constants.BROTLI_PARAM_LGWIN]: 20 } }

export function compressed(body: Uint8Array, encoding: Encoding): Uint8Array {
  switch (encoding) {
    case 'gzip':
      return Bun.gzipSync(body as Uint8Array<ArrayBuffer>, { level: GZIP })
    case 'zstd':
      return Bun.zstdCompressSync(body as Uint8Array<ArrayBuffer>, { level: ZSTD })
    case 'br':
      return brotliCompressSync(body, brotli)
  }
}

const streamOf = (encoding: Encoding) => {
  switch (encoding) {
    case 'gzip':
      return createGzip({ level: GZIP })
    case 'zstd':
      return createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: ZSTD } })
    case 'br':
      return createBrotliCompress(brotli)
  }
}

/** Takes the next piece only when it has been asked for more than it has; who stops asking stops the pieces too. */
export async function* compressedPieces(
  pieces: AsyncIterable<Uint8Array>,
  encoding: Encoding,
): AsyncGenerator<Uint8Array> {
  // What fails in it is told by the stream, to whoever reads that.
  const stream = pipeline(Readable.from(pieces), streamOf(encoding), () => {})
  for await (const chunk of stream) yield chunk
}
