// What must hold of any package that is served: each law asks the app as a client would, and compares with the naive model.
import { parse } from 'csv-parse/sync'
import {
  fieldNamed,
  isIn,
  keyCells,
  keyJsons,
  keyTexts,
  languagesIn,
  type ModelField,
  type ModelList,
  type ModelPackage,
  type ModelPath,
  type ModelRow,
  nameFields,
  namesShown,
  pathsIn,
  recordJson,
} from './any-package.ts'

/** A service with the package and nothing else. */
export type Asked = {
  readonly get: (target: string, headers?: Readonly<Record<string, string>>) => Promise<Response>
  readonly post: (target: string, body: URLSearchParams) => Promise<Response>
  /** The digest of the release before. */
  readonly before: string
}

/** Throws where it does not hold; `editionBefore` is the package as the release before has it. */
type Law = (asked: Asked, list: ModelList, editionBefore: ModelPackage) => Promise<void>

const encoded = encodeURIComponent

function same(what: string, found: unknown, expected: unknown): void {
  if (Bun.deepEquals(found, expected, true)) return
  throw new Error(`${what}\n  is       ${shown(found)}\n  and not  ${shown(expected)}`)
}

const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))?.slice(0, 2_000)

async function textAt({ get }: Asked, target: string): Promise<string> {
  const response = await get(target)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${target} has status ${response.status}: ${text.slice(0, 500)}`)
  return text
}

const at = (list: ModelList, rest = '') => `/api/v2/${list.name}${rest}`
const jsonOf = (list: ModelList, rows: readonly ModelRow[], how?: Parameters<typeof recordJson>[2]) =>
  `[${rows.map((row) => recordJson(list, row, how)).join()}]`

/** The key of a record as the last segment of its path. */
function segmentOf(list: ModelList, row: ModelRow): string {
  const segment = keyTexts(list, row).map(encoded).join()
  if (segment === 'all') return '%61ll'
  return /^\.{1,2}$/.test(segment) ? segment.replaceAll('.', '%2E') : segment
}

// What a field is called in a query.

const OTHER_PARAMETERS = [
  ...[
    'by',
    'page',
    'per_page',
    'after',
    'q',
    'sort',
    'near',
    'within_km',
    'within',
    'root',
    'fields',
    'facts',
    'embed',
  ],
  ...['lang', 'format', 'release'],
]

type DescribedField = { readonly path: string; readonly slug?: string; readonly steps?: readonly string[] }
type Described = { readonly fields: readonly DescribedField[]; readonly filters: readonly string[] }

async function describedAs(asked: Asked, list: ModelList): Promise<Described> {
  const { collections } = JSON.parse(await textAt(asked, '/api/v2'))
  return collections.find(({ name }: { name: string }) => name === list.name)
}

/** The paths of the model, each with what the service calls it. */
async function namedPaths(asked: Asked, list: ModelList) {
  const { fields, filters } = await describedAs(asked, list)
  const paths = pathsIn(list)
  same(
    `the fields of ${list.name}`,
    fields.map(({ path, steps }) => steps ?? path.split('.')),
    paths.map(({ steps }) => steps),
  )
  const used = new Set(OTHER_PARAMETERS)
  return paths.map((path, place) => {
    const described = fields[place] as DescribedField
    const names = [described.path, ...(described.slug === undefined ? [] : [described.slug])]
    let parameter = described.path
    while (used.has(parameter)) parameter += '.is'
    used.add(parameter)
    if (!filters.includes(parameter)) throw new Error(`${list.name} has no filter ${parameter} among ${filters}`)
    return { path, names, parameter, filters }
  })
}

// Values by the model.

const cellAt = ({ rowOf, field }: ModelPath, row: ModelRow): string | undefined => {
  const own = rowOf(row)
  return own === undefined || field.kind === 'embed' ? undefined : own.get(field.name)
}

/** What a filter is given to find the records that have this value. */
function askedValue(path: ModelPath, row: ModelRow): string | undefined {
  const { field, rowOf } = path
  const own = rowOf(row)
  if (own === undefined) return undefined
  if (field.kind === 'embed') {
    const inner = pathsIn(path.owner).find((one) => one.field === field) as ModelPath
    const target = targetRow(inner, own)
    if (target === undefined) return undefined
    const texts = keyTexts(field.list, target)
    return texts.length === 1 ? texts[0] : texts.map(encoded).join()
  }
  const cell = own.get(field.name)
  if (field.kind !== 'value' || field.type !== 'array' || cell === undefined) return cell
  const [first] = elementsOf(cell)
  return first === '' ? undefined : first
}

function targetRow({ field }: ModelPath, row: ModelRow): ModelRow | undefined {
  if (field.kind !== 'embed') return undefined
  const cells = field.columns.map((column) => row.get(column))
  return field.list.rows.find((other) => Bun.deepEquals(keyCells(field.list, other), cells))
}

/** The elements of a list as texts, numbers with their digits. */
const elementsOf = (cell: string): readonly string[] =>
  splitElements(cell).map((json) => (json.startsWith('"') ? JSON.parse(json) : json))

function hasValue(path: ModelPath, row: ModelRow, value: string): boolean {
  const { field } = path
  const own = askedValue(path, row)
  if (own === undefined) return false
  if (field.kind === 'value' && ['integer', 'number', 'year'].includes(field.type)) return Number(own) === Number(value)
  if (field.kind === 'value' && field.type === 'array')
    return elementsOf(path.rowOf(row)?.get(field.name) as string).includes(value)
  return own === value
}

const isNumeric = ({ field }: ModelPath) => field.kind === 'value' && ['integer', 'number', 'year'].includes(field.type)

/** Whether people could find it by its words. */
const isSearchable = (text: string) => /[\p{L}\p{N}]/u.test(text.normalize('NFKD').replace(/\p{M}/gu, ''))

// The laws.

const all: Law = async (asked, list) => {
  same(`${list.name}/all`, await textAt(asked, at(list, '/all')), jsonOf(list, list.rows))
  const lines = list.rows.map((row) => `${recordJson(list, row)}\n`).join('')
  same(`${list.name}/all as NDJSON`, await textAt(asked, at(list, '/all?format=ndjson')), lines)
}

const csv: Law = async (asked, list) => {
  const text = await textAt(asked, at(list, '/all?format=csv'))
  const table: string[][] = parse(text, { relax_column_count: true })
  const leaves = pathsIn(list).filter(({ field }) => field.kind !== 'embed')
  const cell = (path: ModelPath, row: ModelRow): string => {
    const own = cellAt(path, row)
    if (own === undefined) return ''
    const isBare = isNumeric(path) || path.field.kind === 'id'
    if (path.field.kind === 'value' && path.field.type === 'array') {
      const elements = elementsOf(own)
      const isPlain = elements.every((one) => one !== '' && !one.includes(';')) && !/\{|null/.test(own)
      return guarded(isPlain ? elements.join(';') : own)
    }
    return isBare || isNumberedParent(path) ? own : guarded(own)
  }
  const [head, ...rows] = table
  same(
    `the columns of ${list.name}`,
    head,
    leaves.map(({ steps }) => guarded(steps.join('.'))),
  )
  same(
    `the rows of ${list.name}`,
    rows,
    list.rows.map((row) => leaves.map((path) => cell(path, row))),
  )
}

const isNumberedParent = ({ field, owner }: ModelPath) =>
  field.kind === 'broader' && fieldNamed(owner, owner.key[0] as string).kind === 'id'

/** So that no spreadsheet takes it for a formula. */
const guarded = (text: string) => (/^'*[=+\-@]/.test(text) ? `'${text}` : text)

const pages: Law = async (asked, list) => {
  const perPage = 3
  const found: string[] = []
  const count = Math.ceil(list.rows.length / perPage)
  for (let page = 1; page <= Math.max(count, 1); page++) {
    const response = await asked.get(at(list, `?per_page=${perPage}&page=${page}`))
    same(`the total of ${list.name}`, response.headers.get('X-Total'), String(list.rows.length))
    found.push(...JSON.parse(await response.text()).map((one: unknown) => JSON.stringify(one)))
  }
  const parsed = list.rows.map((row) => JSON.stringify(JSON.parse(recordJson(list, row))))
  same(`the pages of ${list.name}`, found, parsed)
  const walked: string[] = []
  let target: string | undefined = at(list, `?per_page=${perPage}`)
  for (let step = 0; target !== undefined && step <= count; step++) {
    const response: Response = await asked.get(target)
    walked.push(...JSON.parse(await response.text()).map((one: unknown) => JSON.stringify(one)))
    target = /<https?:\/\/[^/>]+([^>]+)>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1]
  }
  same(`the walk through ${list.name}`, walked, parsed)
}

