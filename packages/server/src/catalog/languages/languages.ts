// The languages that the search knows, and which of them the records of an entity are written in.
import { memoized } from '../../base/memoized.ts'
import type { Entity, FactField, Field } from '../entity.ts'
import { english } from './english.ts'
import { type Language, noLanguage, unionOf } from './language.ts'
import { plainOrder, type SortOrder } from './order.ts'
import { spanish } from './spanish.ts'

/** The languages by the first part of their tags. */
const LANGUAGES: ReadonlyMap<string, Language> = new Map([
  ['es', spanish],
  ['en', english],
])

/** The language of the lists that ship with the program, where a field names none. */
const BEFORE_PACKAGES = spanish

/** The language with a BCP 47 tag: "es", "es-MX", "EN_us". */
export const languageOf = (tag: string | undefined): Language =>
  LANGUAGES.get(tag?.toLowerCase().split(/[-_]/, 1)[0] ?? '') ?? noLanguage

type NameFact = Extract<FactField, { readonly type: 'text' }> & { readonly language: string }

/** True if a field is a fact with a name of its record in some language. */
export const isNameFact = (field: Field): field is NameFact =>
  field.kind === 'fact' && field.type === 'text' && field.language !== undefined

/** True if records are searched by the field: it has their names or aliases. */
export const isNaming = (field: Field) =>
  field.kind === 'name' || (field.kind === 'value' && field.role === 'alias') || isNameFact(field)

/** A field that has names of a record. */
export type NamingField = { readonly field: string; readonly language: string | undefined; readonly isAlias: boolean }

/** The fields that have names of a record, in their order. */
export const namingFields = memoized(({ fields }: Entity): readonly NamingField[] =>
  Object.entries(fields).flatMap(([name, field]) =>
    isNaming(field)
      ? [{ field: name, language: 'language' in field ? field.language : undefined, isAlias: field.kind === 'value' }]
      : [],
  ),
)

/** The languages of its names, and of those of the records that it embeds. */
export const languagesOf = memoized((entity: Entity): readonly string[] => {
  const languages = Object.values(entity.fields).flatMap((field) => {
    if (field.kind === 'embed') return languagesOf(field.entity)
    return (field.kind === 'name' || isNameFact(field)) && field.language !== undefined ? [field.language] : []
  })
  return [...new Set(languages)]
})

/**
 * True if each of several names of a record is matched by itself, and a hit says which. In lists that ship with the program,
 * and do not tell the languages of their names, all names of a record are one.
 */
export const hasNamesApart = memoized((entity: Entity): boolean => {
  const naming = namingFields(entity)
  const isTold =
    entity.package !== undefined || naming.some(({ language, isAlias }) => language !== undefined || isAlias)
  return naming.length > 1 && isTold
})

/** Equal lists of languages are one language, so that what is derived from it is derived once. */
const unions = new Map<string, Language>()

/** The knowledge of all languages in which an entity has names. */
export const languageOfNames = memoized((entity: Entity): Language => {
  const known = new Map(
    [...LANGUAGES].filter(([, language]) =>
      namingFields(entity).some((naming) => languageOf(naming.language) === language),
    ),
  )
  if (known.size === 0) return withoutLanguage(entity)
  const key = [...known.keys()].join()
  return unions.getOrInsertComputed(key, () => unionOf([...known.values()]))
})

const withoutLanguage = (entity: Entity): Language => (entity.package === undefined ? BEFORE_PACKAGES : noLanguage)

/** The order of the texts of a field: that of its language, or of the only language that names of the entity are in. */
export function orderOf(entity: Entity, name: string): SortOrder {
  const field = entity.fields[name]
  const own = field?.kind === 'name' || field?.kind === 'value' ? field.language : undefined
  if (own !== undefined) return languageOf(own).order
  const [language, ...more] = new Set(namingFields(entity).flatMap(({ language }) => language ?? []))
  if (language === undefined) return withoutLanguage(entity).order
  return more.length === 0 ? languageOf(language).order : plainOrder
}
