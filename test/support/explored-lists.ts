// Three lists of a package to explore, none of them built in: keys of any text, a tree, and values of every type.
import { type Catalog, catalogOf } from '../../packages/server/src/catalog/catalog.ts'
import type { Entity } from '../../packages/server/src/catalog/entity.ts'
import { Release } from '../../packages/server/src/release/release.ts'
import type { GivenRow } from '../../packages/server/src/source/source.ts'
import { entity } from './definitions.ts'
import { HOSTILE_NAMES } from './explored.ts'
import { type Rows, sourceOf, TestHome } from './releases.ts'
import { serverOf, type TestServer } from './server.ts'

const PACKAGE = 'trade'
const ANY = { pattern: /^.+$/u, shape: 'any text' } as const

/** A tree of goods, each of which is called something in up to three languages. */
const good: Entity = entity({
  name: 'good',
  plural: 'goods',
  title: 'HS goods',
  titles: { es: 'Mercancías del SA', en: 'HS goods' },
  description: 'What is traded.\nBy section, chapter and heading.',
  package: PACKAGE,
  fields: {
    code: { kind: 'code', description: 'code of the good', title: 'Código SA', ...ANY },
    name_en: { kind: 'name', description: 'name in English', language: 'en', optional: true },
    name_es: { kind: 'name', description: 'name in Spanish', language: 'es', optional: true },
    name_fr: { kind: 'name', description: 'name in French', language: 'fr', optional: true },
    parent: { kind: 'broader', description: 'what it is a kind of', optional: true },
  },
  key: ['code'],
  code: ['code'],
  order: 'as given',
})

/** Units, whose key is a system and a sign in it, with a value of every type. */
const unit: Entity = entity({
  name: 'unit',
  plural: 'units',
  title: 'Units & measures',
  package: PACKAGE,
  fields: {
    system: { kind: 'code', description: 'system', ...ANY },
    sign: { kind: 'code', description: 'sign in its system', ...ANY },
    'Name, of.unit': { kind: 'name', description: 'name', optional: true },
    note: { kind: 'value', type: 'text', role: 'description', description: 'note', optional: true },
    factor: { kind: 'value', type: 'number', description: 'factor', optional: true },
    'uses, per.year': { kind: 'value', type: 'integer', description: 'uses', optional: true },
    official: { kind: 'value', type: 'boolean', description: 'whether it is official', optional: true },
    adopted: { kind: 'value', type: 'date', description: 'when it was adopted', optional: true },
    since: { kind: 'value', type: 'year', description: 'since when', optional: true },
    spellings: { kind: 'value', type: 'list', role: 'alias', description: 'other spellings', optional: true },
    'Home Page': {
      kind: 'value',
      type: 'text',
      title: 'Website',
      description: 'where it is explained',
      optional: true,
    },
    'Media Type': { kind: 'value', type: 'text', description: 'a kind, of which there are few', optional: true },
  },
  key: ['system', 'sign'],
  code: ['system', 'sign'],
  order: 'as given',
})

/** Offices on a map, which may deal with a good and count it in a unit. */
const office: Entity = entity({
  name: 'office',
  plural: 'offices',
  title: 'Offices',
  package: PACKAGE,
  fields: {
    office: { kind: 'code', description: 'office', ...ANY },
    title: { kind: 'name', description: 'name' },
    'dealt with': { kind: 'embed', entity: good, description: 'what it deals with', optional: true },
    'counts in': { kind: 'embed', entity: unit, description: 'the unit that it counts in', optional: true },
    north: { kind: 'value', type: 'number', role: 'latitude', description: 'latitude', optional: true },
    east: { kind: 'value', type: 'number', role: 'longitude', description: 'longitude', optional: true },
  },
  key: ['office'],
  code: ['office'],
  order: 'as given',
})

export const catalog: Catalog = catalogOf([good, unit, office])

