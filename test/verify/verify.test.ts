// The command verify: servers that conform, servers that get advice, servers that mean harm, and the output.
import { afterAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { UsageError } from '../../packages/server/src/cli/flags/flags.ts'
import { run } from '../../packages/server/src/cli/run.ts'
import { parseAddress } from '../../packages/verify/src/address.ts'
import { checks } from '../../packages/verify/src/checks.ts'
import { collections } from '../../packages/verify/src/contract.ts'
import { type VerifyOptions, verify } from '../../packages/verify/src/verify.ts'
import { ran } from '../support/command.ts'
import { jumbled } from '../support/jumbled-catalog.ts'
import { PassingTime } from '../support/passing-time.ts'
import {
  bytesOf,
  careful,
  type Fault,
  type PlainRequest,
  type PlainResponse,
  plainV1,
  recordsOfAll,
} from '../support/plain-v1.ts'
import { releaseOf, TestDirectory } from '../support/releases.ts'
import { serverOf } from '../support/server.ts'
import { countries, smallSource } from '../support/small-source.ts'
import {
  body,
  extra,
  type Field,
  fields,
  header as headerFault,
  onPages,
  records as recordsFault,
} from '../support/v1-faults.ts'

const directory = new TestDirectory()
const release = await releaseOf(smallSource(jumbled))
const ours = serverOf(() => release)
const plain = await plainV1()
const paises = collections.filter(({ name }) => name === 'paises')
afterAll(async () => {
  await ours.close()
  await plain[Symbol.asyncDispose]()
  directory[Symbol.dispose]()
})

const quick = { timeout: 60_000, retries: 1, backoff: 1, rate: undefined, concurrency: 2, deep: true, sample: 20 }
const verified = (url: string, options: Partial<VerifyOptions> = {}) =>
  verify(url, { ...quick, collections, linkBase: url, advice: true, onProgress: () => {}, ...options })
type Found = Awaited<ReturnType<typeof verified>>
const idsWith = ({ checks }: Found, status: string) => checks.filter((one) => one.status === status).map(({ id }) => id)

const cli = (...argv: string[]) => cliOn(false, ...argv)

async function cliOn(interactive: boolean, ...argv: string[]) {
  const said = { out: '', err: '' }
  const terminal = {
    out: (text: string) => {
      said.out += text
    },
    err: (text: string) => {
      said.err += text
    },
    data: () => {},
    interactive,
  }
  return { code: await run(['verify', ...argv], {}, terminal), ...said }
}

describe('conforms', () => {
  test('our own server, deep, without any advice', async () => {
    const found = await verified(ours.url)
    expect([found.conforms, found.unchecked, idsWith(found, 'failed'), idsWith(found, 'advice')]).toEqual([
      true,
      [],
      [],
      [],
    ])
    expect(idsWith(found, 'skipped')).toEqual([])
    expect(found.collections.map(({ name, pages, records }) => [name, pages, records])).toEqual(
      collections.map(({ name }) => [name, 3, 25]),
    )
    expect(ours.logged).toEqual([])
  })

  test('our own server with a collection of one page, and empty ones', async () => {
    const small = await releaseOf(smallSource({ pais: countries(10) }))
    const server = serverOf(() => small)
    const found = await verified(server.url)
    await server.close()
    expect([found.conforms, idsWith(found, 'failed'), idsWith(found, 'advice')]).toEqual([true, [], []])
    expect(idsWith(found, 'ok')).toEqual(expect.arrayContaining(['link-last', 'total-pages', 'last-page']))
  })

  test('our own server under a path and another name', async () => {
    const server = serverOf(() => release, { baseUrl: 'https://catalogs.example.org/mirror' })
    const named = await verified(server.url, { linkBase: 'https://catalogs.example.org/mirror', advice: false })
    const unnamed = await verified(server.url, { advice: false })
    await server.close()
    expect([named.conforms, unnamed.conforms, idsWith(unnamed, 'failed')]).toEqual([true, false, ['link-base']])
  })

  test.skipIf(Bun.which('openssl') === null)('our own server behind https, if its certificate is trusted', async () => {
    const [certificate, key] = [join(directory.path, 'cert.pem'), join(directory.path, 'key.pem')]
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1']
    const names = [
      '-subj',
      '/CN=localhost',
      '-addext',
      'subjectAltName=DNS:localhost',
      '-keyout',
      key,
      '-out',
      certificate,
    ]
    expect((await ran(['openssl', 'req', '-x509', ...curve, ...names])).code).toBe(0)
    const ca = readFileSync(certificate, 'utf8')
    const proxy = createTlsServer({ key: readFileSync(key), cert: ca }, (client) => {
      const upstream = connect(Number(new URL(ours.url).port), '127.0.0.1')
      for (const socket of [client, upstream]) socket.on('error', () => {})
      client.pipe(upstream).pipe(client)
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const address = proxy.address()
    const port = typeof address === 'object' ? address?.port : 0
    const options = { collections: paises, linkBase: `http://localhost:${port}` }
    const trusted = await verified(`https://localhost:${port}`, { ...options, ca })
    const untrusted = await verified(`https://localhost:${port}`, options)
    proxy.close()
    expect([trusted.conforms, idsWith(trusted, 'failed')]).toEqual([true, []])
    expect(untrusted.unchecked.join()).toMatch(/self.signed/)
  })

  test('a plain server, which keeps to no advice about what it does not know', async () => {
    const found = await verified(plain.url)
    expect([found.conforms, idsWith(found, 'failed')]).toEqual([true, []])
    const ids = ['etag', 'cache-control', 'cors-origin', 'cors-headers']
    expect(idsWith(found, 'advice')).toEqual(ids)
  })
})

/** A server that hands each connection to a function. */
async function listening(serve: (socket: Socket) => void) {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    serve(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    [Symbol.asyncDispose]: async () => void server.close(),
  }
}

type Json = Record<string, unknown>
const header = (...change: Parameters<typeof headerFault>) => onPages(headerFault(...change))
const records = (change: (record: Json) => Json) => onPages(recordsFault((all) => all.map(change)))

describe('where the contract is silent, a server gets advice and does not fail', () => {
  const withHeaders = (...more: readonly Field[]) => onPages(extra(...more))
  const isFirst = ({ method, target }: PlainRequest) => method === 'GET' && target.endsWith('?format=api&page=1')
  const firstAgain = (response: PlainResponse): PlainResponse => ({ ...response, status: 200, body: '[]' })
  const countriesOf = (from: number, to: number) => (recordsOfAll(jumbled).get('paises') ?? []).slice(from, to)
  const beyond =
    (again: readonly unknown[]): Fault =>
    (response, { page }) =>
      page > 3 ? { ...response, status: 200, body: JSON.stringify(again) } : response
  let calls = 0
  const forgiven: readonly (readonly [what: string, ids: readonly string[], fault: Fault])[] = [
    ['a charset', [], header('Content-Type', 'application/json; charset=utf-8')],
    [
      'the same Content-Length twice',
      [],
      onPages((response) => {
        const length = ['Content-Length', String(Buffer.byteLength(response.body))] as const
        return { ...response, fields: [...response.fields, length, length] }
      }),
    ],
    ['JSON with blanks', [], onPages(body((text) => text.replaceAll(',', ' , ')))],
    [
      'names of headers in lower case',
      [],
      onPages(fields((all) => all.map(([name, value]) => [name.toLowerCase(), value]))),
    ],
    [
      'Link in two lines',
      [],
      onPages(
        fields((all) =>
          all.flatMap(([name, value]) => value.split(name === 'Link' ? ', ' : '\n').map((one) => [name, one] as const)),
        ),
      ),
    ],
    ['a relation in upper case', [], header('Link', (old) => old.replaceAll('"next"', '"NEXT"'))],
    ['a relation without quotes', [], header('Link', (old) => old.replaceAll('"', ''))],
    [
      'chunks',
      [],
      (response, { method }) =>
        method === 'GET' && response.status === 200
          ? bytesOf({
              ...response,
              fields: [...response.fields, ['Transfer-Encoding', 'chunked']],
              body: `${Buffer.byteLength(response.body).toString(16)};x=1\r\n${response.body}\r\n0\r\nTrailer: x\r\n\r\n`,
            })
          : response,
    ],
    [
      'next on the last page',
      ['link-last'],
      header('Link', (old, { page, base }) =>
        page === 3 ? `${old}, <${base}/api/v1/paises?format=api&page=4>; rel="next"` : old,
      ),
    ],
    ['null', ['never-null'], records((one) => ({ ...one, descPais: null }))],
    ['a field more', ['no-other-fields'], records((one) => ({ ...one, more: 1 }))],
    ['large identifiers', ['id-range'], records((one) => ({ ...one, idPais: (one.idPais as number) + 2 ** 40 }))],
    ['an empty name', ['names'], records((one) => ({ ...one, descPais: '' }))],
    ['names of more characters', ['names'], records((one) => ({ ...one, descPais: 'x'.repeat(1_001) }))],
    ['half of a character in a name', ['names'], records((one) => ({ ...one, descPais: 'a\ud800' }))],
    ['negative identifiers', ['id-range'], records((one) => ({ ...one, idPais: (one.idPais as number) - 1_000 }))],
    ['a name in NFD', ['names-nfc'], records((one) => ({ ...one, descPais: String(one.descPais).normalize('NFD') }))],
    ['a blank before a name', ['names-blanks'], records((one) => ({ ...one, descPais: ` ${one.descPais}` }))],
    ['a blank behind a name', ['names-blanks'], records((one) => ({ ...one, descPais: `${one.descPais}\u00a0` }))],
    ['two blanks in a name', ['names-blanks'], records((one) => ({ ...one, descPais: `a  ${one.descPais}` }))],
    [
      'what nobody sees in a name',
      ['names-blanks'],
      records((one) => ({ ...one, descPais: `a\u200b${one.descPais}` })),
    ],
    [
      'UTF-8 taken for Latin-1',
      ['names-encoding'],
      records((one) => ({ ...one, descPais: Buffer.from(String(one.descPais)).toString('latin1') })),
    ],
    ['letters as HTML', ['names-encoding'], records((one) => ({ ...one, descPais: `Pa&iacute;s ${one.idPais}` }))],
    ['letters that were lost', ['names-encoding'], records((one) => ({ ...one, descPais: `Pa?s ${one.idPais}` }))],
    ['a name with a line end', ['names'], records((one) => ({ ...one, descPais: 'a\nb' }))],
    [
      'a code twice',
      ['unique-codes'],
      records((one) => ({ ...one, cvePais: one.idPais === 25 ? 'AAB' : one.cvePais })),
    ],
    [
      'another body at every request',
      [...['repeatable', 'head-alike', 'other-parameters', 'any-accept']],
      onPages((response, request) =>
        isFirst(request) ? { ...response, body: `${response.body}${' '.repeat(++calls)}` } : response,
      ),
    ],
    ['an ETag without quotes', ['etag', 'if-none-match'], withHeaders(['ETag', '1'])],
    ['a weak ETag, and the page whatever the tag', ['if-none-match'], withHeaders(['ETag', 'W/"1"'])],
    ['a cache that need not ask', ['cache-control'], withHeaders(['Cache-Control', 'public, max-age=86400'])],
    ['one origin alone', ['cors-origin'], withHeaders(['Access-Control-Allow-Origin', 'https://a.example'])],
    ['some headers alone', ['cors-headers'], withHeaders(['Access-Control-Expose-Headers', 'Link, X-Total'])],
    [
      'an empty page beyond the last',
      ['page-beyond-last', 'bad-page'],
      (response, { page }) => (page > 3 ? firstAgain(response) : response),
    ],
    ['the first page beyond the last', ['page-beyond-last', 'bad-page'], beyond(countriesOf(0, 10))],
    ['the last page beyond the last', ['page-beyond-last', 'bad-page'], beyond(countriesOf(20, 30))],
    ['the first page for page 0', ['bad-page'], (response, { page }) => (page === 0 ? firstAgain(response) : response)],
    [
      'per_page is heeded',
      ['other-parameters'],
      (response, { query }) => (query.has('per_page') ? firstAgain(response) : response),
    ],
    [
      'HTML for a browser',
      ['any-accept'],
      (response, { head }) => (/^accept: text\/html/im.test(head) ? { ...response, body: '<html></html>' } : response),
    ],
    [
      'a page of HTML for any path',
      ['unknown-path'],
      (response, { collection }) => (collection === 'nowhere' ? { ...response, status: 200 } : response),
    ],
  ]

  test('every advice is given, and what is right gets none', async () => {
    const named = new Set(forgiven.flatMap(([, ids]) => ids))
    const others = ['unique-keys', 'code-zeros', 'connections']
    // faults.test.ts has the faults that mislead caches and proxies.
    const caching = ['charset', 'last-modified', 'if-modified-since', 'content-coding', 'content-length']
    const misleading = [...caching, 'other-methods', 'cookies']
    const unnamed = checks.filter(({ id, severity }) => severity === 'advice' && !named.has(id)).map(({ id }) => id)
    expect(unnamed.toSorted()).toEqual([...others, ...misleading].toSorted())
    await using server = await plainV1(careful)
    expect(idsWith(await verified(server.url, { collections: paises }), 'advice')).toEqual([])
  })

  test('codes that are wider than ours conform', async () => {
    const wide = { cveEstado: 'MEXICO', cveRenapo: 'MX', descEstado: 'x', idEstado: 1, idPais: countries(1)[0] }
    const municipio = { cveMunicipio: '1234567890123', descMunicipio: 'x', idEstado: wide, idMunicipio: 1 }
    await using server = await plainV1(undefined, { records: new Map([['municipios', [municipio]]]) })
    const only = collections.filter(({ name }) => name === 'municipios')
    const found = await verified(server.url, { collections: only })
    expect([found.conforms, idsWith(found, 'failed')]).toEqual([true, []])
  })

  test('next on the only page', async () => {
    await using server = await plainV1(
      onPages(fields((all, { base }) => [...all, ['Link', `<${base}/api/v1/paises?format=api&page=2>; rel="next"`]])),
      { records: new Map([['paises', countries(10)]]) },
    )
    const found = await verified(server.url, { collections: paises })
    expect([found.conforms, idsWith(found, 'advice').includes('link-last')]).toEqual([true, true])
  })

  test('a page that comes twice is no matter of keys', async () => {
    await using server = await plainV1(
      onPages((response, { page }) =>
        page === 2 ? { ...response, body: JSON.stringify(countriesOf(0, 10)) } : response,
      ),
    )
    const found = await verified(server.url, { collections: paises })
    expect(idsWith(found, 'failed')).toEqual(['page-selects'])
    expect(idsWith(found, 'advice').filter((id) => id.startsWith('unique'))).toEqual([])
  })

  const withCodes = (...codes: readonly string[]) => {
    const [place] = recordsOfAll(jumbled).get('municipios') ?? []
    return codes.map((cveMunicipio, at) => ({ ...(place as object), cveMunicipio, idMunicipio: at + 1 }))
  }
  test.each([
    ['all official', ['001', '012'], []],
    ['longer ones beside them', ['001', '8859985', '10000123'], []],
    ['one that has lost its zeros', ['001', '12'], ['record 2: cveMunicipio is "12"']],
    ['all that have', ['1', '12'], ['record 1: cveMunicipio is "1"', 'record 2: cveMunicipio is "12"']],
  ])('codes and their zeros: %s', async (_what, codes, came) => {
    const records = new Map([['municipios', withCodes(...codes) as never]])
    await using server = await plainV1(undefined, { records })
    const found = await verified(server.url, { collections: collections.filter(({ name }) => name === 'municipios') })
    expect(found.checks.find(({ id }) => id === 'code-zeros')?.problems.map((one) => one.came)).toEqual([...came])
  })

  test('connections that are dropped, of which a retry makes nothing undone', async () => {
    const dropped = new Set<string>()
    const records = new Map([['paises', countries(300)]])
    const drop: Fault = (response, { target, method, page }) => {
      if (method !== 'GET' || page % 10 !== 5 || dropped.has(target)) return response
      dropped.add(target)
      return Buffer.from('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 99\r\n\r\n[')
    }
    await using server = await plainV1(drop, { records })
    const found = await verified(server.url, { collections: paises })
    expect([found.conforms, found.retries, found.droppedConnections, found.timeouts]).toEqual([true, 3, 3, 0])
    expect(found.checks.find(({ id }) => id === 'connections')).toMatchObject({ status: 'advice', count: 3 })
    dropped.clear()
    const { code, out } = await cli(server.url, '--only', 'paises', '--deep', '--no-advice')
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(
        / requests in [\d.]+ s, with 3 retries, 3 dropped connections, 0 timeouts, 0 responses of 5xx\.\n/,
      ),
    ])
  })

  test('connections that are dropped before a response, though they were kept', async () => {
    let count = 0
    const records = new Map([['paises', countries(300)]])
    await using server = await plainV1((response) => (++count % 7 === 0 ? 'drop' : response), { records })
    const found = await verified(server.url, { collections: paises, advice: false, concurrency: 1 })
    expect([found.conforms, found.droppedConnections > 3, found.retries]).toEqual([
      true,
      true,
      found.droppedConnections,
    ])
  })

  test('two localities with one key', async () => {
    const localities = recordsOfAll(jumbled).get('localidades') ?? []
    const [first, last] = [localities[0], localities.at(-1)]
    const twice = [
      ...localities.slice(0, -1),
      { ...last, idLocalidad: first?.idLocalidad, idMunicipio: first?.idMunicipio },
    ]
    await using server = await plainV1(undefined, { records: new Map([['localidades', twice as typeof localities]]) })
    const found = await verified(server.url, { collections: collections.filter(({ name }) => name === 'localidades') })
    expect(found.checks.find(({ id }) => id === 'unique-keys')?.problems.map(({ came }) => came)).toEqual([
      expect.stringMatching(/ on page 1 and on page \d+$/),
    ])
  })

  // The plain server gets some advice without any fault.
  const always = verified(plain.url, { collections: paises }).then((found) => idsWith(found, 'advice'))

  test.each(forgiven)('%s', async (_what, ids, fault) => {
    await using server = await plainV1(fault)
    const found = await verified(server.url, { collections: paises })
    const advised = idsWith(found, 'advice')
    const given = found.checks.filter(({ severity }) => severity === 'advice').flatMap(({ problems }) => problems)
    expect(given.filter((problem) => 'expected' in problem)).toEqual([])
    expect([found.conforms, idsWith(found, 'failed')]).toEqual([true, []])
    expect(advised).toEqual(expect.arrayContaining([...ids]))
    const usual = [...(await always), ...ids]
    expect(advised.filter((id) => !usual.includes(id))).toEqual([])
  })
})

describe('a server that means harm, or has a bad day', () => {
  const talking = (talk: (socket: Socket) => void) => () =>
    listening((socket) => socket.once('data', () => talk(socket)))
  const forever = (first: string, more: string) =>
    talking((socket) => {
      const pour = () => {
        while (!socket.destroyed && socket.write(more.repeat(100)));
      }
      socket.on('drain', pour)
      socket.write(first)
      pour()
    })
  let calls = 0
  type Hostile = readonly [
    what: string,
    server: () => Promise<AsyncDisposable & { readonly url: string }>,
    failed: readonly string[],
    unchecked: RegExp | undefined,
    /** Words of a finding. */
    words?: RegExp | undefined,
  ]
  /** Every page is there, claims a hundred thousand million others, and is empty. */
  const endless: Fault = (response, { method, base, page }) => {
    if (!/^(?:GET|HEAD)$/.test(method)) return response
    const link = (to: number, relation: string) =>
      to === 0 ? [] : [`<${base}/api/v1/paises?format=api&page=${to}>; rel="${relation}"`]
    const fields = {
      'Content-Type': 'application/json',
      Allow: 'GET, HEAD, OPTIONS',
      Vary: 'Accept',
      'X-Page': String(page),
      'X-Per-Page': '10',
      'X-Total': '1000000000000',
      'X-Total-Pages': '100000000000',
      Link: [...link(page - 1, 'prev'), ...link(page + 1, 'next')].join(', '),
    }
    return { status: 200, fields: Object.entries(fields), body: '[]' }
  }
  const silent = () => plainV1(() => 'silence')
  const OK = 'HTTP/1.1 200 OK\r\n'
  const hostile: readonly Hostile[] = [
    [
      'nobody listens',
      async () => ({ url: 'http://127.0.0.1:1', [Symbol.asyncDispose]: async () => {} }),
      [],
      /refused/,
    ],
    ['no response ever', silent, [], /without a response: no response within 0.4 s/],
    [
      'a body without end',
      forever(`${OK}Content-Type: application/json\r\n\r\n[`, '1,'.repeat(1_000)),
      ['http-response'],
      undefined,
      /more than 16 MB/,
    ],
    [
      'a body that is cut off',
      talking((socket) =>
        socket.write(`${OK}Content-Type: application/json\r\n\r\n[]`, () => socket.resetAndDestroy()),
      ),
      ['http-response'],
      undefined,
      /a body that is not whole/,
    ],
    ['headers without end', forever(OK, 'X-More: x\r\n'), ['http-response'], undefined, /headers of more than 65536/],
    ['responses of 1xx without end', forever('', 'HTTP/1.1 103 Early Hints\r\n\r\n'), ['http-response'], undefined],
    [
      'chunks without end',
      forever(`${OK}Transfer-Encoding: chunked\r\n\r\n`, `400\r\n${'x'.repeat(1_024)}\r\n`),
      ['http-response'],
      undefined,
      /more than 16 MB/,
    ],
    [
      'redirects in a circle',
      () => plainV1((response, { target }) => ({ ...response, status: 301, fields: [['Location', target]] })),
      ['status'],
      undefined,
    ],
    [
      'more pages with every response',
      () => plainV1(header('X-Total', () => String(1_000 + 10 * ++calls))),
      ['status', 'total-pages', 'same-totals', 'page-size', 'link-next', 'head-headers'],
      undefined,
    ],
    ['pages without end that are not there', () => plainV1(endless), ['page-size'], /claims 100000000000 pages/],
    [
      'a pause of an hour',
      () => plainV1((response) => ({ ...response, status: 429, fields: [['Retry-After', '3600']] })),
      [],
      /sent again in 3600 s/,
    ],
    [
      'too much to do, always',
      () => plainV1((response) => ({ ...response, status: 503 })),
      ['server-error'],
      /got status 503 each time/,
    ],
  ]
  test.each(hostile.map((one) => [one[0], one] as const))('%s', async (_name, [, server, failed, unchecked, words]) => {
    await using hostileServer = await server()
    const timeout = server === silent ? 400 : quick.timeout
    const found = await verified(hostileServer.url, { collections: paises, advice: false, timeout })
    expect(found.conforms).toBe(false)
    expect(idsWith(found, 'failed')).toEqual([...failed])
    if (unchecked === undefined) expect(found.unchecked).toEqual([])
    else expect(found.unchecked.join()).toMatch(unchecked)
    expect(found.requests).toBeLessThan(200)
    const came = found.checks.flatMap(({ id, problems }) => problems.map((problem) => `${id}: ${problem.came}`))
    if (words !== undefined) expect(came.join('\n')).toMatch(words)
  })

  test('is given another try, and gets through', async () => {
    const refused = new Set<string>()
    const isNew = (target: string) => !refused.has(target) && refused.add(target)
    await using server = await plainV1((response, { target, method }) =>
      method === 'GET' && isNew(target) ? { ...response, status: 503 } : response,
    )
    const found = await verified(server.url, { collections: paises, advice: false })
    // Clients that do not try again do not get through.
    expect([found.conforms, idsWith(found, 'failed'), found.unchecked]).toEqual([false, ['server-error'], []])
    expect(found.collections).toEqual([{ name: 'paises', pages: 3, records: 25 }])
    // The page beyond the last is requested once.
    expect([found.serverErrors, found.retries]).toEqual([refused.size, refused.size - 1])
    expect(found.checks.find(({ id }) => id === 'server-error')).toMatchObject({ count: refused.size })
  })

  test('gets another release while it is read, and is read anew', async () => {
    const records = new Map(recordsOfAll(jumbled))
    const old = header('X-Per-Page', '20')
    const grow: Fault = (response, request) => {
      if (request.page === 2) records.set('paises', countries(35))
      // Findings about the release before do not count.
      return records.get('paises')?.length === 25 ? old(response, request) : response
    }
    await using server = await plainV1(grow, { records })
    const found = await verified(server.url, { collections: paises, advice: false })
    expect([found.conforms, idsWith(found, 'failed')]).toEqual([true, []])
    expect(found.collections).toEqual([{ name: 'paises', pages: 4, records: 35 }])
  })

  test('gets another release of the same size while it is read, and is read anew', async () => {
    let release = 1
    const change: Fault = (response, request) => {
      if (request.page === 2) release = 2
      return onPages(extra(['Last-Modified', new Date(release * 1e9).toUTCString()]))(response, request)
    }
    await using server = await plainV1(change)
    const found = await verified(server.url, { collections: paises })
    expect(found.checks.find(({ id }) => id === 'last-modified')).toMatchObject({ status: 'ok' })
    expect(server.requests.filter((head) => head.includes('?format=api&page=3 ')).length).toBeGreaterThan(0)
  })

  test('has other totals at every page: it is read anew twice, and then that is a fault', async () => {
    let total = 25
    await using server = await plainV1(header('X-Total', () => String(++total)))
    const found = await verified(server.url, { collections: paises, advice: false, concurrency: 1 })
    expect(idsWith(found, 'failed')).toContain('same-totals')
    // In each of three rounds the first page is requested; in two of them again, to see whether it has changed.
    const walk = server.requests.slice(
      0,
      server.requests.findIndex((head) => head.includes('page=3 ')),
    )
    expect(walk.filter((head) => head.includes('?format=api&page=1 ')).length).toBe(5)
  })

  test('stops responding, and is left alone after five requests', async () => {
    const records = new Map([['paises', countries(300)]])
    using time = new PassingTime()
    const stop: Fault = (response, { page }) => {
      if (page === 1) return response
      setImmediate(() => time.pass(quick.timeout))
      return 'silence'
    }
    await using server = await plainV1(stop, { records })
    const found = await verified(server.url, { collections: paises, advice: false, concurrency: 1, retries: 0 })
    expect(idsWith(found, 'failed')).toEqual(['http-response'])
    expect(found.unchecked.join()).toMatch(
      /^5 requests got no usable response; the last was GET .*: no response within/,
    )
    expect(server.requests.length).toBeLessThan(10)
  })

  test('sends nothing to the terminal that would control it', async () => {
    await using server = await plainV1(records((one) => ({ ...one, cvePais: '\u001b[2J\u0007\u009b' })))
    const { code, out, err } = await cli(server.url, '--only', 'paises')
    expect(code).toBe(1)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(`${out}${err}`).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
  })
})

describe('the address', () => {
  const addresses = [
    ['http://host', 'http://host', undefined, false],
    ['http://host/', 'http://host', undefined, false],
    ['http://host:81/api/v1', 'http://host:81', undefined, true],
    ['https://host/mirror/api/v1/', 'https://host/mirror', undefined, true],
    ['http://host/mirror/', 'http://host/mirror', undefined, false],
    ['http://host/api/v1/paises', 'http://host', 'paises', true],
    ['http://[::1]:8080/api/v1', 'http://[::1]:8080', undefined, true],
  ] as const
  test.each(addresses)('%s', (given, base, only, shortened) => {
    const address = parseAddress(given)
    expect([address.base, address.only?.name, address.shortened]).toEqual([base, only, shortened])
  })

  test.each([
    'host',
    'localhost:8080',
    'ftp://host',
    'http://',
    'http://a:b@host',
    'http://host/?page=1',
    'http://host/#x',
    '',
  ])('%p is refused', (given) => {
    expect(() => parseAddress(given)).toThrow()
  })

  test('with a path before /api/v1', async () => {
    await using server = await plainV1((response) => response, { prefix: '/a/mirror' })
    const { code, out, err } = await cli(`${server.url}/api/v1/paises/`, '--no-advice')
    expect([code, err]).toEqual([0, `The service is ${server.url}, and paises is meant.\n`])
    expect(out).toContain('Seen: paises 3 pages, 25 records.')
    expect(server.requests[0]).toStartWith('GET /a/mirror/api/v1/paises?format=api&page=1 ')
  })
})

describe('what is printed', () => {
  const faulty = () => plainV1(header('X-Per-Page', '20'))

  test('for people: a line for each check, and what was wrong with request, what came and what was expected', async () => {
    await using server = await faulty()
    const { code, out, err } = await cli(server.url, '--only', 'paises')
    expect([code, err]).toEqual([1, ''])
    for (const { id, rule } of checks)
      expect(out).toMatch(
        new RegExp(`^(?:ok|failed|advice|skipped) +${id} +${rule.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`, 'm'),
      )
    expect(out).toContain(`failed   x-per-page`)
    expect(out).toContain(`
         GET ${server.url}/api/v1/paises?format=api&page=1
           came:     X-Per-Page: 20
           expected: X-Per-Page: 10
`)
    expect(out).toEndWith(`${server.url} does not speak the contract of API v1: x-per-page.\n`)
  })

  test('progress, on a terminal alone', async () => {
    const { code, err } = await cliOn(true, plain.url, '--only', 'paises', '--no-advice')
    expect([code, err]).toEqual([0, expect.stringContaining('pages of paises 1 of 3')])
  })

  test('for programs', async () => {
    await using server = await faulty()
    const { code, out } = await cli(server.url, '--only', 'paises', '--json')
    const found = JSON.parse(out)
    expect([code, found.base, found.conforms, found.unchecked]).toEqual([1, server.url, false, []])
    const failed = found.checks.filter(({ status }: Json) => status === 'failed')
    expect(failed).toEqual([
      {
        ...{
          id: 'x-per-page',
          severity: 'rule',
          rule: 'X-Per-Page is 10, in all collections.',
          status: 'failed',
          count: 3,
        },
        problems: [1, 2, 3].map((page) => ({
          request: `GET ${server.url}/api/v1/paises?format=api&page=${page}`,
          came: 'X-Per-Page: 20',
          expected: 'X-Per-Page: 10',
        })),
      },
    ])
  })

  test('as JUnit XML, in a file or in place of the rest', async () => {
    await using server = await plainV1(records((one) => ({ ...one, cvePais: `<&">]]>\u0001\ud800` })))
    const path = join(directory.path, 'verify.xml')
    const { code, out } = await cli(server.url, '--only', 'paises', '--junit', path)
    expect([code, out.includes('<testsuites')]).toEqual([1, false])
    const xml = readFileSync(path, 'utf8')
    expect(elementsOf(xml).filter((name) => name === 'testcase').length).toBe(checks.length)
    expect(xml).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites name="[^"]+" tests="\d+" failures="1" errors="0" time="[\d.]+">/,
    )
    expect(xml).toContain('name="codes" time="0">\n      <failure message="Codes have the shape')
    expect(xml).toContain('name="json" time="0"/>')
    expect(xml).toContain('name="if-none-match" time="0">\n      <skipped message="nothing to check"></skipped>')
    expect(xml).toContain('name="etag" time="0">\n      <system-out>A page has an ETag.\n')
    expect((await cli(server.url, '--only', 'paises', '--junit', '-')).out).toStartWith('<?xml')
  })

  test('nothing listens: exit code 2, in three lines', async () => {
    const { code, out } = await cli('http://127.0.0.1:1', '--no-advice')
    expect([code, out.split('\n').length]).toEqual([2, 4])
    expect(out).toEndWith('\nhttp://127.0.0.1:1 could not be checked.\n')
    expect(out).toContain('Not checked: GET http://127.0.0.1:1/api/v1/localidades?format=api&page=1 was sent 3 times')
  })

  test.each([
    [['nowhere']],
    [['http://a', '--sample', '0']],
    [['http://a', '--json', '--junit', '-']],
    [['http://a', '--against', 'b']],
    [['http://a', '--base-url', 'b']],
    [['http://a', '--junit', '/proc/nowhere/x.xml']],
    [['http://a', '--only', 'estados']],
    [[]],
  ])('a wrong call: %p', async (argv) => {
    expect(cli(...argv)).rejects.toThrow(UsageError)
  })
})

