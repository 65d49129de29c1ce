// Checks that a catalog which was served and harvested is the same catalog, whole or in part.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contractEntities } from '../../../../../test/support/expected.ts'
import { jumbled } from '../../../../../test/support/jumbled-catalog.ts'
import { type Rows, releaseOf, sourceOf, TestHome, tiny } from '../../../../../test/support/releases.ts'
import { serverOf } from '../../../../../test/support/server.ts'
import { smallSource } from '../../../../../test/support/small-source.ts'
import { OperationalError } from '../../base/operational-error.ts'
import { entityIn } from '../../catalog/catalog.ts'
import { v1Collections } from '../../catalog/collections.ts'
import { pathTo } from '../../catalog/lineage.ts'
import { builtInCatalog } from '../built-in.ts'
import { Faults } from '../faults.ts'
import { Findings } from '../findings.ts'
import type { Block, Source } from '../source.ts'
import { syntheticSource } from '../synthetic/synthetic.ts'
import { HARVEST_DEFAULTS, type HarvestOptions, harvestV1 } from './live-v1.ts'

setDefaultTimeout(180_000)

const scratch = mkdtempSync(join(tmpdir(), 'nomenclator-v1-'))
afterAll(() => rmSync(scratch, { recursive: true }))

const harvest = (url: string, options: Partial<HarvestOptions> = {}) =>
  harvestV1(url, { ...HARVEST_DEFAULTS, directory: mkdtempSync(join(scratch, 'run-')), ...options })

function rowsOf(source: Source, name: string) {
  const report = { faults: new Faults(), findings: new Findings() }
  const rows = Array.from(source.read(name, report) as Iterable<Block>).flatMap((block) => block.rows)
  report.faults.throwIfAny()
  return rows
}

const collections = v1Collections(builtInCatalog)
/** The entities that API v1 publishes: the records of its collections, and those that they embed. */
const published = [...builtInCatalog.entities.values()]
  .filter((entity) =>
    collections.some(({ entity: listed }) => {
      return listed === entity.name || pathTo(entityIn(builtInCatalog, listed), entity) !== undefined
    }),
  )
  .map(({ name }) => name)

describe('a small catalog', async () => {
  const release = await releaseOf({ ...smallSource(jumbled), provides: published })
  const { url, close } = serverOf(() => release)
  afterAll(close)

  test('comes back with the same digest', async () => {
    const { source } = await harvest(url)
    const { manifest } = await releaseOf(source)
    expect(manifest.digest).toBe(release.manifest.digest)
    expect(manifest.source).toEqual({ kind: 'v1', title: url, synthetic: false, credits: [], options: { url } })
  })

  test('provides every entity that is published, and says how many there are where the server did', async () => {
    const { source } = await harvest(url)
    expect(source.provides).toEqual(published)
    expect(source.provides).toEqual(expect.arrayContaining([...contractEntities]))
    expect(source.expected('localidad')).toBe(25)
    expect(source.expected('estado')).toBeUndefined()
  })

  test('is harvested in the order of its entities, so that a record comes before those that embed it', async () => {
    const seen = new Set<string>()
    await harvest(url, { onProgress: ({ collection }) => seen.add(collection) })
    const inOrder = [...builtInCatalog.entities.values()].filter(({ v1 }) => v1 !== undefined)
    expect([...seen]).toEqual(inOrder.map(({ plural }) => plural))
  })

  test('can be read twice', async () => {
    const { source } = await harvest(`${url}/`)
    for (const name of builtInCatalog.entities.keys()) expect(rowsOf(source, name)).toEqual(rowsOf(source, name))
  })

  test.each<[string[], string[]]>([
    [['paises'], ['pais']],
    [['municipios'], ['estado', 'municipio']],
    [['localidades'], ['estado', 'localidad']],
    [
      ['municipios', 'paises'],
      ['pais', 'estado', 'municipio'],
    ],
    [['subdisciplinas-conocimiento'], ['area', 'campo', 'disciplina', 'subdisciplina']],
    [['audiencias'], ['audiencia']],
  ])('harvested only for %j gives %j and nothing else', async (only, provided) => {
    const directory = mkdtempSync(join(scratch, 'only-'))
    const { source } = await harvest(url, { only, directory })
    expect(source.provides).toEqual(provided)
    for (const name of builtInCatalog.entities.keys())
      expect([name, rowsOf(source, name).length > 0]).toEqual([name, provided.includes(name)])
    expect(readdirSync(directory).sort()).toEqual(only.map((name) => `${name}.pages`).sort())
  })
})

