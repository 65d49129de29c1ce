// Copies of a catalog: brought up to date by sync in each kind of store, and read without a server.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileStore } from '../../packages/client/src/file-store.ts'
import {
  BadRequest,
  type Catalogs,
  connect,
  DigestMismatch,
  type Head,
  type Localidad,
  type MapCopy,
  NotFound,
  offline,
  type Page,
  ReleaseGone,
  ResponseError,
  type Snapshot,
  type Store,
  sync,
} from '../../packages/client/src/index.ts'
import type { GivenRow, Source } from '../../packages/server/src/source/source.ts'
import { withFacts } from '../support/known-facts.ts'
import { type Rows, sourceOf, TestDirectory, TestHome, tiny } from '../support/releases.ts'
import { serverOf, type TestServer } from '../support/server.ts'

const place = (number: number, name: string): GivenRow => ({
  cveLocalidad: String(number).padStart(4, '0'),
  descLocalidad: name,
  idLocalidad: number,
  idEstado: 2,
  idMunicipio: 3,
})
const places = Array.from({ length: 25 }, (_, at) => place(at + 10, `Ñandú ${25 - at}\u2028"\\/`))

const first: Rows = withFacts({ ...tiny, localidad: [...tiny.localidad, ...places] })
/** A municipality has another name, and so has what embeds it; localities are added in between, moved and removed. */
const second: Rows = withFacts({
  ...tiny,
  municipio: tiny.municipio.map((row) => (row.idMunicipio === 3 ? { ...row, descMunicipio: 'Bahía' } : row)),
  localidad: [place(99, 'Nueva'), ...places.slice(3).reverse(), ...tiny.localidad],
})
const third: Rows = { ...second, pais: [...tiny.pais, { cvePais: 'ESP', descPais: 'España', idPais: 724 }] }

const homes: TestHome[] = []
const servers: TestServer[] = []
const directory = new TestDirectory()
afterAll(async () => {
  for (const server of servers) await server.close()
  for (const home of [...homes, directory]) home[Symbol.dispose]()
})

