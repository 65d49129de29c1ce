// Every value of a record by its dotted path: what can be filtered by, sorted by and selected.
import { memoized } from '../base/memoized.ts'
import type { Entity, Field, OfficialCode } from './entity.ts'
import { derivedCodesOf } from './official-code.ts'
import { fieldSlug } from './slug.ts'

/** An official code that is no field of the record; null where the record has none. */
export type DerivedCode = { readonly kind: 'derived'; readonly code: OfficialCode; readonly optional: true } & Pick<
  OfficialCode,
  'description' | 'title'
>

export type RecordPath = {
  /**
   * The names of fields that lead to it from the record: `idMunicipio.idEstado.cveEstado`. A name that could be read otherwise in a
   * query stands there as its slug.
   */
  readonly path: string
  /** The path with the slug of every field. */
  readonly slug: string
  readonly steps: readonly string[]
  readonly field: Field | DerivedCode
  /** True if its values are identifiers; an embedded record stands for its own. */
  readonly numeric: boolean
}

/**
 * The paths in the order in which they are rendered; that of an embedded record comes before those of what is in it, and official
 * codes that are no fields stand last.
 */
export const pathsOf = memoized(
  (entity: Entity): ReadonlyMap<string, RecordPath> =>
    new Map([...walk(entity, ROOT), ...codePaths(entity)].map((path) => [path.path, path])),
)

/** Codes are those of the record itself, and no part of it where it is embedded. */
const codePaths = (entity: Entity): RecordPath[] =>
  derivedCodesOf(entity).map((code) => {
    const { name, title, description } = code
    const slug = fieldSlug(entity, name)
    const field = {
      kind: 'derived',
      code,
      description,
      optional: true,
      ...(title === undefined ? {} : { title }),
    } as const
    return { path: SIGNS_OF_QUERIES.test(name) ? slug : name, slug, steps: [name], field, numeric: false }
  })

type Beginning = Pick<RecordPath, 'path' | 'slug' | 'steps'>

const ROOT: Beginning = { path: '', slug: '', steps: [] }

/** Separators of paths and of their parts in a query, and the sign before a path to sort by in descending order. */
const SIGNS_OF_QUERIES = /[.,]|^-/

function walk(entity: Entity, before: Beginning): RecordPath[] {
  return Object.entries(entity.fields).flatMap(([name, field]) => {
    // Facts are known of the record itself, and are no part of it where it is embedded.
    if (field.kind === 'fact' && before !== ROOT) return []
    const slug = fieldSlug(entity, name)
    const path: RecordPath = {
      path: joined(before.path, SIGNS_OF_QUERIES.test(name) ? slug : name),
      slug: joined(before.slug, slug),
      steps: [...before.steps, name],
      field,
      numeric: field.kind === 'id' || (isReference(field) && isNumericKey(embeddedIn(entity, field))),
    }
    return field.kind === 'embed' ? [path, ...walk(field.entity, path)] : [path]
  })
}

const joined = (before: string, name: string) => (before === '' ? name : `${before}.${name}`)

type Reference = Extract<Field, { readonly kind: 'embed' | 'broader' }>
const isReference = (field: Field): field is Reference => field.kind === 'embed' || field.kind === 'broader'
const embeddedIn = (entity: Entity, field: Reference): Entity => (field.kind === 'embed' ? field.entity : entity)

/** True if its key is one number, which may be that of an embedded record. */
function isNumericKey({ key: [name = '', ...more], fields }: Entity): boolean {
  const field = fields[name]
  if (more.length > 0 || field === undefined) return false
  return field.kind === 'id' || (field.kind === 'embed' && isNumericKey(field.entity))
}

const bySlug = memoized(
  (entity: Entity): ReadonlyMap<string, RecordPath> =>
    new Map([...pathsOf(entity).values()].map((path) => [path.slug, path])),
)

/** The path that a query names, by the names of fields or by their slugs. */
export const pathNamed = (entity: Entity, name: string): RecordPath | undefined =>
  pathsOf(entity).get(name) ?? bySlug(entity).get(name)

/** The values that make up the key of a record: those of an embedded record in place of it. */
export const keyPathsOf = memoized((entity: Entity): readonly RecordPath[] => {
  const paths = [...pathsOf(entity).values()]
  return entity.key.flatMap((name) => {
    const own = paths.find(({ steps }) => steps.length === 1 && steps[0] === name) as RecordPath
    if (own.field.kind !== 'embed') return [own]
    return keyPathsOf(own.field.entity).map((inner) => pathsOf(entity).get(joined(own.path, inner.path)) as RecordPath)
  })
})

/** The name of the column that a field's values stand in: a copy has none of its own. */
export function columnOf(entity: Entity, name: string): string {
  const field = entity.fields[name]
  if (field === undefined) throw new Error(`${entity.name} has no field ${name}`)
  return field.kind === 'copy' ? field.of : name
}

/** The steps from an embedded record on; with none left, those to its identifier, the last part of its key. */
export const stepsWithin = (parent: Entity, rest: readonly string[]): readonly string[] =>
  rest.length === 0 ? [parent.key.at(-1) as string] : rest
