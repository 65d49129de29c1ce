// The words that the pages show: one file of texts for each language. {1}, {2} and so on stand for values.
import { bare } from '../../base/json.ts'
import en from './en.json' with { type: 'json' }
import es from './es.json' with { type: 'json' }

type Texts = Readonly<Record<string, string>>

/** The parts that are looked up by names of lists, fields and paths, which need not be there. */
type ByName = {
  readonly entities: Readonly<Record<string, { readonly one: string; readonly many: string }>>
  readonly factValues: Readonly<Record<string, Texts>>
  readonly pickerExamples: Readonly<Record<string, { readonly name: string; readonly label: string }>>
} & Readonly<Record<'fields' | 'findings' | 'wholeCodes' | 'units' | 'columnNames', Texts>>

type Reference = Omit<(typeof es)['reference'], 'summaries' | keyof ReferenceByName> & ReferenceByName
type ReferenceByName = Readonly<Record<'types' | 'resources' | 'members' | 'parameters', Texts>> & {
  readonly summaries: Omit<(typeof es)['reference']['summaries'], 'around' | 'paths'> &
    Readonly<Record<'around' | 'paths', Texts>>
}

export type Words = Omit<typeof es, keyof ByName | 'reference'> & ByName & { readonly reference: Reference }

/** Each language has the same words. A name of a list or field, which may be any, is never one of a prototype. */
export const words: Readonly<Record<'es' | 'en', Words>> = { es: bare(es), en: bare(en) }

/** A text with values in its places. */
export const filled = (text: string, ...values: readonly string[]): string =>
  text.replace(/\{(\d)\}/g, (place, number) => values[Number(number) - 1] ?? place)
