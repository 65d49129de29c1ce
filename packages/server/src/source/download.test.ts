// Drives the download against servers that behave, and against those that do not.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FileServer, type Handler, inTurn, type Reply, sound, stopping } from '../../../../test/support/file-server.ts'
import { PassingTime } from '../../../../test/support/passing-time.ts'
import { TestDirectory } from '../../../../test/support/releases.ts'
import { OperationalError } from '../base/operational-error.ts'
import { version } from '../base/version.ts'
import { type Download, type DownloadOptions, download, isSecureEnough } from './download.ts'

setDefaultTimeout(180_000)

const FILE = Buffer.from(`PK${'all of the file '.repeat(5_000)}`)
const OTHER = Buffer.from(`PK${'another file '.repeat(4_000)}`)
const HALF = 30_000
const ETAG = '"one"'
const DATE = 'Mon, 06 Oct 2025 12:00:00 GMT'
const LATER = 'Thu, 06 Nov 2025 12:00:00 GMT'
const ADVICE = 'do it by hand'
const GOES_ON = `run the same command again to continue where it stopped, or ${ADVICE}`

type Heard = {
  readonly starts: number[]
  readonly progress: (readonly [number, number | undefined])[]
  readonly retries: string[]
}

/** How long no byte may come. */
const TIMEOUT = 30_000

class Downloads extends TestDirectory {
  heard: Heard = { starts: [], progress: [], retries: [] }

  /** Called with what has arrived since the server began to send. */
  onBytes: (count: number) => void = () => {}

  get(url: string, options: Partial<DownloadOptions> = {}): Promise<Download> {
    this.heard = { starts: [], progress: [], retries: [] }
    return download(url, {
      directory: join(this.path, 'downloads'),
      timeout: TIMEOUT,
      maxBytes: 1_000_000,
      retries: 2,
      backoff: 1,
      wrongStart: (start) => (Buffer.from(start).toString('latin1').startsWith('PK') ? undefined : 'something else'),
      advice: ADVICE,
      onStart: (from) => this.heard.starts.push(from),
      onProgress: (done, size) => {
        this.heard.progress.push([done, size])
        this.onBytes(done - (this.heard.starts.at(-1) ?? 0))
      },
      onRetry: (reason) => this.heard.retries.push(reason),
      ...options,
    })
  }

  async failure(url: string, options: Partial<DownloadOptions> = {}): Promise<string> {
    const error = await this.get(url, options).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(OperationalError)
    return (error as OperationalError).message
  }

  /** The length of every file that is there, by its name without the hash of the address. */
  kept(): Record<string, number> {
    const names = readdirSync(join(this.path, 'downloads')).sort()
    const files = names.filter((name) => !name.endsWith('.json'))
    return Object.fromEntries(files.map((name) => [name.slice(17), readFileSync(this.at(name)).length]))
  }

  at = (name: string) => join(this.path, 'downloads', name)

  /** The path of the only file whose name ends so. */
  only(end: string): string {
    const found = readdirSync(join(this.path, 'downloads')).filter((name) => name.endsWith(end))
    expect(found).toHaveLength(1)
    return this.at(found[0] as string)
  }
}

/** The server closes the connection when the client has received so many bytes. */
function hangUpAfter(server: FileServer, downloads: Downloads, bytes: number): void {
  downloads.onBytes = (count) => {
    if (count === bytes) server.hangUp()
  }
}

const contentOf = ({ path }: Download) => readFileSync(path).toString('latin1')
const text = FILE.toString('latin1')
const whole = { 'a.zip': FILE.length }

