// Headers of a body: its tag and coding before its bytes are there.
import { beforeAll, describe, expect, test } from 'bun:test'
import { releaseOf, sourceOf, tiny } from '../../../../../test/support/releases.ts'
import type { Release } from '../../release/release.ts'
import type { HttpResponse } from '../exchange.ts'
import { ProblemError } from '../problem.ts'
import { cachedResponse, smallResponse } from './cached-response.ts'
import { bodyResponse, MIN_COMPRESSED_BYTES } from './response.ts'

let release: Release
beforeAll(async () => {
  release = await releaseOf(sourceOf({ pais: tiny.pais }))
})

type Sent = Readonly<Record<string, string>>
const requestOf = (method: string, headers: Sent = {}) => ({
  method,
  path: '/api/v2/paises/all',
  query: '',
  headers: new Map(Object.entries(headers)),
})
const chosen = () => ({ release, isNamed: false })
const headersOf = ({ head }: HttpResponse) =>
  Object.fromEntries(head.split('\r\n').flatMap((line) => (line === '' ? [] : [line.split(': ') as [string, string]])))

describe('a body that is not made yet', () => {
  const respond = (method: string, minLength: number, headers: Sent = {}) =>
    cachedResponse(
      { cache: undefined },
      requestOf(method, headers),
      chosen(),
      { format: 'json', encoding: 'gzip' },
      { key: ['test'], madeFrom: [], minLength, pieces: () => [] },
    ) as HttpResponse
  const tag = (encoding: string) => {
    const certain = headersOf(respond('HEAD', MIN_COMPRESSED_BYTES)).ETag as string
    return certain.replace('-gzip"', encoding === '' ? '"' : `-${encoding}"`)
  }

  test('has a coding and a tag only where it is certain to be large enough', () => {
    const certain = headersOf(respond('HEAD', MIN_COMPRESSED_BYTES))
    expect([certain['Content-Encoding'], certain.ETag?.endsWith('-gzip"')]).toEqual(['gzip', true])
    const uncertain = headersOf(respond('HEAD', MIN_COMPRESSED_BYTES - 1))
    expect([uncertain['Content-Encoding'], uncertain.ETag]).toEqual([undefined, undefined])
  })

  test.each([
    ['the tag of either coding', 'if-none-match', '', 304],
    ['the tag of the coding that is accepted', 'if-none-match', 'gzip', 304],
    ['the tag of another coding', 'if-none-match', 'br', 200],
  ])('is not sent to a client that has %s', (_, header, encoding, status) =>
    expect(respond('HEAD', 0, { [header]: tag(encoding) }).status).toBe(status),
  )

  test('is what a client expects if either coding is', () => {
    expect(respond('HEAD', 0, { 'if-match': tag('') }).status).toBe(200)
    expect(respond('HEAD', 0, { 'if-match': tag('gzip') }).status).toBe(200)
    expect(() => respond('HEAD', 0, { 'if-match': tag('br') })).toThrow(ProblemError)
  })
})

test.each([
  [MIN_COMPRESSED_BYTES - 1, undefined],
  [MIN_COMPRESSED_BYTES, 'gzip'],
])('a body of %i bytes has the coding %p', (length, encoding) => {
  const body = new Uint8Array(length)
  const response = bodyResponse(requestOf('GET'), chosen(), { format: 'json', encoding: 'gzip', body })
  expect(headersOf(response)['Content-Encoding']).toBe(encoding)
  const small = smallResponse(
    requestOf('GET'),
    chosen(),
    { format: 'json', encoding: 'gzip' },
    { pieces: () => [body] },
  )
  expect(headersOf(small)['Content-Encoding']).toBe(encoding)
})
