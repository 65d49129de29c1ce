// Writes a release as a tabular directory: one CSV or NDJSON file for each entity, which can be imported again.
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Entity, Values } from '../catalog/entity.ts'
import { Failure } from '../failure.ts'
import { columnsOf } from '../source/tabular/columns.ts'
import { csvCell } from '../source/tabular/csv.ts'
import { type TabularFormat, tabularFile, tabularFormats } from '../source/tabular/files.ts'
import { DurableFile, syncDirectory } from './files/durable-file.ts'
import { scanEntity } from './files/scan.ts'
import type { Release } from './release.ts'

type ExportOptions = {
  /** Whether files of the same names may be replaced. */
  readonly overwrite: boolean
}

type Writer = { readonly header: string; readonly line: (row: Values) => string }

const WRITERS: Readonly<Record<TabularFormat, (entity: Entity, hasFacts: boolean) => Writer>> = {
  csv: (entity, hasFacts) => {
    const names = columnsOf(entity)
      .filter(({ part, fact }) => part === undefined && (hasFacts || !fact))
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
  const names = [...release.catalog.entities.keys()]
  mkdirSync(directory, { recursive: true })
  refuseClashes(directory, names, format, overwrite)
  const partial = (name: string) => `${pathOf(directory, name, format)}.partial`
  try {
    const counts = names.map((name) => [name, writeEntity(release, name, partial(name), WRITERS[format])])
    for (const name of names) renameSync(partial(name), pathOf(directory, name, format))
    syncDirectory(directory)
    return Object.fromEntries(counts)
  } finally {
    for (const name of names) rmSync(partial(name), { force: true })
  }
}

const pathOf = (directory: string, name: string, format: TabularFormat) =>
  join(directory, tabularFile(name, format).name)

function refuseClashes(directory: string, names: readonly string[], format: TabularFormat, overwrite: boolean): void {
  const there = (of: TabularFormat) =>
    names.map((name) => tabularFile(name, of).name).filter((name) => existsSync(join(directory, name)))
  const others = tabularFormats.filter((other) => other !== format).flatMap(there)
  if (others.length > 0)
    throw new Failure(`${directory} holds ${others.join(', ')}; export to another directory, or in the same format`)
  const same = there(format)
  if (same.length > 0 && !overwrite)
    throw new Failure(`${directory} already holds ${same.join(', ')}; export to another directory, or ask to overwrite`)
}

function writeEntity(release: Release, name: string, path: string, writerOf: (typeof WRITERS)[TabularFormat]): number {
  const { definition: entity, stored } = release.entity(name)
  const { header, line } = writerOf(entity, stored?.manifest.files.facts !== undefined)
  rmSync(path, { force: true })
  const file = new DurableFile(path)
  try {
    let count = 0
    file.write(Buffer.from(header))
    for (const page of stored === undefined ? [] : scanEntity(entity, stored)) {
      file.write(Buffer.from(page.map(line).join('')))
      count += page.length
    }
    file.finish()
    return count
  } finally {
    file.close()
  }
}
