// Lists with keys of any kind, values of every type, references and trees: built, read back, and compared with a naive model.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { code, embeds, entity } from '../../../../../test/support/definitions.ts'
import { releaseOf, sourceOf, TestHome } from '../../../../../test/support/releases.ts'
import { catalogOf } from '../../catalog/catalog.ts'
import { broaderOf, type Entity, type Field, identityOf, type Values } from '../../catalog/entity.ts'
import { diffEntity } from '../diff.ts'
import type { Release } from '../release.ts'
import { storedRows } from './completion.ts'

const text = (type: 'text' | 'integer' | 'number' | 'boolean' | 'date' | 'year' | 'list'): Field => ({
  kind: 'value',
  type,
  description: type,
  optional: true,
})
const anything = code('key', /^[\s\S]+$/, 'anything')

const region = entity({
  name: 'region',
  plural: 'regions',
  package: 'offices',
  fields: { 'ISO code': anything, 'name (en)': { kind: 'name', language: 'en', optional: true, description: 'name' } },
  key: ['ISO code'],
  code: ['ISO code'],
  order: 'as given',
})
const grade = entity({
  name: 'grade',
  plural: 'grades',
  package: 'offices',
  fields: { scale: anything, step: anything, pay: text('number') },
  key: ['scale', 'step'],
  code: ['scale', 'step'],
  order: 'as given',
})
const office = entity({
  name: 'office',
  plural: 'offices',
  package: 'offices',
  fields: {
    code: anything,
    name: { kind: 'name', description: 'name', optional: true },
    under: { kind: 'broader', description: 'office above', optional: true },
    region: { ...embeds(region, 'region'), optional: true },
    head: { ...embeds(grade, 'grade of its head'), optional: true },
    notes: text('text'),
    staff: text('integer'),
    share: text('number'),
    open: text('boolean'),
    since: text('date'),
    year: text('year'),
    tags: text('list'),
  },
  key: ['code'],
  code: ['code'],
  order: 'as given',
})
const catalog = catalogOf([region, grade, office])

const anyText = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).map((one) => one.replaceAll('\0', '0'))
const key = fc
  .oneof(anyText, fc.constantFrom('a/b', 'NA', '0', '007', 'ñandú', '%2F', 'a b', '...', '"'))
  .filter((text) => text !== '.' && text !== '..')
const lines = fc.constantFrom('one\ntwo', 'a\r\nb', 'tab\there', ' x ')
const digits = fc.constantFrom('1.50', '-0.10', '12345678901234567890', '1e400'.replace('400', '30'), '0', '3')

function maybe<T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(values, { nil: undefined })
}

const given = (row: Record<string, unknown>): Values =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)) as Values

const sources = fc
  .record({
    regions: fc.uniqueArray(key, { maxLength: 5 }),
    grades: fc.uniqueArray(fc.tuple(key, key), { maxLength: 5, selector: (pair) => pair.join('\0') }),
    offices: fc.uniqueArray(key, { maxLength: 12 }),
    picks: fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
    values: fc.array(
      fc.record({
        name: maybe(anyText.filter((one) => one.trim() !== '' && !/\p{Cc}|\ufffd/u.test(one))),
        notes: maybe(lines),
        staff: maybe(fc.constantFrom('0', '12', '-3', '99999999999999999999')),
        share: maybe(digits),
        open: maybe(fc.constantFrom('true', 'false')),
        since: maybe(fc.constantFrom('2026-11-30', '1999-01')),
        year: maybe(fc.constantFrom('2007', '1492')),
        tags: maybe(
          fc.array(fc.oneof(fc.string(), fc.integer()), { maxLength: 3 }).map((list) => JSON.stringify(list)),
        ),
      }),
      { minLength: 12, maxLength: 12 },
    ),
  })
  .map(({ regions, grades, offices, picks, values }) => {
    const one = <T>(list: readonly T[], at: number) =>
      list.length === 0 || at % 3 === 0 ? undefined : list[at % list.length]
    const gradeRows = grades.map(([scale, step]) => given({ scale, step, pay: '10.00' }))
    return {
      region: regions.map((code, at) =>
        given({ 'ISO code': code, 'name (en)': at % 2 === 0 ? `Region ${at}` : undefined }),
      ),
      grade: gradeRows,
      office: offices.map((code, at) => {
        const head = one(gradeRows, picks[at] as number)
        return given({
          code,
          // Only those before it, so that there is no cycle.
          under: one(offices.slice(0, at), picks[at + 12] as number),
          region: one(regions, picks[at + 24] as number),
          head: head && identityOf(grade, head),
          ...values[at],
        })
      }),
    }
  })

