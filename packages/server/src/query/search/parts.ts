// A text in parts: commas, and words such as "municipio de", say which part names the record and which names what it is below.
import type { Language } from '../../catalog/languages/language.ts'
import { wordsOf } from '../../catalog/words.ts'

/** Some words of a text, and the entity that they are said to name. */
export type TypedPart = { readonly words: readonly string[]; readonly entity: string | undefined }

const BETWEEN_PARTS = /[,;|\n\t]| [-–/] /

/** The parts of a text that have words, in order; most texts have one. */
export function typedParts(text: string, language: Language, entities: ReadonlySet<string>): TypedPart[] {
  return text.split(BETWEEN_PARTS).flatMap((segment) => labelledParts(wordsOf(segment), language, entities))
}

/** A part begins where a word says what follows: at the first word, or anywhere before a genitive. */
function labelledParts(words: readonly string[], language: Language, entities: ReadonlySet<string>): TypedPart[] {
  const { isNoise, isGenitive, longFormsOf } = language
  const parts: TypedPart[] = []
  let [start, entity]: [number, string | undefined] = [0, undefined]
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string
    if (!isNoise(word)) continue
    const isOf = isGenitive(words[at + 1] ?? '')
    const named = [word, ...longFormsOf(word)].find((one) => entities.has(one))
    const next = at + (isOf ? 2 : 1)
    if (named === undefined || (at > 0 && !isOf) || next >= words.length) continue
    if (at > start) parts.push({ words: words.slice(start, at), entity })
    start = next
    entity = named
    at = next - 1
  }
  return words.length === 0 ? parts : [...parts, { words: words.slice(start), entity }]
}
