// Data packages that no one would write, generated: any names, keys, values, references and trees, as files, and as a naive
// model of what is to be served of them.
import fc from 'fast-check'

type Type = 'string' | 'integer' | 'number' | 'boolean' | 'date' | 'year' | 'array'

export type ModelField = { readonly name: string } & (
  | { readonly kind: 'code' | 'id' | 'broader' }
  | { readonly kind: 'name'; readonly language: string | undefined }
  | { readonly kind: 'value'; readonly type: Type }
  /** The columns that have the key of the other record: the field itself is the last. */
  | { readonly kind: 'embed'; readonly list: ModelList; readonly columns: readonly string[] }
)

/** What stands in the cells of a row, by column; absent where a cell is empty. */
export type ModelRow = ReadonlyMap<string, string>

export type ModelList = {
  readonly name: string
  readonly fields: readonly ModelField[]
  /** Columns that are left out, since every object has something of their name. */
  readonly unsound: readonly string[]
  readonly key: readonly string[]
  readonly rows: readonly ModelRow[]
}

export type ModelPackage = { readonly lists: readonly ModelList[] }

const FIELD_NAMES = [
  ...['page', 'per_page', 'limit', 'q', 'lang', 'fields', 'sort', 'format', 'embed', 'by', 'after', 'facts', 'release'],
  ...['within', 'root', 'near', 'within_km', 'in', 'id', 'code', 'name', 'key', 'type', 'change', 'record', 'url'],
  ...['a.b', 'a_b', 'a b', 'a,b', 'a', 'b', 'x', 'x_min', 'x min', 'x_max', 'x_prefix', 'x.min', 'min', 'prefix', 'is'],
  ...['%', '%41', 'é ü', '名前', '<b>x</b>', '"quoted"', "it's", '[0]', '{k}', 'a/b', 'a?b', 'a&b=c', 'a+b', '#', '-x'],
  ...['=1+1', 'length', 'x_2', 'page.is', 'all', 'children', '.', '..', ',', '0', '1', '1.5', '$ref', 'null', 'x-1'],
  ...['parent', 'distancia', 'score', '<script>attacked()</script>', '__proto', 'prototype'],
]
const UNSOUND_NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
const KEYS = [
  ...[
    'all',
    '...',
    '.a',
    'a/b',
    'a,b',
    'a',
    'b',
    'A',
    '%2F',
    '%',
    '%61',
    'ñandú',
    'n\u0303andu',
    '007',
    '7',
    '0',
    'NA',
  ],
  ...['null', '__proto__', 'constructor', 'a b', '"', "'", '<b>attacked()</b>', 'a?b#c', '+1', '-1', '=x', 'children'],
  ...[
    'ancestors',
    'descendants',
    'あ',
    '🙂',
    'a\\b',
    'a-b',
    'b-a',
    'a:b',
    'é',
    'e\u0301',
    '[]',
    '{}',
    '1.0',
    '1e3',
    '-',
  ],
]
const NAMES = [
  ...['México', 'Mexico', '<script>attacked()</script>', '"><img src=x onerror=attacked()>', 'Robert"); --', 'a, b'],
  ...[
    "O'Neil",
    'Straße',
    '日本',
    'مصر',
    'one two three',
    '𝒳 ray',
    'ﬁsh',
    'x',
    '1',
    '100 %',
    'San José del Cabo',
    '...',
  ],
  ...[
    'the of and',
    'de la',
    '__proto__',
    'constructor',
    '=SUM(A1)',
    '@x',
    '-2',
    '😀',
    'Ünïcödé',
    'A.B.C.',
    'null',
    'i',
  ],
]
const VALUES: Readonly<Record<Type, readonly string[]>> = {
  string: [
    'one\ntwo',
    'tab\there',
    'a;b',
    '=1',
    '-',
    '"',
    'true',
    '0',
    '<i>attacked()</i>',
    '\\',
    'ß',
    'a,b',
    'x'.repeat(300),
  ],
  integer: ['0', '12', '-3', '99999999999999999999', '7', '2147483648'],
  number: ['1.50', '-0.10', '12345678901234567890', '1e30', '0', '3', '1.5', '0.1', '-7.25'],
  boolean: ['true', 'false'],
  date: ['2026-11-30', '1999-01-01', '1821-09-27', '2026-11-01'],
  year: ['2007', '1492', '5', '-44'],
  array: ['[]', '[1.50]', '["a","b"]', '["a;b",""]', '[true,null]', '["x"]', '[99999999999999999999]', '[{"a":1}]'],
}
const TYPES = Object.keys(VALUES) as readonly Type[]
const LANGUAGES = ['en', 'es', 'fr', 'pt-BR', 'de', 'nah'] as const

