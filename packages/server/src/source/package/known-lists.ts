// The lists that ship with the program, as packages refer to them: their names, and the keys and official codes of their records.
import { readFileSync } from 'node:fs'
import { memoized } from '../../base/memoized.ts'
import { shippedFile } from '../../base/program.ts'
import { type EntityData, entityData } from '../../catalog/catalog.ts'
import { type Entity, embeddedAt, type Identity, identityFrom, type OfficialCode } from '../../catalog/entity.ts'
import { codesOf, joinedCode, partText, usualCodeOf } from '../../catalog/official-code.ts'
import { builtInCatalog, builtInTables } from '../built-in.ts'
import type { KnownList } from './infer/inference.ts'
import type { KnownRecords } from './list-records.ts'
import { delimitedText } from './read/delimited.ts'

/** The package that they are, in references. */
export const BUILT_IN = 'nomenclator'

type Row = ReadonlyMap<string, string>
const paths = new Map(builtInTables)

const rowsOf = memoized((entity: Entity): readonly Row[] => {
  const path = paths.get(entity.name) ?? ''
  const bytes = readFileSync(shippedFile(`data/${path}`))
  const text = new TextDecoder().decode(path.endsWith('.gz') ? Bun.gunzipSync(bytes) : bytes)
  const [header = [], ...rows] = delimitedText(text, { file: path, dialect: { delimiter: ',' }, tell: () => {} }).rows
  return rows.map((row) => new Map(header.map((name, at) => [name, row[at] ?? ''])))
})

const byKey = memoized(
  (entity: Entity): ReadonlyMap<string, Row> =>
    new Map(rowsOf(entity).map((row) => [entity.key.map((field) => row.get(field)).join('\0'), row])),
)

function codeOf(entity: Entity, code: OfficialCode, row: Row): string | undefined {
  const parts = code.parts.map((part) => {
    const value = row.get(part.field) ?? ''
    if (entity.fields[part.field]?.kind !== 'embed') return partText(part, value)
    const above = embeddedAt(entity, part.field)
    const parent = byKey(above).get(value)
    return parent === undefined ? undefined : codeOf(above, usualCodeOf(above), parent)
  })
  return joinedCode(code, parts)
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

function knownList(entity: Entity): KnownList {
  const codes = codesOf(entity).flatMap((code) => {
    if (code.name === '') return []
    const values = () => rowsOf(entity).flatMap((row) => codeOf(entity, code, row) ?? [])
    const length = lengthOf(entity, code)
    const lengths = new Set(length === undefined ? values().map((value) => value.length) : [length])
    return [{ field: code.name, lengths, values }]
  })
  return { package: BUILT_IN, resource: entity.plural, names: [entity.name, entity.plural], codes }
}

/** The definitions of the lists that ship with the program. */
export const builtInDefinitions: readonly EntityData[] = [...builtInCatalog.entities.values()].map(entityData)

/** The official codes that fields of a reference mean: all that have a name where it names none; undefined of other fields. */
export function codesMeant(entity: Entity, fields: readonly string[]): readonly OfficialCode[] | undefined {
  const named = codesOf(entity).filter(({ name }) => name !== '')
  if (fields.length === 0) return named
  const code = fields.length === 1 ? named.find(({ name }) => name === fields[0]) : undefined
  return code && [code]
}

function identityOf(entity: Entity, row: Row): Identity {
  const parts = entity.key.map((field) => {
    const text = row.get(field) ?? ''
    return entity.fields[field]?.kind === 'code' ? text : Number(text)
  })
  return identityFrom(parts)
}

/** The records of a list that ships with the program, for packages that refer to it; undefined of other lists. */
export function builtInRecords(name: string): KnownRecords | undefined {
  const entity = builtInCatalog.entities.get(name)
  if (entity === undefined) return undefined
  const identities = memoized(() => new Set(rowsOf(entity).map((row) => identityOf(entity, row))))
  const indexes = new Map<string, ReadonlyMap<string, Identity>>()
  const indexOf = (fields: readonly string[]) => {
    const index = new Map<string, Identity>()
    const codes = codesMeant(entity, fields)
    const textsOf = (row: Row) =>
      codes?.map((code) => codeOf(entity, code, row)) ?? [fields.map((field) => row.get(field) ?? '').join(BETWEEN)]
    for (const row of rowsOf(entity))
      for (const text of textsOf(row)) if (text !== undefined) index.getOrInsert(text, identityOf(entity, row))
    return index
  }
  return {
    has: (identity) => identities(entity).has(identity),
    byFields: (fields, texts) =>
      indexes.getOrInsertComputed(fields.join(BETWEEN), () => indexOf(fields)).get(texts.join(BETWEEN)),
  }
}

const BETWEEN = '\0'

let known: readonly KnownList[] | undefined
/** Read once, and only where something is inferred. */
export const builtInLists = (): readonly KnownList[] => {
  known ??= [...builtInCatalog.entities.values()].map(knownList)
  return known
}
