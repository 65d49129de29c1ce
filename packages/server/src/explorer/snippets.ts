// Requests to API v2 for the records of a page in several languages, to copy.
import { type Html, html } from '../http/html.ts'
import type { View } from './view.ts'
import { filled } from './words/words.ts'

/** A button that the script brings to life: it copies the text. */
export const copyButton = ({ words }: View, text: string, what: string): Html =>
  html`<button type="button" class="copy" data-copy="${text}" data-copied="${words.api.copied}" aria-label="${filled(words.api.copyWhat, what)}" hidden>${words.api.copy}</button>`

/** Code to read and to copy. */
export const codeBlock = (view: View, code: string, what: string): Html =>
  html`<div class="code"><pre tabindex="0"><code>${code}</code></pre>${copyButton(view, code, what)}</div>`

/** Addresses have no quotes and no backslashes, so they can stand between quotes of either kind. */
const SNIPPETS: readonly (readonly [language: string, code: (url: string) => string])[] = [
  ['curl', (url) => `curl '${url}'`],
  ['JavaScript', (url) => `const response = await fetch('${url}')\nconst data = await response.json()`],
  [
    'Python',
    (url) =>
      `import json, urllib.request\n\nwith urllib.request.urlopen("${url}") as response:\n    data = json.load(response)`,
  ],
  ['R', (url) => `data <- jsonlite::fromJSON("${url}")`],
]

/** A table of the same records: its path and query, and its columns of codes, whose zeros must stay. */
type Table = { readonly target: string; readonly codes: readonly string[] }

const pandas = (url: string, codes: readonly string[]): string =>
  `import pandas as pd\n\ncodes = {${codes.map((code) => `${JSON.stringify(code)}: str`).join(', ')}}\ndata = pd.read_csv("${url}", dtype=codes, keep_default_na=False, na_values=[""])`

/** The path and the query of the request. */
export function apiRequest(view: View, target: string, table?: Table): Html {
  const { words, baseUrl } = view
  const url = `${baseUrl}${target}`
  return html`<section class="api" aria-labelledby="api-title">
<h2 id="api-title">${words.api.title}</h2>
<p>${words.api.sentence}</p>
<p class="request"><code>GET</code> <a href="${target}"><code>${target}</code></a> ${copyButton(view, url, 'URL')}</p>
${SNIPPETS.map(([language, code], at) => snippet(view, language, code(url), at === 0))}
${table && snippet(view, 'pandas', pandas(`${baseUrl}${table.target}`, table.codes), false)}
</section>`
}

/** A snippet that can be opened; the browser keeps only one of the same name open at a time. */
const snippet = (view: View, language: string, code: string, isOpen: boolean): Html =>
  html`<details class="snippet" name="snippet"${isOpen && html` open`}><summary>${language}</summary>${codeBlock(view, code, language)}</details>`
