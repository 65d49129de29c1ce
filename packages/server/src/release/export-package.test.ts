// An exported package, imported into an empty home, is the same release: any keys, references, trees, values and languages.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { builtIn, entityNames } from '../../../../test/support/built-in.ts'
import { withFirstLocalities } from '../../../../test/support/fewer-localities.ts'
import { nothing, sourceOfPackages } from '../../../../test/support/packages.ts'
import { profileFaults } from '../../../../test/support/profile.ts'
import { sourceOf, TestDirectory, TestHome, tiny } from '../../../../test/support/releases.ts'
import { shippedFile } from '../base/program.ts'
import { catalogOf } from '../catalog/catalog.ts'
import { rowChecker } from '../catalog/check.ts'
import {
  type Entity,
  embedsOf,
  type FactField,
  type Field,
  factsOf,
  identityOf,
  VALUE_TYPES,
  type Values,
  type ValueType,
} from '../catalog/entity.ts'
import { bundledSource } from '../source/bundled.ts'
import { Faults } from '../source/faults.ts'
import { Findings } from '../source/findings.ts'
import type { Descriptor } from '../source/package/descriptor.ts'
import { exportedSource, isExported } from '../source/package/exported.ts'
import { directoryFiles } from '../source/package/package-files.ts'
import { parseDescriptor } from '../source/package/parse-descriptor.ts'
import type { Source } from '../source/source.ts'
import { exportPackage } from './export-package.ts'
import type { Release } from './release.ts'

setDefaultTimeout(180_000)

async function opened(directory: string): Promise<Source> {
  const [faults, findings] = [new Faults(), new Findings()]
  const json = JSON.parse(readFileSync(join(directory, 'datapackage.json'), 'utf8'))
  const context = { file: 'datapackage.json', fallbackName: 'x', faults, findings }
  const descriptor = parseDescriptor(json, context) as Descriptor
  expect(isExported(descriptor)).toBe(true)
  expect(findings.list()).toEqual([])
  return exportedSource(descriptor, directory, directoryFiles(directory).find)
}

/** The manifest that the export of a release has in a home of its own. */
async function importedAgain(release: Release) {
  using directory = new TestDirectory()
  using home = new TestHome()
  exportPackage(release, directory.path, { overwrite: false })
  expect(profileFaults(JSON.parse(readFileSync(join(directory.path, 'datapackage.json'), 'utf8')))).toEqual([])
  await home.import(await opened(directory.path), { fallback: nothing })
  return home.current().manifest
}

const contentOf = ({ digest, entities, packages, aliases }: Release['manifest']) => ({
  digest,
  entities,
  packages,
  aliases,
})

const NASTY = [
  'a',
  'é',
  '"',
  ',',
  ';',
  '|',
  "'",
  '=',
  '-',
  '.',
  '0',
  '1',
  ' ',
  '\u00a0',
  '\ufeff',
  '日',
  '𝒳',
  'NA',
  'null',
]
const words = fc.array(fc.constantFrom(...NASTY), { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''))
const nameTexts = words.filter((text) => text.trim() !== '')
const longTexts = fc.array(fc.constantFrom(...NASTY, '\n', '\r\n', '\r', '\t'), { minLength: 1, maxLength: 8 })

const VALUES: Readonly<Record<ValueType, fc.Arbitrary<string>>> = {
  text: longTexts.map((parts) => parts.join('')),
  integer: fc.constantFrom('0', '-12', '12345678901234567890'),
  number: fc.constantFrom('1.50', '-0', '-0.00', '1e5', '3', '0.1000000000000000055511151231257827'),
  boolean: fc.constantFrom('true', 'false'),
  date: fc.constantFrom('2026-11-30', '2026-11', '-0044-03-15', '2026-11-30T12:00:00Z'),
  year: fc.constantFrom('2026', '-44', '0'),
  list: fc
    .array(fc.oneof(words, fc.integer(), fc.boolean(), fc.constant(null)), { maxLength: 3 })
    .map((all) => JSON.stringify(all)),
}

const described = { description: 'a field' }
const anyText = { pattern: /^[^\n]+$/, shape: 'any text' }

