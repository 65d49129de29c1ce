// Rows to resolve over the wire: in the query and in a body, in all formats; and bodies of clients that mean harm.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { connect } from 'node:net'
import { RESOLVE_PATH } from '../../packages/server/src/http/routes.ts'
import { releaseOf } from '../support/releases.ts'
import { serverOf } from '../support/server.ts'
import { smallSource } from '../support/small-source.ts'
import { message, send, sendUntilClosed } from '../support/wire.ts'

setDefaultTimeout(180_000)

const release = await releaseOf(
  smallSource({
    pais: [{ cvePais: 'MEX', descPais: 'México', idPais: 484 }],
    estado: [
      { cveEstado: 'JAL', cveRenapo: 'JC', descEstado: 'Jalisco', idEstado: 14, idPais: 484 },
      { cveEstado: 'NL', cveRenapo: 'NL', descEstado: 'Nuevo León', idEstado: 19, idPais: 484 },
    ],
    municipio: [
      { cveMunicipio: '039', descMunicipio: 'Guadalajara', idEstado: 14, idMunicipio: 1 },
      { cveMunicipio: '039', descMunicipio: 'Monterrey', idEstado: 19, idMunicipio: 2 },
    ],
    localidad: [
      { cveLocalidad: '0001', descLocalidad: 'Guadalajara', idLocalidad: 1, idEstado: 14, idMunicipio: 1 },
      { cveLocalidad: '0002', descLocalidad: 'San José', idLocalidad: 2, idEstado: 14, idMunicipio: 1 },
      { cveLocalidad: '0003', descLocalidad: 'San José', idLocalidad: 3, idEstado: 14, idMunicipio: 1 },
      { cveLocalidad: '0001', descLocalidad: 'Monterrey', idLocalidad: 1, idEstado: 19, idMunicipio: 2 },
    ],
  }),
)
const server = serverOf(() => release)
afterAll(() => server.close())
const url = `${server.url}${RESOLVE_PATH}`

type Resolved = { row: number; verdict: string; key: object | null; name: string | null; alternatives: object[] }

const post = (type: string, body: string, query = '', headers: Record<string, string> = {}) =>
  fetch(`${url}${query}`, { method: 'POST', headers: { 'Content-Type': type, ...headers }, body })

describe('rows in the query', () => {
  test('are free text, one after the other', async () => {
    const response = await fetch(`${url}?q=${encodeURIComponent('Monterrey, N.L.')}&q=san+jose,+guadalajara&q=zzzz`)
    expect(response.headers.get('Cache-Control')).toBe('public, no-cache')
    expect(response.headers.get('Allow')).toBe('GET, HEAD, OPTIONS, POST')
    const rows = (await response.json()) as Resolved[]
    expect(rows.map(({ row, verdict }) => [row, verdict])).toEqual([
      [1, 'exact'],
      [2, 'ambiguous'],
      [3, 'none'],
    ])
    expect(rows[0]).toMatchObject({
      collection: 'municipios',
      key: { idMunicipio: 2 },
      url: `${server.url}/api/v2/municipios/2`,
      name: 'Monterrey',
      breadcrumb: ['Nuevo León', 'México'],
      score: 1,
    })
    expect(rows[2]).toMatchObject({ collection: null, key: null, url: null, name: null, score: 0, alternatives: [] })
  })

  test('are parts of one row, by name or code', async () => {
    for (const query of ['estado=jal&municipio=Guadalajra', 'estado=14&municipio=039', 'municipio=14039']) {
      const [row] = (await (await fetch(`${url}?${query}`)).json()) as Resolved[]
      expect(row).toMatchObject({ key: { idMunicipio: 1 }, name: 'Guadalajara' })
    }
  })

  test('name records of the collections in `in`', async () => {
    const [row] = (await (await fetch(`${url}?q=Monterrey&in=localidades`)).json()) as Resolved[]
    expect(row).toMatchObject({ verdict: 'exact', key: { idMunicipio: 2, idLocalidad: 1 } })
  })

  test('have the same head without the body', async () => {
    const [get, head] = await Promise.all([fetch(`${url}?q=jalisco`), fetch(`${url}?q=jalisco`, { method: 'HEAD' })])
    expect(head.headers.get('ETag')).toBe(get.headers.get('ETag') as string)
    expect(await head.text()).toBe('')
  })

  test.each([
    ['', 'q was ""; allowed is free text'],
    ['?q=', 'q was ""; allowed is text of 1 to 300'],
    ['?q=a&estado=b', 'estado was "b"; allowed is either q or parts'],
    ['?municipo=a', 'Did you mean municipio?'],
    [`?${'q=a&'.repeat(50)}q=a`, 'q was "51 values"; allowed is at most 50'],
  ])('are refused as %p', async (query, detail) => {
    const response = await fetch(`${url}${query}`)
    expect(response.status).toBe(400)
    expect(((await response.json()) as { detail: string }).detail).toContain(detail)
  })
})

