// What a descriptor says in properties of ours (`nomenclator:*`), checked; data/nomenclator.schema.json is the same for editors.
import { isObject } from '../../base/json.ts'
import { nearest } from '../../base/nearest.ts'
import { parse } from '../../base/schema.ts'
import { isLanguageTag, line } from '../../base/texts.ts'
import type { ByLanguage, CodePart, ListGroup, OfficialCode } from '../../catalog/entity.ts'
import type { OwnProperties } from './descriptor.ts'

export const PREFIX = 'nomenclator:'
/** What a field can be declared to be. `coordinates` are latitude and longitude in one value, `fact` is none of the others. */
export const FIELD_ROLES = [
  'code',
  'name',
  'alias',
  'description',
  'fact',
  'latitude',
  'longitude',
  'coordinates',
  'validFrom',
  'validTo',
] as const
type FieldRole = (typeof FIELD_ROLES)[number]

export const LIST_ROLES = ['list', 'aliases'] as const
export const ORDERS = ['as given', 'by key'] as const

export type FieldProperties = {
  readonly role?: FieldRole
  readonly language?: string
  /** The list whose records it refers to; false where they are not to be embedded. */
  readonly embed?: string | false
  /** Whether it has the key of the record above it. */
  readonly broader?: boolean
}

export type ListProperties = {
  /** Whether it has other names of the records of another list. */
  readonly role?: 'aliases' | 'list'
  /** The language of what has no other. */
  readonly language?: string
  /** The field that has the key of the record above it; the beginning of its own key; or false: it is no tree. */
  readonly broader?: string | false | 'prefix of the key'
  readonly order?: (typeof ORDERS)[number]
  readonly collection?: string
  readonly titles?: ByLanguage
  readonly group?: ListGroup
  /** The fields of the official code; or that code with the name that it has in records, and how it is written. */
  readonly code?: readonly string[] | DeclaredCode
  readonly expects?: number
  readonly v1?: string
  /** Whether rows without the key, or with that of another row, are left out instead of being faults. */
  readonly lossy?: boolean
}

/** An official code: fields of the table, each with how it is written. */
type DeclaredCode = Pick<OfficialCode, 'name' | 'title' | 'parts' | 'separator'> & {
  readonly description?: string
}

/** Takes a property that is not obeyed. */
export type OnInvalid = (property: string, value: unknown, expected: string) => void

type Parser = (value: unknown) => unknown
type Rule = readonly [parse: Parser, expected: string]

const COLLECTION = /^[a-z][a-z0-9-]{0,63}$/
const isTitle = (value: unknown): value is string => 'value' in parse(line, value)
const oneOf = (values: readonly string[]): Rule => [
  (value) => (values.includes(value as string) ? value : undefined),
  `one of ${values.join(', ')}`,
]
const when =
  (isRight: (value: unknown) => boolean): Parser =>
  (value) =>
    isRight(value) ? value : undefined
const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isLanguage = (value: unknown) => isText(value) && isLanguageTag(value)

const language: Rule = [when(isLanguage), 'a language tag such as es or pt-BR']
const collection: Rule = [
  when((value) => isText(value) && COLLECTION.test(value)),
  'small letters, digits and hyphens, such as postal-offices',
]

const FIELD_RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['role', oneOf(FIELD_ROLES)],
  ['language', language],
  ['embed', [when((value) => isText(value) || value === false), 'the name of a resource, or false']],
  ['broader', [when((value) => typeof value === 'boolean'), 'true or false']],
])

const LIST_RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['role', oneOf(LIST_ROLES)],
  ['language', language],
  ['broader', [broaderFrom, 'the name of a field, {"prefix": true} or false']],
  ['order', oneOf(ORDERS)],
  ['collection', collection],
  ['title', [titlesFrom, 'titles by language, such as {"es": "Oficinas", "en": "Offices"}']],
  [
    'group',
    [
      groupFrom,
      'a title by language, such as {"title": {"es": "Lugares", "en": "Places"}}, and a description likewise',
    ],
  ],
  ['code', [codeFrom, 'names of fields, or {"name": "geo", "parts": ["state", {"field": "code", "width": 3}]}']],
  ['expects', [when((value) => Number.isSafeInteger(value) && (value as number) >= 0), 'a number of rows']],
  ['v1', collection],
  ['lossy', [when((value) => typeof value === 'boolean'), 'true or false']],
])

function broaderFrom(value: unknown): ListProperties['broader'] | undefined {
  if (value === false || isText(value)) return value
  return isObject(value) && value.prefix === true ? 'prefix of the key' : undefined
}

const MAX_PARTS = 10
const MAX_WIDTH = 100
const MAX_SEPARATOR = 5
const CODE_MEMBERS = ['name', 'title', 'description', 'parts', 'separator']
const PART_MEMBERS = ['field', 'width', 'values']