/** A text as a cell has it: blanks around it are not kept. */
const word = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 6 })
  .map((text) => text.replaceAll(/[\p{Cc}\ufffd\ufeff]/gu, '').trim())
  .filter((text) => text !== '' && text.isWellFormed())
const fieldName = fc.oneof(
  { arbitrary: fc.constantFrom(...FIELD_NAMES), weight: 6 },
  { arbitrary: word.filter((text) => !(text in Object.prototype)), weight: 1 },
)
const keyText = fc.oneof({ arbitrary: fc.constantFrom(...KEYS), weight: 4 }, { arbitrary: word, weight: 1 })
const nameText = fc.oneof({ arbitrary: fc.constantFrom(...NAMES), weight: 4 }, { arbitrary: word, weight: 1 })

const MAX_ROWS = 8

/** What decides a list, but for what the lists before it are. */
const listSeed = fc.record({
  names: fc.uniqueArray(fieldName, { minLength: 14, maxLength: 14 }),
  keyKind: fc.constantFrom('text', 'text', 'number', 'several', 'with record'),
  isTree: fc.boolean(),
  nameLanguages: fc.uniqueArray(fc.constantFrom(undefined, ...LANGUAGES), { maxLength: 3 }),
  types: fc.array(fc.constantFrom(...TYPES), { maxLength: 4 }),
  /** Which lists it refers to, as shares of those before it. */
  references: fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { maxLength: 2 }),
  unsound: fc.option(fc.constantFrom(...UNSOUND_NAMES), { nil: undefined }),
  keys: fc.uniqueArray(keyText, { maxLength: MAX_ROWS }),
  others: fc.array(keyText, { minLength: MAX_ROWS, maxLength: MAX_ROWS }),
  cells: fc.array(fc.array(fc.nat(), { minLength: 12, maxLength: 12 }), { minLength: MAX_ROWS, maxLength: MAX_ROWS }),
  texts: fc.array(nameText, { minLength: MAX_ROWS, maxLength: MAX_ROWS }),
})
type ListSeed = ReturnType<typeof listSeed.generate>['value']

/** One in so many cells is empty, and one in so many references leads nowhere. */
const EMPTY = 4

export function listOf(seed: ListSeed, name: string, before: readonly ModelList[]): ModelList {
  const names = [...seed.names]
  const next = () => names.pop() as string
  const fields: ModelField[] = []
  const targets = seed.references.flatMap((share) => before[Math.floor(share * before.length)] ?? [])
  const owner =
    seed.keyKind === 'with record' ? targets.find(({ key, rows }) => key.length === 1 && rows.length > 0) : undefined
  const key: string[] = []
  if (owner !== undefined) {
    const field = next()
    fields.push({ name: field, kind: 'embed', list: owner, columns: [field] })
    key.push(field)
  } else if (seed.keyKind === 'several') {
    const field = next()
    fields.push({ name: field, kind: 'code' })
    key.push(field)
  }
  const own = next()
  fields.push({ name: own, kind: seed.keyKind === 'number' ? 'id' : 'code' })
  key.push(own)
  // The name that is shown first is the one without a language, or else in English.
  const ranks = [undefined, 'en']
  const languages = seed.nameLanguages.map((language) => ({ language }))
  // Not a whole number alone, which would take another place.
  for (const { language } of languages.toSorted((a, b) => rankIn(ranks, a.language) - rankIn(ranks, b.language)))
    fields.push({ name: next().replace(/^[0-9]+$/, '$& n'), kind: 'name', language })
  for (const list of targets) {
    const columns = list.key.map(next)
    for (const column of columns.slice(0, -1)) fields.push({ name: column, kind: 'value', type: 'string' })
    fields.push({ name: columns.at(-1) as string, kind: 'embed', list, columns })
  }
  if (seed.isTree && key.length === 1) fields.push({ name: next(), kind: 'broader' })
  for (const type of seed.types) if (names.length > 0) fields.push({ name: next(), kind: 'value', type })
  const rows: ModelRow[] = []
  for (const [at, text] of seed.keys.entries()) rows.push(rowOf(seed, fields, key, rows, at, text))
  return { name, fields: inOrder(fields), key, rows, unsound: seed.unsound === undefined ? [] : [seed.unsound] }
}

