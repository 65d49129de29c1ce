// Whether the records of a table form a tree: a column has the key of the record above, or codes begin with the code above.
import { memoized } from '../../base/memoized.ts'
import type { Guess } from './descriptor.ts'
import { quoted } from './guess-key.ts'
import {
  columnNamed,
  distinctOf,
  isUnique,
  type ProfiledColumn,
  type ProfiledTable,
  shareThatFits,
} from './guess-table.ts'
import { isSeries } from './guess-types.ts'
import { namesParent, nameWords } from './guess-words.ts'
import type { FieldProperties, ListProperties } from './profile.ts'

/** How the code of the record above is cut out of a code: at these lengths, or at the last of a sign. */
type Prefix = { readonly prefixes: readonly number[] } | { readonly separator: string }

export type GuessedTree = {
  /** The columns that have the key of the record above; of a tree by prefixes, the key. */
  readonly columns: readonly ProfiledColumn[]
  /** The columns that these have the values of, where they are not the key. */
  readonly refersTo?: readonly string[]
  readonly prefix?: Prefix
  readonly guess?: Guess
}

const MIN_RESOLVED = 0.95
const MIN_TOLD = 0.5
const OTHERWISE =
  '"nomenclator:broader" at the resource: the name of the field with the key of the record above, or false'

export function treeOf(
  table: ProfiledTable,
  key: readonly ProfiledColumn[],
  list: ListProperties,
  propertiesOf: (column: ProfiledColumn) => FieldProperties,
  tell: (guess: Guess) => void,
): GuessedTree | undefined {
  if (list.broader === false) return undefined
  const declared = declaredTree(table, key, list, propertiesOf)
  if (declared !== undefined) return declared
  const [only] = key
  if (only === undefined || key.length > 1) return undefined
  const parents = table.columns.filter((column) => column !== only && isParent(column, propertiesOf(column)))
  for (const parent of parents) {
    const referred = referredBy(parent, table, only)
    if (referred !== undefined)
      return { ...treeBy(parent, referred, only), guess: parentGuess(table, parent, referred) }
  }
  for (const parent of parents) tellNearly(table, parent, only, tell)
  const prefix = list.broader === undefined ? prefixOf(distinctOf(only)) : undefined
  return prefix === undefined ? undefined : { columns: [only], prefix, guess: prefixGuess(table, only, prefix) }
}

function declaredTree(
  table: ProfiledTable,
  key: readonly ProfiledColumn[],
  list: ListProperties,
  propertiesOf: (column: ProfiledColumn) => FieldProperties,
): GuessedTree | undefined {
  const [only] = key
  if (list.broader === 'prefix of the key') {
    const prefix = only === undefined || key.length > 1 ? undefined : anyPrefix(distinctOf(only))
    return prefix === undefined ? undefined : { columns: key, prefix }
  }
  const column =
    typeof list.broader === 'string'
      ? columnNamed(table, list.broader)
      : table.columns.find((one) => propertiesOf(one).broader === true)
  if (column !== undefined && only !== undefined && key.length === 1)
    return treeBy(column, referredBy(column, table, only) ?? only, only)
  const { name, schema } = table.resource
  const own = schema?.foreignKeys?.find(
    ({ reference, fields }) =>
      reference.package === undefined && ['', name].includes(reference.resource) && fields.length === key.length,
  )
  if (own === undefined) return undefined
  const byKey = key.map((part) => {
    const at = own.reference.fields.findIndex((field) => columnNamed(table, field) === part)
    return columnNamed(table, own.fields[at] ?? '')
  })
  if (byKey.every((one) => one !== undefined)) return { columns: byKey as ProfiledColumn[] }
  const [from, to] = [columnNamed(table, own.fields[0] ?? ''), columnNamed(table, own.reference.fields[0] ?? '')]
  return from === undefined || to === undefined || only === undefined || key.length > 1
    ? undefined
    : treeBy(from, to, only)
}

const treeBy = (parent: ProfiledColumn, referred: ProfiledColumn, key: ProfiledColumn): GuessedTree => ({
  columns: [parent],
  ...(referred === key ? {} : { refersTo: [referred.name] }),
})

function isParent({ words, declared: { title } }: ProfiledColumn, { broader, role, embed }: FieldProperties): boolean {
  if (broader === false || role !== undefined || embed !== undefined) return false
  return namesParent(words) || (title !== undefined && namesParent(nameWords(title)))
}

const shareIn = (column: ProfiledColumn, others: ProfiledColumn): number =>
  shareThatFits(column, (value) => distinctOf(others).has(value))

