// Tables without a descriptor that are named like the lists that ship with the program, and have their columns: those lists again,
// as an export or another service gives them.

import { nearest } from '../../base/nearest.ts'
import { OperationalError } from '../../base/operational-error.ts'
import { type EntityData, entityData } from '../../catalog/catalog.ts'
import { builtInCatalog } from '../built-in.ts'
import { Faults } from '../faults.ts'
import { Findings } from '../findings.ts'
import type { TextFile } from '../lines.ts'
import type { Source } from '../source.ts'
import { codeColumns, columnsOf, type KnownDefinitions } from './columns.ts'
import { ALIAS_COLUMNS, aliasesIn, MAX_ALIAS_TABLE } from './defined-aliases.ts'
import { csvTable, DEFINED_FORMATS, type DefinedTable, definedLists, objectLines } from './defined-tables.ts'
import { type Located, smallFile } from './locate.ts'
import { namesAndValues } from './ndjson.ts'
import { UnreadableTable } from './read/unreadable-table.ts'

/** Other names of records, of whichever lists. */
const ALIASES = 'aliases.csv'

const known: KnownDefinitions = new Map(
  [...builtInCatalog.entities].map(([name, entity]) => [name, entityData(entity)]),
)

/** The lists by the names that a file may have: that of the list or of its collection, with its format. */
const NAMES: ReadonlyMap<string, Pick<DefinedTable, 'format'> & { readonly list: EntityData }> = new Map(
  [...known.values()].flatMap((list) =>
    [list.name, list.plural].flatMap((name) =>
      DEFINED_FORMATS.map((format) => [`${name}.${format}`, { list, format }] as const),
    ),
  ),
)

/** The source of such tables; undefined where they are others. */
export async function namedTables({ descriptor, files, only, name: location }: Located): Promise<Source | undefined> {
  if (descriptor !== undefined || files.paths === undefined || only !== undefined) return undefined
  const paths = files.paths.filter((path) => /^[^/]*\.(csv|ndjson)$/.test(path))
  const tables = new Map<string, DefinedTable & { readonly path: string }>()
  let areOurs = false
  for (const path of paths) {
    const { list, format } = NAMES.get(path) ?? {}
    const file = path === ALIASES || list !== undefined ? await files.find(path) : undefined
    if (path === ALIASES)
      areOurs ||= (await headerOf(file as TextFile, 'csv', ALIAS_COLUMNS)).join() === ALIAS_COLUMNS.join()
    if (list === undefined || format === undefined || file === undefined) continue
    areOurs ||= isMostlyOf(await headerOf(file, format), list)
    const other = tables.get(list.name)
    if (other !== undefined)
      throw new OperationalError(`${location} has both ${other.path} and ${path}; leave only one`)
    tables.set(list.name, { ...file, format, isGuarded: true, path })
  }
  if (!areOurs) return undefined
  refuseOthers(location, paths)
  const aliases = paths.includes(ALIASES) ? await smallFile(files, ALIASES, MAX_ALIAS_TABLE) : undefined
  const lists = definedLists(builtInCatalog, tables)
  return {
    ...lists,
    origin: {
      kind: 'package',
      title: 'tables of the lists that ship with Nomenclator',
      synthetic: false,
      credits: [],
      options: { package: location, files: paths.join(', ') },
    },
    ...(aliases && { aliases: (faults) => aliasesIn(aliases.file, `${aliases.bytes}`, new Set(known.keys()), faults) }),
  }
}

/** A misspelt name must not go unnoticed: the records of that list would quietly stay as they are. */
function refuseOthers(location: string, paths: readonly string[]): void {
  const names = [...NAMES.keys(), ALIASES]
  const others = paths.filter((path) => !names.includes(path))
  if (others.length === 0) return
  const shown = others.map((path) => {
    const suggestion = nearest(path, names)
    return suggestion === undefined ? path : `${path} (did you mean ${suggestion}?)`
  })
  throw new OperationalError(
    `${location} has tables of the lists that ship with Nomenclator, and also ${shown.join(', ')}, which is none of them. ` +
      `Their names are ${[...known.keys()].join(', ')}, with .csv or .ndjson, and ${ALIASES}. Move what is a list of your own to ` +
      'another directory.',
  )
}

/** A file of the same name with other columns is a list of someone else. */
function isMostlyOf(header: readonly string[], list: EntityData): boolean {
  const columns = columnsOf(list, known).flatMap((column) => [column, ...codeColumns(list, column.field, known)])
  const names = new Set([...columns.map(({ name }) => name), ...Object.keys(list.fields)])
  return header.filter((name) => names.has(name)).length > header.length / 2
}

/** The names of the columns of a file, or of the first object in it. */
async function headerOf(
  file: TextFile,
  format: DefinedTable['format'],
  names: readonly string[] = [],
): Promise<readonly string[]> {
  const report = { faults: new Faults(), findings: new Findings() }
  if (format === 'csv') {
    const table = await csvTable(file, names, report.findings).catch((error: unknown) => {
      if (error instanceof UnreadableTable) return undefined
      throw error
    })
    return table?.header ?? []
  }
  for await (const [first] of objectLines(file, report)) return namesAndValues(first?.value)?.names ?? []
  return []
}
