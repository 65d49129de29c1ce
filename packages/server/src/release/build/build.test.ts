// Equal records make the same release, wherever and whenever it is built; what a source does not provide is carried over.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { contentOf, sourceOf, TestDirectory, TestHome, tiny, tinyNames } from '../../../../../test/support/releases.ts'
import { version } from '../../base/version.ts'
import { entityData, entityIn } from '../../catalog/catalog.ts'
import { embedsOf } from '../../catalog/entity.ts'
import { builtInCatalog } from '../../source/built-in.ts'
import type { Block, GivenRow, Origin, Source } from '../../source/source.ts'
import { syntheticSource } from '../../source/synthetic/synthetic.ts'
import { IdRegistry } from '../home/id-registry.ts'
import { ENTITY_FILES, ENTITY_FORMAT, type EntityManifest, releaseDigest, releasedEntity } from '../manifest.ts'
import { DamagedRelease, readEntityManifest } from '../release.ts'
import { buildRelease } from './build.ts'
import { type BuiltUpon, completionByRelease, completionBySource, storedRows } from './completion.ts'

setDefaultTimeout(180_000)

const TINY_DIGEST = 'a026399f315161a9379c4ec1a665663cfce2d6ffba8f8b0bfd26e0bc163cd018'

/** Completes nothing. */
const nothing = completionBySource(sourceOf({}))

async function built(source: Source, base?: BuiltUpon | Source) {
  using directory = new TestDirectory()
  const completion =
    base === undefined ? nothing : 'release' in base ? completionByRelease(base) : completionBySource(base)
  const { manifest, directories } = await buildRelease(source, completion, directory.path, new IdRegistry())
  return { manifest, directories, files: contentOf(directory.path) }
}

const first = await built(sourceOf(tiny))

const rowsIn = (name: string): readonly GivenRow[] => tiny[name as keyof typeof tiny]

const reversed = (names: readonly (keyof typeof tiny)[]) =>
  sourceOf({ ...tiny, ...Object.fromEntries(names.map((name) => [name, tiny[name].toReversed()])) })

const sha256 = (text: string | Uint8Array) => new Bun.CryptoHasher('sha256').update(text).digest('hex')

