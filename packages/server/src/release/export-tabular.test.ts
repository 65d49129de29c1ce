// What is exported comes back the same, in both formats, parents by identifier or by code.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundledHome, sourceOf, tiny } from '../../../../test/support/releases.ts'
import { Failure } from '../base/failure.ts'
import { entityIn } from '../catalog/catalog.ts'
import { type Entity, embedsOf, identifierOf, type Values } from '../catalog/entity.ts'
import { builtInCatalog } from '../source/built-in.ts'
import { bundledSource } from '../source/bundled.ts'
import type { Source } from '../source/source.ts'
import { tabularFormats } from '../source/tabular/files.ts'
import { tabularSource } from '../source/tabular/tabular.ts'
import { exportTabular } from './export-tabular.ts'
import { scanEntity } from './files/scan.ts'
import { Shelf } from './home/shelf.ts'
import { importRelease } from './import.ts'
import type { Release } from './release.ts'

// Releases are synced to disk, over which a busy machine may take its time.
setDefaultTimeout(30_000)

const scratch = mkdtempSync(join(tmpdir(), 'nomenclator-export-'))
afterAll(() => rmSync(scratch, { recursive: true }))
const fresh = () => mkdtempSync(join(scratch, 'case-'))

const entityNames = bundledSource().provides

async function released(source: Source, shelf = new Shelf(fresh()), fallback = bundledSource()): Promise<Release> {
  const { digest } = await importRelease(shelf, source, { fallback, acceptChanges: true, dryRun: false })
  return shelf.open(digest)
}

// What is exported is read from the files of the release.
const bundledFiles = await bundledHome()
afterAll(() => bundledFiles[Symbol.dispose]())
const bundled = bundledFiles.current()

const exported = { csv: fresh(), ndjson: fresh() }

describe.each(tabularFormats)('%s', (format) => {
  const directory = exported[format]
  const counts = exportTabular(bundled, directory, format)

  test('has one file for each entity of the release, and counts the records in it', () => {
    expect(readdirSync(directory).sort()).toEqual(entityNames.map((name) => `${name}.${format}`).sort())
    const expected = entityNames.map((name) => [name, bundled.entity(name).count])
    expect(counts).toEqual(Object.fromEntries(expected))
  })

  test('gives the same release when it is imported again', async () => {
    const { digest } = (await released(tabularSource(directory))).manifest
    expect(digest).toBe(bundled.manifest.digest)
  })
})

test('a CSV export of the bundled data is the bundled data', () => {
  for (const name of entityNames) {
    const data = join(import.meta.dir, '..', '..', '..', '..', 'data', `${name}.csv`)
    expect([name, readFileSync(join(exported.csv, `${name}.csv`), 'utf8')]).toEqual([name, readFileSync(data, 'utf8')])
  }
})

/** The bundled data with only the first of the localities. */
const few: Source = {
  ...bundledSource(),
  read: async function* (name, report) {
    for await (const { file, lines, rows } of bundledSource().read(name, report)) {
      yield name === 'localidad'
        ? { file, lines: lines.slice(0, 500), rows: rows.slice(0, 500) }
        : { file, lines, rows }
      if (name === 'localidad') return
    }
  },
}
const home = new Shelf(fresh())
const small = await released(few, home)
const smallRows = new Map<string, readonly Values[]>(
  entityNames.map((name) => {
    const { definition, stored } = small.entity(name)
    return [name, stored === undefined ? [] : [...scanEntity(definition, stored)].flat()]
  }),
)

/** Writes those records by hand, each in another form. */
function rewritten(form: (entity: Entity) => (row: Values) => Values, names: readonly string[] = entityNames): string {
  const directory = fresh()
  for (const name of names) {
    const rows = (smallRows.get(name) ?? []).map(form(entityIn(builtInCatalog, name)))
    const line = (cells: readonly unknown[]) => cells.map((cell) => quoted(String(cell))).join(',')
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
    const lines = [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))].map(line)
    writeFileSync(join(directory, `${name}.csv`), lines.join('\r\n'))
  }
  return directory
}