describe('rows in a body', () => {
  const expected = ['exact', 'sure']

  test.each([
    ['application/json', JSON.stringify(['Monterrey, NL', { estado: 14, municipio: 'Guadalajra' }])],
    [
      'application/json; charset=UTF-8',
      JSON.stringify([{ q: 'Monterrey, NL' }, { Estado: 'Jal', municipios: 'Guadalajra' }]),
    ],
    ['application/x-ndjson', '"Monterrey, NL"\n\n{"estado":"Jalisco","municipio":"Guadalajra","localidad":null}\n'],
    ['text/csv', '\ufeffestado,municipio\r\nNL,Monterrey\r\n"Jalisco",Guadalajra\r\n'],
    ['text/csv; charset=utf-8', 'q\n"Monterrey, NL"\n"Guadalajra, Jalisco"\n'],
  ])('of %s', async (type, body) => {
    const response = await post(type, body)
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    const rows = (await response.json()) as Resolved[]
    expect(rows.map(({ verdict }) => verdict)).toEqual(expected)
    expect(rows.map(({ key }) => key)).toEqual([{ idMunicipio: 2 }, { idMunicipio: 1 }])
  })

  test('are resolved into lines, or into CSV, also compressed', async () => {
    const lines = await (
      await post('application/json', '["Jalisco","zzzz"]', '', { Accept: 'application/x-ndjson' })
    ).text()
    expect(
      lines
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).verdict),
    ).toEqual(['exact', 'none'])
    const headers = { 'Accept-Encoding': 'gzip' }
    expect(await (await post('application/json', '["Jalisco","zzzz"]', '?format=csv', headers)).text()).toBe(
      'row,verdict,score,collection,key,url,name,breadcrumb,code,levels,reason,alternatives\r\n' +
        `1,exact,1,estados,14,${server.url}/api/v2/estados/14,Jalisco,México,14,paises MEX exact; estados 14 exact,called so,\r\n` +
        '2,none,0,,,,,,,,nothing fits,\r\n',
    )
  })

  test('may be ten thousand', async () => {
    const rows = (await (
      await post('application/json', JSON.stringify(Array(10_000).fill('Jalisco')))
    ).json()) as object[]
    expect(rows.length).toBe(10_000)
  })

  const json = 'application/json'
  test.each([
    ['no type', '', '[]', 415, 'Content-Type was'],
    ['another type', 'application/xml', '<a/>', 415, 'application/json, application/x-ndjson, text/csv'],
    ['another charset', 'text/csv; charset=latin1', 'q\na', 415, 'Content-Type was'],
    ['no JSON', json, '["a"', 400, 'The body is not JSON'],
    ['no array', json, '{"q":"a"}', 400, 'not an array'],
    ['no rows', json, '[]', 400, 'The body has no rows'],
    ['nothing', 'text/csv', '', 400, 'The body has no rows'],
    ['not UTF-8', json, Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]), 400, 'The body is not UTF-8'],
    ['a number for a row', json, '["a",5]', 400, 'Row 2: it is "5"'],
    ['a list for a part', json, '["a",{"estado":[]}]', 400, 'Row 2: "estado" is neither a text nor a number'],
    [
      'a part that there is not',
      json,
      '["a",{"municipo":"b"}]',
      400,
      'Row 2: there is no part "municipo"; allowed is q, pais',
    ],
    ['a text that is too long', json, JSON.stringify(['a', 'x'.repeat(301)]), 400, 'Row 2: it has 301 characters'],
    ['a broken line', 'application/x-ndjson', '"a"\n{"q":\n', 400, 'Row 2: the line is not JSON'],
    ['an unknown column', 'text/csv', 'estado,x\na,b\n', 400, 'Header: there is no part "x"'],
    ['the same column twice', 'text/csv', 'estado,Estado\na,b\n', 400, 'Header: estado is given twice'],
    ['too few values', 'text/csv', 'estado,municipio\na,b\nc\n', 400, 'Row 2: it has 1 values; allowed is 2 values'],
    ['open quotes', 'text/csv', 'estado,municipio\na,"b\n', 400, 'Row 1: the quotes'],
    ['too many rows', json, JSON.stringify(Array(10_001).fill('a')), 413, 'At most 10000 rows'],
    ['ten thousand bad rows', json, JSON.stringify(Array(10_000).fill(5)), 400, 'Row 1: it is "5"'],
  ])('that have %s are refused', async (_, type, body, status, detail) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: type === '' ? {} : { 'Content-Type': type },
      body: Buffer.from(body as string),
    })
    expect(response.status).toBe(status)
    const text = await response.text()
    expect(text.length).toBeLessThan(2_000)
    expect(JSON.parse(text).detail).toContain(detail)
  })
})