type Rows = Readonly<Record<string, readonly Values[]>>

/** The JSON of a record, as plainly as it can be written. */
function modelJson(rows: Rows, of: Entity, row: Values): string {
  const members = Object.entries(of.fields).map(([name, field]) => {
    const value = row[name]
    const json = () => {
      if (value === undefined) return 'null'
      if (field.kind === 'embed') {
        const parent = rows[field.entity.name]?.find((other) => identityOf(field.entity, other) === value) as Values
        return modelJson(rows, field.entity, parent)
      }
      return field.kind === 'value' && !['text', 'date'].includes(field.type) ? String(value) : JSON.stringify(value)
    }
    return `${JSON.stringify(name)}:${json()}`
  })
  return `{${members.join()}}`
}

const jsonsOf = (release: Release, name: string) =>
  Array.from({ length: release.entity(name).count }, (_, position) =>
    Buffer.from(release.entity(name).records.record(position)).toString(),
  )

test('any list is published as a naive model has it, with its digits, and gives back its rows', () =>
  fc.assert(
    fc.asyncProperty(sources, async (rows) => {
      using home = new TestHome()
      await home.import(sourceOf(rows, {}, catalog), { acceptChanges: true })
      const release = home.current()
      for (const of of catalog.entities.values()) {
        const given = (rows as Rows)[of.name] as readonly Values[]
        expect(jsonsOf(release, of.name)).toEqual(given.map((row) => modelJson(rows, of, row)))
        expect([...storedRows(release.entity(of.name))].flatMap((block) => block.rows)).toEqual(given as never)
      }
    }),
    { numRuns: 15 },
  ))

test('the index has the record above each in a tree, and those below', () =>
  fc.assert(
    fc.asyncProperty(sources, async ({ region: regions, grade: grades, office: offices }) => {
      const release = await releaseOf(sourceOf({ region: regions, grade: grades, office: offices }, {}, catalog))
      const { values, starts, positions } = release.entity('office').index.column(broaderOf(office) as string)
      const position = (code: unknown) => offices.findIndex((row) => row.code === code)
      const above = offices.map(({ under }) => (under === undefined ? offices.length : position(under)))
      expect([...values]).toEqual(above)
      for (const at of offices.keys()) {
        const below = [...positions.subarray(starts[at], starts[at + 1])]
        expect(below).toEqual([...offices.keys()].filter((other) => above[other] === at))
      }
    }),
    { numRuns: 10 },
  ))

test('changes are found by keys of any kind', async () => {
  using home = new TestHome()
  const rows = {
    region: [{ 'ISO code': 'a/b', 'name (en)': 'One' }],
    grade: [{ scale: 'A', step: '1', pay: '1.50' }],
    office: [
      { code: '007', name: 'Archive', region: 'a/b', head: 'A\x001', tags: '[1,"x,{}"]' },
      { code: '008', under: '007', share: '1.50' },
    ],
  }
  await home.import(sourceOf(rows, {}, catalog))
  const before = home.current()
  const changed = {
    ...rows,
    office: [
      { code: '007', name: 'Archives', tags: '[1]' },
      { code: 'x', share: '1.5' },
    ],
  }
  await home.import(sourceOf(changed, {}, catalog), { acceptChanges: true })
  const found = [...diffEntity(before, home.current(), 'office')]
  expect(found.map(({ change, key }) => [change, key])).toEqual([
    ['changed', { code: '007' }],
    ['added', { code: 'x' }],
    ['removed', { code: '008' }],
  ])
  expect(found[0]).toMatchObject({ fields: ['name', 'region', 'head', 'tags'] })
})

test('a key that is there twice is refused with its line, and so is a reference to nothing', async () => {
  const twice = { region: [{ 'ISO code': 'x' }, { 'ISO code': 'x' }] }
  expect(releaseOf(sourceOf(twice, {}, catalog))).rejects.toThrow('line 2 has it already')
  const nowhere = { region: [], grade: [], office: [{ code: '1', region: 'x' }] }
  expect(releaseOf(sourceOf(nowhere, {}, catalog))).rejects.toThrow('region')
})