const quoted = (text: string) => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** Every parent by its official code. */
function byCode(entity: Entity): (row: Values) => Values {
  const parents = embedsOf(entity).map(([field, parent]) => {
    const rows = smallRows.get(parent.name) ?? []
    return { field, parent, known: new Map(rows.map((row) => [row[identifierOf(parent)], row])) }
  })
  return (row) => {
    const own = { ...row }
    for (const { field, parent, known } of parents) {
      for (const part of parent.code) own[`${field}.${part}`] = known.get(own[field] as number)?.[part] ?? ''
      delete own[field]
    }
    return own
  }
}

const withoutIdentifier = (entity: Entity) => (row: Values) =>
  entity.key.length > 1 ? row : Object.fromEntries(Object.entries(row).filter(([field]) => field !== entity.key[0]))

describe('the same release comes from', () => {
  const again = async (directory: string) => (await released(tabularSource(directory), home)).manifest.digest

  test('parents by code', async () => {
    const directory = rewritten(byCode)
    expect((await released(tabularSource(directory))).manifest.digest).toBe(small.manifest.digest)
  })

  test('records without identifiers, where their codes are known', async () =>
    expect(await again(rewritten(withoutIdentifier))).toBe(small.manifest.digest))

  test('parents by code and no identifiers, of some entities', async () => {
    const form = (entity: Entity) => {
      const [coded, unnumbered] = [byCode(entity), withoutIdentifier(entity)]
      return (row: Values) => coded(unnumbered(row))
    }
    expect(await again(rewritten(form, ['estado', 'municipio', 'campo']))).toBe(small.manifest.digest)
  })
})

describe('refuses', () => {
  test('to overwrite, unless that is allowed', () => {
    const directory = fresh()
    writeFileSync(join(directory, 'area.csv'), 'mine')
    expect(() => exportTabular(small, directory, 'csv')).toThrow(Failure)
    expect(() => exportTabular(small, directory, 'csv')).toThrow(`${directory} already holds area.csv;`)
    expect(readdirSync(directory)).toEqual(['area.csv'])
    expect(readFileSync(join(directory, 'area.csv'), 'utf8')).toBe('mine')
    exportTabular(small, directory, 'csv', { overwrite: true })
    expect(readFileSync(join(directory, 'area.csv'), 'utf8')).toStartWith('cveArea,descripcion,idArea\n')
  })

  test('to write beside files of the other format, even then', () => {
    const directory = fresh()
    writeFileSync(join(directory, 'pais.ndjson'), 'mine')
    const attempt = () => exportTabular(small, directory, 'csv', { overwrite: true })
    expect(attempt).toThrow(`${directory} holds pais.ndjson;`)
    expect(readdirSync(directory)).toEqual(['pais.ndjson'])
  })

  test('to write beside a file of an entity that the release lacks, even then', async () => {
    const directory = fresh()
    writeFileSync(join(directory, 'audiencia.csv'), 'mine')
    const lacking = await released(sourceOf({ pais: tiny.pais }), new Shelf(fresh()), sourceOf({}))
    const attempt = () => exportTabular(lacking, directory, 'csv', { overwrite: true })
    expect(attempt).toThrow(`${directory} holds audiencia.csv;`)
    expect(readdirSync(directory)).toEqual(['audiencia.csv'])
  })

  test('and leaves nothing half written behind', () => {
    const directory = fresh()
    const shelf = new Shelf(fresh())
    cpSync(home.home, shelf.home, { recursive: true })
    const damaged = shelf.read(small.digest)
    rmSync(join(damaged.entity('subdisciplina').stored?.directory ?? '', 'records'))
    expect(() => exportTabular(damaged, directory, 'csv')).toThrow('ENOENT')
    expect(readdirSync(directory)).toEqual([])
  })
})
