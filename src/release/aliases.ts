// Aliases: other names by which people call a record, as a table says them, and the index to search them by.
//
// Those that ship with the program are in data/aliases.csv and hold in every release; a release has those of its own beside
// its records, as they were imported.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Entity, embeddedAt, identifierOf } from '../catalog/entity.ts'
import { wordsOf } from '../catalog/words.ts'
import { parseCsvLine } from '../source/tabular/csv.ts'
import type { Column, Words } from './index/index-file.ts'
import { wordsInMemory } from './index/words-in-memory.ts'
import type { Release } from './release.ts'

/** An alias as a table has it; the values of the official code of its record, with hyphens between them. */
export type Alias = {
  readonly code: string
  readonly alias: string
  /** Why the record is called so. */
  readonly reason: string
}

/** In the directory of an entity that has aliases of its own: a line of JSON for each. */
export const ALIASES_FILE = 'aliases'
export const ALIAS_COLUMNS = ['entity', 'code', 'alias', 'reason'] as const

/** The aliases of an entity, searched as if each were a record with that name. */
export type AliasIndex = {
  readonly words: Words
  /** The position of the record of each. */
  readonly positions: Uint32Array
  readonly aliases: readonly Alias[]
}

const BUILT_IN = join(import.meta.dir, '..', '..', 'data', 'aliases.csv')
let builtIn: Map<string, Alias[]> | undefined

/** Those that ship with the program, by entity. */
export function builtInAliases(entity: string): readonly Alias[] {
  builtIn ??= readBuiltIn()
  return builtIn.get(entity) ?? []
}

function readBuiltIn(): Map<string, Alias[]> {
  const byEntity = new Map<string, Alias[]>()
  for (const line of readFileSync(BUILT_IN, 'utf8').split('\n').slice(1)) {
    const values = parseCsvLine(line)
    if (!Array.isArray(values) || values.length < ALIAS_COLUMNS.length) continue
    const [entity, code, alias, reason] = values as [string, string, string, string]
    byEntity.set(entity, [...(byEntity.get(entity) ?? []), { code, alias, reason }])
  }
  return byEntity
}

/** The aliases that an entity on disk has of its own. */
export function storedAliases(directory: string): readonly Alias[] {
  const path = join(directory, ALIASES_FILE)
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

const indexes = new WeakMap<Release, Map<string, AliasIndex | undefined>>()

/** The index of all aliases of an entity whose records are there; undefined where there is none. */
export function aliasesOf(release: Release, name: string): AliasIndex | undefined {
  const known = indexes.get(release) ?? new Map<string, AliasIndex | undefined>()
  indexes.set(release, known)
  if (!known.has(name)) known.set(name, readIndex(release, name))
  return known.get(name)
}

function readIndex(release: Release, name: string): AliasIndex | undefined {
  const { stored } = release.entity(name)
  const own = stored === undefined ? [] : storedAliases(stored.directory)
  const positioned = [...own, ...builtInAliases(name)].flatMap((alias) => {
    const position = positionOfCode(release, name, alias.code)
    return position === undefined ? [] : [{ alias, position }]
  })
  if (positioned.length === 0) return undefined
  return {
    words: wordsInMemory(positioned.map(({ alias }) => aliasWords(alias.alias))),
    positions: Uint32Array.from(positioned, ({ position }) => position),
    aliases: positioned.map(({ alias }) => alias),
  }
}

/** Letters that stand alone are one word: "n.l." is "nl". */
export function aliasWords(alias: string): string[] {
  const words: string[] = []
  let letters = ''
  for (const word of [...wordsOf(alias), '']) {
    if (word.length === 1) letters += word
    else {
      if (letters !== '') words.push(letters)
      letters = ''
      if (word !== '') words.push(word)
    }
  }
  return words
}

const CODE_SEPARATOR = '-'

/** The position of the record with an official code; an embedded record in it stands for its identifier. */
function positionOfCode(release: Release, name: string, code: string): number | undefined {
  const { definition, index } = release.entity(name)
  const fields = definition.code
  const parts = fields.length === 1 ? [code] : code.split(CODE_SEPARATOR)
  if (parts.length !== fields.length) return undefined
  const columns = fields.map((field) => index.column(field))
  const values = columns.map((column, at) => {
    const part = parts[at] as string
    if (column.kind === 'text') return column.texts.find(part)
    const parent = column.kind === 'embed' ? embeddedAt(definition, fields[at] as string) : undefined
    return parent && positionOfId(release, parent, Number(part))
  })
  if (values.some((value) => value === undefined)) return undefined
  const [{ starts, positions }, [value]] = [columns[0] as Column, values as number[]]
  return positions
    .subarray(starts[value as number], starts[(value as number) + 1])
    .find((position) => columns.every((column, at) => column.values[position] === values[at]))
}

function positionOfId(release: Release, entity: Entity, id: number): number | undefined {
  const column = release.entity(entity.name).index.column(identifierOf(entity))
  const value = column.kind === 'number' ? column.numbers.indexOf(id) : -1
  return value === -1 ? undefined : column.positions[column.starts[value] as number]
}