function codeFrom(value: unknown): ListProperties['code'] | undefined {
  if (Array.isArray(value)) return value.length > 0 && value.every(isText) ? value : undefined
  if (!isObject(value) || Object.keys(value).some((name) => !CODE_MEMBERS.includes(name))) return undefined
  const { name, title, description, parts, separator } = value
  if (!isTitle(name) || ![title, description].every((one) => one === undefined || isTitle(one))) return undefined
  if (separator !== undefined && !(typeof separator === 'string' && separator.length <= MAX_SEPARATOR)) return undefined
  if (!Array.isArray(parts) || parts.length === 0 || parts.length > MAX_PARTS) return undefined
  const parsed = parts.map((part) => (isText(part) ? { field: part } : isCodePart(part) ? part : undefined))
  return parsed.includes(undefined) ? undefined : ({ ...value, parts: parsed } as unknown as DeclaredCode)
}

function isCodePart(part: unknown): part is CodePart {
  if (!isObject(part) || Object.keys(part).some((name) => !PART_MEMBERS.includes(name))) return false
  const { field, width, values } = part
  const isWidth = Number.isSafeInteger(width) && (width as number) >= 1 && (width as number) <= MAX_WIDTH
  const areValues = isObject(values) && Object.values(values).every(isTitle)
  return isText(field) && (width === undefined || isWidth) && (values === undefined || areValues)
}

const GROUP_MEMBERS = ['title', 'description']

function groupFrom(value: unknown): ListGroup | undefined {
  if (!isObject(value) || Object.keys(value).some((name) => !GROUP_MEMBERS.includes(name))) return undefined
  const [title, description] = [titlesFrom(value.title), titlesFrom(value.description)]
  if (title === undefined || (description === undefined && value.description !== undefined)) return undefined
  return description === undefined ? { title } : { title, description }
}

function titlesFrom(value: unknown): ByLanguage | undefined {
  if (!isObject(value)) return undefined
  const titles = Object.entries(value)
  return titles.length > 0 && titles.every(([tag, title]) => isLanguageTag(tag) && isTitle(title))
    ? (Object.fromEntries(titles) as Record<string, string>)
    : undefined
}

/** The names of properties as they are here, where that differs. */
const RENAMED: ReadonlyMap<string, string> = new Map([['title', 'titles']])

const propertiesOf = (own: OwnProperties, rules: ReadonlyMap<string, Rule>): object =>
  Object.fromEntries(
    [...own].flatMap(([name, value]) => {
      const parsed = rules.get(name)?.[0](value)
      return parsed === undefined ? [] : [[RENAMED.get(name) ?? name, parsed]]
    }),
  )

/** The properties that a rule reads; the others are reported, and nobody sees them. */
function obeyed(
  own: OwnProperties,
  rules: ReadonlyMap<string, Rule>,
  onInvalid: OnInvalid,
  ofExports: readonly string[],
): OwnProperties {
  const isObeyed = ([name, value]: readonly [string, unknown]) => {
    const rule = rules.get(name)
    if (ofExports.includes(name) || rule?.[0](value) !== undefined) return true
    onInvalid(`${PREFIX}${name}`, value, rule?.[1] ?? unknownProperty(name, [...rules.keys()]))
    return false
  }
  return new Map([...own].filter(isObeyed))
}

function unknownProperty(name: string, known: readonly string[]): string {
  const meant = nearest(name, known)
  return meant === undefined ? `one of ${known.map((one) => PREFIX + one).join(', ')}` : `${PREFIX}${meant}`
}

type Own = { readonly own: OwnProperties }

export const fieldProperties = ({ own }: Own): FieldProperties => propertiesOf(own, FIELD_RULES)
export const listProperties = ({ own }: Own): ListProperties => propertiesOf(own, LIST_RULES)

export const obeyedOfField = (own: OwnProperties, onInvalid: OnInvalid): OwnProperties =>
  obeyed(own, FIELD_RULES, onInvalid, ['shape', 'copies', 'doubtful'])
export const obeyedOfList = (own: OwnProperties, onInvalid: OnInvalid): OwnProperties =>
  obeyed(own, LIST_RULES, onInvalid, ['definition', 'numbering', 'codes', 'rules'])

const EXPORTED = ['packages', 'credits', 'v1']

function strayProperty(name: string): string {
  for (const [rules, where] of [
    [LIST_RULES, 'resource'],
    [FIELD_RULES, 'field'],
  ] as const) {
    const meant = nearest(name, [...rules.keys()])
    if (meant !== undefined) return `${PREFIX}${meant}, at a ${where}`
  }
  return 'properties of ours at a resource or a field'
}

/** A package and a schema have none but those that an export writes. */
export function obeyedElsewhere(own: OwnProperties, onInvalid: OnInvalid): OwnProperties {
  for (const [name, value] of own)
    if (!EXPORTED.includes(name)) onInvalid(`${PREFIX}${name}`, value, strayProperty(name))
  return new Map([...own].filter(([name]) => EXPORTED.includes(name)))
}