test('a file arrives whole, and the server is told who asks', async () => {
  using server = new FileServer(sound(FILE, { etag: ETAG }))
  using downloads = new Downloads()
  const file = await downloads.get(`${server.url}/x/a.zip?y=1`)
  expect(contentOf(file)).toBe(text)
  expect(file.isUnchanged).toBe(false)
  expect(downloads.kept()).toEqual(whole)
  expect(JSON.parse(readFileSync(downloads.only('.zip.json'), 'utf8'))).toEqual({
    url: `${server.url}/x/a.zip?y=1`,
    size: FILE.length,
    etag: ETAG,
  })
  const [request] = server.requests
  expect(request?.target).toBe('/x/a.zip?y=1')
  expect(request?.headers).toMatchObject({ 'accept-encoding': 'identity', 'user-agent': `nomenclator/${version}` })
  const { starts, progress, retries } = downloads.heard
  expect({ starts, retries }).toEqual({ starts: [0], retries: [] })
  expect(progress[0]).toEqual([0, FILE.length])
  expect(progress.at(-1)).toEqual([FILE.length, FILE.length])
})

test('a file of unknown length arrives whole', async () => {
  using server = new FileServer(() => ({ status: 200, body: FILE }))
  using downloads = new Downloads()
  expect(contentOf(await downloads.get(`${server.url}/a.zip`))).toBe(text)
  expect(downloads.heard.progress.at(-1)).toEqual([FILE.length, undefined])
})

describe('a file of the largest size', () => {
  test.each([
    ['announced', sound(FILE, { etag: ETAG })],
    ['not announced', () => ({ status: 200, body: FILE })],
  ] satisfies [string, Handler][])('%s arrives, and one byte more does not', async (_, handler) => {
    using server = new FileServer(handler)
    using downloads = new Downloads()
    expect(contentOf(await downloads.get(`${server.url}/a.zip`, { maxBytes: FILE.length }))).toBe(text)
    using others = new Downloads()
    expect(await others.failure(`${server.url}/a.zip`, { maxBytes: FILE.length - 1 })).toContain('is larger than')
  })
})

test('what fails on the disk is not requested again', async () => {
  using server = new FileServer(inTurn(sound(FILE, { etag: ETAG }), sound(OTHER, { etag: '"two"' })))
  using downloads = new Downloads()
  const { path } = await downloads.get(`${server.url}/a.zip`)
  mkdirSync(join(`${path}.partial`, 'in the way'), { recursive: true })
  await expect(downloads.get(`${server.url}/a.zip`)).rejects.not.toBeInstanceOf(OperationalError)
  expect(server.requests).toHaveLength(2)
})

