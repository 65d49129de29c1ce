// Limits what JSON from outside may be made of, before memory is spent on its values.

const MAX_DEPTH = 20
/** The greatest number of values, if not given. */
const MAX_VALUES = 1 << 19

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPENING, CLOSING] = [
  [0x5b, 0x7b],
  [0x5d, 0x7d],
]

/** True if a text has no more values than this, and none that are nested too deep, whether or not it is JSON. */
export function isBounded(bytes: Uint8Array, values = MAX_VALUES): boolean {
  let level = 0
  let count = 0
  let isInText = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte === QUOTE) isInText = !isInText
    else if (isInText) at += byte === BACKSLASH ? 1 : 0
    else if (OPENING.includes(byte)) {
      level++
      count++
    } else if (CLOSING.includes(byte)) level--
    else if (byte === COMMA) count++
    if (level > MAX_DEPTH || count > values) return false
  }
  return true
}

/** Returns undefined for what is not JSON, or is made of more values. */
export function boundedJson(bytes: Uint8Array, values?: number): unknown {
  try {
    return isBounded(bytes, values) ? JSON.parse(new TextDecoder().decode(bytes)) : undefined
  } catch {
    return undefined
  }
}
