// Aliases: other names by which people call a record, as a table says them, and the index to search them by.
//
// Aliases that ship with the program are in data/aliases.csv and hold in every release. Imported ones are in the
// manifest of the release, and are part of its digest. A former code is an alias, too, but found only as a whole code.

import { readFileSync } from 'node:fs'
import { memoized } from '../base/memoized.ts'
import { OperationalError } from '../base/operational-error.ts'
import { shippedFile } from '../base/program.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { type Entity, embeddedAt, type Field } from '../catalog/entity.ts'
import { isNameFact, languageOfNames } from '../catalog/languages/languages.ts'
import { joinedCode, partText, usualCodeOf } from '../catalog/official-code.ts'
import { wordsOf } from '../catalog/words.ts'
import { builtInCatalog } from '../source/built-in.ts'
import { Faults } from '../source/faults.ts'
import { aliasesIn } from '../source/package/defined-aliases.ts'
import { delimitedText } from '../source/package/read/delimited.ts'
import type { Alias } from '../source/source.ts'
import type { IndexColumn, WordIndex } from './index/index-file.ts'
import { wordsInMemory } from './index/words-in-memory.ts'
import { codeReader, positionsWithCode } from './official-codes.ts'
import type { OpenEntity, Release } from './release.ts'

/** The aliases of an entity, searched as if each were a record with that name. */
export type AliasIndex = {
  readonly words: WordIndex
  /** The position of the record of each alias. */
  readonly positions: Uint32Array
  readonly aliases: readonly Alias[]
}

const BUILT_IN = shippedFile('data/aliases.csv')

/** The aliases that ship with the program. */
const builtInAliases = memoized(({ entities }: Catalog): readonly Alias[] => {
  const faults = new Faults()
  const aliases = aliasesIn(BUILT_IN, readFileSync(BUILT_IN, 'utf8'), new Set(entities.keys()), faults)
  faults.throwIfAny()
  return aliases
})

/** The names in other languages that ship with the program, which are facts: aliases in releases that do not have them. */
const shippedNames = memoized(({ name, fields, code }: Entity): readonly Alias[] => {
  const facts = nameFactsIn(fields)
  if (facts.length === 0) return []
  return shippedRows(name).flatMap((valueIn) =>
    facts.flatMap((fact) => {
      const alias = valueIn(fact)
      const ofRecord = code.map(valueIn).join(ALIAS_CODE_SEPARATOR)
      return alias === '' ? [] : [{ entity: name, code: ofRecord, alias, reason: 'name in another language' }]
    }),
  )
})

/** The rows of a table that ships with the program, each as a reader of its columns. */
function shippedRows(name: string): ((column: string) => string)[] {
  const file = shippedFile(`data/${name}.csv`)
  const table = delimitedText(readFileSync(file, 'utf8'), { file, dialect: { delimiter: ',' }, tell: () => {} })
  const [header = [], ...rows] = table.rows
  return rows.map((row) => (column) => row[header.indexOf(column)] ?? '')
}

const nameFactsIn = (fields: Entity['fields']): string[] =>
  Object.keys(fields).filter((field) => isNameFact(fields[field] as Field))

/** True if the records have names in other languages: those of some sources have none. */
const hasNameFacts = ({ definition, index }: OpenEntity): boolean =>
  nameFactsIn(definition.fields).some((field) => {
    const column = index.column(field)
    return column.kind === 'text fact' && column.known.length > 0
  })

/** The former codes that ship with the program, each with the alias that it is. No record has one of them today. */
const shippedFormerCodes = memoized((_: Catalog): ReadonlyMap<string, Alias> => {
  const aliases = shippedRows('claves-anteriores').map((valueIn) => ({
    entity: 'localidad',
    code: valueIn('CVEGEO'),
    alias: valueIn('CVEGEO_ANTERIOR'),
    reason: `former code, another since ${valueIn('DESDE')}`,
  }))
  return new Map(aliases.map((alias) => [alias.alias, alias]))
})

/** The records with a code; where there is none, the one that had it before, and the alias that says so. */
export type CodedRecords = { readonly positions: readonly number[]; readonly former?: Alias }

/** The records that have or had a code, which may be given without that of a parent. */
export function recordsCoded(release: Release, entity: Entity, code: string, parent?: number): CodedRecords {
  const whole = parent === undefined ? code : wholeCode(release, entity, code, parent)
  const positions = positionsWithCode(release, entity, whole)
  if (positions.length > 0 || entity.package !== undefined) return { positions }
  const former = shippedFormerCodes(builtInCatalog).get(whole)
  const position = former && positionOfCode(release, entity.name, former.code)
  return former === undefined || position === undefined ? { positions } : { positions: [position], former }
}

