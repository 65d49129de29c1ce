// A directory of files is a source: which files it may have, what it provides, and what is reported of several bad files.
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Failure } from '../../base/failure.ts'
import type { Entity, Field } from '../../catalog/entity.ts'
import { builtInCatalog } from '../built-in.ts'
import { Faults, FaultyRecords } from '../faults.ts'
import { Findings } from '../findings.ts'
import type { Source } from '../source.ts'
import { type Column, columnsOf } from './columns.ts'
import { tabularSource } from './tabular.ts'

const scratch = mkdtempSync(join(tmpdir(), 'nomenclator-tabular-'))
afterAll(() => rmSync(scratch, { recursive: true }))

function directoryOf(files: Readonly<Record<string, string | undefined>>): string {
  const directory = mkdtempSync(join(scratch, 'case-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text ?? '')
  return directory
}

const PAIS = 'cvePais,descPais,idPais\nMEX,México,484\n'
const ESTADO = 'cveEstado,cveRenapo,descEstado,idEstado,idPais\nHGO,HG,Hidalgo,13,484\n'
const MUNICIPIO = '{"cveMunicipio":"001","descMunicipio":"Mineral","idEstado":13,"idMunicipio":7}\n'

async function readAll(source: Source) {
  const report = { faults: new Faults(), findings: new Findings() }
  const read: Record<string, number> = {}
  try {
    for (const name of source.provides)
      for await (const { rows } of source.read(name, report)) read[name] = (read[name] ?? 0) + rows.length
    report.faults.throwIfAny()
    return { read, faults: [], findings: report.findings.list() }
  } catch (error) {
    if (!(error instanceof FaultyRecords)) throw error
    return { read, faults: error.faults.map(({ file, line, column }) => [file, line, column]), findings: [] }
  }
}

test('provides the entities whose files are there, in order, whatever else is there', async () => {
  const directory = directoryOf({ 'municipio.ndjson': MUNICIPIO, 'pais.csv': PAIS, 'README.md': '', 'old.csv.bak': '' })
  const source = tabularSource(directory)
  expect(source.provides).toEqual(['pais', 'municipio'])
  expect(source.origin).toMatchObject({
    kind: 'tabular',
    synthetic: false,
    options: { directory, files: 'pais.csv, municipio.ndjson' },
  })
  expect(await readAll(source)).toEqual({ read: { pais: 1, municipio: 1 }, faults: [], findings: [] })
})

describe('refuses', () => {
  const names = [...builtInCatalog.entities.keys()].join()
  const NAMES = `{${names}}.csv and {${names}}.ndjson`
  const cases: readonly [what: string, directory: () => string, description: RegExp][] = [
    ['a directory that is not there', () => join(scratch, 'nowhere'), /there is no directory .*nowhere/],
    [
      'a file in its place',
      () => join(directoryOf({ 'pais.csv': PAIS }), 'pais.csv'),
      /there is no directory .*pais.csv/,
    ],
    ['an empty directory', () => directoryOf({}), /holds no file to import/],
    ['a directory of other files', () => directoryOf({ 'pais.txt': PAIS }), /holds no file to import/],
    [
      'a misspelt file',
      () => directoryOf({ 'pais.csv': PAIS, 'estados.csv': ESTADO }),
      /estados\.csv, which is not known \(did you mean estado\.csv\?\)/,
    ],
    [
      'a file unlike any other',
      () => directoryOf({ 'pais.csv': PAIS, 'ventas.ndjson': '' }),
      /ventas\.ndjson, which is not known;/,
    ],
  ]
  test.each(cases)('%s, and says which names are known', (_, directory, description) => {
    expect(() => tabularSource(directory())).toThrow(Failure)
    expect(() => tabularSource(directory())).toThrow(description)
    expect(() => tabularSource(directory())).toThrow(NAMES)
  })

  test('two files of one entity', () => {
    const directory = directoryOf({ 'pais.csv': PAIS, 'pais.ndjson': '' })
    expect(() => tabularSource(directory)).toThrow('holds both pais.csv and pais.ndjson; leave only one')
  })

  test('a directory in the place of a file', () => {
    const directory = directoryOf({ 'pais.csv': PAIS })
    mkdirSync(join(directory, 'estado.csv'))
    expect(() => tabularSource(directory)).toThrow('estado.csv is not a file')
  })
})

test('reports what is wrong in all files when one cannot be read, and gives no more records', async () => {
  const directory = directoryOf({
    'pais.csv': PAIS,
    'estado.csv': ESTADO.replace('idPais', 'pais'),
    'municipio.ndjson': `${MUNICIPIO}null\n`,
    'area.csv': '',
    'audiencia.csv': 'clave,descCorta,shortDesc\na,b\n',
  })
  const at = (file: string, line: number, column: string) => [join(directory, file), line, column]
  expect(await readAll(tabularSource(directory))).toEqual({
    read: { pais: 1 },
    faults: [
      at('estado.csv', 1, 'pais'),
      at('estado.csv', 1, 'idPais'),
      at('municipio.ndjson', 2, 'all'),
      at('area.csv', 1, 'all'),
      at('audiencia.csv', 2, 'all'),
    ],
    findings: [],
  })
})

test('finds it odd when a file holds no records', async () => {
  const directory = directoryOf({ 'pais.csv': 'cvePais,descPais\n', 'audiencia.ndjson': '' })
  const examples = [join(directory, 'pais.csv'), join(directory, 'audiencia.ndjson')]
  expect((await readAll(tabularSource(directory))).findings).toEqual([
    { kind: 'no-records', description: 'a file holds no records', count: 2, examples },
  ])
})

describe('docs/tabular.md', async () => {
  const page = await Bun.file(join(import.meta.dir, '..', '..', '..', '..', '..', 'docs', 'tabular.md')).text()

  const holds = (entity: Entity, { field, part }: Column): string => {
    const definition = entity.fields[field] as Field
    if (definition.kind === 'code') return `${definition.description}: ${definition.shape}`
    if (definition.kind !== 'embed') return definition.description
    if (part === undefined) return `${definition.description}, by identifier`
    const { kind, description } = definition.entity.fields[part] as Field
    return `${definition.description}, by code: ${description}${kind === 'embed' ? ', by identifier' : ''}`
  }
  const needed = (entity: Entity, { field, part, optional }: Column): string => {
    if (part !== undefined) return `instead of \`${field}\``
    if (optional) return 'may be left out'
    return entity.fields[field]?.kind === 'embed' ? 'required, or its code' : 'required'
  }
  const tableOf = (entity: Entity) => [
    '| column | holds | |',
    '|---|---|---|',
    ...columnsOf(entity).map(
      (column) => `| \`${column.name}\` | ${holds(entity, column)} | ${needed(entity, column)} |`,
    ),
  ]
  const documented = (name: string) => {
    const section = page.split(`\n### ${name}\n`)[1]?.split('\n#')[0] ?? ''
    return section.split('\n').filter((line) => line.startsWith('|'))
  }

  test.each([...builtInCatalog.entities])('has the columns of %s', (name, entity) =>
    expect(documented(name)).toEqual(tableOf(entity)),
  )
  test('has no other', () => {
    const titles = [...page.matchAll(/^### (.*)$/gm)].map(([, title = '']) => title)
    expect(titles.filter((title) => !builtInCatalog.entities.has(title))).toEqual([])
  })
})
