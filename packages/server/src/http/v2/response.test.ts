// Compression in chunks: no more is taken than is needed, and an early end or a failure reaches both sides.
import { describe, expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { ENCODINGS } from './negotiate.ts'
import { compressed, compressedChunks } from './response.ts'

const decode = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync }
const PIECE = 1 << 16

/** Pieces that hardly compress, with how many were taken and whether they were ended. */
function counted(count: number, failAt = Number.POSITIVE_INFINITY) {
  const state = { taken: 0, ended: false }
  async function* pieces() {
    try {
      for (let piece = 0; piece < count; piece++) {
        if (piece === failAt) throw new Error('the source failed')
        state.taken++
        yield crypto.getRandomValues(new Uint8Array(PIECE))
      }
    } finally {
      state.ended = true
    }
  }
  return { state, pieces: pieces() }
}

describe.each(ENCODINGS)('%s', (encoding) => {
  test('gives back what was put in, whole and in pieces', async () => {
    const text = Buffer.from('Ñandú, México. '.repeat(5_000))
    expect(decode[encoding](compressed(text, encoding)).equals(text)).toBe(true)
    async function* halves() {
      yield text.subarray(0, 10_000)
      yield text.subarray(10_000)
    }
    const chunks = await Array.fromAsync(compressedChunks(halves(), encoding))
    expect(decode[encoding](Buffer.concat(chunks)).equals(text)).toBe(true)
  })

  test('of nothing is something that decodes to nothing', async () => {
    const chunks = await Array.fromAsync(compressedChunks(counted(0).pieces, encoding))
    expect(decode[encoding](Buffer.concat(chunks))).toHaveLength(0)
  })

  test('takes little more than is requested, and stops when no more is', async () => {
    const { state, pieces } = counted(1_000)
    for await (const _ of compressedChunks(pieces, encoding)) break
    while (!state.ended) await Bun.sleep(1)
    expect(state.taken).toBeLessThan(100)
  })

  test('fails as its source does', async () => {
    const { pieces } = counted(1_000, 20)
    expect(Array.fromAsync(compressedChunks(pieces, encoding))).rejects.toThrow('the source failed')
  })
})
