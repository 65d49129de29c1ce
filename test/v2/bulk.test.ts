// Whole collections in one response: their bytes, their digests, parts of them, and all codings.

import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import { builtIn, entityNames } from '../support/built-in.ts'
import { naiveCodes, recordsOf } from '../support/found.ts'
import { homonyms } from '../support/homonyms.ts'
import { releaseOf, sourceWithThousands } from '../support/releases.ts'
import { serverForAll, serverOf } from '../support/server.ts'
import { smallSource } from '../support/small-source.ts'
import { message, send } from '../support/wire.ts'

setDefaultTimeout(180_000)

const release = await releaseOf(homonyms)
const server = serverForAll(() => release)

const get = (target: string, headers: Readonly<Record<string, string>> = {}, from = server) =>
  fetch(`${from.url}${target}`, { headers: { 'Accept-Encoding': 'identity', ...headers }, decompress: false })
const sha256 = (bytes: Uint8Array | string) =>
  `sha-256=:${new Bun.CryptoHasher('sha256').update(bytes).digest('base64')}:`

describe.each(entityNames)('all of %s', (name) => {
  const target = `/api/v2/${builtIn(name).plural}/all`
  const records = () => recordsOf(release, name).map((record) => ({ ...record, ...naiveCodes(builtIn(name), record) }))
  const forms: readonly [string, () => string][] = [
    ['json', () => JSON.stringify(records())],
    [
      'ndjson',
      () =>
        records()
          .map((record) => `${JSON.stringify(record)}\n`)
          .join(''),
    ],
  ]

  test.each(forms)('as %s is every record, with its length and digest', async (format, wanted) => {
    const response = await get(`${target}?format=${format}`)
    const text = await response.text()
    expect(text).toBe(wanted())
    expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
    expect(response.headers.get('repr-digest')).toBe(sha256(text))
    expect(response.headers.get('accept-ranges')).toBe('bytes')
    expect(response.headers.get('x-total')).toBe(String(records().length))
  })

  test('as CSV has the lines that its pages have', async () => {
    const pages = await get(`/api/v2/${builtIn(name).plural}?format=csv&per_page=1000`)
    const response = await get(target, { Accept: 'text/csv' })
    const text = await response.text()
    expect(text).toBe(await pages.text())
    expect(response.headers.get('repr-digest')).toBe(sha256(text))
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="${builtIn(name).plural}-${release.manifest.digest.slice(0, 12)}.csv"`,
    )
  })
})

describe('a part of it', () => {
  const target = '/api/v2/localidades/all?format=ndjson'

  test('is any range of its bytes', async () => {
    const whole = Buffer.from(await (await get(target)).arrayBuffer())
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(whole.length * 2), async (first, last) => {
        const response = await get(target, { Range: `bytes=${first}-${Math.max(first, last)}` })
        const end = Math.min(Math.max(first, last), whole.length - 1)
        expect(response.status).toBe(206)
        expect(response.headers.get('content-range')).toBe(`bytes ${first}-${end}/${whole.length}`)
        expect(response.headers.get('repr-digest')).toBe(sha256(whole))
        expect(Buffer.from(await response.arrayBuffer()).equals(whole.subarray(first, end + 1))).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  test.each(['json', 'ndjson', 'csv'])('of %s goes on where the last one ended', async (format) => {
    const all = `/api/v2/municipios/all?format=${format}`
    const whole = await (await get(all)).text()
    let text = Buffer.alloc(0)
    for (let parts = 0; text.length < Buffer.byteLength(whole) && parts < 100; parts++) {
      const response = await get(all, { Range: `bytes=${text.length}-${text.length + 999}` })
      text = Buffer.concat([text, Buffer.from(await response.arrayBuffer())])
    }
    expect(text.toString()).toBe(whole)
  })

  test.each([
    ['bytes=-10', 206],
    ['bytes=0-', 206],
    ['bytes=999999999-', 416],
    ['bytes=-0', 416],
    ['bytes=5-3', 200],
    ['bytes=0-1,5-6', 200],
    ['lines=0-1', 200],
    ['bytes=x', 200],
  ])('requested with %s is %i', async (range, status) => {
    expect((await get(target, { Range: range })).status).toBe(status)
  })

  test('is only given of what the client has, if it says what that is', async () => {
    const { headers } = await get(target)
    const [etag, date] = [headers.get('etag') as string, headers.get('last-modified') as string]
    const statusFor = async (known: string) => (await get(target, { Range: 'bytes=0-9', 'If-Range': known })).status
    expect([await statusFor(etag), await statusFor(date)]).toEqual([206, 206])
    for (const other of ['"another"', `W/${etag}`, 'Thu, 01 Jan 1970 00:00:00 GMT'])
      expect(await statusFor(other)).toBe(200)
  })

  test('of what is coded is a part of the coded bytes', async () => {
    const whole = await get(target, { 'Accept-Encoding': 'gzip' })
    const bytes = Buffer.from(await whole.arrayBuffer())
    const response = await get(target, { Range: 'bytes=5-14', 'Accept-Encoding': 'gzip' })
    expect([response.status, response.headers.get('content-encoding'), response.headers.get('content-range')]).toEqual([
      206,
      'gzip',
      `bytes 5-14/${bytes.length}`,
    ])
    expect(response.headers.get('etag')).toBe(whole.headers.get('etag'))
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes.subarray(5, 15))).toBe(true)
  })

  test('is not given to HEAD', async () => {
    const { status, headers } = await send(server.url, message('HEAD', target, 'Host: x', 'Range: bytes=0-9'))
    const whole = await send(server.url, message('HEAD', target, 'Host: x'))
    expect([status, headers['Content-Range'], headers['Content-Length']]).toEqual([
      200,
      undefined,
      whole.headers['Content-Length'],
    ])
  })

  test('is refused where the whole is not what the client expects', async () => {
    const { headers } = await get(target)
    const [etag, date] = [headers.get('etag') as string, headers.get('last-modified') as string]
    const statusOf = async (fields: Record<string, string>) =>
      (await get(target, { Range: 'bytes=0-9', ...fields })).status
    expect(await statusOf({ 'If-Match': etag })).toBe(206)
    expect(await statusOf({ 'If-Match': '"another"' })).toBe(412)
    expect(await statusOf({ 'If-Match': '"another"', Range: 'bytes=999999999-' })).toBe(412)
    expect(await statusOf({ 'If-Unmodified-Since': date })).toBe(206)
    expect(await statusOf({ 'If-Unmodified-Since': 'Thu, 01 Jan 2015 00:00:00 GMT' })).toBe(412)
  })
})

describe('coded', () => {
  const decoders = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync }
  test.each(Object.entries(decoders))(
    'in %s it is the same, with its own length, digest and tag',
    async (coding, decode) => {
      const target = '/api/v2/localidades/all?format=csv'
      const plain = await (await get(target)).text()
      const coded = await get(target, { 'Accept-Encoding': coding })
      const bytes = Buffer.from(await coded.arrayBuffer())
      expect(decode(bytes).toString()).toBe(plain)
      const { etag, ...headers } = Object.fromEntries(coded.headers)
      expect(etag).toMatch(new RegExp(`^"[0-9a-f]{16}-${coding}"$`))
      expect(headers).toMatchObject({
        'content-encoding': coding,
        'accept-ranges': 'bytes',
        'content-length': String(bytes.length),
        'repr-digest': sha256(bytes),
      })
      expect((await get(target, { 'Accept-Encoding': coding, 'If-None-Match': etag as string })).status).toBe(304)
    },
  )

  test('is not what is small', async () => {
    const small = await get('/api/v2/audiencias/all', { 'Accept-Encoding': 'gzip' })
    const { length } = Buffer.from(await small.arrayBuffer())
    expect([length < 1_000, small.headers.get('content-encoding')]).toEqual([true, null])
  })
})

test('HEAD gives the length and digest without the body', async () => {
  const response = await send(server.url, message('HEAD', '/api/v2/paises/all?format=csv', 'Host: x'))
  const whole = await (await get('/api/v2/paises/all?format=csv')).text()
  expect([response.headers['Content-Length'], response.headers['Repr-Digest'], response.body]).toEqual([
    String(Buffer.byteLength(whole)),
    sha256(whole),
    '',
  ])
})

test('of an empty collection is an empty list, nothing, or a head of columns', async () => {
  const none = await releaseOf(smallSource({}))
  const empty = serverOf(() => none)
  const text = async (format: string) => (await get(`/api/v2/paises/all?format=${format}`, {}, empty)).text()
  try {
    expect([await text('json'), await text('ndjson'), await text('csv')]).toEqual([
      '[]',
      '',
      'cvePais,descPais,idPais,alpha2,numeric\r\n',
    ])
    expect(await (await get('/api/v2/paises?q=a&sort=descPais', {}, empty)).text()).toBe('[]')
    expect(await (await get('/api/v2/search?q=a', {}, empty)).text()).toBe('[]')
  } finally {
    await empty.close()
  }
})

test('of many records is sent in pieces, and holds every one', async () => {
  const many = await releaseOf(sourceWithThousands(30))
  const large = serverOf(() => many)
  try {
    const hasher = new Bun.CryptoHasher('sha256')
    let lines = 0
    let bytes = 0
    let most = 0
    const response = await get('/api/v2/localidades/all?format=ndjson', {}, large)
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      hasher.update(chunk)
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines++
      bytes += chunk.length
      most = Math.max(most, chunk.length)
    }
    expect(lines).toBe(many.entity('localidad').count)
    expect(response.headers.get('repr-digest')).toBe(`sha-256=:${hasher.digest('base64')}:`)
    expect(most).toBeLessThan(bytes / 2)
  } finally {
    await large.close()
  }
})
