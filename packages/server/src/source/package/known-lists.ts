// The lists that ship with the program, as packages refer to them: their names, and the keys and official codes of their records.
import { readFileSync } from 'node:fs'
import { memoized } from '../../base/memoized.ts'
import { shippedFile } from '../../base/program.ts'
import { type Catalog, type EntityData, entityData } from '../../catalog/catalog.ts'
import { type Entity, embeddedAt, type Identity, identityFrom, type OfficialCode } from '../../catalog/entity.ts'
import { codesOf, partText, usualCodeOf } from '../../catalog/official-code.ts'
import { builtInCatalog, builtInTables } from '../built-in.ts'
import type { KnownList } from './infer/inference.ts'
import type { KnownRecords } from './list-records.ts'
import { delimitedText } from './read/delimited.ts'

/** The package that they are, in references. */
export const BUILT_IN = 'nomenclator'

/** The rows of a table that ships, and where each of its columns is. */
type ShippedTable = { readonly columns: ReadonlyMap<string, number>; readonly rows: readonly (readonly string[])[] }
type Row = readonly string[]
const paths = new Map(builtInTables)

const tableOf = memoized((entity: Entity): ShippedTable => {
  const path = paths.get(entity.name) ?? ''
  const bytes = readFileSync(shippedFile(`data/${path}`))
  const text = new TextDecoder().decode(path.endsWith('.gz') ? Bun.gunzipSync(bytes) : bytes)
  const [header = [], ...rows] = delimitedText(text, { file: path, dialect: { delimiter: ',' }, tell: () => {} }).rows
  return { columns: new Map(header.map((name, at) => [name, at])), rows }
})

const rowsOf = (entity: Entity): readonly Row[] => tableOf(entity).rows

/** Reads a field of a row. */
function fieldReader(entity: Entity, field: string): (row: Row) => string {
  const at = tableOf(entity).columns.get(field) ?? -1
  return (row) => row[at] ?? ''
}

/** Reads a code of a row; those of a parent are written once for each parent. */
function codeReader(entity: Entity, { parts, separator = '' }: OfficialCode): (row: Row) => string | undefined {
  const readers = parts.map((part): ((row: Row) => string | undefined) => {
    const read = fieldReader(entity, part.field)
    if (entity.fields[part.field]?.kind !== 'embed') return (row) => partText(part, read(row))
    const above = embeddedAt(entity, part.field)
    const [codeOf, keyOf] = [codeReader(above, usualCodeOf(above)), fieldReader(above, above.key[0] ?? '')]
    const codes = new Map(rowsOf(above).map((row) => [keyOf(row), codeOf(row)]))
    return (row) => codes.get(read(row))
  })
  return (row) => {
    let code: string | undefined
    for (const read of readers) {
      const part = read(row)
      if (part === undefined) return undefined
      code = code === undefined ? part : code + separator + part
    }
    return code
  }
}

/** The length of all codes, where the definition tells it. */
function lengthOf(entity: Entity, { parts, separator }: OfficialCode): number | undefined {
  const lengths = parts.map(({ field, width }) => {
    if (entity.fields[field]?.kind !== 'embed') return width
    const above = embeddedAt(entity, field)
    return lengthOf(above, usualCodeOf(above))
  })
  if (separator !== undefined || lengths.includes(undefined)) return undefined
  return (lengths as number[]).reduce((sum, length) => sum + length, 0)
}

/** A list outside of a package, as columns may refer to it; the codes of its records are read where they may be meant. */
export function knownList(entity: Entity, valuesOf: (code: OfficialCode) => readonly string[]): KnownList {
  const { plural, name, title, package: owner } = entity
  const codes = codesOf(entity).flatMap((code) => {
    if (code.name === '') return []
    const values = () => valuesOf(code)
    // Lists of others may be long, and are read only where a header names them.
    if (owner !== undefined) return [{ field: code.name, values }]
    const length = lengthOf(entity, code)
    const lengths = new Set(length === undefined ? values().map((value) => value.length) : [length])
    return [{ field: code.name, lengths, values }]
  })
  const names = owner === undefined ? [name, plural] : [name, plural, title]
  return { package: owner ?? BUILT_IN, resource: plural, names, codes }
}

