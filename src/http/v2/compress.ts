// Bodies compressed on the way out, whole or in pieces.
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

/** Takes the next piece only when it has been asked for more than it has. */
export async function* compressedPieces(
  pieces: AsyncIterable<Uint8Array>,
  encoding: Encoding,
): AsyncGenerator<Uint8Array> {
  const stream = streamOf(encoding)
  const feeding = feed(pieces, stream)
  // Whoever reads the stream learns of it; until then it must not count as unheard.
  feeding.catch((error) => stream.destroy(error))
  try {
    for await (const chunk of stream) yield chunk
    await feeding
  } finally {
    stream.destroy()
  }
}

async function feed(pieces: AsyncIterable<Uint8Array>, stream: ReturnType<typeof streamOf>): Promise<void> {
  for await (const piece of pieces) {
    if (stream.destroyed) return
    if (!stream.write(piece)) await Promise.race([once(stream, 'drain'), once(stream, 'close')])
  }
  stream.end()
}

const once = (stream: ReturnType<typeof streamOf>, event: string) =>
  new Promise<void>((resolve) => stream.once(event, () => resolve()))
