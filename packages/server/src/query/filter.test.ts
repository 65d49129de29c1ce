// Which records pass: codes that begin as was asked, letter by letter, and numbers and dates within bounds.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { code, entity } from '../../../../test/support/definitions.ts'
import { releaseOf, sourceOf } from '../../../../test/support/releases.ts'
import { smallSource } from '../../../../test/support/small-source.ts'
import { catalogOf } from '../catalog/catalog.ts'
import { firstWhere, positionsWhere } from './filter.ts'

setDefaultTimeout(180_000)

const audiences = ['staff', 'staffRoom', 'stAff', 'students'].map((clave, at) => ({
  ...{ clave, descCorta: clave, shortDesc: clave },
  idAudiencia: at + 1,
}))
const release = await releaseOf(smallSource({ audiencia: audiences }))
const { definition } = release.entity('audiencia')

test.each([
  [['st'], [0, 1, 2, 3]],
  [['sta'], [0, 1]],
  [['stA'], [2]],
  [['STA'], []],
  [
    ['staff', 'staffR'],
    [0, 1],
  ],
  [
    ['stu', 'stA'],
    [2, 3],
  ],
])('%p', (values, expected) => {
  const filters = [{ steps: ['clave'], match: 'begins', values }] as const
  // Undefined stands for all.
  const positions = positionsWhere(release, definition, filters) ?? audiences.keys()
  expect(Array.from(positions)).toEqual(expected)
  expect(firstWhere(release, definition, filters)).toBe(expected[0] as number)
})

test('without a filter, the first of all is found, if there is any', () => {
  expect(firstWhere(release, definition, [])).toBe(0)
  expect(firstWhere(release, release.entity('pais').definition, [])).toBeUndefined()
})

describe('bounds', () => {
  const value = (type: 'number' | 'date') => ({ kind: 'value', type, description: type, optional: true }) as const
  const event = entity({
    name: 'event',
    plural: 'events',
    fields: { number: code('number', /^[0-9]+$/, 'digits'), size: value('number'), day: value('date') },
    key: ['number'],
    code: ['number'],
    order: 'as given',
  })
  const two = (number: number) => String(number).padStart(2, '0')
  const dates = (years: fc.Arbitrary<string>, minParts = 0) =>
    fc
      .tuple(
        years,
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 28 }),
        fc.integer({ min: minParts, max: 3 }),
      )
      .map(([year, month, day, parts]) =>
        [year, `-${two(month)}`, `-${two(day)}`, `T${two(day % 24)}:30`].slice(0, parts + 1).join(''),
      )
  const usualYears = fc.integer({ min: 1998, max: 2003 }).map(String)
  const anyYears = fc.oneof(usualYears, fc.constantFrom('-0044', '-0043', '0001', '9999', '10000', '12000'))
  const sizes = fc.option(fc.constantFrom(-3.5, -1, 0, 0.25, 7, 1e9), { nil: null })

  /** Compares as texts do: all years are as long, and none is negative. */
  const comparable = (date: string) => {
    const [, year = '', rest = ''] = /^(-?[0-9]+)(.*)$/.exec(date) ?? []
    return `${String(Number(year) + 100_000).padStart(6, '0')}${rest}`
  }
  type Bound = readonly [match: 'min' | 'max', field: 'size' | 'day', limit: string]
  function isWithin({ size, day }: { readonly size?: string; readonly day?: string }, bound: Bound) {
    const [match, field, limit] = bound
    if (field === 'size')
      return size !== undefined && (match === 'min' ? Number(size) >= Number(limit) : Number(size) <= Number(limit))
    if (day === undefined) return false
    const [date, edge] = [comparable(day), comparable(limit)]
    return match === 'min' ? date >= edge : date <= edge || date.startsWith(`${edge}-`) || date.startsWith(`${edge}T`)
  }

  test.each([
    ['years of four digits', usualYears],
    ['years before the first, and of five digits', anyYears],
  ])('find what a look at every record finds: %s', async (_, years) => {
    const ofEvent = fc.record({ size: sizes, day: fc.option(dates(years, 1), { nil: null }) })
    const [rows = []] = fc.sample(fc.array(ofEvent, { minLength: 200, maxLength: 200 }), { numRuns: 1, seed: 47 })
    const events = rows.map(({ size, day }, at) => ({
      number: String(at + 1),
      ...(size === null ? {} : { size: String(size) }),
      ...(day === null ? {} : { day }),
    }))
    const found = await releaseOf(sourceOf({ event: events }, {}, catalogOf([event])))
    const match = fc.constantFrom('min' as const, 'max' as const)
    const bound: fc.Arbitrary<Bound> = fc.oneof(
      fc.tuple(match, fc.constant('size' as const), fc.constantFrom('-4', '-1', '0', '0.3', '7', '2e9')),
      fc.tuple(match, fc.constant('day' as const), dates(years)),
    )
    fc.assert(
      fc.property(fc.array(bound, { minLength: 1, maxLength: 4 }), (bounds) => {
        const filters = bounds.map(([kind, field, limit]) => ({ steps: [field], match: kind, values: [limit] }))
        const positions = positionsWhere(found, found.entity('event').definition, filters) ?? events.keys()
        const expected = events.flatMap((one, at) => (bounds.every((each) => isWithin(one, each)) ? [at] : []))
        expect(Array.from(positions)).toEqual(expected)
      }),
    )
  })
})
