// Finds where a text stops being JSON, because the parser of the runtime does not say it.

type SyntaxFault = { readonly offset: number; readonly expected: string }

/** Deeper than any descriptor, and far from what a parser cannot bear. */
const MAX_DEPTH = 100
const BLANK = /[ \t\n\r]*/y
const STRING = /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy
const SCALAR = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y

/** What is wrong with a text that should be JSON; undefined where nothing is. */
export function jsonFault(text: string): SyntaxFault | undefined {
  const scanner = new JsonScanner(text)
  try {
    scanner.value(0)
    scanner.end()
    return undefined
  } catch (error) {
    if (error instanceof Unexpected) return { offset: error.offset, expected: error.message }
    throw error
  }
}

class Unexpected extends Error {
  readonly offset: number

  constructor(offset: number, expected: string) {
    super(expected)
    this.offset = offset
  }
}

class JsonScanner {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  value(depth: number): void {
    this.#skip(BLANK)
    if (depth > MAX_DEPTH) throw this.#unexpected(`at most ${MAX_DEPTH} levels`)
    if (this.#take('{')) this.#members(depth)
    else if (this.#take('[')) this.#items(depth)
    else if (!this.#skip(STRING) && !this.#skip(SCALAR))
      throw this.#unexpected(
        this.#text[this.#at] === '"'
          ? 'a closing quote on the same line, and backslashes only before what they escape'
          : 'a value: an object, a list, a text in quotes, a number, true, false or null',
      )
    this.#skip(BLANK)
  }

  end(): void {
    if (this.#at < this.#text.length) throw this.#unexpected('the end of the file')
  }

  #members(depth: number): void {
    this.#skip(BLANK)
    if (this.#take('}')) return
    for (;;) {
      this.#skip(BLANK)
      if (!this.#skip(STRING)) throw this.#unexpected('a name in double quotes')
      this.#skip(BLANK)
      if (!this.#take(':')) throw this.#unexpected('a colon after the name')
      this.value(depth + 1)
      if (this.#take('}')) return
      if (!this.#take(',')) throw this.#unexpected('a comma or a closing brace')
    }
  }

  #items(depth: number): void {
    this.#skip(BLANK)
    if (this.#take(']')) return
    for (;;) {
      this.value(depth + 1)
      if (this.#take(']')) return
      if (!this.#take(',')) throw this.#unexpected('a comma or a closing bracket')
    }
  }

  #take(sign: string): boolean {
    if (this.#text[this.#at] !== sign) return false
    this.#at++
    return true
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at
    if (!pattern.test(this.#text)) return false
    this.#at = pattern.lastIndex
    return true
  }

  #unexpected = (expected: string) => new Unexpected(this.#at, expected)
}
