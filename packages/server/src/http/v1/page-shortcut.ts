// Responds without parsing to a request for a page of API v1 that differs from an earlier one only in its page: byte for byte as
// the app does. Without it, every request is parsed.
import { V1_PATH } from '../../base/api-v1.ts'
import { v1Collections } from '../../catalog/collections.ts'
import type { RecordFile } from '../../release/files/record-file.ts'
import type { Release } from '../../release/release.ts'
import type { BaseUrlPolicy } from '../base-url.ts'
import type { ConnectionInfo } from '../exchange.ts'
import { notePage, type Observation } from '../observation/observed-app.ts'
import type { RequestHead } from '../wire/request-head.ts'
import type { ResponseBuffer } from '../wire/response-buffer.ts'
import type { Shortcut } from '../wire/server-state.ts'

/** Patterns that are kept at a time: clients that send the same headers share one. */
const MAX_PATTERNS = 4
/** Longer bodies are not copied by the wire either. */
const MAX_BODY = 1 << 15
const MAX_DIGITS = 9
const TAG_LENGTH = 18

const [ZERO, NINE, SPACE, QUERY] = [0x30, 0x39, 0x20, 0x3f]
const GET = Buffer.from(`GET ${V1_PATH}/`)
const HEAD = Buffer.from(`HEAD ${V1_PATH}/`)
const PAGE = Buffer.from('?page=')
const FORMAT_AND_PAGE = Buffer.from('?format=api&page=')
const STRONG_TAG = /^"[0-9a-f]{16}"$/

type PageFile = { readonly name: Buffer; readonly records: RecordFile }

/** The head of a response, and the places in it that differ from page to page; -1 for one that is not there. */
type ResponseHead = {
  readonly bytes: Buffer
  date: string
  readonly dateAt: number
  readonly pageAt: number
  readonly previousAt: number
  readonly nextAt: number
  readonly tagAt: number
  readonly lengthAt: number
}

/** The bytes after the target in the requests of one kind of client, and the heads that were sent to it. */
type Pattern = {
  readonly rest: Buffer
  /** The bytes after the entity tag of If-None-Match, before which `rest` ends; undefined without that header. */
  readonly afterTag: Buffer | undefined
  /** The address of the proxy that sent it, if proxies are trusted. */
  readonly peer: string | undefined
  readonly heads: Map<number, ResponseHead>
}

type Context = {
  readonly release: () => Release
  readonly policy: BaseUrlPolicy
  readonly observation: Observation
  /** Number of parsed requests for each one that is learned from. */
  readonly learnEvery?: number
}

export class PageShortcut implements Shortcut {
  readonly #context: Context
  readonly #dependsOnPeer: boolean
  #release: Release | undefined
  #files: readonly PageFile[] = []
  #patterns: Pattern[] = []
  #parsed = 0

  constructor(context: Context) {
    this.#context = context
    const { baseUrl, trustedProxies } = context.policy
    this.#dependsOnPeer = baseUrl === undefined && trustedProxies !== undefined
  }

  /** Drops its references to a release, whose files stay mapped as long as there is one. */
  reset(): void {
    this.#release = undefined
    this.#files = []
    this.#patterns = []
  }