const records: Law = async (asked, list) => {
  for (const row of list.rows) {
    const target = at(list, `/${segmentOf(list, row)}`)
    same(target, await textAt(asked, target), recordJson(list, row))
    same(`${target} by keys`, await textAt(asked, `${target}?embed=id`), recordJson(list, row, { embed: 'id' }))
  }
  same(
    'a record that is not there',
    (await asked.get(at(list, `/${list.key.map(() => 'no-such').join()}`))).status,
    404,
  )
}

const MAX_VALUES = 3

const filters: Law = async (asked, list) => {
  const named = await namedPaths(asked, list)
  const ofValues = named.map(({ parameter }) => parameter)
  for (const { path, names, parameter, filters: known } of named) {
    const values = new Set(list.rows.flatMap((row) => askedValue(path, row) ?? []))
    for (const value of [...values].slice(0, MAX_VALUES)) {
      const expected = jsonOf(
        list,
        list.rows.filter((row) => hasValue(path, row, value)),
      )
      const slug = names.at(-1) as string
      const bySlug =
        known.includes(slug) && slug !== parameter ? parameter : OTHER_PARAMETERS.includes(slug) ? `${slug}.is` : slug
      for (const name of new Set([parameter, bySlug])) {
        const target = at(list, `?${encoded(name)}=${encoded(value)}`)
        same(`${target} (${path.steps.join(' → ')})`, await textAt(asked, target), expected)
      }
      if (!isNumeric(path)) continue
      for (const bound of ['min', 'max'] as const) {
        const usual = `${names[0]}_${bound}`
        const name = [usual, `${names[0]}.${bound}`].find((one) => known.includes(one) && !ofValues.includes(one))
        const fits = (row: ModelRow) => {
          const own = cellAt(path, row)
          if (own === undefined) return false
          return bound === 'min' ? Number(own) >= Number(value) : Number(own) <= Number(value)
        }
        const target = at(list, `?${encoded(name as string)}=${encoded(value)}`)
        same(target, await textAt(asked, target), jsonOf(list, list.rows.filter(fits)))
      }
    }
  }
}

