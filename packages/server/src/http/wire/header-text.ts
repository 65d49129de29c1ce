// The header fields of a request, kept as text: clients send many, and few are looked up.

const SPACE = 0x20
const TAB = 0x09

export class HeaderText {
  /** Begins with a line end, so that every name stands between a line end and a colon. */
  readonly #text: string
  readonly #lower: string
  readonly #values = new Map<string, string | undefined>()
  #hasConditions: boolean | undefined

  /** Takes valid lines, each with its end, and the empty line after them. */
  constructor(lines: string) {
    this.#text = `\r\n${lines}`
    this.#lower = this.#text.toLowerCase()
  }

  /** The value of a field, by its lower-case name. Those of one that was sent several times are joined by commas. */
  get(name: string): string | undefined {
    const cached = this.#values.get(name)
    if (cached !== undefined || this.#values.has(name)) return cached
    const value = this.#read(name)
    this.#values.set(name, value)
    return value
  }

  #read(name: string): string | undefined {
    let at = this.#find(name, 0)
    if (at === -1) return undefined
    let all = this.#value(name, at)
    for (at = this.#find(name, at + 1); at !== -1; at = this.#find(name, at + 1)) all += `, ${this.#value(name, at)}`
    return all
  }

  /** True if any name begins with `if-`. */
  get hasConditions(): boolean {
    this.#hasConditions ??= this.#lower.includes('\r\nif-')
    return this.#hasConditions
  }

  get lines(): string {
    return this.#text.slice(2)
  }

  isRepeated(name: string): boolean {
    const at = this.#find(name, 0)
    return at !== -1 && this.#find(name, at + 1) !== -1
  }

  hasMoreThan(fields: number): boolean {
    // The shortest line has four characters.
    if (this.#text.length <= fields * 4) return false
    return this.#text.split('\r\n').length - 3 > fields
  }

  #find(name: string, from: number): number {
    return this.#lower.indexOf(`\r\n${name}:`, from)
  }

  /** The value without the spaces and tabs around it. String.trim would also remove characters that are part of the value. */
  #value(name: string, at: number): string {
    let start = at + name.length + 3
    let end = this.#text.indexOf('\r\n', start)
    while (start < end && this.#isBlank(start)) start++
    while (start < end && this.#isBlank(end - 1)) end--
    return this.#text.slice(start, end)
  }

  #isBlank(at: number): boolean {
    const code = this.#text.charCodeAt(at)
    return code === SPACE || code === TAB
  }
}
