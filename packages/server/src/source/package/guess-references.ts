// Which columns refer to the records of another list: those that are declared to, and those that are named after it and have its codes.
import type { EntityData } from '../../catalog/catalog.ts'
import { slugOf } from '../../catalog/slug.ts'
import type { ForeignKey, Guess } from './descriptor.ts'
import { quoted } from './guess-key.ts'
import {
  columnNamed,
  distinctOf,
  isBlank,
  isUnique,
  looksLikeCodes,
  type ProfiledColumn,
  type ProfiledTable,
  shareThatFits,
} from './guess-table.ts'
import { isCodeWord, isNameWord, nounsOf, subjectOf } from './guess-words.ts'
import type { FieldProperties } from './profile.ts'

/** A table with its key, and the name that its entity will have. */
export type KeyedTable = {
  readonly table: ProfiledTable
  readonly key: readonly ProfiledColumn[]
  readonly name: string
}

export type Reference = {
  /** The field: the last of its columns. */
  readonly field: ProfiledColumn
  readonly columns: readonly ProfiledColumn[]
  readonly entity: string
  /** Of a list of this package. */
  readonly target?: KeyedTable
  /** The columns of the target that are meant, where they are not its key. */
  readonly refersTo?: readonly string[]
  readonly isDeclared: boolean
  /** Whether every row has one that is there. */
  readonly isComplete: boolean
  readonly guess?: Guess
}

type ReferenceContext = {
  readonly own: KeyedTable
  readonly all: readonly KeyedTable[]
  /** The lists of other packages; undefined where no home is looked at. */
  readonly others: readonly EntityData[] | undefined
  readonly propertiesOf: (column: ProfiledColumn) => FieldProperties
  readonly tell: (guess: Guess) => void
}

const MIN_RESOLVED = 0.98
const MIN_TOLD = 0.7

/** The references of a table, those that are declared first; no column is the field of two. */
export function referencesOf(context: ReferenceContext): readonly Reference[] {
  const { own, propertiesOf } = context
  const references = new Map<ProfiledColumn, Reference>()
  const add = (reference: Reference | undefined) => {
    if (reference !== undefined && !references.has(reference.field)) references.set(reference.field, reference)
  }
  for (const foreignKey of own.table.resource.schema?.foreignKeys ?? []) add(declaredReference(foreignKey, context))
  for (const column of own.table.columns) {
    const { embed, role, broader } = propertiesOf(column)
    if (typeof embed === 'string') add(embedReference(column, embed, context))
    else if (embed === undefined && role === undefined && broader === undefined) add(guessedReference(column, context))
  }
  return withoutRepeats([...references.values()])
}

/** `region_code` and `region_name` refer to the same record: once is enough, by its key. */
const withoutRepeats = (references: readonly Reference[]): readonly Reference[] =>
  references.filter(
    (one) =>
      one.isDeclared ||
      one.refersTo === undefined ||
      !references.some(
        (other) =>
          other.refersTo === undefined &&
          other.target === one.target &&
          subjectOf(other.field.words).join() === subjectOf(one.field.words).join(),
      ),
  )

function declaredReference(foreignKey: ForeignKey, context: ReferenceContext): Reference | undefined {
  const { own, all, propertiesOf, tell } = context
  const { fields, reference } = foreignKey
  const { name } = own.table.resource
  if (reference.package === undefined && ['', name].includes(reference.resource)) return undefined
  const columns = fields.map((field) => columnNamed(own.table, field))
  const field = columns.at(-1)
  const shown = `${fields.map(quoted).join(' with ')} of ${quoted(name)}`
  const refuse = (why: string) =>
    void tell({
      resource: name,
      what: `${shown} is no reference: ${why}.`,
      otherwise: `another "foreignKeys" in its schema`,
    })
  if (field === undefined || columns.includes(undefined)) return refuse('it is no column of the file')
  if (propertiesOf(field).embed === false) return undefined
  if (reference.package !== undefined) return otherReference(foreignKey, columns as ProfiledColumn[], context, refuse)
  const target = all.find(({ table }) => table.resource.name === reference.resource)
  if (target === undefined) return refuse(`there is no list ${quoted(reference.resource)} in the package`)
  return (
    referenceTo(target, columns as ProfiledColumn[], reference.fields, context, true) ??
    refuse('the fields that it refers to are not there')
  )
}

