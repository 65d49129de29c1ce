// Names in several languages: which of them are shown where one language is wanted, and what a record is called then.
//
// A name may be a fact, which is no part of the record as it is published: where its language is wanted, it stands in the place of
// the published name.
import { memoized } from '../../base/memoized.ts'
import { type Entity, embedsOf, factsOf, nameFieldOf } from '../../catalog/entity.ts'
import type { PublishedRecord } from '../../catalog/flatten.ts'
import { isNameFact, languagesOf } from '../../catalog/languages/languages.ts'
import { factReader } from '../../release/facts.ts'
import type { OpenEntity, Release } from '../../release/release.ts'

type LanguageOfName = readonly [name: string, language: string | undefined]

/** The name fields of an entity in the order of its definition, each with its language where that is known. */
const nameFields = memoized(({ fields }: Entity): readonly LanguageOfName[] =>
  Object.entries(fields).flatMap(([name, field]) => (field.kind === 'name' ? [[name, field.language] as const] : [])),
)

/** The facts that are names, likewise. */
const nameFacts = memoized((entity: Entity): readonly LanguageOfName[] =>
  factsOf(entity).flatMap(([name, fact]) => (isNameFact(fact) ? [[name, fact.language] as const] : [])),
)

const hasLanguages = (entity: Entity): boolean => nameFields(entity).some(([, language]) => language !== undefined)

/** True if a name is in a language: a name in `es` is in `es-MX` too. */
const isIn = (language: string | undefined, wanted: string): boolean =>
  language !== undefined && `${language}-`.toLowerCase().startsWith(`${wanted}-`.toLowerCase())

/** The language among these that is meant by a tag, which may say more: `es-MX` means `es` where that is all there is. */
export function languageMeant(languages: readonly string[], tag: string): string | undefined {
  for (let wanted = tag; wanted !== ''; wanted = wanted.slice(0, Math.max(wanted.lastIndexOf('-'), 0)))
    if (languages.some((language) => isIn(language, wanted))) return wanted
  return undefined
}

type HasName = (field: string) => boolean

const hasNameIn =
  (record: PublishedRecord): HasName =>
  (name) =>
    (record[name] ?? null) !== null

/** The names among these that are shown of a record: those in the language or, where it has none, the first that it has. */
function shownNames(fields: readonly LanguageOfName[], language: string, hasName: HasName): readonly string[] {
  const own = fields.filter(([name, ofField]) => isIn(ofField, language) && hasName(name))
  const shown = own.length > 0 ? own : fields.filter(([name]) => hasName(name)).slice(0, 1)
  return shown.map(([name]) => name)
}

type Renamed = (record: PublishedRecord, position: number) => PublishedRecord

/**
 * Puts names that are facts in the place of the first published name and its copies, where no published one is in the language, or
 * adds them; also in embedded records. Undefined where there is no such name.
 */
export function nameReplacer(
  release: Release,
  entity: OpenEntity,
  language: string,
  isAdded = false,
): Renamed | undefined {
  const { definition, index } = entity
  const renameOwn = ownNameReplacer(entity, language, isAdded)
  const embedded = embedsOf(definition).flatMap(([field, { name }]) => {
    const rename = nameReplacer(release, release.entity(name), language, isAdded)
    return rename === undefined ? [] : [{ field, rename, positions: index.column(field).values }]
  })
  if (embedded.length === 0) return renameOwn
  return (record, position) => {
    const renamed: Record<string, PublishedRecord[string]> = { ...(renameOwn?.(record, position) ?? record) }
    for (const { field, rename, positions } of embedded) {
      const parent = record[field]
      if (isRecord(parent)) renamed[field] = rename(parent, positions[position] as number)
    }
    return renamed
  }
}

/** The same for the names of a record itself. */
export function ownNameReplacer(entity: OpenEntity, language: string, isAdded = false): Renamed | undefined {
  const { definition } = entity
  const facts = nameFacts(definition).filter(([, ofFact]) => isIn(ofFact, language))
  if (facts.length === 0) return undefined
  const factsAt = factReader(
    entity,
    facts.map(([name]) => name),
  )
  const published = nameFields(definition).filter(([, ofField]) => isIn(ofField, language))
  const [first] = nameFields(definition)[0] ?? []
  const places = Object.entries(definition.fields).flatMap(([name, field]) =>
    (isAdded ? name === facts[0]?.[0] : name === first || (field.kind === 'copy' && field.of === first)) ? [name] : [],
  )
  return (record, position) => {
    const renamed: Record<string, PublishedRecord[string]> = { ...record }
    const name = Object.values(factsAt(position)).find((value) => value !== null)
    if (name !== undefined && !published.some(([one]) => hasNameIn(record)(one)))
      for (const place of places) renamed[place] = name
    return renamed
  }
}

