// HTML from templates: every value is escaped, unless it is HTML itself.

/** HTML that is sound: only the template below makes it. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toString(): string {
    return this.text
  }
}

/** Nothing is rendered for undefined and false. */
export type Content = Html | string | number | undefined | false | readonly Content[]

/** A template of HTML. Values may stand in text, and in attributes that are in double quotes. */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Html {
  let text = parts[0] as string
  for (let at = 0; at < values.length; at++) {
    const value = values[at]
    text += value instanceof Html ? value.text : textOf(value)
    text += parts[at + 1]
  }
  return new Html(text)
}

function textOf(content: Content): string {
  if (content === undefined || content === false) return ''
  if (typeof content === 'string') return escaped(content)
  if (content instanceof Html) return content.text
  if (typeof content === 'number') return String(content)
  let text = ''
  for (const one of content) text += textOf(one)
  return text
}

const SPECIAL = /[&<>"']/
const escapes = new Map(Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }))

export const escaped = (text: string): string =>
  SPECIAL.test(text) ? text.replace(/[&<>"']/g, (character) => escapes.get(character) as string) : text

/** Content with something between every two parts. */
export const joined = (contents: readonly Content[], between: Content): Content[] =>
  contents.flatMap((content, at) => (at === 0 ? [content] : [between, content]))