const sorting: Law = async (asked, list) => {
  for (const { path, names } of await namedPaths(asked, list))
    for (const sign of ['', '-']) {
      const target = at(list, `?sort=${encoded(sign + names[0])}`)
      const found = await textAt(asked, target)
      const rows = new Map(list.rows.map((row) => [recordJson(list, row), row]))
      const order = splitElements(found).map((json) => rows.get(json))
      if (order.includes(undefined) || order.length !== list.rows.length)
        throw new Error(`${target} has ${found}, which are not the records`)
      const cells = (order as ModelRow[]).map((row) =>
        path.field.kind === 'embed' ? askedValue(path, row) : cellAt(path, row),
      )
      const first = cells.indexOf(undefined)
      if (first !== -1 && cells.slice(first).some((cell) => cell !== undefined))
        throw new Error(`${target}: what is missing does not come last: ${shown(cells)}`)
      if (isNumeric(path)) {
        const numbers = cells.flatMap((cell) => (cell === undefined ? [] : [Number(cell)]))
        same(
          target,
          numbers,
          numbers.toSorted((a, b) => (sign === '' ? a - b : b - a)),
        )
      }
      // Records with the same value stay as they are published.
      for (const [place, cell] of cells.entries())
        if (
          place > 0 &&
          cell === cells[place - 1] &&
          list.rows.indexOf(order[place] as ModelRow) < list.rows.indexOf(order[place - 1] as ModelRow)
        )
          throw new Error(`${target}: records with the same value are not in the order of the list`)
    }
}

/** The JSON of each element in that of a list. */
function splitElements(text: string): readonly string[] {
  const jsons: string[] = []
  let depth = 0
  let start = 1
  let isText = false
  for (let place = 1; place < text.length - 1; place++) {
    const sign = text[place]
    if (isText) {
      if (sign === '\\') place++
      else if (sign === '"') isText = false
    } else if (sign === '"') isText = true
    else if (sign === '{' || sign === '[') depth++
    else if (sign === '}' || sign === ']') depth--
    else if (sign === ',' && depth === 0) {
      jsons.push(text.slice(start, place))
      start = place + 1
    }
  }
  return text === '[]' ? [] : [...jsons, text.slice(start, -1)]
}

const selections: Law = async (asked, list) => {
  for (const { path, names } of await namedPaths(asked, list)) {
    const target = at(list, `/all?fields=${encoded(names.at(-1) as string)}`)
    same(target, await textAt(asked, target), jsonOf(list, list.rows, { only: path.steps }))
  }
  same(`${list.name} by keys`, await textAt(asked, at(list, '/all?embed=id')), jsonOf(list, list.rows, { embed: 'id' }))
}