type Reduced = (record: PublishedRecord) => PublishedRecord

/** Leaves out the names of a record, and of those embedded in it, that are not shown in a language. */
export function inLanguage(entity: Entity, language: string): Reduced {
  const isReduced = hasLanguages(entity)
  const fields = nameFields(entity).map(([name]) => name)
  const embedded = Object.entries(entity.fields).flatMap(([name, field]) =>
    field.kind === 'embed' && languagesOf(field.entity).length > 0
      ? [[name, inLanguage(field.entity, language)] as const]
      : [],
  )
  return (record) => {
    const shown = isReduced ? shownNames(nameFields(entity), language, hasNameIn(record)) : fields
    const reduced = Object.fromEntries(
      Object.entries(record).filter(([name]) => !fields.includes(name) || shown.includes(name)),
    )
    for (const [name, reduce] of embedded) if (isRecord(reduced[name])) reduced[name] = reduce(reduced[name])
    return reduced
  }
}

const isRecord = (value: unknown): value is PublishedRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** True if the names at a path have a column where only one language is shown. */
export function isColumnIn(entity: Entity, steps: readonly string[], language: string): boolean {
  const owner = ownerAt(entity, steps)
  const name = steps.at(-1) as string
  if (owner?.fields[name]?.kind !== 'name' || !hasLanguages(owner)) return true
  const own = nameFields(owner).filter(([, ofField]) => isIn(ofField, language))
  return (own.length > 0 ? own : nameFields(owner).slice(0, 1)).some(([field]) => field === name)
}

/** The name that stands in the column of another: the first that the record has, where it has none in the language. */
export function nameInstead(
  entity: Entity,
  steps: readonly string[],
  language: string,
): ((record: PublishedRecord) => unknown) | undefined {
  const owner = ownerAt(entity, steps)
  const [first] = owner === undefined ? [] : nameFields(owner).filter(([, ofField]) => isIn(ofField, language))
  if (owner === undefined || (first?.[0] ?? nameFields(owner)[0]?.[0]) !== steps.at(-1)) return undefined
  return (record) => {
    const [shown] = shownNames(nameFields(owner), language, hasNameIn(record))
    return shown === undefined ? null : record[shown]
  }
}

/** The entity of the field that the steps lead to. */
function ownerAt(entity: Entity, steps: readonly string[]): Entity | undefined {
  let at: Entity | undefined = entity
  for (const step of steps.slice(0, -1)) {
    const field: Entity['fields'][string] | undefined = at?.fields[step]
    at = field?.kind === 'embed' ? field.entity : undefined
  }
  return at
}

/** The field that names are read from in a language: the first that is in it, published or a fact, or else the first of all. */
export const nameFieldIn = (entity: Entity, language: string | undefined): string =>
  (language === undefined
    ? undefined
    : [...nameFields(entity), ...nameFacts(entity)].find(([, ofField]) => isIn(ofField, language))?.[0]) ??
  nameFieldOf(entity)

/** The name of a record in a language, if one is given and the record has it; else its first name, or its key. */
export function nameShown(entity: Entity, record: PublishedRecord, language?: string): string {
  const hasName = hasNameIn(record)
  const [name = nameFieldOf(entity)] =
    language === undefined
      ? nameFields(entity).flatMap(([field]) => (hasName(field) ? [field] : []))
      : shownNames(nameFields(entity), language, hasName)
  const value = record[name]
  return typeof value === 'string' && value !== '' ? value : keyShown(entity, record)
}

const keyShown = (entity: Entity, record: PublishedRecord): string =>
  entity.key
    .map((name) => {
      const value = record[name]
      const field = entity.fields[name]
      return field?.kind === 'embed' && isRecord(value) ? keyShown(field.entity, value) : String(value)
    })
    .join(' ')

/** The languages of the names that are shown of the records at some positions; undefined stands for all. */
export function languagesShown(
  { definition, index, count }: OpenEntity,
  language: string,
  positions: Iterable<number> | undefined,
): string[] {
  const fields = [...nameFields(definition), ...nameFacts(definition)]
  if (!hasLanguages(definition)) return [language]
  const columns = new Map(fields.map(([name]) => [name, index.column(name)]))
  const shown = new Set<string>()
  const possible = new Set(fields.map(([, ofField]) => ofField)).size
  for (const position of positions ?? Array(count).keys()) {
    const names = shownNames(fields, language, (name) => {
      const column = columns.get(name)
      if (column?.kind === 'text fact') return (column.values[position] as number) < column.known.length
      return column?.kind === 'text' && column.texts.lengthOf(column.values[position] as number) > 0
    })
    for (const [name, ofField] of fields) if (ofField !== undefined && names.includes(name)) shown.add(ofField)
    if (shown.size === possible) break
  }
  return shown.size === 0 ? [language] : [...shown]
}