describe('the same address again', () => {
  test.each([
    ['is not downloaded when its entity tag is the same', { etag: ETAG }, { 'if-none-match': ETAG }, true],
    ['nor when its date is the same', { lastModified: DATE }, { 'if-modified-since': DATE }, true],
    [
      'and both are sent',
      { etag: 'W/"x"', lastModified: DATE },
      { 'if-none-match': 'W/"x"', 'if-modified-since': DATE },
      true,
    ],
    ['is downloaded when the server gave neither', {}, {}, false],
  ])('%s', async (_, given, conditions, isUnchanged) => {
    using server = new FileServer(sound(FILE, given))
    using downloads = new Downloads()
    await downloads.get(`${server.url}/a.zip`)
    const again = await downloads.get(`${server.url}/a.zip`)
    expect({ isUnchanged: again.isUnchanged, content: contentOf(again) }).toEqual({ isUnchanged, content: text })
    const sent = Object.entries(server.requests[1]?.headers ?? {}).filter(([name]) => name.startsWith('if-'))
    expect(Object.fromEntries(sent)).toEqual(conditions as Record<string, string>)
    expect(downloads.heard.starts).toEqual(isUnchanged ? [] : [0])
    expect(downloads.kept()).toEqual(whole)
  })

  test('is downloaded when it has changed, and only the newest is kept', async () => {
    using server = new FileServer(inTurn(sound(FILE, { etag: ETAG }), sound(OTHER, { etag: '"two"' })))
    using downloads = new Downloads()
    await downloads.get(`${server.url}/a.zip`)
    expect(contentOf(await downloads.get(`${server.url}/a.zip`))).toBe(OTHER.toString('latin1'))
    expect(downloads.kept()).toEqual({ 'a.zip': OTHER.length })
  })

  test.each([
    ['was shortened', (downloads: Downloads) => truncateSync(downloads.only('.zip'), 10)],
    ['has lost its description', (downloads: Downloads) => writeFileSync(downloads.only('.zip.json'), '{"url"')],
    [
      'is described as another',
      (downloads: Downloads) => {
        const path = downloads.only('.zip.json')
        writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), url: 'http://a.example/' }))
      },
    ],
    [
      'has a validator that is no header',
      (downloads: Downloads) => {
        const path = downloads.only('.zip.json')
        writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), etag: '"a"\r\nX: y' }))
      },
    ],
    ['has a description without end', (downloads: Downloads) => truncateSync(downloads.only('.zip.json'), 2 ** 31)],
    ['has a description of nothing', (downloads: Downloads) => writeFileSync(downloads.only('.zip.json'), 'null')],
  ])('is downloaded when the file %s', async (_, spoil) => {
    using server = new FileServer(sound(FILE, { etag: ETAG }))
    using downloads = new Downloads()
    await downloads.get(`${server.url}/a.zip`)
    spoil(downloads)
    expect(contentOf(await downloads.get(`${server.url}/a.zip`))).toBe(text)
    expect(server.sent('if-none-match')).toEqual([undefined, undefined])
  })

  test('is downloaded after it was discarded', async () => {
    using server = new FileServer(sound(FILE, { etag: ETAG }))
    using downloads = new Downloads()
    const file = await downloads.get(`${server.url}/a.zip`)
    file.discard()
    expect(readdirSync(join(downloads.path, 'downloads'))).toEqual([])
    expect((await downloads.get(`${server.url}/a.zip`)).isUnchanged).toBe(false)
  })

  test('is another file than the same name elsewhere', async () => {
    using server = new FileServer(({ target }) => ({ status: 200, body: target === '/1/a.zip' ? FILE : OTHER }))
    using downloads = new Downloads()
    const [one, other] = [await downloads.get(`${server.url}/1/a.zip`), await downloads.get(`${server.url}/2/a.zip`)]
    expect([contentOf(one), contentOf(other)]).toEqual([text, OTHER.toString('latin1')])
  })
})

