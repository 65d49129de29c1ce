// Writes a release as a tabular directory: one CSV or NDJSON file for each entity, which can be imported again.
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../base/failure.ts'
import type { Values } from '../catalog/entity.ts'
import type { Alias } from '../source/source.ts'
import { ALIAS_COLUMNS } from '../source/tabular/aliases.ts'
import { columnsOf } from '../source/tabular/columns.ts'
import { csvCell } from '../source/tabular/csv.ts'
import { ALIASES_FILE, type TabularFormat, tabularFile, tabularFormats } from '../source/tabular/files.ts'
import { DurableFile, syncDirectory, writeDurably } from './files/durable-file.ts'
import { scanEntity } from './files/scan.ts'
import type { FactColumn } from './index/index-file.ts'
import type { OpenEntity, Release } from './release.ts'

type ExportOptions = {
  /** Whether files of the same names may be replaced. */
  readonly overwrite: boolean
}

type Writer = { readonly header: string; readonly line: (row: Values) => string }

const WRITERS: Readonly<Record<TabularFormat, (entity: OpenEntity) => Writer>> = {
  csv: ({ definition, index }) => {
    // A fact that is known of no record has no column.
    const isKnown = (name: string) => (index.column(name) as FactColumn).known.length > 0
    const names = columnsOf(definition)
      .filter(({ part, fact, name }) => part === undefined && (!fact || isKnown(name)))
      .map(({ name }) => name)
    return {
      header: `${names.join(',')}\n`,
      line: (row) => `${names.map((name) => csvCell(String(row[name] ?? ''))).join(',')}\n`,
    }
  },
  ndjson: () => ({ header: '', line: (row) => `${JSON.stringify(row)}\n` }),
}

/** Says how many records of each entity were written. Nothing appears under its name before everything is written. */
export function exportTabular(
  release: Release,
  directory: string,
  format: TabularFormat,
  { overwrite }: ExportOptions = { overwrite: false },
): Record<string, number> {
  // An entity that the release lacks has no file: an empty one would make the import of the directory another release.
  const names = [...release.catalog.entities.keys()].filter((name) => release.entity(name).stored !== undefined)
  mkdirSync(directory, { recursive: true })
  const { aliases } = release.manifest
  const replaced = [
    ...names.map((name) => tabularFile(name, format).name),
    ...(aliases === undefined ? [] : [ALIASES_FILE]),
  ]
  const known = [...release.catalog.entities.keys()].flatMap((name) =>
    tabularFormats.map((one) => tabularFile(name, one).name),
  )
  known.push(ALIASES_FILE)
  refuseClashes(directory, known, replaced, overwrite)
  const partial = (name: string) => `${pathOf(directory, name, format)}.partial`
  try {
    const counts = names.map((name) => [name, writeEntity(release, name, partial(name), WRITERS[format])])
    for (const name of names) renameSync(partial(name), pathOf(directory, name, format))
    if (aliases !== undefined) writeAliases(join(directory, ALIASES_FILE), aliases)
    syncDirectory(directory)
    return Object.fromEntries(counts)
  } finally {
    for (const name of names) rmSync(partial(name), { force: true })
  }
}

const pathOf = (directory: string, name: string, format: TabularFormat) =>
  join(directory, tabularFile(name, format).name)

/** A file that is not replaced, but would be imported with the others, is never accepted. */
function refuseClashes(
  directory: string,
  known: readonly string[],
  replaced: readonly string[],
  overwrite: boolean,
): void {
  const there = known.filter((name) => existsSync(join(directory, name)))
  const others = there.filter((name) => !replaced.includes(name))
  if (others.length > 0)
    throw new Failure(
      `${directory} holds ${others.join(', ')}; export to another directory, since it would be imported with the export`,
    )
  const same = there.filter((name) => replaced.includes(name))
  if (same.length > 0 && !overwrite)
    throw new Failure(`${directory} already holds ${same.join(', ')}; export to another directory, or ask to overwrite`)
}

/** The aliases that were imported; those that ship with the program need not be. */
function writeAliases(path: string, aliases: readonly Alias[]): void {
  const rows = aliases.map((alias) => ALIAS_COLUMNS.map((column) => csvCell(alias[column])).join(','))
  writeDurably(path, `${[ALIAS_COLUMNS.join(','), ...rows].join('\n')}\n`)
}

function writeEntity(release: Release, name: string, path: string, writerOf: (typeof WRITERS)[TabularFormat]): number {
  const entity = release.entity(name)
  const { definition, stored } = entity
  const { header, line } = writerOf(entity)
  rmSync(path, { force: true })
  const file = new DurableFile(path)
  try {
    let count = 0
    file.write(Buffer.from(header))
    for (const page of stored === undefined ? [] : scanEntity(definition, stored)) {
      file.write(Buffer.from(page.map(line).join('')))
      count += page.length
    }
    file.finish()
    return count
  } finally {
    file.close()
  }
}
