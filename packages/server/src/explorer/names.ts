// The names of lists, fields and records on a page: in its language, if the definition or the words have them.
import { isObject, own } from '../base/json.ts'
import { memoized } from '../base/memoized.ts'
import { type ByLanguage, type Entity, type Field, factsOf } from '../catalog/entity.ts'
import type { PublishedRecord } from '../catalog/flatten.ts'
import { isNameFact } from '../catalog/languages/languages.ts'
import { codePartsIn, joinedCode, usualCodeOf } from '../catalog/official-code.ts'
import { titleIn } from '../query/formats/file-words.ts'
import { belongsTo } from './ancestry.ts'
import type { PageLanguage } from './language.ts'
import { keySegments } from './links.ts'
import type { Words } from './words/words.ts'
import { filled } from './words/words.ts'

type Naming = { readonly language: PageLanguage; readonly words: Words }

/**
 * What pages call a list and its records; undefined if they have no words for it, and its own title is shown. A list of
 * a package does, whatever it is called.
 */
export const wordsFor = ({ words }: Pick<Naming, 'words'>, entity: Entity): Words['entities'][string] | undefined =>
  entity.package === undefined ? own(words.entities, entity.name) : undefined

const ownTitle = (naming: Naming, { titles = {} }: Entity): string | undefined => textIn(naming, titles)

/** The text in the language of the page, or else in a variety of it, such as es-MX. */
const textIn = ({ language: { code } }: Pick<Naming, 'language'>, texts: ByLanguage): string | undefined =>
  texts[code] ?? Object.entries(texts).find(([tag]) => primaryLanguage(tag) === code)?.[1]

/** The text in the language of the page, or else the first that there is. */
export const anyText = (naming: Pick<Naming, 'language'>, texts: ByLanguage): string =>
  textIn(naming, texts) ?? Object.values(texts)[0] ?? ''

const primaryLanguage = (tag: string): string => tag.toLowerCase().split(/[-_]/)[0] as string

/** One of its records; the list itself where there is no word for that. */
export const oneOf = (naming: Naming, entity: Entity): string =>
  ownTitle(naming, entity) ?? wordsFor(naming, entity)?.one ?? entity.title

/** The list, as a heading has it. */
export const manyOf = (naming: Naming, entity: Entity): string =>
  ownTitle(naming, entity) ?? wordsFor(naming, entity)?.many ?? entity.title

/** The list, or so many of its records, within a sentence. Titles of others may be names, and stay as they are written. */
export const manyWithin = (naming: Naming, entity: Entity, count?: number): string => {
  const words = wordsFor(naming, entity)
  return ownTitle(naming, entity) ?? (count === 1 ? words?.one : words?.many.toLowerCase()) ?? entity.title
}

/** The name of a field for people. An identifier is called so, whatever it identifies; a parent by what it is. */
export function fieldLabel(naming: Naming, entity: Entity, name: string): string {
  const field = entity.fields[name]
  if (field?.title !== undefined) return field.title
  // It stands for the same name in all languages.
  if (field !== undefined && (field.kind === 'name' || isNameFact(field)) && field.language !== undefined)
    return naming.words.name
  if (wordsFor(naming, entity) === undefined) return name
  if (field?.kind === 'id') return naming.words.identifier
  if (field?.kind === 'embed') return capitalized(oneOf(naming, field.entity))
  return own(naming.words.fields, name) ?? name
}

/** The label of a field within a sentence: titles of others stay as they are written. */
export function fieldWithin(naming: Naming, entity: Entity, name: string): string {
  const label = fieldLabel(naming, entity, name)
  const isOurs = wordsFor(naming, entity) !== undefined && entity.fields[name]?.title === undefined
  return isOurs ? label.toLowerCase() : label
}

/** The label of the fields that lead to a value, such as "Municipio · Clave" for a field of a parent. */
export function stepsLabel(naming: Naming, entity: Entity, steps: readonly string[]): string {
  const labels: string[] = []
  let at: Entity | undefined = entity
  for (const step of steps) {
    if (at === undefined) break
    labels.push(fieldLabel(naming, at, step))
    const field: Field | undefined = at.fields[step]
    at = field?.kind === 'embed' ? field.entity : undefined
  }
  return labels.join(' · ')
}

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

