// A site of files gives what the service gives: nginx and Caddy over it are compared with our own server, request by request.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../bench/free-port.ts'
import { exportSite } from '../../packages/server/src/distribution/site/export-site.ts'
import { collections } from '../support/built-in.ts'
import { jumbled } from '../support/jumbled-catalog.ts'
import { nomenclator, TestDirectory, TestHome, variantOf } from '../support/releases.ts'
import { serverOf, type TestServer } from '../support/server.ts'
import { eventually } from '../support/service.ts'
import { countries, smallSource } from '../support/small-source.ts'
import { type HttpResponse, message, send } from '../support/wire.ts'

setDefaultTimeout(180_000)

const BASE_URL = 'https://catalogs.example.org'
/** Debian puts nginx where only root looks. */
const NGINX = Bun.which('nginx', { PATH: `${process.env.PATH}:/usr/sbin:/sbin` })
const CADDY = Bun.which('caddy')

const home = new TestHome()
const scratch = new TestDirectory()
// The workers of nginx are of another user.
chmodSync(scratch.path, 0o711)
const directory = join(scratch.path, 'site')
let server: TestServer

beforeAll(async () => {
  // Enough pages for three digits, and a collection without any record.
  await home.import(smallSource({ ...jumbled, pais: countries(1_013), audiencia: [] }))
  // The date of the release is not that of the export.
  home.store.placeRelease({ ...home.current().manifest, built: '2001-02-03T04:05:06.789Z' })
  exportSite(home.current(), directory, { baseUrl: BASE_URL })
  server = serverOf(() => home.current(), { baseUrl: BASE_URL })
})
afterAll(async () => {
  await server.close()
  scratch[Symbol.dispose]()
  home[Symbol.dispose]()
})

const [{ path: first = '' } = {}] = collections
const PAISES = '/api/v1/paises'

/** Requests whose responses must be the same, with the headers that they carry. */
function requests(etag: string, lastModified: string): [method: string, target: string, ...headers: string[]][] {
  const pages = ['', '?page=1', '?page=2', '?format=api&page=3', '?page=99999', '?page=100000000000000&x=1']
  return [
    ...collections.flatMap(({ path }) => pages.map((query): [string, string] => ['GET', `${path}${query}`])),
    ...[9, 10, 11, 19, 20, 99, 100, 101, 102, 103].map((page): [string, string] => ['GET', `${PAISES}?page=${page}`]),
    ...['format=json', 'a=b&page=2&c', 'pages=7', 'page2=7'].map((query): [string, string] => [
      'GET',
      `${PAISES}?${query}`,
    ]),
    ...['0', '-1', '1.5', '01', 'abc', '', '1&page=2', '1234567890123456'].map((page): [string, string] => [
      'GET',
      `${PAISES}?page=${page}`,
    ]),
    ...['format=xml', 'format', 'format=api&format=api', 'format=', 'page'].map((query): [string, string] => [
      'GET',
      `${PAISES}?${query}`,
    ]),
    ['HEAD', `${PAISES}?page=2`],
    ['HEAD', `${PAISES}?page=9999`],
    ['OPTIONS', PAISES],
    ['POST', PAISES],
    ['DELETE', `${PAISES}?page=0`],
    ['GET', '/api/v1'],
    ['GET', '/api/v1?page=2'],
    ['GET', `${PAISES}/`],
    ['GET', `${PAISES}/?page=2`],
    ['GET', '/api/v1/'],
    ['GET', '/api/v1/nothing'],
    ['GET', '/api/v1/Paises'],
    ['GET', '/api//v1/paises'],
    ['GET', '/api/v1/pa%69ses'],
    ['GET', `${first}/1`],
    ['GET', `${PAISES}?page=2`, `If-Modified-Since: ${lastModified}`],
    ['GET', `${PAISES}?page=2`, 'Range: bytes=0-4'],
    ['GET', `${PAISES}?page=2`, 'If-Match: "other"'],
    ['GET', `${PAISES}?page=2`, `If-Match: "a", ${etag}`],
    ['GET', `${PAISES}?page=2`, 'If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT'],
    ['GET', `${PAISES}?page=2`, 'If-None-Match: "other"', `If-Modified-Since: ${lastModified}`],
    ['GET', `${PAISES}?page=2`, `If-None-Match: ${etag}`],
    ['GET', `${PAISES}?page=2`, `If-None-Match: W/${etag}`],
    ['GET', `${PAISES}?page=2`, `If-None-Match: "a", ${etag} , "b"`],
    ['GET', `${PAISES}?page=2`, 'If-None-Match: *'],
    ['GET', `${PAISES}?page=9999`, 'If-None-Match: *'],
  ]
}

const request = (url: string, method: string, target: string, headers: readonly string[]) =>
  send(url, message(method, target, 'Host: catalogs.example.org', ...headers))

type Compared = { readonly status: number; readonly headers: Record<string, string>; readonly body: unknown }

