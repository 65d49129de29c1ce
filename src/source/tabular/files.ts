// Which files a tabular directory has, under which names.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { builtInCatalog } from '../../catalog/entities.ts'
import { Failure } from '../../failure.ts'
import { nearest } from '../../nearest.ts'

export const tabularFormats = ['csv', 'ndjson'] as const
export type TabularFormat = (typeof tabularFormats)[number]
export type TabularFile = { readonly entity: string; readonly format: TabularFormat; readonly name: string }

export const tabularFile = (entity: string, format: TabularFormat): TabularFile => ({
  entity,
  format,
  name: `${entity}.${format}`,
})

const entityNames = [...builtInCatalog.entities.keys()]

const known = new Map(
  entityNames
    .flatMap((entity) => tabularFormats.map((format) => tabularFile(entity, format)))
    .map((file) => [file.name, file]),
)
const KNOWN_NAMES = `the known names are ${tabularFormats.map((format) => `{${entityNames.join(',')}}.${format}`).join(' and ')}`

/** The files of a directory by entity, in the order of the entities; anything else of their kind is refused. */
export function tabularFilesIn(directory: string): ReadonlyMap<string, TabularFile> {
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory())
    throw new Failure(`there is no directory ${directory}; it was to hold CSV or NDJSON files: ${KNOWN_NAMES}`)
  const names = readdirSync(directory).filter((name) => tabularFormats.some((format) => name.endsWith(`.${format}`)))
  // A misspelt name must not go unnoticed: its records would quietly stay as they are.
  const strays = names.filter((name) => !known.has(name))
  if (strays.length > 0) throw new Failure(`${directory} holds ${strays.map(meant).join(', ')}; ${KNOWN_NAMES}`)
  if (names.length === 0) throw new Failure(`${directory} holds no file to import; ${KNOWN_NAMES}`)
  return new Map(entityNames.flatMap((entity) => fileOf(entity, directory, names)))
}

function meant(stray: string): string {
  const near = nearest(stray, [...known.keys()])
  return `${stray}, which is not known${near === undefined ? '' : ` (did you mean ${near}?)`}`
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
