// The picker: a form in which it can be tried, and what to copy to have it on another page.
import { own } from '../../base/json.ts'
import { type Entity, hasCoordinates } from '../../catalog/entity.ts'
import { descendantsOf, pathTo } from '../../catalog/lineage.ts'
import { escaped, type Html, html } from '../../http/html.ts'
import type { QueryPairs } from '../../http/v2/request/query-string.ts'
import { belongsTo } from '../ancestry.ts'
import { assetAddress, assetIntegrity, PICKER_SOURCE } from '../assets.ts'
import { filterParameter, PICKER_FORM_PATH, PICKER_PATH } from '../links.ts'
import { manyOf, wordsFor } from '../names.ts'
import { PICKER_SCRIPT } from '../picker-files.ts'
import { codeBlock } from '../snippets.ts'
import { type ExplorerPage, hiddenInputs, href, isolated, parameter, type View } from '../view.ts'
import { filled } from '../words/words.ts'

/** The levels of one picker, and the name that it is submitted under. */
type Example = { readonly name: string; readonly levels: readonly string[]; readonly label: string }

export function pickerPage(view: View): ExplorerPage {
  const { words, baseUrl, carried, pairs } = view
  const examples = examplesIn(view)
  const [first] = examples
  const script = `${baseUrl}${PICKER_SCRIPT}`
  const pinned = `${baseUrl}${assetAddress(PICKER_SOURCE)}`
  const integrity = assetIntegrity(PICKER_SOURCE)
  return {
    title: words.pickers.title,
    main: html`<h1>${words.pickers.title}</h1>
<p class="lead">${words.pickers.lead}</p>
<script src="${assetAddress(PICKER_SOURCE)}" integrity="${integrity}" crossorigin="anonymous" defer></script>
<section aria-labelledby="try-title">
<h2 id="try-title">${words.pickers.try}</h2>
<noscript><p class="empty">${words.pickers.noScript}</p></noscript>
<form class="picker-form" action="${PICKER_PATH}#try-title">
${examples.map(({ name, levels, label }, at) => html`<fieldset><legend>${label}</legend><nomenclator-picker levels="${levels.join()}" name="${name}" value="${sentValue(pairs, name, levels)}"${at === 0 && html` required`}></nomenclator-picker></fieldset>`)}
${hiddenInputs(carried)}
<p><button type="submit">${words.pickers.send}</button> ${pairs.length === 0 ? html`<button type="reset" class="plain-button">${words.pickers.reset}</button>` : html`<a href="${href(view, PICKER_PATH)}#try-title">${words.pickers.reset}</a>`}</p>
</form>
<div role="status">${pairs.length === 0 ? html`<p class="note">${words.pickers.notSent}</p>` : html`<p>${words.pickers.sent}</p>${submitted(view)}`}</div>
</section>
${
  first !== undefined &&
  html`<section aria-labelledby="copy-title">
<h2 id="copy-title">${words.pickers.copyTitle}</h2>
<p><a href="${href(view, PICKER_FORM_PATH)}" download>${words.pickers.wholeForm}</a>: ${words.pickers.wholeFormText}</p>
${SNIPPETS.map(([label, code]) => snippet(view, label(view), code(script, first)))}
<details class="snippet" name="picker"><summary>${words.pickers.pinned}</summary><p class="note">${words.pickers.pinnedText}</p>
${codeBlock(view, `<script src="${pinned}"\n  integrity="${integrity}"\n  crossorigin="anonymous" defer></script>`, words.pickers.pinned)}</details>
</section>`
}
<section aria-labelledby="value-title">
<h2 id="value-title">${words.pickers.valueTitle}</h2>
${
  first !== undefined &&
  html`<p>${filled(words.pickers.valueText, first.name, first.levels[0] ?? '')}</p>
<p>${filled(words.pickers.valueEmpty, first.name)}</p>`
}
<p>${words.pickers.events}</p>
</section>
<section aria-labelledby="attributes-title">
<h2 id="attributes-title">${words.pickers.attributes}</h2>
${attributes(view, first?.levels[0] ?? '')}
</section>
<section aria-labelledby="styles-title">
<h2 id="styles-title">${words.pickers.styles}</h2>
<p>${words.pickers.stylesText}</p>
</section>`,
  }
}

/** The value that a picker of this name sent: the key of its last level, or else of the lowest chosen one. */
function sentValue(pairs: QueryPairs, name: string, levels: readonly string[]): string {
  const whole = parameter(pairs, name)
  if (whole !== undefined) return whole
  const level = levels.findLast((one) => parameter(pairs, `${name}.${one}`) !== undefined)
  return level === undefined ? '' : `${level}:${parameter(pairs, `${name}.${level}`)}`
}

