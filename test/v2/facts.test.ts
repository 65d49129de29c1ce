// Facts from end to end: given, filtered and sorted by in API v2, compared, kept, exported, and no part of API v1.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { appendFileSync, cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { factsOf } from '../../packages/server/src/catalog/entity.ts'
import { exportPackage } from '../../packages/server/src/release/export-package.ts'
import { upgradeHome } from '../../packages/server/src/release/home/upgrade.ts'
import { ENTITY_FORMAT, FACTS_FILE, MANIFEST_FILE, type Manifest } from '../../packages/server/src/release/manifest.ts'
import { builtIn, collections, entityNames } from '../support/built-in.ts'
import { runHere } from '../support/command.ts'
import { homonymRows } from '../support/homonyms.ts'
import { type Rows, sourceIn, sourceOf, TestDirectory, TestHome, tiny } from '../support/releases.ts'
import { serverOf, type TestServer } from '../support/server.ts'

setDefaultTimeout(180_000)

const [ensenada, sauzal, aguascalientes] = tiny.localidad
const ENSENADA = {
  latitud: 31.8667,
  longitud: -116.5964,
  altitud: 20,
  poblacion: 330_652,
  poblacionMasculina: 164_000,
  poblacionFemenina: 166_652,
  ambito: 'U',
  viviendas: 99_000,
  fuente: 'censo 2020',
}
const UNKNOWN = Object.fromEntries(Object.keys(ENSENADA).map((fact) => [fact, null]))
/** What is not known of the people of an area. */
const UNCOUNTED = { poblacionMasculina: null, poblacionFemenina: null, viviendas: null }

/** One locality with all facts, one where nobody lives, and one without facts. */
const known: Rows = {
  ...tiny,
  estado: [tiny.estado[0], { ...tiny.estado[1], poblacion: 1_425_607 }],
  municipio: [tiny.municipio[0], { ...tiny.municipio[1], cabecera: '0001', poblacion: 948_990 }, tiny.municipio[2]],
  localidad: [{ ...ensenada, ...ENSENADA }, { ...sauzal, poblacion: 0, ambito: 'R' }, aguascalientes],
}

let home: TestHome
let server: TestServer
/** The releases without facts, with facts, and with other facts. */
const digests = { without: '', known: '', other: '' }

beforeAll(async () => {
  home = new TestHome()
  const other = [{ ...ensenada, ...ENSENADA, poblacion: 330_653 }, { ...sauzal, ambito: 'R' }, aguascalientes]
  digests.without = (await home.import(sourceOf(tiny))).digest
  digests.other = (await home.import(sourceOf({ ...known, localidad: other }))).digest
  digests.known = (await home.import(sourceOf(known))).digest
  const current = home.current()
  server = serverOf(() => current, { baseUrl: 'http://x' }, home.store)
})
afterAll(async () => {
  expect(server.logged).toEqual([])
  await server.close()
  home[Symbol.dispose]()
})

const get = (target: string) => fetch(`${server.url}${target}`, { headers: { 'Accept-Encoding': 'identity' } })
const text = async (target: string) => (await get(target)).text()
const json = async <T = unknown>(target: string) => (await (await get(target)).json()) as T
const names = async (query: string) => {
  const response = await get(`/api/v2/localidades?fields=descLocalidad&${query}`)
  expect([query, response.status]).toEqual([query, 200])
  const records = (await response.json()) as { descLocalidad: string }[]
  expect(response.headers.get('x-total')).toBe(String(records.length))
  return records.map(({ descLocalidad }) => descLocalidad)
}

const ENSENADA_NAME = ensenada.descLocalidad
const SAUZAL_NAME = sauzal.descLocalidad
const AGUASCALIENTES_NAME = aguascalientes.descLocalidad