  respond(bytes: Buffer, out: ResponseBuffer, date: string, connection: ConnectionInfo): number {
    if (this.#patterns.length === 0) return 0
    const started = Bun.nanoseconds()
    if (this.#context.release() !== this.#release) {
      this.reset()
      return 0
    }
    const isHead = bytes[0] === HEAD[0]
    const beginning = isHead ? HEAD : GET
    if (!hasAt(bytes, 0, beginning)) return 0
    const fileNumber = fileAt(this.#files, bytes, beginning.length)
    const file = this.#files[fileNumber]
    if (file === undefined) return 0
    let at = beginning.length + file.name.length
    let page = 1
    if (bytes[at] === QUERY) {
      const query = bytes[at + 1] === PAGE[1] ? PAGE : FORMAT_AND_PAGE
      if (!hasAt(bytes, at, query)) return 0
      at += query.length
      const end = digitsEnd(bytes, at)
      page = end === at || bytes[at] === ZERO ? 0 : numberAt(bytes, at, end)
      at = end
    }
    const { records } = file
    if (page < 1 || page > records.pages) return 0
    const length = records.pageLength(page - 1)
    if (length > MAX_BODY) return 0
    for (const pattern of this.#patterns) {
      const end = matchedEnd(pattern, bytes, at)
      if (end === 0 || (pattern.peer !== undefined && pattern.peer !== connection.peer)) continue
      const tagEnd = pattern.afterTag === undefined ? 0 : at + pattern.rest.length
      const isNotModified = tagEnd > 0 && records.hasTag(page - 1, bytes, tagEnd)
      const head = pattern.heads.get(keyOf(fileNumber, isNotModified, page, records.pages, length))
      if (head === undefined) return 0
      const bodyLength = isHead || isNotModified ? 0 : length
      this.#write(head, records, page, length, bodyLength, out, date)
      const status = isNotModified ? 304 : 200
      notePage(this.#context.observation, { bytes, end, connection, status, bodyLength, started })
      return end
    }
    return 0
  }

  #write(
    head: ResponseHead,
    records: RecordFile,
    page: number,
    length: number,
    bodyLength: number,
    out: ResponseBuffer,
    date: string,
  ): void {
    if (head.date !== date) {
      head.bytes.write(date, head.dateAt, 'latin1')
      head.date = date
    }
    const { bytes: headBytes, pageAt, previousAt, nextAt, tagAt, lengthAt } = head
    const at = out.reserve(headBytes.length + bodyLength)
    const { bytes } = out
    bytes.set(headBytes, at)
    writeNumber(bytes, at + pageAt, page)
    if (previousAt >= 0) writeNumber(bytes, at + previousAt, page - 1)
    if (nextAt >= 0) writeNumber(bytes, at + nextAt, page + 1)
    records.copyTag(page - 1, bytes, at + tagAt)
    if (lengthAt >= 0) writeNumber(bytes, at + lengthAt, length)
    if (bodyLength > 0) records.copyPage(page - 1, bytes, at + headBytes.length)
  }

  learn(text: string, request: RequestHead, response: Buffer, date: string, connection: ConnectionInfo): void {
    if (!request.path.startsWith(V1_PATH) || ++this.#parsed % (this.#context.learnEvery ?? 8) !== 0) return
    const release = this.#context.release()
    if (release !== this.#release) this.#start(release)
    const { path, query, headers } = request
    const fileNumber = this.#files.findIndex(({ name }) => `${V1_PATH}/${name.toString('latin1')}` === path)
    const file = this.#files[fileNumber]
    const page = query === '' ? '1' : /^(?:format=api&)?page=([1-9][0-9]{0,8})$/.exec(query)?.[1]
    const head = responseHead(response, date, Number(page), file?.records.pages ?? 0)
    if (file === undefined || page === undefined || head === undefined) return
    const rest = text.slice(text.indexOf(' HTTP/1.1\r\n'))
    const tag = headers.get('if-none-match')
    const conditions = rest.toLowerCase().split('\r\nif-').length - 1
    if (conditions > 0 && (conditions > 1 || tag === undefined || !STRONG_TAG.test(tag))) return
    const tagAt = tag === undefined ? rest.length : rest.indexOf(tag)
    const pattern: Pattern = {
      rest: Buffer.from(rest.slice(0, tagAt), 'latin1'),
      afterTag: tag === undefined ? undefined : Buffer.from(rest.slice(tagAt + TAG_LENGTH), 'latin1'),
      peer: this.#dependsOnPeer ? connection.peer : undefined,
      heads: new Map(),
    }
    const isNotModified = response.toString('latin1', 9, 12) === '304'
    const length = file.records.pageLength(Number(page) - 1)
    if (length > MAX_BODY) return
    const key = keyOf(fileNumber, isNotModified, Number(page), file.records.pages, length)
    this.#kept(pattern).heads.set(key, head)
  }

  #start(release: Release): void {
    this.#release = release
    this.#patterns = []
    this.#files = v1Collections(release.catalog).map(({ name, entity }) => ({
      name: Buffer.from(name),
      records: release.entity(entity).records,
    }))
  }