/** What is left out of the comparison: headers of the moment and of the connection, and words that may change. */
function comparable({ status, headers, body }: HttpResponse, ignored: readonly string[]): Compared {
  const left = Object.entries(headers).map(([name, value]): [string, string] => [name.toLowerCase(), value])
  const own = ['date', 'connection', 'server', 'keep-alive', 'content-length', ...ignored]
  // A 304 has no type in nginx and in Caddy, and a redirect of nginx has a body.
  if (status === 304 || status === 308) own.push('content-type')
  const isProblem = status >= 400 && body !== ''
  const { detail: _, ...problem } = isProblem ? JSON.parse(body) : {}
  return {
    status,
    headers: Object.fromEntries(left.filter(([name]) => !own.includes(name))),
    body: isProblem ? problem : status === 308 ? '' : body,
  }
}

/** Runs a server until the test is over; resolves when it responds. */
async function running(command: string[], url: string, env: Record<string, string> = {}) {
  const child = Bun.spawn(command, {
    cwd: scratch.path,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const responds = () => fetch(`${url}/api/v1`).then(Boolean, () => child.exitCode !== null)
  await eventually(`${url} responds`, responds)
  if (child.exitCode !== null) throw new Error(await child.stderr.text())
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      child.kill()
      await child.exited
    },
  }
}

async function nginx(from = directory) {
  const port = freePort()
  const site = readFileSync(join(from, 'nginx.conf'), 'utf8').replace('listen 80;', `listen 127.0.0.1:${port};`)
  const work = join(scratch.path, 'nginx')
  mkdirSync(work, { recursive: true })
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${work}/${name};`)
  const path = join(work, 'nginx.conf')
  writeFileSync(
    path,
    `daemon off; master_process off; pid ${work}/nginx.pid; error_log stderr;\nevents {}\nhttp { access_log off; ${paths.join(' ')}\n${site}}`,
  )
  return running([NGINX ?? '', '-e', 'stderr', '-c', path], `http://127.0.0.1:${port}`)
}

async function caddy() {
  const port = freePort()
  const path = join(scratch.path, 'Caddyfile')
  writeFileSync(path, `{\n\tadmin off\n}\n${readFileSync(join(directory, 'Caddyfile'), 'utf8')}`)
  const env = {
    HOME: scratch.path,
    XDG_CONFIG_HOME: scratch.path,
    XDG_DATA_HOME: scratch.path,
    SITE: `http://:${port}`,
  }
  return running([CADDY ?? '', 'run', '--adapter', 'caddyfile', '--config', path], `http://127.0.0.1:${port}`, env)
}

/** Everything in which another server differs from ours. */
async function differences(url: string, ignored: readonly string[] = []) {
  const { headers } = await request(server.url, 'GET', `${PAISES}?page=2`, [])
  const own = (await request(url, 'GET', `${PAISES}?page=2`, [])).headers
  const found: { request: string[]; expected: Compared; received: Compared }[] = []
  const [ours, theirs] = [headers, own].map((one) => requests(one.ETag ?? one.Etag ?? '', one['Last-Modified'] ?? ''))
  for (const [at, [method, target, ...sent]] of (ours ?? []).entries()) {
    const [, , ...sentThere] = theirs?.[at] ?? []
    const expected = comparable(await request(server.url, method, target, sent), ignored)
    const received = comparable(await request(url, method, target, sentThere), ignored)
    if (!Bun.deepEquals(expected, received)) found.push({ request: [method, target, ...sent], expected, received })
  }
  return found
}

describe('over the files', () => {
  test.skipIf(NGINX === null)('nginx gives what the service gives, with entity tags of its own', async () => {
    await using site = await nginx()
    expect(await differences(site.url, ['etag'])).toEqual([])
  })

  test.skipIf(CADDY === null)('Caddy gives what the service gives, with entity tags of its own', async () => {
    await using site = await caddy()
    const found = await differences(site.url, ['etag'])
    // It has no words for a condition that does not hold.
    expect(found.filter(({ expected, received }) => expected.status !== 412 || received.status !== 412)).toEqual([])
  })

  test.skipIf(NGINX === null)('links have the address of the request where no base URL is given', async () => {
    const other = join(scratch.path, 'by host')
    exportSite(home.current(), other, { baseUrl: undefined })
    await using site = await nginx(other)
    const { headers } = await request(site.url, 'GET', PAISES, [])
    expect(headers.Link).toBe(`<http://catalogs.example.org${PAISES}?format=api&page=2>; rel="next"`)
  })

  test('without these programs, the skipped comparison is told', () => {
    for (const [name, found] of [
      ['nginx', NGINX],
      ['caddy', CADDY],
    ] as const)
      if (found === null) console.warn(`${name} is not there: the site of files was not compared with the service`)
  })
})