type Refuse = (why: string) => undefined

function otherReference(
  { reference }: ForeignKey,
  columns: readonly ProfiledColumn[],
  { others, own }: ReferenceContext,
  refuse: Refuse,
): Reference | undefined {
  const from = (reference.package as string).replace(/\/(?:datapackage\.(?:json|ya?ml))?$/, '')
  const name = from.slice(from.lastIndexOf('/') + 1)
  const slug = slugOf(listName(reference.resource), '-')
  if (others === undefined)
    return refuse(`package ${quoted(name)} is not seen without a home; give --home with the home that has it`)
  const entity = others.find(
    (one) =>
      (one.package === from || one.package === name) && [slug, `${slugOf(name, '-')}-${slug}`].includes(one.plural),
  )
  if (entity === undefined)
    return refuse(`the home has no list ${quoted(reference.resource)} of a package ${quoted(name)}; import that first`)
  const places = entity.key.map((part) => reference.fields.indexOf(part))
  const isByKey = places.length === columns.length && !places.includes(-1)
  const field = columns.at(-1) as ProfiledColumn
  return {
    field,
    columns: isByKey ? places.map((at) => columns[at] as ProfiledColumn) : columns,
    entity: entity.name,
    ...(isByKey ? {} : { refersTo: reference.fields }),
    isDeclared: true,
    // Its records are not known here.
    isComplete: own.key.includes(field),
  }
}

/** The name of a list without the ending of a file. */
export const listName = (resource: string): string =>
  resource.replace(/\.(?:csv|tsv|txt|xlsx|ndjson|json)(?:\.gz)?$/i, '')

function embedReference(column: ProfiledColumn, resource: string, context: ReferenceContext): Reference | undefined {
  const { all, own, tell } = context
  const target = all.find(({ table, name }) => table.resource.name === resource || name === resource)
  if (target !== undefined && target.key.length === 1)
    return referenceTo(
      target,
      [column],
      target.key.map(({ name }) => name),
      context,
      true,
    )
  tell({
    resource: own.table.resource.name,
    field: column.name,
    what: `${quoted(column.name)} embeds nothing: there is no list ${quoted(resource)} with a key of one field.`,
    otherwise: '"foreignKeys" in its schema, with the fields of both lists',
  })
  return undefined
}

/** The reference of columns to fields of a list of the package; undefined where the list has no such fields. */
function referenceTo(
  target: KeyedTable,
  columns: readonly ProfiledColumn[],
  fields: readonly string[],
  { own }: ReferenceContext,
  isDeclared: boolean,
): Reference | undefined {
  const meant = fields.map((field) => columnNamed(target.table, field))
  if (meant.includes(undefined) || meant.length !== columns.length || target === own) return undefined
  const places = target.key.map((part) => meant.indexOf(part))
  const isByKey = places.length === columns.length && !places.includes(-1)
  const ordered = isByKey ? places.map((at) => columns[at] as ProfiledColumn) : columns
  const referred = (isByKey ? target.key : meant) as readonly ProfiledColumn[]
  return {
    field: columns.at(-1) as ProfiledColumn,
    columns: ordered,
    entity: target.name,
    target,
    ...(isByKey ? {} : { refersTo: referred.map(({ name }) => name) }),
    isDeclared,
    isComplete: resolvedShare(ordered, referred) === 1,
  }
}

/** Which share of all rows refers to a record that is there. */
function resolvedShare(columns: readonly ProfiledColumn[], referred: readonly ProfiledColumn[]): number {
  const joined = (set: readonly ProfiledColumn[], row: number) => set.map(({ values }) => values[row]).join('\0')
  const known = new Set(referred[0]?.values.map((_, row) => joined(referred, row)))
  const rows = columns[0]?.values.length ?? 0
  let resolved = 0
  for (let row = 0; row < rows; row++)
    if (columns.every(({ values }) => values[row] !== '') && known.has(joined(columns, row))) resolved++
  return rows === 0 ? 1 : resolved / rows
}