describe('a download that breaks off', () => {
  const rest = `bytes=${HALF}-`
  test.each([
    ['is continued by its entity tag', { etag: ETAG }, [undefined, rest], [undefined, ETAG]],
    ['is continued by its date', { lastModified: DATE }, [undefined, rest], [undefined, DATE]],
    [
      'is continued by its date, if its tag is weak',
      { etag: 'W/"x"', lastModified: DATE },
      [undefined, rest],
      [undefined, DATE],
    ],
    ['begins anew with a weak tag alone', { etag: 'W/"x"' }, [undefined, undefined], [undefined, undefined]],
    ['begins anew without either', {}, [undefined, undefined], [undefined, undefined]],
  ])('%s', async (_, given, ranges, conditions) => {
    using server = new FileServer(inTurn(stopping(sound(FILE, given), HALF), sound(FILE, given)))
    using downloads = new Downloads()
    hangUpAfter(server, downloads, HALF)
    expect(contentOf(await downloads.get(`${server.url}/a.zip`))).toBe(text)
    expect(server.sent('range')).toEqual(ranges)
    expect(server.sent('if-range')).toEqual(conditions)
    expect(downloads.heard.starts).toEqual([0, ranges[1] === undefined ? 0 : HALF])
    expect(downloads.heard.retries).toEqual([
      `the connection was closed before the response was complete (ECONNRESET), after ${HALF.toLocaleString('en')} bytes`,
    ])
    expect(downloads.kept()).toEqual(whole)
  })

  test('before its first byte begins anew', async () => {
    using server = new FileServer(inTurn(stopping(sound(FILE, { etag: ETAG }), HALF), sound(FILE, { etag: ETAG })))
    using downloads = new Downloads()
    hangUpAfter(server, downloads, HALF)
    await downloads.failure(`${server.url}/a.zip`, { retries: 0 })
    truncateSync(downloads.only('.partial'), 0)
    expect(contentOf(await downloads.get(`${server.url}/a.zip`))).toBe(text)
    expect(server.sent('range')).toEqual([undefined, undefined])
  })

  test('is not the file of before, whatever the server says', async () => {
    using server = new FileServer(
      inTurn(sound(FILE, { etag: ETAG }), stopping(sound(OTHER, { etag: '"two"' }), HALF), () => ({ status: 304 })),
    )
    using downloads = new Downloads()
    await downloads.get(`${server.url}/a.zip`)
    hangUpAfter(server, downloads, HALF)
    await downloads.failure(`${server.url}/a.zip`, { retries: 0 })
    expect(await downloads.failure(`${server.url}/a.zip`)).toContain('responds with 304')
    expect(server.sent('range')).toEqual([undefined, undefined, `bytes=${HALF}-`])
  })

  test('again and again is continued each time, also by the next call', async () => {
    const given = { etag: ETAG }
    using server = new FileServer((request, count) =>
      (count < 6 ? stopping(sound(FILE, given), 10_000) : sound(FILE, given))(request, count),
    )
    using downloads = new Downloads()
    hangUpAfter(server, downloads, 10_000)
    expect(await downloads.failure(`${server.url}/a.zip`)).toBe(
      `${server.url}/a.zip was requested 3 times without success; the last time: ` +
        `the connection was closed before the response was complete (ECONNRESET), after 30,000 bytes; ${GOES_ON}`,
    )
    expect(downloads.kept()).toEqual({ 'a.zip.partial': 30_000 })
    expect(contentOf(await downloads.get(`${server.url}/a.zip`, { retries: 3 }))).toBe(text)
    expect(server.sent('range')).toEqual([undefined, ...[1, 2, 3, 4, 5].map((times) => `bytes=${times}0000-`)])
    expect(downloads.kept()).toEqual(whole)
  })

  const ofOther =
    (changed: Record<string, string>): Handler =>
    () => {
      const body = FILE.subarray(HALF)
      const range = `bytes ${HALF}-${FILE.length - 1}/${FILE.length}`
      const headers = { ETag: ETAG, 'Content-Range': range, 'Content-Length': body.length, ...changed }
      return { status: 206, headers, body }
    }
  test.each([
    ['that has changed meanwhile', sound(OTHER, { etag: '"two"' }), [undefined, `bytes=${HALF}-`]],
    ['that a server without ranges sends', () => ({ status: 200, body: OTHER }), [undefined, `bytes=${HALF}-`]],
    ['of which a part with another tag is sent', ofOther({ ETag: '"two"' }), [undefined, `bytes=${HALF}-`, undefined]],
    [
      'of which a part with another date is sent',
      ofOther({ 'Last-Modified': LATER }),
      [undefined, `bytes=${HALF}-`, undefined],
    ],
    [
      'of which a part of another length is sent',
      ofOther({ 'Content-Range': `bytes ${HALF}-99999/100000` }),
      [undefined, `bytes=${HALF}-`, undefined],
    ],
    [
      'of which another part is sent',
      ofOther({ 'Content-Range': `bytes 0-${FILE.length - 1}/${FILE.length}` }),
      [undefined, `bytes=${HALF}-`, undefined],
    ],
    [
      'of which an unnamed part is sent',
      ofOther({ 'Content-Range': 'none' }),
      [undefined, `bytes=${HALF}-`, undefined],
    ],
    ['that is shorter than what is there', () => ({ status: 416 }), [undefined, `bytes=${HALF}-`, undefined]],
  ] satisfies [string, Handler, unknown[]][])('is never mixed with a file %s', async (_, second, ranges) => {
    const first = stopping(sound(FILE, { etag: ETAG, lastModified: DATE }), HALF)
    using server = new FileServer(inTurn(first, second, sound(OTHER, { etag: '"two"' })))
    using downloads = new Downloads()
    hangUpAfter(server, downloads, HALF)
    expect(contentOf(await downloads.get(`${server.url}/a.zip`))).toBe(OTHER.toString('latin1'))
    expect(server.sent('range') as unknown[]).toEqual(ranges)
    expect(downloads.kept()).toEqual({ 'a.zip': OTHER.length })
  })

  test('leaves the whole file of before as it was', async () => {
    const later = stopping(sound(OTHER, { etag: '"two"' }), 10_000)
    using server = new FileServer(inTurn(sound(FILE, { etag: ETAG }), later))
    using downloads = new Downloads()
    hangUpAfter(server, downloads, 10_000)
    await downloads.get(`${server.url}/a.zip`)
    await downloads.failure(`${server.url}/a.zip`)
    expect(downloads.kept()).toEqual({ 'a.zip': FILE.length, 'a.zip.partial': 30_000 })
  })

  test('after its last byte is complete, and is only compared', async () => {
    using server = new FileServer(sound(FILE, { etag: ETAG }))
    using downloads = new Downloads()
    const url = `${server.url}/a.zip`
    const { path } = await downloads.get(url)
    const description = readFileSync(`${path}.json`, 'utf8')
    ;(await downloads.get(url)).discard()
    writeFileSync(`${path}.partial`, FILE)
    writeFileSync(`${path}.partial.json`, description)
    expect(await downloads.get(url)).toMatchObject({ path, isUnchanged: true })
    expect(contentOf({ path } as Download)).toBe(text)
    expect(downloads.kept()).toEqual(whole)
  })

  test('with bytes that are not what is expected is not continued', async () => {
    using server = new FileServer(sound(FILE, { etag: ETAG }))
    using downloads = new Downloads()
    const url = `${server.url}/a.zip`
    const { path } = await downloads.get(url)
    const description = readFileSync(`${path}.json`, 'utf8')
    ;(await downloads.get(url)).discard()
    writeFileSync(`${path}.partial`, Buffer.from(text.toLowerCase()))
    writeFileSync(`${path}.partial.json`, description)
    expect(contentOf(await downloads.get(url))).toBe(text)
    expect(server.sent('range').at(-1)).toBeUndefined()
  })
})

