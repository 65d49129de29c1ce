// The columns of a table, each with some of its values and a choice of what it is.

import { element, isolated } from '../element.ts'
import { type Columns, FREE_TEXT, type ListPart } from './inferred-columns.ts'
import { filled, partOf, word } from './page-parts.ts'
import { type TableRow, textOf } from './table.ts'

export type OfferedPart = ListPart & {
  /** Lists that belong together are offered together. */
  readonly group: string
}

type ShownColumns = {
  readonly header: TableRow
  readonly rows: readonly TableRow[]
  readonly columns: Columns
  readonly parts: readonly OfferedPart[]
}

const SHOWN_VALUES = 3
const MAX_SHOWN_CHARACTERS = 60

export function showColumns(root: HTMLElement, { header, rows, columns, parts }: ShownColumns): void {
  const list = partOf(root, 'columns-list')
  list.replaceChildren(
    ...header.map((name, column) => {
      const id = `column-${column}`
      const values = rows.slice(0, SHOWN_VALUES).map((row) => textOf(row[column]))
      const select = element('select', { id, name: id })
      select.append(...optionsOf(parts))
      select.value = columns[column] ?? ''
      return element(
        'li',
        {},
        element('label', { for: id }, isolated(shortened(textOf(name)) || filled(word('column'), String(column + 1)))),
        select,
        element(
          'ul',
          { class: 'samples' },
          ...values.map((value) => element('li', {}, isolated(shortened(value) || '—'))),
        ),
      )
    }),
  )
  list.onchange = ({ target }) => settle(root, target as HTMLSelectElement)
  showWithin(root)
}

const shortened = (text: string): string =>
  text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text

function optionsOf(parts: readonly OfferedPart[]): HTMLElement[] {
  const groups = Map.groupBy(parts, ({ group }) => group)
  const option = ({ name, label }: OfferedPart) => new Option(label, name)
  return [
    new Option(word('unused'), ''),
    new Option(word('freeText'), FREE_TEXT),
    ...[...groups].flatMap(([group, offered]) =>
      groups.size === 1 ? offered.map(option) : element('optgroup', { label: group }, ...offered.map(option)),
    ),
  ]
}

const selectsIn = (root: HTMLElement): HTMLSelectElement[] => [
  ...partOf(root, 'columns-list').querySelectorAll<HTMLSelectElement>('select'),
]

/** A part is one column, and free text stands alone: whatever is chosen last counts. */
function settle(root: HTMLElement, changed: HTMLSelectElement): void {
  const chosen = changed.value
  for (const select of selectsIn(root)) {
    if (select === changed || chosen === '') continue
    if (chosen === FREE_TEXT || select.value === FREE_TEXT || select.value === chosen) select.value = ''
  }
  showWithin(root)
}

function showWithin(root: HTMLElement): void {
  const field = partOf(root, 'within').closest<HTMLElement>('.field')
  if (field !== null) field.hidden = !chosenColumns(root).includes(FREE_TEXT)
}

export const chosenColumns = (root: HTMLElement): Columns =>
  selectsIn(root).map(({ value }) => (value === '' ? undefined : value))
