// What the pages are made of: sections with a heading, in the order of a table, and tables that scroll by themselves.
import { type Content, type Html, html, joined } from '../http/html.ts'
import type { View } from './view.ts'

/** A part of a page about a subject, such as a record; nothing where the subject has nothing to show there. */
export type Section<Subject> = (view: View, subject: Subject) => Content

export const sectionsOf = <Subject>(sections: readonly Section<Subject>[], view: View, subject: Subject): Content =>
  joined(
    sections.map((section) => section(view, subject)),
    '\n',
  )

export const section = (
  id: string,
  title: string,
  content: Content,
): Html => html`<section aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${content}
</section>`

/** Something wide, such as a table, that scrolls without the page. */
export const scrolling = (label: string, content: Content): Html =>
  html`<div class="scroll" role="region" tabindex="0" aria-label="${label}">${content}</div>`
