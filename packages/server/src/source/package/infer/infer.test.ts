// What tables are taken for: each decision by small tables, and that definitions are sound whatever the tables are.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { EntityData } from '../../../catalog/catalog.ts'
import { parseDefinition } from '../../../catalog/definition-schema.ts'
import type { Descriptor, ForeignKey, ListPlan, Resource, TableField } from '../descriptor.ts'
import type { Plan } from '../plan.ts'
import { plansOf } from '../plan.ts'
import { infer } from './infer.ts'
import { type TableProfile, TableProfiler } from './table-profile.ts'

type Own = Readonly<Record<string, unknown>>
type Declared = Partial<Omit<TableField, 'own' | 'name'>> & { readonly own?: Own }
type Given = {
  /** A line of names, and lines of values, with bars between. */
  readonly table: string
  readonly fields?: Readonly<Record<string, Declared>>
  readonly primaryKey?: readonly string[]
  readonly foreignKeys?: readonly ForeignKey[]
  readonly missingValues?: readonly string[]
  readonly own?: Own
  readonly more?: Partial<Resource>
}

const refersTo = (fields: readonly string[], resource: string, to: readonly string[]): readonly ForeignKey[] => [
  { fields, reference: { resource, fields: to } },
]
const ownOf = (own: Own | undefined) => new Map(Object.entries(own ?? {}))

function resourceOf(name: string, { fields, primaryKey, foreignKeys, missingValues, own, more }: Given): Resource {
  const schema = {
    fields: Object.entries(fields ?? {}).map(([field, one]) => ({ ...one, name: field, own: ownOf(one.own) })),
    ...(primaryKey === undefined ? {} : { primaryKey }),
    ...(foreignKeys === undefined ? {} : { foreignKeys }),
    ...(missingValues === undefined ? {} : { missingValues }),
    own: new Map(),
  }
  return { name, paths: [`${name}.csv`], schema, own: ownOf(own), ...more }
}

type Rows = { readonly header: readonly string[]; readonly rows: readonly (readonly string[])[] }

function rowsIn(table: string): Rows {
  const [header = [], ...rows] = table
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
  return { header, rows: rows.map((row) => header.map((_, at) => row[at] ?? '')) }
}

function profileOf({ header, rows }: Rows, missing: readonly string[] = []): TableProfile {
  const profiler = new TableProfiler(header, { missingIn: () => missing })
  profiler.add(rows)
  return profiler.profile()
}

const descriptorOf = (resources: readonly Resource[]): Descriptor => ({
  name: 'parcel-post',
  licenses: [],
  sources: [],
  keywords: [],
  contributors: [],
  resources,
  own: new Map(),
})

/** What is inferred, and then obeyed. */
function planned(
  descriptor: Descriptor,
  profiles: ReadonlyMap<string, TableProfile>,
  others: readonly EntityData[] = [],
  taken = new Set<string>(),
): Plan {
  const headers = new Map([...profiles].map(([name, { columns }]) => [name, columns.map((one) => one.name)]))
  const { descriptor: complete, notes, refused } = infer(descriptor, profiles)
  const plan = plansOf(complete, headers, { taken: (slug) => taken.has(slug), definitions: others, hasHome: true })
  return { ...plan, notes: [...notes, ...plan.notes], refused: [...refused, ...plan.refused] }
}

function planOf(
  lists: Readonly<Record<string, Given>>,
  others: readonly EntityData[] = [],
  taken = new Set<string>(),
): Plan {
  const given = Object.entries(lists)
  const descriptor = descriptorOf(given.map(([name, one]) => resourceOf(name, one)))
  const profiles = given.map(([name, one]) => [name, profileOf(rowsIn(one.table), one.missingValues)] as const)
  return planned(descriptor, new Map(profiles), others, taken)
}

const listIn = ({ lists }: Plan, resource: string): ListPlan => {
  const list = lists.find((one) => one.resource === resource)
  if (list === undefined) throw new Error(`no list ${resource}`)
  return list
}
const oneList = (given: Given): ListPlan => listIn(planOf({ offices: given }), 'offices')

/** A field as one text: kind, type, role, language and what it embeds. */
function shown(list: ListPlan): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(list.entity.fields).map(([name, field]) => {
      const { kind, type, role, language, entity } = field as unknown as Readonly<Record<string, string>>
      const parts = [kind, type, role, language === undefined ? undefined : `@${language}`, entity]
      return [name, parts.filter((part) => part !== undefined).join(' ')]
    }),
  )
}
const toldOf = ({ notes }: Plan) => notes.map(({ what }) => what)