test('what was not harvested is referred to by code, since it is numbered otherwise elsewhere', async () => {
  const release = await releaseOf(sourceOf(tiny))
  const { url, close } = serverOf(() => release)
  const { source } = await harvest(url, { only: ['localidades'] })
  await close()
  const renumbered: Rows = {
    ...tiny,
    pais: tiny.pais.map((row) => ({ ...row, idPais: row.idPais + 1 })),
    estado: tiny.estado.map((row) => ({ ...row, idEstado: 3 - row.idEstado, idPais: row.idPais + 1 })),
    municipio: tiny.municipio.map((row) => ({ ...row, idMunicipio: 4 - row.idMunicipio, idEstado: 3 - row.idEstado })),
    localidad: [],
  }
  using home = new TestHome()
  await home.import(sourceOf(renumbered))
  await home.import(source, { acceptChanges: true })
  const { records, count } = home.current().entity('localidad')
  const found = Array.from({ length: count }, (_, at) => JSON.parse(new TextDecoder().decode(records.record(at))))
  expect(
    found.map(({ descLocalidad, idEstado, idMunicipio }) => [
      descLocalidad,
      idEstado.cveEstado,
      idEstado.idPais.cvePais,
      idMunicipio.descMunicipio,
      idMunicipio.idEstado.cveEstado,
    ]),
  ).toEqual([
    ['Ensenada', 'BC', 'MEX', 'Ensenada', 'BC'],
    ['El "Sauzal" [Ejido]', 'AGS', 'MEX', 'Ensenada', 'BC'],
    ['Aguascalientes', 'AGS', 'MEX', 'Aguascalientes', 'AGS'],
  ])
})

/** The synthetic catalog with a thirtieth of its localities, so that the test is quick; everything else in full. */
function lighterSynthetic(): Source {
  const whole = syntheticSource({ seed: 3, scale: 1 })
  const some = (blocks: Iterable<Block>) => Iterator.from(blocks).filter((_, at) => at % 30 === 0)
  return {
    ...whole,
    read: (name, report) => {
      const blocks = whole.read(name, report) as Iterable<Block>
      return name === 'localidad' ? some(blocks) : blocks
    },
  }
}

test('a catalog of more than a thousand pages comes back with the same digest and the same findings', async () => {
  const synthetic = lighterSynthetic()
  const release = await releaseOf(synthetic)
  const { url, close } = serverOf(() => release)
  const provided = collections.filter(({ entity }) => synthetic.provides.includes(entity))
  const { source, discard } = await harvest(url, { only: provided.map(({ name }) => name) })
  await close()
  const { manifest } = await releaseOf(source)
  discard()
  expect(manifest.digest).toBe(release.manifest.digest)
  expect(manifest.findings).toEqual(release.manifest.findings)
  expect(release.entity('localidad').count).toBeGreaterThan(10_000)
  expect(manifest.findings.map(({ kind }) => kind)).toContain('locality-state-differs')
})

describe('refuses', () => {
  test.each([
    ['no address', 'catalogs'],
    ['another protocol', 'ftp://catalogs.example.org'],
    ['a query', 'https://catalogs.example.org?page=1'],
    ['a fragment', 'https://catalogs.example.org#top'],
    ['the path of the API', 'https://catalogs.example.org/api/v1/'],
    ['the path of a collection', 'https://catalogs.example.org/api/v1/paises'],
    ['an endless address', `https://catalogs.example.org/${'a'.repeat(2_000)}`],
  ])('%s', async (_, url) => {
    await expect(harvest(url)).rejects.toThrow(OperationalError)
  })

  test('a name and a password, and does not repeat them', async () => {
    const error = await harvest('https://me:secret@catalogs.example.org').catch((thrown) => thrown)
    expect(error).toBeInstanceOf(OperationalError)
    expect(error.message).not.toContain('secret')
  })

  test('an unknown collection', async () => {
    const refused = harvest('https://catalogs.example.org', { only: ['paises', 'estados'] })
    await expect(refused).rejects.toThrow('there is no collection estados; there are: localidades, municipios,')
  })

  test.each([0, 1.5, Number.NaN])('%d requests at a time', async (concurrency) => {
    await expect(harvest('https://catalogs.example.org', { concurrency })).rejects.toThrow(RangeError)
  })
})
