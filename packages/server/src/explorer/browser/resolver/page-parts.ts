// The words of the page, which come with it, and how its language writes numbers.

export type ResolverWords = Readonly<Record<string, string>>

let words: ResolverWords = {}
let numbers = new Intl.NumberFormat()

export function setWords(given: ResolverWords, locale: string): void {
  words = given
  numbers = new Intl.NumberFormat(locale)
}

export const word = (name: string): string => words[name] ?? ''

/** A text with values in the places that it has for them, which are {1}, {2} and so on. */
export const filled = (text: string, ...values: readonly string[]): string =>
  text.replace(/\{(\d)\}/g, (_, number) => values[Number(number) - 1] ?? '')

export const formatted = (value: number): string => numbers.format(value)

/** The part of a page that is called so. */
export function partOf<Kind extends HTMLElement = HTMLElement>(root: HTMLElement, name: string): Kind {
  const part = root.dataset.part === name ? root : root.querySelector<HTMLElement>(`[data-part="${name}"]`)
  if (part === null) throw new Error(`the page has no part ${name}`)
  return part as Kind
}
