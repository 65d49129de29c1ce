// Limits what JSON from outside may be made of, before memory is spent on its values.
import { parseJson } from './json.ts'

const MAX_VALUES = 1 << 20
const MAX_DEPTH = 20

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
/** The change of depth at `[`, `{`, `]` and `}`. */
const STEPS: Readonly<Record<number, number>> = { 91: 1, 123: 1, 93: -1, 125: -1 }

/** True if a text has no more values than a million, and none that are nested too deep, whether or not it is JSON. */
export function isBounded(bytes: Uint8Array): boolean {
  let depth = 0
  let values = 0
  let isInText = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte === QUOTE) isInText = !isInText
    else if (isInText) at += byte === BACKSLASH ? 1 : 0
    else {
      const step = STEPS[byte] ?? 0
      depth += step
      if (step > 0 || byte === COMMA) values++
      if (depth > MAX_DEPTH || values > MAX_VALUES) return false
    }
  }
  return true
}

/** Returns undefined for what is not JSON, or is made of too many values. */
export function boundedJson(bytes: Uint8Array): unknown {
  try {
    return isBounded(bytes) ? parseJson(new TextDecoder().decode(bytes)) : undefined
  } catch {
    return undefined
  }
}
