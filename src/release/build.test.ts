// The same records make the same release, wherever and whenever it is built, and other records make another.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { contentOf, sourceOf, TestDirectory, tiny } from '../../test/support/releases.ts'
import { entityNames } from '../catalog/entities.ts'
import type { Block, Source } from '../source/source.ts'
import { syntheticSource } from '../source/synthetic/synthetic.ts'
import { version } from '../version.ts'
import { buildRelease } from './build.ts'
import { IdRegistry } from './id-registry.ts'
import { type Manifest, releaseDigest } from './manifest.ts'

setDefaultTimeout(60_000)

const TINY_DIGEST = 'a026399f315161a9379c4ec1a665663cfce2d6ffba8f8b0bfd26e0bc163cd018'

async function built(source: Source) {
  using directory = new TestDirectory()
  const manifest = await buildRelease(source, directory.path, new IdRegistry())
  const { 'manifest.json': _, ...files } = contentOf(directory.path)
  return { manifest, files }
}

const first = await built(sourceOf(tiny))

const reversed = (names: readonly (keyof typeof tiny)[]) =>
  sourceOf({ ...tiny, ...Object.fromEntries(names.map((name) => [name, tiny[name].toReversed()])) })

const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')

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
    const text = (name: string) => Buffer.from(files[`${name}.records`] ?? '', 'latin1').toString()
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

  test('has a manifest that tells its digest, its source, its counts, its files and its findings', async () => {
    using directory = new TestDirectory()
    const origin = {
      kind: 'kind',
      title: 'title',
      synthetic: false,
      credits: [{ to: 'someone', of: entityNames }],
      options: { seed: 7 },
    }
    const before = Date.now()
    await buildRelease(sourceOf(tiny, origin), directory.path, new IdRegistry())
    const text = readFileSync(join(directory.path, 'manifest.json'), 'utf8')
    const manifest = JSON.parse(text)
    expect(text).toBe(`${JSON.stringify(manifest, null, 2)}\n`)
    expect(Date.parse(manifest.built)).toBeWithin(before, Date.now() + 1)
    const files = contentOf(directory.path)
    const factsOf = (name: string) => {
      const content = Buffer.from(files[name] ?? '', 'latin1')
      return { size: content.length, sha256: new Bun.CryptoHasher('sha256').update(content).digest('hex') }
    }
    const entities = entityNames.map((name) => [
      name,
      {
        count: tiny[name].length,
        files: {
          records: factsOf(`${name}.records`),
          offsets: factsOf(`${name}.offsets`),
          etags: factsOf(`${name}.etags`),
          index: factsOf(`${name}.index`),
          words: factsOf(`${name}.words`),
        },
      },
    ])
    expect(manifest).toEqual({
      format: 2,
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
        },
      ],
    })
    expect(Object.keys(files)).toEqual(
      [
        ...entityNames.flatMap((name) =>
          ['etags', 'index', 'offsets', 'records', 'words'].map((part) => `${name}.${part}`),
        ),
        'manifest.json',
      ].sort(),
    )
  })
})

describe('the same release comes of', () => {
  const inBlocksOfOne: Source = {
    ...sourceOf(tiny),
    read: (name) => tiny[name].map((row, at): Block => ({ file: 'other', lines: [at], rows: [row] })),
  }
  const withFindings: Source = {
    ...sourceOf(tiny),
    read: (name, report) => {
      report.findings.add('left-out', 'a row was left out', name)
      return sourceOf(tiny).read(name, report)
    },
  }
  const byKey = entityNames.filter((name) => name !== 'localidad')
  const elsewhere = {
    kind: 'other',
    title: 'other',
    synthetic: true,
    credits: [{ to: 'someone', of: entityNames }],
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
  const names = [...(files['localidad.records'] ?? '').matchAll(/"descLocalidad":"(.*?)","/g)].map(([, name]) => name)
  expect(names).toEqual(['Aguascalientes', 'El \\"Sauzal\\" [Ejido]', 'Ensenada'])
})

test('a build that fails while threads are at work ends when they have ended', async () => {
  using directory = new TestDirectory()
  const synthetic = syntheticSource({ seed: 1, scale: 1 })
  const source: Source = {
    ...synthetic,
    *read(name, report) {
      if (name === 'area') throw new Error('enough')
      const blocks = synthetic.read(name, report) as Iterable<Block>
      for (const [at, block] of [...blocks].entries()) if (at < 60) yield block
    },
  }
  await expect(buildRelease(source, directory.path, new IdRegistry())).rejects.toThrow('enough')
  const files = contentOf(directory.path)
  // Their last lines say how long the lines before them are.
  for (const part of ['index', 'words']) expect(files[`localidad.${part}`]).toMatch(/\n\d{15}\n$/)
})

describe('the digest', () => {
  const facts = (records: string, count = 3) => {
    const file = { size: 0, sha256: sha256(records) }
    return { count, files: { records: file, offsets: file, etags: file } }
  }
  const same = Object.fromEntries(entityNames.map((name) => [name, facts(name)])) as Manifest['entities']

  test('is that of a short text', () => {
    const lines = entityNames.map((name) => `${name} 3 ${sha256(name)}\n`)
    expect(releaseDigest(same)).toBe(sha256(`nomenclator release 1\n${lines.join('')}`))
  })

  test.each(entityNames)('changes with the records of %s, with their count, and with nothing else', (name) => {
    const digest = releaseDigest(same)
    const other = { size: 1, sha256: sha256('other') }
    const { files } = same[name]
    expect(releaseDigest({ ...same, [name]: facts('other') })).not.toBe(digest)
    expect(releaseDigest({ ...same, [name]: facts(name, 4) })).not.toBe(digest)
    expect(releaseDigest({ ...same, [name]: { count: 3, files: { ...files, etags: other, offsets: other } } })).toBe(
      digest,
    )
  })
})