/** Fields that are called as a whole number come before the others, as JSON is read by JavaScript. */
const inOrder = (fields: readonly ModelField[]): readonly ModelField[] => {
  const places = Object.keys(Object.fromEntries(fields.map(({ name }) => [name, true])))
  return fields.toSorted((a, b) => places.indexOf(a.name) - places.indexOf(b.name))
}

const rankIn = (ranks: readonly unknown[], value: unknown) =>
  ranks.includes(value) ? ranks.indexOf(value) : ranks.length

function rowOf(
  { others, cells, texts }: ListSeed,
  fields: readonly ModelField[],
  key: readonly string[],
  before: readonly ModelRow[],
  at: number,
  text: string,
): ModelRow {
  const row = new Map<string, string>()
  const numbers = cells[at] as readonly number[]
  for (const [place, field] of fields.entries()) {
    const number = numbers[place % numbers.length] as number
    const isEmpty = number % EMPTY === 0
    const isKey = key.includes(field.name)
    const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(number / EMPTY) % Math.max(list.length, 1)]
    if (field.kind === 'id') row.set(field.name, String(at * 3))
    else if (field.kind === 'code') row.set(field.name, field.name === key.at(-1) ? text : (others[at] as string))
    else if (field.kind === 'embed') {
      const target = isEmpty && !isKey ? undefined : pick(field.list.rows)
      const values = target === undefined ? undefined : keyCells(field.list, target)
      if (values?.length === field.columns.length)
        for (const [part, column] of field.columns.entries()) row.set(column, values[part] as string)
    } else if (field.kind === 'broader') {
      // Only records before it, so that there is no cycle.
      const above = isEmpty ? undefined : pick(before)
      if (above !== undefined) row.set(field.name, above.get(key[0] as string) as string)
    } else if (field.kind === 'name') {
      if (!isEmpty) row.set(field.name, texts[(at + place) % texts.length] as string)
    } else if (field.kind === 'value' && !isEmpty && !isPartOfReference(fields, field.name))
      row.set(field.name, pick(VALUES[field.type]) as string)
  }
  return row
}

const isPartOfReference = (fields: readonly ModelField[], name: string) =>
  fields.some((field) => field.kind === 'embed' && field.columns.includes(name) && field.name !== name)

/** The cells of a key; that of a record that is in it stands for its own. */
export const keyCells = ({ key }: ModelList, row: ModelRow): readonly string[] =>
  key.map((name) => row.get(name) as string)

const LIST_NAMES = ['alpha', 'problem', 'problem-record', 'page-2', 'page2', 'x', 'q', 'x-change']

/** One to eight lists, each of which may refer to those before it. */
export const anyPackage: fc.Arbitrary<ModelPackage> = fc
  .array(listSeed, { minLength: 1, maxLength: 8 })
  .map((seeds) => {
    const lists: ModelList[] = []
    for (const [at, seed] of seeds.entries()) lists.push(listOf(seed, LIST_NAMES[at] as string, lists))
    return { lists }
  })