/** A server whose catalog can be changed, and the client of it, with the requests that it has sent. */
class Changing {
  readonly home = new TestHome()
  readonly requests: string[] = []
  /** Changes a response before the client gets it. */
  tamper: (url: string, response: Response) => Response | Promise<Response> = (_, response) => response
  #release = () => this.home.current()
  readonly #server = serverOf(() => this.#release(), {}, this.home.store)
  readonly url = this.#server.url
  readonly catalogs = connect(this.#server.url, {
    retries: 0,
    fetch: async (url, init) => {
      this.requests.push(url.slice(this.#server.url.length).replace(/[0-9a-f]{64}/g, 'X'))
      return this.tamper(url, await fetch(url, init))
    },
  })

  constructor() {
    homes.push(this.home)
    servers.push(this.#server)
  }

  async import(rows: Rows, numbering: Source['numbering'] = {}): Promise<string> {
    const { digest } = await this.home.import({ ...sourceOf(rows), numbering }, { acceptChanges: true })
    this.serveCurrent()
    return digest
  }

  serveCurrent(): void {
    const release = this.home.current()
    this.#release = () => release
  }

  /** The paths that were requested since the last look. */
  paths(): string[] {
    return this.requests.splice(0).map((url) => new URL(url, 'http://x').pathname.slice('/api/v2'.length))
  }
}

let files = 0
/** For each kind of store: makes a new one, which is then opened as often as a process would. */
const stores: [string, () => () => Store | MapCopy][] = [
  [
    'a Map',
    () => {
      const map: MapCopy = new Map()
      return () => map
    },
  ],
  [
    'a file',
    () => {
      const path = join(directory.path, `copy-${files++}.json`)
      return () => fileStore(path)
    },
  ],
]

const asStore = (store: Store | MapCopy): Store =>
  store instanceof Map
    ? {
        head: () => store.get('release') as Head | undefined,
        get: (digest) => {
          const { digests } = store.get('release') as Head
          return store.get(Object.keys(digests).find((name) => digests[name] === digest) ?? '') as object[]
        },
        put: () => {},
        commit: () => {},
      }
    : store

/** All of a copy as plain data. */
async function contentOf(store: Store | MapCopy) {
  const { head, get } = asStore(store)
  const { release, digests } = (await head()) as Head
  const collections: Record<string, unknown> = {}
  for (const [name, digest] of Object.entries(digests)) collections[name] = await get(digest)
  return { release, collections }
}

/** All records of the current release, from the server. */
async function served(catalogs: Catalogs) {
  const collections: Record<string, readonly unknown[]> = {}
  let release = ''
  const [{ counts } = { counts: {} }] = (await catalogs.releases()).filter(({ current }) => current)
  for (const name of Object.keys(counts)) {
    const all = await catalogs[name as 'paises'].all({ facts: true }).toArray()
    collections[name] = [...all]
    release = all.release
  }
  return { release, collections }
}

describe.each(stores)('sync into %s', (_what, newStore) => {
  let source: Changing
  let store: Store | MapCopy
  let digests: string[]
  beforeAll(async () => {
    source = new Changing()
    digests = [await source.import(first)]
    store = newStore()()
  })

  test('downloads everything at first, and then nothing while nothing changes', async () => {
    const report = await sync(source.catalogs, store)
    expect(report).toMatchObject({ release: digests[0], from: undefined })
    const published = await served(source.catalogs)
    // A collection without records is what a new copy has of it.
    for (const [name, outcome] of Object.entries(report.collections))
      expect([name, outcome]).toEqual([name, published.collections[name] === undefined ? 'same' : 'whole'])
    expect(Object.values(report.collections)).toContain('whole')
    expect(await contentOf(store)).toEqual(published)
    source.paths()
    expect(new Set(Object.values((await sync(source.catalogs, store)).collections))).toEqual(new Set(['same']))
    expect(source.paths()).toEqual([''])
  })

  test('applies changes, in the order of the new release', async () => {
    digests.push(await source.import(second))
    source.paths()
    const { collections, from } = await sync(source.catalogs, store)
    expect(from).toBe(digests[0] as string)
    expect(collections).toMatchObject({ paises: 'same', municipios: 'changed', localidades: 'changed' })
    // Localities have moved, so their keys are requested in their order, and nothing else of them.
    const downloads = source.requests.filter((url) => url.includes('/all'))
    expect(downloads).toEqual([
      '/api/v2/localidades/all?release=X&format=ndjson&fields=idMunicipio.idMunicipio%2CidLocalidad',
    ])
    expect(await contentOf(store)).toEqual(await served(source.catalogs))
  })

  test('downloads what differs again where the old release is gone', async () => {
    digests.push(await source.import(third))
    source.home.store.remove(digests[1] as string)
    source.paths()
    const { collections } = await sync(source.catalogs, store)
    expect(source.paths()).toEqual(['', '/releases/X/manifest', '/changes', '/paises/all'])
    expect(collections).toMatchObject({ paises: 'whole', municipios: 'same', localidades: 'same' })
    expect(await contentOf(store)).toEqual(await served(source.catalogs))
  })

  test('leaves the copy as it was when it is interrupted, and resumes', async () => {
    const open = newStore()
    const fresh = open()
    await sync(source.catalogs, fresh)
    const before = await contentOf(fresh)
    await source.import(first)
    source.home.store.remove(digests[2] as string)
    source.paths()
    source.tamper = (url, response) => {
      if (url.includes('/localidades/all')) throw new TypeError('the line is cut')
      return response
    }
    await expect(sync(source.catalogs, fresh)).rejects.toThrow('the line is cut')
    expect(await contentOf(fresh)).toEqual(before)
    source.tamper = (_, response) => response
    const interrupted = source.paths().filter((path) => path.endsWith('/all'))
    const reopened = open()
    await sync(source.catalogs, reopened)
    const resumed = source.paths().filter((path) => path.endsWith('/all'))
    expect(interrupted).toContain('/municipios/all')
    expect(resumed).not.toContain('/municipios/all')
    expect(resumed).toContain('/localidades/all')
    expect(await contentOf(reopened)).toEqual(await served(source.catalogs))
  })

  test('refuses what has not the digest that it should have, and keeps the copy', async () => {
    const [fresh, other] = [newStore()(), newStore()()]
    for (const each of [fresh, other]) await sync(source.catalogs, each)
    const before = await contentOf(fresh)
    await source.import(third)
    const replaced = (path: string, from: string, to: string) => async (url: string, response: Response) =>
      url.includes(path) && response.status === 200
        ? new Response((await response.text()).replaceAll(from, to))
        : response
    const changed = replaced('/changes', 'España', 'Espana')
    const refused = async () => {
      expect(await sync(source.catalogs, fresh).catch((error: unknown) => error)).toBeInstanceOf(DigestMismatch)
      expect(await contentOf(fresh)).toEqual(before)
    }
    source.tamper = replaced('/releases/', '"count":3', '"count":4')
    await refused()
    source.tamper = async (url, response) => changed(url, await replaced('/all', 'España', 'Espana')(url, response))
    await refused()
    source.tamper = async (url, response) =>
      replaced(
        '/changes',
        'Bahía',
        'Bahia',
      )(url, await replaced('/all', '"poblacion":0', '"poblacion":1')(url, response))
    await refused()
    // Changes that do not lead to the new release are of no use: all is downloaded again.
    source.tamper = changed
    expect((await sync(source.catalogs, other)).collections).toMatchObject({ paises: 'whole', municipios: 'changed' })
    expect(await contentOf(other)).toEqual(await served(source.catalogs))
    source.tamper = (_, response) => response
    await sync(source.catalogs, fresh)
    expect(await contentOf(fresh)).toEqual(await served(source.catalogs))
  })
})

test('sync keeps nothing of records that are numbered otherwise, and takes those of now whole', async () => {
  const source = new Changing()
  const store: MapCopy = new Map()
  await source.import(first, { localidad: 'synthetic' })
  await sync(source.catalogs, store)
  // The identifiers belong to other places now, and some are gone.
  const localidad = (first.localidad ?? [])
    .slice(5)
    .map((row) => ({ ...row, descLocalidad: `Otra ${row.idLocalidad}` }))
  await source.import({ ...first, localidad }, { localidad: 'official' })
  const { collections } = await sync(source.catalogs, store)
  expect(collections).toMatchObject({ municipios: 'same', localidades: 'whole' })
  expect(await contentOf(store)).toEqual(await served(source.catalogs))
})

test('sync takes only the changes of records that stay in their order, also where no fact is known', async () => {
  const source = new Changing()
  await source.import(tiny)
  const map: MapCopy = new Map()
  await sync(source.catalogs, map)
  const municipio = tiny.municipio.map((row) => (row.idMunicipio === 3 ? { ...row, descMunicipio: 'Bahía' } : row))
  await source.import({ ...tiny, municipio, localidad: tiny.localidad.slice(0, 2) })
  source.paths()
  const { collections } = await sync(source.catalogs, map)
  expect(source.paths()).toEqual(['', '/releases/X/manifest', '/changes'])
  expect(collections).toMatchObject({ municipios: 'changed', localidades: 'changed', estados: 'same' })
  expect(await contentOf(map)).toEqual(await served(source.catalogs))
  // A fact that the release does not know is refused like one that it knows otherwise.
  source.tamper = async (url, response) =>
    url.includes('/all') ? new Response((await response.text()).replaceAll('"altitud":null', '"altitud":7')) : response
  expect(await sync(source.catalogs, new Map()).catch((error: unknown) => error)).toBeInstanceOf(DigestMismatch)
})

describe('a store', () => {
  let source: Changing
  beforeAll(async () => {
    source = new Changing()
    await source.import(first)
  })

  test('in a file is a snapshot, and goes on after a download that was cut off', async () => {
    const path = join(directory.path, 'snapshot.json')
    writeFileSync(`${path}.part`, '{"digest":"abc","recor')
    source.tamper = (url, response) => {
      if (url.includes('/estados/all')) throw new TypeError('the line is cut')
      return response
    }
    expect(await sync(source.catalogs, fileStore(path)).catch(String)).toContain('the line is cut')
    source.tamper = (_, response) => response
    source.paths()
    await sync(source.catalogs, fileStore(path))
    expect(source.paths()).not.toContain('/paises/all')
    const snapshot = JSON.parse(readFileSync(path, 'utf8')) as Snapshot
    expect((await offline(snapshot).paises.byCode('MEX')).idPais).toBe(484)
    expect([existsSync(`${path}.part`), existsSync(`${path}.new`)]).toEqual([false, false])
  })

  test('in a file stays as it was where a write fails', async () => {
    const path = join(directory.path, 'unwritable.json')
    await sync(source.catalogs, fileStore(path))
    const before = await contentOf(fileStore(path))
    await source.import(second)
    // Nothing can be written to a directory.
    mkdirSync(`${path}.new`)
    expect(await sync(source.catalogs, fileStore(path)).catch(String)).toContain('EISDIR')
    expect(await contentOf(fileStore(path))).toEqual(before)
    rmdirSync(`${path}.new`)
    source.paths()
    await sync(source.catalogs, fileStore(path))
    // Only the description of the release is requested again: its records were kept.
    expect(source.paths()).toEqual(['', '/releases/X/manifest'])
    expect(await contentOf(fileStore(path))).toEqual(await served(source.catalogs))
  })

  test('is verified with the aliases of its release too', async () => {
    const aliases = () => [{ entity: 'pais', code: 'MEX', alias: 'Méjico', reason: 'older' }]
    await source.home.import({ ...sourceOf(second), aliases }, { acceptChanges: true })
    source.serveCurrent()
    const { collections } = await sync(source.catalogs, new Map())
    expect(collections.paises).toBe('whole')
  })

  test('of catalogs that connect did not make is refused', async () => {
    expect(sync({ releases: async () => [] }, new Map())).rejects.toThrow(
      'these are not the catalogs that connect returned',
    )
  })
})

describe('offline', () => {
  let online: Catalogs
  let copy: Catalogs
  const store: MapCopy = new Map()
  beforeAll(async () => {
    const source = new Changing()
    await source.import(first)
    online = source.catalogs
    await sync(online, store)
    copy = offline(store)
  })

  /** Requests that a server and a copy respond to alike. */
  const requests: [string, (catalogs: Catalogs) => Promise<unknown>][] = [
    ['a page', (c) => c.localidades.page({ page: 2, perPage: 7 })],
    ['a page as long as nobody says otherwise', (c) => c.localidades.page()],
    ['all', (c) => c.localidades.all({ perPage: 4 }).toArray()],
    ['facts', (c) => c.localidades.all({ facts: true }).toArray()],
    ['embed', (c) => c.localidades.all({ embed: 'id', facts: true }).toArray()],
    ['fields', (c) => c.localidades.all({ fields: ['poblacion', 'idMunicipio.idEstado', 'descLocalidad'] }).toArray()],
    ['a filter', (c) => c.localidades.all({ idEstado: 1 }).toArray()],
    [
      'filters',
      (c) => c.localidades.all({ 'idMunicipio.idEstado.cveEstado': ['BC', 'AGS'], idLocalidad: [1, 2] }).toArray(),
    ],
    ['a filter by a fact', (c) => c.localidades.all({ poblacion: 0, facts: true }).toArray()],
    ['a filter by an embedded record', (c) => c.localidades.all({ idMunicipio: [1, 3], perPage: 5 }).toArray()],
    ['a filter that nothing matches', (c) => c.localidades.page({ descLocalidad: 'Nada' })],
    [
      'the last page of a size that divides the total',
      (c) => c.localidades.page({ idMunicipio: 3, perPage: 9, page: 3 }),
    ],
    ['children', (c) => c.paises.children(484).localidades.all().toArray()],
    ['children by code', (c) => c.municipios.children({ code: 'BC-001' }).localidades.page({ perPage: 3 })],
    ['a record', (c) => c.municipios.get(3, { facts: true })],
    ['a record by its key', (c) => c.localidades.get({ idMunicipio: 3, idLocalidad: 2 })],
    ['a record by its code', (c) => c.municipios.byCode('2-001', { fields: ['descMunicipio', 'idEstado.idPais'] })],
    ['a record by two codes', (c) => c.localidades.byCode(['AGS-001', '0001'])],
    ['a deeper record', (c) => c['subdisciplinas-conocimiento'].byCode('110101')],
    ['the counts of the release', async (c) => (await c.releases()).map(({ digest, counts }) => ({ digest, counts }))],
    ['no changes', (c) => c.changes((store.get('release') as Head).release)],
  ]
  test.each(requests)('gives the same as a server: %s', async (_what, request) => {
    const [expected, received] = [await request(online), await request(copy)]
    expect(received).toEqual(expected)
    expect(JSON.stringify(received)).toBe(JSON.stringify(expected))
    const members = ({ page, perPage, total, totalPages, release }: Partial<Page<unknown>>) => [
      ...[page, perPage, total, totalPages, release],
    ]
    expect(members(received as Page<unknown>)).toEqual(members(expected as Page<unknown>))
  })

  test.each([
    ['a record that is not there', (c: Catalogs) => c.paises.get(1), NotFound],
    ['the page after the last', (c: Catalogs) => c.paises.page({ page: 2 }), NotFound],
    ['an unknown parameter', (c: Catalogs) => c.paises.page({ idPias: 1 } as never), BadRequest],
    ['an unknown field', (c: Catalogs) => c.paises.page({ fields: ['idPias'] as never[] }), BadRequest],
    ['a record whose owner is not there', (c: Catalogs) => c.localidades.byCode(['XX-001', '0001']), NotFound],
    ['a record that its owner does not have', (c: Catalogs) => c.localidades.byCode(['AGS-001', '0099']), NotFound],
    ['children of a record that is not there', (c: Catalogs) => c.estados.children(99).municipios.page(), NotFound],
    ['a page that is too long', (c: Catalogs) => c.paises.page({ perPage: 1_001 }), BadRequest],
    ['a page that is none', (c: Catalogs) => c.paises.page({ page: 0 }), BadRequest],
    ['another release', (c: Catalogs) => c.changes('0'.repeat(64)), ReleaseGone],
  ])('fails like a server: %s', async (_what, request, type) => {
    const [expected, given] = await Promise.all(
      [online, copy].map((catalogs) => request(catalogs).catch((error: unknown) => error)),
    )
    expect(expected).toBeInstanceOf(type)
    expect(given).toBeInstanceOf(type)
    const membersOf = ({ kind, parameter }: BadRequest) => [kind, parameter]
    expect(membersOf(given as BadRequest)).toEqual(membersOf(expected as BadRequest))
  })

  const serverOnly: [string, (catalogs: Catalogs) => Promise<unknown>][] = [
    ['search', (c) => c.search('asientos')],
    ['resolve', (c) => c.resolve(['Monterrey'])],
    ['q', (c) => c.municipios.page({ q: 'ensen' })],
    ['sort', (c) => c.municipios.all({ sort: '-descMunicipio' }).toArray()],
    ['near', (c) => c.localidades.near({ latitud: 0, longitud: 10 }).toArray()],
    ['cveLocalidad_prefix', (c) => c.localidades.page({ cveLocalidad_prefix: '00' })],
    ['poblacion_min', (c) => c.estados.children(1).localidades.page({ poblacion_min: 1 })],
  ]
  test.each(serverOnly)('leaves %s to a server, and says what a copy has', async (what, request) => {
    await request(online)
    const error = await request(copy).catch((failure: unknown) => failure)
    expect(error).toBeInstanceOf(ResponseError)
    expect([(error as ResponseError).status, (error as ResponseError).kind]).toEqual([501, 'offline'])
    expect(String(error)).toEndWith(
      `501, ${what} needs a server. A copy has pages and walks, filters by equal values, children, and records by key or code.`,
    )
  })

  test('takes for children those that name the record by the shortest path', async () => {
    const head = store.get('release') as Head
    const places = store.get('localidades') as Localidad[]
    const [place] = places
    const state = place?.idEstado.idEstado === 1 ? 2 : 1
    const moved = { ...place, idEstado: { ...place?.idEstado, idEstado: state } }
    const snapshot = {
      ...head,
      collections: { ...Object.fromEntries(store), localidades: [moved, ...places.slice(1)] },
    }
    const children = await offline(snapshot as Snapshot)
      .estados.children(state)
      .localidades.all()
      .toArray()
    expect<unknown>(children[0]?.idMunicipio.idEstado.idEstado).toBe(place?.idEstado.idEstado)
  })

  test('needs a copy', async () => {
    expect(offline(new Map()).paises.get(1)).rejects.toThrow('the store has no copy yet')
  })
})