  /** The pattern that is equal to this one, or else this one, in place of the oldest. */
  #kept(pattern: Pattern): Pattern {
    const equal = this.#patterns.find(
      ({ rest, afterTag, peer }) =>
        peer === pattern.peer &&
        rest.equals(pattern.rest) &&
        (afterTag === undefined ? pattern.afterTag === undefined : pattern.afterTag?.equals(afterTag) === true),
    )
    if (equal !== undefined) return equal
    this.#patterns = [pattern, ...this.#patterns.slice(0, MAX_PATTERNS - 1)]
    return pattern
  }
}

function hasAt(bytes: Buffer, at: number, expected: Buffer): boolean {
  for (let offset = 0; offset < expected.length; offset++) if (bytes[at + offset] !== expected[offset]) return false
  return true
}

/** The number of the file that a path names; -1 if it names none. */
function fileAt(files: readonly PageFile[], bytes: Buffer, at: number): number {
  for (let number = 0; number < files.length; number++) {
    const { name } = files[number] as PageFile
    const next = bytes[at + name.length]
    if ((next === SPACE || next === QUERY) && hasAt(bytes, at, name)) return number
  }
  return -1
}

function digitsEnd(bytes: Buffer, at: number): number {
  let end = at
  while (end - at < MAX_DIGITS && (bytes[end] as number) >= ZERO && (bytes[end] as number) <= NINE) end++
  return end
}

function numberAt(bytes: Buffer, start: number, end: number): number {
  let number = 0
  for (let at = start; at < end; at++) number = number * 10 + ((bytes[at] as number) - ZERO)
  return number
}

function digitsOf(number: number): number {
  let digits = 1
  for (let left = number; left >= 10; left = Math.floor(left / 10)) digits++
  return digits
}

function writeNumber(bytes: Buffer, at: number, number: number): void {
  let left = number
  for (let to = at + digitsOf(number) - 1; to >= at; to--) {
    const tenth = Math.floor(left / 10)
    bytes[to] = ZERO + left - tenth * 10
    left = tenth
  }
}

/** The end of a request that continues as the pattern does after its target; else 0. */
function matchedEnd({ rest, afterTag }: Pattern, bytes: Buffer, at: number): number {
  const end = at + rest.length
  if (!hasAt(bytes, at, rest)) return 0
  if (afterTag === undefined) return end
  const tagEnd = end + TAG_LENGTH
  if (!STRONG_TAG.test(bytes.toString('latin1', end, tagEnd))) return 0
  return hasAt(bytes, tagEnd, afterTag) ? tagEnd + afterTag.length : 0
}

/** Pages with the same key have heads of the same length, in which the same places differ. */
function keyOf(file: number, isNotModified: boolean, page: number, pages: number, length: number): number {
  const digits = digitsOf(page)
  const isInner = page > 1 && page < pages && digitsOf(page - 1) === digits && digitsOf(page + 1) === digits
  const shape = isInner ? digits : MAX_DIGITS + page
  return ((shape * 16 + (isNotModified ? 0 : digitsOf(length))) * 2 + (isNotModified ? 1 : 0)) * 1_000 + file
}

/** The head at the beginning of a response to the request for a page. */
function responseHead(response: Buffer, date: string, page: number, pages: number): ResponseHead | undefined {
  const length = response.indexOf('\r\n\r\n') + 4
  const text = response.toString('latin1', 0, length)
  if (!/^HTTP\/1\.1 (?:200|304) /.test(text)) return undefined
  const after = (name: string) => {
    const at = text.indexOf(`\r\n${name}: `)
    return at === -1 ? -1 : at + name.length + 4
  }
  const before = (rel: string, number: number) => {
    const at = text.indexOf(`>; rel="${rel}"`)
    return at === -1 ? -1 : at - digitsOf(number)
  }
  return {
    bytes: Buffer.from(text, 'latin1'),
    date,
    dateAt: after('Date'),
    pageAt: after('X-Page'),
    previousAt: page > 1 ? before('prev', page - 1) : -1,
    nextAt: page < pages ? before('next', page + 1) : -1,
    tagAt: after('ETag'),
    lengthAt: after('Content-Length'),
  }
}
