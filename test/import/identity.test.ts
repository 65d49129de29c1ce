// An identifier, once published, stays with its official code: through renamings, removals, several imports and a rollback.

import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { scanLines } from '../../packages/server/src/release/files/scan.ts'
import type { ImportOptions } from '../../packages/server/src/release/import.ts'
import type { GivenRow } from '../../packages/server/src/source/source.ts'
import { runHere } from '../support/command.ts'
import { contentOf, sourceOf, TestDirectory, TestHome, tiny, writeTables } from '../support/releases.ts'

setDefaultTimeout(180_000)

/** A municipality by its code, without a number of its own. */
const town = (cveMunicipio: string, descMunicipio = `Municipio ${cveMunicipio}`, cveEstado = 'AGS'): GivenRow => ({
  cveMunicipio,
  descMunicipio,
  idEstado: { cveEstado },
})
const numbered = (cveMunicipio: string, idMunicipio: number): GivenRow => ({ ...town(cveMunicipio), idMunicipio })

/** A home of municipalities that no locality lies in, so that they can come and go. */
class Towns extends TestHome {
  static async with(...municipio: readonly GivenRow[]): Promise<Towns> {
    const home = new Towns()
    await home.import(sourceOf({ ...tiny, municipio, localidad: [] }))
    return home
  }

  /** Replaces all municipalities, whatever changes by that unless the options say otherwise. */
  async give(municipio: readonly GivenRow[], options: Partial<ImportOptions> = { acceptChanges: true }) {
    await this.import(sourceOf({ municipio }), options)
    return this.numbers
  }

  /** The identifier of every municipality by its code. */
  get numbers(): Readonly<Record<string, number>> {
    const directory = this.current().entity('municipio').stored?.directory as string
    const records = [...scanLines(join(directory, 'records'))].flat() as unknown as {
      cveMunicipio: string
      idMunicipio: number
    }[]
    return Object.fromEntries(records.map(({ cveMunicipio, idMunicipio }) => [cveMunicipio, idMunicipio]))
  }
}

const filler = Array.from({ length: 60 }, (_, at) => town(String(900 + at)))

describe('the registry', () => {
  const registryOf = ({ store }: TestHome) => JSON.parse(readFileSync(store.idRegistryFile, 'utf8'))

  test('has nothing of invented records, though they were current before', async () => {
    using home = new TestHome()
    const invented = { ...tiny, pais: [...tiny.pais, { cvePais: 'ZZZ', descPais: 'Invento', idPais: 999 }] }
    await home.import(sourceOf(invented, { synthetic: true }))
    await home.import(sourceOf(tiny), { acceptChanges: true })
    expect(
      registryOf(home)
        .pais.map(([id]: [number]) => id)
        .sort(),
    ).toEqual([250, 484])
  })

  test('that was lost is made again of the records that are published, and has no entity without any', async () => {
    using home = new TestHome()
    await home.import(sourceOf({ ...tiny, audiencia: [] }))
    const before = registryOf(home)
    rmSync(home.store.idRegistryFile)
    await home.import(sourceOf({ pais: [...tiny.pais, { cvePais: 'ESP', descPais: 'España', idPais: 724 }] }))
    const { pais: _, ...others } = registryOf(home)
    const { pais: __, ...othersBefore } = before
    expect(Object.keys(others).sort()).toEqual(Object.keys(othersBefore).sort())
    expect(others).not.toHaveProperty('audiencia')
  })
})