const MAX_EXAMPLES = 4

/** One picker for each hierarchy, those of places first; where there is none, one for the largest list. */
export function examplesIn(view: View): Example[] {
  const { api } = view
  const entities = api.entities.filter((entity) => api.count(entity) > 0)
  const isLast = (entity: Entity) => descendantsOf(api.catalog, entity).length === 0
  const deepest = entities.filter((entity) => isLast(entity) && belongsTo(entity).length > 0)
  const largest = entities.toSorted((a, b) => api.count(b) - api.count(a)).slice(0, 1)
  return (deepest.length > 0 ? deepest : largest)
    .toSorted((a, b) => Number(hasCoordinates(b)) - Number(hasCoordinates(a)))
    .slice(0, MAX_EXAMPLES)
    .map((entity) => exampleOf(view, entity))
}

/** From the highest level at which there is something to choose. */
function exampleOf(view: View, entity: Entity): Example {
  const chain = belongsTo(entity)
    .map((step) => step.entity)
    .reverse()
  while (chain.length > 1 && isOnlyOne(view, chain[0] as Entity, chain[1] as Entity)) chain.shift()
  const known = wordsFor(view, entity) && own(view.words.pickerExamples, entity.name)
  const { name, label } = known ?? { name: entity.name, label: manyOf(view, entity) }
  return { name, levels: [...chain, entity].map((level) => level.name), label }
}

/** True if all records of a level have the same parent, so that there is no choice. */
export function isOnlyOne({ api }: View, parent: Entity, child: Entity): boolean {
  const path = pathTo(child, parent)
  return path !== undefined && api.facet(child, [], filterParameter(child, path.steps)).size <= 1
}

const submitted = ({ pairs }: View): Html =>
  html`<table class="submitted"><tbody>${pairs.map(([name, value]) => html`<tr><th scope="row"><code>${isolated(name)}</code></th><td><code>${isolated(value)}</code></td></tr>`)}</tbody></table>`

type Code = (script: string, example: Example) => string

const plain: Code = (script, { levels, name, label }) => `<script src="${script}" defer></script>

<form action="/guardar" method="post">
  <fieldset>
    <legend>${escaped(label)}</legend>
    <nomenclator-picker levels="${levels.join()}" name="${name}" required></nomenclator-picker>
  </fieldset>
  <button>OK</button>
</form>`

const react: Code = (script, { levels, name }) => `// React 19
function PickerForm({ onSave }) {
  return (
    <form action={(data) => onSave(data.get('${name}'))}>
      <script async src="${script}" />
      <nomenclator-picker
        levels="${levels.join()}"
        name="${name}"
        required
        onchange={(event) => console.log(event.target.value, event.target.selection)}
      />
      <button>OK</button>
    </form>
  )
}`

const vue: Code = (script, { levels, name }) => `<!-- Vue 3; in vite.config.js:
  vue({ template: { compilerOptions: { isCustomElement: (tag) => tag === 'nomenclator-picker' } } }) -->
<script setup>
const choice = defineModel()
const script = document.createElement('script')
script.src = '${script}'
document.head.append(script)
</script>

<template>
  <nomenclator-picker
    levels="${levels.join()}"
    name="${name}"
    required
    :value="choice"
    @change="choice = $event.target.value"
  />
</template>`

const SNIPPETS: readonly (readonly [label: (view: View) => string, code: Code])[] = [
  [({ words }) => words.pickers.plain, plain],
  [() => 'React', react],
  [() => 'Vue', vue],
]

const snippet = (view: View, label: string, code: string): Html =>
  html`<details class="snippet" name="picker"${label === view.words.pickers.plain && html` open`}><summary>${label}</summary>${codeBlock(view, code, label)}</details>`

function attributes(view: View, level: string): Html {
  const { words, api } = view
  const rows = [
    ['levels', filled(words.pickers.levels, api.entities.map(({ name }) => name).join(', '))],
    ['postal-code', words.pickers.postalCode],
    ['name', words.pickers.name],
    ['required', words.pickers.required],
    ['value', filled(words.pickers.value, level)],
    ['submit', words.pickers.submit],
    ['disabled', words.pickers.disabled],
    ['lang', words.pickers.lang],
    ['server', words.pickers.server],
  ] as const
  return html`<table><thead><tr><th scope="col">${words.pickers.attribute}</th><th scope="col">${words.pickers.meaning}</th></tr></thead>
<tbody>${rows.map(([name, meaning]) => html`<tr><th scope="row"><code>${name}</code></th><td>${meaning}</td></tr>`)}</tbody></table>`
}
