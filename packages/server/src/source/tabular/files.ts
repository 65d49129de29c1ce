// Which files a tabular directory may have and has.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../../base/failure.ts'
import { nearest } from '../../base/nearest.ts'
import { builtInCatalog } from '../built-in.ts'

export const tabularFormats = ['csv', 'ndjson'] as const
export type TabularFormat = (typeof tabularFormats)[number]
export type TabularFile = { readonly entity: string; readonly format: TabularFormat; readonly name: string }

export const tabularFile = (entity: string, format: TabularFormat): TabularFile => ({
  entity,
  format,
  name: `${entity}.${format}`,
})

const entityNames = [...builtInCatalog.entities.keys()]
/** Other names of records, of whichever entities. */
export const ALIASES_FILE = 'aliases.csv'
const KNOWN = new Set([
  ...entityNames.flatMap((entity) => tabularFormats.map((format) => tabularFile(entity, format).name)),
  ALIASES_FILE,
])
const KNOWN_NAMES = `the known names are ${tabularFormats.map((format) => `{${entityNames.join(',')}}.${format}`).join(' and ')}, and ${ALIASES_FILE}`

/** The files of a directory by entity, in the order of the entities. Other CSV or NDJSON files in it are refused. */
export function tabularFilesIn(directory: string): ReadonlyMap<string, TabularFile> {
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory())
    throw new Failure(`there is no directory ${directory}; it should hold CSV or NDJSON files: ${KNOWN_NAMES}`)
  const names = readdirSync(directory).filter((name) => tabularFormats.some((format) => name.endsWith(`.${format}`)))
  // A misspelt name must not go unnoticed: the records of that entity would quietly stay as they are.
  const unknown = names.filter((name) => !KNOWN.has(name))
  if (unknown.length > 0)
    throw new Failure(`${directory} holds ${unknown.map(withSuggestion).join(', ')}; ${KNOWN_NAMES}`)
  if (names.length === 0) throw new Failure(`${directory} holds no file to import; ${KNOWN_NAMES}`)
  return new Map(entityNames.flatMap((entity) => fileOf(entity, directory, names)))
}

function withSuggestion(name: string): string {
  const suggestion = nearest(name, [...KNOWN])
  return `${name}, which is not known${suggestion === undefined ? '' : ` (did you mean ${suggestion}?)`}`
}

function fileOf(entity: string, directory: string, names: readonly string[]): [string, TabularFile][] {
  const [file, other] = tabularFormats
    .map((format) => tabularFile(entity, format))
    .filter(({ name }) => names.includes(name))
  if (file === undefined) return []
  if (other !== undefined) throw new Failure(`${directory} holds both ${file.name} and ${other.name}; leave only one`)
  if (!statSync(join(directory, file.name)).isFile()) throw new Failure(`${join(directory, file.name)} is not a file`)
  return [[entity, file]]
}
