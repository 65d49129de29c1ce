// A document of a release is made once, whatever address and encoding the clients want.
import { beforeAll, expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import { releaseOf, sourceOf, tiny } from '../../../../../test/support/releases.ts'
import type { Release } from '../../release/release.ts'
import { type HttpResponse, isStreamed } from '../exchange.ts'
import { jsonPieces, keptDocument } from './kept-document.ts'

const decompressors = { br: brotliDecompressSync, gzip: gunzipSync, zstd: zstdDecompressSync }
const decompressed = (bytes: Buffer, encoding: string) => decompressors[encoding as keyof typeof decompressors](bytes)

let release: Release
beforeAll(async () => {
  release = await releaseOf(sourceOf(tiny))
})

test('made once for all addresses and encodings, and each gets its own', () => {
  let made = 0
  const respond = keptDocument(({ digest }, baseUrl) => {
    made++
    return { digest, links: Array.from({ length: 100 }, (_, at) => `${baseUrl}/${at}`) }
  })
  const requested = (baseUrl: string, encoding?: string) => {
    const headers = new Map(encoding === undefined ? [] : [['accept-encoding', encoding]])
    const request = { method: 'GET', path: '/', query: '', headers }
    return respond(request, { release, isNamed: false }, baseUrl)
  }
  const linkIn = (body: Uint8Array) => JSON.parse(Buffer.from(body).toString()).links[99]
  for (const address of ['http://a', 'http://b.example.org']) {
    const plain = requested(address)
    const compressed = requested(address, 'br')
    expect(linkIn(plain.body as Uint8Array)).toBe(`${address}/99`)
    expect(linkIn(brotliDecompressSync(compressed.body as Uint8Array))).toBe(`${address}/99`)
    expect(plain.head).not.toContain('Content-Encoding')
    expect(compressed.head).toContain('Content-Encoding: br')
    // The connection frees what a response owns, and these bytes are sent again.
    for (const { ownsBody } of [plain, compressed]) expect(ownsBody).toBe(false)
    expect(requested(address, 'br').body).toBe(compressed.body as Uint8Array)
  }
  expect(made).toBe(1)
})

/** Requests a document of nearly a megabyte, and reads it as a client would. */
function largeDocument() {
  const counts = { made: 0, members: 0 }
  const respond = keptDocument((_, baseUrl) => {
    counts.made++
    const member = { enumerable: true, get: () => `${++counts.members} ${'x'.repeat(9_000)} ${baseUrl}` }
    return Object.defineProperties({}, Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`m${at}`, member])))
  })
  const requested = (baseUrl: string, encoding: string | undefined) => {
    const headers = new Map(encoding === undefined ? [] : [['accept-encoding', encoding]])
    const request = { method: 'GET', path: '/', query: '', headers }
    return respond(request, { release, isNamed: false }, baseUrl)
  }
  return { counts, requested }
}

async function bytesIn({ body }: HttpResponse): Promise<Buffer> {
  if (!isStreamed(body)) return Buffer.from(body ?? [])
  const copies = await Array.fromAsync(body.chunks(), (chunk) => Buffer.from(chunk))
  expect(body.length).toBe(Buffer.concat(copies).length)
  return Buffer.concat(copies)
}

test('a large one is made once however often it is requested, and only compressed ones are kept whole', async () => {
  const { counts, requested } = largeDocument()
  const tags = new Set<string | undefined>()
  for (let round = 0; round < 3; round++)
    for (const address of ['http://a', 'http://b.example.org'])
      for (const encoding of [undefined, 'br', 'gzip', 'zstd']) {
        const response = requested(address, encoding)
        tags.add(/ETag: "([0-9a-f]+)/.exec(response.head)?.[1])
        expect(isStreamed(response.body)).toBe(encoding === undefined && round > 0)
        // What is not kept is freed once it is sent.
        expect(response.ownsBody).toBe(encoding === undefined && round === 0)
        const bytes = await bytesIn(response)
        const plain = encoding === undefined ? bytes : await decompressed(bytes, encoding)
        const document = JSON.parse(plain.toString()) as Readonly<Record<string, string>>
        expect(Object.keys(document)).toHaveLength(100)
        expect(document.m99).toEndWith(` ${address}`)
      }
  // One tag for each address: that of the bytes before compression.
  expect(tags.size).toBe(2)
  expect(counts).toEqual({ made: 1, members: 100 })
})

test('the pieces of a value make up its JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect([...jsonPieces(value)].join('')).toBe(JSON.stringify(value))
      expect([...jsonPieces({ value, none: undefined })].join('')).toBe(JSON.stringify({ value, none: undefined }))
    }),
  )
})