describe('the key', () => {
  const cases: readonly (readonly [string, Given, readonly string[]])[] = [
    ['is the one that is declared', { table: 'a|b\n1|x\n2|y', primaryKey: ['b'] }, ['b']],
    ['is the unique column that is named like a code', { table: 'town|cve\nRome|01\nOslo|02' }, ['cve']],
    ['is named after the list', { table: 'type|office|city\nA|R1|Rome\nB|R2|Rome' }, ['office']],
    ['is preferred by name, then by place', { table: 'iso|code|id\nr|x|1\no|y|2' }, ['iso']],
    ['is not what another register calls it', { table: 'wikidata_id|iso2\nQ1|AA\nQ2|BB' }, ['iso2']],
    [
      'is the column that is declared to be unique',
      { table: 'code|ref\nx|1\ny|2', fields: { ref: { constraints: { unique: true } } } },
      ['ref'],
    ],
    [
      'is the column that other tables refer to',
      {
        table: 'code|ref\nx|1\ny|2',
        foreignKeys: refersTo(['code'], '', ['ref']),
      },
      ['ref'],
    ],
    [
      'is two columns where none alone will do',
      { table: 'code|part|name\nA|1|x\nA|2|y\nB|1|x\nB|2|y' },
      ['code', 'part'],
    ],
    ['is a name where nothing else is unique', { table: 'full name|kind\nJo Ann|a b\nAl Bo|a b' }, ['full name']],
    [
      'is not a measure that is different by chance',
      { table: 'name|kind|people\nRome|a|2800000\nOslo|a|700000\nBern|a|134000' },
      ['name'],
    ],
    [
      'is a name before two columns of which one says nothing',
      { table: 'kind|full name\na|Jo Ann\nb|Al Bo\na|Ed Do' },
      ['full name'],
    ],
    ['is two codes before a name', { table: 'code|name|part_code\nA|x x|1\nA|y y|2\nB|z z|1' }, ['code', 'part_code']],
    [
      'is an identifier that is one word',
      { table: 'name|geonameid|country\nRome|3169|it\nRome|414219|us', fields: { geonameid: { type: 'integer' } } },
      ['geonameid'],
    ],
    ['is not a number of the row where there is a code', { table: '#|code|name\n1|x|a\n2|y|b' }, ['code']],
    ['is three columns at need', { table: 'code|a|b\nA|1|1\nA|1|2\nA|2|1\nB|1|1\nA|2|2' }, ['code', 'a', 'b']],
    ['may have NA in it', { table: 'code|name\nNA|Namibia\nMX|Mexico' }, ['code']],
  ]
  test.each(cases)('%s', (_, given, key) => {
    expect(oneList(given).entity.key).toEqual([...key])
  })

  test('leaves zeros and is text, whatever is declared', () => {
    const list = oneList({ table: 'code|name\n01|a\n02|b', fields: { code: { type: 'integer' } } })
    expect(shown(list)).toEqual({ code: 'code', name: 'name' })
    expect(list.fields.get('code')?.value.type).toBe('string')
  })

  test('is a number only where that is declared and written', () => {
    const kindOf = (code: string, max: string) =>
      oneList({
        table: `code|name\n${code}|a\n${max}|b`,
        fields: { code: { type: 'integer' } },
        primaryKey: ['code'],
      }).entity.fields.code?.kind
    expect([kindOf('1', '2147483647'), kindOf('01', '2'), kindOf('1', '2147483648'), kindOf('-1', '2')]).toEqual([
      'id',
      'code',
      'code',
      'code',
    ])
  })

  test('is refused with the reason where no columns identify a row', () => {
    const { refused, lists } = planOf({ offices: { table: 'a|b\n1|x\n1|x\n1|x' } })
    expect(lists).toEqual([])
    expect(refused).toEqual([
      {
        resource: 'offices',
        reason: 'no 4 columns or fewer are filled and different in every row; declare a primaryKey in its schema',
      },
    ])
  })

  test('that is declared and is no column is refused by name', () => {
    const { refused } = planOf({ offices: { table: 'a|b\n1|x', primaryKey: ['clave'] } })
    expect(refused[0]?.reason).toContain('"clave", which is no column of the file')
  })

  test('may be lacking in one row of many, which is told', () => {
    const rows = Array.from({ length: 60 }, (_, at) => `C${at}|name ${at % 7}`)
    const plan = planOf({ offices: { table: ['code|name', ...rows, '|odd'].join('\n') } })
    expect(listIn(plan, 'offices')).toMatchObject({ entity: { key: ['code'] }, leavesOutRows: true })
    expect(toldOf(plan)[0]).toContain('1 row without it, or with that of another row, cannot be published')
  })

  test('is another where later rows have shown that it is not unique', () => {
    const profile = { ...profileOf(rowsIn('code|part|name\nA|1|x\nB|1|x')), notUnique: [['code']], isWhole: false }
    const { lists } = planned(descriptorOf([resourceOf('l', { table: '' })]), new Map([['l', profile]]))
    expect(lists[0]?.entity.key).toEqual(['code', 'part'])
  })
})

