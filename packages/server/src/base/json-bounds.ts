// Limits what JSON from outside may be made of, before memory is spent on its values.
import { parseJson } from './json.ts'
import { mismatchesText, parse, type Schema } from './schema.ts'

/** A value takes up to a hundred bytes of memory. */
const MAX_VALUES = 1 << 20
const MAX_DEPTH = 20

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d]

/** True if a text has not too many values, and none that are nested too deep, whether or not it is JSON. */
export function isBounded(text: string, maxValues = MAX_VALUES): boolean {
  let depth = 0
  let values = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = closingQuote(text, at)
    else if (code === LIST_END || code === OBJECT_END) depth--
    else if (code === LIST || code === OBJECT || code === COMMA) {
      if (code !== COMMA) depth++
      if (depth > MAX_DEPTH || ++values > maxValues) return false
    }
  }
  return true
}

/** Where a text in JSON ends that begins here; where it never does, the end of everything. */
function closingQuote(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let before = end - 1
    while (json.charCodeAt(before) === BACKSLASH) before--
    if ((end - before) % 2 === 1) return end
  }
  return json.length
}

/** Returns undefined for what is not JSON, or is made of too many values. */
export function boundedJson(bytes: Uint8Array, maxValues?: number): unknown {
  try {
    const text = new TextDecoder().decode(bytes)
    return isBounded(text, maxValues) ? parseJson(text) : undefined
  } catch {
    return undefined
  }
}

/** An object or list in JSON from a file, or the fault of the text. */
export function parsedObject(text: string, maxValues?: number): object | string {
  if (!isBounded(text, maxValues)) return 'has too many values, or they are nested too deep'
  try {
    const value = parseJson(text)
    return typeof value === 'object' && value !== null ? value : 'is not a JSON object'
  } catch {
    return 'is not JSON'
  }
}

/** The value that a schema reads in JSON, or the fault of the text. */
export function parsedAs<T>(
  schema: Schema<T>,
  text: string,
  maxValues?: number,
): { readonly value: T } | { readonly wrong: string } {
  const value = parsedObject(text, maxValues)
  if (typeof value === 'string') return { wrong: value }
  const parsed = parse(schema, value)
  return 'value' in parsed ? parsed : { wrong: `is not sound: ${mismatchesText(parsed)}` }
}
