// Every page of a record file is read in order, whatever its length and wherever the reads happen to end.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { TestDirectory } from '../../../../../test/support/releases.ts'
import { scanLines } from './scan.ts'

setDefaultTimeout(180_000)

const READ = 1 << 20

function scanned(lines: readonly string[]): string[] {
  using directory = new TestDirectory()
  writeFileSync(join(directory.path, 'records'), lines.map((line) => `${line}\n`).join(''))
  return [...scanLines(join(directory.path, 'records'))].map((page) => JSON.stringify(page))
}

/** A page of just this many bytes, with a letter in it that takes two. */
const page = (bytes: number) => JSON.stringify([{ n: `ñ${'x'.repeat(bytes - '[{"n":""}]'.length - 2)}` }])

test.each([
  ['nothing', []],
  ['one page', [page(40)]],
  ['many short pages', Array.from({ length: 30_000 }, (_, at) => `[{"n":${at}},{"n":"ñ"}]`)],
  ['a page that ends with a read', [page(READ - 1), page(40)]],
  ['a page that ends just before a read does', [page(READ - 2), page(40)]],
  ['a page whose line end comes first in the next read', [page(READ), page(40)]],
  ['a page longer than a read', [page(40), page(READ + 100), page(50)]],
  ['a page longer than many reads', [page(READ * 3 + 7), page(40), page(READ * 4), page(60)]],
  ['a letter cut in two by a read', [page(READ - 12 - '[{"n":"'.length), page(READ), page(30)]],
])('%s', (_, lines) => {
  const found = scanned(lines)
  // Compared by hand: a difference of megabytes is nothing to print.
  expect(found.length).toBe(lines.length)
  expect(lines.findIndex((line, at) => found[at] !== line)).toBe(-1)
})

test('any lengths around that of a read', () => {
  const length = fc.oneof(
    fc.integer({ min: 20, max: 60 }),
    fc.integer({ min: READ / 2 - 3, max: READ / 2 + 3 }),
    fc.integer({ min: READ - 3, max: READ + 3 }),
  )
  fc.assert(
    fc.property(fc.array(length, { maxLength: 5 }), (lengths) => {
      const lines = lengths.map(page)
      expect(scanned(lines).every((line, at) => line === lines[at])).toBe(true)
    }),
    { numRuns: 8 },
  )
})

test.skipIf(process.platform !== 'linux')('whoever stops early leaves the file closed', () => {
  using directory = new TestDirectory()
  writeFileSync(join(directory.path, 'records'), '[1]\n[2]\n')
  for (const _ of scanLines(join(directory.path, 'records'))) break
  expect(directory.opened()).toEqual([])
})