describe('a release with facts', () => {
  test('has another digest than without, in which the facts of an entity stand after its records', () => {
    const { entities, digest } = home.store.read(digests.known).manifest
    const lines = Object.entries(entities).map(([name, { count, records }]) => {
      const facts = known[name] === tiny[name as keyof typeof tiny] ? '' : ` ${sha256OfFile(name, FACTS_FILE)}`
      return `${name} ${count} ${records}${facts}\n`
    })
    expect(digest).toBe(sha256(`nomenclator release 1\n${lines.join('')}`))
    expect(new Set(Object.values(digests)).size).toBe(3)
  })

  test('has the records, pages and entity tags of one without', async () => {
    const { without } = digests
    for (const name of Object.keys(tiny))
      for (const file of ['records', 'offsets', 'etags'] as const)
        expect(readFileSync(home.fileOf(digests.known, name, file))).toEqual(
          readFileSync(home.fileOf(without, name, file)),
        )
    const before = serverOf(() => home.store.open(without))
    for (const { path } of collections) {
      const [plain, withFacts] = await Promise.all([fetch(before.url + path), fetch(server.url + path)])
      expect(withFacts.headers.get('etag')).toBe(plain.headers.get('etag') as string)
      expect(await withFacts.text()).toBe(await plain.text())
    }
    await before.close()
  })

  test('has facts as lines of JSON, one for each record', () => {
    expect(readFileSync(fileOf('localidad', FACTS_FILE), 'utf8')).toBe(
      `${JSON.stringify(ENSENADA)}\n{"poblacion":0,"ambito":"R"}\n{}\n`,
    )
    expect(readFileSync(fileOf('estado', FACTS_FILE), 'utf8')).toBe('{"poblacion":1425607}\n{}\n')
  })

  test('has them where the first that is known comes late', async () => {
    const LATE = 2_500
    const places = Array.from({ length: LATE }, (_, at) => ({ ...aguascalientes, idLocalidad: at + 1 }))
    const named = places.map((row, at) => ({ ...row, cveLocalidad: String(at + 1).padStart(4, '0') }))
    using late = new TestHome()
    await late.import(
      sourceOf({ ...tiny, localidad: named.map((row, at) => (at < LATE - 1 ? row : { ...row, poblacion: 7 })) }),
    )
    const { index } = late.current().entity('localidad')
    expect(index.column('poblacion')).toMatchObject({ known: Float64Array.of(7), starts: Uint32Array.of(0, 1, LATE) })
    const path = join(late.store.entityDirectory(late.released(late.current().digest, 'localidad').digest), FACTS_FILE)
    expect(readFileSync(path, 'utf8')).toBe(`${'{}\n'.repeat(LATE - 1)}{"poblacion":7}\n`)
  })

  test('is found damaged where its facts are', async () => {
    using damaged = copyOf(home)
    const path = join(damaged.store.entityDirectory(entityOf('localidad').digest), FACTS_FILE)
    writeFileSync(path, readFileSync(path, 'utf8').replace('330652', '330653'))
    expect(await damaged.verify(digests.known)).toEqual([expect.stringContaining(FACTS_FILE)])
    const renamed = tiny.municipio.map((row) => ({ ...row, descMunicipio: `${row.descMunicipio} de Otro` }))
    await expect(damaged.import(sourceOf({ municipio: renamed }))).rejects.toThrow(FACTS_FILE)
  })
})

describe('an entity of which no fact is known', () => {
  const columns = (digest: string, name: string) =>
    new Set(
      [...readFileSync(home.fileOf(digest, name, 'index'), 'latin1').matchAll(/"(\w+)\.values"/g)].map(
        ([, one]) => one,
      ),
    )

  test.each(['pais', 'area', 'localidad', 'estado'] as const)('has no file for them: %s', (name) => {
    const directory = home.store.entityDirectory(home.released(digests.without, name).digest)
    expect(readdirSync(directory).sort()).toEqual(['entity.json', 'etags', 'index', 'offsets', 'records', 'words'])
    expect(home.released(digests.without, name)).not.toHaveProperty('facts')
  })

  test('has no columns for them in its index', () => {
    const given = ['cveLocalidad', 'descLocalidad', 'idLocalidad', 'idEstado', 'idMunicipio']
    expect(columns(digests.without, 'localidad')).toEqual(new Set(given))
    expect(columns(digests.known, 'localidad')).toEqual(new Set([...given, ...Object.keys(ENSENADA)]))
  })

  test('has them all unknown', async () => {
    const records = await json(`/api/v2/localidades?facts=true&release=${digests.without}`)
    expect(records).toMatchObject([UNKNOWN, UNKNOWN, UNKNOWN])
    expect(await json(`/api/v2/localidades?poblacion_min=0&release=${digests.without}`)).toEqual([])
    expect(await json(`/api/v2/localidades?sort=-poblacion&fields=idLocalidad&release=${digests.without}`)).toEqual([
      { idLocalidad: 1 },
      { idLocalidad: 2 },
      { idLocalidad: 1 },
    ])
  })
})

