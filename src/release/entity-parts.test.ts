// The files of an entity are the same whether they are built here or in threads, and what fails in a thread is told.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { asBytes } from '../../test/support/records.ts'
import { TestDirectory } from '../../test/support/releases.ts'
import { batchOf } from '../catalog/batch.ts'
import { localidad } from '../catalog/entities.ts'
import { EntityParts } from './entity-parts.ts'
import { PARTS, partBuild } from './parts.ts'
import { BuildThreads } from './threads/build-threads.ts'

setDefaultTimeout(60_000)

const locality = (at: number) => ({
  cveLocalidad: String(at % 977),
  descLocalidad: `Ñuño ${at % 1_009} de "San José" ${at % 13}`,
  idLocalidad: at,
  idEstado: 1,
  idMunicipio: 1 + (at % 3),
})
const parents = new Map([
  ['estado', asBytes({ 1: '{"e":1}' })],
  ['municipio', asBytes({ 1: '{"m":1}', 2: '{"m":2}', 3: '{"m":3}' })],
])
const rowsOf = (count: number) => Array.from({ length: count }, (_, at) => locality(at))

async function builtWithThreads(directory: string, count: number, onRecord?: (json: Uint8Array) => void) {
  using threads = new BuildThreads()
  using parts = new EntityParts(localidad, { directory, parents, expected: count }, threads, onRecord)
  for (const row of rowsOf(count)) {
    parts.add(row)
    await parts.drained()
  }
  return await parts.finish()
}

function builtHere(directory: string, count: number) {
  const files = PARTS.map((part) => {
    using build = partBuild(part, localidad, { directory, parents, expected: undefined })
    build.add(batchOf(localidad, rowsOf(count)))
    return build.finish()
  })
  return { count, files: Object.assign({}, ...files) }
}

const contentOf = (directory: string) =>
  readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), 'latin1')])

describe.each([0, 1, 2_000, 19_999, 20_000, 45_001])('of %i records', (count) => {
  test('all files are the same with threads as without', async () => {
    using here = new TestDirectory()
    using there = new TestDirectory()
    expect(await builtWithThreads(there.path, count)).toEqual(builtHere(here.path, count))
    expect(contentOf(there.path)).toEqual(contentOf(here.path))
  })

  test('those that others embed are told of one by one, and the files are the same', async () => {
    using here = new TestDirectory()
    using there = new TestDirectory()
    const told: string[] = []
    const facts = await builtWithThreads(there.path, count, (json) => told.push(Buffer.from(json).toString()))
    expect(facts).toEqual(builtHere(here.path, count))
    const lines = readFileSync(join(here.path, 'localidad.records'), 'utf8').split('\n').slice(0, -1)
    expect(told).toEqual(lines.flatMap((page) => JSON.parse(page)).map((record) => JSON.stringify(record)))
  })
})

test('what fails in a thread is thrown, and says what the file system said', async () => {
  using directory = new TestDirectory()
  rmSync(directory.path, { recursive: true })
  const error = await builtWithThreads(directory.path, 45_001).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(Error)
  expect(error).toMatchObject({ code: 'ENOENT', message: expect.stringContaining('localidad.records') })
})