describe('is repeated', () => {
  test.each([408, 429, 500, 502, 503, 504])('after %i', async (status) => {
    using server = new FileServer(inTurn(() => ({ status }), sound(FILE)))
    using downloads = new Downloads()
    expect(contentOf(await downloads.get(`${server.url}/a.zip`))).toBe(text)
    expect(downloads.heard.retries).toEqual([`status ${status}`])
  })

  test('no sooner than Retry-After says', async () => {
    using server = new FileServer(inTurn(() => ({ status: 503, headers: { 'Retry-After': 1 } }), sound(FILE)))
    using downloads = new Downloads()
    const began = performance.now()
    await downloads.get(`${server.url}/a.zip`)
    expect(performance.now() - began).toBeGreaterThan(990)
  })

  test.each([
    ['before the response', () => undefined, 0, 'no byte came for 30 s'],
    ['within it', stopping(sound(FILE), HALF), HALF, `no byte came for 30 s, after ${HALF.toLocaleString('en')} bytes`],
  ] satisfies [string, Handler, number, string][])(
    'when no byte comes for too long, %s',
    async (_, hanging, came, reason) => {
      using time = new PassingTime()
      const waitInVain = () => setImmediate(() => time.pass(TIMEOUT))
      const hang: Handler = (request, count) => {
        if (came === 0) waitInVain()
        return hanging(request, count)
      }
      using server = new FileServer(inTurn(hang, sound(FILE)))
      using downloads = new Downloads()
      downloads.onBytes = (count) => count === came && downloads.heard.retries.length === 0 && waitInVain()
      expect(contentOf(await downloads.get(`${server.url}/a.zip`))).toBe(text)
      expect(downloads.heard.retries).toEqual([reason])
    },
  )

  test('but not while bytes come, however slowly', async () => {
    using time = new PassingTime()
    using server = new FileServer((request, count) => {
      const reply = sound(FILE)(request, count)
      return reply && { ...reply, drip: { pieces: 6, milliseconds: 20 } }
    })
    using downloads = new Downloads()
    downloads.onBytes = () => time.pass(TIMEOUT - 1)
    expect(contentOf(await downloads.get(`${server.url}/a.zip`))).toBe(text)
    expect(downloads.heard.retries).toEqual([])
  })

  test('and given up after as many attempts as there may be', async () => {
    using server = new FileServer(() => ({ status: 500 }))
    using downloads = new Downloads()
    expect(await downloads.failure(`${server.url}/a.zip`)).toBe(
      `${server.url}/a.zip was requested 3 times without success; the last time: status 500; ${GOES_ON}`,
    )
    expect(server.requests).toHaveLength(3)
  })

  test('and given up where nothing listens', async () => {
    using server = new FileServer(() => ({ status: 500 }))
    const { url } = server
    server.stop()
    using downloads = new Downloads()
    expect(await downloads.failure(`${url}/a.zip`)).toBe(
      `${url}/a.zip was requested 3 times without success; the last time: the connection was refused (ECONNREFUSED); ${GOES_ON}`,
    )
  })
})

