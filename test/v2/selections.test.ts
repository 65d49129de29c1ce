// Parts of a collection in one response, records below one that is named by its code, and what within and in take.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { homonyms } from '../support/homonyms.ts'
import { releaseOf, sourceOf, TestHome, tiny } from '../support/releases.ts'
import { serverForAll, serverOf } from '../support/server.ts'
import { message, send } from '../support/wire.ts'

setDefaultTimeout(180_000)

const home = new TestHome()
await home.import(homonyms)
const release = home.current()
const server = serverForAll(() => release, { baseUrl: 'https://catalogs.example' }, home.store)
afterAll(() => home[Symbol.dispose]())

const get = (target: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${server.url}${target}`, { headers: { 'Accept-Encoding': 'identity', ...headers } })
const json = async (target: string) => (await get(target)).json()
const detailOf = async (response: Response) => ((await response.json()) as { detail: string }).detail
const sha256 = (text: string) => `sha-256=:${new Bun.CryptoHasher('sha256').update(text).digest('base64')}:`

describe.each([
  ['paises', 'embed=id'],
  ['estados', 'embed=id'],
  ['municipios', 'fields=idEstado.cveEstado,descMunicipio'],
  ['municipios', 'fields=idEstado,idMunicipio&embed=id'],
  ['municipios', 'sort=-idEstado,descMunicipio'],
  ['municipios', 'cvegeo_prefix=0,14&sort=-cvegeo'],
  ['municipios', 'cvegeo=04001,14001&fields=cvegeo,descMunicipio'],
  ['localidades', 'idMunicipio=10&idMunicipio=20'],
  ['localidades', 'idMunicipio.idEstado.cveEstado_prefix=E&embed=id'],
  ['localidades', 'poblacion_min=1&sort=-poblacion&facts=true'],
  ['localidades', 'fields=poblacion,descLocalidad'],
  ['localidades', 'q=san'],
  ['localidades', 'q=san+jose&idEstado=4&embed=id&sort=idLocalidad'],
  ['localidades', 'near=19.4,-99.1'],
  ['localidades', 'near=19.4,-99.1&within_km=900&q=san&fields=descLocalidad'],
  ['localidades', 'descLocalidad=nada'],
  ['municipios/10/localidades', ''],
  ['municipios/10/localidades', 'embed=id&facts=true&q=san'],
  ['paises/2/localidades', 'sort=descLocalidad'],
  ['disciplinas-conocimiento/3/subdisciplinas-conocimiento', 'fields=descripcion'],
])('all of %s with %p', (path, query) => {
  // A workbook is compressed block by block, so that its bytes depend on them.
  test.each(['json', 'ndjson', 'csv'])('is what the pages of its list have, as %s', async (format) => {
    const list = await get(`/api/v2/${path}?${query}&format=${format}&per_page=1000`.replace('?&', '?'))
    const response = await get(`/api/v2/${path}/all?${query}&format=${format}`.replace('?&', '?'))
    const text = await response.text()
    expect([response.status, text]).toEqual([200, await list.text()])
    expect(response.headers.get('x-total')).toBe(list.headers.get('x-total') as string)
    expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
    expect(response.headers.get('repr-digest')).toBe(sha256(text))
  })
})

describe('a part of a collection in one response', () => {
  const target = '/api/v2/localidades/all?idEstado=4&format=ndjson'

  test('has ranges, a tag that decides, and a HEAD with the same headers', async () => {
    const whole = await get(target)
    const [text, etag] = [await whole.text(), whole.headers.get('etag') as string]
    const part = await get(target, { Range: 'bytes=10-29', 'If-Range': etag })
    expect([part.status, await part.text()]).toEqual([206, text.slice(10, 30)])
    expect((await get(target, { 'If-None-Match': etag })).status).toBe(304)
    const head = await send(server.url, message('HEAD', target, 'Host: x'))
    expect([head.headers.ETag, head.headers['X-Total'], head.body]).toEqual([
      etag,
      whole.headers.get('x-total') as string,
      '',
    ])
  })

  test.each([
    ['/api/v2/localidades/all?format=csv', 'localidades'],
    ['/api/v2/localidades/all?format=csv&idEstado=4', 'localidades'],
    ['/api/v2/municipios/10/localidades/all?format=csv', 'municipios-10-localidades'],
    ['/api/v2/estados/EAAB/municipios/all?format=csv&by=code', 'estados-2-municipios'],
  ])('%s is offered as a file %s', async (target, name) => {
    const { headers } = await get(target)
    expect(headers.get('content-disposition')).toBe(`attachment; filename="${name}-${release.digest.slice(0, 12)}.csv"`)
  })

  test.each([
    ['/api/v2/localidades/all?page=1', 400, /^"page" is not known here/],
    ['/api/v2/localidades/all?by=code', 400, /^"by" is not known here/],
    ['/api/v2/localidades/all?nada=1', 400, /^"nada" is not known here/],
    ['/api/v2/localidades/all?fields=idLocalidad&facts=true', 400, /^facts was "true"; /],
    ['/api/v2/municipios/11/localidades/all', 404, /municipio/],
    ['/api/v2/municipios/ten/localidades/all', 404, /municipio/],
    ['/api/v2/municipios/10/paises/all', 404, /^Known paths are/],
    ['/api/v2/municipios/10/localidades/all/all', 404, /^Known paths are/],
    ['/api/v2/municipos', 404, /^Did you mean \/api\/v2\/municipios\? Known paths are/],
    ['/api/v2/municipios/10/localidad', 404, /^Did you mean \/api\/v2\/municipios\/10\/localidades\? /],
    ['/api/v2/serch', 404, /^Did you mean \/api\/v2\/search\? /],
  ])('%s is %i', async (target, status, detail) => {
    const response = await get(target)
    expect([response.status, await detailOf(response)]).toEqual([status, expect.stringMatching(detail)])
  })
})

describe('records below one that is named by its code', () => {
  test.each([
    ['/api/v2/estados/EAAB/municipios', '/api/v2/estados/2/municipios'],
    ['/api/v2/paises/AAB/estados', '/api/v2/paises/1/estados'],
    ['/api/v2/paises/AAB/localidades/all', '/api/v2/paises/1/localidades/all'],
    ['/api/v2/municipios/EAAC-001/localidades', '/api/v2/municipios/10/localidades'],
    ['/api/v2/municipios/4-001/localidades', '/api/v2/municipios/10/localidades'],
    ['/api/v2/municipios/EAAC-001/localidades/all', '/api/v2/municipios/10/localidades/all'],
    [
      '/api/v2/disciplinas-conocimiento/0033/subdisciplinas-conocimiento',
      '/api/v2/disciplinas-conocimiento/3/subdisciplinas-conocimiento',
    ],
    ['/api/v2/municipios/EAAC-001/localidades/0001', '/api/v2/municipios/10/localidades/1'],
    ['/api/v2/municipios/10/localidades/0001', '/api/v2/municipios/10/localidades/1'],
  ])('%s?by=code is %s', async (byCode, byId) => {
    const found = await json(byId)
    expect(found).not.toEqual([])
    expect(await json(`${byCode}?by=code`)).toEqual(found)
    expect(await json(`${byId}?by=id`)).toEqual(found)
  })

  test.each([
    ['what can be no identifier is a code', '/api/v2/estados/EAAB/municipios', '/api/v2/estados/2/municipios'],
    ['also below it', '/api/v2/municipios/EAAC-001/localidades/0001', '/api/v2/municipios/10/localidades/1'],
    ['a whole code with a zero', '/api/v2/municipios/04001', '/api/v2/municipios/10'],
    ['with a hyphen', '/api/v2/municipios/04-001', '/api/v2/municipios/10'],
    ['with a blank', '/api/v2/municipios/04%20001/localidades', '/api/v2/municipios/10/localidades'],
    ['of a locality', '/api/v2/localidades/040010001', '/api/v2/municipios/10/localidades/1'],
    ['in its parts', '/api/v2/localidades/04-001-0001', '/api/v2/municipios/10/localidades/1'],
    ['within its owner', '/api/v2/municipios/10/localidades/040010001', '/api/v2/municipios/10/localidades/1'],
    ['said to be one', '/api/v2/localidades/040010001?by=code', '/api/v2/municipios/10/localidades/1'],
    ['of a state', '/api/v2/estados/04?by=code', '/api/v2/estados/4'],
    ['in letters', '/api/v2/paises/AAB', '/api/v2/paises/1'],
    ['of three digits', '/api/v2/paises/001', '/api/v2/paises/1'],
  ])('%s: %s is %s', async (_, byCode, byId) => {
    expect(await json(byCode)).toEqual(await json(byId))
  })

  test('a code that could be an identifier is named as such', async () => {
    const response = await get('/api/v2/municipios/14001')
    const hint = expect.stringContaining('14001 is the official code of a record: add by=code to the query.')
    expect([response.status, await detailOf(response)]).toEqual([404, hint])
    expect((await get('/api/v2/municipios/14001?by=code')).status).toBe(200)
  })

  test.each([
    '/api/v2/estados/EAAB/municipios?by=id',
    '/api/v2/municipios/04001?by=id',
    '/api/v2/localidades/040010001?by=id',
    '/api/v2/localidades/1',
    '/api/v2/localidades/0001',
    '/api/v2/municipios/9/localidades/040010001',
    '/api/v2/estados/2/municipios?by=code',
    '/api/v2/estados/eaab/municipios?by=code',
    '/api/v2/municipios/001/localidades?by=code',
    '/api/v2/municipios/EAAC-999/localidades?by=code',
    '/api/v2/municipios/EAAC-/localidades/all?by=code',
    '/api/v2/municipios/EAAC-001/localidades/0001?by=id',
    '/api/v2/municipios/EAAC-999/localidades/0001?by=code',
  ])('%s is not there', async (target) => {
    const response = await get(target)
    expect([response.status, ((await response.json()) as { type: string }).type]).toEqual([
      404,
      'urn:nomenclator:problem:record-not-found',
    ])
  })

  test('are linked to by the same code on other pages', async () => {
    const { headers } = await get('/api/v2/municipios/EAAC-001/localidades?by=code&per_page=1')
    const next = /<https:\/\/catalogs\.example([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] as string
    expect(next).toContain('/EAAC-001/localidades?by=code&')
    expect((await get(next)).headers.get('x-page')).toBe('2')
  })
})

describe('within', () => {
  type Suggestion = { readonly collection: string; readonly key: Readonly<Record<string, number>> }
  const keys = async (query: string) =>
    ((await json(`/api/v2/search?q=s&limit=50&${query}`)) as Suggestion[]).map(({ collection, key }) => [
      collection,
      key,
    ])

  test.each([
    ['within=estados:EAAC', 'within=estados:4'],
    ['within=paises:AAB', 'within=paises:1'],
    ['within=municipios:EAAC-001', 'within=municipios:10'],
    ['within=municipios:4-001', 'within=municipios:10'],
    ['within=municipios:04001', 'within=municipios:10'],
    ['within=estados:04', 'within=estados:4'],
    ['within=municipios:EAAC-001&by=code', 'within=municipios:10&by=id'],
    ['within=disciplinas-conocimiento:0033', 'within=disciplinas-conocimiento:3'],
    ['within=areas-conocimiento:1&by=code', 'within=areas-conocimiento:1'],
  ])('with %s finds what it does with %s', async (byCode, byId) => {
    const found = await keys(byId)
    expect(found).not.toEqual([])
    expect(await keys(byCode)).toEqual(found)
  })

  test.each([
    'estados:NOPE',
    'estados:3',
    'estados:04&by=id',
    'municipios:001',
    'municipios:010',
    'municipios:EAAC-999',
    'municipios:EAAC',
    'paises:99999999999',
    'paises:-1',
    'estados:4&by=code',
    'estados:EAAC&by=id',
  ])('%s is refused, since it is not there', async (within) => {
    const response = await get(`/api/v2/search?q=s&within=${within}`)
    expect(response.status).toBe(400)
    expect(await detailOf(response)).toMatch(/^within was "[^"]+"; allowed is a record that is there, by its /)
  })

  test('takes a whole number for an identifier if a record has it, else for a code, unless by says which', async () => {
    const disciplina = [
      { cveDisciplina: '1101', descripcion: 'Uno', idDisciplina: 7, campoCono: 11 },
      { cveDisciplina: '1102', descripcion: 'Dos', idDisciplina: 1101, campoCono: 11 },
    ]
    const subdisciplina = disciplina.map(({ idDisciplina, cveDisciplina }) => ({
      cveSubdisciplina: `${cveDisciplina}01`,
      descripcion: 'Sub',
      idSubdisciplina: idDisciplina,
      disciplinaCono: idDisciplina,
    }))
    const numeric = await releaseOf(sourceOf({ ...tiny, disciplina, subdisciplina }))
    const other = serverOf(() => numeric)
    const found = async (within: string) => {
      const response = await fetch(`${other.url}/api/v2/search?q=sub&within=disciplinas-conocimiento:${within}`)
      return ((await response.json()) as Suggestion[]).map(({ key }) => key.idSubdisciplina)
    }
    try {
      expect(await found('7')).toEqual([7])
      expect(await found('1101')).toEqual([1101])
      expect(await found('1101&by=code')).toEqual([7])
      expect(await found('1102')).toEqual([1101])
    } finally {
      await other.close()
    }
  })

  test('in a release that is gone is a 410, whatever it names', async () => {
    expect((await get('/api/v2/search?q=s&within=estados:NOPE&release=00000000')).status).toBe(410)
  })
})

describe('in', () => {
  test.each(['/api/v2/search?q=san&limit=50', `/api/v2/changes?format=ndjson&from=`])(
    '%s may have several collections, repeated or separated by commas',
    async (path) => {
      const target = path.endsWith('from=') ? `${path}${release.digest}` : path
      const separated = await get(`${target}&in=estados,municipios`)
      expect(separated.status).toBe(200)
      const text = await separated.text()
      for (const query of [
        'in=estados&in=municipios',
        'in=estados,municipios&in=estados',
        'in=estados&in=municipios,estados',
      ])
        expect(await (await get(`${target}&${query}`)).text()).toBe(text)
      for (const query of ['in=', 'in=estados,', 'in=estados&in=nada', 'in=estados,nada'])
        expect((await get(`${target}&${query}`)).status).toBe(400)
    },
  )
})

test('columns stand in the order in which fields are named, and members of JSON in that of the definition', async () => {
  const fields = 'idMunicipio.idMunicipio,descLocalidad,idEstado,idMunicipio.descMunicipio,poblacion,idLocalidad'
  for (const path of ['localidades', 'localidades/all', 'municipios/10/localidades/all']) {
    const [head] = (await (await get(`/api/v2/${path}?format=csv&embed=id&fields=${fields}`)).text()).split('\r\n')
    expect(head).toBe(fields)
    const [first] = (await json(`/api/v2/${path}?embed=id&fields=${fields}`)) as object[]
    expect(Object.keys(first as object)).toEqual([
      'descLocalidad',
      'idLocalidad',
      'idEstado',
      'idMunicipio',
      'poblacion',
    ])
  }
  const [head, row = ''] = (await (await get('/api/v2/estados?format=csv&fields=idPais,cveEstado')).text()).split(
    '\r\n',
  )
  expect([head, row.split(',').at(-1)]).toEqual(['idPais.cvePais,idPais.descPais,idPais.idPais,cveEstado', 'EAAB'])
})

test('the key of a change or suggestion is that of a record: by name with embed=id, and in full by its path', async () => {
  const { collections } = (await json('/api/v2')) as {
    collections: { readonly name: string; readonly key: string[]; readonly keyPaths: string[] }[]
  }
  for (const { name, key, keyPaths } of collections) {
    const [full] = (await json(`/api/v2/${name}?per_page=1`)) as Record<string, unknown>[]
    const [byId] = (await json(`/api/v2/${name}?per_page=1&embed=id`)) as Record<string, unknown>[]
    const inFull = keyPaths.map((path) =>
      path.split('.').reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], full),
    )
    expect(inFull).toEqual(key.map((field) => byId?.[field]))
    expect(inFull.every((value) => Number.isInteger(value))).toBe(true)
    expect((await get(`/api/v2/${name}?fields=${keyPaths}`)).status).toBe(200)
  }
})
