// Checks that the synthetic catalog is sound, repeatable, and holds everything unusual whatever the seed.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { builtIn } from '../../../../../test/support/built-in.ts'
import { rowChecker } from '../../catalog/check.ts'
import { type Entity, embedsOf, identifierOf, type Values } from '../../catalog/entity.ts'
import { Faults } from '../faults.ts'
import { Findings } from '../findings.ts'
import type { Block, Source } from '../source.ts'
import { syntheticSource } from './synthetic.ts'

const PAGE = 10
/** The sizes that benchmarks rely on: those that the contract saw, and those of the parents. */
const COUNTS = {
  pais: 247,
  estado: 32,
  municipio: 2_457,
  localidad: 300_137,
  area: 7,
  campo: 24,
  disciplina: 312,
  subdisciplina: 3_617,
  audiencia: 16,
}
const counted = Object.keys(COUNTS) as (keyof typeof COUNTS)[]
const entityNames = syntheticSource({ seed: 1, scale: 1 }).provides
const SMALL = entityNames.filter((name) => name !== 'localidad')

const report = { faults: new Faults(), findings: new Findings() }
const blocksOf = (source: Source, name: string) => source.read(name, report) as Iterable<Block>

/** The rows of an entity; whoever looks at particular fields says what they are. */
function* rowsOf<R extends object = Values>(source: Source, name: string): Generator<R> {
  for (const { rows } of blocksOf(source, name)) yield* rows as unknown as R[]
}

/** All rows, except that one block of localities in ten stands for the others. */
function digest(source: Source): string {
  const hasher = new Bun.CryptoHasher('sha256')
  for (const name of counted)
    for (const block of blocksOf(source, name))
      if (name !== 'localidad' || Number(block.lines[0]) % 10_000 === 1) hasher.update(JSON.stringify(block))
  return hasher.digest('hex')
}

const beginning = (source: Source, name: string) => blocksOf(source, name)[Symbol.iterator]().next().value

/** The parents that a row may have, by the field that embeds them. */
function parentsOf(source: Source, entity: Entity): Map<string, Set<unknown>> {
  const known = (parent: Entity) =>
    new Set(Array.from(rowsOf(source, parent.name), (row) => cell(row, identifierOf(parent))))
  return new Map(embedsOf(entity).map(([field, parent]) => [field, known(parent)]))
}

const cell = (row: object, field: string) => (row as Record<string, unknown>)[field]

/** True if a row is the first with what it has in one or two fields. */
function newness([first = '', second = first]: readonly string[]): (row: object) => boolean {
  const seen = new Map<unknown, Set<unknown>>()
  return (row) => {
    const seconds = seen.get(cell(row, first)) ?? new Set()
    const { size } = seconds
    seen.set(cell(row, first), seconds.add(cell(row, second)))
    return seconds.size > size
  }
}

/** The first few things wrong with the rows of one entity. */
function wrongs(source: Source, name: string): unknown[] {
  const entity: Entity = builtIn(name)
  const check = rowChecker(entity)
  const parents = [...parentsOf(source, entity)]
  const names = Object.keys(entity.fields).filter((field) => entity.fields[field]?.kind === 'name')
  const [isNewKey, isNewCode] = [newness(entity.key), newness(entity.code)]
  const found: unknown[] = []
  for (const row of rowsOf(source, name)) {
    found.push(...check(row))
    for (const [field, known] of parents) if (!known.has(cell(row, field))) found.push({ orphan: row, field })
    for (const field of names) if (!isTidy(cell(row, field) as string)) found.push({ untidy: row })
    if (!isNewKey(row) || !isNewCode(row)) found.push({ repeated: row })
  }
  return found.slice(0, 5)
}

const isTidy = (name: string) =>
  name.trim() === name && !name.includes('  ') && name.normalize('NFC') === name && /[Ss](int|ynt)/.test(name)

describe('counts', () => {
  test.each(counted.filter((name) => name !== 'localidad'))('%s', (name) => {
    const source = syntheticSource({ seed: 1, scale: 1 })
    const blocks = [...blocksOf(source, name)]
    expect(blocks.flatMap(({ rows }) => rows)).toHaveLength(COUNTS[name])
    expect(blocks.flatMap(({ lines }) => lines)).toEqual(Array.from({ length: COUNTS[name] }, (_, at) => at + 1))
    expect(Math.max(...blocks.map(({ rows }) => rows.length))).toBeLessThanOrEqual(1_000)
  })

  test.each([1, 2, 10])('expected at scale %i: only the localities grow', (scale) => {
    const source = syntheticSource({ seed: 1, scale })
    const expected = Object.fromEntries(counted.map((name) => [name, source.expected(name)]))
    expect(expected).toEqual({ ...COUNTS, localidad: 300_137 * scale })
  })
})

