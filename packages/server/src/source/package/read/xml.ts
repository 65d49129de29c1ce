// Reads XML as it arrives, in one pass over its letters: start tags, end tags and texts, without namespaces.
import { own } from '../../../base/json.ts'

/** Takes the parts of a document in their order. */
export type XmlHandler = {
  /** `attributes` is what stands in the tag after its name. An empty element is followed by its end. */
  readonly start: (name: string, attributes: string) => void
  readonly end: (name: string) => void
  /** Text with its entities as they are written; one text may come in several pieces. */
  readonly text: (raw: string) => void
}

/** XML that is cut off, or that has tags which do not end or do not match. */
export class BrokenXml extends Error {}

const MAX_TAG = 1 << 16
const MAX_DEPTH = 100

/** How parts begin that are no tags, and how they end. */
const SECTIONS = [
  ['<![CDATA[', ']]>'],
  ['<!--', '-->'],
  ['<?', '?>'],
  ['<!', '>'],
] as const
type Section = (typeof SECTIONS)[number]
const [CDATA] = SECTIONS
const LONGEST_OPENING = CDATA[0].length

const SPACE = 0x20
const EXCLAMATION_MARK = 0x21
const QUOTATION_MARK = 0x22
const APOSTROPHE = 0x27
const SLASH = 0x2f
const LESS_THAN = 0x3c
const GREATER_THAN = 0x3e
const QUESTION_MARK = 0x3f

export class XmlReader {
  readonly #handler: XmlHandler
  /** The beginning of a part that the next piece goes on with. */
  #rest = ''
  #section: Section | undefined
  /** The names of the elements that are open. */
  readonly #open: string[] = []

  constructor(handler: XmlHandler) {
    this.#handler = handler
  }

  read(piece: string): void {
    const xml = this.#rest + piece
    let at = 0
    for (let next: number | undefined = 0; next !== undefined && next < xml.length; ) {
      at = next
      next = this.#section === undefined ? this.#readPart(xml, at) : this.#readSection(xml, at, this.#section)
      if (next !== undefined) at = next
    }
    this.#rest = xml.slice(at)
    if (this.#rest.length > MAX_TAG) throw new BrokenXml(`a tag has more than ${MAX_TAG} letters`)
  }

  /** Called after the last piece. */
  close(): void {
    if (this.#rest !== '' || this.#section !== undefined) throw new BrokenXml('it ends within a tag')
    if (this.#open.length > 0) throw new BrokenXml(`it ends within <${this.#open.at(-1)}>`)
  }

  /** Returns the end of the part that begins at `at`; undefined while that has not arrived. */
  #readPart(xml: string, at: number): number | undefined {
    if (xml.charCodeAt(at) !== LESS_THAN) {
      const end = xml.indexOf('<', at)
      this.#handler.text(end < 0 ? xml.slice(at) : xml.slice(at, end))
      return end < 0 ? xml.length : end
    }
    if (xml.length - at < LONGEST_OPENING && xml.indexOf('>', at) < 0) return undefined
    const second = xml.charCodeAt(at + 1)
    if (second === EXCLAMATION_MARK || second === QUESTION_MARK) {
      this.#section = SECTIONS.find(([opening]) => xml.startsWith(opening, at)) as Section
      return at + this.#section[0].length
    }
    const end = tagEnd(xml, at)
    if (end === undefined) return undefined
    if (second === SLASH) this.#endElement(localName(xml.slice(at + 2, end).trimEnd()))
    else this.#startElement(xml.slice(at + 1, end))
    return end + 1
  }

  #startElement(tag: string): void {
    const isEmpty = tag.endsWith('/')
    const content = isEmpty ? tag.slice(0, -1) : tag
    const length = nameLength(content)
    const name = localName(content.slice(0, length))
    if (this.#open.push(name) > MAX_DEPTH) throw new BrokenXml(`it has elements in more than ${MAX_DEPTH} others`)
    this.#handler.start(name, content.slice(length))
    if (isEmpty) this.#endElement(name)
  }

  #endElement(name: string): void {
    if (this.#open.pop() !== name) throw new BrokenXml(`</${name}> ends another element`)
    this.#handler.end(name)
  }

  #readSection(xml: string, at: number, [opening, closing]: Section): number | undefined {
    const end = xml.indexOf(closing, at)
    // The closing may be cut in two.
    const stop = end < 0 ? Math.max(at, xml.length - closing.length + 1) : end
    if (opening === CDATA[0] && stop > at) this.#handler.text(xml.slice(at, stop).replaceAll('&', '&amp;'))
    if (end < 0) return stop === at ? undefined : stop
    this.#section = undefined
    return end + closing.length
  }
}

/** The position of the `>` of a tag; one within quotes does not end it. */
function tagEnd(xml: string, start: number): number | undefined {
  for (let at = start + 1; at < xml.length; at++) {
    const letter = xml.charCodeAt(at)
    if (letter === GREATER_THAN) return at
    if (letter === LESS_THAN) throw new BrokenXml('a tag is not closed')
    if (letter !== QUOTATION_MARK && letter !== APOSTROPHE) continue
    at = xml.indexOf(letter === APOSTROPHE ? "'" : '"', at + 1)
    if (at < 0) return undefined
  }
  return undefined
}

/** How many letters come before the first space. */
function nameLength(tag: string): number {
  let at = 0
  while (at < tag.length && tag.charCodeAt(at) > SPACE) at++
  return at
}

/** The name without its prefix. */
const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

/** The value of an attribute, by its name without prefix. */
export function attribute(attributes: string, name: string): string | undefined {
  for (let at = 0; ; ) {
    const equals = attributes.indexOf('=', at)
    const end = equals < 0 ? -1 : attributes.indexOf(attributes[equals + 1] ?? '', equals + 2)
    if (end < 0) return undefined
    if (localName(attributes.slice(at, equals).trim()) === name) return unescaped(attributes.slice(equals + 2, end))
    at = end + 1
  }
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

export const unescaped = (raw: string): string =>
  raw.includes('&')
    ? raw.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos));/g, (_, decimal, hexadecimal, name) =>
        name !== undefined
          ? (own(NAMED, name) as string)
          : character(decimal ? Number(decimal) : Number.parseInt(hexadecimal, 16)),
      )
    : raw

export const character = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd')