type NameField = { readonly name: string; readonly language: string | undefined }

/** The fields that name a record as it is published, in the order of the definition. */
export const publishedNames = memoized(({ fields }: Entity): readonly NameField[] =>
  Object.entries(fields).flatMap(([name, field]) =>
    field.kind === 'name' ? [{ name, language: field.language }] : [],
  ),
)

/** The published names, and after them the facts that are names. */
export const nameFields = memoized((entity: Entity): readonly NameField[] => [
  ...publishedNames(entity),
  ...factsOf(entity).flatMap(([name, fact]) => (isNameFact(fact) ? [{ name, language: fact.language }] : [])),
])

const isIn = (language: string | undefined, code: string): boolean =>
  language !== undefined && primaryLanguage(language) === code

/** The field that names the records of an entity on a page: that of its language, or else the first. */
export const shownNameField = ({ language }: Pick<Naming, 'language'>, entity: Entity): string | undefined =>
  (nameFields(entity).find((field) => isIn(field.language, language.code)) ?? nameFields(entity)[0])?.name

/** The field that records are sorted by, where those that embed them are sorted by what they are called. */
export const sortedNameField = (naming: Pick<Naming, 'language'>, entity: Entity): string => {
  const shown = shownNameField(naming, entity)
  const isPublished = publishedNames(entity).some(({ name }) => name === shown)
  return (isPublished ? shown : publishedNames(entity)[0]?.name) ?? (entity.key.at(-1) as string)
}

/** The official code that people know a record by; undefined if it has none. */
export const officialCode = (entity: Entity, record: PublishedRecord): string | undefined =>
  joinedCode(usualCodeOf(entity), codePartsIn(entity, record) ?? [undefined])

type ShownName = {
  readonly text: string
  /** The language of the text, if it is known and not that of the page. */
  readonly language: string | undefined
  /** The field that it stands in; undefined if the record has no name and its key stands for it. */
  readonly field: string | undefined
}

/** The name of a record in the language of the page, or else the first that it has, or else its key. */
export function shownName({ language }: Pick<Naming, 'language'>, entity: Entity, record: PublishedRecord): ShownName {
  const isNamed = ({ name }: NameField) => typeof record[name] === 'string' && record[name] !== ''
  const named = nameFields(entity).filter(isNamed)
  const field = named.find((one) => isIn(one.language, language.code)) ?? named[0]
  if (field === undefined)
    return { text: keySegments(entity, record).join(', '), language: undefined, field: undefined }
  const isOther = field.language !== undefined && !isIn(field.language, language.code)
  return { text: String(record[field.name]), language: isOther ? field.language : undefined, field: field.name }
}

export const nameOf = (naming: Pick<Naming, 'language'>, entity: Entity, record: PublishedRecord): string =>
  shownName(naming, entity, record).text

/** A name together with what it is, such as "Estado de México"; of a list that pages have no words for, the name alone. */
export const nameWithKind = (naming: Naming, entity: Entity, name: string): string => {
  const known = wordsFor(naming, entity)
  return known === undefined ? name : filled(naming.words.record.named, capitalized(known.one), name)
}

/** The name of a record beside others, with the word for its kind if its parent has the same name. */
export function nameAmong(naming: Naming, entity: Entity, record: PublishedRecord): string {
  const name = nameOf(naming, entity, record)
  const [step] = belongsTo(entity)
  const parent = step === undefined ? undefined : record[step.field]
  const isShared = step !== undefined && isObject(parent) && nameOf(naming, step.entity, parent) === name
  return isShared ? nameWithKind(naming, entity, name) : name
}

/** The title of a source in the language of the page, or else as it stands. */
export const sourceTitle = ({ language }: Pick<Naming, 'language'>, title: string): string =>
  titleIn(language.code, title)
