// A problem as a page: what happened, what to do next and why, in the language of the reader as far as there are words for it.

import { type Html, html } from '../../http/html.ts'
import type { Problem } from '../../http/problem.ts'
import { EXPLORE_PATH } from '../links.ts'
import { searchBox } from '../search-box.ts'
import { type ExplorerPage, href, isolated, type View } from '../view.ts'
import { spanishReason } from '../words/spanish-problems.ts'
import { filled } from '../words/words.ts'

export function problemPage(view: View, problem: Problem, status: number, detail: string): ExplorerPage {
  const { words, path, pairs } = view
  const { title, advice } = words.problems[problem.kind]
  const first = pairs.filter(([name]) => name !== 'page')
  return {
    title,
    hasSearch: true,
    main: html`<p class="kind">${filled(words.problem.status, String(status))}</p>
<h1>${title}</h1>
<p class="lead">${advice}</p>
<p class="reason">${parameterAtFault(view, problem)} ${(view.language.code === 'es' && spanishReason(problem)) || html`${words.problem.reason} <span lang="en">${detail}</span>`}</p>
${problem.kind === 'page-beyond-last' && html`<p><a href="${href(view, path, first)}">${words.problem.toFirst}</a></p>`}
${searchBox(view, { id: 'search', action: EXPLORE_PATH })}
<p><a href="${href(view, '/')}">${words.problem.toHome}</a></p>`,
  }
}

/** The part of the address that is wrong. */
function parameterAtFault({ words }: View, problem: Problem): Html | undefined {
  switch (problem.kind) {
    case 'bad-parameter':
      return html`${words.problem.badValue} <code>${problem.name}=${isolated(problem.value)}</code>.`
    case 'unknown-parameter':
      return html`${words.problem.unknown} <code>${isolated(problem.name)}</code>.`
    default:
      return undefined
  }
}
