// Files in chunks: where they are cut, what stays the same after a change, and that bytes which are not there are not given.
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TestDirectory } from '../../../../../test/support/releases.ts'
import { pack, unpack } from '../../base/zstd.ts'
import { ChunkReader, chunksOf, sha256 } from './chunks.ts'

const directory = new TestDirectory()
afterAll(() => directory[Symbol.dispose]())

/** Bytes that no two places have in common. */
function noise(size: number): Buffer {
  const words = new Uint32Array(Math.ceil(size / 4))
  for (let at = 0, state = 1; at < words.length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    words[at] = state ^ (state >>> 15)
  }
  return Buffer.from(words.buffer, 0, size)
}

function entityOf(file: string, bytes: Buffer): string {
  const path = mkdtempSync(join(directory.path, 'entity-'))
  writeFileSync(join(path, file), bytes)
  return path
}

const cut = (file: string, bytes: Buffer) =>
  chunksOf(entityOf(file, bytes), file)
    .map((chunk) => ({ ...chunk, bytes: Buffer.from(chunk.bytes) }))
    .toArray()

const MEGABYTE = 1 << 20

test.each<[string, string, Buffer]>([
  ['nothing', 'etags', noise(0)],
  ['one byte', 'etags', noise(1)],
  ['many blocks', 'etags', noise(9 * MEGABYTE + 1)],
  ['the same byte again and again', 'etags', Buffer.alloc(5 * MEGABYTE)],
  ['large chunks', 'records', noise(9 * MEGABYTE)],
])('chunks make up a file: %s', (_, file, bytes) => {
  const chunks = cut(file, bytes)
  expect(Buffer.concat(chunks.map((chunk) => chunk.bytes)).equals(bytes)).toBe(true)
  let start = 0
  for (const chunk of chunks) {
    expect([chunk.file, chunk.start, chunk.size]).toEqual([file, start, chunk.bytes.length])
    expect(chunk.digest).toBe(sha256(chunk.bytes))
    start += chunk.size
  }
})

test('a byte more changes the chunk that it is in, and those beside it at most', () => {
  const bytes = noise(3 * MEGABYTE)
  const middle = bytes.length >> 1
  const longer = Buffer.concat([bytes.subarray(0, middle), Buffer.from('!'), bytes.subarray(middle)])
  const before = new Set(cut('etags', bytes).map(({ digest }) => digest))
  const others = cut('etags', longer).filter(({ digest }) => !before.has(digest))
  expect(before.size).toBeGreaterThan(50)
  expect(others.length).toBeLessThanOrEqual(3)
})

test('a chunk is given as it was cut, or not at all', () => {
  const bytes = noise(10)
  const path = entityOf('etags', bytes)
  const chunk = { file: 'etags', start: 2, size: 8, digest: sha256(bytes.subarray(2)) }
  using reader = new ChunkReader(path)
  expect(reader.bytesOf(chunk)).toEqual(new Uint8Array(bytes.subarray(2)))
  for (const other of [{ size: 9 }, { start: 1 }, { digest: sha256('') }, { file: 'nothing' }, { file: 'index.delta' }])
    expect(reader.bytesOf({ ...chunk, ...other })).toBeUndefined()
})

test('what is packed is smaller, and the same when it is unpacked', async () => {
  const bytes = Buffer.alloc(10_000, 'again and ')
  const packed = await pack(bytes)
  expect(packed.length).toBeLessThan(1_000)
  expect(Buffer.from(await unpack(packed, bytes.length)).equals(bytes)).toBe(true)
})