describe('names', () => {
  const cases: readonly (readonly [string, Given, Readonly<Record<string, string>>])[] = [
    ['are called so', { table: 'code|nombre|note\n1|a b|x y\n2|c d|z y' }, { nombre: 'name' }],
    [
      'in several languages',
      { table: 'code|name_en|name_fr\n1|a|b\n2|c|d' },
      { name_en: 'name @en', name_fr: 'name @fr' },
    ],
    [
      'in languages by their names',
      { table: 'code|Name (French)|Name (English)\n1|a|b\n2|c|d' },
      { 'Name (French)': 'name @fr', 'Name (English)': 'name @en' },
    ],
    [
      'in languages by titles',
      {
        table: 'code|n1|n2\n1|a a|b b\n2|c c|d d',
        fields: { n1: { title: 'Name (English)' }, n2: { title: 'Name (Spanish)' } },
      },
      { n1: 'name @en', n2: 'name @es' },
    ],
    [
      'called by the language only',
      { table: 'code|English|French\n1|a|b\n2|c|d' },
      { English: 'name @en', French: 'name @fr' },
    ],
    [
      'written with capital letters',
      { table: 'Code|DescriptionEN|DescriptionES\n1|a|b\n2|c|d' },
      { DescriptionEN: 'name @en', DescriptionES: 'name @es' },
    ],
    [
      'with the country for the language',
      { table: 'code|official_name_en|official_name_cn\n1|a|b\n2|c|d' },
      { official_name_cn: 'name @zh' },
    ],
    ['a region of a language', { table: 'code|name_pt_br|name_en\n1|a|b\n2|c|d' }, { name_pt_br: 'name @pt-BR' }],
    [
      'no language where a word only looks like one',
      { table: 'code|name|is_id\n1|a|x y\n2|c|z y' },
      { name: 'name', is_id: 'value text' },
    ],
    [
      'are the description where there is no name',
      { table: 'hscode|description|parent_town\n1|horses, live|x\n2|cows, live|x' },
      { description: 'name' },
    ],
    [
      'of the key, not of something else',
      { table: 'sic_code|section_description|sic_description\n1|farm|rice\n2|farm|corn\n3|farm|oats\n4|farm|rye' },
      { sic_description: 'name', section_description: 'value text' },
    ],
    [
      'are the column with the most words',
      { table: 'code|a|b\n1|x y|one two three\n2|x y|four five six' },
      { b: 'name' },
    ],
    ['are never codes', { table: 'code|kind\n1|A\n2|B' }, { kind: 'value text' }],
    ['may be blank', { table: 'code|name\n1|\n2|b' }, { name: 'name' }],
    [
      'are declared',
      { table: 'code|name|called\n1|a|b\n2|c|d', fields: { called: { own: { role: 'name', language: 'eu' } } } },
      { called: 'name @eu', name: 'value text' },
    ],
    [
      'beside descriptions',
      { table: 'code|name_en|description_en\n1|a|b\n2|c|d' },
      { description_en: 'value text description @en' },
    ],
    [
      'and aliases',
      { table: 'code|name|short_name|acronyms\n1|a|b|x\n2|c|d|y' },
      { short_name: 'value text alias', acronyms: 'value text alias' },
    ],
    [
      'said in another way in the same languages',
      { table: 'code|name_en|name_es|UN English Formal|UN Spanish Formal\n1|a|b|c c|d d\n2|e|f|g g|h h' },
      { 'UN English Formal': 'value text alias @en', 'UN Spanish Formal': 'value text alias @es' },
    ],
  ]
  test.each(cases)('%s', (_, given, fields) => {
    expect(shown(oneList(given))).toMatchObject(fields)
  })

  test('the first is in the language of the list, else in none, else in English', () => {
    const table = 'code|name_fr|name_en|name_es\n1|a|b|c\n2|d|e|f'
    const firstName = (given: Given) =>
      Object.entries(shown(oneList(given))).find(([, one]) => one.startsWith('name'))?.[0]
    expect(firstName({ table })).toBe('name_en')
    expect(firstName({ table, more: { language: 'es' } })).toBe('name_es')
    expect(firstName({ table: 'code|name_fr|display name|name_en\n1|a|x|b\n2|d|y|e' })).toBe('display name')
  })

  test('a part of a key that is the name is a field besides', () => {
    const list = oneList({ table: 'code|name\nA|x\nA|y\nB|x', primaryKey: ['code', 'name'] })
    expect(shown(list)).toEqual({ code: 'code', name: 'code', 'name name': 'name' })
    expect(list.fields.get('name name')?.columns).toEqual(['name'])
  })
})