describe('is refused at once', () => {
  const html = `<!doctype html>${' '.repeat(1_000)}`
  test.each([
    ['with 404', () => ({ status: 404 }), 'responds with 404 Not Found'],
    ['with 403', () => ({ status: 403 }), 'responds with 403'],
    ['with 204', () => ({ status: 204 }), 'responds with 204'],
    ['with 304, though there is no file', () => ({ status: 304 }), 'responds with 304'],
    ['with a part that was not requested', () => ({ status: 206, body: FILE }), 'responds with 206'],
    ['with other bytes', () => ({ status: 200, body: html }), 'responds with something else'],
    ['with other bytes, and few of them', () => ({ status: 200, body: '<' }), 'responds with something else'],
    ['with nothing', () => ({ status: 200, headers: { 'Content-Length': 0 } }), 'responds with something else'],
    [
      'with other bytes that never end',
      () => ({ status: 200, body: html, hangs: true }),
      'responds with something else',
    ],
    [
      'with an encoding',
      () => ({ status: 200, headers: { 'Content-Encoding': 'gzip' }, body: FILE }),
      'is sent in the encoding gzip, which was not asked for',
    ],
    [
      'with too many bytes announced',
      () => ({ status: 200, headers: { 'Content-Length': 2_000_000 }, hangs: true }),
      'is larger than 1,000,000 bytes, which is the most that is downloaded',
    ],
    [
      'with too many bytes',
      () => ({ status: 200, body: Buffer.alloc(1_000_001, 'PK') }),
      'is larger than 1,000,000 bytes, which is the most that is downloaded',
    ],
    [
      'on a pause that is too long',
      () => ({ status: 429, headers: { 'Retry-After': 86_400 } }),
      `asks for a pause of 86400 s; after it, run the same command again to continue where it stopped, or ${ADVICE}`,
    ],
    ['with a redirect to nowhere', () => ({ status: 302 }), 'responds with 302 without a location to go to'],
  ] satisfies [string, Handler, string][])('%s', async (_, handler, words) => {
    using server = new FileServer(handler)
    using downloads = new Downloads()
    const message = await downloads.failure(`${server.url}/a.zip`)
    expect(message).toBe(`${server.url}/a.zip ${words}${words.endsWith(ADVICE) ? '' : `; ${ADVICE}`}`)
    expect(server.requests).toHaveLength(1)
    expect(readdirSync(join(downloads.path, 'downloads'))).toEqual([])
  })
})