const goods: readonly GivenRow[] = [
  { code: 'I', name_en: 'Live animals', name_es: 'Animales vivos', name_fr: 'Animaux vivants' },
  { code: 'I/01', name_en: 'Horses', name_es: 'Caballos', name_fr: 'Chevaux', parent: 'I' },
  { code: 'I/01/é ñ,1', name_en: 'Asses', name_fr: 'Ânes', parent: 'I/01' },
  { code: 'I/01/é ñ,1?#%', name_es: 'Mulas & burdéganos', parent: 'I/01/é ñ,1' },
  { code: 'nameless', parent: 'I' },
  { code: 'II', name_es: 'Plantas', name_en: 'Plants' },
  // Each of the two is above the other.
  { code: 'hen', name_es: 'Gallina', name_en: 'Hen', parent: 'egg' },
  { code: 'egg', name_es: 'Huevo', name_en: 'Egg', parent: 'hen' },
  ...HOSTILE_NAMES.map((name, at) => ({ code: `<b>${at}"'`, name_es: name, name_en: name, parent: 'II' })),
]

const kinds = ['solid', 'liquid']
const units: readonly GivenRow[] = [
  {
    system: 'si/metric',
    sign: 'm²,x',
    'Name, of.unit': 'Square metre',
    note: 'First line\nsecond <b>line</b>',
    factor: '1234567.50',
    'uses, per.year': '12345678901234567890',
    official: 'true',
    adopted: '1960-10-14',
    since: '1960',
    spellings: '["sq m","<i>qm</i>"]',
    'Home Page': 'https://example.org/m2?a=1&b=2',
    'Media Type': 'solid',
  },
  { system: 'si/metric', sign: 'bare' },
  { system: 'imperial', sign: 'ft', 'Name, of.unit': 'Foot', official: 'false', 'Home Page': 'javascript:attacked()' },
  ...Array.from({ length: 30 }, (_, at) => ({
    system: 'other',
    sign: `u${at}`,
    'Name, of.unit': `Unit ${at}`,
    official: at % 2 === 0 ? 'true' : 'false',
    'Media Type': kinds[at % 2] as string,
  })),
]

const offices: readonly GivenRow[] = [
  {
    office: 'a/1',
    title: 'North office',
    'dealt with': 'I/01',
    'counts in': 'si/metric\0m²,x',
    north: '52.50',
    east: '13.4',
  },
  { office: 'b', title: 'South office', 'dealt with': 'II', north: '48.1', east: '11.5' },
  { office: 'c', title: 'Office without a place' },
  { office: 'd', title: 'East office', north: '51.1', east: '17.0' },
]

export const rows: Rows = { good: goods, unit: units, office: offices }

/** The description of the package. */
export const information = {
  name: PACKAGE,
  title: 'Trade <lists>',
  description: 'Lists for trade.\nIn three files.',
  version: '1.2.0',
  homepage: 'https://example.org/trade',
  licenses: [{ name: 'CC0-1.0', title: 'Public domain', path: 'https://example.org/licence' }],
  sources: [{ title: 'World office', path: 'javascript:attacked()' }],
  keywords: ['trade', 'goods'],
  contributors: [{ title: 'Ada <script>', role: 'author' }],
  lists: ['good', 'unit', 'office'],
}

export type ExploredLists = {
  readonly server: TestServer
  readonly release: Release
  readonly close: () => Promise<void>
}

export async function exploredLists(): Promise<ExploredLists> {
  const home = new TestHome()
  await home.import(sourceOf(rows, {}, catalog), { acceptChanges: true })
  const current = home.current()
  const entities = new Map([...current.catalog.entities.keys()].map((name) => [name, current.entity(name)]))
  const release = new Release({ ...current.manifest, packages: [information] } as never, current.catalog, entities)
  const server = serverOf(() => release, {}, home.store)
  return {
    server,
    release,
    close: async () => {
      await server.close()
      home[Symbol.dispose]()
    },
  }
}
