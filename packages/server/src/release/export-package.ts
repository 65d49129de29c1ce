// Writes a release as a data package: a table of CSV for each list, and a descriptor from which the same release is built again.
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { OperationalError } from '../base/operational-error.ts'
import type { EntityData } from '../catalog/catalog.ts'
import type { Values } from '../catalog/entity.ts'
import { columnNames, type KnownDefinitions } from '../source/package/columns.ts'
import { ALIAS_COLUMNS } from '../source/package/defined-aliases.ts'
import { PROFILE_FILE, PROFILE_REFERENCE, profileText } from '../source/package/profile-file.ts'
import { type BoundaryFile, shapeJson } from './boundaries/boundary-file.ts'
import { shapeReader } from './boundaries/boundary-records.ts'
import { DurableFile, syncDirectory } from './files/durable-file.ts'
import { scanEntity } from './files/scan.ts'
import { numberingOf, type ReleasedPackage } from './manifest.ts'
import { codeReader } from './official-codes.ts'
import type { Release, StoredEntity } from './release.ts'
import { definitionsOf } from './signing/release-signature.ts'

export const DESCRIPTOR_FILE = 'datapackage.json'

/** Says how many records each file has. Nothing appears under its name before everything is written. */
export function exportPackage(release: Release, directory: string, { overwrite }: { readonly overwrite: boolean }) {
  const known = new Map(definitionsOf(release).map((definition) => [definition.name, definition]))
  const { aliases = [] } = release.manifest
  const tables = [...known.values()].map((entity) => ({
    file: fileOf(entity.name),
    lines: linesOf(release, entity, known),
  }))
  for (const entity of withBoundaries(release, known))
    tables.push({ file: boundariesOf(entity.name), lines: featureLines(release, entity, known) })
  if (aliases.length > 0) tables.push({ file: ALIASES, lines: aliasLines(aliases) })
  const names = [...tables.map(({ file }) => file), DESCRIPTOR_FILE, PROFILE_FILE]
  mkdirSync(directory, { recursive: true })
  refuseClashes(directory, names, overwrite)
  const partial = (name: string) => join(directory, `${name}.partial`)
  try {
    const counts = tables.map(({ file, lines }) => [file, writeLines(partial(file), lines)] as const)
    writeLines(partial(DESCRIPTOR_FILE), [`${JSON.stringify(descriptorOf(release, known), null, 2)}\n`])
    writeLines(partial(PROFILE_FILE), [profileText()])
    for (const name of names) renameSync(partial(name), join(directory, name))
    syncDirectory(directory)
    return Object.fromEntries(counts)
  } finally {
    for (const name of names) rmSync(partial(name), { force: true })
  }
}

const fileOf = (list: string) => `${list}.csv`
const boundariesOf = (list: string) => `${list}.geojson`
/** No list is named so: a name begins with a letter. */
const ALIASES = '_aliases.csv'

function refuseClashes(directory: string, names: readonly string[], overwrite: boolean): void {
  const there = names.filter((name) => existsSync(join(directory, name)))
  if (there.length > 0 && !overwrite)
    throw new OperationalError(
      `${directory} already holds ${there.join(', ')}; export to another directory, or give --overwrite`,
    )
}

/** The number of lines after the first. */
function writeLines(path: string, lines: Iterable<string>): number {
  rmSync(path, { force: true })
  using file = new DurableFile(path)
  let count = -1
  for (const line of lines) {
    file.write(Buffer.from(line))
    count++
  }
  file.finish()
  return count
}

/** Characters that could be taken for something else than a part of the value. */
const NEEDS_QUOTES = /[",;|\r\n\t]|^\s|\s$/

const cellOf = (value: string | number) =>
  typeof value === 'string' && NEEDS_QUOTES.test(value) ? `"${value.replaceAll('"', '""')}"` : value
const csvLine = (cells: readonly (string | number)[]) => `${cells.map(cellOf).join(',')}\n`

function* aliasLines(aliases: NonNullable<Release['manifest']['aliases']>): Generator<string> {
  yield csvLine(ALIAS_COLUMNS)
  for (const alias of aliases) yield csvLine(ALIAS_COLUMNS.map((column) => alias[column]))
}

function* linesOf(release: Release, entity: EntityData, known: KnownDefinitions): Generator<string> {
  const columns = [...columnNames(entity, known)]
  yield csvLine(columns.flatMap(([, names]) => names))
  const { definition, stored } = release.entity(entity.name)
  for (const page of scanEntity(definition, stored as StoredEntity))
    for (const row of page) yield csvLine(columns.flatMap(([field, { length }]) => cellsOf(row, field, length)))
}

/** A reference of several columns is one text with its parts joined. */
function cellsOf(row: Values, field: string, columns: number): readonly (string | number)[] {
  const value = row[field]
  if (value === undefined) return Array(columns).fill('')
  return columns === 1 ? [value] : String(value).split('\0')
}

type Json = Readonly<Record<string, unknown>>

/** The types of Table Schema that columns have, by the type of the field. */
const COLUMN_TYPES = {
  text: 'string',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  date: 'date',
  year: 'year',
  list: 'array',
} as const

function descriptorOf(release: Release, known: KnownDefinitions): Json {
  const { packages = [], aliases = [], source, digest } = release.manifest
  const resources = [
    ...[...known.values()].map((entity) => resourceOf(release, entity, known)),
    ...withBoundaries(release, known).map((entity) => boundaryResource(entity, known)),
  ]
  const [only, ...others] = packages
  const isOne = only !== undefined && others.length === 0 && only.lists.length === known.size
  return {
    $schema: PROFILE_REFERENCE,
    ...(isOne ? standardInfo(only) : { name: 'catalogs', title: `Release ${digest.slice(0, 12)} of Nomenclator` }),
    resources: aliases.length === 0 ? resources : [...resources, aliasResource()],
    'nomenclator:packages': packages.map(({ definitions: _, ...info }) => filled(info)),
    'nomenclator:credits': source.credits,
  }
}

const standardInfo = ({ definitions: _, lists: __, described: ___, ...info }: ReleasedPackage): Json => filled(info)

/** The standard allows no list without entries. */
const filled = (properties: Json): Json =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => !Array.isArray(value) || value.length > 0))

