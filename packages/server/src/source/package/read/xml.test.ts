// XML in one pass: the same parts however it is cut into pieces, and an end to whatever does not end.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { attribute, BrokenXml, unescaped, XmlReader } from './xml.ts'

/** The parts of a document that arrives in pieces; texts that follow each other are one. */
function partsOf(pieces: readonly string[]): string[] {
  const parts: string[] = []
  let text = ''
  const add = (part: string) => {
    if (text !== '') parts.push(`text ${unescaped(text)}`)
    text = ''
    parts.push(part)
  }
  const reader = new XmlReader({
    start: (name, attributes) => add(`start ${name}${attributes}`),
    end: (name) => add(`end ${name}`),
    text: (raw) => {
      text += raw
    },
  })
  for (const piece of pieces) reader.read(piece)
  reader.close()
  return text === '' ? parts : [...parts, `text ${unescaped(text)}`]
}

const DOCUMENT =
  '<?xml version="1.0"?><!DOCTYPE a><x:a one="<&gt;>" two=\'"\'><!-- <b> --><b/>1 &lt; 2<![CDATA[<&amp;]]></x:a >'

test('tags, texts and attributes, without comments and declarations', () => {
  expect(partsOf([DOCUMENT])).toEqual([
    'start a one="<&gt;>" two=\'"\'',
    'start b',
    'end b',
    'text 1 < 2<&amp;',
    'end a',
  ])
})

test('cut anywhere it is the same', () => {
  const whole = partsOf([DOCUMENT])
  fc.assert(
    fc.property(fc.array(fc.nat(DOCUMENT.length), { maxLength: 6 }), (cuts) => {
      const ends = [0, ...cuts.toSorted((a, b) => a - b), DOCUMENT.length]
      expect(partsOf(ends.slice(1).map((end, index) => DOCUMENT.slice(ends[index], end)))).toEqual(whole)
    }),
  )
})

describe.each([
  ['a tag without an end', '<a ', 'x'],
  ['a tag in a tag', '<a ', '<a '],
  ['a quotation mark without another', '<a b="', '>'],
  ['a comment without an end', '<!--', '-'],
  ['a text without an end', '<![CDATA[', ']'],
  ['a declaration without an end', '<?', '?'],
])('%s', (_, begin, more) => {
  test.each([1, 100, 3_000_000])('of %d letters is refused', (count) => {
    const xml = begin + more.repeat(Math.ceil(count / more.length))
    const pieces = xml.match(/[\s\S]{1,16384}/g) as string[]
    expect(() => partsOf(pieces)).toThrow(BrokenXml)
  })
})

test.each([
  ['elements that are never closed', '<r>'.repeat(200_000), 'in more than 100 others'],
  ['an element that is not closed', '<a><b></a>', '</a> ends another element'],
  ['an end too many', '<a></a></a>', '</a> ends another element'],
  ['a document that is cut off', '<a><b></b>', 'it ends within <a>'],
])('%s: refused', (_, xml, expected) => {
  expect(() => partsOf([xml])).toThrow(expected)
})

test('100 elements in each other are read', () => {
  expect(partsOf(['<r>'.repeat(100) + '</r>'.repeat(100)])).toHaveLength(200)
})

test.each([
  ['an attribute', ' r="A1" s="2"', 's', '2'],
  ['one in apostrophes', " r='A1'", 'r', 'A1'],
  ['one with a prefix', ' r:id="rId1"', 'id', 'rId1'],
  ['a name within a value', ' a=" s=1" s="2"', 's', '2'],
  ['one with entities', ' name="A &amp; &#66;"', 'name', 'A & B'],
  ['one that is not there', ' r="A1"', 's', undefined],
  ['one that is cut off', ' r="A1', 'r', undefined],
  ['an equals sign alone', ' =', 'r', undefined],
])('%s', (_, attributes, name, expected) => {
  expect(attribute(attributes, name)).toBe(expected as string)
})