describe('a municipality', () => {
  test('that is renamed keeps its number', async () => {
    using home = await Towns.with(town('001'), town('002'), town('003'))
    expect(await home.give([town('001'), town('002', 'Otro nombre'), town('003')], {})).toEqual({
      '001': 1,
      '002': 2,
      '003': 3,
    })
    expect(new TextDecoder().decode(home.current().entity('municipio').records.page(0))).toContain(
      '"descMunicipio":"Otro nombre"',
    )
  })

  test('keeps its number whatever the order of the rows', async () => {
    using home = await Towns.with(town('001'), town('002'), town('003'))
    expect(await home.give([town('003'), town('001'), town('002')], {})).toEqual({ '001': 1, '002': 2, '003': 3 })
  })

  test('that is new gets the next free number', async () => {
    using home = await Towns.with(town('002'), town('003'))
    expect(await home.give([town('001'), town('002'), town('003')], {})).toEqual({ '001': 3, '002': 1, '003': 2 })
  })

  test('with the same code in another state is another', async () => {
    using home = await Towns.with(town('001'))
    await home.give([town('001', 'Ensenada', 'BC'), town('001')], {})
    const names = new TextDecoder().decode(home.current().entity('municipio').records.page(0))
    expect([...names.matchAll(/"descMunicipio":"(.*?)"/g)].map(([, name]) => name)).toEqual([
      'Municipio 001',
      'Ensenada',
    ])
  })

  test('with numbers above those that a source states is settled after them', async () => {
    using home = await Towns.with(town('001'), numbered('002', 7), town('003'))
    expect(home.numbers).toEqual({ '001': 8, '002': 7, '003': 9 })
  })
})

describe('the number of a municipality that is gone', () => {
  test('is not given again, though it was the highest', async () => {
    using home = await Towns.with(town('001'), town('002'))
    expect(await home.give([town('001')])).toEqual({ '001': 1 })
    expect(await home.give([town('001'), town('003')])).toEqual({ '001': 1, '003': 3 })
  })

  test('is its own again when it comes back', async () => {
    using home = await Towns.with(town('001'), town('002'))
    await home.give([town('001'), town('003')])
    expect(await home.give([town('002'), town('001'), town('003')])).toEqual({ '001': 1, '002': 2, '003': 3 })
  })

  test('is not given again after several imports, a rollback and a release that is gone from disk', async () => {
    using home = await Towns.with(...filler, town('001'))
    expect(home.numbers['001']).toBe(61)
    await home.give([...filler, town('001'), town('002')], {})
    expect(home.numbers['002']).toBe(62)
    await home.give([...filler, town('001')], {})
    await home.give([...filler], {})
    home.store.rollback()
    home.store.rollback()
    home.store.rollback()
    expect(home.numbers['002']).toBeUndefined()
    const current = home.store.currentDigest()
    for (const { digest } of home.store.list()) if (digest !== current) home.store.remove(digest)
    await home.give([...filler, town('003')], {})
    expect(home.numbers['003']).toBe(63)
    await home.give([...filler, town('002'), town('001'), town('004')], {})
    expect([home.numbers['001'], home.numbers['002'], home.numbers['004']]).toEqual([61, 62, 64])
  })

  test('is not given again after an import that was refused, or was only tried', async () => {
    using home = await Towns.with(...filler)
    const before = contentOf(home.path)
    await home.give([...filler, town('001')], { dryRun: true })
    await expect(home.give([town('001')], {})).rejects.toThrow('records would be gone')
    expect(contentOf(home.path)).toEqual(before)
    // It was never published, so it is free.
    await home.give([...filler, town('002')], {})
    expect(home.numbers['002']).toBe(61)
  })

  test('survives an import of invented records, which take no numbers', async () => {
    using home = await Towns.with(town('001'), town('002'))
    await home.give([town('001')])
    const municipio = [numbered('077', 2), numbered('078', 500)]
    await home.import(sourceOf({ ...tiny, municipio, localidad: [] }, { synthetic: true }), { acceptChanges: true })
    await home.import(sourceOf({ ...tiny, municipio: [town('001'), town('003')], localidad: [] }))
    expect(home.numbers).toEqual({ '001': 1, '003': 3 })
  })
})

