// Tables that give other names of the records of another list: declared, or named so and with the codes of the list.
import type { Column, InferredTable } from './columns.ts'
import type { Declared } from './declared.ts'
import { CodeSet } from './evidence.ts'
import { headerWords, names } from './lexicon.ts'
import type { KeyedTable } from './relations.ts'

export type AliasTable = {
  readonly list: KeyedTable
  /** The columns that have the key of the list, in its order. */
  readonly fields: readonly Column[]
  readonly alias: Column
  readonly isDeclared: boolean
}
type NoAliasTable = { readonly reason: string }

const MIN_RESOLVED = 0.9

/** What a table gives other names of; undefined where it is a list of its own. */
export function aliasTableOf(
  table: InferredTable,
  declared: Declared,
  lists: readonly KeyedTable[],
): AliasTable | NoAliasTable | undefined {
  const { role } = declared.list
  const isDeclared = role === 'aliases'
  if (role === 'list' || !(isDeclared || headerWords(table.resource.name).some((word) => names(word, 'alias'))))
    return undefined
  const alias =
    table.columns.find((column) => declared.roleOf(column) === 'alias') ??
    (['alias', 'name'] as const)
      .map((concept) =>
        table.columns.find(({ words, profile }) => profile.isOneLine && words.some((word) => names(word, concept))),
      )
      .find((column) => column !== undefined)
  if (alias === undefined)
    return isDeclared ? { reason: 'no field of it has "nomenclator:role": "alias", or is named so' } : undefined
  for (const list of lists) {
    if (list.resource === table.resource) continue
    const fields = declaredFields(list, declared, table) ?? likelyFields(table, list, alias)
    if (fields !== undefined) return { list, fields, alias, isDeclared }
  }
  return isDeclared
    ? { reason: 'it has no foreignKeys to a list of the package, and no columns with the codes of one' }
    : undefined
}

function declaredFields({ resource, key }: KeyedTable, declared: Declared, { columns }: InferredTable) {
  const foreignKey = declared.foreignKeys.find(({ reference }) => reference.resource === resource.name)
  if (foreignKey === undefined) return undefined
  const fields = key.map(({ name }) => foreignKey.fields[foreignKey.reference.fields.indexOf(name)])
  const found = fields.flatMap((field) => columns.find(({ name }) => name === field) ?? [])
  return found.length === key.length && key.length > 0 ? found : undefined
}

/** The columns that are named like the key of the list, or so with a word before, and have its values. */
function likelyFields({ columns }: InferredTable, { key }: KeyedTable, alias: Column): readonly Column[] | undefined {
  const found = key.flatMap((part) => {
    const column = columns.find(
      (one) => one !== alias && one.words.slice(-part.words.length).join() === part.words.join(),
    )
    const share = column && new CodeSet(part.profile).evidenceFrom(column.profile)?.share
    return column !== undefined && share !== undefined && share >= MIN_RESOLVED ? [column] : []
  })
  return found.length === key.length && key.length > 0 ? found : undefined
}