type Made = { readonly entity: Entity; readonly rows: readonly Values[] }
type Wanted = {
  readonly key: 'id' | 'code' | 'two codes' | 'record and code'
  readonly order: Entity['order']
  readonly values: readonly { readonly type: ValueType; readonly optional: boolean }[]
  readonly languages: readonly (string | undefined)[]
  readonly references: readonly { readonly to: number; readonly optional: boolean }[]
  readonly isTree: boolean
  readonly rows: number
  readonly package: string | undefined
}

const wantedLists = fc.array(
  fc.record<Wanted>({
    key: fc.constantFrom('id', 'code', 'two codes', 'record and code'),
    order: fc.constantFrom('by key', 'as given'),
    values: fc.array(fc.record({ type: fc.constantFrom(...VALUE_TYPES), optional: fc.boolean() }), { maxLength: 4 }),
    languages: fc.array(fc.constantFrom('es', 'en', undefined), { maxLength: 3 }),
    references: fc.array(fc.record({ to: fc.nat(9), optional: fc.boolean() }), { maxLength: 2 }),
    isTree: fc.boolean(),
    rows: fc.nat(6),
    package: fc.constantFrom(undefined, 'one', 'two'),
  }),
  { minLength: 1, maxLength: 5 },
)

/** Names of fields that need quotes, or that look like the columns of a reference. */
const fieldName = (prefix: string, at: number) =>
  [`${prefix} ${at}, "x"`, `${prefix}.${at}`, `${prefix}${at}`][at % 3] as string

function listFrom(wanted: Wanted, at: number, before: readonly Made[], draw: fc.GeneratorValue): Made {
  const fields: Record<string, Field> = {}
  const parents = new Map<string, Made>()
  const embed = (name: string, to: number, optional: boolean) => {
    // A record that must refer to one needs one that is there.
    const known = before.filter(({ rows }) => optional || rows.length > 0)
    const parent = known[to % Math.max(known.length, 1)]
    if (parent === undefined) return false
    parents.set(name, parent)
    fields[name] = {
      kind: 'embed',
      entity: parent.entity,
      ...described,
      ...(optional ? { optional: true as const } : {}),
    }
    return true
  }
  const hasOwner = wanted.key === 'record and code' && embed('owner', at, false)
  const key =
    wanted.key === 'id'
      ? ['id']
      : wanted.key === 'two codes'
        ? ['code', 'code 2']
        : [...(hasOwner ? ['owner'] : []), 'code']
  if (wanted.key === 'id') fields.id = { kind: 'id', ...described }
  for (const name of ['code', 'code 2']) fields[name] = { kind: 'code', ...anyText, ...described }
  for (const [index, language] of wanted.languages.entries())
    fields[fieldName('name', index)] = {
      kind: 'name',
      ...described,
      ...(language === undefined ? {} : { language }),
      ...(index > 0 ? { optional: true as const } : {}),
    }
  for (const [index, { to, optional }] of wanted.references.entries()) embed(fieldName('ref', index), to, optional)
  for (const [index, { type, optional }] of wanted.values.entries())
    fields[fieldName('value', index)] = {
      kind: 'value',
      type,
      ...described,
      ...(optional ? { optional: true as const } : {}),
    }
  if (wanted.isTree && key.length === 1) fields['part of'] = { kind: 'broader', optional: true, ...described }
  // Without a package, references that lead to different records of one list are refused.
  const of = wanted.package ?? (parents.size > 0 ? 'one' : undefined)
  const entity: Entity = {
    name: `list${at}`,
    plural: `lists-${at}`,
    title: `List ${at}`,
    ...(of === undefined ? {} : { package: of }),
    titles: { es: `Lista ${at}` },
    fields,
    key,
    code: ['code'],
    order: wanted.order,
    expects: [],
  }
  const rows: Values[] = []
  for (let row = 0; row < wanted.rows; row++) rows.push(rowFrom(entity, row, rows, parents, draw))
  return { entity, rows }
}

