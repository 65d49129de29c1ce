// Records compared and reduced in their JSON, without parsing it: a list of changes has millions of them.

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPEN = 0x7b
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const CLOSE = 0x7d

const COLON_BYTES = 1
const decoder = new TextDecoder()

/**
 * The dotted paths of the values that differ, in the order of the records; undefined if the two do not have the same fields in the
 * same order. Both must be objects of strings, numbers, nulls and such objects, written without blanks and in one way, so that
 * equal values are equal bytes; names have no escapes.
 */
export function differingPaths(old: Uint8Array, now: Uint8Array): readonly string[] | undefined {
  const paths: string[] = []
  let oldAt = 0
  let nowAt = 0
  /** Goes past an object in both; false if their fields are not the same. */
  const isSameObject = (prefix: string): boolean => {
    // Past the opening brace, and then past each comma.
    do {
      oldAt++
      nowAt++
      if (old[oldAt] !== now[nowAt]) return false
      // An object without fields.
      if (now[nowAt] === CLOSE) break
      if (!isSameField(prefix)) return false
      if (old[oldAt] !== now[nowAt]) return false
    } while (now[nowAt] === COMMA)
    oldAt++
    nowAt++
    return true
  }
  const isSameField = (prefix: string): boolean => {
    const nameAt = nowAt
    const length = endOfString(now, nowAt) + COLON_BYTES - nowAt
    if (!isSame(old, oldAt, oldAt + length, now, nowAt, nowAt + length)) return false
    oldAt += length
    nowAt += length
    const path = () => `${prefix}${decoder.decode(now.subarray(nameAt + 1, nameAt + length - 1 - COLON_BYTES))}`
    if (old[oldAt] === OPEN && now[nowAt] === OPEN) return isSameObject(`${path()}.`)
    const oldEnd = endOfValue(old, oldAt)
    const nowEnd = endOfValue(now, nowAt)
    if (!isSame(old, oldAt, oldEnd, now, nowAt, nowEnd)) paths.push(path())
    oldAt = oldEnd
    nowAt = nowEnd
    return true
  }
  return isSameObject('') ? paths : undefined
}

/** A record with its embedded records replaced by their identifiers. The JSON must be as for `differingPaths`. */
export function withoutEmbeds(json: Uint8Array, keyAt: (member: number) => string): Uint8Array {
  // An embedded record has its key in it, so there is room for that.
  const bytes = Buffer.allocUnsafe(json.length)
  let used = 0
  let copied = 0
  // At the opening brace, and then at each comma.
  for (let at = 0, member = 0; at < json.length && json[at + 1] !== CLOSE; member++) {
    const value = endOfString(json, at + 1) + COLON_BYTES
    at = endOfValue(json, value)
    if (json[value] === OPEN) {
      bytes.set(json.subarray(copied, value), used)
      used += value - copied
      used += bytes.write(keyAt(member), used)
      copied = at
    }
    if (json[at] === CLOSE) break
  }
  bytes.set(json.subarray(copied), used)
  return bytes.subarray(0, used + json.length - copied)
}

function isSame(a: Uint8Array, aFrom: number, aTo: number, b: Uint8Array, bFrom: number, bTo: number): boolean {
  if (aTo - aFrom !== bTo - bFrom) return false
  for (let at = aFrom, other = bFrom; at < aTo; at++, other++) if (a[at] !== b[other]) return false
  return true
}

/** Just after the closing quote of the string that begins there. */
function endOfString(json: Uint8Array, start: number): number {
  let at = start + 1
  for (; json[at] !== QUOTE && at < json.length; at++) if (json[at] === BACKSLASH) at++
  return at + 1
}

function endOfValue(json: Uint8Array, start: number): number {
  if (json[start] === QUOTE) return endOfString(json, start)
  let at = start
  for (let depth = 0; at < json.length; at++) {
    const byte = json[at]
    if (depth === 0 && (byte === COMMA || byte === CLOSE)) return at
    if (byte === OPEN || byte === OPEN_LIST) depth++
    else if (byte === CLOSE || byte === CLOSE_LIST) depth--
    else if (byte === QUOTE) at = endOfString(json, at) - 1
  }
  return at
}