describe('API v2', () => {
  test('gives facts on request, null for one that is not known', async () => {
    const plain = await json<object[]>('/api/v2/localidades')
    expect(Object.keys(plain[0] ?? {})).not.toContain('poblacion')
    expect(await json('/api/v2/localidades?facts=false')).toEqual(plain)
    expect(await json('/api/v2/localidades?facts=true')).toEqual([
      { ...plain[0], ...ENSENADA },
      { ...plain[1], ...UNKNOWN, poblacion: 0, ambito: 'R' },
      { ...plain[2], ...UNKNOWN },
    ])
  })

  test('gives the facts that are named as fields, and no other', async () => {
    expect(await json('/api/v2/localidades?fields=poblacion,idMunicipio.idMunicipio,ambito')).toEqual([
      { idMunicipio: { idMunicipio: 3 }, poblacion: 330_652, ambito: 'U' },
      { idMunicipio: { idMunicipio: 3 }, poblacion: 0, ambito: 'R' },
      { idMunicipio: { idMunicipio: 1 }, poblacion: null, ambito: null },
    ])
  })

  test('gives those of a single record, and of the records below one', async () => {
    const facts = 'fields=poblacion,latitud'
    const expected = { latitud: ENSENADA.latitud, poblacion: ENSENADA.poblacion }
    expect(await json(`/api/v2/municipios/3/localidades/1?${facts}`)).toEqual(expected)
    expect(await json('/api/v2/municipios/3/localidades/1?facts=true')).toMatchObject(ENSENADA)
    expect(await json(`/api/v2/estados/2/localidades?${facts}`)).toEqual([expected])
    expect(await json('/api/v2/municipios?facts=true&embed=id')).toEqual([
      { ...tiny.municipio[1], cabecera: '0001', poblacion: 948_990, ...UNCOUNTED, cvegeo: '01001' },
      { ...tiny.municipio[0], cabecera: null, poblacion: null, ...UNCOUNTED, cvegeo: '01002' },
      { ...tiny.municipio[2], cabecera: null, poblacion: null, ...UNCOUNTED, cvegeo: '02001' },
    ])
  })

  test('gives none of embedded records', async () => {
    const [record] = await json<{ idEstado: object }[]>('/api/v2/municipios?facts=true')
    expect(Object.keys(record?.idEstado ?? {})).not.toContain('poblacion')
    expect((await get('/api/v2/municipios?fields=idEstado.poblacion')).status).toBe(400)
    expect((await get('/api/v2/municipios?idEstado.poblacion_min=1')).status).toBe(400)
  })

  const CSV = [
    `descLocalidad,${Object.keys(ENSENADA).join()}`,
    `Ensenada,${Object.values(ENSENADA).join()}`,
    '"El ""Sauzal"" [Ejido]",,,,0,,,R,,',
    'Aguascalientes,,,,,,,,,',
    '',
  ].join('\r\n')

  test('writes them as CSV, empty where one is not known', async () => {
    const fields = ['descLocalidad', ...Object.keys(ENSENADA)].join()
    expect(await text(`/api/v2/localidades?format=csv&fields=${fields}`)).toBe(CSV)
    const lines = (await text('/api/v2/localidades?format=csv&facts=true')).split('\r\n')
    const [head = '', first = '', second = ''] = lines
    expect(head).toEndWith(`,${Object.keys(ENSENADA).join()},cvegeo`)
    expect(first).toEndWith(`,${Object.values(ENSENADA).join()},020010001`)
    expect(second).toEndWith(',,,,0,,,R,,,020010002')
  })

  test.each(['json', 'ndjson', 'csv'])('has the same facts in pages and in bulk: %s', async (format) => {
    const page = await text(`/api/v2/localidades?facts=true&format=${format}`)
    const all = await get(`/api/v2/localidades/all?facts=true&format=${format}`)
    expect(await all.text()).toBe(page)
    const plain = await get(`/api/v2/localidades/all?format=${format}`)
    expect(await plain.text()).toBe(await text(`/api/v2/localidades?format=${format}`))
    expect(all.headers.get('etag')).not.toBe(plain.headers.get('etag'))
    expect(all.headers.get('repr-digest')).not.toBe(plain.headers.get('repr-digest'))
  })

  test('writes a record on every line as NDJSON', async () => {
    const lines = (await text('/api/v2/localidades?fields=poblacion,ambito&format=ndjson')).split('\n')
    expect(lines).toEqual([
      '{"poblacion":330652,"ambito":"U"}',
      '{"poblacion":0,"ambito":"R"}',
      '{"poblacion":null,"ambito":null}',
      '',
    ])
  })

  test.each<[string, string[]]>([
    ['poblacion=0', [SAUZAL_NAME]],
    ['poblacion=0&poblacion=330652', [ENSENADA_NAME, SAUZAL_NAME]],
    ['poblacion=7', []],
    ['poblacion_min=0', [ENSENADA_NAME, SAUZAL_NAME]],
    ['poblacion_min=1', [ENSENADA_NAME]],
    ['poblacion_min=330652', [ENSENADA_NAME]],
    ['poblacion_min=330653', []],
    ['poblacion_max=330652', [ENSENADA_NAME, SAUZAL_NAME]],
    ['poblacion_max=330651', [SAUZAL_NAME]],
    ['poblacion_min=1&poblacion_max=330651', []],
    ['latitud=31.8667', [ENSENADA_NAME]],
    ['longitud_max=-116.5964', [ENSENADA_NAME]],
    ['longitud_max=-116.5965', []],
    ['ambito=R', [SAUZAL_NAME]],
    ['ambito=X', []],
    ['ambito=U&ambito=R&idMunicipio=3', [ENSENADA_NAME, SAUZAL_NAME]],
    ['sort=poblacion', [SAUZAL_NAME, ENSENADA_NAME, AGUASCALIENTES_NAME]],
    ['sort=-poblacion', [ENSENADA_NAME, SAUZAL_NAME, AGUASCALIENTES_NAME]],
    ['sort=altitud,-descLocalidad', [ENSENADA_NAME, SAUZAL_NAME, AGUASCALIENTES_NAME]],
    ['sort=-ambito', [ENSENADA_NAME, SAUZAL_NAME, AGUASCALIENTES_NAME]],
    ['sort=ambito', [SAUZAL_NAME, ENSENADA_NAME, AGUASCALIENTES_NAME]],
    ['q=aguascalientes&sort=-poblacion', [AGUASCALIENTES_NAME]],
  ])('finds by facts: %s', async (query, expected) => expect(await names(query)).toEqual(expected))

  test.each([
    ['poblacion=', 'a whole number from 0 to 2000000000'],
    ['poblacion=muchos', 'a whole number from 0 to 2000000000'],
    ['poblacion=1.5', 'a whole number from 0 to 2000000000'],
    ['poblacion_min=-1', 'a whole number from 0 to 2000000000'],
    ['poblacion_max=2000000001', 'a whole number from 0 to 2000000000'],
    ['poblacion_max=1e999', 'a whole number from 0 to 2000000000'],
    ['latitud_min=90.1', 'a number from -90 to 90'],
    ['latitud_min=12,5', 'a number from -90 to 90'],
    ['latitud_min=0x10', 'a number from -90 to 90'],
    ['ambito=', 'a value: to ask for any, leave the parameter out'],
    ['facts=yes', 'true, false'],
    ['facts=true&fields=poblacion', 'either facts, or fields that name them'],
    ['poblacion_min=1&poblacion_min=2', 'one value: it may be given only once'],
  ])('refuses %s', async (query, allowed) => {
    const response = await get(`/api/v2/localidades?${query}`)
    expect(await response.json()).toMatchObject({
      status: 400,
      type: 'urn:nomenclator:problem:bad-parameter',
      detail: expect.stringContaining(`allowed is ${allowed}`),
    })
  })

  test.each(['ambito_min=R', 'cabecera_max=1', 'idLocalidad_min=1'])(
    'knows no bound of what is no number: %s',
    async (query) => expect((await get(`/api/v2/localidades?${query}`)).status).toBe(400),
  )

  test('describes which fields are facts', async () => {
    type Described = { name: string; fields: { path: string; fact?: true }[] }
    const { collections } = await json<{ collections: Described[] }>('/api/v2')
    for (const { name, fields } of collections) {
      const entity = entityNames.map(builtIn).find(({ plural }) => plural === name)
      const facts = fields.filter(({ fact }) => fact).map(({ path }) => path)
      expect([name, facts]).toEqual([name, entity === undefined ? [] : factsOf(entity).map(([fact]) => fact)])
    }
  })
})