describe('other methods', () => {
  test('are told by a preflight', async () => {
    const { headers } = await fetch(url, { method: 'OPTIONS' })
    for (const name of ['Allow', 'Access-Control-Allow-Methods'])
      expect(headers.get(name)).toBe('GET, HEAD, OPTIONS, POST')
    expect(headers.get('Access-Control-Allow-Headers')).toBe('*')
    expect((await fetch(`${server.url}/api/v2/search`, { method: 'OPTIONS' })).headers.get('Allow')).toBe(
      'GET, HEAD, OPTIONS',
    )
  })

  test('are refused, and POST elsewhere', async () => {
    const response = await fetch(url, { method: 'PUT', body: '[]' })
    expect([response.status, response.headers.get('Allow')]).toEqual([405, 'GET, HEAD, OPTIONS, POST'])
    expect((await fetch(`${server.url}/api/v2/search?q=a`, { method: 'POST', body: '[]' })).status).toBe(405)
  })
})

test('rows that are the same have the same result, and those that only look alike have not', async () => {
  const parts = { estado: 'Jalisco', municipio: 'Guadalajara' }
  const text = JSON.stringify(Object.entries(parts))
  const rows = ['Monterrey, N.L.', parts, text, parts, 'Monterrey, N.L.', text]
  const all = (await (await post('application/json', JSON.stringify(rows))).json()) as Resolved[]
  expect(all.map(({ row }) => row)).toEqual([1, 2, 3, 4, 5, 6])
  const found = all.map(({ verdict, key }) => JSON.stringify([verdict, key]))
  expect([found[4], found[3], found[5]]).toEqual(found.slice(0, 3))
  expect(new Set(found).size).toBe(3)
})

describe('a hostile body', () => {
  const head = (...fields: string[]) =>
    message('POST', RESOLVE_PATH, `Host: ${server.host}`, 'Content-Type: application/json', ...fields)
  const next = message('GET', `${RESOLVE_PATH}?q=jalisco`, `Host: ${server.host}`)
  const statuses = async (...requests: string[]) =>
    (
      await sendUntilClosed(server.url, ...requests, message('GET', '/', `Host: ${server.host}`, 'Connection: close'))
    ).map(({ status }) => status)

  test('in chunks is read, and so is the request after it', async () => {
    const body = '4\r\n["Ja\r\n6;x=y\r\nlisco"\r\n3\r\n,5]\r\n0\r\nTrailer: a\r\n\r\n'
    const chunked = head('Transfer-Encoding: chunked') + body
    expect((await send(server.url, chunked)).body).toContain('Row 2: it is ')
    expect(await statuses(chunked, next)).toEqual([400, 200, 200])
  })

  test('that is bad in itself leaves the connection usable', async () => {
    expect(await statuses(`${head('Content-Length: 5')}["a",`, next)).toEqual([400, 200, 200])
  })

  test.each([
    ['is too large', head('Content-Length: 5000001'), 413],
    ['has bad chunks', `${head('Transfer-Encoding: chunked')}zz\r\n`, 400],
    ['has chunks and a length', head('Content-Length: 5', 'Transfer-Encoding: chunked'), 400],
  ])('that %s is refused, and the connection closed', async (_, request, status) => {
    expect((await sendUntilClosed(server.url, request, next)).map((response) => response.status)).toEqual([status])
  })

  test('that ends too early is refused', async () => {
    const { hostname, port } = new URL(server.url)
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.end(`${head('Content-Length: 9')}["a"`))
    let received = ''
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1')
    })
    socket.on('close', () => resolve(received))
    socket.on('error', reject)
    expect(await promise).toStartWith('HTTP/1.1 400 ')
  })

  test('is not kept, however often it comes', async () => {
    const body = JSON.stringify(Array(10_000).fill({ nothing: 'x'.repeat(400) }))
    const refuse = async () => expect((await post('application/json', body)).status).toBe(400)
    // Of what is kept, 120 MB would stay each time; what the allocator holds back for the next time does not grow again and again.
    let growth = Number.POSITIVE_INFINITY
    for (let batch = 0; batch < 5 && growth > MAX_GROWTH; batch++) {
      Bun.gc(true)
      const before = process.memoryUsage().rss
      for (let round = 0; round < 30; round++) await refuse()
      Bun.gc(true)
      growth = process.memoryUsage().rss - before
    }
    expect(growth).toBeLessThanOrEqual(MAX_GROWTH)
    expect((await send(server.url, next)).status).toBe(200)
  })
})

const MAX_GROWTH = 80 << 20
