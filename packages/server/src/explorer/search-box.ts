// The search box: a form that works by itself, and a combobox with suggestions where there is a script.
import { memoized } from '../base/memoized.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Entity } from '../catalog/entity.ts'
import { type Html, html } from '../http/html.ts'
import { languagesIn, MAX_SEARCH_CHARACTERS } from '../http/v2/parameter-definitions.ts'
import type { QueryPairs } from '../http/v2/request/query-string.ts'
import { languageMeant } from '../query/formats/shown-names.ts'
import type { PageLanguage } from './language.ts'
import { EXPLORE_PATH, keySeparator, LANGUAGE_PARAMETER } from './links.ts'
import { nameWithKind, oneOf, shownNameField } from './names.ts'
import { hiddenInputs, type View } from './view.ts'
import { filled } from './words/words.ts'

type SearchBox = {
  readonly id: string
  readonly action: string
  /** The parameters that the search is added to. */
  readonly kept?: QueryPairs
  readonly value?: string
  readonly label?: string
  /** Suggestions from this collection alone. */
  readonly within?: Entity
  /** True if the label is for screen readers only. */
  readonly isCompact?: boolean
  readonly hasFocus?: boolean
}

export function searchBox(view: View, box: SearchBox): Html {
  const { words, carried } = view
  const { id, action, kept = [], value = '', label = words.search.label, within, isCompact, hasFocus } = box
  return html`<form class="${isCompact ? 'search compact' : 'search'}" role="search" aria-label="${label}" action="${action}"${within && html` data-in="${within.plural}"`}>
<label for="${id}"${isCompact && html` class="unseen"`}>${label}</label>
<div class="combobox">
<input id="${id}" name="q" type="search" value="${value}" maxlength="${MAX_SEARCH_CHARACTERS}" placeholder="${words.search.placeholder}" autocomplete="off" autocapitalize="none" spellcheck="false"${hasFocus && html` autofocus`}>
${hiddenInputs([...kept, ...carried])}
<button type="submit">${words.search.button}</button>
</div>
</form>`
}

/** The parameter of a search by which names are shown in the language of the page, where there are any in it. */
export const namesIn = ({ api, language }: View): QueryPairs =>
  languageMeant(languagesIn(api.catalog), language.code) === undefined ? [] : [[LANGUAGE_PARAMETER, language.code]]

/** The settings of the suggestions: attributes of the body, since a page may have two boxes. */
export const searchAttributes = (view: View): Html => {
  const { search } = view.words
  return html`data-explore="${EXPLORE_PATH}"${namesIn(view).map(([, code]) => html` data-names="${code}"`)} data-collections="${collectionsIn(view.api.catalog)(view.language, view)}" data-suggestions="${search.suggestions}" data-found="${filled(search.found, '{count}')}" data-found-one="${search.foundOne}" data-nothing="${search.nothing}" data-failed="${search.failed}" data-keys="${search.keys}"`
}

/** By collection: the word for a record, the field of its name, the sign between the parts of its key, its name with the word. */
const collectionsIn = memoized((catalog: Catalog) =>
  memoized((_: PageLanguage, view: View): Html => {
    const collections = [...catalog.entities.values()].map((entity) => [
      entity.plural,
      [
        oneOf(view, entity),
        shownNameField(view, entity) ?? '',
        keySeparator(entity),
        nameWithKind(view, entity, '{name}'),
      ],
    ])
    return html`${JSON.stringify(Object.fromEntries(collections))}`
  }),
)
