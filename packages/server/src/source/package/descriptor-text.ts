// Reads a descriptor as text: JSON or YAML, in any encoding, and says at which line and column it is broken, or a value stands.
import { isUtf8 } from 'node:buffer'
import { parseJson } from '../../base/json.ts'
import type { Faults } from '../faults.ts'
import { jsonFault, jsonOffset, placeAt, type TextPlace, type ValuePath } from './read/json-syntax.ts'

export const MAX_DESCRIPTOR = 10 << 20
/** The parser of YAML takes a second for so many letters, and a time that grows much faster for levels in levels. */
const MAX_YAML = 1 << 17
const DEEP_YAML = /^ {200}|(?:[-?:][ \t]+){6}/m
const MAX_FLOW_DEPTH = 20
/** An alias of YAML is a copy, and copies of copies grow without end. */
const MAX_ALIASES = 1_000

/** Where a value stands in the text; undefined where it is not known. */
export type PlaceOf = (path: ValuePath) => TextPlace | undefined

/** What a text stands for. */
type ParsedText = { readonly value: unknown; readonly placeOf: PlaceOf }
const BROKEN: ParsedText = { value: undefined, placeOf: () => undefined }

/** Where the text is broken, that is among the faults. */
export async function parseDescriptorText(file: string, bytes: Uint8Array, faults: Faults): Promise<ParsedText> {
  const text = descriptorText(bytes)
  return /\.ya?ml$/i.test(file) ? parseYaml(file, text, faults) : parseJsonText(file, text, faults)
}

/** Marks at the beginning tell the encoding; without one it is UTF-8, or what old spreadsheets write. */
function descriptorText(bytes: Uint8Array): string {
  const [first, second] = bytes
  const encoding =
    first === 0xff && second === 0xfe
      ? 'utf-16le'
      : first === 0xfe && second === 0xff
        ? 'utf-16be'
        : isUtf8(bytes)
          ? 'utf-8'
          : 'windows-1252'
  return new TextDecoder(encoding).decode(bytes)
}

function parseJsonText(file: string, text: string, faults: Faults): ParsedText {
  const fault = jsonFault(text)
  if (fault === undefined) return { value: parseJson(text), placeOf: placesIn(text, (path) => jsonOffset(text, path)) }
  addFault(faults, file, text, fault.offset, `${fault.expected}; the descriptor must be JSON`)
  return BROKEN
}

/** Each costs a look through the text, so that those of a large descriptor full of faults are not all looked for. */
const MAX_PLACES = 100

function placesIn(text: string, offsetOf: (path: ValuePath) => number | undefined): PlaceOf {
  let left = MAX_PLACES
  return (path) => {
    const offset = left-- > 0 ? offsetOf(path) : undefined
    return offset === undefined ? undefined : placeAt(text, offset)
  }
}

async function parseYaml(file: string, text: string, faults: Faults): Promise<ParsedText> {
  if (text.length > MAX_YAML || DEEP_YAML.test(text) || flowDepth(text) > MAX_FLOW_DEPTH) {
    addFault(faults, file, text, 0, `YAML of at most ${MAX_YAML} letters with few levels, or JSON`)
    return BROKEN
  }
  // Most descriptors are JSON, and those who serve read none.
  const { isNode, isScalar, parseDocument, visit } = await import('yaml')
  try {
    const document = parseDocument(text, { prettyErrors: false, logLevel: 'silent', uniqueKeys: false })
    for (const { pos, message } of document.errors.slice(0, MAX_TOLD))
      addFault(faults, file, text, pos[0], `YAML: ${message}`)
    if (document.errors.length > 0) return BROKEN
    visit(document, {
      // A version 1.10 is not 1.1, and a code 012 not 12.
      Scalar: (_, node) => {
        if (isScalar(node) && typeof node.value === 'number' && node.source !== undefined)
          if (String(node.value) !== node.source) node.value = node.source
      },
    })
    const offsetOf = (path: ValuePath) => {
      const node = document.getIn(path, true)
      return isNode(node) ? node.range?.[0] : undefined
    }
    return { value: document.toJS({ maxAliasCount: MAX_ALIASES }), placeOf: placesIn(text, offsetOf) }
  } catch (error) {
    // What nests too deeply, or repeats itself too often.
    if (!(error instanceof RangeError || error instanceof ReferenceError)) throw error
    addFault(faults, file, text, 0, 'YAML with few levels and few aliases')
    return BROKEN
  }
}

/** The most brackets that are open at once, in texts and comments too. */
function flowDepth(text: string): number {
  let [depth, deepest] = [0, 0]
  for (const [bracket] of text.matchAll(/[[{}\]]/g)) {
    depth = bracket === '[' || bracket === '{' ? depth + 1 : Math.max(depth - 1, 0)
    deepest = Math.max(deepest, depth)
  }
  return deepest
}

const MAX_TOLD = 5
const MAX_EXCERPT = 60

function addFault(faults: Faults, file: string, text: string, offset: number, expected: string): void {
  const { line, column } = placeAt(text, offset)
  const rest = text.slice(offset, offset + MAX_EXCERPT).split(/\r?\n/)[0]
  const value = rest === '' ? (offset >= text.length ? 'the end of the file' : 'the end of the line') : rest
  faults.add({ file, line, column: `column ${column}`, value, expected })
}