/** Another edition: some rows are gone that none refers to, some have other values, one is new. */
export function nextEdition({ lists }: ModelPackage): ModelPackage {
  const next = new Map<ModelList, ModelList>()
  for (const list of lists) {
    const isReferredTo =
      list.fields.some(({ kind }) => kind === 'broader') ||
      lists.some(({ fields }) => fields.some((field) => field.kind === 'embed' && field.list === list))
    const kept = isReferredTo ? list.rows : list.rows.slice(0, -1)
    const isPlain = (field: ModelField): field is Extract<ModelField, { kind: 'name' | 'value' }> =>
      (field.kind === 'name' || field.kind === 'value') && !isPartOfReference(list.fields, field.name)
    const changed = list.fields.find(isPlain)
    const rows = kept.map((row, at) => {
      if (changed === undefined || at !== 0) return row
      const value = changed.kind === 'value' ? VALUES[changed.type].at(-1) : 'Changed'
      return new Map([...row, [changed.name, value as string]])
    })
    const fields = list.fields.map((field) =>
      field.kind === 'embed' ? { ...field, list: next.get(field.list) as ModelList } : field,
    )
    next.set(list, { ...list, fields, rows })
  }
  return { lists: [...next.values()] }
}

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`

const csvOf = ({ fields, unsound, rows }: ModelList) =>
  [
    [...fields.map(({ name }) => name), ...unsound],
    ...rows.map((row) => [...fields.map(({ name }) => row.get(name) ?? ''), ...unsound.map(() => 'x')]),
  ]
    .map((cells) => `${cells.map(quoted).join()}\r\n`)
    .join('')

function fieldDescriptor(list: ModelList, field: ModelField): object {
  const { name } = field
  switch (field.kind) {
    case 'id':
      return { name, type: 'integer' }
    case 'code':
      return { name, type: 'string', 'nomenclator:role': 'code' }
    case 'name':
      return {
        name,
        type: 'string',
        'nomenclator:role': 'name',
        ...(field.language === undefined ? {} : { 'nomenclator:language': field.language }),
      }
    case 'broader':
      return { name, 'nomenclator:broader': true }
    case 'embed':
      return list.key.includes(name) ? { name, type: 'string', 'nomenclator:role': 'code' } : { name, type: 'string' }
    case 'value':
      return { name, type: field.type, 'nomenclator:role': 'fact' }
  }
}

/** The files of a package, by name. */
export function filesOf({ lists }: ModelPackage, name = 'any'): Readonly<Record<string, string>> {
  const resources = lists.map((list) => ({
    name: list.name,
    path: `${list.name}.csv`,
    title: `<b>${list.name}</b>`,
    'nomenclator:role': 'list',
    ...(list.fields.some(({ kind }) => kind === 'broader') ? {} : { 'nomenclator:broader': false }),
    schema: {
      fields: [
        ...list.fields.map((field) => fieldDescriptor(list, field)),
        ...list.unsound.map((one) => ({ name: one, type: 'string', 'nomenclator:role': 'fact' })),
      ],
      primaryKey: list.key,
      foreignKeys: list.fields.flatMap((field) =>
        field.kind === 'embed'
          ? [{ fields: field.columns, reference: { resource: field.list.name, fields: field.list.key } }]
          : [],
      ),
    },
  }))
  return {
    'datapackage.json': JSON.stringify({ name, title: 'Any <b>lists</b>', resources }),
    ...Object.fromEntries(lists.map((list) => [`${list.name}.csv`, csvOf(list)])),
  }
}

// The model: what is to be served.

export const targetOf = (field: Extract<ModelField, { kind: 'embed' }>, row: ModelRow): ModelRow | undefined => {
  const cells = field.columns.map((column) => row.get(column))
  return cells.includes(undefined)
    ? undefined
    : field.list.rows.find((other) => keyCells(field.list, other).every((cell, at) => cell === cells[at]))
}

const BARE: readonly Type[] = ['integer', 'number', 'boolean', 'year', 'array']

/** The values of a key, those of an embedded record in place of it, as JSON. */
export const keyJsons = (list: ModelList, row: ModelRow): readonly string[] =>
  list.key.flatMap((name) => {
    const field = fieldNamed(list, name)
    if (field.kind === 'embed') return keyJsons(field.list, targetOf(field, row) as ModelRow)
    return [field.kind === 'id' ? (row.get(name) as string) : JSON.stringify(row.get(name))]
  })

/** The same as texts. */
export const keyTexts = (list: ModelList, row: ModelRow): readonly string[] =>
  keyJsons(list, row).map((json) => String(JSON.parse(json)))

export const fieldNamed = ({ fields }: ModelList, name: string): ModelField =>
  fields.find((field) => field.name === name) as ModelField

type Shown = {
  readonly embed?: 'id'
  readonly language?: string
  /** The steps to the one value that is selected. */
  readonly only?: readonly string[]
}

export function recordJson(list: ModelList, row: ModelRow, shown: Shown = {}): string {
  const names = shown.language === undefined ? undefined : namesShown(list, row, shown.language)
  const [step, ...rest] = shown.only ?? []
  const members = list.fields.flatMap((field) => {
    if (step !== undefined && field.name !== step) return []
    if (field.kind === 'name' && names !== undefined && !names.includes(field)) return []
    const inner = { ...shown, ...(rest.length === 0 ? { only: undefined } : { only: rest }) } as Shown
    return [`${JSON.stringify(field.name)}:${valueJson(list, row, field, inner)}`]
  })
  return `{${members.join()}}`
}

function valueJson(list: ModelList, row: ModelRow, field: ModelField, shown: Shown): string {
  if (field.kind === 'embed') {
    const target = targetOf(field, row)
    if (target === undefined) return 'null'
    if (shown.embed !== 'id' || shown.only !== undefined) return recordJson(field.list, target, shown)
    const jsons = keyJsons(field.list, target)
    return jsons.length === 1 ? (jsons[0] as string) : `[${jsons.join()}]`
  }
  const cell = row.get(field.name)
  if (cell === undefined) return 'null'
  const isBare =
    field.kind === 'value'
      ? BARE.includes(field.type)
      : field.kind === 'id' || (field.kind === 'broader' && fieldNamed(list, list.key[0] as string).kind === 'id')
  return isBare ? cell : JSON.stringify(cell)
}

type NameField = Extract<ModelField, { kind: 'name' }>
export const nameFields = ({ fields }: ModelList): readonly NameField[] =>
  fields.filter((field) => field.kind === 'name')

/** The names in a language, or else the first that there is; all where no name tells its language. */
export function namesShown(list: ModelList, row: ModelRow, language: string): readonly NameField[] {
  const names = nameFields(list)
  if (names.every((field) => field.language === undefined)) return names
  const there = names.filter(({ name }) => row.has(name))
  const own = there.filter((field) => isIn(field.language, language))
  return own.length > 0 ? own : there.slice(0, 1)
}

export const isIn = (language: string | undefined, wanted: string) =>
  language === wanted || language?.startsWith(`${wanted}-`) === true

/** The languages of its names, and of what it embeds. */
export const languagesIn = (list: ModelList): readonly string[] => [
  ...new Set(
    list.fields.flatMap((field): readonly string[] => {
      if (field.kind === 'name') return field.language === undefined ? [] : [field.language]
      return field.kind === 'embed' ? languagesIn(field.list) : []
    }),
  ),
]

/** A value of a record, or of one that it embeds, at any depth. */
export type ModelPath = {
  readonly steps: readonly string[]
  readonly owner: ModelList
  readonly field: ModelField
  /** The row that has the value, out of a row of the list that the path begins at. */
  readonly rowOf: (row: ModelRow) => ModelRow | undefined
}

export function pathsIn(list: ModelList, before: Omit<ModelPath, 'field' | 'owner'> = ROOT): readonly ModelPath[] {
  return list.fields.flatMap((field) => {
    const path = { steps: [...before.steps, field.name], owner: list, field, rowOf: before.rowOf }
    if (field.kind !== 'embed') return [path]
    const rowOf = (row: ModelRow) => {
      const own = before.rowOf(row)
      return own && targetOf(field, own)
    }
    return [path, ...pathsIn(field.list, { steps: path.steps, rowOf })]
  })
}

const ROOT: Omit<ModelPath, 'field' | 'owner'> = { steps: [], rowOf: (row) => row }
