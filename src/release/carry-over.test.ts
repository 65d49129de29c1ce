// A release read back as a source gives the rows that it was built from, and completes a source that gives only some.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { sourceOf, TestHome, tiny } from '../../test/support/releases.ts'
import { type EntityName, entityNames } from '../catalog/entities.ts'
import { Faults } from '../source/faults.ts'
import { Findings } from '../source/findings.ts'
import type { Block, Source } from '../source/source.ts'
import { completed, releaseSource } from './carry-over.ts'

setDefaultTimeout(60_000)

const home = new TestHome()
afterAll(() => home[Symbol.dispose]())
const many = Array.from({ length: 2_345 }, (_, at) => ({
  ...tiny.localidad[0],
  idLocalidad: at,
  descLocalidad: `L ${at}`,
}))
await home.import(sourceOf({ ...tiny, localidad: many, audiencia: [] }))

const report = { faults: new Faults(), findings: new Findings() }
const blocksOf = (source: Source, name: EntityName) => [...(source.read(name, report) as Iterable<Block>)]
const rowsOf = (source: Source, name: EntityName) => blocksOf(source, name).flatMap(({ rows }) => rows)
const byId = (rows: readonly object[]) => rows.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))

describe('a release as a source', () => {
  const source = releaseSource(home.current())

  test.each(entityNames.filter((name) => name !== 'localidad' && name !== 'audiencia'))(
    'gives the rows of %s',
    (name) => {
      const keys = Object.keys(tiny[name][0] ?? {}).sort()
      const sorted = (rows: readonly object[]) =>
        byId(rows.map((row) => Object.fromEntries(Object.entries(row).sort(([a], [b]) => a.localeCompare(b)))))
      expect(Object.keys(rowsOf(source, name)[0] ?? {}).sort()).toEqual(keys)
      expect(sorted(rowsOf(source, name))).toEqual(sorted(tiny[name]))
    },
  )

  test('keeps the order of localities, and numbers them from one across its blocks', () => {
    expect(rowsOf(source, 'localidad')).toEqual(many)
    const blocks = blocksOf(source, 'localidad')
    expect(blocks.length).toBeGreaterThan(1)
    expect(blocks.flatMap(({ lines }) => lines)).toEqual(many.map((_, at) => at + 1))
    expect(blocks[0]?.file).toBe(`release ${home.current().manifest.digest.slice(0, 12)}, localidad`)
  })

  test('gives no rows of an empty entity', () => expect(rowsOf(source, 'audiencia')).toEqual([]))

  test('says how many to expect', () => expect(source.expected('localidad')).toBe(many.length))

  test('makes the same release again', async () => {
    using other = new TestHome()
    expect((await other.import(source)).digest).toBe(home.current().manifest.digest)
  })
})

describe('a source completed by another', () => {
  const credit = (to: string, ...of: EntityName[]) => ({ to, of })
  const some = sourceOf({ pais: [{ ...tiny.pais[0] }], audiencia: [] }, { credits: [credit('A', 'pais')] })
  const rest = sourceOf(tiny, { credits: [credit('B', 'pais', 'audiencia'), credit('C', 'pais', 'municipio', 'area')] })
  const whole = completed(some, rest)

  test('provides everything', () => expect(whole.provides).toEqual(entityNames))

  test.each(entityNames)('gives %s from the first if it is there, and else from the second', (name) => {
    const from = name === 'pais' || name === 'audiencia' ? some : rest
    expect(rowsOf(whole, name)).toEqual(rowsOf(from, name))
    expect(whole.expected(name)).toBe(from.expected(name))
  })

  test('credits both, the second for what is carried over alone', () => {
    expect(whole.origin.credits).toEqual([credit('A', 'pais'), credit('C', 'municipio', 'area')])
  })

  test('is of the kind of the first', () => expect(whole.origin.kind).toBe(some.origin.kind))

  test.each([
    [false, false, false],
    [true, false, true],
    [false, true, true],
  ])('first invented %p, second invented %p: invented %p', (first, second, both) => {
    const { origin } = completed(sourceOf({ pais: [] }, { synthetic: first }), sourceOf(tiny, { synthetic: second }))
    expect(origin.synthetic).toBe(both)
  })

  test('that gives everything owes nothing to the second', () => {
    const source = sourceOf(tiny)
    expect(completed(source, sourceOf(tiny, { synthetic: true })).origin).toEqual(source.origin)
  })
})
