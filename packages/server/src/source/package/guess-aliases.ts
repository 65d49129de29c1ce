// Tables that give other names of the records of another list: declared, or named so and with the codes of the list.
import type { AliasPlan, Guess } from './descriptor.ts'
import { quoted } from './guess-key.ts'
import { type KeyedTable, listName } from './guess-references.ts'
import { columnNamed, isOneLine, type ProfiledColumn, type ProfiledTable } from './guess-table.ts'
import { namesAlias, namesName, nameWords } from './guess-words.ts'
import type { ListProperties } from './profile.ts'

const MIN_RESOLVED = 0.9
const REASONS = new Set(['reason', 'razon', 'motivo', 'type', 'tipo', 'kind'])

type AliasTable = { readonly plan: AliasPlan; readonly guess?: Guess }
type NoAliasTable = { readonly reason: string }

/** What a table gives other names of; undefined where it is a list of its own. */
export function aliasTableOf(
  table: ProfiledTable,
  { role }: ListProperties,
  lists: readonly KeyedTable[],
): AliasTable | NoAliasTable | undefined {
  const isDeclared = role === 'aliases'
  if (role === 'list' || !(isDeclared || namesAlias(nameWords(listName(table.resource.name))))) return undefined
  const alias = aliasColumn(table)
  if (alias === undefined)
    return isDeclared ? { reason: 'no field of it has "nomenclator:role": "alias", or is named so' } : undefined
  for (const list of lists) {
    if (list.table === table) continue
    const code = declaredCode(table, list) ?? likelyCode(table, list, alias)
    if (code !== undefined)
      return { plan: planOf(table, list, code, alias), ...(isDeclared ? {} : { guess: guessOf(table, list) }) }
  }
  return isDeclared
    ? { reason: 'it has no foreignKeys to a list of the package, and no columns with the codes of one' }
    : undefined
}

const aliasColumn = ({ columns }: ProfiledTable): ProfiledColumn | undefined =>
  columns.find(({ declared }) => declared.own.get('role') === 'alias') ??
  columns.find((column) => namesAlias(column.words) && isOneLine(column)) ??
  columns.find((column) => namesName(column.words) && isOneLine(column))

/** The columns of a reference to the key of the list. */
function declaredCode(table: ProfiledTable, { table: target, key }: KeyedTable): readonly ProfiledColumn[] | undefined {
  const foreignKey = table.resource.schema?.foreignKeys?.find(
    ({ reference }) => reference.resource === target.resource.name,
  )
  if (foreignKey === undefined) return undefined
  const columns = key.map((part) => {
    const at = foreignKey.reference.fields.findIndex((field) => columnNamed(target, field) === part)
    return columnNamed(table, foreignKey.fields[at] ?? '')
  })
  return columns.every((column) => column !== undefined) ? (columns as ProfiledColumn[]) : undefined
}

/** The columns that are named like the key of the list, or so with a word before, and have its values. */
function likelyCode(
  table: ProfiledTable,
  { key }: KeyedTable,
  alias: ProfiledColumn,
): readonly ProfiledColumn[] | undefined {
  const columns = key.map(({ words }) =>
    table.columns.find((column) => column !== alias && column.words.slice(-words.length).join() === words.join()),
  )
  if (columns.length === 0 || columns.includes(undefined)) return undefined
  const joined = (set: readonly (ProfiledColumn | undefined)[], row: number) =>
    set.map((one) => one?.values[row]).join('\0')
  const known = new Set(key[0]?.values.map((_, row) => joined(key, row)))
  let resolved = 0
  for (let row = 0; row < table.rows; row++) if (known.has(joined(columns, row))) resolved++
  return table.rows > 0 && resolved / table.rows >= MIN_RESOLVED ? (columns as ProfiledColumn[]) : undefined
}

function planOf(
  { resource, columns }: ProfiledTable,
  list: KeyedTable,
  code: readonly ProfiledColumn[],
  alias: ProfiledColumn,
): AliasPlan {
  const reason = columns.find(({ words }) => words.length === 1 && REASONS.has(words[0] as string))
  return {
    resource: resource.name,
    entity: list.name,
    code: code.map(({ name }) => name),
    alias: alias.name,
    ...(reason === undefined || reason === alias ? {} : { reason: reason.name }),
  }
}

const guessOf = ({ resource }: ProfiledTable, { table }: KeyedTable): Guess => ({
  resource: resource.name,
  what: `It has other names of the records of ${quoted(table.resource.name)}, and is no list of its own.`,
  otherwise: '"nomenclator:role": "list" at the resource',
})
