// A descriptor that was written from tables: it reads back to the same lists, with nothing left to infer.
import { describe, expect, test } from 'bun:test'
import { descriptorJson } from './describe.ts'
import type { Descriptor } from './descriptor.ts'
import { isComplete } from './infer/complete.ts'
import { infer } from './infer/infer.ts'
import { TableProfiler } from './infer/table-profile.ts'
import type { Plan } from './plan.ts'
import { plansOf } from './plan.ts'
import { PREFIX } from './profile.ts'

type Field = { readonly name: string } & Readonly<Record<string, unknown>>

const PLAIN: Omit<Descriptor, 'resources'> = {
  name: 'post',
  licenses: [],
  sources: [],
  keywords: [],
  contributors: [],
  own: new Map(),
}

const profilesOf = (tables: Readonly<Record<string, string>>) =>
  new Map(
    Object.entries(tables).map(([name, table]) => {
      const [header = [], ...rows] = table.split('\n').map((line) => line.split('|'))
      const profiler = new TableProfiler(header)
      profiler.add(rows)
      return [name, profiler.profile()] as const
    }),
  )

const bare = (tables: Readonly<Record<string, string>>): Descriptor => ({
  ...PLAIN,
  resources: Object.keys(tables).map((name) => ({ name, paths: [`${name}.csv`], own: new Map() })),
})

/** A descriptor as JSON, as the reader of descriptors would give it. */
function parsed(json: unknown): Descriptor {
  const given = JSON.parse(JSON.stringify(json)) as { resources: Record<string, unknown>[] }
  const ownOf = (properties: object) =>
    new Map(
      Object.entries(properties).flatMap(([name, value]) =>
        name.startsWith(PREFIX) ? [[name.slice(PREFIX.length), value]] : [],
      ),
    )
  const resources = given.resources.map((resource) => {
    const schema = resource.schema as { fields: Field[] }
    const fields = schema.fields.map((field) => ({ ...field, own: ownOf(field) }))
    return { ...resource, paths: [resource.path], own: ownOf(resource), schema: { ...schema, fields, own: new Map() } }
  })
  return { ...PLAIN, resources } as unknown as Descriptor
}

const TABLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a list with all kinds of values': {
    offices:
      'clave|nombre|floors|rate|renewed|open|year|valid_from|alias|zip_code|notes|WithdrawalDate\n' +
      '01|Centro|3|1.5|31/01/2020|true|1999|2001-01-01|Downtown|00100|x y|2003-07\n' +
      '02|Norte||2|28/02/2021|false|2001|2002-01-01||00200|z y|1989 to 1990',
  },
  'names in languages, with descriptions and other names': {
    units:
      'code|name_fr|name_en|display name|description_en|UN English Formal|UN French Formal\n' +
      'a|un|one|I|the first|the one|le un\nb|deux|two|II|the second|the two|le deux',
  },
  'references, to keys and to others': {
    offices: 'id|region|state|parent_id\n1|N|MX-A|\n2|S|MX-B|1\n3|S|MX-B|1',
    regions: 'code|name\nN|North\nS|South',
    states: 'code|iso2|name\n1|MX-A|x\n2|MX-B|y',
  },
  'a key of several, one of them a name': {
    parts: 'code|part name|weight\nA|big one|1\nA|small one|2\nB|big one|3\nB|small one|3',
  },
  'a key with a reference': {
    regions: 'code|name\nN|North\nS|South',
    offices: 'region|number|name\nN|1|a\nN|2|b\nS|1|a\nS|2|d',
  },
  'a tree by prefixes': { cofog: 'Code|DescriptionEN\n01|a\n01.1|b\n01.1.1|c\n01.1.2|d\n02|e\n02.1|f\n02.2|g\n01.2|h' },
  'places in one column': {
    offices: 'code|location\na|19.4, -99.1\nb|20, -103.3',
    shops: 'code|location\na|-99.1, 19.4\nb|-103.3, 20',
  },
  'other names of another list': {
    cities: 'code|name\nA|x\nB|y',
    'city-synonyms': 'synonym|code\nEcks|A\nWhy|B',
  },
}

