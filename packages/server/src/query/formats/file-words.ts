// The words that files of records have beside them: labels, and titles of lists and sources that ship with the program.
import { bare, own } from '../../base/json.ts'
import type { Entity } from '../../catalog/entity.ts'
import { languagesOf } from '../../catalog/languages/languages.ts'
import type { About } from './about.ts'
import words from './file-words.json' with { type: 'json' }

export type Labels = (typeof words)['es']['labels']
type FileWords = { readonly labels: Labels; readonly titles: Readonly<Record<string, string>> }

const WORDS: Readonly<Record<'es' | 'en', FileWords>> = bare(words)
const SPANISH = 'es'

const primaryLanguage = (tag: string): string => tag.toLowerCase().split(/[-_]/)[0] as string

const wordsIn = (language: string): FileWords => WORDS[primaryLanguage(language) === SPANISH ? 'es' : 'en']

/** The labels in Spanish, or else in English. */
export const labelsIn = (language: string): Labels => wordsIn(language).labels

/** A title that ships with the program in a language; any other as it stands. */
export const titleIn = (language: string, title: string): string => own(wordsIn(language).titles, title) ?? title

/** The title of a list in a language; of a list of a package as that declares it. */
export function listTitleIn(language: string, entity: Entity): string {
  const { title, titles = {} } = entity
  const isWanted = (tag: string) => primaryLanguage(tag) === primaryLanguage(language)
  const [, declared] = Object.entries(titles).find(([tag]) => isWanted(tag)) ?? []
  return titles[language] ?? declared ?? (entity.package === undefined ? titleIn(language, title) : title)
}

/** The language of a file of a list for which none was wanted: Spanish, unless its names are in others only. */
export function ownLanguageOf(entity: Entity): string {
  const languages = languagesOf(entity)
  return languages.find((tag) => primaryLanguage(tag) === SPANISH) ?? languages[0] ?? SPANISH
}

/** The origin of the records of a list, in a language where that has words for it. */
export const aboutIn = (language: string, entity: Entity, about: About): About => ({
  ...about,
  list: listTitleIn(language, entity),
  sources: about.sources.map((title) => titleIn(language, title)),
})