function rowFrom(
  entity: Entity,
  at: number,
  earlier: readonly Values[],
  parents: ReadonlyMap<string, Made>,
  draw: fc.GeneratorValue,
): Values {
  const row: Record<string, string | number> = {}
  for (const [name, field] of Object.entries(entity.fields)) {
    if ('optional' in field && field.optional && draw(fc.boolean)) continue
    const parent = parents.get(name)
    if (field.kind === 'id') row[name] = at * 3 + 1
    // The number makes it a code that no other record has.
    else if (field.kind === 'code') row[name] = `${draw(() => words)}${at}`
    else if (field.kind === 'name') row[name] = draw(() => nameTexts)
    else if (field.kind === 'value') row[name] = draw(() => VALUES[field.type])
    else if (parent !== undefined && parent.rows.length > 0)
      row[name] = identityOf(parent.entity, parent.rows[draw(fc.nat, parent.rows.length - 1)] as Values)
    else if (field.kind === 'broader' && earlier.length > 0)
      row[name] = identityOf(entity, earlier[draw(fc.nat, earlier.length - 1)] as Values)
  }
  return row
}

function sourceFrom(wanted: readonly Wanted[], draw: fc.GeneratorValue): Source {
  const made: Made[] = []
  for (const [at, one] of wanted.entries()) made.push(listFrom(one, at, made, draw))
  const rows = Object.fromEntries(made.map((one) => [one.entity.name, one.rows]))
  const names = [...new Set(made.flatMap(({ entity }) => entity.package ?? []))]
  const infos = names.map((name) => ({
    name,
    title: 'Título',
    version: '1.0',
    licenses: [{ name: 'PDDL-1.0', path: 'https://example.org' }],
    sources: [{ title: 'a, "source"' }],
    keywords: [],
    contributors: [{ title: 'Someone', roles: ['author'] }],
    lists: made.filter(({ entity }) => entity.package === name).map(({ entity }) => entity.name),
  }))
  return sourceOfPackages(sourceOf(rows, {}, catalogOf(made.map(({ entity }) => entity))), infos)
}

test('a release of any lists is the same again, down to its index', async () => {
  await fc.assert(
    fc.asyncProperty(wantedLists, fc.gen(), async (wanted, draw) => {
      using home = new TestHome()
      await home.import(sourceFrom(wanted, draw), { fallback: nothing })
      const release = home.current()
      expect(contentOf(await importedAgain(release))).toEqual(contentOf(release.manifest))
    }),
    { numRuns: 15 },
  )
})

/** Names of everything that may be printed, and what trips up those who write CSV by hand. */
const anyName = fc
  .array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...NASTY, "'=", '\\', '\u2028', '{')))
  .map((pieces) => pieces.join(''))

/** Numbers that are hardest to write among them. */
function anyFact(fact: FactField): fc.Arbitrary<string | number> {
  if (fact.type === 'text') return fc.stringMatching(fact.pattern)
  const { min, max } = fact
  if (fact.type === 'integer') return fc.integer({ min, max })
  return fc.oneof(fc.double({ min, max, noNaN: true }), fc.constantFrom(0, 1e-7, -1e-21)).map((number) => number + 0)
}

function anyRow(entity: Entity): fc.Arbitrary<Values> {
  const facts = factsOf(entity).map(([field, fact]) => [field, anyFact(fact)] as const)
  const cells = Object.entries(entity.fields).flatMap(
    ([field, definition]): [string, fc.Arbitrary<string | number>][] => {
      if (definition.kind === 'copy' || definition.kind === 'fact') return []
      if (definition.kind === 'code') return [[field, fc.stringMatching(definition.pattern)]]
      return [[field, definition.kind === 'name' ? anyName : fc.integer({ min: 0, max: 2_147_483_647 })]]
    },
  )
  const check = rowChecker(entity)
  return fc
    .record(Object.fromEntries([...cells, ...facts]), { requiredKeys: cells.map(([field]) => field) })
    .filter((row) => check(row as Values).length === 0) as fc.Arbitrary<Values>
}

/** With the parents that a row drew replaced by some that exist; nothing where there are none. */
function adopted(entity: Entity, row: Values, rows: Readonly<Record<string, readonly Values[]>>): Values[] {
  const parents: Record<string, string | number> = {}
  for (const [field, parent] of embedsOf(entity)) {
    const candidates = rows[parent.name] ?? []
    const chosen = candidates[(row[field] as number) % candidates.length]
    if (chosen === undefined) return []
    parents[field] = chosen[parent.key[0] as string] as number
  }
  return [{ ...row, ...parents }]
}