describe('repeatable', () => {
  // It changes only when the catalog of every seed does, and then benchmarks no longer compare with earlier ones.
  const KNOWN = '98c809659a82b3c0ba37bd25130fe2eef7443e64568f554f92458cee445555b6'

  test('a seed gives the same rows on every machine', () =>
    expect(digest(syntheticSource({ seed: 1, scale: 1 }))).toBe(KNOWN))

  test('a seed gives the same rows in whatever order they are read', () => {
    const [one, two] = [syntheticSource({ seed: 2, scale: 1 }), syntheticSource({ seed: 2, scale: 1 })]
    const forward = new Map(entityNames.map((name) => [name, beginning(one, name)]))
    for (const name of entityNames.toReversed()) expect(beginning(two, name)).toEqual(forward.get(name))
    for (const name of entityNames) expect(beginning(one, name)).toEqual(forward.get(name))
  })

  test.each(entityNames)('another seed gives other rows of %s', (name) => {
    const [one, two] = [2, 3].map((seed) => beginning(syntheticSource({ seed, scale: 1 }), name))
    expect(one).not.toEqual(two)
  })
})

const QUIRKS = {
  'square brackets': /\[[^\]]+\]/,
  parentheses: /\([^)]+\)/,
  'double quotes': /^"[^"]+"/,
  backslash: /\\/,
  apostrophe: /'/,
  ampersand: /&/,
  'angle brackets': /<[^>]+>/,
  accent: /[áéíóú]/,
  'small eñe': /ñ/,
  'capital eñe': /Ñ/,
  'x with diaeresis': /ẍ/,
  'Polish l': /Ł/,
  Greek: /\p{Script=Greek}/u,
  Chinese: /\p{Script=Han}/u,
  'outside the basic plane': /[\u{10000}-\u{10ffff}]/u,
}

function quirksMissing(names: Iterable<string>): string[] {
  let missing = Object.entries(QUIRKS)
  for (const name of names) if (missing.length > 0) missing = missing.filter(([, pattern]) => !pattern.test(name))
  return missing.map(([quirk]) => quirk)
}

test('every locality is sound', () => expect(wrongs(syntheticSource({ seed: 1, scale: 1 }), 'localidad')).toEqual([]))

type Municipality = { idMunicipio: number; idEstado: number }
type Locality = Municipality & { idLocalidad: number; cveLocalidad: string; descLocalidad: string }
type Discipline = { idDisciplina: number; cveDisciplina: string; campoCono: number }
type Field = { idCampo: number; cveCampo: string }
type Subdiscipline = { cveSubdisciplina: string; disciplinaCono: number }

/** Reads all localities once and counts what is odd about them. */
function survey(source: Source) {
  const stateOf = new Map(
    Array.from(rowsOf<Municipality>(source, 'municipio'), (row) => [row.idMunicipio, row.idEstado]),
  )
  const sizes = new Map<number, number>()
  const found = { count: 0, misnumbered: 0, restartsInsidePage: 0, elsewhere: 0 }
  const names: string[] = []
  for (const { idLocalidad, idMunicipio, idEstado, cveLocalidad, descLocalidad } of rowsOf<Locality>(
    source,
    'localidad',
  )) {
    const size = (sizes.get(idMunicipio) ?? 0) + 1
    sizes.set(idMunicipio, size)
    if (idLocalidad !== size || cveLocalidad !== String(size).padStart(4, '0')) found.misnumbered++
    if (idLocalidad === 1 && found.count % PAGE !== 0) found.restartsInsidePage++
    if (idEstado !== stateOf.get(idMunicipio)) found.elsewhere++
    if (found.count++ < 10_000) names.push(descLocalidad)
  }
  return { ...found, sizes: [...sizes.values()], quirksMissing: quirksMissing(names) }
}

describe.each([
  { seed: 0, scale: 1 },
  { seed: 0xffff_ffff, scale: 2 },
])('localities of seed $seed at scale $scale', (shape) => {
  const found = survey(syntheticSource(shape))

  test('are as many as they should be', () => expect(found.count).toBe(300_137 * shape.scale))
  test('have names with every quirk', () => expect(found.quirksMissing).toEqual([]))
  test('are numbered from 1 in each municipality', () => expect(found.misnumbered).toBe(0))
  test('restart inside pages', () => expect(found.restartsInsidePage).toBeGreaterThan(2_000))
  test('fill every municipality', () => expect(found.sizes).toHaveLength(COUNTS.municipio))
  test('are sometimes few', () => expect(found.sizes.filter((size) => size < PAGE).length).toBeGreaterThan(300))
  test('are sometimes hundreds', () => expect(Math.max(...found.sizes)).toBeGreaterThan(300))
  test('are in another state than their municipality about once in 500', () =>
    expect(found.elsewhere / found.count).toBeWithin(1 / 510, 1 / 500))
})