describe('a tree', () => {
  test('by a column with the key of the record above; a root may be its own', () => {
    const plan = planOf({ offices: { table: 'code|name|parent\nT|all|T\n01|a|T\n0101|b|01' } })
    expect(shown(listIn(plan, 'offices')).parent).toBe('broader')
    expect(toldOf(plan)).toContain('"parent" has the "code" of the record above: the list is a tree.')
  })

  const named = 'code|id|name|parent\nT|7|all|\nA|8|one|'
  const referredTo = (given: Given) => oneList(given).fields.get('parent')?.refersTo
  test('by a column with what else tells the records apart, such as their names', () => {
    expect(referredTo({ table: `${named}all` })).toEqual(['name'])
    expect(referredTo({ table: `${named}7` })).toEqual(['id'])
    expect(referredTo({ table: `${named}T` })).toBeUndefined()
    expect(referredTo({ table: `${named}all`, own: { broader: 'parent' } })).toEqual(['name'])
    const foreignKeys = refersTo(['parent'], '', ['id'])
    expect(referredTo({ table: `${named}7`, primaryKey: ['code'], foreignKeys })).toEqual(['id'])
    const twice = 'code|name|parent\nT|all|\nU|all|\nA|one|all'
    expect(shown(oneList({ table: twice })).parent).toBe('value text')
  })

  test('is none where some parents are not there, which is told', () => {
    const rows = Array.from({ length: 10 }, (_, at) => `k${at}|name ${at}|${at < 8 ? `k${at + 1}` : 'X'}`)
    const plan = planOf({ offices: { table: ['code|name|parent', ...rows].join('\n') } })
    expect(shown(listIn(plan, 'offices')).parent).toBe('value text')
    expect(plan.notes).toContainEqual({
      resource: 'offices',
      field: 'parent',
      what: '80 % of "parent" are "code" of "offices"; "X" is not.',
      otherwise: '"nomenclator:broader": "parent" at the resource',
      kind: 'doubt',
    })
  })

  test('is none where the values are not keys', () => {
    expect(shown(oneList({ table: 'code|name|parent\n1|a|x y\n2|b|z y' })).parent).toBe('value text')
  })

  const dotted = ['01', '01.1', '01.1.1', '01.1.2', '01.2', '02', '02.1', '02.10', '02.10.3']
  const lengths = ['A', 'A0', 'A01', 'A02', 'B', 'B0', 'B01', 'B02', 'A1']
  const ofCodes = (codes: readonly string[], own?: Own): ListPlan =>
    oneList({
      table: ['code|name', ...codes.map((code, at) => `${code}|name ${at}`)].join('\n'),
      ...(own === undefined ? {} : { own }),
    })
  const isByCode = ({ fields }: ListPlan) => fields.get('broader')?.isByCode === true

  const cases: readonly (readonly [string, readonly string[], boolean])[] = [
    ['by the beginning of codes and a sign', dotted, true],
    ['by the beginning of codes of growing length', lengths, true],
    ['not where a code above is missing', [...dotted, '03.1'], false],
    ['not of numbers that were counted up', Array.from({ length: 300 }, (_, at) => String(at + 1)), false],
    ['not of Roman numerals', 'I II III IV V VI VII VIII IX X XI XII XIII XIV XV'.split(' '), false],
    ['not of a chance of two levels', ['A', 'B', 'A1', 'C', 'D', 'E'], false],
    [
      'of two levels with many',
      ['A', 'B', ...Array.from({ length: 12 }, (_, at) => `${at < 6 ? 'A' : 'B'}${at % 6}`)],
      true,
    ],
  ]
  test.each(cases)('%s', (_, codes, isTree) => {
    expect(isByCode(ofCodes(codes))).toBe(isTree)
  })

  test('is none where that is declared, and is one where it is', () => {
    expect(isByCode(ofCodes(dotted, { broader: false }))).toBe(false)
    expect(isByCode(ofCodes(['A', 'B', 'A1'], { broader: { prefix: true } }))).toBe(true)
    const table = 'code|name|over\n1|a|\n2|b|1'
    expect(shown(oneList({ table, own: { broader: 'over' } })).over).toBe('broader')
    expect(shown(oneList({ table, fields: { over: { own: { broader: true } } } })).over).toBe('broader')
    const foreignKeys = refersTo(['over'], '', ['code'])
    expect(shown(oneList({ table, foreignKeys })).over).toBe('broader')
  })
})