/** Rows of all built-in lists: no key twice, and each parent is one of those that are there. */
const builtInRows = fc
  .record(
    Object.fromEntries(
      entityNames.map((name) => {
        const key = builtIn(name).key.at(-1) as string
        return [name, fc.uniqueArray(anyRow(builtIn(name)), { maxLength: 30, selector: (row) => row[key] })]
      }),
    ),
  )
  .map((drawn) => {
    const rows: Record<string, Values[]> = {}
    for (const name of entityNames) rows[name] = (drawn[name] ?? []).flatMap((row) => adopted(builtIn(name), row, rows))
    return rows
  })

test('so is that of any rows of the built-in lists, with any facts', async () => {
  await fc.assert(
    fc.asyncProperty(builtInRows, async (rows) => {
      using home = new TestHome()
      await home.import(sourceOf(rows), { fallback: nothing })
      const release = home.current()
      expect(contentOf(await importedAgain(release))).toEqual(contentOf(release.manifest))
    }),
    { numRuns: 6 },
  )
})

describe('of the bundled data, with its facts, numbering and credits,', () => {
  // Its first localities do for a release; a nightly test reads the others.
  const home = new TestHome()
  beforeAll(() => home.import(withFirstLocalities(bundledSource())))
  afterAll(() => home[Symbol.dispose]())

  test('an export is the same release again', async () => {
    const { manifest } = home.current()
    const again = await importedAgain(home.current())
    expect(contentOf(again)).toEqual(contentOf(manifest))
    expect(again.source.credits).toEqual(manifest.source.credits)
  })

  test('the package that ships with the program is that release, and has the same rows', async () => {
    using other = new TestHome()
    const shipped = await opened(shippedFile('data'))
    await other.import(withFirstLocalities(shipped), { fallback: nothing })
    const [{ manifest }, { manifest: expected }] = [other.current(), home.current()]
    expect(contentOf(manifest)).toEqual(contentOf(expected))
    expect(manifest.source.credits).toEqual(expected.source.credits)
    expect(await digestOfRows(shipped, 'municipio')).toBe(await digestOfRows(bundledSource(), 'municipio'))
  })
})

async function digestOfRows(source: Source, name: string): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  for await (const { rows } of source.read(name, { faults: new Faults(), findings: new Findings() }))
    hasher.update(JSON.stringify(rows))
  return hasher.digest('hex')
}

test('a table needs no column for a fact that is not known, and one for all else', async () => {
  using directory = new TestDirectory()
  using home = new TestHome()
  await home.import(sourceOf({ pais: tiny.pais, estado: tiny.estado }), { fallback: nothing })
  exportPackage(home.current(), directory.path, { overwrite: false })
  const table = join(directory.path, 'estado.csv')
  const rows = readFileSync(table, 'utf8').trimEnd().split('\n')
  expect(rows[0]).toEndWith(',idPais,poblacion,poblacionMasculina,poblacionFemenina,viviendas')
  writeFileSync(table, rows.map((row) => row.replace(/(,[^,]*){4}$/, '\n')).join(''))
  await home.import(await opened(directory.path), { fallback: nothing })
  writeFileSync(table, readFileSync(table, 'utf8').replace(',idPais', ',pais'))
  await expect(home.import(await opened(directory.path), { fallback: nothing })).rejects.toThrow('idPais: nothing')
})

test('aliases that were imported are there again', async () => {
  using home = new TestHome()
  const alias = { entity: 'pais', code: 'MEX', alias: 'Méjico, "los"', reason: 'older' }
  await home.import({ ...sourceOf(tiny), aliases: () => [alias] })
  const again = await importedAgain(home.current())
  expect(again.aliases).toEqual([alias])
  expect(again.digest).toBe(home.current().digest)
})

