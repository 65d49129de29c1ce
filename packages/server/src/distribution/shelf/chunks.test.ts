// Files in chunks: where they are cut, and that bytes which are not there are not given.
import { afterAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TestDirectory } from '../../../../../test/support/releases.ts'
import { bytesAt, chunksOf, pack, sha256, unpack } from './chunks.ts'

const directory = new TestDirectory()
afterAll(() => directory[Symbol.dispose]())

const MEGABYTE = 1 << 20

function fileOf(size: number): { readonly path: string; readonly bytes: Buffer } {
  const path = join(directory.path, `${size}`)
  const bytes = Buffer.from(Array.from({ length: size }, (_, at) => at % 251))
  writeFileSync(path, bytes)
  return { path, bytes }
}

test.each([
  [0, []],
  [1, [1]],
  [MEGABYTE, [MEGABYTE]],
  [MEGABYTE + 1, [MEGABYTE, 1]],
])('a file of %i bytes is cut into %p', (size, sizes) => {
  const { path, bytes } = fileOf(size)
  const chunks = chunksOf(path)
    .map((chunk) => ({ ...chunk, bytes: Buffer.from(chunk.bytes) }))
    .toArray()
  expect(chunks.map((chunk) => chunk.size)).toEqual(sizes)
  for (const { start, size: length, digest, bytes: content } of chunks) {
    expect(content.equals(bytes.subarray(start, start + length))).toBe(true)
    expect(digest).toBe(sha256(content))
  }
})

test('bytes of a file are all that are asked for, or none', () => {
  const { path, bytes } = fileOf(10)
  expect(bytesAt(path, 2, 8)).toEqual(bytes.subarray(2))
  expect(bytesAt(path, 2, 9)).toBeUndefined()
  expect(bytesAt(join(directory.path, 'nothing'), 0, 1)).toBeUndefined()
})

test('what is packed is smaller, and the same when it is unpacked', async () => {
  const bytes = Buffer.alloc(10_000, 'again and ')
  const packed = await pack(bytes)
  expect(packed.length).toBeLessThan(1_000)
  expect(Buffer.from(await unpack(packed, bytes.length)).equals(bytes)).toBe(true)
})