/** The official codes that fields of a reference mean: all that have a name where it names none; undefined of other fields. */
function codesMeant(entity: Entity, fields: readonly string[]): readonly OfficialCode[] | undefined {
  const named = codesOf(entity).filter(({ name }) => name !== '')
  if (fields.length === 0) return named
  const code = fields.length === 1 ? named.find(({ name }) => name === fields[0]) : undefined
  return code && [code]
}

/** How the records of a list outside of a package are read at their positions. */
type OutsideReader = {
  readonly count: number
  readonly identityAt: (position: number) => Identity
  readonly textAt: (field: string) => (position: number) => string
  readonly codeAt: (code: OfficialCode) => (position: number) => string | undefined
}

/** The records of a list outside of a package by their keys, and by fields or codes, which are indexed where they are meant. */
export function outsideRecords(entity: Entity, { count, identityAt, textAt, codeAt }: OutsideReader): KnownRecords {
  let identities: Set<Identity> | undefined
  const indexes = new Map<string, ReadonlyMap<string, Identity>>()
  const indexOf = (fields: readonly string[]) => {
    const index = new Map<string, Identity>()
    const readers = codesMeant(entity, fields)?.map(codeAt) ?? [joined(fields.map(textAt))]
    for (let position = 0; position < count; position++)
      for (const read of readers) {
        const text = read(position)
        if (text !== undefined) index.getOrInsert(text, identityAt(position))
      }
    return index
  }
  return {
    has: (identity) => {
      identities ??= new Set(Array.from({ length: count }, (_, position) => identityAt(position)))
      return identities.has(identity)
    },
    byFields: (fields, texts) =>
      indexes.getOrInsertComputed(fields.join(BETWEEN), () => indexOf(fields)).get(texts.join(BETWEEN)),
  }
}

const BETWEEN = '\0'
const joined = (readers: readonly ((position: number) => string)[]) => (position: number) =>
  readers.map((read) => read(position)).join(BETWEEN)

/** The records of a list that ships with the program; undefined of other lists. */
function builtInRecords(name: string): KnownRecords | undefined {
  const entity = builtInCatalog.entities.get(name)
  if (entity === undefined) return undefined
  const rows = rowsOf(entity)
  const at =
    <T>(read: (row: Row) => T) =>
    (position: number) =>
      read(rows[position] as Row)
  const key = entity.key.map((field): ((row: Row) => Identity) => {
    const read = fieldReader(entity, field)
    return entity.fields[field]?.kind === 'code' ? read : (row) => Number(read(row))
  })
  return outsideRecords(entity, {
    count: rows.length,
    identityAt: at((row) => identityFrom(key.map((read) => read(row)))),
    textAt: (field) => at(fieldReader(entity, field)),
    codeAt: (code) => at(codeReader(entity, code)),
  })
}

const builtInLists: readonly KnownList[] = [...builtInCatalog.entities.values()].map((entity) =>
  knownList(entity, (code) => {
    const read = codeReader(entity, code)
    return rowsOf(entity).flatMap((row) => read(row) ?? [])
  }),
)

/** What lies outside of a package: the lists that it may refer to, and the collections that have their names already. */
export type OutsideLists = {
  readonly taken: (slug: string) => boolean
  readonly definitions: readonly EntityData[]
  /** The records of a list; where they are not known, references to it are checked when they are published. */
  readonly recordsOf: (entity: string) => KnownRecords | undefined
  /** What columns may have the codes of; read only where something is inferred. */
  readonly known: () => readonly KnownList[]
  /** False where no home is looked at. */
  readonly hasHome: boolean
}

/** The lists that ship with the program, of which a home without a release may be going to have only some. */
export const shippedLists = ({ entities }: Pick<Catalog, 'entities'> = builtInCatalog): OutsideLists => {
  const own = [...entities.values()]
  return {
    taken: () => false,
    definitions: own.map(entityData),
    recordsOf: builtInRecords,
    known: () => builtInLists.filter(({ resource }) => own.some(({ plural }) => plural === resource)),
    hasHome: false,
  }
}