/** A code below a parent with the code of that before it; empty where it can be none. */
function wholeCode(release: Release, entity: Entity, code: string, parent: number): string {
  const [first, last] = usualCodeOf(entity).parts
  if (first === undefined || last === undefined || entity.fields[first.field]?.kind !== 'embed') return ''
  const above = codeReader(release, embeddedAt(entity, first.field))(parent)
  if (above !== undefined && code.startsWith(above)) return code
  return joinedCode(usualCodeOf(entity), [above, partText(last, code)]) ?? ''
}

const keyOf = ({ entity, code, alias }: Alias): string => [entity, code, alias].join('\0')

/** The aliases of a source without those that ship with the program. */
export function withoutBuiltIn(given: readonly Alias[]): Alias[] {
  const known = new Set(builtInAliases(builtInCatalog).map(keyOf))
  return given.filter((alias) => !known.has(keyOf(alias)))
}

/** Refuses aliases of records that the release does not have. */
export function checkAliases(release: Release, given: readonly Alias[]): void {
  const unknown = given.filter(({ entity, code }) => positionOfCode(release, entity, code) === undefined)
  if (unknown.length === 0) return
  const some = unknown.slice(0, MAX_SHOWN).map(({ entity, code, alias }) => `${entity} ${code} (${alias})`)
  throw new OperationalError(
    `there is no record with the code of ${unknown.length} ${unknown.length === 1 ? 'alias' : 'aliases'}: ` +
      `${some.join(', ')}${unknown.length > some.length ? ', …' : ''}; nothing was changed`,
  )
}

const MAX_SHOWN = 10

/** The index of all aliases of an entity whose records are there; undefined where there is none. */
export const aliasesOf = (release: Release, name: string): AliasIndex | undefined =>
  indexOf(release.entity(name), release)

const indexOf = memoized((entity: OpenEntity, release: Release): AliasIndex | undefined => {
  const { definition } = entity
  const { name } = definition
  // A list of a package may have the name of one that ships with the program, in a home without that.
  const isShipped = definition.package === undefined
  const builtInEntity = isShipped && !hasNameFacts(entity) ? builtInCatalog.entities.get(name) : undefined
  const names = builtInEntity === undefined ? [] : shippedNames(builtInEntity)
  const shipped = isShipped ? [...builtInAliases(builtInCatalog), ...names] : []
  const aliases = [...(release.manifest.aliases ?? []), ...shipped].filter(({ entity }) => entity === name)
  // Many records have several.
  const codes = new Set(aliases.map(({ code }) => code))
  const positions = new Map([...codes].map((code) => [code, positionOfCode(release, name, code)]))
  const positioned = aliases.flatMap((alias) => {
    const position = positions.get(alias.code)
    return position === undefined ? [] : [{ alias, position }]
  })
  if (positioned.length === 0) return undefined
  let words: WordIndex | undefined
  return {
    // Rows are resolved without it.
    get words() {
      words ??= wordsInMemory(
        languageOfNames(definition),
        positioned.map(({ alias }) => aliasWords(alias.alias)),
      )
      return words
    },
    positions: Uint32Array.from(positioned, ({ position }) => position),
    aliases: positioned.map(({ alias }) => alias),
  }
})

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

/** Between the fields of a code. */
export const ALIAS_CODE_SEPARATOR = '-'

/** The position of the record with an official code: as it is published, or its fields, with embedded records by their identifier. */
function positionOfCode(release: Release, name: string, code: string): number | undefined {
  const { definition, index } = release.entity(name)
  const fields = definition.code
  const parts = fields.length === 1 ? [code] : code.split(ALIAS_CODE_SEPARATOR)
  if (parts.length !== fields.length) return positionsWithCode(release, definition, code)[0]
  const columns = fields.map((field) => index.column(field))
  const values = columns.map((column, at) => {
    const part = parts[at] as string
    if (column.kind === 'text') return column.texts.find(part)
    const parent = column.kind === 'embed' ? embeddedAt(definition, fields[at] as string) : undefined
    return parent && positionOfId(release, parent, part)
  })
  if (values.some((value) => value === undefined)) return undefined
  const [{ starts, positions }, [value]] = [columns[0] as IndexColumn, values as number[]]
  return positions
    .subarray(starts[value as number], starts[(value as number) + 1])
    .find((position) => columns.every((column, at) => column.values[position] === values[at]))
}

function positionOfId(release: Release, entity: Entity, id: string): number | undefined {
  const column = release.entity(entity.name).index.column(entity.key.at(-1) as string)
  const value =
    column.kind === 'number' ? column.numbers.indexOf(Number(id)) : column.kind === 'text' ? column.texts.find(id) : -1
  return value === undefined || value === -1 ? undefined : column.positions[column.starts[value] as number]
}
