// Files are mapped for reading only, shared, and unmapped when nobody has them any more.
import { afterAll, describe, expect, test } from 'bun:test'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TestDirectory } from '../../../../../test/support/releases.ts'
import { eventually } from '../../../../../test/support/service.ts'
import { mapped, mappedByBun } from './mapped-file.ts'

const directory = new TestDirectory()
afterAll(() => directory[Symbol.dispose]())

const TEXT = 'Aguascalientes\n'.repeat(1_000)
function file(name: string, content = TEXT, mode = 0o444): string {
  const path = join(directory.path, name)
  writeFileSync(path, content)
  chmodSync(path, mode)
  return path
}

/** How the kernel says that a file is mapped into this process. */
const mappings = (path: string) =>
  readFileSync('/proc/self/maps', 'utf8')
    .split('\n')
    .filter((line) => line.endsWith(path))
    .map((line) => line.split(' ')[1])

describe.each([
  ['mapped', mapped],
  ['without the C library', mappedByBun],
])('%s', (_, map) => {
  test('a file has its bytes', () => {
    expect(Buffer.from(map(file('whole', TEXT, 0o644))).toString()).toBe(TEXT)
  })

  test('a file that is not there is an error with its code', () => {
    expect(() => map(join(directory.path, 'none'))).toThrow(expect.objectContaining({ code: 'ENOENT' }))
  })
})

test('an empty file has no bytes', () => {
  expect(mapped(file('empty', '')).length).toBe(0)
})

describe.skipIf(process.platform !== 'linux')('on Linux', () => {
  test('a mapped file can be read and not written to, and is shared', () => {
    const path = file('shared')
    const bytes = mapped(path)
    expect([mappings(path), bytes.length]).toEqual([['r--s'], TEXT.length])
  })

  test('a thousand mapped files are unmapped when they are garbage', async () => {
    const path = file('often')
    let sum = 0
    for (let at = 0; at < 1_000; at++) sum += mapped(path)[at] ?? 0
    expect(sum).toBeGreaterThan(0)
    await eventually('they are unmapped', () => {
      Bun.gc(true)
      return mappings(path).length <= 1
    })
  })
})
