// Lists whose official codes are composed of their own and their parents', generated, with a naive model of those codes.
import fc from 'fast-check'
import { type Catalog, catalogOf } from '../../packages/server/src/catalog/catalog.ts'
import type { CodePart, Entity, OfficialCode, Values } from '../../packages/server/src/catalog/entity.ts'
import { code, embeds, entity, id, name } from './definitions.ts'

type Part = Omit<CodePart, 'field'>
/** The form of the code of each level. */
type Writing = { readonly separator: string; readonly own: Part }

export type CodedLists = {
  readonly catalog: Catalog
  /** The levels, the outermost first. */
  readonly levels: readonly Entity[]
  readonly rows: Readonly<Record<string, readonly Values[]>>
  /** The code of each record of a level, as plainly as it can be written; undefined where it has none. */
  readonly codes: Readonly<Record<string, readonly (string | undefined)[]>>
}

const NAMES = ['province', 'district', 'village'] as const
const own = code('own code', /^[\s\S]+$/, 'anything')

function levelsOf(writings: readonly Writing[]): Entity[] {
  const levels: Entity[] = []
  for (const [at, { separator, own: part }] of writings.entries()) {
    const parent = levels.at(-1)
    const parts = [...(parent === undefined ? [] : [{ field: 'above' }]), { field: 'own', ...part }]
    const whole = {
      name: 'geo',
      title: 'GEO',
      description: 'code with those above it',
      parts: parts as unknown as OfficialCode['parts'],
      separator,
    }
    levels.push(
      entity({
        name: NAMES[at] as string,
        plural: `${NAMES[at]}s`,
        package: 'coded',
        fields: {
          number: id('number'),
          own,
          label: name('name'),
          ...(parent === undefined ? {} : { above: { ...embeds(parent, 'what it is in'), optional: true } }),
        },
        key: ['number'],
        code: parent === undefined ? ['own'] : ['above', 'own'],
        codes: [whole],
        order: 'as given',
      }),
    )
  }
  return levels
}

const VALUES = { 1: 'I', 2: 'II', '07': 'VII' }
const part: fc.Arbitrary<Part> = fc.oneof(
  fc.constant({}),
  fc.integer({ min: 1, max: 3 }).map((width) => ({ width })),
  fc.constant({ values: VALUES }),
)
const writing = fc.record({ separator: fc.constantFrom('', '', '-', '.'), own: part })
const ownCode = fc.oneof(
  fc.nat({ max: 120 }).map(String),
  fc.constantFrom('01', '001', '07', '010', 'A', 'AB', 'ñ', '1-2', '0', '00'),
)

/** A value as a code has it, written out. */
function writtenAs({ width, values }: Part, value: string): string | undefined {
  const text = values === undefined ? value : values[value]
  if (text === undefined || width === undefined) return text
  if (text.length > width) return undefined
  if (text.length === width) return text
  return /^\d+$/.test(text) ? '0'.repeat(width - text.length) + text : undefined
}

export const codedLists: fc.Arbitrary<CodedLists> = fc
  .record({
    writings: fc.array(writing, { minLength: 1, maxLength: NAMES.length }),
    own: fc.array(fc.array(ownCode, { maxLength: 9 }), { minLength: 3, maxLength: 3 }),
    picks: fc.array(fc.nat(), { minLength: 27, maxLength: 27 }),
  })
  .map(({ writings, own, picks }) => {
    const levels = levelsOf(writings)
    const rows: Record<string, Values[]> = {}
    const codes: Record<string, (string | undefined)[]> = {}
    for (const [at, level] of levels.entries()) {
      const parents = at === 0 ? [] : (codes[NAMES[at - 1] as string] as (string | undefined)[])
      rows[level.name] = []
      codes[level.name] = []
      for (const [place, value] of (own[at] as string[]).entries()) {
        const above = at > 0 && parents.length > 0 ? (picks[at * 9 + place] as number) % (parents.length + 1) : 0
        const hasParent = at > 0 && above < parents.length
        rows[level.name]?.push({
          number: place,
          own: value,
          label: `${level.name} ${place}`,
          ...(hasParent ? { above } : {}),
        })
        const { separator, own: part } = writings[at] as Writing
        const last = writtenAs(part, value)
        const before = at === 0 ? '' : hasParent ? parents[above] : undefined
        const isWhole = last !== undefined && before !== undefined
        codes[level.name]?.push(isWhole ? (at === 0 ? last : `${before}${separator}${last}`) : undefined)
      }
    }
    return { catalog: catalogOf(levels), levels, rows, codes }
  })
