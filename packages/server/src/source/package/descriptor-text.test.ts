// Broken descriptors are told with line and column; sound ones are read in any encoding.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Faults } from '../faults.ts'
import { parseDescriptorText } from './descriptor-text.ts'
import { jsonFault, jsonOffset } from './read/json-syntax.ts'

async function read(file: string, content: string | Uint8Array) {
  const faults = new Faults()
  const { value, placeOf } = await parseDescriptorText(file, Buffer.from(content as string), faults)
  return {
    value,
    placeOf,
    faults: faults.list().map(({ line, column, expected }) => `${line}, ${column}: ${expected}`),
  }
}

describe('JSON', () => {
  test.each([
    ['a comma too many', '{\n  "a": 1,\n}', '3, column 1: a name in double quotes'],
    ['no colon', '{"a" 1}', '1, column 6: a colon after the name'],
    ['no comma', '{"a": 1\n "b": 2}', '2, column 2: a comma or a closing brace'],
    ['an end too early', '{"a": [1, 2', '1, column 12: a comma or a closing bracket'],
    ['more than one value', '{} {}', '1, column 4: the end of the file'],
    ['a line break in a text', '{"a": "b\nc"}', '1, column 7: a closing quote on the same line'],
    ['too many levels', '['.repeat(1_000_000), '1, column 102: at most 100 levels'],
  ])('%s', async (_, text, expected) => {
    const { value, faults } = await read('datapackage.json', text)
    expect(value).toBeUndefined()
    expect(faults[0]).toStartWith(expected)
  })

  test('a fault is found exactly where the runtime finds one', () => {
    const isJson = (text: string) => {
      try {
        JSON.parse(text)
        return true
      } catch {
        return false
      }
    }
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.constantFrom('', ',', '"', '}', '\\', '0', '\u0080'), (json, at, sign) => {
        const place = at % (json.length + 1)
        const text = json.slice(0, place) + sign + json.slice(place + (sign === '' ? 1 : 0))
        expect(jsonFault(text) === undefined).toBe(isJson(text))
      }),
    )
  })

  test.each([
    ['with a mark', Buffer.from('\ufeff{"a": "ñ"}')],
    ['UTF-16', Buffer.from('\ufeff{"a": "ñ"}', 'utf16le')],
    ['Latin-1', Buffer.from('{"a": "ñ"}', 'latin1')],
  ])('%s', async (_, bytes) => {
    expect((await read('datapackage.json', bytes)).value).toEqual({ a: 'ñ' })
  })
})

describe('YAML', () => {
  test('is read, and numbers keep their digits', async () => {
    const { value } = await read('datapackage.yml', '\ufeffname: x\nversion: 1.10\nbytes: 12\nheader: false\n')
    expect(value).toEqual({ name: 'x', version: '1.10', bytes: 12, header: false })
  })

  test.each([
    ['a colon in a text', 'name: x\ndescription: Note: this\n', /^2, column \d+: YAML: /],
    ['a tab', 'a:\n\tb: 1\n', /^2, column \d+: YAML: /],
    ['an alias of nothing', 'a: *b\n', /^1, column \d+: YAML/],
    ['aliases of aliases', bomb(), /^1, column 1: YAML with few levels and few aliases/],
    ...(
      [
        ['brackets in brackets', `x: ${'['.repeat(21)}${']'.repeat(21)}`],
        ['lists in lists', `x:\n  ${'- '.repeat(5_000)}a`],
        ['keys in keys', `${'? '.repeat(5_000)}a`],
        ['steps to the right', Array.from({ length: 300 }, (_, at) => `${' '.repeat(at)}a:`).join('\n')],
        ['too much', `x:\n${'  - a\n'.repeat(25_000)}`],
      ] as const
    ).map(([what, text]) => [what, text, /^1, column 1: YAML of at most 131072 letters with few levels/] as const),
  ])('%s is told', async (_, text, expected) => {
    const { value, faults } = await read('datapackage.yaml', text)
    expect(value).toBeUndefined()
    expect(faults[0]).toMatch(expected)
  })
})

describe('a value', () => {
  test.each([
    ['datapackage.json', '{"name": "x",\n "resources": [{},\n  {"pa\\u0074h": "a",\t"path": ["b", "c"]}]}', '3, 36'],
    ['datapackage.yaml', 'name: x\nresources:\n  - {}\n  - name: y\n    path:\n      - b\n      - c\n', '7, 9'],
  ])('stands at its line and column in %s', async (file, text, expected) => {
    const { placeOf } = await read(file, text)
    const { line, column } = placeOf(['resources', 1, 'path', 1]) ?? {}
    expect(`${line}, ${column}`).toBe(expected)
    for (const path of [['resources', 2], ['resources', '1'], ['name', 0], ['path']])
      if (file.endsWith('json') || path[1] !== '1') expect(placeOf(path)).toBeUndefined()
  })

  test('is found where it is written, whatever it stands in', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.integer({ min: 0, max: 4 }), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        const look = (at: unknown, path: readonly (string | number)[]) => {
          const written = JSON.stringify(at, null, indent).split('\n')[0] as string
          expect(text.slice(jsonOffset(text, path))).toStartWith(written)
          if (typeof at !== 'object' || at === null) return
          for (const [name, inner] of Object.entries(at))
            look(inner, [...path, Array.isArray(at) ? Number(name) : name])
        }
        look(value, [])
      }),
    )
  })
})

function bomb(): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
  for (let level = 1; level < 12; level++)
    lines.push(
      `a${level}: &a${level} [${Array(9)
        .fill(`*a${level - 1}`)
        .join(', ')}]`,
    )
  return lines.join('\n')
}
