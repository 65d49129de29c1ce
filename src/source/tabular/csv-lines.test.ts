// Lines of CSV are taken apart one by one, and give back what was written.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseCsvLines } from './csv-lines.ts'

const value = fc.string({ unit: fc.constantFrom('a', '"', ',', ' ', "'", 'ñ', '🌵', '\t', '\\', ';') })
const record = fc.array(fc.tuple(value, fc.boolean()), { minLength: 1, maxLength: 5 })
const written = (cells: readonly (readonly [string, boolean])[]) =>
  cells.map(([text, quoted]) => (quoted || /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join(',')

test('gives back what was written, however it was quoted', () =>
  fc.assert(
    fc.property(fc.array(record), (records) =>
      expect(parseCsvLines(records.map(written))).toEqual(records.map((cells) => cells.map(([text]) => text))),
    ),
  ))

test('takes each line by itself, whatever stands around it', () => {
  const anything = fc.array(fc.string({ unit: fc.constantFrom('a', '"', ',') }), { maxLength: 8 })
  fc.assert(
    fc.property(anything, (lines) =>
      expect(parseCsvLines(lines)).toEqual(lines.flatMap((line) => parseCsvLines([line]))),
    ),
  )
})