/** Whatever the seed, what holds of the entities that are small enough to be tried often. */
const laws: Readonly<Record<string, (source: Source) => void>> = {
  'every row is sound': (source) => {
    for (const name of SMALL) expect([name, wrongs(source, name)]).toEqual([name, []])
  },
  'identifiers ascend, with gaps': (source) => {
    for (const name of SMALL) {
      const ids = Array.from(rowsOf(source, name), (row) => cell(row, identifierOf(builtIn(name))) as number)
      const steps = ids.slice(1).map((id, at) => id - (ids[at] as number))
      expect([name, Math.min(...steps), steps.some((step) => step > 1)]).toEqual([name, 1, true])
    }
  },
  'every state, area, field and discipline has a child': (source) => {
    for (const name of ['municipio', 'campo', 'disciplina', 'subdisciplina'] as const) {
      const rows = [...rowsOf(source, name)]
      for (const [field, known] of parentsOf(source, builtIn(name)))
        expect([name, new Set(rows.map((row) => cell(row, field))).size]).toEqual([name, known.size])
    }
  },
  'every state has a second code of its own': (source) =>
    expect(new Set(Array.from(rowsOf(source, 'estado'), ({ cveRenapo }) => cveRenapo)).size).toBe(COUNTS.estado),
  'codes are none that a registry gives out': (source) => {
    for (const { cvePais } of rowsOf(source, 'pais')) expect(cvePais).toMatch(/^Q[M-Z]/)
    for (const { cveRenapo } of rowsOf(source, 'estado')) expect(cveRenapo).toMatch(/^[WX]/)
    for (const { cveCampo } of rowsOf(source, 'campo')) expect(Number(cveCampo)).toBeGreaterThan(72)
  },
  'some subdisciplines are coded outside their discipline, half of them outside their field too': (source) => {
    const disciplines = new Map(Array.from(rowsOf<Discipline>(source, 'disciplina'), (row) => [row.idDisciplina, row]))
    const fields = new Map(Array.from(rowsOf<Field>(source, 'campo'), (row) => [row.idCampo, row.cveCampo]))
    const strays = Array.from(rowsOf<Subdiscipline>(source, 'subdisciplina')).flatMap(
      ({ cveSubdisciplina, disciplinaCono }) => {
        const discipline = disciplines.get(disciplinaCono)
        if (discipline === undefined || cveSubdisciplina.startsWith(discipline.cveDisciplina)) return []
        return [cveSubdisciplina.startsWith(fields.get(discipline.campoCono) ?? '?')]
      },
    )
    expect(strays.filter((inField) => inField).length).toBeWithin(12, 14)
    expect(strays.filter((inField) => !inField).length).toBeWithin(12, 14)
  },
  'names of municipalities, countries and subdisciplines have every quirk': (source) => {
    const names = {
      municipio: Array.from(rowsOf(source, 'municipio'), ({ descMunicipio }) => String(descMunicipio)),
      pais: Array.from(rowsOf(source, 'pais'), ({ descPais }) => String(descPais)),
      subdisciplina: Array.from(rowsOf(source, 'subdisciplina'), ({ descripcion }) => String(descripcion)),
    }
    for (const [name, given] of Object.entries(names)) expect([name, quirksMissing(given)]).toEqual([name, []])
  },
}

test.each(Object.entries(laws))('whatever the seed, %s', (_, law) => {
  const holds = fc.property(fc.integer({ min: 0, max: 0xffff_ffff }), (seed) =>
    law(syntheticSource({ seed, scale: 1 })),
  )
  fc.assert(holds, { numRuns: 5 })
})

test('says that it is synthetic, and how it was made', () => {
  expect(syntheticSource({ seed: 7, scale: 3 })).toMatchObject({
    origin: { kind: 'synthetic', synthetic: true, credits: [], options: { seed: 7, scale: 3 } },
    provides: expect.arrayContaining(counted),
  })
  expect(syntheticSource({ seed: 7, scale: 3 }).origin.title).toContain('invented')
})

test.each([
  ['a seed below zero', { seed: -1, scale: 1 }],
  ['a seed of more than 32 bits', { seed: 2 ** 32, scale: 1 }],
  ['a broken seed', { seed: 0.5, scale: 1 }],
  ['no scale', { seed: 1, scale: 0 }],
  ['a broken scale', { seed: 1, scale: 1.5 }],
  ['a scale that is no number', { seed: 1, scale: Number.NaN }],
  ['a scale beyond counting', { seed: 1, scale: 1_001 }],
])('refuses %s', (_, shape) => expect(() => syntheticSource(shape)).toThrow(RangeError))