describe('references', () => {
  const regions: Given = { table: 'code|name\nN|North\nS|South' }
  const withRegions = (given: Given, others?: readonly EntityData[]) => planOf({ offices: given, regions }, others)
  const fieldOf = (plan: Plan, field: string) => shown(listIn(plan, 'offices'))[field]

  const cases: readonly (readonly [string, Given, string])[] = [
    ['by the name of the list', { table: 'id|region\n1|N\n2|S' }, 'embed regions'],
    ['by the name of the list and a code', { table: 'id|region_code\n1|N\n2|S' }, 'embed regions'],
    ['with a word before', { table: 'id|home_region\n1|N\n2|S' }, 'embed regions'],
    ['that may be missing', { table: 'id|region\n1|N\n2|' }, 'embed regions'],
    ['not of values that are not there', { table: 'id|region\n1|N\n2|X' }, 'value text'],
    [
      'not twice to the same record',
      { table: 'id|region_name|region_code|name\n1|North|N|a\n2|South|S|b' },
      'value text',
    ],
    ['by the name alone', { table: 'id|region_name\n1|North\n2|South' }, 'embed regions'],
    ['not of another name', { table: 'id|kind\n1|N\n2|S' }, 'value text'],
    [
      'not where that is declared',
      { table: 'id|region\n1|N\n2|S', fields: { region: { own: { embed: false } } } },
      'value text',
    ],
    [
      'declared',
      {
        table: 'id|kind\n1|N\n2|S',
        foreignKeys: refersTo(['kind'], 'regions', ['code']),
      },
      'embed regions',
    ],
    [
      'declared by the name of the list',
      { table: 'id|kind\n1|N\n2|X', fields: { kind: { own: { embed: 'regions' } } } },
      'embed regions',
    ],
    [
      'to a list that is not there',
      {
        table: 'id|kind\n1|N\n2|S',
        foreignKeys: refersTo(['kind'], 'zones', ['code']),
      },
      'value text',
    ],
  ]
  test.each(cases)('%s', (_, given, field) => {
    const [, name = ''] = given.table.split('\n')[0]?.split('|') ?? []
    expect(fieldOf(withRegions(given), name)).toBe(field)
  })

  test('each list comes after those that it embeds', () => {
    expect(withRegions({ table: 'id|region\n1|N\n2|S' }).lists.map(({ resource }) => resource)).toEqual([
      'regions',
      'offices',
    ])
  })

  test('part of a key', () => {
    const plan = withRegions({ table: 'region|number|name\nN|1|a\nN|2|b\nS|1|a\nS|2|d' })
    expect(listIn(plan, 'offices').entity.key).toEqual(['region', 'number'])
    expect(fieldOf(plan, 'region')).toBe('embed regions')
  })

  test('of several fields, in the order of the key that they mean', () => {
    const plan = planOf({
      towns: { table: 'state|town|name\nA|1|x\nA|2|y\nB|1|z', primaryKey: ['state', 'town'] },
      offices: {
        table: 'id|t|s\n1|1|A\n2|1|B',
        foreignKeys: refersTo(['t', 's'], 'towns', ['town', 'state']),
      },
    })
    expect(fieldOf(plan, 's')).toBe('embed towns')
    expect(listIn(plan, 'offices').fields.get('s')).toMatchObject({ columns: ['s', 't'] })
  })

  test('to fields that are not the key', () => {
    const plan = planOf({
      states: { table: 'id|iso|name\n1|MX-A|x\n2|MX-B|y', primaryKey: ['id'] },
      offices: { table: 'code|state|name\nk1|MX-A|p\nk2|MX-B|q' },
    })
    expect(listIn(plan, 'offices').fields.get('state')).toMatchObject({ columns: ['state'], refersTo: ['iso'] })
  })

  test('that lead back are cut', () => {
    const plan = planOf({
      a: {
        table: 'code|b\nx|x\ny|y',
        foreignKeys: refersTo(['b'], 'b', ['code']),
      },
      b: {
        table: 'code|a\nx|x\ny|y',
        foreignKeys: refersTo(['a'], 'a', ['code']),
      },
    })
    expect(plan.lists.map(({ resource }) => resource)).toEqual(['b', 'a'])
    expect(shown(listIn(plan, 'b')).a).toBe('value text')
    expect(toldOf(plan).join()).toContain('"a" embeds nothing: "a" refers back to this list')
  })

  test('to a list of another package', () => {
    const other = listIn(planOf({ regions }), 'regions').entity
    const foreignKeys = [
      { fields: ['zone'], reference: { package: 'parcel-post', resource: 'regions', fields: ['code'] } },
    ]
    const given = { table: 'id|zone\n1|N\n2|S', foreignKeys }
    expect(shown(listIn(planOf({ offices: given }, [other]), 'offices')).zone).toBe('embed regions')
    const plan = planOf({ offices: given })
    expect(shown(listIn(plan, 'offices')).zone).toBe('value text')
    expect(toldOf(plan).join()).toContain('import that first')
  })

  test('nearly are told', () => {
    const rows = Array.from({ length: 20 }, (_, at) => `${at}|${at % 5 === 3 ? 'X' : 'N'}`)
    expect(toldOf(withRegions({ table: ['id|region', ...rows].join('\n') })).join()).toContain(
      '80 % of "region" are "code" of "regions"; "X" is not.',
    )
  })
})