describe('what changed', () => {
  type Change = { change: string; fields: string[]; old: object; new: object }
  const changes = async (from: string, to: string): Promise<Change[]> =>
    (await json<{ changes: Change[] }>(`/api/v2/changes?from=${from}&to=${to}&in=localidades`)).changes

  test('gets the facts of a record, all of them before and after', async () => {
    const [first, second] = await json<object[]>('/api/v2/localidades?facts=true')
    expect<unknown>(await changes(digests.other, digests.known)).toEqual([
      {
        collection: 'localidades',
        key: { idMunicipio: 3, idLocalidad: 1 },
        change: 'changed',
        fields: ['poblacion'],
        old: { ...first, poblacion: 330_653 },
        new: first,
      },
      {
        collection: 'localidades',
        key: { idMunicipio: 3, idLocalidad: 2 },
        change: 'changed',
        fields: ['poblacion'],
        old: { ...second, poblacion: null },
        new: second,
      },
    ])
  })

  test('gets only the records that gain or lose facts', async () => {
    const gained = await changes(digests.without, digests.known)
    expect(gained.map(({ fields }) => fields)).toEqual([Object.keys(ENSENADA), ['poblacion', 'ambito']])
    expect(gained).toMatchObject([
      { change: 'changed', old: UNKNOWN, new: ENSENADA },
      { change: 'changed', old: UNKNOWN, new: { ...UNKNOWN, poblacion: 0, ambito: 'R' } },
    ])
    const lost = await changes(digests.known, digests.without)
    expect(lost.map((one) => ({ ...one, old: one.new, new: one.old }))).toEqual(gained)
  })

  test('is counted by the command', async () => {
    const [older, newer] = [home.store.open(digests.without), home.store.open(digests.known)]
    const { out } = await runHere('diff', older.digest, newer.digest, '--home', home.path)
    expect(out.replace(/^ +/gm, '').split('\n').slice(0, 18)).toEqual([
      'paises                       0 added, 0 changed, 0 removed',
      'estados                      0 added, 1 changed, 0 removed',
      'poblacion: 1',
      'municipios                   0 added, 1 changed, 0 removed',
      'cabecera: 1',
      'poblacion: 1',
      'localidades                  0 added, 2 changed, 0 removed',
      ...['latitud: 1', 'longitud: 1', 'altitud: 1', 'poblacion: 2', 'poblacionMasculina: 1', 'poblacionFemenina: 1'],
      ...['ambito: 2', 'viviendas: 1', 'fuente: 1'],
      'areas-conocimiento           0 added, 0 changed, 0 removed',
      'campos-conocimiento          0 added, 0 changed, 0 removed',
    ])
  })

  test('in facts alone breaks nothing, whether they come, change or go', async () => {
    using copy = copyOf(home)
    const gone = await copy.import(sourceOf(tiny))
    expect(gone).toMatchObject({ digest: digests.without, outcome: 'activated', breakingChanges: [] })
    const come = await copy.import(sourceOf(known))
    expect(come).toMatchObject({ digest: digests.known, outcome: 'activated', breakingChanges: [] })
    expect(come.changes?.localidad).toMatchObject({
      ...{ added: 0, changed: 2, removed: 0 },
      ...{ reordered: false, reassigned: { count: 0 } },
    })
    expect(await copy.import(sourceOf(known))).toMatchObject({ outcome: 'nothing to do' })
  })
})