const trees: Law = async (asked, list) => {
  const broader = list.fields.find(({ kind }) => kind === 'broader')?.name
  const key = list.key[0] as string
  if (broader === undefined) return
  const above = (row: ModelRow) => list.rows.find((other) => other.get(key) === row.get(broader))
  const ancestorsOf = (row: ModelRow): readonly ModelRow[] => {
    const parent = row.has(broader) ? above(row) : undefined
    return parent === undefined ? [] : [parent, ...ancestorsOf(parent)]
  }
  for (const row of list.rows) {
    const below = list.rows.filter((other) => ancestorsOf(other).includes(row))
    const expected: Readonly<Record<string, readonly ModelRow[]>> = {
      [`/${segmentOf(list, row)}/children`]: list.rows.filter((other) => other.has(broader) && above(other) === row),
      [`/${segmentOf(list, row)}/ancestors`]: ancestorsOf(row),
      [`/${segmentOf(list, row)}/descendants`]: below,
      [`/${segmentOf(list, row)}/descendants/all`]: below,
      [`?within=${encoded(row.get(key) as string)}`]: below,
    }
    for (const [target, rows] of Object.entries(expected))
      same(at(list, target), await textAt(asked, at(list, target)), jsonOf(list, rows))
  }
  const roots = list.rows.filter((row) => !row.has(broader))
  same(`the roots of ${list.name}`, await textAt(asked, at(list, '?root=true')), jsonOf(list, roots))
}

const languages: Law = async (asked, list) => {
  const known = languagesIn(list)
  if (known.length === 0) {
    same(`${list.name} in a language`, (await asked.get(at(list, '?lang=es'))).status, 400)
    return
  }
  same(`${list.name} in all languages`, await textAt(asked, at(list, '?lang=all')), jsonOf(list, list.rows))
  for (const language of known) {
    const response = await asked.get(at(list, `?lang=${language}`))
    same(`${list.name} in ${language}`, await response.text(), jsonOf(list, list.rows, { language }))
    const told = (response.headers.get('Content-Language') ?? '').split(', ')
    const own = list.rows.flatMap((row) =>
      namesShown(list, row, language).flatMap((field) => (row.has(field.name) ? (field.language ?? []) : [])),
    )
    const isOfList = nameFields(list).some((field) => field.language !== undefined)
    const expected = !isOfList || own.length === 0 ? [language] : [...new Set(own)]
    same(`the languages of ${list.name} in ${language}`, told.toSorted(), expected.toSorted())
    if (isOfList && own.some((one) => !known.includes(one) && !isIn(one, language)))
      throw new Error('a language of nowhere')
  }
}

type WithKey = { readonly key: Readonly<Record<string, unknown>> | null }

/** The values of a key in a response, as the model has them. */
const keyIn = (list: ModelList, key: WithKey['key']) =>
  list.key
    .flatMap((name) => key?.[name] ?? [])
    .map((value) => JSON.stringify(value))
    .join()

const search: Law = async (asked, list) => {
  for (const row of list.rows)
    for (const { name } of nameFields(list)) {
      const text = row.get(name)
      if (text === undefined || !isSearchable(text)) continue
      const target = at(list, `?per_page=1000&q=${encoded(text)}`)
      const found = splitElements(await textAt(asked, target))
      if (!found.includes(recordJson(list, row))) throw new Error(`${target} does not find ${recordJson(list, row)}`)
      const suggestions = JSON.parse(await textAt(asked, `/api/v2/search?limit=50&in=${list.name}&q=${encoded(text)}`))
      const keys = suggestions.map(({ key }: WithKey) => keyIn(list, key))
      const key = keyJsons(list, row).join()
      if (!keys.includes(key)) throw new Error(`search for ${text} in ${list.name} suggests ${keys}, not ${key}`)
      // Parameters of the route have these names.
      if (['q', 'in', 'format', 'release'].includes(list.name)) continue
      const [resolved] = JSON.parse(await textAt(asked, `/api/v2/resolve?${encoded(list.name)}=${encoded(text)}`))
      const candidates = [resolved, ...resolved.alternatives].map(({ key }: WithKey) => keyIn(list, key))
      const namesakes = list.rows.filter((other) => nameFields(list).some((field) => other.has(field.name)))
      if (!candidates.includes(key) && namesakes.length <= 3)
        throw new Error(`${text} in ${list.name} is resolved to ${resolved.verdict} ${candidates}, not ${key}`)
    }
}

