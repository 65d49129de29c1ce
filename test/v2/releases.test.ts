// Older releases, walks that outlive a swap, and the changes from one release to another.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { catalogOf } from '../../packages/server/src/catalog/catalog.ts'
import type { PublishedRecord } from '../../packages/server/src/catalog/flatten.ts'
import { diffEntity } from '../../packages/server/src/release/diff.ts'
import type { GivenRow } from '../../packages/server/src/source/source.ts'
import { builtIn, entityNames, pais } from '../support/built-in.ts'
import { recordsOf } from '../support/found.ts'
import { releaseOf, sourceOf, TestHome, ThreeReleases, tiny, variantOf } from '../support/releases.ts'
import { appOf, responseTo } from '../support/responses.ts'
import { serverForAll, serverOf } from '../support/server.ts'
import { countries, smallSource } from '../support/small-source.ts'

setDefaultTimeout(180_000)

const three = await ThreeReleases.create()
const server = serverForAll(() => three.current(), { baseUrl: 'http://x' }, three.store)
afterAll(() => three[Symbol.dispose]())

const get = (target: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${server.url}${target}`, { headers: { 'Accept-Encoding': 'identity', ...headers } })
const json = async (target: string) => (await get(target)).json()

describe('an older release', () => {
  test('is read by its digest or the beginning of it, and with the whole digest the response never changes', async () => {
    const [first = ''] = three.digests
    for (const digest of [first, first.slice(0, 8)]) {
      const response = await get(`/api/v2/audiencias/1?release=${digest}`)
      expect(await response.json()).toMatchObject({ descCorta: 'Uno' })
      expect(response.headers.get('x-release')).toBe(first)
      const isWhole = digest === first
      expect(response.headers.get('cache-control')).toBe(
        isWhole ? 'public, max-age=31536000, immutable' : 'public, no-cache',
      )
    }
    const current = await get('/api/v2/audiencias/1')
    expect(current.headers.get('cache-control')).toBe('public, no-cache')
    expect(await current.json()).toMatchObject({ descCorta: 'Tres' })
  })

  test.each(['/api/v2', '/api/v2/audiencias', '/api/v2/audiencias/all', '/api/v2/search?q=uno'])(
    'can be read at %s too',
    async (path) => {
      const response = await get(`${path}${path.includes('?') ? '&' : '?'}release=${three.digests[0]}`)
      expect([response.status, response.headers.get('x-release')]).toEqual([200, three.digests[0] as string])
    },
  )

  test('is listed with its counts, the current one marked', async () => {
    const listed = (await json('/api/v2/releases')) as { digest: string; current: boolean; counts: object }[]
    expect(listed.map(({ digest }) => digest).sort()).toEqual([...three.digests].sort())
    expect(listed.filter(({ current }) => current).map(({ digest }) => digest)).toEqual([three.digests[2] as string])
    expect(listed[0]?.counts).toMatchObject({ paises: 2, localidades: 3 })
    const one = await json(`/api/v2/releases/${three.digests[0]}`)
    expect(one).toMatchObject({
      digest: three.digests[0],
      current: false,
      source: { kind: 'test' },
      findings: [{ count: 1 }],
    })
  })
})

test('a cursor of one release is refused together with another release', async () => {
  const [first = '', second = ''] = three.digests
  const cursor = (digest: string) => Buffer.from(`${digest.slice(0, 16)}-0`).toString('base64url')
  const page = (after: string, release: string) =>
    get(`/api/v2/localidades?per_page=1&after=${after}&release=${release}`)
  const refused = await page(cursor(first), second)
  expect([refused.status, ((await refused.json()) as { detail: string }).detail]).toEqual([
    400,
    `after was "${cursor(first)}"; allowed is a cursor of the same release.`,
  ])
  const followed = await page(cursor(first), first)
  expect([followed.status, followed.headers.get('x-release')]).toEqual([200, first])
})

test('a parameter that there is not is refused before a release that is gone', async () => {
  expect((await get('/api/v2/paises?release=00000000&nada=1')).status).toBe(400)
  expect((await get('/api/v2/nada?release=00000000')).status).toBe(404)
  expect((await get('/api/v2/paises?release=00000000')).status).toBe(410)
})

describe('a release with other definitions', () => {
  const current = () => three.current()
  const [old] = ['a'.repeat(64)]
  /** Countries under another name, and nothing else. */
  const store = {
    digests: () => [old as string],
    releaseDirectory: () => three.path,
    manifestOrReason: () => current().manifest,
    signatureOf: () => undefined,
    open: (digest: string) => variantOf(current(), { digest, catalog: catalogOf([{ ...pais, plural: 'countries' }]) }),
  }
  const app = appOf(current, { store })
  const request = (target: string) => responseTo(app, { target }, { listeningUrl: 'http://x', peer: undefined })

  test.each([
    ['/api/v2/countries', 404],
    [`/api/v2/countries?release=${old}`, 200],
    [`/api/v2/countries/484?release=${old}`, 200],
    [`/api/v2/countries/all?release=${old}`, 200],
    [`/api/v2/search?q=francia&in=countries&release=${old}`, 200],
    ['/api/v2/search?q=francia&in=countries', 400],
    ['/api/v2/paises', 200],
    [`/api/v2/paises?release=${old}`, 404],
    [`/api/v2/countries/484/estados?release=${old}`, 404],
  ])('is read by them: %s is %i', async (target, status) => {
    expect((await request(target)).status).toBe(status)
  })

  test('lists its own paths where a path is not known, and its own collections in the index', async () => {
    const { detail } = (await (await request(`/api/v2/paises?release=${old}`)).json()) as { detail: string }
    expect(detail).toStartWith('Known paths are /api/v2, /api/v2/countries, /api/v2/countries/all, ')
    const { collections } = (await (await request(`/api/v2?release=${old}`)).json()) as {
      collections: { name: string }[]
    }
    expect(collections.map(({ name }) => name)).toEqual(['countries'])
  })
})

test('a walk continues in the release in which it began, and is 410 when that is gone', async () => {
  using home = new TestHome()
  const first = await home.import(smallSource({ pais: countries(10) }), { acceptChanges: true })
  const walking = serverOf(() => home.current(), {}, home.store)
  const step = async (url: string) => {
    const response = await fetch(url)
    const next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1] as string
    return {
      status: response.status,
      release: response.headers.get('x-release'),
      body: (await response.json()) as never,
      next,
    }
  }
  try {
    const one = await step(`${walking.url}/api/v2/paises?per_page=3`)
    await home.import(smallSource({ pais: countries(5).toReversed() }), { acceptChanges: true })
    const two = await step(one.next)
    expect([two.release, two.body]).toMatchObject([first.digest, countries(6).slice(3) as never])
    const gone = one.next
    home.store.remove(first.digest)
    const response = await fetch(gone)
    expect([response.status, ((await response.json()) as { type: string }).type]).toEqual([
      410,
      'urn:nomenclator:problem:release-gone',
    ])
  } finally {
    await walking.close()
  }
})

describe('changes', () => {
  test('are given with old and new values', async () => {
    const [one, two] = three.digests
    const document = await json(`/api/v2/changes?from=${one}&to=${two}`)
    const before = { ...tiny.audiencia[0], descCorta: 'Uno' }
    const change = {
      collection: 'audiencias',
      key: { idAudiencia: 1 },
      change: 'changed',
      fields: ['descCorta'],
      old: before,
      new: { ...before, descCorta: 'Dos' },
    }
    expect(document).toEqual({ from: one, to: two, changes: [change] })
    const lines = await get(`/api/v2/changes?from=${one}&format=ndjson`)
    expect([lines.headers.get('content-type'), lines.headers.get('x-release')]).toEqual([
      'application/x-ndjson',
      three.digests[2] as string,
    ])
    expect(
      (await lines.text())
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([{ ...change, new: { ...before, descCorta: 'Tres' } }])
    expect(await json(`/api/v2/changes?from=${one}&in=paises`)).toMatchObject({ changes: [] })
  })

  test('with embed=id have records as lists with embed=id have them, and no changes of embedded records', async () => {
    using home = new TestHome()
    const rows = ThreeReleases.rows('Uno')
    const first = await home.import(sourceOf(rows), { acceptChanges: true })
    const municipio = (rows.municipio as GivenRow[]).map((row) =>
      row.idMunicipio === 3 ? { ...row, descMunicipio: 'Otra' } : row,
    )
    await home.import(sourceOf({ ...rows, municipio }), { acceptChanges: true })
    const changing = serverOf(() => home.current(), {}, home.store)
    const from = `${changing.url}/api/v2/changes?from=${first.digest}`
    type Change = { collection: string; key: object; fields: string[]; old: object; new: object }
    const changesOf = async (url: string) => ((await (await fetch(url)).json()) as { changes: Change[] }).changes
    try {
      const full = await changesOf(from)
      expect(full.map(({ collection }) => collection)).toEqual(['municipios', 'localidades', 'localidades'])
      expect(await changesOf(`${from}&embed=full`)).toEqual(full)
      const [change, ...others] = await changesOf(`${from}&embed=id`)
      expect([change?.collection, change?.key, change?.fields, others]).toEqual([
        'municipios',
        { idMunicipio: 3 },
        ['descMunicipio'],
        [],
      ])
      const record = async (release: string) =>
        (await fetch(`${changing.url}/api/v2/municipios/3?embed=id&facts=true&release=${release}`)).json()
      expect(change?.new).toEqual((await record(home.current().digest)) as object)
      expect(change?.old).toEqual((await record(first.digest)) as object)
      expect(Object.keys(change?.new ?? {})).toContain('idEstado')
      expect((await fetch(`${from}&embed=ids`)).status).toBe(400)
    } finally {
      await changing.close()
    }
  })

  test('between two numberings are all of before removed, and then all of now added', async () => {
    using home = new TestHome()
    const rows = ThreeReleases.rows('Uno')
    const invented = { ...sourceOf(rows), numbering: { localidad: 'synthetic' as const } }
    const first = await home.import(invented)
    const localidad = (rows.localidad as GivenRow[]).map((row) => ({ ...row, descLocalidad: 'Otra' }))
    await home.import({ ...sourceOf({ localidad }), numbering: { localidad: 'official' } })
    const changing = serverOf(() => home.current(), {}, home.store)
    try {
      const read = async (path: string) => (await (await fetch(`${changing.url}/api/v2/${path}`)).json()) as never
      for (const embed of ['full', 'id']) {
        const { changes }: { changes: { collection: string; change: string }[] } = await read(
          `changes?from=${first.digest}&embed=${embed}`,
        )
        const each = localidad.map(() => 'localidades')
        expect(changes.map(({ collection, change }) => `${collection} ${change}`)).toEqual([
          ...each.map((collection) => `${collection} removed`),
          ...each.map((collection) => `${collection} added`),
        ])
      }
      const { numbering }: { numbering: Record<string, string> } = await read(`releases/${first.digest}`)
      expect(numbering).toMatchObject({ localidades: 'synthetic', municipios: 'official' })
      const { entities }: { entities: { name: string; numbering: string }[] } = await read(
        `releases/${first.digest}/manifest`,
      )
      expect(entities.find(({ name }) => name === 'localidad')?.numbering).toBe('synthetic')
    } finally {
      await changing.close()
    }
  })

  test('from a release that is gone are 410, and say to take everything again', async () => {
    const response = await get('/api/v2/changes?from=0123456789abcdef')
    expect(response.status).toBe(410)
    expect(((await response.json()) as { detail: string }).detail).toContain('takes everything again')
  })

  test('have an entity tag, and are not sent to who has them', async () => {
    const target = `/api/v2/changes?from=${three.digests[0]}`
    const etag = (await get(target)).headers.get('etag') as string
    expect((await get(target, { 'If-None-Match': etag })).status).toBe(304)
  })

  test('put on what one has, give what there is now', async () => {
    const anyCatalog = fc.record({
      pais: fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 8 }),
      names: fc.array(fc.constantFrom('Uno', 'Dos'), { minLength: 12, maxLength: 12 }),
      localidad: fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 4 })), {
        maxLength: 9,
        selector: String,
      }),
    })
    await fc.assert(
      fc.asyncProperty(anyCatalog, anyCatalog, async (before, after) => {
        const [older, newer] = [await releaseOf(sourceWith(before)), await releaseOf(sourceWith(after))]
        for (const name of entityNames) {
          const kept = new Map(recordsOf(older, name).map((record) => [keyOf(name, record), record]))
          for (const change of diffEntity(older, newer, name)) {
            if (change.change === 'removed') expect(kept.delete(keyOf(name, change.old))).toBe(true)
            else kept.set(keyOf(name, change.new), change.new)
          }
          const sorted = (records: Iterable<PublishedRecord>) => [...records].map((one) => JSON.stringify(one)).sort()
          expect(sorted(kept.values())).toEqual(sorted(recordsOf(newer, name)))
        }
      }),
      { numRuns: 25 },
    )
  })
})

type Drawn = {
  readonly pais: readonly number[]
  readonly names: readonly string[]
  readonly localidad: readonly (readonly [number, number])[]
}

function sourceWith({ pais, names, localidad }: Drawn) {
  const rows: GivenRow[] = localidad.map(([idMunicipio, idLocalidad], at) => ({
    cveLocalidad: String(idLocalidad),
    descLocalidad: names[at] as string,
    idLocalidad,
    idEstado: 1,
    idMunicipio,
  }))
  const known = countries(12).filter(({ idPais }) => pais.includes(idPais))
  const others = known.map((row, at) => ({ ...row, descPais: names[at] as string }))
  return sourceOf({ ...tiny, pais: [...others, tiny.pais[0]], localidad: rows }, { synthetic: true })
}

function keyOf(name: string, record: PublishedRecord): string {
  return builtIn(name)
    .key.map((field) => {
      const value = record[field]
      return typeof value === 'object' ? (value as PublishedRecord)[field] : value
    })
    .join('/')
}