describe('facts are kept', () => {
  test('by an import that brings only what the records embed', async () => {
    using copy = copyOf(home)
    const municipio = tiny.municipio.map((row) => ({ ...row, descMunicipio: `${row.descMunicipio} de Otro` }))
    await copy.import(sourceOf({ municipio }))
    const { entities } = copy.current().manifest
    expect(entities.localidad?.digest).not.toBe(entityOf('localidad').digest)
    expect(entities.localidad?.facts).toBe(entityOf('localidad').facts)
    expect(entities.estado).toEqual(entityOf('estado'))
    expect(entities.municipio).not.toHaveProperty('facts')
    const after = serverOf(() => copy.current())
    const target = '/api/v2/localidades?fields=descLocalidad,poblacion,ambito,latitud&sort=-poblacion'
    expect(await (await fetch(after.url + target)).text()).toBe(await text(target))
    await after.close()
  })

  test.each(['estado', 'municipio', 'localidad'])('by an upgrade of %s', async (name) => {
    using copy = copyOf(home)
    const path = join(copy.store.releaseDirectory(digests.known), MANIFEST_FILE)
    const manifest: Manifest = JSON.parse(readFileSync(path, 'utf8'))
    const lowered = { ...manifest.entities[name], format: ENTITY_FORMAT - 1 }
    writeFileSync(path, JSON.stringify({ ...manifest, entities: { ...manifest.entities, [name]: lowered } }))
    expect(await upgradeHome(copy.store)).toEqual([{ digest: digests.known, entities: [name] }])
    expect(copy.current().manifest.entities).toEqual(manifest.entities)
    expect(await copy.verify(digests.known)).toEqual([])
  })

  test('by an upgrade alone where they are sound', async () => {
    using copy = copyOf(home)
    const path = join(copy.store.releaseDirectory(digests.known), MANIFEST_FILE)
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replaceAll(`"format": ${ENTITY_FORMAT}`, `"format": ${ENTITY_FORMAT - 1}`),
    )
    appendFileSync(join(copy.store.entityDirectory(entityOf('estado').digest), FACTS_FILE), '{}\n')
    expect(await upgradeHome(copy.store)).toMatchObject([{ failure: expect.stringContaining(FACTS_FILE) }])
  })

  test('by an export that is imported again', async () => {
    for (const rows of [known, homonymRows]) {
      using source = new TestHome()
      using target = new TestHome()
      using directory = new TestDirectory()
      const { digest } = await source.import(sourceOf(rows))
      exportPackage(source.current(), directory.path, { overwrite: false })
      expect(await target.import(await sourceIn(directory.path))).toMatchObject({ digest })
    }
  })

  test('in columns of an export', () => {
    using directory = new TestDirectory()
    exportPackage(home.current(), directory.path, { overwrite: false })
    const linesOf = (name: string) => readFileSync(join(directory.path, `${name}.csv`), 'utf8').split('\n')
    expect(linesOf('localidad')).toEqual([
      'cveLocalidad,descLocalidad,idLocalidad,idEstado,idMunicipio,latitud,longitud,altitud,poblacion,poblacionMasculina,poblacionFemenina,ambito,viviendas,fuente',
      '0001,Ensenada,1,2,3,31.8667,-116.5964,20,330652,164000,166652,U,99000,censo 2020',
      '0002,"El ""Sauzal"" [Ejido]",2,1,3,,,,0,,,R,,',
      '0001,Aguascalientes,1,1,1,,,,,,,,,',
      '',
    ])
  })
})

const sha256 = (content: string | Uint8Array) => new Bun.CryptoHasher('sha256').update(content).digest('hex')
const entityOf = (name: string) => home.released(digests.known, name)
const fileOf = (name: string, file: string) => join(home.store.entityDirectory(entityOf(name).digest), file)
const sha256OfFile = (name: string, file: string) => sha256(readFileSync(fileOf(name, file)))

/** A home of its own to change, with the same releases. */
function copyOf({ path }: TestHome): TestHome {
  const copy = new TestHome()
  cpSync(path, copy.path, { recursive: true })
  return copy
}
