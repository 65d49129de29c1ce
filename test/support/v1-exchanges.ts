// The requests to API v1 whose responses are on record, byte for byte.

import { connect } from 'node:net'
import { lists } from './expected.ts'
import { message } from './wire.ts'

const targets = lists.flatMap(({ path }) => [
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

/** Both as they go on the wire. */
export type Exchange = { readonly request: string; readonly response: string }

export const requests: readonly string[] = [
  ...[...targets, '/api/v1', '/api/v1/', '/api/v1/estados'].map((target) => message('GET', target, host)),
  ...['HEAD', 'OPTIONS', 'POST', 'DELETE'].flatMap((method) =>
    lists.map(({ path }) => message(method, `${path}?page=2`, host)),
  ),
  ...lists.map(({ path }) => message('GET', path, host, 'If-None-Match: *')),
  ...lists.map(({ path }) => message('GET', path, host, 'Accept: text/csv', 'Accept-Encoding: gzip, br, zstd')),
]

/** Headers that differ from run to run: the time of the response, and that of the build of the release. */
const masked = (response: string) => response.replace(/^(Date|Last-Modified): .*$/gm, '$1: …')

/** The whole response to one request, as it came, on a connection of its own. */
export function rawResponseTo(url: string, request: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const socket = connect(Number(port), hostname, () => socket.write(request))
  const pieces: Buffer[] = []
  socket.on('data', (piece: Buffer) => pieces.push(piece))
  socket.on('error', reject)
  socket.on('close', () => resolve(masked(Buffer.concat(pieces).toString())))
  return promise
}