describe('a directory', () => {
  const exported = async (directory: string) => {
    using home = new TestHome()
    await home.import(sourceOf({ pais: tiny.pais }), { fallback: nothing })
    return exportPackage(home.current(), directory, { overwrite: false })
  }

  test('has a table for each list and the descriptor, and tells how much is in it', async () => {
    using directory = new TestDirectory()
    expect(await exported(directory.path)).toEqual({ 'pais.csv': 2 })
    expect(readdirSync(directory.path).sort()).toEqual(['datapackage.json', 'nomenclator.schema.json', 'pais.csv'])
    expect(readFileSync(join(directory.path, 'pais.csv'), 'utf8')).toBe(
      'cvePais,descPais,idPais,nombreEn\nFRA,Francia,250,\nMEX,México,484,\n',
    )
  })

  test('that holds one of the files is left as it is', async () => {
    using directory = new TestDirectory()
    mkdirSync(directory.path, { recursive: true })
    writeFileSync(join(directory.path, 'pais.csv'), 'mine')
    expect(exported(directory.path)).rejects.toThrow('already holds pais.csv')
    expect(readdirSync(directory.path)).toEqual(['pais.csv'])
    expect(readFileSync(join(directory.path, 'pais.csv'), 'utf8')).toBe('mine')
  })
})

describe('an export that someone has changed is refused', () => {
  type Json = { resources: Record<string, unknown>[]; [name: string]: unknown }
  const DEFINITION = 'nomenclator:definition'
  const definition = (json: Json) => json.resources[0]?.[DEFINITION] as { fields: Record<string, { pattern?: string }> }

  const changed = async (change: (json: Json, directory: string) => void) => {
    using directory = new TestDirectory()
    using home = new TestHome()
    await home.import(sourceOf({ pais: tiny.pais }), { fallback: nothing })
    exportPackage(home.current(), directory.path, { overwrite: false })
    const path = join(directory.path, 'datapackage.json')
    const json = JSON.parse(readFileSync(path, 'utf8'))
    change(json, directory.path)
    writeFileSync(path, JSON.stringify(json))
    using other = new TestHome()
    return await other.import(await opened(directory.path), { fallback: nothing })
  }

  const cases: readonly [string, (json: Json, directory: string) => void, string][] = [
    ['no fields', (json) => Object.assign(definition(json), { fields: {} }), 'it has no fields'],
    [
      'a collection that means something else',
      (json) => Object.assign(definition(json), { plural: 'search' }),
      'search means something else in addresses',
    ],
    [
      'titles that are no texts',
      (json) => Object.assign(definition(json), { titles: { es: 1 } }),
      'titles.es is 1; expected a line',
    ],
    [
      'a pattern that takes for ever',
      (json) => Object.assign(definition(json).fields.cvePais as object, { pattern: '^(a+)+\\1$' }),
      'expected a regular expression without references',
    ],
    [
      'a tree whose key is no text or number',
      (json) => {
        const { fields } = definition(json)
        const broader = { kind: 'broader', optional: true, description: 'above it' }
        Object.assign(definition(json), { fields: { ...fields, broader }, key: ['cvePais', 'idPais'] })
      },
      'it is a tree, and its key is not one identifier or code',
    ],
    ['a package without a name', (json) => Object.assign(json, { 'nomenclator:packages': [{}] }), 'one word'],
    ['a list twice', (json) => json.resources.push({ ...json.resources[0], name: 'b' }), 'defined twice'],
    [
      'credits for lists that are not there',
      (json) => Object.assign(json, { 'nomenclator:credits': [{ to: 'x', of: ['y'] }] }),
      'nomenclator:credits is not sound',
    ],
    ['another header', (_, directory) => writeFileSync(join(directory, 'pais.csv'), 'a,b\n1,2\n'), 'descPais: nothing'],
    [
      'a row that is short',
      (_, directory) => writeFileSync(join(directory, 'pais.csv'), 'cvePais,descPais,idPais\nMEX,México\n'),
      'pais.csv:2',
    ],
    [
      'a number that is none',
      (_, directory) => writeFileSync(join(directory, 'pais.csv'), 'cvePais,descPais,idPais\nMEX,México,x\n'),
      'idPais: "x"; expected a whole number',
    ],
  ]
  test.each(cases)('with %s', (_, change, wrong) => {
    expect(changed(change)).rejects.toThrow(wrong)
  })
})
