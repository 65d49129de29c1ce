// A file has the bytes that were written to it, in pieces of any length, and the digest of these.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { TestDirectory } from '../../../../../test/support/releases.ts'
import { DurableFile, sha256OfFile, syncDirectory, writeDurably } from './durable-file.ts'

setDefaultTimeout(180_000)

const GATHERED = 1 << 16

const piece = (length: number, value: number) => new Uint8Array(length).fill(value)
const sha256 = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')

function check(lengths: readonly number[]): void {
  using directory = new TestDirectory()
  const path = join(directory.path, 'file')
  const pieces = lengths.map((length, at) => piece(length, at + 1))
  const whole = Buffer.concat(pieces)
  const file = new DurableFile(path)
  for (const bytes of pieces) {
    file.write(bytes)
    // The writer may use the memory again.
    bytes.fill(0)
  }
  expect(file.finish()).toEqual({ size: whole.length, sha256: sha256(whole) })
  expect(readFileSync(path).equals(whole)).toBe(true)
}

describe('in pieces', () => {
  test.each([
    ['none', []],
    ['an empty one', [0]],
    ['just what is gathered', [GATHERED]],
    ['one byte more', [GATHERED + 1]],
    ['two that fill it', [GATHERED - 1, 1, 1]],
    ['a long one between short ones', [10, GATHERED * 3 + 5, 10]],
    ['short ones that overflow it', Array.from({ length: 20 }, () => 5_000)],
  ])('%s', (_, lengths) => check(lengths))

  test('of any length', () => {
    const length = fc.oneof(fc.nat(100), fc.integer({ min: GATHERED - 2, max: GATHERED + 2 }), fc.nat(3 * GATHERED))
    fc.assert(fc.property(fc.array(length, { maxLength: 8, size: 'max' }), check), { numRuns: 15 })
  })
})

test('a file that is there is not written over', () => {
  using directory = new TestDirectory()
  const path = join(directory.path, 'file')
  writeFileSync(path, 'precious')
  expect(() => writeDurably(path, 'other')).toThrow('EEXIST')
  expect(readFileSync(path, 'utf8')).toBe('precious')
})

test('a small text is written whole, and its digest is that of the file', async () => {
  using directory = new TestDirectory()
  const path = join(directory.path, 'file')
  const { size, sha256 } = writeDurably(path, 'México\n')
  syncDirectory(directory.path)
  expect([size, readFileSync(path, 'utf8'), sha256]).toEqual([8, 'México\n', await sha256OfFile(path)])
})

test('what is finished or closed cannot be written to', () => {
  using directory = new TestDirectory()
  const file = new DurableFile(join(directory.path, 'file'))
  file.finish()
  expect(() => file.finish()).toThrow()
  expect(() => file.write(piece(GATHERED + 1, 1))).toThrow('written to after it was closed')
  expect(() => file[Symbol.dispose]()).not.toThrow()
})