describe('a tiny release', () => {
  test('has the digest that it has always had', () => expect(first.manifest.digest).toBe(TINY_DIGEST))

  test('has records of just these bytes', () => {
    const { files } = first
    const mexico = '{"cvePais":"MEX","descPais":"México","idPais":484}'
    const state = (rest: string) => `{${rest},"idPais":${mexico}}`
    const ags = state('"cveEstado":"AGS","cveRenapo":"AS","descEstado":"Aguascalientes","idEstado":1')
    const bc = state('"cveEstado":"BC","cveRenapo":"BC","descEstado":"Baja California","idEstado":2')
    const area = '{"cveArea":"1","descripcion":"Ciencias","description":"Ciencias","idArea":1}'
    const town = (code: string, name: string, estado: string, id: number) =>
      `{"cveMunicipio":"${code}","descMunicipio":"${name}","idEstado":${estado},"idMunicipio":${id}}`
    const ensenada = town('001', 'Ensenada', bc, 3)
    const capital = town('001', 'Aguascalientes', ags, 1)
    const place = (code: string, name: string, id: number, estado: string, municipio: string) =>
      `{"cveLocalidad":"${code}","descLocalidad":"${name}","idLocalidad":${id},"idEstado":${estado},"idMunicipio":${municipio}}`
    const text = (name: string) => Buffer.from(files[`${name}/records`] ?? '', 'latin1').toString()
    expect(text('pais')).toBe(`[{"cvePais":"FRA","descPais":"Francia","idPais":250},${mexico}]\n`)
    expect(text('estado')).toBe(`[${ags},${bc}]\n`)
    expect(text('municipio')).toBe(`[${capital},${town('002', 'Asientos', ags, 2)},${ensenada}]\n`)
    expect(text('localidad')).toBe(
      `[${place('0001', 'Ensenada', 1, bc, ensenada)},` +
        `${place('0002', 'El \\"Sauzal\\" [Ejido]', 2, ags, ensenada)},` +
        `${place('0001', 'Aguascalientes', 1, ags, capital)}]\n`,
    )
    expect(text('campo')).toBe(
      `[{"cveCampo":"11","descripcion":"Lógica","description":"Lógica","idCampo":11,"idArea":${area}}]\n`,
    )
  })

  test('has a manifest for each entity with its definition, its count, its parents and its files', async () => {
    using directory = new TestDirectory()
    const { manifest, directories } = await buildRelease(sourceOf(tiny), nothing, directory.path, new IdRegistry())
    const digestOf = (name: string) => manifest.entities[name]?.digest ?? ''
    expect([...directories]).toEqual(tinyNames.map((name) => [digestOf(name), join(directory.path, name)]))
    for (const name of tinyNames) {
      const definition = entityIn(builtInCatalog, name)
      const content = (file: string) => readFileSync(join(directory.path, name, file))
      const summaries = ENTITY_FILES.map((file) => [
        file,
        { size: content(file).length, sha256: sha256(content(file)) },
      ])
      const text = content('entity.json').toString()
      const entity: EntityManifest = JSON.parse(text)
      expect(text).toBe(`${JSON.stringify(entity, null, 2)}\n`)
      expect(sha256(text)).toBe(digestOf(name))
      expect(entity).toEqual({
        format: ENTITY_FORMAT,
        definition: entityData(definition),
        count: tiny[name].length,
        parents: Object.fromEntries(embedsOf(definition).map(([, parent]) => [parent.name, digestOf(parent.name)])),
        files: Object.fromEntries(summaries),
      })
      expect(Object.keys(contentOf(join(directory.path, name)))).toEqual([...ENTITY_FILES, 'entity.json'].sort())
    }
  })

  test('has a manifest with its digest, its source, its entities and its findings', async () => {
    const origin = {
      kind: 'kind',
      title: 'title',
      synthetic: false,
      credits: [{ to: 'someone', of: tinyNames }],
      options: { seed: 7 },
    }
    const before = Date.now()
    const { manifest, files } = await built(sourceOf(tiny, origin))
    expect(Date.parse(manifest.built)).toBeWithin(before, Date.now() + 1)
    const entities = tinyNames.map((name) => {
      const sizes = ENTITY_FILES.map((file) => files[`${name}/${file}`]?.length ?? 0)
      return [
        name,
        {
          format: ENTITY_FORMAT,
          collection: builtInCatalog.entities.get(name)?.plural as string,
          digest: sha256(Buffer.from(files[`${name}/entity.json`] ?? '', 'latin1')),
          count: tiny[name].length,
          records: sha256(Buffer.from(files[`${name}/records`] ?? '', 'latin1')),
          bytes: sizes.reduce((sum, size) => sum + size, 0),
          numbering: 'official',
        },
      ]
    })
    expect(manifest).toEqual({
      digest: TINY_DIGEST,
      built: manifest.built,
      source: origin,
      versions: { nomenclator: version, bun: Bun.version },
      entities: Object.fromEntries(entities),
      findings: [
        {
          kind: 'locality-state-differs',
          description: 'the state of a locality is not the state of its municipality',
          count: 1,
          examples: ['localidad 3/2: 1, 2'],
          entity: 'localidad',
        },
      ],
    })
    expect(Object.keys(manifest.entities)).toEqual([...tinyNames])
  })
})

describe('the same release comes of', () => {
  const inBlocksOfOne: Source = {
    ...sourceOf(tiny),
    read: (name) => rowsIn(name).map((row, at): Block => ({ file: 'other', lines: [at], rows: [row] })),
  }
  const withFindings: Source = {
    ...sourceOf(tiny),
    read: (name, report) => {
      report.findings.add('left-out', 'a row was left out', name)
      return sourceOf(tiny).read(name, report)
    },
  }
  const byKey = tinyNames.filter((name) => entityIn(builtInCatalog, name).order !== 'as given')
  const elsewhere = {
    kind: 'other',
    title: 'other',
    synthetic: true,
    credits: [{ to: 'someone', of: tinyNames }],
    options: { a: 1 },
  }

  test.each([
    ['the same records again, in another directory and at another time', sourceOf(tiny)],
    ['another source', sourceOf(tiny, elsewhere)],
    ['rows in another order, where the key gives the order', reversed(byKey)],
    ['the rows one by one', inBlocksOfOne],
    ['a source with findings', withFindings],
  ])('%s', async (_, source) => {
    const second = await built(source)
    expect(second.manifest.digest).toBe(TINY_DIGEST)
    expect(second.files).toEqual(first.files)
  })
})