function guessedReference(column: ProfiledColumn, context: ReferenceContext): Reference | undefined {
  const { own, all } = context
  if ((own.key.length === 1 && own.key[0] === column) || isBlank(column)) return undefined
  for (const target of all) {
    if (target === own) continue
    const by = codesOf(target).find(
      (code, at) => isNamedAfter(column, own, target, code, at === 0) && has(code, column, own),
    )
    const reference = by === undefined ? undefined : referenceTo(target, [column], [by.name], context, false)
    if (by !== undefined && reference !== undefined)
      return { ...reference, guess: referenceGuess(column, own, target, by) }
  }
  tellNearly(column, context)
  return undefined
}

/** Whether the codes of a list have the values of a column; in a key nothing may be missing. */
const has = (code: ProfiledColumn, column: ProfiledColumn, { key }: KeyedTable) =>
  shareThatFits(column, (value) => distinctOf(code).has(value)) >= (key.includes(column) ? 1 : MIN_RESOLVED)

/** Where most values are codes of the list that the column is named after, its owner will want to know. */
function tellNearly(column: ProfiledColumn, { own, all, tell }: ReferenceContext): void {
  for (const target of all) {
    const [code] = target.key
    if (target === own || code === undefined || target.key.length > 1) continue
    if (!isNamedAfter(column, own, target, code, true)) continue
    if (shareThatFits(column, (value) => distinctOf(code).has(value)) < MIN_TOLD) continue
    const other = column.values.find((value) => value !== '' && !distinctOf(code).has(value)) ?? ''
    tell({
      resource: own.table.resource.name,
      field: column.name,
      what: `${quoted(column.name)} does not refer to ${quoted(target.table.resource.name)}: some of its values are not there, such as ${quoted(other)}.`,
      otherwise: `"nomenclator:embed": ${quoted(target.table.resource.name)} at the field; what is not there is then left out`,
    })
  }
}

/** The key of a list of one field, then other columns that identify its records. */
function codesOf({ table, key }: KeyedTable): readonly ProfiledColumn[] {
  if (key.length > 1) return []
  const others = table.columns.filter((one) => !key.includes(one) && looksLikeCodes(one) && isUnique(one))
  return [...key, ...others]
}

/** Whether a column is named like a list, or like the column with its codes. */
function isNamedAfter(
  column: ProfiledColumn,
  own: KeyedTable,
  target: KeyedTable,
  code: ProfiledColumn,
  isKey: boolean,
): boolean {
  if (
    isKey &&
    column.words.join() === code.words.join() &&
    !code.words.every((word) => isCodeWord(word) || isNameWord(word))
  )
    return true
  const subject = subjectOf(column.words)
  const nouns = nounsOf(listName(target.table.resource.name))
  if (subject.length === 0 || nouns.length === 0) return false
  const endsWith = (words: readonly string[], end: readonly string[]) => words.slice(-end.length).join() === end.join()
  const ownNouns = nounsOf(listName(own.table.resource.name))
  return endsWith(subject, nouns) || (endsWith(nouns, subject) && isPrefixOf(nouns.slice(0, -subject.length), ownNouns))
}

/** Whether what a name lacks is what both lists are about: `category` of sectors means the sector categories. */
const isPrefixOf = (lacking: readonly string[], ownNouns: readonly string[]) =>
  lacking.every((word) => ownNouns.includes(word))

function referenceGuess(column: ProfiledColumn, own: KeyedTable, target: KeyedTable, by: ProfiledColumn): Guess {
  const { name } = target.table.resource
  return {
    resource: own.table.resource.name,
    field: column.name,
    what: `${quoted(column.name)} refers to ${quoted(by.name)} of ${quoted(name)}, which has its values.`,
    otherwise: `"nomenclator:embed": false at the field`,
  }
}
