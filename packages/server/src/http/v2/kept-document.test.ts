// A document of a release is made once, whatever address and encoding the clients want.
import { beforeAll, expect, test } from 'bun:test'
import { brotliDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import { releaseOf, sourceOf, tiny } from '../../../../../test/support/releases.ts'
import type { Release } from '../../release/release.ts'
import { jsonPieces, keptDocument } from './kept-document.ts'

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

test('the pieces of a value make up its JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect([...jsonPieces(value)].join('')).toBe(JSON.stringify(value))
      expect([...jsonPieces({ value, none: undefined })].join('')).toBe(JSON.stringify({ value, none: undefined }))
    }),
  )
})
