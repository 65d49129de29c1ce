// Puts the complement of a source under the identifiers of the source: references are found again by official code.
import { type Catalog, entityIn } from '../../catalog/catalog.ts'
import { type Entity, embeddedAt, embedsOf, type Identity, nameFieldOf, type Values } from '../../catalog/entity.ts'
import type { SourceLocation } from '../../source/faults.ts'
import type { Alias, GivenRow, Report } from '../../source/source.ts'
import { ALIAS_CODE_SEPARATOR } from '../aliases.ts'
import { type Complement, rowsOfCompletion } from './completion.ts'
import { officialCode, type RowsOf } from './official-code.ts'

type Numbered = { readonly entity: Entity; readonly rowsOf: RowsOf }

/** Finds the records of one numbering in another. */
function renumberingOf(before: Numbered, now: Numbered) {
  const rows = now.rowsOf(now.entity.name)
  const rowsBefore = before.rowsOf(before.entity.name)
  const codeNow = (row: Values) => officialCode(now.entity, row, now.rowsOf)
  /** The identifier that each code has now; undefined if several records have it. */
  const idOf = new Map<string, Identity | undefined>()
  for (const [id, row] of rows) {
    const code = codeNow(row)
    idOf.set(code, idOf.has(code) ? undefined : id)
  }
  const codeBefore = (id: Identity): string => {
    const row = rowsBefore.get(id)
    return row === undefined ? '' : officialCode(before.entity, row, before.rowsOf)
  }
  const found = new Map<Identity, Identity | undefined>()
  return {
    /** The identifier that the record with this one has now. */
    find: (id: Identity): Identity | undefined =>
      found.getOrInsertComputed(id, () => {
        const code = codeBefore(id)
        const same = rows.get(id)
        // If several records have one code, the one that has kept its identifier is the same.
        return same !== undefined && codeNow(same) === code ? id : idOf.get(code)
      }),
    /** Code and name of a record, as they were. */
    label: (id: Identity): string => {
      const row = rowsBefore.get(id)
      return row === undefined ? `identifier ${id}` : `${codeBefore(id)} ${row[nameFieldOf(before.entity)]}`
    },
  }
}

/** The fields of an entity that refer to what the source provides, and how. */
type Renumberings = ReadonlyMap<string, ReturnType<typeof renumberingOf>>

/** The catalog that is being built, and the entities that come from the source. */
type Building = { readonly catalog: Catalog; readonly provides: readonly string[]; readonly rowsOf: RowsOf }

async function renumberings(completion: Complement, entity: Entity, { catalog, provides, rowsOf }: Building) {
  const found = new Map<string, ReturnType<typeof renumberingOf>>()
  for (const [field, { name }] of embedsOf(entity)) {
    if (!provides.includes(name) || !completion.provides.includes(name)) continue
    const before = { entity: entityIn(completion.catalog, name), rowsOf: await rowsOfCompletion(completion, name) }
    found.set(field, renumberingOf(before, { entity: entityIn(catalog, name), rowsOf }))
  }
  return found
}

/**
 * The rows of an entity of a completion. An identifier in them means a record of the completion, and the source may number
 * its records otherwise.
 */
export async function* renumberedRows(completion: Complement, entity: Entity, building: Building, report: Report) {
  const references = await renumberings(completion, entity, building)
  const missing = missingParents(entity, references, completion, report)
  for await (const { file, lines, rows } of await completion.read(entity.name, report)) {
    const kept = rows.flatMap((row, at) => {
      const location = { file, line: lines[at] as number }
      const renumbered = renumberedRow(row, references, (field, id) => missing.add(field, id, location))
      return renumbered === undefined ? [] : [{ row: renumbered, line: location.line }]
    })
    yield { file, lines: kept.map(({ line }) => line), rows: kept.map(({ row }) => row) }
  }
  missing.addFaults()
}

/** Undefined where a record that it refers to is not there. */
function renumberedRow(row: GivenRow, references: Renumberings, onMissing: (field: string, id: Identity) => void) {
  let renumbered = row
  for (const [field, renumbering] of references) {
    const id = row[field]
    // An optional reference that is not there stays so.
    if (typeof id !== 'number' && typeof id !== 'string') continue
    const now = renumbering.find(id)
    if (now === undefined) {
      onMissing(field, id)
      return undefined
    }
    if (now !== id) renumbered = { ...renumbered, [field]: now }
  }
  return renumbered
}

type Missing = { readonly location: SourceLocation; readonly column: string; readonly label: string; count: number }

/** Collects the records that rows refer to and that are not there any more: a fault for each, however many rows refer to it. */
function missingParents(entity: Entity, references: Renumberings, completion: Complement, report: Report) {
  const { plural } = entity
  const missing = new Map<string, Missing>()
  return {
    add: (column: string, id: Identity, location: SourceLocation): void => {
      const label = references.get(column)?.label(id) ?? ''
      missing.getOrInsert(`${column} ${label}`, { location, column, label, count: 0 }).count++
    },
    addFaults: (): void => {
      for (const { location, column, label, count } of missing.values()) {
        const belongs = `to which ${count} ${plural} of ${completion.title} belong`
        const parent = embeddedAt(entity, column).name
        const expected = `one ${parent} with this code in the source, ${belongs}; or ${plural} in the source too`
        report.faults.add({ ...location, column, value: label, expected })
      }
    },
  }
}

/** The aliases of a completion; those of records that are not there any more are left out. */
export async function renumberedAliases(completion: Complement, building: Building): Promise<Alias[] | undefined> {
  const byEntity = new Map<string, Promise<Renumberings>>()
  const aliases: Alias[] = []
  for (const alias of completion.aliases ?? []) {
    const entity = building.catalog.entities.get(alias.entity)
    if (entity === undefined) continue
    const references = await byEntity.getOrInsertComputed(entity.name, () => renumberings(completion, entity, building))
    const parts = entity.code.length === 1 ? [alias.code] : alias.code.split(ALIAS_CODE_SEPARATOR)
    const isOfFields = parts.length === entity.code.length
    const renumbered = parts.map((part, at) => {
      const renumbering = isOfFields ? references.get(entity.code[at] as string) : undefined
      return renumbering === undefined ? part : renumbering.find(Number(part))
    })
    if (renumbered.every((part) => part !== undefined))
      aliases.push({ ...alias, code: renumbered.join(ALIAS_CODE_SEPARATOR) })
  }
  return completion.aliases === undefined ? undefined : aliases
}