const essence = ({ lists, aliases, refused }: Plan) => ({
  lists: lists.map(({ resource, entity, fields }) => ({ resource, entity, fields: [...fields] })),
  aliases,
  refused,
})

describe('what is described is taken for the same, and nothing is left to infer', () => {
  test.each(Object.entries(TABLES))('%s', (_, tables) => {
    const profiles = profilesOf(tables)
    const headers = new Map([...profiles].map(([name, { columns }]) => [name, columns.map((one) => one.name)]))
    const obeyed = (descriptor: Descriptor) =>
      plansOf(descriptor, headers, { taken: () => false, definitions: [], hasHome: false })
    const inferred = infer(bare(tables), profiles)
    expect(inferred.refused).toEqual([])
    expect(inferred.notes.length).toBeGreaterThan(0)
    const described = parsed(descriptorJson(inferred.descriptor))
    for (const resource of described.resources)
      expect([resource.name, isComplete(resource, headers.get(resource.name) ?? [])]).toEqual([resource.name, true])
    expect(essence(obeyed(described))).toEqual(essence(obeyed(inferred.descriptor)))
    const again = infer(described, profiles)
    expect(again.notes).toEqual([])
    expect(descriptorJson(again.descriptor)).toEqual(descriptorJson(described))
  })
})

test('a descriptor of plain words', () => {
  const tables = {
    offices: 'clave|nombre|region|floors\n01|Centro|N|3\n02|Norte|S|4',
    regions: 'code|name\nN|North\nS|South',
  }
  const traits = new Map([['offices', { delimiter: ';', encoding: 'windows-1252' }]])
  const { descriptor } = infer({ ...bare(tables), title: 'Post' }, profilesOf(tables))
  expect(descriptorJson(descriptor, traits)).toEqual({
    $schema: './nomenclator.schema.json',
    name: 'post',
    title: 'Post',
    resources: [
      {
        name: 'offices',
        path: 'offices.csv',
        type: 'table',
        encoding: 'windows-1252',
        dialect: { delimiter: ';' },
        'nomenclator:broader': false,
        schema: {
          fields: [
            { name: 'clave', type: 'string' },
            { name: 'nombre', type: 'string', 'nomenclator:role': 'name' },
            { name: 'region', type: 'string' },
            { name: 'floors', type: 'integer', 'nomenclator:role': 'fact' },
          ],
          primaryKey: ['clave'],
          foreignKeys: [{ fields: ['region'], reference: { resource: 'regions', fields: ['code'] } }],
        },
      },
      {
        name: 'regions',
        path: 'regions.csv',
        type: 'table',
        'nomenclator:broader': false,
        schema: {
          fields: [
            { name: 'code', type: 'string' },
            { name: 'name', type: 'string', 'nomenclator:role': 'name' },
          ],
          primaryKey: ['code'],
        },
      },
    ],
  })
})

test('what was declared stays, also where it could not be obeyed', () => {
  const tables = { offices: 'clave|nombre|zone\n01|Centro|N\n02|Norte|S' }
  const foreignKeys = [{ fields: ['zone'], reference: { package: 'world', resource: 'zones', fields: ['code'] } }]
  const fields = [{ name: 'zone', type: 'string', title: 'Zone', constraints: { maxLength: 1 }, own: new Map() }]
  const [resource] = bare(tables).resources
  const own = new Map([['order', 'by key']])
  const descriptor = {
    ...bare(tables),
    version: '2',
    resources: [
      { ...resource, name: 'offices', paths: ['o.csv'], own, schema: { fields, foreignKeys, own: new Map() } },
    ],
  }
  expect(descriptorJson(infer(descriptor, profilesOf(tables)).descriptor)).toMatchObject({
    version: '2',
    resources: [
      {
        'nomenclator:order': 'by key',
        schema: {
          fields: [{}, {}, { name: 'zone', title: 'Zone', constraints: { maxLength: 1 } }],
          primaryKey: ['clave'],
          foreignKeys,
        },
      },
    ],
  })
})