describe('values', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['whole numbers', 'floors|3|12', 'value integer'],
    ['numbers', 'rate|3.5|12', 'value number'],
    ['zeros at the beginning stay', 'phone|0312|412', 'value text'],
    ['codes are text', 'zip_code|312|412', 'code'],
    ['truth', 'open|true|false', 'value boolean'],
    ['days', 'renewed|2020-01-31|2021-02-28', 'value date'],
    ['days that are none', 'renewed|2020-01-31|2021-02-30', 'value text'],
    ['days as people write them', 'renewed|31/01/2020|28/02/2021', 'value date'],
    ['days of which it is not sure what they mean', 'renewed|01/02/2020|02/01/2021', 'value text'],
    ['days with a time', 'renewed|2020-01-31T00:00:00Z|2021-02-28 10:30', 'value date'],
    ['times of days that are none', 'renewed|2020-01-31T00:00:00Z|2021-02-30T00:00:00Z', 'value text'],
    ['years', 'year|1999|2001', 'value year'],
    ['blanks', 'floors|3|', 'value integer'],
    ['the beginning of validity', 'valid_from|2020-01-31|2021-02-28', 'value date validFrom'],
    ['the end of validity, in any form', 'WithdrawalDate|2003-07|1989 to 1990', 'value text validTo'],
    ['no validity without time', 'end|left|right', 'value text'],
    ['texts', 'colour|red|blue', 'value text'],
  ]
  test.each(cases)('%s', (_, column, expected) => {
    const [name = '', first, second] = column.split('|')
    const list = oneList({ table: `code|name|${name}\nk1|a|${first}\nk2|b|${second}` })
    expect(shown(list)[name]).toBe(expected)
  })

  test('a format that was guessed is handed on', () => {
    const list = oneList({ table: 'code|renewed\nk1|31/01/2020\nk2|28/02/2021' })
    expect(list.fields.get('renewed')?.value).toMatchObject({ type: 'date', format: '%d/%m/%Y' })
  })

  test('declared types are obeyed; what does not fit may be missing', () => {
    const list = oneList({
      table: 'code|size|tags\nk1|3|a;b\nk2|big|c',
      fields: { size: { type: 'integer' }, tags: { type: 'list', delimiter: ';' } },
    })
    expect(shown(list)).toMatchObject({ size: 'value integer', tags: 'value list' })
    expect(list.fields.get('tags')?.value).toMatchObject({ type: 'list', delimiter: ';' })
  })

  test('missing values are those that are declared', () => {
    const list = oneList({ table: 'code|size\nk1|3\nk2|n/a', missingValues: ['', 'n/a'] })
    expect(shown(list).size).toBe('value integer')
    expect(list.fields.get('size')?.value.missingValues).toEqual(['', 'n/a'])
  })

  test('latitude and longitude', () => {
    const table = 'code|lat|lng\nk1|19.4|-99.1\nk2|20|-103.3'
    expect(shown(oneList({ table }))).toMatchObject({ lat: 'value number latitude', lng: 'value number longitude' })
    expect(shown(oneList({ table: table.replace('19.4', '190.4') })).lat).toBe('value number')
  })

  test('latitude and longitude in one column', () => {
    const plans = (column: string) => {
      const { fields } = oneList({ table: `code|${column}` })
      return [fields.get('latitude')?.part, fields.get('longitude')?.part]
    }
    expect(plans('location\nk1|19.4, -99.1\nk2|20, -103.3')).toEqual([0, 1])
    expect(plans('location\nk1|-99.1, 19.4\nk2|-103.3, 20')).toEqual([1, 0])
    expect(plans('location\nk1|at the corner\nk2|20, -103.3')).toEqual([undefined, undefined])
    const declared = (field: Declared) => {
      const { fields } = oneList({ table: 'code|where\nk1|19.4, 9.1\nk2|20, 10.3', fields: { where: field } })
      return fields.get('latitude')?.part
    }
    expect(declared({ type: 'geopoint' })).toBe(1)
    expect(declared({ own: { role: 'coordinates' } })).toBe(0)
    expect(declared({ own: { role: 'fact' } })).toBeUndefined()
  })
})

describe('tables as they are published', () => {
  /** What a person would say of each: its key, then some of its fields. */
  const cases: readonly (readonly [
    list: string,
    table: string,
    key: readonly string[],
    fields: Readonly<Record<string, string>>,
  ])[] = [
    [
      'airfields',
      'ident|type|name|iata_code|coordinates\nX01|heliport|Aster Field|AQX|40.1, -70.5\nX02|heliport|Birch Field||41.2, -71',
      ['ident'],
      { name: 'name', iata_code: 'code', latitude: 'value number latitude', longitude: 'value number longitude' },
    ],
    [
      'constituents',
      'Symbol|Security|Sector|Founded\nAA|Aster Inc.|Energy|1901\nBB|Birch Group|Energy|1902',
      ['Symbol'],
      { Security: 'name' },
    ],
    ['units', 'symbol|unit|quantity\nm|metre|length\nkg|kilogram|mass', ['symbol'], { unit: 'name' }],
    [
      'universities',
      'rank|university|score\n1|University of Aster|99.1\n2|University of Birch|98',
      ['university'],
      { rank: 'value integer' },
    ],
    [
      'cities',
      'name|country|geonameid\nAster|Arcadia|3040051\nAster|Utopia|3040822',
      ['geonameid'],
      { name: 'name', country: 'value text' },
    ],
    [
      'cpi',
      'Country Name|Country Code|Year|CPI\nAsterland|AST|2015|10.1\nAsterland|AST|2016|11.2\nBirchland|BIR|2015|12.3',
      ['Country Code', 'Year'],
      { 'Country Name': 'name', CPI: 'value number' },
    ],
    [
      'population',
      'Country Name|Country Code|1960|1961\nAsterland|AST|10|20\nBirchland|BIR|11|21',
      ['Country Code'],
      { 'Country Name': 'name', 1960: 'value integer' },
    ],
    ['colours', 'colour\nred\nblue', ['colour'], {}],
    ['office', 'code|name\nA|Main', ['code'], { name: 'name' }],
    [
      'unidades',
      'clave|nombre|descripción|padre|latitud|longitud|fecha_inicio|fecha_fin\n' +
        'U1|Aster|Atiende asuntos|  |19.1|-99.1|2001-01-15|2002-01-15\nU2|Birch|Atiende otros|U1|19.2|-99.2|2001-02-15|',
      ['clave'],
      {
        nombre: 'name',
        descripción: 'value text description',
        padre: 'broader',
        latitud: 'value number latitude',
        longitud: 'value number longitude',
        fecha_inicio: 'value date validFrom',
        fecha_fin: 'value date validTo',
      },
    ],
    [
      'métiers',
      'Code|Intitulé|Code parent|Définition|Date début\nM1|Aster||Fait ceci|2001-01-15\nM2|Birch|M1|Fait cela|2001-02-15',
      ['Code'],
      {
        Intitulé: 'name',
        'Code parent': 'broader',
        Définition: 'value text description',
        'Date début': 'value date validFrom',
      },
    ],
    [
      'órgãos',
      'sigla|nome|órgão superior|início vigência|fim vigência\nAA|Aster||2001-01-15|2002-01-15\nBB|Birch|AA|2001-02-15|',
      ['sigla'],
      {
        nome: 'name',
        'órgão superior': 'broader',
        'início vigência': 'value date validFrom',
        'fim vigência': 'value date validTo',
      },
    ],
    [
      'Gemeinden',
      'Schlüssel|Bezeichnung|Übergeordnet|Breitengrad|Längengrad|gültig von\n01|Aster||50.1|10.1|2001-01-15\n02|Birch|01|50.2|10.2|2001-02-15',
      ['Schlüssel'],
      {
        Bezeichnung: 'name',
        Übergeordnet: 'broader',
        Breitengrad: 'value number latitude',
        Längengrad: 'value number longitude',
        'gültig von': 'value date validFrom',
      },
    ],
    [
      'concepts',
      'notation|prefLabel@en|prefLabel@es|altLabel|broader\nc1|One thing|Una cosa|Thing|\nc2|Two things|Dos cosas|Things|c1',
      ['notation'],
      { 'prefLabel@en': 'name @en', 'prefLabel@es': 'name @es', altLabel: 'value text alias', broader: 'broader' },
    ],
    [
      'members',
      'uuid|name|parent_uuid\n0b8f-11|Aster|\n7c2e-40|Birch|0b8f-11',
      ['uuid'],
      { name: 'name', parent_uuid: 'broader' },
    ],
  ]
  test.each(cases)('%s', (name, table, key, fields) => {
    const list = listIn(planOf({ [name]: { table } }), name)
    expect(list.entity.key).toEqual(key)
    expect(shown(list)).toMatchObject(fields)
  })
})