const reconciling: Law = async (asked, list) => {
  const rows = list.rows.slice(0, 3)
  if (rows.length === 0) return
  const ids = rows.map((row) => [list.name, ...keyTexts(list, row).map(encoded)].join('/'))
  const queries = Object.fromEntries(ids.map((id, place) => [`q${place}`, { query: id }]))
  const response = await asked.post('/reconcile', new URLSearchParams({ queries: JSON.stringify(queries) }))
  const found = (await response.json()) as Record<string, { readonly result: readonly { readonly id: string }[] }>
  same('the status of reconcile', response.status, 200)
  for (const [place, id] of ids.entries()) same(`reconcile ${id}`, found[`q${place}`]?.result[0]?.id, id)
  const own = list.fields.filter(({ kind }) => kind !== 'embed')
  const properties = own.map(({ name }) => ({ id: name }))
  const extension = await asked.post('/reconcile', new URLSearchParams({ extend: JSON.stringify({ ids, properties }) }))
  if (extension.status !== 200) throw new Error(`extend ${shown(properties)}: ${await extension.text()}`)
  const extended = ((await extension.json()) as { rows: Record<string, Record<string, readonly object[]>> }).rows
  same(`rows of ${list.name}`, Object.keys(extended).toSorted(), ids.toSorted())
  for (const [place, id] of ids.entries())
    for (const field of own) {
      const cell = rows[place]?.get(field.name)
      const isList = field.kind === 'value' && field.type === 'array'
      const count = cell === undefined ? 0 : isList ? JSON.parse(cell).length : 1
      same(`values of ${field.name} of ${id}`, extended[id]?.[field.name]?.length, count)
    }
}

const changes: Law = async (asked, list, editionBefore) => {
  const old = editionBefore.lists.find(({ name }) => name === list.name) as ModelList
  const keyOf = (one: ModelList, row: ModelRow) => keyJsons(one, row).join()
  const before = new Map(old.rows.map((row) => [keyOf(old, row), recordJson(old, row)]))
  const after = new Map(list.rows.map((row) => [keyOf(list, row), recordJson(list, row)]))
  const expected = [
    ...[...after].flatMap(([key, json]) => {
      const was = before.get(key)
      return was === json ? [] : [`${was === undefined ? 'added' : 'changed'} ${key}`]
    }),
    ...[...before.keys()].flatMap((key) => (after.has(key) ? [] : [`removed ${key}`])),
  ]
  const target = `/api/v2/changes?from=${asked.before}&in=${list.name}`
  const found = JSON.parse(await textAt(asked, target)).changes as (WithKey & { change: string })[]
  same(target, found.map(({ change, key }) => `${change} ${keyIn(list, key)}`).toSorted(), expected.toSorted())
}

/** Markup of names, keys, values and titles that is not escaped would stand there as it is. */
const ATTACK = /<(?:b|i|script)>[^<]*attacked\(\)|<img src=x|<b>(?:x|lists|[a-z0-9-]+)<\/b>/

const explorer: Law = async (asked, list) => {
  const keys = list.rows.slice(0, 3).map((row) => keyTexts(list, row).map(encoded).join())
  const tree =
    list.rows.length > 0 && list.fields.some(({ kind }) => kind === 'broader') ? [`/explore/tree?in=${list.name}`] : []
  const field = list.fields.at(-1) as ModelField
  const targets = [
    ...[`/explore/${list.name}`, `/explore/${list.name}?lang=en`, `/picker?in=${list.name}`, '/', '/docs'],
    ...keys.map((key) => `/explore/${list.name}/${key}`),
    ...tree,
    `/search?q=${encoded(list.rows[0]?.get(field.name) ?? 'x')}`,
  ]
  for (const target of targets) {
    const response = await asked.get(target, { Accept: 'text/html' })
    const page = await response.text()
    if (target.startsWith('/explore/') || target === '/') same(`${target} (page)`, response.status, 200)
    else if (response.status >= 500) throw new Error(`${target} has status ${response.status}`)
    const odd = ATTACK.exec(page)?.[0] ?? /\[object Object\]|>(?:undefined|NaN)</.exec(page)?.[0]
    if (odd !== undefined) throw new Error(`${target} shows ${odd}`)
  }
}

export const LAWS: Readonly<Record<string, Law>> = {
  ...{
    all,
    csv,
    pages,
    records,
    filters,
    sorting,
    selections,
    trees,
    languages,
    search,
    reconciling,
    changes,
    explorer,
  },
}