const aliasResource = (): Json => ({
  name: 'aliases',
  path: ALIASES,
  format: 'csv',
  schema: { fields: ALIAS_COLUMNS.map((name) => ({ name, type: 'string' })) },
  'nomenclator:role': 'aliases',
})

const withBoundaries = (release: Release, known: KnownDefinitions) =>
  [...known.values()].filter(({ name }) => release.entity(name).boundaries('full') !== undefined)

/** The property of a feature with the official code of its record; no column is named so. */
const CODE = '_code'

function boundaryResource(entity: EntityData, known: KnownDefinitions): Json {
  const columns = columnNames(entity, known)
  const key = entity.key.flatMap((field) => (columns.get(field) ?? []).map((column) => ({ field, column })))
  const fields = key.map(({ column }) => column)
  return {
    name: `${entity.name}.boundaries`,
    path: boundariesOf(entity.name),
    format: 'geojson',
    mediatype: 'application/geo+json',
    schema: {
      fields: [
        ...key.map(({ field, column }) => columnOf(entity, field, column)),
        { name: CODE, type: 'string', description: 'official code' },
      ],
      foreignKeys: [{ fields, reference: { resource: entity.name, fields } }],
    },
    'nomenclator:code': [CODE],
  }
}

/** A collection with the shapes of the records that have one, a feature a line. */
function* featureLines(release: Release, entity: EntityData, known: KnownDefinitions): Generator<string> {
  const open = release.entity(entity.name)
  const { definition, stored } = open
  const columns = columnNames(entity, known)
  const file = open.boundaries('full') as BoundaryFile
  const [codeAt, shapeAt] = [codeReader(release, definition), shapeReader(release, definition, file)]
  yield '{"type":"FeatureCollection","features":[\n'
  let position = 0
  let line = ''
  for (const page of scanEntity(definition, stored as StoredEntity))
    for (const row of page) {
      const [code, shape] = [codeAt(position), shapeAt(position)]
      position++
      if (shape === undefined) continue
      const key = entity.key.flatMap((field) => {
        const names = columns.get(field) ?? []
        return cellsOf(row, field, names.length).map((cell, at) => [names[at], cell] as const)
      })
      const properties = JSON.stringify({ ...Object.fromEntries(key), [CODE]: code })
      if (line !== '') yield `${line},\n`
      line = `{"type":"Feature","properties":${properties},"geometry":${shapeJson(file.polygonsOf(shape))}}`
    }
  yield `${line}]}\n`
}

function resourceOf({ manifest }: Release, entity: EntityData, known: KnownDefinitions): Json {
  const { name, plural, title, titles, description, group, order, code, v1 } = entity
  const columns = columnNames(entity, known)
  const given = (properties: Json) =>
    Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined))
  return given({
    name,
    title,
    description,
    path: fileOf(name),
    format: 'csv',
    encoding: 'utf-8',
    schema: {
      fields: [...columns].flatMap(([field, names]) => names.map((column) => columnOf(entity, field, column))),
      missingValues: [''],
      primaryKey: entity.key.flatMap((field) => columns.get(field) ?? []),
      ...filled({ foreignKeys: foreignKeysOf(entity, columns, known) }),
    },
    'nomenclator:collection': plural,
    'nomenclator:title': titles,
    'nomenclator:group': group,
    'nomenclator:order': order,
    'nomenclator:code': code,
    'nomenclator:v1': v1 === undefined ? undefined : plural,
    'nomenclator:numbering': numberingOf(manifest, name),
    'nomenclator:definition': entity,
  })
}

function foreignKeysOf(entity: EntityData, columns: ReadonlyMap<string, readonly string[]>, known: KnownDefinitions) {
  return Object.entries(entity.fields).flatMap(([name, field]) => {
    if (field.kind !== 'embed' && field.kind !== 'broader') return []
    const parent = field.kind === 'embed' ? (known.get(field.entity) as EntityData) : entity
    const ofParent = columnNames(parent, known)
    const fields = parent.key.flatMap((part) => ofParent.get(part) ?? [])
    return [{ fields: columns.get(name), reference: { resource: field.kind === 'embed' ? parent.name : '', fields } }]
  })
}

function columnOf(entity: EntityData, name: string, column: string): Json {
  const field = entity.fields[name] as EntityData['fields'][string]
  const { title, description } = field
  const own = { name: column, ...(title === undefined ? {} : { title }), description }
  switch (field.kind) {
    case 'id':
      return { ...own, type: COLUMN_TYPES.integer, constraints: { required: true } }
    case 'value':
      return { ...own, type: COLUMN_TYPES[field.type], ...roleOf(field.role) }
    case 'fact':
      return { ...own, type: COLUMN_TYPES[field.type], ...roleOf(field.kind), ...languageOf(field) }
    case 'name':
    case 'code':
      return { ...own, type: COLUMN_TYPES.text, ...roleOf(field.kind), ...languageOf(field) }
    default:
      return { ...own, type: 'any' }
  }
}

const roleOf = (role: string | undefined) => (role === undefined ? {} : { 'nomenclator:role': role })
const languageOf = (field: object) =>
  'language' in field && field.language !== undefined ? { 'nomenclator:language': field.language } : {}
