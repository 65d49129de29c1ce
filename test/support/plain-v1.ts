// A plain server of the contract of API v1, correct in every point, into which a test puts one fault at a time.
import { createServer, type Server, type Socket } from 'node:net'
import { lists, type PublishedRecord, recordsOf } from './expected.ts'
import { jumbled } from './jumbled-catalog.ts'
import type { Rows } from './releases.ts'
import { smallSource } from './small-source.ts'

export type PlainRequest = {
  /** The request line and the headers, as they came. */
  readonly head: string
  readonly method: string
  readonly target: string
  /** The name of the collection, or nothing for other paths. */
  readonly collection: string
  readonly query: URLSearchParams
  readonly page: number
  readonly base: string
}

export type PlainResponse = {
  readonly status: number
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

/** Another response, the bytes to send instead of one, nothing at all, or the end of the connection. */
export type Fault = (response: PlainResponse, request: PlainRequest) => PlainResponse | Uint8Array | 'silence' | 'drop'

/** `requests` are the heads of all requests so far. */
export type PlainServer = AsyncDisposable & { readonly url: string; readonly requests: readonly string[] }

export const recordsOfAll = (rows: Rows): ReadonlyMap<string, readonly PublishedRecord[]> =>
  new Map(lists.map(({ path, entity }) => [path.split('/').at(-1) as string, recordsOf(smallSource(rows), entity)]))

const jumbledRecords = recordsOfAll(jumbled)

type PlainOptions = {
  readonly records?: ReadonlyMap<string, readonly PublishedRecord[]>
  /** The path before /api/v1. */
  readonly prefix?: string
}

export async function plainV1(
  fault: Fault = (response) => response,
  { records = jumbledRecords, prefix = '' }: PlainOptions = {},
): Promise<PlainServer> {
  const sockets = new Set<Socket>()
  const requests: string[] = []
  const server: Server = createServer((socket) => {
    let received = ''
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      for (let end = received.indexOf('\r\n\r\n'); end >= 0; end = received.indexOf('\r\n\r\n')) {
        const head = received.slice(0, end)
        received = received.slice(end + 4)
        requests.push(head)
        answer(socket, head)
      }
    })
  })
  const answer = (socket: Socket, head: string) => {
    const request = parsed(head, base, prefix)
    const made = fault(responseTo(request, records), request)
    if (made === 'silence') return
    if (made === 'drop') return void socket.destroy()
    const bytes = made instanceof Uint8Array ? made : bytesOf(made, request.method === 'HEAD')
    const asksToClose = /^connection: close|^content-length: [1-9]| HTTP\/1\.0\r/im.test(head)
    socket.write(bytes)
    // A fault may decide otherwise than the request.
    const [, decision] = /\r\nConnection: (\S+)\r\n/.exec(Buffer.from(bytes).toString('latin1')) ?? []
    if (decision === undefined ? asksToClose : decision === 'close') socket.end()
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}${prefix}`
  return {
    url: base,
    requests,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function parsed(head: string, base: string, prefix: string): PlainRequest {
  const [method = '', target = ''] = head.split(' ')
  const [path = '', query = ''] = target.split('?')
  const given = new URLSearchParams(query)
  const collection = path.startsWith(`${prefix}/api/v1/`) ? path.slice(`${prefix}/api/v1/`.length) : ''
  return { head, method, target, collection, query: given, page: Number(given.get('page') ?? 1), base }
}

const common = [
  ['Allow', 'GET, HEAD, OPTIONS'],
  ['Vary', 'Accept'],
] as const

function responseTo(request: PlainRequest, all: ReadonlyMap<string, readonly PublishedRecord[]>): PlainResponse {
  const { method, collection, page, base } = request
  const records = all.get(collection)
  if (records === undefined) return { status: 404, fields: [...common], body: '' }
  if (method === 'OPTIONS') return { status: 200, fields: [...common], body: '' }
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, fields: [...common], body: '' }
  const pages = Math.ceil(records.length / 10)
  if (!(Number.isInteger(page) && page >= 1 && page <= Math.max(pages, 1)))
    return { status: 404, fields: [...common], body: '' }
  const link = (to: number, relation: string) =>
    `<${base}/api/v1/${collection}?format=api&page=${to}>; rel="${relation}"`
  const links = [...(page > 1 ? [link(page - 1, 'prev')] : []), ...(page < pages ? [link(page + 1, 'next')] : [])]
  return {
    status: 200,
    fields: [
      ['Content-Type', 'application/json'],
      ...common,
      ['X-Page', String(page)],
      ['X-Per-Page', '10'],
      ['X-Total', String(records.length)],
      ['X-Total-Pages', String(pages)],
      ...(links.length > 0 ? [['Link', links.join(', ')] as const] : []),
    ],
    body: JSON.stringify(records.slice((page - 1) * 10, page * 10)),
  }
}

const MODIFIED = 'Mon, 05 Jan 2026 00:00:00 GMT'
const forScripts = [
  ['Access-Control-Allow-Origin', '*'],
  ['Access-Control-Allow-Headers', '*'],
  ['Access-Control-Expose-Headers', 'etag, link, x-page, x-per-page, x-total, x-total-pages'],
] as const

/** Makes the plain server right about what caches and scripts go by, too. */
export function careful(response: PlainResponse, { method, head, page }: PlainRequest): PlainResponse {
  const tag = `"${page}"`
  const isPage = response.status === 200 && method !== 'OPTIONS'
  const cached = isPage
    ? [['Cache-Control', 'private, Max-Age=0'] as const, ['ETag', tag] as const, ['Last-Modified', MODIFIED] as const]
    : [['Cache-Control', 'no-store'] as const]
  const made = { ...response, fields: [...response.fields, ...forScripts, ...cached] }
  if (!isPage) return made
  const fieldOf = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]
  const isTagged = (tags: string) => tags === '*' || tags.includes(tag)
  const isSince = (date: string) => Date.parse(date) >= Date.parse(MODIFIED)
  const [match, unmodified] = [fieldOf('If-Match') ?? '*', fieldOf('If-Unmodified-Since') ?? MODIFIED]
  if (!isTagged(match) || !isSince(unmodified)) return { ...made, status: 412, body: '' }
  const [noneMatch, modified] = [fieldOf('If-None-Match'), fieldOf('If-Modified-Since')]
  const isKnown = noneMatch === undefined ? modified !== undefined && isSince(modified) : isTagged(noneMatch)
  return isKnown ? { ...made, status: 304, body: '' } : made
}

/** On the wire; a response to HEAD has the headers alone. */
export function bytesOf({ status, fields, body }: PlainResponse, isHead = false): Uint8Array {
  const content = Buffer.from(body)
  const announced = fields.some(([name]) => /^(?:content-length|transfer-encoding)$/i.test(name))
  const all = announced ? fields : [...fields, ['Content-Length', String(content.length)] as const]
  const lines = [`HTTP/1.1 ${status} Status`, ...all.map(([name, value]) => `${name}: ${value}`)]
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)
  return isHead ? head : Buffer.concat([head, content])
}
