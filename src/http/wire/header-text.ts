// The header fields of a request, left as the text that they came in: of the many that are sent, few are looked at.

const SPACE = 0x20
const TAB = 0x09

export class HeaderText {
  /** Every line begins after a line break, and a name is found in front of its colon. */
  readonly #text: string
  readonly #lower: string

  /** Sound lines, each with its end, and an empty one after them. */
  constructor(lines: string) {
    this.#text = `\r\n${lines}`
    this.#lower = this.#text.toLowerCase()
  }

  readonly #known = new Map<string, string | undefined>()

  /** By lower-case name; of a field that was sent several times the values are joined by commas. */
  get(name: string): string | undefined {
    const known = this.#known.get(name)
    if (known !== undefined || this.#known.has(name)) return known
    const value = this.#read(name)
    this.#known.set(name, value)
    return value
  }

  #read(name: string): string | undefined {
    let at = this.#find(name, 0)
    if (at === -1) return undefined
    const first = this.#value(name, at)
    let all = first
    for (at = this.#find(name, at + 1); at !== -1; at = this.#find(name, at + 1)) all += `, ${this.#value(name, at)}`
    return all
  }

  isRepeated(name: string): boolean {
    const at = this.#find(name, 0)
    return at !== -1 && this.#find(name, at + 1) !== -1
  }

  moreThan(fields: number): boolean {
    // The shortest line has four characters.
    if (this.#text.length <= fields * 4) return false
    return this.#text.split('\r\n').length - 3 > fields
  }

  #find(name: string, from: number): number {
    return this.#lower.indexOf(`\r\n${name}:`, from)
  }

  /** Without the blanks around it: spaces and tabs, and not all that JavaScript would trim. */
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
