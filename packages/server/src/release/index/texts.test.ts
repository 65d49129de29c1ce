// Texts in an index: numbered, put in order, written and found again.
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { TestDirectory } from '../../../../../test/support/releases.ts'
import { spanish } from '../../catalog/languages/spanish.ts'
import { byteOrder } from './byte-order.ts'
import { orderTexts, ranksOf, sortKeysOf, writeTexts } from './ordered-texts.ts'
import { SectionFile, SectionWriter } from './sections.ts'
import { SortedTexts } from './sorted-texts.ts'
import { TextTable } from './text-table.ts'

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom(
    'San José',
    'San Jose',
    'SAN JOSÉ',
    'Ñandú',
    'Nandu',
    'Nz',
    '',
    'a',
    'á',
    'Á',
    'Villa Sintética de la Ñ',
  ),
)
const anyTexts = fc
  .array(
    anyText.map((text) => text.replaceAll('\u0000', '').toWellFormed()),
    { maxLength: 60, size: 'max' },
  )
  .map((texts) => [...new Set(texts)])

/** In the midst of other bytes, as it stands in a batch. */
function addTo<N>(list: { add(bytes: Uint8Array, from: number, to: number): N }, text: string): N {
  const bytes = Buffer.from(`ñ\n${text}\nz`)
  return list.add(bytes, 3, bytes.length - 2)
}

const { order: spanishOrder } = spanish
const { sortKey } = spanishOrder

const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

test('a table numbers texts as they come, and each once', () => {
  const table = new TextTable()
  const texts = Array.from({ length: 30_000 }, (_, at) => `nombre ñ ${at % 25_000}`)
  expect(texts.map((text) => addTo(table, text))).toEqual(texts.map((_, at) => at % 25_000))
  expect([table.size, table.text(24_999), table.text(0)]).toEqual([25_000, 'nombre ñ 24999', 'nombre ñ 0'])
})

test('bytes are put in order as a comparison puts them', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ min: 1, maxLength: 9 }), { maxLength: 200, size: 'max' }), (texts) => {
      const offsets = new Uint32Array(texts.length + 1)
      for (const [at, text] of texts.entries()) offsets[at + 1] = (offsets[at] as number) + text.length
      const flat = { bytes: Buffer.concat(texts), offsets }
      const wanted = [...texts.keys()].sort(
        (a, b) => Buffer.compare(texts[a] as Uint8Array, texts[b] as Uint8Array) || a - b,
      )
      expect([...byteOrder(flat)]).toEqual(wanted)
    }),
  )
})

describe('texts in the order of a language', () => {
  const laidOut = (texts: readonly string[], place: string) => {
    const table = new TextTable()
    for (const text of texts) addTo(table, text)
    const { order, groups } = orderTexts(table, sortKeysOf(spanishOrder, table))
    const path = join(place, 'texts')
    const file = new SectionWriter(path)
    writeTexts(file, 'texts', 'offsets', table, order)
    file.add('groups', groups)
    file.finish()
    const read = new SectionFile(path)
    return {
      sorted: new SortedTexts(read.bytes('texts'), read.numbers('offsets'), sortKey),
      groups: read.numbers('groups'),
      order,
    }
  }

  test('are found, each and by their beginnings, and none that is not there', () => {
    fc.assert(
      fc.property(anyTexts, anyText, (texts, other) => {
        using directory = new TestDirectory()
        const { sorted, groups, order } = laidOut(texts, directory.path)
        const wanted = texts.toSorted((a, b) => compare(sortKey(a), sortKey(b)) || compare(a, b))
        expect(Array.from({ length: sorted.size }, (_, at) => sorted.text(at))).toEqual(wanted)
        expect(wanted.map((text) => sorted.find(text))).toEqual(wanted.map((_, at) => at))
        expect([...ranksOf(order)].map((rank) => wanted[rank] as string)).toEqual([...texts])
        const keys = [...new Set(wanted.map(sortKey))]
        expect([...groups]).toEqual(wanted.map((text) => keys.indexOf(sortKey(text))))
        if (!texts.includes(other)) expect(sorted.find(other)).toBeUndefined()
        const [from, to] = sorted.range(other)
        const begins = wanted.flatMap((text, at) => (sortKey(text).startsWith(sortKey(other)) ? [at] : []))
        expect(begins).toEqual(Array.from({ length: to - from }, (_, at) => from + at))
      }),
      { numRuns: 60 },
    )
  })

  test('are given letter by letter, as much as there is room for', () => {
    using directory = new TestDirectory()
    const { sorted } = laidOut(['ábaco', 'casa'], directory.path)
    const letters = new Uint16Array(4)
    const read = (number: number) => {
      const length = sorted.lettersInto(letters, number)
      return String.fromCharCode(...letters.subarray(0, length))
    }
    expect([read(0), read(1)]).toEqual(['ábac', 'casa'])
  })
})

test('arrays come back as they were written, whatever their lengths', () => {
  using directory = new TestDirectory()
  const path = join(directory.path, 'file')
  const file = new SectionWriter(path)
  file.add('odd', Uint8Array.of(1, 2, 3))
  file.add('numbers', Uint32Array.of(7, 0xffff_ffff))
  file.add('none', new Uint32Array())
  file.addPieces('pieces', 'numbers', (put) => {
    put(Uint32Array.of(1, 2))
    put(Uint32Array.of(3))
  })
  const { size } = file.finish()
  const read = new SectionFile(path)
  expect([...read.bytes('odd')]).toEqual([1, 2, 3])
  expect([...read.numbers('numbers')]).toEqual([7, 0xffff_ffff])
  expect([...read.numbers('none')]).toEqual([])
  expect([...read.numbers('pieces')]).toEqual([1, 2, 3])
  expect(() => read.numbers('other')).toThrow('the index has no other')
  expect(size).toBe(Bun.file(path).size)
})

test('tells which texts have one of some characters', () => {
  const texts = ['(of another)', 'El Pozo (La Noria)', 'Ñandú', '', '[Rancho] (2)', '(of another)'].map((text) =>
    Buffer.from(text),
  )
  const ends = texts.map((_, at) => Buffer.concat(texts.slice(0, at + 1)).length)
  const sorted = new SortedTexts(Buffer.concat(texts), Uint32Array.from(ends.slice(0, -1)), (text) => text)
  expect([...sorted.flagsOf('([')]).toEqual([1, 0, 0, 1])
})