describe('a source that states its numbers', () => {
  const taken = 'municipio 2: 1/002 had it, 1/009 would'
  const refused = `1 identifiers of records that are gone would be given again, such as ${taken}`

  test('may not give the number of one that is gone to another', async () => {
    using home = await Towns.with(numbered('001', 1), numbered('002', 2))
    await home.give([numbered('001', 1)])
    const before = contentOf(home.path)
    await expect(home.give([numbered('001', 1), numbered('009', 2)], {})).rejects.toThrow(refused)
    expect(contentOf(home.path)).toEqual(before)
  })

  test('may not do so after a release of invented records either', async () => {
    using home = await Towns.with(numbered('001', 1), numbered('002', 2))
    await home.give([numbered('001', 1)])
    const invented = sourceOf({ ...tiny, municipio: [], localidad: [] }, { synthetic: true })
    await home.import(invented, { acceptChanges: true })
    const reusing = sourceOf({ ...tiny, municipio: [numbered('001', 1), numbered('009', 2)], localidad: [] })
    await expect(home.import(reusing)).rejects.toThrow(refused)
  })

  test('may not give a new number to one that has one', async () => {
    using home = await Towns.with(...filler)
    const moved = [...filler.slice(1), numbered('900', 500)]
    const before = contentOf(home.path)
    await expect(home.give(moved, {})).rejects.toThrow(
      '1 records would get another identifier than they had, such as municipio 1/900: had 1, would have 500',
    )
    expect(contentOf(home.path)).toEqual(before)
    await home.give(moved)
    expect(home.numbers['900']).toBe(500)
    expect(await home.give([...filler, numbered('900', 500)].slice(1), {})).toEqual(home.numbers)
  })

  test('may not exchange two numbers', async () => {
    using home = await Towns.with(numbered('001', 1), numbered('002', 2))
    await expect(home.give([numbered('001', 2), numbered('002', 1)], {})).rejects.toThrow(
      'municipio: 2 identifiers would change owner, such as municipio 1: 1/001 is now 1/002',
    )
  })

  test('may not give one number to two', async () => {
    using home = await Towns.with(numbered('001', 1))
    await expect(home.give([numbered('001', 1), numbered('002', 1)])).rejects.toThrow(
      'municipio.csv:3, idMunicipio: "1"; expected a key not given before; line 2 has it already',
    )
  })

  test('that is accepted makes the new owner the owner, and the old one gets a new identifier', async () => {
    using home = await Towns.with(numbered('001', 1), numbered('002', 2))
    await home.give([numbered('001', 1)])
    expect(await home.give([numbered('001', 1), numbered('009', 2)])).toEqual({ '001': 1, '009': 2 })
    expect(await home.give([town('001'), town('002'), town('009')], {})).toEqual({ '001': 1, '002': 3, '009': 2 })
  })

  test('as a command ends with 1', async () => {
    using home = await Towns.with(numbered('001', 1), numbered('002', 2))
    await home.give([numbered('001', 1)])
    using room = new TestDirectory()
    const row = (code: string, idMunicipio: number) => ({
      cveMunicipio: code,
      descMunicipio: 'X',
      idEstado: 1,
      idMunicipio,
    })
    writeTables(room.path, { municipio: [row('001', 1), row('009', 2)] })
    const { code, out, err } = await runHere('import', 'package', room.path, '--home', home.path)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toContain(`\n  ${refused}\n`)
  })
})

test('no code ever loses its number, and no number ever has two codes, whatever comes and goes', async () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.subarray(['001', '002', '003', '004', '005'], { minLength: 1 }) },
    { weight: 1, arbitrary: fc.constant('rollback' as const) },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 6, size: 'max' }), async (steps) => {
      using home = await Towns.with(town('001'))
      const published = new Map<string, number>()
      for (const [at, codes] of ['rollback' as const, ...steps].entries()) {
        if (codes !== 'rollback') await home.give(codes.map((code) => town(code)))
        else if (at > 0 && home.store.history().length > 1) home.store.rollback()
        for (const [code, id] of Object.entries(home.numbers)) {
          const owner = [...published].find(([, one]) => one === id)?.[0] ?? code
          expect([code, id]).toEqual([owner, published.get(code) ?? id])
          published.set(code, id)
        }
      }
    }),
    { numRuns: 2 },
  )
})