describe('a redirect', () => {
  const to = (location: string, status = 302): Reply => ({ status, headers: { Location: location } })

  test.each([301, 302, 303, 307, 308])('with %i is followed, to another host too', async (status) => {
    using other = new FileServer(sound(FILE, { etag: ETAG }))
    using server = new FileServer(() => to(`${other.url}/b.zip`, status))
    using downloads = new Downloads()
    expect(contentOf(await downloads.get(`${server.url}/a.zip`))).toBe(text)
    expect((await downloads.get(`${server.url}/a.zip`)).isUnchanged).toBe(true)
    expect(other.sent('if-none-match')).toEqual([undefined, ETAG])
    expect(downloads.kept()).toEqual(whole)
  })

  test('is followed five times, and not once more', async () => {
    const hop: Handler = ({ target }) => to(`/${Number(target.slice(1)) + 1}`)
    using five = new FileServer((request, count) =>
      request.target === '/5' ? sound(FILE)(request, count) : hop(request, count),
    )
    using downloads = new Downloads()
    expect(contentOf(await downloads.get(`${five.url}/0`))).toBe(text)
    using endless = new FileServer(hop)
    const path = [1, 2, 3, 4, 5, 6].map((number) => `${endless.url}/${number}`).join(', then to ')
    expect(await downloads.failure(`${endless.url}/0`)).toBe(
      `${endless.url}/0 redirects more than 5 times: to ${path}; ${ADVICE}`,
    )
    expect(endless.requests).toHaveLength(6)
  })

  test.each([
    ['https://a.example/', 'https://b.example/', true],
    ['https://a.example/', 'http://a.example/', false],
    ['https://a.example/', 'file:///etc/passwd', false],
    ['http://a.example/', 'https://b.example/', true],
    ['http://a.example/', 'http://b.example/', true],
    ['http://a.example/', 'ftp://a.example/', false],
  ])('from %s to %s: %p', (asked, to, expected) => expect(isSecureEnough(asked, new URL(to))).toBe(expected))

  test('to an address that must not be requested is refused, and not requested', async () => {
    using inner = new FileServer(sound(FILE))
    using server = new FileServer(() => to(`${inner.url}/secret`))
    using downloads = new Downloads()
    const addressOf = async ({ href, hostname }: URL) => {
      if (href.startsWith(inner.url)) throw new OperationalError(`${href} is an address of this machine`)
      return hostname
    }
    expect(await downloads.failure(`${server.url}/a.zip`, { addressOf })).toContain(
      `${inner.url}/secret is an address of this machine`,
    )
    expect([server.requests.length, inner.requests.length]).toEqual([1, 0])
  })

  test('goes to the machine that was looked up, under the name of the host', async () => {
    using other = new FileServer(sound(FILE))
    const [own, others] = ['data.invalid', `other.invalid:${new URL(other.url).port}`]
    using server = new FileServer(() => to(`http://${others}/b.zip`))
    const { port } = new URL(server.url)
    using downloads = new Downloads()
    const { path } = await downloads.get(`http://${own}:${port}/a.zip`, { addressOf: async () => '127.0.0.1' })
    expect(readFileSync(path)).toEqual(FILE)
    expect([server.sent('host'), other.sent('host')]).toEqual([[`${own}:${port}`], [others]])
  })

  test.each(['file:///etc/passwd', 'ftp://127.0.0.1/a.zip', 'data:,PK'])('to %s is refused', async (location) => {
    using server = new FileServer(
      inTurn(
        () => to('/b.zip'),
        () => to(location),
      ),
    )
    using downloads = new Downloads()
    expect(await downloads.failure(`${server.url}/a.zip`)).toBe(
      `${server.url}/a.zip redirects to ${server.url}/b.zip, then to ${location}, ` +
        `which is not followed because it is not https; ${ADVICE}`,
    )
  })
})