describe('what is declared of ours', () => {
  test('roles', () => {
    const roles = ['alias', 'description', 'validFrom', 'validTo', 'fact', 'code'] as const
    const fields = Object.fromEntries(roles.map((role) => [`of ${role}`, { own: { role } }]))
    const names = Object.keys(fields)
    const list = oneList({
      table: `id|name|${names.join('|')}\n1|a|${names.join('|')}\n2|b|${names.join('|')}`,
      fields,
    })
    expect(shown(list)).toMatchObject({
      'of alias': 'value text alias',
      'of description': 'value text description',
      'of validFrom': 'value text validFrom',
      'of validTo': 'value text validTo',
      'of fact': 'value text',
      'of code': 'code',
    })
  })

  test('of the list', () => {
    const own = { collection: 'post-offices', order: 'by key', title: { es: 'Oficinas' }, expects: 2, code: ['iso'] }
    const list = oneList({ table: 'id|iso|name\n1|x|a\n2|y|b', own, primaryKey: ['id'] })
    expect(list.entity).toMatchObject({
      plural: 'post-offices',
      order: 'by key',
      titles: { es: 'Oficinas' },
      key: ['id'],
      code: ['iso'],
      package: 'parcel-post',
    })
    expect(list.expects).toBe(2)
    expect(shown(list).iso).toBe('code')
  })

  test('pages after API v1, where facts are apart', () => {
    const list = oneList({
      table: 'id|name|height\n1|a|3\n2|b|4',
      fields: { height: { type: 'integer', own: { role: 'fact' }, constraints: { minimum: '0' } } },
      own: { v1: 'oficinas' },
    })
    expect(list.entity).toMatchObject({ plural: 'oficinas', v1: 1 })
    expect(list.entity.fields.height).toMatchObject({ kind: 'fact', min: 0 })
  })

  test('pages after API v1, where a fact in a language is a name', () => {
    const list = oneList({
      table: 'id|name|called\n1|uno|one\n2|dos|two',
      fields: { name: { own: { role: 'name' } }, called: { own: { role: 'fact', language: 'en' } } },
      own: { v1: 'oficinas' },
    })
    expect(list.entity.fields.called).toMatchObject({ kind: 'fact', type: 'text', language: 'en' })
  })
})

