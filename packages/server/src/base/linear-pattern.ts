// Patterns of others, matched in time that grows with the length of the text and no faster: all states at once, no going back.
import { LruCache } from './lru-cache.ts'

/** Says whether a whole text matches. */
type LinearPattern = (text: string) => boolean

const MAX_PATTERN = 500
const MAX_STATES = 2_000
const MAX_DEPTH = 50

/** A state takes a character and goes on, or goes on without one to several others. */
type State = { readonly accepts: ((character: string) => boolean) | undefined; readonly next: number[] }

/** The fields of a catalog share few patterns, and a release is opened many times. */
const compiled = new LruCache<Automaton | false>({ maxEntries: 32 })

/** Undefined where the pattern is not one, is too long, or needs more than one look at a text. */
export function linearPattern(source: string): LinearPattern | undefined {
  if (source.length > MAX_PATTERN) return undefined
  const automaton = compiled.get(source, () => compile(source))
  return automaton === false ? undefined : (text) => automaton.matches(text)
}

function compile(source: string): Automaton | false {
  try {
    return new Automaton(source)
  } catch (error) {
    if (error instanceof Unsupported || error instanceof SyntaxError) return false
    throw error
  }
}

class Unsupported extends Error {}

/** A part of the automaton: where it is entered, and the states from which it is left. */
type Part = { readonly start: number; readonly ends: readonly number[] }

class Automaton {
  readonly #source: string
  #at = 0
  readonly #states: State[] = []
  readonly #start: number
  readonly #end: number

  constructor(source: string) {
    this.#source = source
    const whole = this.#alternatives(0)
    if (this.#at < source.length) throw new Unsupported()
    this.#end = this.#state(undefined)
    this.#connect(whole, this.#end)
    this.#start = whole.start
  }

  matches(text: string): boolean {
    let current = this.#reached([this.#start])
    for (const character of text) {
      const taken: number[] = []
      for (const index of current) {
        const { accepts, next } = this.#states[index] as State
        if (accepts?.(character)) taken.push(...next)
      }
      if (taken.length === 0) return false
      current = this.#reached(taken)
    }
    return current.has(this.#end)
  }

  /** These states, and all that are reached from them without a character. */
  #reached(from: readonly number[]): Set<number> {
    const reached = new Set<number>()
    const open = [...from]
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (reached.has(index)) continue
      reached.add(index)
      const { accepts, next } = this.#states[index] as State
      if (accepts === undefined) open.push(...next)
    }
    return reached
  }

  #state(accepts: State['accepts'], next: number[] = []): number {
    if (this.#states.length >= MAX_STATES) throw new Unsupported()
    return this.#states.push({ accepts, next }) - 1
  }

  #connect({ ends }: Part, to: number): void {
    for (const end of ends) (this.#states[end] as State).next.push(to)
  }

  #alternatives(depth: number): Part {
    if (depth > MAX_DEPTH) throw new Unsupported()
    const parts = [this.#sequence(depth)]
    while (this.#take('|')) parts.push(this.#sequence(depth))
    if (parts.length === 1) return parts[0] as Part
    const start = this.#state(
      undefined,
      parts.map((part) => part.start),
    )
    return { start, ends: parts.flatMap(({ ends }) => ends) }
  }

  #sequence(depth: number): Part {
    const start = this.#state(undefined)
    let whole: Part = { start, ends: [start] }
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at] as string)) {
      const part = this.#repeated(depth)
      this.#connect(whole, part.start)
      whole = { start, ends: part.ends }
    }
    return whole
  }

  /** An atom as often as what follows it says; each time is a copy of its own. */
  #repeated(depth: number): Part {
    const from = this.#at
    const atom = this.#atom(depth)
    const times = this.#times()
    if (times === undefined) return atom
    const after = this.#at
    const again = () => {
      this.#at = from
      const copy = this.#atom(depth)
      this.#at = after
      return copy
    }
    const entry = this.#state(undefined)
    let ends: readonly number[] = [entry]
    const skips: number[] = []
    for (let count = 0; count < times.max; count++) {
      const isLast = times.max === Number.POSITIVE_INFINITY && count >= times.min
      if (count >= times.min) skips.push(...ends)
      const copy = count === 0 ? atom : again()
      this.#connect({ start: entry, ends }, copy.start)
      if (isLast) {
        this.#connect(copy, copy.start)
        return { start: entry, ends: [...skips, ...copy.ends] }
      }
      ends = copy.ends
    }
    return { start: entry, ends: [...skips, ...ends] }
  }

  #times(): { readonly min: number; readonly max: number } | undefined {
    const [text, sign, least, comma, most] = this.#match(/([*+?])|\{([0-9]{1,4})(,?)([0-9]{0,4})\}/y) ?? []
    if (text === undefined) return undefined
    if (this.#take('?') || this.#take('+')) {
      // Lazy or possessive: a whole text matches all the same, or not at all.
      if (this.#source[this.#at - 1] === '+') throw new Unsupported()
    }
    if (sign !== undefined) return { min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Number.POSITIVE_INFINITY }
    const min = Number(least)
    const max = comma === '' ? min : most === '' ? Number.POSITIVE_INFINITY : Number(most)
    if (max < min) throw new Unsupported()
    return { min, max }
  }

  #atom(depth: number): Part {
    if (this.#take('^')) {
      if (this.#at > 1) throw new Unsupported()
      return this.#nothing()
    }
    if (this.#take('$')) {
      if (this.#at < this.#source.length) throw new Unsupported()
      return this.#nothing()
    }
    if (this.#match(/\((?!\?)|\(\?:/y) !== null) {
      const group = this.#alternatives(depth + 1)
      if (!this.#take(')')) throw new Unsupported()
      return group
    }
    const [one] = this.#match(ONE) ?? []
    if (one === undefined) throw new Unsupported()
    const accepts = acceptor(one)
    const state = this.#state(accepts)
    return { start: state, ends: [state] }
  }

  #nothing(): Part {
    const state = this.#state(undefined)
    return { start: state, ends: [state] }
  }

  #take(sign: string): boolean {
    if (this.#source[this.#at] !== sign) return false
    this.#at++
    return true
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#source)
    if (match !== null) this.#at = pattern.lastIndex
    return match
  }
}

/** One character: any, one of a class, an escape that is no reference and no boundary, or itself. */
const ONE =
  /\.|\[\^?(?:[^\]\\]|\\.)+\]|\\(?:[dDwWsS]|[tnrfv]|[pP]\{[\w=]{1,40}\}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[^A-Za-z0-9])|[^\\()[\]{}*+?|^$]/uy

function acceptor(one: string): (character: string) => boolean {
  if (!/[\\[.]/.test(one)) return (character) => character === one
  const pattern = singleCharacter(one)
  return (character) => pattern.test(character)
}

function singleCharacter(one: string): RegExp {
  try {
    return new RegExp(`^(?:${one})$`, 'su')
  } catch {
    // Escapes that are not needed are refused with the flag.
    return new RegExp(`^(?:${one})$`, 's')
  }
}
