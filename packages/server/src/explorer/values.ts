// The values of a record as people read them: each by its type, and in the language of the page.
import { own } from '../base/json.ts'
import type { Entity, Field, ValueField } from '../catalog/entity.ts'
import type { PublishedRecord, PublishedValue } from '../catalog/flatten.ts'
import { type Content, type Html, html } from '../http/html.ts'
import { headerWords, names } from '../source/package/infer/lexicon.ts'
import { isolated, referenceTo, type View } from './view.ts'

/** The room for a value: a whole page, or a cell of a table. */
type Room = 'whole' | 'cell'

const MAX_IN_CELL = 140
const MAX_ITEMS_IN_CELL = 5

export const isMissing = (value: unknown): value is null | undefined => value === null || value === undefined

export const missing = ({ words }: View): Html => html`<span class="unknown" title="${words.table.unknown}">–</span>`

/** The sign for a missing value. */
export function shownValue(
  view: View,
  entity: Entity,
  name: string,
  record: PublishedRecord,
  room: Room = 'cell',
): Content {
  const field = entity.fields[name]
  const value = record[name]
  if (isMissing(value)) return missing(view)
  switch (field?.kind) {
    case 'id':
    case 'code':
      return html`<code>${String(value)}</code>`
    case 'embed':
    case 'broader':
      return referenceTo(view, entity, name, value as PublishedValue)
    case 'value':
      if (field.type === 'integer' || field.type === 'number')
        return numeralOf(view, name, field, writtenNumber(value as PublishedValue))
      return typedValue(view, field, value as PublishedValue, room)
    default:
      return factOrText(view, entity, name, value as PublishedValue)
  }
}

function factOrText(view: View, { package: owner }: Entity, name: string, value: PublishedValue): Content {
  const { words, language } = view
  const isOurs = owner === undefined
  if (typeof value === 'number') {
    const number = Number.isInteger(value) ? language.number(value) : language.decimal(value, MAX_DECIMALS)
    return isOurs ? withUnit(view, name, number) : number
  }
  return isolated((isOurs ? own(own(words.factValues, name), String(value)) : undefined) ?? String(value))
}

/** Decimals of degrees: six are a tenth of a metre. */
const MAX_DECIMALS = 6

function withUnit({ words }: View, name: string, value: string): string {
  const unit = own(words.units, name)
  if (unit === undefined) return value
  return unit === '°' ? `${value}°` : `${value} ${unit}`
}

/** Words by which numbers are codes, unless another says how much of something they are. */
const isOfCodes = (word: string) => names(word, 'code', 'postal', 'contact', 'tax', 'foreign')

/** True of numbers that count or measure something; telephones and postal codes are written without groups of digits. */
function isQuantity(name: string, title = ''): boolean {
  const words = headerWords(`${name} ${title}`)
  return !words.some(isOfCodes) || words.some((word) => names(word, 'quantity'))
}

/** A number as it is written: in groups of digits where it is a quantity. */
export const numeralOf = (
  { language }: View,
  name: string,
  field: { readonly title?: string } | undefined,
  text: string,
): string => (isQuantity(name, field?.title) ? language.numeral(text) : text)

function typedValue(view: View, field: ValueField, value: PublishedValue, room: Room): Content {
  const { words } = view
  switch (field.type) {
    case 'boolean':
      return words.values[value === true || value === 'true' ? 'yes' : 'no']
    case 'integer':
    case 'number':
    case 'year':
      return writtenNumber(value)
    case 'date':
      return dateOf(String(value))
    case 'list':
      return Array.isArray(value)
        ? listOf(view, value, field.language, room)
        : textValue(view, String(value), field.language, room)
    case 'text':
      return textValue(view, String(value), field.language, room)
  }
}

/** A number with the digits that it is written with: one that would lose some is kept as raw JSON. */
export const writtenNumber = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** A whole day gets an element that programs read, too. */
const dateOf = (text: string): Html =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) ? html`<time datetime="${text}">${text}</time>` : isolated(text)

function listOf(view: View, items: readonly PublishedValue[], language: string | undefined, room: Room): Content {
  if (items.length === 0) return missing(view)
  const shown = room === 'cell' ? items.slice(0, MAX_ITEMS_IN_CELL) : items
  const texts = shown.map((item) => html`<li>${textValue(view, itemText(item), language, room)}</li>`)
  return html`<ul class="items">${texts}${shown.length < items.length && html`<li>…</li>`}</ul>`
}

const itemText = (item: PublishedValue): string => (typeof item === 'string' ? item : JSON.stringify(item))

const WEB_ADDRESS = /^https?:\/\/[^\s<>"']+$/i

const isWebAddress = (text: string): boolean => WEB_ADDRESS.test(text) && URL.canParse(text)

/** A text as a link, if the address leads to the web. */
export const linked = (text: string, address: unknown): Html =>
  typeof address === 'string' && isWebAddress(address)
    ? html`<a href="${address}" rel="nofollow noopener noreferrer">${isolated(text)}</a>`
    : isolated(text)

/** Only addresses of the web are links, and none of them is vouched for. */
function textValue({ language }: View, text: string, of: string | undefined, room: Room): Html {
  const short = room === 'cell' && text.length > MAX_IN_CELL ? `${text.slice(0, MAX_IN_CELL).trimEnd()}…` : text
  if (isWebAddress(text)) return linked(short, text)
  const isLong = room === 'whole' && text.includes('\n')
  const shown = isolated(short, of === language.code ? undefined : of)
  return isLong ? html`<div class="lines">${shown}</div>` : shown
}

/** True if a column of such values has figures. */
export const isFigure = (field: Field | undefined): boolean =>
  field?.kind === 'id' ||
  (field?.kind === 'fact' && field.type !== 'text') ||
  (field?.kind === 'value' && ['integer', 'number', 'year'].includes(field.type))

/** A value in a line of text, such as the value before a change. */
export function plainValue({ words }: View, value: unknown): string {
  if (isMissing(value)) return '–'
  if (typeof value === 'boolean') return words.values[value ? 'yes' : 'no']
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