/** The column whose values a parent has: the key, else another that tells the records apart, such as their names. */
const referredBy = (
  parent: ProfiledColumn,
  { columns }: ProfiledTable,
  key: ProfiledColumn,
): ProfiledColumn | undefined =>
  [key, ...columns].find(
    (column) => column !== parent && shareIn(parent, column) >= MIN_RESOLVED && (column === key || isUnique(column)),
  )

/** Where most values are keys, the owner will want to know why the list is no tree. */
function tellNearly(
  { resource }: ProfiledTable,
  parent: ProfiledColumn,
  key: ProfiledColumn,
  tell: (guess: Guess) => void,
): void {
  if (shareIn(parent, key) < MIN_TOLD) return
  const other = parent.values.find((value) => value !== '' && !distinctOf(key).has(value)) ?? ''
  tell({
    resource: resource.name,
    field: parent.name,
    what: `${quoted(parent.name)} makes no tree: some of its values are no ${quoted(key.name)}, such as ${quoted(other)}.`,
    otherwise: `"nomenclator:broader": ${quoted(parent.name)} at the resource; records below one that is not there are then roots`,
  })
}

const parentGuess = ({ resource }: ProfiledTable, parent: ProfiledColumn, referred: ProfiledColumn): Guess => ({
  resource: resource.name,
  field: parent.name,
  what: `${quoted(parent.name)} has the ${quoted(referred.name)} of the record above: the list is a tree.`,
  otherwise: OTHERWISE,
})

const prefixGuess = ({ resource }: ProfiledTable, key: ProfiledColumn, prefix: Prefix): Guess => ({
  resource: resource.name,
  field: key.name,
  what: `Each ${quoted(key.name)} begins with that of the record above${
    'separator' in prefix ? ` and ${quoted(prefix.separator)}` : ''
  }: the list is a tree.`,
  otherwise: OTHERWISE,
})

const SEPARATORS = ['.', '-', '/', ':', ' ', '_'] as const
const MIN_LEVELS = 3
/** With two levels only, so many below and so many for each above are no chance. */
const MIN_BELOW = 10
const MIN_BRANCHES = 1.5

/** Numerals begin with others. */
const ROMAN = /^[IVXLCM]+$/i

/** How the codes are cut, if it is beyond doubt that they form a tree. */
const prefixOf = memoized((codes: ReadonlySet<string>): Prefix | undefined => {
  if (isSeries(codes) || [...codes].every((code) => ROMAN.test(code))) return undefined
  const prefix = anyPrefix(codes)
  if (prefix === undefined || branchesOf(codes, prefix) < MIN_BRANCHES) return undefined
  const levels = levelsOf(codes, prefix)
  const [above = 0, below = 0] = levels
  const isPlain = levels.length === 2 && below >= MIN_BELOW && below >= MIN_BRANCHES * above
  return levels.length >= MIN_LEVELS || isPlain ? prefix : undefined
})

/** How the codes are cut so that every code above is there. */
function anyPrefix(codes: ReadonlySet<string>): Prefix | undefined {
  const separator = SEPARATORS.find((sign) => isTreeBy(codes, { separator: sign }))
  if (separator !== undefined) return { separator }
  const prefixes = [...new Set([...codes].map((code) => code.length))].toSorted((a, b) => a - b)
  return isTreeBy(codes, { prefixes }) ? { prefixes } : undefined
}

/** The code above, undefined at the top. */
function codeAbove(code: string, prefix: Prefix): string | undefined {
  if ('separator' in prefix) {
    const end = code.lastIndexOf(prefix.separator)
    return end <= 0 ? undefined : code.slice(0, end)
  }
  const length = prefix.prefixes.findLast((one) => one < code.length)
  return length === undefined ? undefined : code.slice(0, length)
}

function isTreeBy(codes: ReadonlySet<string>, prefix: Prefix): boolean {
  let below = 0
  for (const code of codes) {
    const above = codeAbove(code, prefix)
    if (above === undefined) continue
    if (!codes.has(above)) return false
    below++
  }
  return below > 0
}

/** How many codes there are on each level, from the top. */
function levelsOf(codes: ReadonlySet<string>, prefix: Prefix): readonly number[] {
  const counts: number[] = []
  for (const code of codes) {
    let level = 0
    for (let above = codeAbove(code, prefix); above !== undefined; above = codeAbove(above, prefix)) level++
    counts[level] = (counts[level] ?? 0) + 1
  }
  return counts
}

/** How many records a record that has any below it has, on average. */
function branchesOf(codes: ReadonlySet<string>, prefix: Prefix): number {
  const above = [...codes].flatMap((code) => codeAbove(code, prefix) ?? [])
  return above.length / new Set(above).size
}
