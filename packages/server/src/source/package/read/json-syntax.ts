// Finds where a text stops being JSON, and where a value stands in it, because the parser of the runtime says neither.
import { parseJson } from '../../../base/json.ts'

/** The names and numbers that lead to a value. */
export type ValuePath = readonly (string | number)[]

/** Both are counted from 1. */
export type TextPlace = { readonly line: number; readonly column: number }

export function placeAt(text: string, offset: number): TextPlace {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
}

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

/** Where the value at a path begins in a text that is JSON; undefined where it has none. */
export function jsonOffset(text: string, path: ValuePath): number | undefined {
  const scanner = new JsonScanner(text)
  scanner.value(0, path)
  return scanner.found
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

  /** Where the last value began that was looked for. */
  found: number | undefined

  /** `path` leads on from here to what is looked for; undefined where it does not lead here. */
  value(depth: number, path?: ValuePath): void {
    this.#skip(BLANK)
    if (path?.length === 0) this.found = this.#at
    if (depth > MAX_DEPTH) throw this.#unexpected(`at most ${MAX_DEPTH} levels`)
    if (this.#take('{')) this.#members(depth, path)
    else if (this.#take('[')) this.#items(depth, path)
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

  #members(depth: number, path: ValuePath | undefined): void {
    this.#skip(BLANK)
    if (this.#take('}')) return
    for (;;) {
      this.#skip(BLANK)
      const start = this.#at
      if (!this.#skip(STRING)) throw this.#unexpected('a name in double quotes')
      const isNext = path !== undefined && parseJson(this.#text.slice(start, this.#at)) === path[0]
      this.#skip(BLANK)
      if (!this.#take(':')) throw this.#unexpected('a colon after the name')
      this.value(depth + 1, isNext ? path.slice(1) : undefined)
      if (this.#take('}')) return
      if (!this.#take(',')) throw this.#unexpected('a comma or a closing brace')
    }
  }

  #items(depth: number, path: ValuePath | undefined): void {
    this.#skip(BLANK)
    if (this.#take(']')) return
    for (let index = 0; ; index++) {
      this.value(depth + 1, path?.[0] === index ? path.slice(1) : undefined)
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
