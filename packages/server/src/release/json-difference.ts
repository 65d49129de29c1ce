// Records compared and reduced in their JSON, without parsing it: a list of changes has millions of them.

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPEN = 0x7b
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const CLOSE = 0x7d

const COLON_BYTES = 1
const NOTHING = new Uint8Array()
const decoder = new TextDecoder()

/** A name in the JSON of a record, and its path; records of one entity have the same ones in the same order. */
type FieldName = { readonly prefix: string; readonly name: Uint8Array; readonly path: string; readonly inner: string }

/** Compares records with each other, pair by pair, and keeps nothing of them but the names of their fields. */
export class RecordComparer {
  /** The fields in the order in which they came up the last time. */
  readonly #names: FieldName[] = []
  #nameCount = 0
  #old: Uint8Array = NOTHING
  #now: Uint8Array = NOTHING
  /** Where it is in each of the two. */
  #oldAt = 0
  #nowAt = 0
  #paths: string[] = []

  /**
   * The dotted paths of the values that differ, in the order of the records; undefined where the two do not have the same
   * fields in the same order. Both must be objects of strings, numbers, nulls and such objects, written without blanks
   * and in one way, so that equal values are equal bytes; names have no escapes.
   */
  differingPaths(old: Uint8Array, now: Uint8Array): readonly string[] | undefined {
    this.#old = old
    this.#now = now
    this.#oldAt = 0
    this.#nowAt = 0
    this.#nameCount = 0
    this.#paths = []
    return this.#object('') ? this.#paths : undefined
  }

  /** Goes past an object in both; false where their fields are not the same. */
  #object(prefix: string): boolean {
    const old = this.#old
    const now = this.#now
    // Past the opening brace, and then past each comma.
    do {
      this.#oldAt++
      this.#nowAt++
      if (old[this.#oldAt] !== now[this.#nowAt]) return false
      // An object without fields.
      if (now[this.#nowAt] === CLOSE) break
      if (!this.#field(prefix)) return false
      if (old[this.#oldAt] !== now[this.#nowAt]) return false
    } while (now[this.#nowAt] === COMMA)
    this.#oldAt++
    this.#nowAt++
    return true
  }

  #field(prefix: string): boolean {
    const old = this.#old
    const now = this.#now
    const { name, path, inner } = this.#nameHere(prefix)
    if (!isSame(old, this.#oldAt, this.#oldAt + name.length, name, 0, name.length)) return false
    this.#oldAt += name.length
    this.#nowAt += name.length
    if (old[this.#oldAt] === OPEN && now[this.#nowAt] === OPEN) return this.#object(inner)
    const oldEnd = endOfValue(old, this.#oldAt)
    const nowEnd = endOfValue(now, this.#nowAt)
    if (!isSame(old, this.#oldAt, oldEnd, now, this.#nowAt, nowEnd)) this.#paths.push(path)
    this.#oldAt = oldEnd
    this.#nowAt = nowEnd
    return true
  }

  /** The name that the newer record has here, up to its colon: mostly the one that came up here the last time. */
  #nameHere(prefix: string): FieldName {
    const now = this.#now
    const start = this.#nowAt
    const expected = this.#names[this.#nameCount++]
    if (
      expected?.prefix === prefix &&
      isSame(now, start, start + expected.name.length, expected.name, 0, expected.name.length)
    )
      return expected
    const end = endOfString(now, start)
    const path = `${prefix}${decoder.decode(now.subarray(start + 1, end - 1))}`
    const fieldName = { prefix, name: now.slice(start, end + COLON_BYTES), path, inner: `${path}.` }
    this.#names[this.#nameCount - 1] = fieldName
    return fieldName
  }
}

/** Replaces the embedded records of a record by their identifiers, as many as it has, in its own order. */
export class EmbedReducer {
  #bytes = Buffer.alloc(1 << 12)

  /** A view, good until the next record is reduced. The JSON must be as for a `RecordComparer`. */
  reduced(json: Uint8Array, keyAt: (member: number) => string): Uint8Array {
    if (this.#bytes.length < json.length) this.#bytes = Buffer.alloc(json.length * 2)
    const bytes = this.#bytes
    let used = 0
    let copied = 0
    // At the opening brace, and then at each comma.
    for (let at = 0, member = 0; at < json.length && json[at + 1] !== CLOSE; member++) {
      const value = endOfString(json, at + 1) + COLON_BYTES
      at = endOfValue(json, value)
      if (json[value] === OPEN) {
        bytes.set(json.subarray(copied, value), used)
        used += value - copied
        // An embedded record has its key in it, so there is room for it.
        used += bytes.write(keyAt(member), used)
        copied = at
      }
      if (json[at] === CLOSE) break
    }
    bytes.set(json.subarray(copied), used)
    return bytes.subarray(0, used + json.length - copied)
  }
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
