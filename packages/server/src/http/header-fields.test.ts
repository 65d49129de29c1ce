// Headers of responses: all are written by one function, which refuses what would be more than a header.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { releaseOf, variantOf } from '../../../../test/support/releases.ts'
import { responseTo } from '../../../../test/support/responses.ts'
import { countries, smallSource } from '../../../../test/support/small-source.ts'
import { createApp } from './app.ts'
import { withHeaders } from './exchange.ts'
import { attachment, headerLines } from './header-fields.ts'

const response = { status: 200, head: '', body: undefined }

test('headers are lines', () => {
  expect(headerLines({ ETag: '"a"', 'X-Page': '1', Empty: '', Vary: 'a,\tñ' })).toBe(
    'ETag: "a"\r\nX-Page: 1\r\nEmpty: \r\nVary: a,\tñ\r\n',
  )
  expect(withHeaders(response, {})).toEqual(response)
})

test.each([
  ['Content-Language', 'es-\r\nContent-Type: text/html'],
  ['Content-Language', 'es\n'],
  ['Content-Language', 'es\r'],
  ['Content-Language', 'es\0'],
  ['Content-Language', '\x1b[2J'],
  ['Content-Language', '\x7f'],
  // Their low bytes are CR and LF.
  ['Content-Language', 'es\u010d\u010aX: y'],
  ['Content-Language', '\u2028'],
  ['Content-Language', '名'],
  ['', 'x'],
  ['A B', 'x'],
  ['A:', 'x'],
  ['A\r\nB', 'x'],
  ['ñ', 'x'],
])('%j with the value %j is refused', (name, value) => {
  expect(() => headerLines({ [name]: value })).toThrow('no header')
  expect(() => withHeaders(response, { [name]: value })).toThrow('no header')
})

test.each(['a"; filename="b', '../a', 'a/b', 'a b', 'a\\b', 'ñ.csv', '', 'a\n'])(
  'a file is never called %j',
  (name) => {
    expect(attachment('paises-1.csv')).toEqual({ 'Content-Disposition': 'attachment; filename="paises-1.csv"' })
    expect(() => attachment(name)).toThrow('no name of a file')
  },
)

test('a response with such a header is a 500 and a line in the log', async () => {
  const release = variantOf(await releaseOf(smallSource({ pais: countries(1) })), { digest: 'a\r\nX-Sent: b' })
  const logged: unknown[] = []
  const policy = { baseUrl: 'http://a.test', trustedProxies: undefined }
  const app = createApp({ release: () => release, policy, logError: (error) => logged.push(String(error)) })
  for (const target of ['/api/v2/paises', '/api/v2/paises/all?format=csv', '/api/v2/paises/1']) {
    const { status, headers } = await responseTo(app, { target })
    expect([target, status, headers.get('x-sent')]).toEqual([target, 500, null])
  }
  expect(logged).toEqual(Array(3).fill(expect.stringContaining('X-Sent')))
})

test('nothing else writes lines of headers', () => {
  const root = join(import.meta.dir, '..')
  const files = [...new Bun.Glob('{http,explorer,distribution,cli}/**/*.ts').scanSync(root)].filter(
    (file) => !file.endsWith('.test.ts') && !file.startsWith('explorer/browser/'),
  )
  const writing = files.filter((file) => /[\w}]: [^'"`\n]*\\r\\n/.test(readFileSync(join(root, file), 'utf8'))).sort()
  // The connection has headers of its own, of numbers and dates.
  const own = ['connection', 'response-buffer', 'server'].map((name) => `http/wire/${name}.ts`)
  expect(writing).toEqual(['http/header-fields.ts', ...own])
})