/** The names of all elements, or an error where the XML is not well-formed. */
function elementsOf(xml: string): string[] {
  const open: string[] = []
  const names: string[] = []
  const TOKEN = /<\?xml [^?]*\?>|<(\/?)([\w-]+)((?: [\w-]+="[^"<]*")*)(\/?)>|([^<]+)/gy
  let end = 0
  for (const [token, closing, name = '', attributes = '', empty, text = ''] of xml.matchAll(TOKEN)) {
    end += token.length
    if (/&(?!(?:amp|lt|gt|quot);)/.test(attributes + text) || text.includes(']]>')) throw new Error(`not XML: ${token}`)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(token)) throw new Error(`not XML: ${token}`)
    if (name === '') continue
    if (closing === '/' ? open.pop() !== name : names.push(name) === 0) throw new Error(`not closed: ${name}`)
    if (closing !== '/' && empty !== '/') open.push(name)
  }
  if (end !== xml.length || open.length > 0) throw new Error(`not XML at ${end}`)
  return names
}

describe('requests', () => {
  test('are as many as the sample wants, and name the program', async () => {
    await using server = await plainV1(undefined, { records: new Map([['paises', countries(300)]]) })
    await cli(server.url, '--only', 'paises', '--sample', '6', '--no-advice')
    const pages = server.requests.map((head) => /^GET \S+format=api&page=(\d+) /.exec(head)?.[1] ?? '')
    // The last is beyond the end, where there should be nothing.
    expect([...new Set(pages.filter((page) => page !== ''))]).toEqual(['1', '2', '15', '16', '29', '30', '31'])
    for (const head of server.requests) expect(head).toMatch(/\r\nUser-Agent: nomenclator\/\d/)
  })

  test('are not repeated where the response is no HTTP', async () => {
    await using server = await plainV1((response, { page }) => (page === 2 ? Buffer.from('SSH-2.0-x\r\n') : response))
    await verified(server.url, { collections: paises, advice: false, retries: 3 })
    // One for the page itself, and one to compare it with the page without format.
    expect(server.requests.filter((head) => head.includes('?format=api&page=2 ')).length).toBe(2)
  })

  test('all pause when the server wants it', async () => {
    let refused = 0
    const times: number[] = []
    const refuse: Fault = (response, { page }) => {
      times.push(performance.now())
      if (page !== 2 || refused > 0) return response
      refused = performance.now()
      return { ...response, status: 429, fields: [['Retry-After', '1']] }
    }
    await using server = await plainV1(refuse, { records: new Map([['paises', countries(300)]]) })
    await verified(server.url, { collections: paises, advice: false })
    // Another may have been on its way.
    expect(times.filter((time) => time > refused && time < refused + 900).length).toBeLessThanOrEqual(1)
  })

  test('that are sent once go to the first collection that has records', async () => {
    const records = new Map([
      ['municipios', []],
      ['paises', countries(10)],
    ])
    await using server = await plainV1(undefined, { records })
    const both = ['municipios', 'paises'].flatMap((one) => collections.filter(({ name }) => name === one))
    const found = await verified(server.url, { collections: both })
    expect(idsWith(found, 'failed')).toEqual([])
    expect(server.requests.flatMap((head) => /^POST (\S+)/.exec(head)?.[1] ?? [])).toEqual(['/api/v1/paises'])
  })

  test('keep to the rate', async () => {
    await using server = await plainV1()
    const started = performance.now()
    const { requests } = await verified(server.url, { collections: paises, advice: false, rate: 50 })
    expect(requests).toBe(server.requests.length)
    expect(performance.now() - started).toBeGreaterThanOrEqual((requests - 1) * 20 - 5)
  })
})