describe('the files', () => {
  const filesOf = (path: string) => readdirSync(path).sort()
  const short = (digest: string) => digest.slice(0, 16)

  test('are the bodies of all pages, with the date of the release', () => {
    const release = home.current()
    for (const { name, entity } of collections) {
      const { records } = release.entity(entity)
      const pages = Math.max(Math.ceil(records.count / 10), 1)
      const path = join(directory, short(release.digest), 'pages', name)
      expect(filesOf(path)).toEqual(Array.from({ length: pages }, (_, at) => `${at + 1}.json`).sort())
      for (const page of [0, pages - 1]) {
        const file = join(path, `${page + 1}.json`)
        expect(readFileSync(file).equals(records.page(page))).toBe(true)
        expect(statSync(file).mtime.toUTCString()).toBe(release.lastModified)
      }
    }
  })

  test('of another release take their place at once, and those of the release before stay until the next', () => {
    const target = join(scratch.path, 'swapped')
    const digests = ['a', 'b', 'c'].map((digit) => digit.repeat(64))
    const exported = (digest: string) =>
      exportSite(variantOf(home.current(), { digest }), target, { baseUrl: undefined })
    for (const digest of digests) {
      exported(digest)
      expect(readFileSync(join(target, 'nginx.conf'), 'utf8')).toContain(join(target, short(digest)))
    }
    const [, before = '', now = ''] = digests.map(short)
    expect(filesOf(target)).toEqual(['Caddyfile', 'nginx.conf', 'site.json', before, now].sort())
    expect(JSON.parse(readFileSync(join(target, 'site.json'), 'utf8'))).toMatchObject({
      release: digests[2],
      before: digests[1],
    })
    // The same again leaves the release before where it is.
    exported(digests[2] as string)
    expect(filesOf(target)).toContain(before)
  })

  test('have the checksums of the release beside them, and its signature', () => {
    const target = join(scratch.path, 'signed')
    const release = home.current()
    exportSite(release, target, { baseUrl: undefined, signature: 'a signature' })
    const beside = join(target, short(release.digest))
    const checksums = readFileSync(join(beside, 'checksums'))
    expect(new Bun.CryptoHasher('sha256').update(checksums).digest('hex')).toBe(release.digest)
    expect(readFileSync(join(beside, 'checksums.minisig'), 'utf8')).toBe('a signature')
  })

  test('that an export left unfinished are replaced', () => {
    const target = join(scratch.path, 'unfinished')
    const { digest } = home.current()
    const unfinished = join(target, `${short(digest)}.next`, 'pages', 'paises')
    mkdirSync(unfinished, { recursive: true })
    writeFileSync(join(unfinished, '9999.json'), '[]')
    exportSite(home.current(), target, { baseUrl: undefined })
    expect(filesOf(target)).toEqual(['Caddyfile', 'nginx.conf', 'site.json', short(digest)].sort())
    expect(filesOf(join(target, short(digest), 'pages', 'paises'))).not.toContain('9999.json')
    // Those of another release, too.
    mkdirSync(join(target, `${'e'.repeat(16)}.next`))
    exportSite(home.current(), target, { baseUrl: undefined })
    expect(filesOf(target)).toEqual(['Caddyfile', 'nginx.conf', 'site.json', short(digest)].sort())
  })

  test('are not written into a directory with something else in it', () => {
    const target = join(scratch.path, 'other')
    mkdirSync(target)
    writeFileSync(join(target, 'letter.txt'), 'dear')
    expect(() => exportSite(home.current(), target, { baseUrl: undefined })).toThrow('has something else in it')
    expect(filesOf(target)).toEqual(['letter.txt'])
    for (const name of ['a$b', "a'b", 'a{b}', 'a"b', 'a\\nb'])
      expect(() => exportSite(home.current(), join(scratch.path, name), { baseUrl: undefined })).toThrow(
        'mean something',
      )
  })

  test('may be made under a name that means something, if they are not served from there', () => {
    const target = join(scratch.path, 'a$b')
    const options = { baseUrl: undefined, servedFrom: '/srv/site' }
    expect(exportSite(home.current(), target, options).directory).toBe(target)
    expect(() => exportSite(home.current(), directory, { ...options, servedFrom: '/srv/a$b' })).toThrow(
      'mean something',
    )
  })

  test('are counted in the report, the first page of an empty collection too', () => {
    const { pages } = JSON.parse(readFileSync(join(directory, 'site.json'), 'utf8'))
    const path = join(directory, short(home.current().digest), 'pages')
    expect(pages).toBe(readdirSync(path).reduce((sum, name) => sum + filesOf(join(path, name)).length, 0))
  })

  test('are written by the command, which reports in JSON', async () => {
    const target = join(scratch.path, 'by-command')
    const { code, out } = await nomenclator(
      'export',
      'site',
      target,
      '--home',
      home.path,
      '--served-from',
      '/srv/site',
      '--json',
    )
    expect([code, JSON.parse(out)]).toEqual([
      0,
      expect.objectContaining({ directory: target, release: home.current().digest, isUnchanged: false }),
    ])
    expect(readFileSync(join(target, 'Caddyfile'), 'utf8')).toContain(
      `root * "/srv/site/${short(home.current().digest)}`,
    )
  })
})
