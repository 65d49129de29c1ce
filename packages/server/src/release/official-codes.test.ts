// Official codes: read at a position, out of a record as it is published, and found, as a naive model has them.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { codedLists } from '../../../../test/support/coded-lists.ts'
import { code, entity } from '../../../../test/support/definitions.ts'
import { releaseOf, sourceOf, tiny, variantOf } from '../../../../test/support/releases.ts'
import { WorkStopped, workOn } from '../base/checkpoint.ts'
import { catalogOf, entityData, orderedCatalog } from '../catalog/catalog.ts'
import type { Entity } from '../catalog/entity.ts'
import type { PublishedRecord } from '../catalog/flatten.ts'
import { codeIn, codePartsIn } from '../catalog/official-code.ts'
import { builtInCatalog } from '../source/built-in.ts'
import { codeLookups, codeReader, positionsWithCode } from './official-codes.ts'
import type { Release } from './release.ts'

const recordAt = (release: Release, name: string, position: number): PublishedRecord =>
  JSON.parse(Buffer.from(release.entity(name).records.record(position)).toString())

const codesOf = (release: Release, name: string) => {
  const { definition, count } = release.entity(name)
  return Array.from({ length: count }, (_, position) => codeReader(release, definition)(position))
}

test('those of the lists that ship with the program', async () => {
  const release = await releaseOf(sourceOf(tiny))
  expect(codesOf(release, 'pais')).toEqual(['FRA', 'MEX'])
  expect(codesOf(release, 'estado')).toEqual(['01', '02'])
  expect(codesOf(release, 'municipio')).toEqual(['01001', '01002', '02001'])
  expect(codesOf(release, 'localidad')).toEqual(['020010001', '020010002', '010010001'])
  expect(codesOf(release, 'subdisciplina')).toEqual(['110101'])
  const pais = release.entity('pais').definition
  const others = pais.codes?.map((code) => codeReader(release, pais, code)(1))
  expect(others).toEqual(['MEX', 'MX', '484'])
  for (const code of ['MEX', 'MX', '484']) expect(positionsWithCode(release, pais, code)).toEqual([1])
  expect(positionsWithCode(release, pais, 'mx')).toEqual([])
})

test('a code that has another length than official ones is none', async () => {
  const [first, ...more] = tiny.localidad
  const rows = { ...tiny, localidad: [{ ...first, cveLocalidad: '3982506' }, ...more] }
  expect(codesOf(await releaseOf(sourceOf(rows)), 'localidad')).toEqual([undefined, '020010002', '010010001'])
})

test('a code that is declared as a list of fields has hyphens between them, and is found without them', async () => {
  const { codes: _, ...plain } = entityData(builtInCatalog.entities.get('municipio') as Entity)
  const all = [...builtInCatalog.entities.values()].map(entityData)
  const catalog = orderedCatalog(all.map((one) => (one.name === 'municipio' ? plain : one)))
  const release = variantOf(await releaseOf(sourceOf(tiny)), { catalog })
  const municipio = catalog.entities.get('municipio') as Entity
  expect(codeReader(release, municipio)(2)).toBe('02-001')
  for (const typed of ['02-001', '02001']) expect(positionsWithCode(release, municipio, typed)).toEqual([2])
  expect(positionsWithCode(release, municipio, '02-01')).toEqual([])
})

test('every country has a code of two letters, and no two have the same', () => {
  const values = builtInCatalog.entities.get('pais')?.codes?.[1]?.parts[0]?.values ?? {}
  expect(Object.keys(values)).toHaveLength(249)
  expect(new Set(Object.values(values)).size).toBe(249)
  for (const code of Object.values(values)) expect(code).toMatch(/^[A-Z]{2}$/)
})

/** Own codes may have such signs, too: what is left of a code is compared with what is left of its parts. */
const SIGNS = /[-.]/g

test('of lists in which they are composed in any way', () =>
  fc.assert(
    fc.asyncProperty(codedLists, async ({ catalog, levels, rows, codes }) => {
      const release = await releaseOf(sourceOf(rows, {}, catalog))
      expect([...release.catalog.entities.values()].map(entityData)).toEqual(levels.map(entityData))
      for (const { name } of levels) {
        const { definition } = release.entity(name)
        const expected = codes[name] ?? []
        expect(codesOf(release, name)).toEqual([...expected])
        for (const [position, code] of expected.entries()) {
          expect(codeIn(definition, recordAt(release, name, position))).toBe(code)
          const parts = codePartsIn(definition, recordAt(release, name, position))
          expect(parts?.join('').replace(SIGNS, '')).toBe(code?.replace(SIGNS, ''))
          if (code === undefined) continue
          const same = [...expected.keys()].filter((at) => expected[at] === code)
          expect(positionsWithCode(release, definition, code)).toEqual(same)
        }
      }
    }),
    { numRuns: 25 },
  ))

test('a code that can be read in many ways is not looked for beyond the time of its request', async () => {
  const anything = code('code', /^.+$/, 'a code')
  const parts = ['from', 'over', 'to']
  const fields = Object.fromEntries(parts.map((name) => [name, anything]))
  const route = entity({ name: 'route', plural: 'routes', package: 'routes', fields, key: parts, code: parts })
  const release = await releaseOf(sourceOf({ route: [{ from: 'a', over: 'b', to: 'c' }] }, {}, catalogOf([route])))
  expect(positionsWithCode(release, route, 'abc')).toEqual([0])
  expect(['abc', 'a-b-c', 'a'.repeat(20), '0'.repeat(20)].map((text) => codeLookups(route, text))).toEqual([
    1, 6, 171, 3_591,
  ])
  let checks = 0
  workOn(() => {
    if (++checks === 100) throw new WorkStopped('deadline')
  })
  try {
    expect(() => positionsWithCode(release, route, 'a'.repeat(200))).toThrow(WorkStopped)
  } finally {
    workOn(undefined)
  }
})
