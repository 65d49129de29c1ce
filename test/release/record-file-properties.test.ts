// A record file gives back any records, alone and as pages.
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { RecordFile } from '../../packages/server/src/release/files/record-file.ts'
import { writeRecordFile } from '../support/records.ts'
import { TestDirectory } from '../support/releases.ts'

const TIMEOUT_MILLISECONDS = 180_000

const directory = new TestDirectory()
afterAll(() => directory[Symbol.dispose]())

let written = 0
function recordFileOf(records: readonly string[]): RecordFile {
  const place = join(directory.path, String(written++))
  mkdirSync(place)
  writeRecordFile(place, records)
  return new RecordFile(place, records.length)
}

const decoder = new TextDecoder('utf-8', { fatal: true })

describe('a record file', () => {
  const short = fc.jsonValue().map((value) => JSON.stringify(value))
  const multibyte = fc.string({ unit: 'grapheme', maxLength: 50 }).map((text) => JSON.stringify({ text }))
  const long = fc
    .tuple(fc.constantFrom('x', 'ñ', '中', '🜨', '"'), fc.integer({ min: 100_000, max: 1_200_000 }))
    .map(([character, length]) => JSON.stringify(character.repeat(length)))

  const givesBack = async (records: readonly string[]) => {
    const file = recordFileOf(records)
    const pages = Array.from({ length: Math.ceil(records.length / 10) }, (_, at) =>
      records.slice(at * 10, at * 10 + 10),
    )
    const wanted = records.length === 0 ? ['[]'] : pages.map((page) => `[${page.join(',')}]`)
    expect([file.count, file.pages]).toEqual([records.length, pages.length])
    // Positions, as the records themselves may be megabytes.
    expect(records.flatMap((json, at) => (decoder.decode(file.record(at)) === json ? [] : [at]))).toEqual([])
    expect(wanted.flatMap((json, at) => (decoder.decode(file.page(at)) === json ? [] : [at]))).toEqual([])
    const tags = wanted.map((_, at) => file.etag(at))
    for (const tag of tags) expect(tag).toMatch(/^"[0-9a-f]{16}"$/)
    expect(new Set(tags).size).toBe(new Set(wanted).size)
  }

  test(
    'gives back any records, alone and as pages',
    () => fc.assert(fc.asyncProperty(fc.array(fc.oneof(short, multibyte), { maxLength: 45, size: 'max' }), givesBack)),
    TIMEOUT_MILLISECONDS,
  )

  test(
    'gives back records of any length, also longer than what is written at once',
    async () => {
      const lists = fc.array(fc.oneof({ arbitrary: short, weight: 3 }, { arbitrary: long, weight: 1 }), {
        maxLength: 25,
        size: 'max',
      })
      await fc.assert(fc.asyncProperty(lists, givesBack), { numRuns: 12 })
    },
    TIMEOUT_MILLISECONDS,
  )

  test('gives back one record of 3 MiB between short ones', async () => {
    await givesBack(['1', JSON.stringify('中'.repeat(1 << 20)), '"three"', '[]'])
  })
})
