// Requests to API v1 whose answers are on record, byte for byte.

import { connect } from 'node:net'
import { collections } from './built-in.ts'
import { message } from './wire.ts'

const targets = collections.flatMap(({ path }) => [
  path,
  ...[
    '?page=1',
    '?page=2',
    '?page=3',
    '?format=api&page=2',
    '?format=json',
    '?page=4',
    '?page=0',
    '?format=xml',
    '?x=1',
  ].map((query) => path + query),
  `${path}/`,
  `${path}/1`,
])

const host = 'Host: recorded.example\r\nConnection: close'

/** What was asked, as it goes on the wire. */
export const requests: readonly string[] = [
  ...[...targets, '/api/v1', '/api/v1/', '/api/v1/estados'].map((target) => message('GET', target, host)),
  ...['HEAD', 'OPTIONS', 'POST', 'DELETE'].flatMap((method) =>
    collections.map(({ path }) => message(method, `${path}?page=2`, host)),
  ),
  ...collections.map(({ path }) => message('GET', path, host, 'If-None-Match: *')),
  ...collections.map(({ path }) => message('GET', path, host, 'Accept: text/csv', 'Accept-Encoding: gzip, br, zstd')),
]

/** What differs from run to run: when the answer was given, and when the release was built. */
const masked = (answer: string) => answer.replace(/^(Date|Last-Modified): .*$/gm, '$1: …')

/** The whole answer to one request, as it came, on a connection of its own. */
export function recorded(url: string, request: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const socket = connect(Number(port), hostname, () => socket.write(request))
  const pieces: Buffer[] = []
  socket.on('data', (piece: Buffer) => pieces.push(piece))
  socket.on('error', reject)
  socket.on('close', () => resolve(masked(Buffer.concat(pieces).toString())))
  return promise
}