describe('other names in a table of their own', () => {
  const cities: Given = { table: 'state|label|name\nA|x|Ex\nA|y|Why\nB|x|Ex too', primaryKey: ['state', 'label'] }
  const table = 'synonym|cur_state|cur_label|type\nEcks|A|x|old\nEye|A|y|old'

  test('are recognised', () => {
    const { aliases, lists } = planOf({ cities, 'city-synonyms': { table } })
    expect(lists.map(({ resource }) => resource)).toEqual(['cities'])
    expect(aliases).toEqual([
      {
        resource: 'city-synonyms',
        entity: 'cities',
        code: ['cur_state', 'cur_label'],
        alias: 'synonym',
        reason: 'type',
      },
    ])
  })

  test('are a list where that is declared', () => {
    const plan = planOf({ cities, 'city-synonyms': { table, own: { role: 'list' } } })
    expect(plan.aliases).toEqual([])
    expect(plan.lists).toHaveLength(2)
  })

  test('are declared by a reference', () => {
    const foreignKeys = refersTo(['l', 's'], 'cities', ['label', 'state'])
    const { aliases } = planOf({
      cities,
      extra: {
        table: 'called|s|l\nEcks|A|x\nEye|A|y',
        own: { role: 'aliases' },
        fields: { called: { own: { role: 'alias' } } },
        foreignKeys,
      },
    })
    expect(aliases).toEqual([{ resource: 'extra', entity: 'cities', code: ['s', 'l'], alias: 'called' }])
  })

  test('are refused where they are of nothing', () => {
    const { refused } = planOf({ cities, extra: { table: 'alias|of\nEcks|1\nEye|2', own: { role: 'aliases' } } })
    expect(refused[0]?.reason).toContain('no foreignKeys to a list of the package')
  })
})

describe('names of collections and fields', () => {
  test('a collection that another package has gets the name of the package before it', () => {
    const plan = planOf({ 'Offices.csv': { table: 'id|name\n1|a\n2|b' } }, [], new Set(['offices']))
    expect(plan.lists[0]?.entity).toMatchObject({ plural: 'parcel-post-offices', title: 'Offices' })
    expect(toldOf(plan).join()).toContain('published as "parcel-post-offices"')
  })

  test('a collection that would be another address gets it too, and one in any script has a name of letters', () => {
    const table = 'id|name\n1|a\n2|b'
    const plan = planOf({ search: { table }, tree: { table }, 通貨: { table } })
    expect(plan.lists.map(({ entity }) => entity.plural)).toEqual([
      'parcel-post-search',
      'parcel-post-tree',
      'u901au8ca8',
    ])
    expect(toldOf(plan).join()).toContain('since "search" means something else in addresses')
  })

  test('a key that is declared a number is one without any rows too', () => {
    const declared = { primaryKey: ['id'], fields: { id: { type: 'integer' } } }
    const kinds = ['id|name\n1|a', 'id|name'].map(
      (table) => planOf({ offices: { table, ...declared } }).lists[0]?.entity.fields.id?.kind,
    )
    expect(kinds).toEqual(['id', 'id'])
  })

  test('names of every object are left out, and told', () => {
    const plan = planOf({ offices: { table: 'id|__proto__|constructor|name|\n1|x|y|a|\n2|x|y|b|' } })
    expect(Object.keys(plan.lists[0]?.entity.fields ?? {})).toEqual(['id', 'name'])
    expect(plan.notes.filter(({ what }) => what.includes('left out')).map(({ field }) => field)).toEqual([
      '__proto__',
      'constructor',
      '',
    ])
  })

  test('descriptions and titles are of one line and never empty', () => {
    const fields = { name: { description: ' a\nb ', title: 'Name of it' }, id: { description: '  ' } }
    expect(oneList({ table: 'id|name\n1|a\n2|b', fields }).entity.fields).toMatchObject({
      id: { description: 'id' },
      name: { description: 'a b', title: 'Name of it' },
    })
  })
})

test('whatever the tables are, definitions are sound and every field is filled', () => {
  const cell = fc.oneof(
    fc.constantFrom('', '1', '2', 'A', 'A.1', 'x y', '2020-01-01', '19.4, -99.1'),
    fc.string({ maxLength: 5 }),
  )
  const name = fc.oneof(
    fc.constantFrom('id', 'code', 'name', 'name_en', 'parent', 'lat', 'b', 'a code', '__proto__'),
    fc.string({ maxLength: 8 }),
  )
  const table = fc.uniqueArray(name, { minLength: 1, maxLength: 6 }).chain((header) =>
    fc.record({
      header: fc.constant(header),
      columns: fc
        .integer({ min: 0, max: 6 })
        .chain((rows) => fc.tuple(...header.map(() => fc.array(cell, { minLength: rows, maxLength: rows })))),
    }),
  )
  fc.assert(
    fc.property(fc.array(table, { minLength: 1, maxLength: 3 }), (tables) => {
      const names = ['a', 'b', 'codes of a']
      const descriptor = descriptorOf(tables.map((_, at) => resourceOf(names[at] as string, { table: '' })))
      const profiles = new Map(
        tables.map(({ header, columns }, at) => {
          const rows = (columns[0] ?? []).map((_, row) => columns.map((column) => column[row] as string))
          return [names[at] as string, profileOf({ header, rows })]
        }),
      )
      const { lists, refused, aliases } = planned(descriptor, profiles)
      expect(lists.length + refused.length + aliases.length).toBe(tables.length)
      const known = new Map<string, EntityData>()
      for (const { entity, fields, resource } of lists) {
        expect(parseDefinition(entity, known)).toEqual({ definition: entity })
        known.set(entity.name, entity)
        expect([...fields.keys()].toSorted()).toEqual(Object.keys(entity.fields).toSorted())
        for (const { columns } of fields.values())
          for (const column of columns)
            expect(profiles.get(resource)?.columns.map(({ name }) => name)).toContain(column)
      }
    }),
    { numRuns: 100 },
  )
})