test('localities are kept in the order given, so another order is another release', async () => {
  const { manifest, files } = await built(reversed(['localidad']))
  expect(manifest.digest).not.toBe(TINY_DIGEST)
  const names = [...(files['localidad/records'] ?? '').matchAll(/"descLocalidad":"(.*?)","/g)].map(([, name]) => name)
  expect(names).toEqual(['Aguascalientes', 'El \\"Sauzal\\" [Ejido]', 'Ensenada'])
})

test.skipIf(process.platform !== 'linux')('a build that fails leaves no file open', async () => {
  using directory = new TestDirectory()
  const synthetic = syntheticSource({ seed: 1, scale: 1 })
  const source: Source = {
    ...synthetic,
    *read(name, report) {
      yield* synthetic.read(name, report) as Iterable<Block>
      if (name === 'municipio') throw new Error('enough')
    },
  }
  await expect(buildRelease(source, nothing, directory.path, new IdRegistry())).rejects.toThrow('enough')
  expect(directory.opened()).toEqual([])
  expect(() => readEntityManifest(join(directory.path, 'municipio'), '')).toThrow('entity.json is missing')
})

const manyLocalities = Array.from({ length: 2_345 }, (_, at) => ({
  ...tiny.localidad[0],
  idLocalidad: at,
  descLocalidad: `L ${at}`,
}))

async function homeOf(source: Source): Promise<TestHome> {
  const home = new TestHome()
  await home.import(source)
  return home
}

/** The release of a home to build upon; what is read of it is noted down. */
function baseOf(home: TestHome): BuiltUpon & { readonly read: string[] } {
  const release = home.current()
  const read: string[] = []
  const verified = async (name: string) => {
    read.push(name)
    return release.entity(name)
  }
  return { release, read, verified, damageOf: async () => undefined }
}

const tinyHome = await homeOf(sourceOf(tiny))
afterAll(() => tinyHome[Symbol.dispose]())

describe('the rows of an entity on disk', () => {
  test.each(tinyNames)('are those that %s was built from', (name) => {
    const sorted = (rows: readonly object[]) =>
      rows.map((row) => JSON.stringify(Object.fromEntries(Object.entries(row).sort()))).sort()
    const rows = [...storedRows(tinyHome.current().entity(name))].flatMap((block) => block.rows)
    expect(sorted(rows)).toEqual(sorted(tiny[name]))
  })

  test('keep their order, numbered from one across blocks that name the entity', async () => {
    using home = await homeOf(sourceOf({ ...tiny, localidad: manyLocalities }))
    const localidad = home.current().entity('localidad')
    const blocks = [...storedRows(localidad)]
    expect(blocks.length).toBeGreaterThan(1)
    expect(blocks.flatMap(({ rows }) => rows)).toEqual(manyLocalities)
    expect(blocks.flatMap(({ lines }) => lines)).toEqual(manyLocalities.map((_, at) => at + 1))
    expect(blocks[0]?.file).toBe(`entity ${localidad.stored?.digest.slice(0, 12)}, localidad`)
  })

  test('are none of an empty entity', async () => {
    using home = await homeOf(sourceOf({ ...tiny, audiencia: [] }))
    expect([...storedRows(home.current().entity('audiencia'))].flatMap(({ rows }) => rows)).toEqual([])
  })
})

describe('over another release', () => {
  const renamedAudience = { audiencia: [{ ...tiny.audiencia[0], descCorta: 'Alumnos' }] }
  const renamedCountries = { pais: tiny.pais.map((row) => ({ ...row, descPais: `${row.descPais} II` })) }
  const places = ['pais', 'estado', 'municipio', 'localidad']

  test('what is not provided is named again: no file of it is read or written', async () => {
    const base = baseOf(tinyHome)
    const { manifest, directories, files } = await built(sourceOf(renamedAudience), base)
    const { audiencia, ...rest } = manifest.entities
    const { audiencia: before, ...restBefore } = base.release.manifest.entities
    expect(rest).toEqual(restBefore)
    expect(audiencia?.digest).not.toBe(before?.digest as string)
    expect([...directories.keys()]).toEqual([audiencia?.digest as string])
    expect(Object.keys(files).filter((path) => !path.startsWith('audiencia'))).toEqual([])
    expect(base.read).toEqual([])
  })

  test('what embeds records that changed is rendered anew from its own rows', async () => {
    const base = baseOf(tinyHome)
    const { manifest, files } = await built(sourceOf(renamedCountries), base)
    const whole = await built(sourceOf({ ...tiny, ...renamedCountries }))
    expect(manifest.entities).toEqual(whole.manifest.entities)
    const rebuilt = tinyNames.filter((name) => `${name}/records` in files)
    expect(rebuilt as string[]).toEqual(places)
    for (const path of Object.keys(files)) expect([path, files[path]]).toEqual([path, whole.files[path]])
    // The countries are read as they were: what embeds them finds them again by their codes.
    expect(base.read).toEqual(places)
  })

  test('what is provided with the same rows is the same entity', async () => {
    const base = baseOf(tinyHome)
    const { manifest, files } = await built(sourceOf({ municipio: tiny.municipio }), base)
    expect(manifest.entities).toEqual(base.release.manifest.entities)
    expect(tinyNames.filter((name) => `${name}/records` in files)).toEqual(['municipio'])
    // Only what its rows embed is read.
    expect(base.read).toEqual(['estado'])
  })

  test('the records that a source replaces with none are not found again in the release before', async () => {
    const faulty = built(sourceOf({ pais: [], estado: tiny.estado }), baseOf(tinyHome))
    await expect(faulty).rejects.toThrow('estado.csv:2, idPais: 484; expected the identifier of a known pais')
  })

  test.each([
    ['that its rows embed', { municipio: tiny.municipio.toReversed() }, 'estado'],
    ['that is rendered anew', renamedCountries, 'localidad'],
  ])('an entity that is damaged is not built upon: one %s', async (_, rows, damaged) => {
    const { release, verified } = baseOf(tinyHome)
    const base = {
      release,
      damageOf: async () => undefined,
      verified: (name: string) =>
        name === damaged ? Promise.reject(new DamagedRelease(name, 'is spoiled')) : verified(name),
    }
    await expect(built(sourceOf(rows), base)).rejects.toThrow(`${damaged} is spoiled`)
  })

  test('an entity that was empty is carried over too', async () => {
    using home = await homeOf(sourceOf({ ...tiny, subdisciplina: [] }))
    const { manifest } = await built(sourceOf(renamedAudience), baseOf(home))
    expect(manifest.entities.subdisciplina).toEqual(home.current().manifest.entities.subdisciplina)
  })

  const described = (
    rows: Parameters<typeof sourceOf>[0],
    description: string,
    origin: Partial<Origin> = {},
  ): Source => ({
    ...sourceOf(rows, origin),
    read: (name, report) => {
      report.findings.add('left-out', description, name)
      return sourceOf(rows).read(name, report)
    },
  })

  test('findings of what is carried over stay, and those of what is built anew are found anew', async () => {
    using home = await homeOf(described(tiny, 'before'))
    const before = home.current().manifest.findings
    const { manifest } = await built(described(renamedAudience, 'after'), baseOf(home))
    const about = (findings: typeof before, name: string) => findings.filter(({ entity }) => entity === name)
    for (const name of tinyNames.filter((name) => name !== 'audiencia'))
      expect(about(manifest.findings, name)).toEqual(about(before, name))
    expect(about(manifest.findings, 'audiencia')).toEqual([
      { kind: 'left-out', description: 'after', count: 1, examples: ['audiencia'], entity: 'audiencia' },
    ])
    expect(about(manifest.findings, 'localidad').map(({ kind }) => kind)).toEqual([
      'left-out',
      'locality-state-differs',
    ])
  })

  const credit = (to: string, ...of: string[]) => ({ to, of })

  test('credits of what is carried over stay, and only those', async () => {
    const credits = [credit('B', 'audiencia'), credit('C', 'audiencia', 'municipio', 'area')]
    using home = await homeOf(sourceOf(tiny, { credits }))
    const source = sourceOf(renamedAudience, { kind: 'other', credits: [credit('A', 'audiencia')] })
    const { manifest } = await built(source, baseOf(home))
    expect(manifest.source.kind).toBe('other')
    expect(manifest.source.credits).toEqual([credit('A', 'audiencia'), credit('C', 'municipio', 'area')])
  })

  test.each([
    ['some records that are carried over', renamedAudience, false, true, true],
    ['the records of the source', renamedAudience, true, false, true],
    ['no record', renamedAudience, false, false, false],
    ['only records that are replaced', tiny, false, true, false],
  ])('synthetic stays marked where %s are invented', async (_, rows, synthetic, before, after) => {
    using home = await homeOf(sourceOf(tiny, { synthetic: before }))
    const { manifest } = await built(sourceOf(rows, { synthetic }), baseOf(home))
    expect(manifest.source.synthetic).toBe(after)
  })
})

describe('a source completed by another', () => {
  const credit = (to: string, ...of: string[]) => ({ to, of })
  const some = { pais: [{ ...tiny.pais[0], descPais: 'Méjico' }], audiencia: [] }
  const source = sourceOf(some, { kind: 'first', credits: [credit('A', 'pais')] })
  const rest = sourceOf(tiny, { credits: [credit('B', 'pais', 'audiencia'), credit('C', 'pais', 'municipio', 'area')] })

  test('gives each entity from the first if it is there, and else from the second', async () => {
    const { manifest } = await built(source, rest)
    const whole = await built(sourceOf({ ...tiny, ...some }))
    expect(manifest.entities).toEqual(whole.manifest.entities)
  })

  test('is of the kind of the first, and credits both, the second for what it gives alone', async () => {
    const { kind, credits } = (await built(source, rest)).manifest.source
    expect([kind, credits]).toEqual(['first', [credit('A', 'pais'), credit('C', 'municipio', 'area')]])
  })

  test.each([
    [false, false, false],
    [true, false, true],
    [false, true, true],
  ])('first invented %p, second invented %p: invented %p', async (first, second, both) => {
    const { manifest } = await built(sourceOf(some, { synthetic: first }), sourceOf(tiny, { synthetic: second }))
    expect(manifest.source.synthetic).toBe(both)
  })

  test('that gives everything owes nothing to the second', async () => {
    const { manifest } = await built(sourceOf(tiny), sourceOf(tiny, { synthetic: true }))
    expect(manifest.source).toEqual(sourceOf(tiny).origin)
  })
})

describe('the digest of a release', () => {
  const entity = (records: string, count = 3) => ({ count, records: sha256(records) })
  const same: Record<string, { count: number; records: string }> = Object.fromEntries(
    tinyNames.map((name) => [name, entity(name)]),
  )

  test('is that of a short text', () => {
    const lines = tinyNames.map((name) => `${name} 3 ${sha256(name)}\n`)
    expect(releaseDigest({ entities: same })).toBe(sha256(`nomenclator release 1\n${lines.join('')}`))
  })

  test.each(tinyNames)('changes with the records of %s, with their count, and with nothing else', (name) => {
    const digest = releaseDigest({ entities: same })
    expect(releaseDigest({ entities: { ...same, [name]: entity('other') } })).not.toBe(digest)
    expect(releaseDigest({ entities: { ...same, [name]: entity(name, 4) } })).not.toBe(digest)
    const elsewhere = { ...entity(name), format: 9, digest: sha256('other'), bytes: 9 }
    expect(releaseDigest({ entities: { ...same, [name]: elsewhere } })).toBe(digest)
  })
})

describe('the digest of an entity changes with', () => {
  const files = (changed?: string) =>
    Object.fromEntries(
      ENTITY_FILES.map((file) => [file, { size: 1, sha256: sha256(file === changed ? 'x' : file) }]),
    ) as EntityManifest['files']
  const definition = entityData(entityIn(builtInCatalog, 'estado'))
  const manifest: EntityManifest = { format: 1, definition, count: 1, parents: { pais: 'a' }, files: files() }

  test.each([
    ['its format', { format: 2 }],
    ['its definition', { definition: { ...definition, title: 'x' } }],
    ['its count', { count: 2 }],
    ['its parents', { parents: { pais: 'b' } }],
    ...ENTITY_FILES.map((file): [string, Partial<EntityManifest>] => [file, { files: files(file) }]),
  ] satisfies [string, Partial<EntityManifest>][])('%s', (_, change) => {
    const { digest } = releasedEntity(manifest)
    expect(releasedEntity({ ...manifest, ...change }).digest).not.toBe(digest)
    expect(releasedEntity({ ...manifest }).digest).toBe(digest)
  })
})
