// Threads of a build: they do in order what they are told, tell what failed, and give what is made without them.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TestDirectory } from '../../../test/support/releases.ts'
import { localidad, municipio } from '../../catalog/entities.ts'
import { sha256OfFile } from '../durable-file.ts'
import { batchOf, IndexBuild } from '../index/index-build.ts'
import { DigestThread } from './digest-thread.ts'
import { IndexThread } from './index-thread.ts'

setDefaultTimeout(60_000)

const locality = (at: number) => ({
  cveLocalidad: String(at % 977),
  descLocalidad: `Ñuño ${at % 1_009} de San José ${at % 13}`,
  idLocalidad: at,
  idEstado: 1,
  idMunicipio: 1 + (at % 3),
})

describe('an index', () => {
  const positions = new Map([
    ['estado', new Map([[1, 0]])],
    ['municipio', new Map([1, 2, 3].map((id, at) => [id, at]))],
  ])

  test.each([0, 1, 2_000, 19_999, 20_000, 45_001])(
    'of %i records is the same with the thread as without',
    async (count) => {
      using directory = new TestDirectory()
      const rows = Array.from({ length: count }, (_, at) => locality(at))
      const [here, there] = [join(directory.path, 'here'), join(directory.path, 'there')]
      const build = new IndexBuild(localidad, positions, count)
      build.add(batchOf(localidad, rows))
      const wanted = build.write(here)
      using thread = new IndexThread()
      await known(thread, directory.path)
      const index = thread.begin(localidad, count)
      for (const row of rows) {
        index.add(row)
        await index.keptUp()
      }
      expect(await index.write(there)).toEqual(wanted)
      expect(await sha256OfFile(there)).toBe(wanted.sha256)
    },
  )

  /** The records that localities embed are indexed before them. */
  async function known(thread: IndexThread, place: string) {
    for (const [name, key] of [
      ['estado', 'idEstado'],
      ['municipio', 'idMunicipio'],
    ] as const) {
      const entity = { ...municipio, name, fields: { [key]: municipio.fields.idMunicipio }, key: [key], code: [key] }
      const index = thread.begin(entity, undefined)
      for (const id of positions.get(name)?.keys() ?? []) index.add({ [key]: id })
      await index.write(join(place, name))
    }
  }
})

describe('a digest', () => {
  test('of a file that grows is that of all its bytes', async () => {
    using directory = new TestDirectory()
    using thread = new DigestThread()
    const path = join(directory.path, 'file')
    const hash = thread.hashFor(path)
    const piece = Buffer.alloc(3 << 20, 'ñandú')
    writeFileSync(path, '')
    for (let pieces = 0; pieces < 5; pieces++) {
      writeFileSync(path, piece, { flag: 'a' })
      hash.update(piece)
    }
    expect(await hash.digest('hex')).toBe(await sha256OfFile(path))
  })

  test('of a file that has fewer bytes than it was told of fails, and says so', async () => {
    using directory = new TestDirectory()
    using thread = new DigestThread()
    const path = join(directory.path, 'file')
    writeFileSync(path, 'short')
    const hash = thread.hashFor(path)
    hash.update(new Uint8Array(5 << 20))
    expect(hash.digest('hex')).rejects.toThrow('has 5 bytes instead of 5242880')
  })
})
