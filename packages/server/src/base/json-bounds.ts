// Limits what JSON from outside may be made of, before memory is spent on its values.
import { parseJson } from './json.ts'

/** A value takes up to a hundred bytes of memory. */
export const MAX_VALUES = 1 << 20
const MAX_DEPTH = 20

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
/** The change of depth at `[`, `{`, `]` and `}`. */
const STEPS: Readonly<Record<number, number>> = { 91: 1, 123: 1, 93: -1, 125: -1 }

/** True if a text has not too many values, and none that are nested too deep, whether or not it is JSON. */
export function isBounded(text: string, maxValues = MAX_VALUES): boolean {
  let depth = 0
  let values = 0
  let isInText = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) isInText = !isInText
    else if (isInText) at += code === BACKSLASH ? 1 : 0
    else {
      const step = STEPS[code] ?? 0
      depth += step
      if (step > 0 || code === COMMA) values++
      if (depth > MAX_DEPTH || values > maxValues) return false
    }
  }
  return true
}

/** Returns undefined for what is not JSON, or is made of too many values. */
export function boundedJson(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder().decode(bytes)
    return isBounded(text) ? parseJson(text) : undefined
  } catch {
    return undefined
  }
}
