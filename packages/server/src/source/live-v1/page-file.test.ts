// Checks that harvested pages come back in order, and that a file cut off or damaged anywhere keeps what is whole.
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PageFile } from './page-file.ts'

setDefaultTimeout(180_000)

const directory = mkdtempSync(join(tmpdir(), 'nomenclator-pages-'))
afterAll(() => rmSync(directory, { recursive: true }))

const URL_GIVEN = 'https://catalogs.example.org/prefix'
const size = { total: 27, perPage: 10, totalPages: 3 }
const bodyOf = (page: number) => `[{"page": ${page}},\n "ñ"]`
const bytesOf = (page: number) => new TextEncoder().encode(bodyOf(page))
const open = (path: string, url = URL_GIVEN, given = size) => new PageFile(path, url, given)
const contents = (file: PageFile) =>
  Array.from(file.read(), ([page, body]) => [page, new TextDecoder().decode(body)] as const)

const ORDER = [3, 1, 2]

function filled(name: string, pages: readonly number[] = ORDER): string {
  const path = join(directory, name)
  rmSync(path, { force: true })
  const file = open(path)
  for (const page of pages) file.add(page, bytesOf(page))
  file.close()
  return path
}

const everyPage = [1, 2, 3].map((page) => [page, bodyOf(page)] as const)

test('pages come back in their order, whatever the order in which they came', () => {
  const file = open(filled('order'))
  file.close()
  expect(file.count).toBe(3)
  expect(contents(file)).toEqual(everyPage)
})

test('a file that is opened again knows what it has and what is missing', () => {
  const file = open(filled('again', [3, 1]))
  expect([...file.missing()]).toEqual([2])
  expect([1, 2, 3].map((page) => file.pageWith(bytesOf(page)))).toEqual([1, undefined, 3])
  file.close()
})

test.each([
  ['another server', 'https://elsewhere.example.org', size],
  ['another total', URL_GIVEN, { ...size, total: 28 }],
  ['another size of a page', URL_GIVEN, { ...size, perPage: 13 }],
])('of %s nothing is kept', (_, url, given) => {
  const path = filled('other')
  const file = open(path, url, given)
  file.close()
  expect(file.count).toBe(0)
  expect(open(path).count).toBe(0)
})

test('wherever it is cut off, the whole pages before are kept and the rest can be added', () => {
  const path = filled('cut')
  const whole = readFileSync(path)
  const kept: number[] = []
  for (let length = 0; length <= whole.length; length++) {
    writeFileSync(path, whole.subarray(0, length))
    const file = open(path)
    kept.push(file.count)
    for (const page of ORDER.slice(file.count)) file.add(page, bytesOf(page))
    file.close()
    expect(contents(file)).toEqual(everyPage)
    expect(readFileSync(path).equals(whole)).toBe(true)
  }
  expect(kept).toEqual(kept.toSorted((a, b) => a - b))
  expect(new Set(kept)).toEqual(new Set([0, 1, 2, 3]))
})

test('wherever a byte is changed, no damaged page is kept', () => {
  const path = filled('damage')
  const whole = readFileSync(path)
  for (let at = 0; at < whole.length; at++) {
    const damaged = Buffer.from(whole)
    damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at)
    writeFileSync(path, damaged)
    const file = open(path)
    for (const page of file.missing()) file.add(page, bytesOf(page))
    file.close()
    expect(contents(file).toString()).toBe(everyPage.toString())
  }
})

test('a page without its line feed is not kept', () => {
  const path = filled('line feed')
  const damaged = readFileSync(path)
  damaged.write('?', damaged.length - 1)
  writeFileSync(path, damaged)
  const file = open(path)
  file.close()
  expect([...file.missing()]).toHaveLength(1)
})

test('what follows a damaged page is cut off, so that no old page turns up behind new ones', () => {
  const path = filled('behind')
  const whole = readFileSync(path)
  const damaged = Buffer.from(whole)
  damaged.write('?', whole.indexOf('0000000001 '))
  writeFileSync(path, damaged)
  open(path).close()
  expect(readFileSync(path).equals(whole.subarray(0, whole.indexOf('0000000001 ')))).toBe(true)
})

test('a file that lost a page while it was in use says so', () => {
  const path = filled('lost')
  const file = open(path)
  file.close()
  writeFileSync(path, '')
  expect(() => contents(file)).toThrow('lacks page 1')
})

test('nothing is added after it was closed, and nothing is left after it was removed', () => {
  const path = filled('closed', [1])
  const file = open(path)
  file.remove()
  expect(() => file.add(2, bytesOf(2))).toThrow('closed')
  expect(() => file.restart()).toThrow('closed')
  expect(() => readFileSync(path)).toThrow('ENOENT')
})
