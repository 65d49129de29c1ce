// A package that was written from a release, or that ships with the program, as a source: its lists are defined to the letter and
// its cells taken as they are, so that the same release is built from it again.
//
// Beside what the standard has, each of its resources says in `nomenclator:definition` what the list is, and the descriptor names in
// `nomenclator:packages` the packages that the lists belong to.
import { Failure } from '../../base/failure.ts'
import { isObject } from '../../base/json.ts'
import { type EntityData, orderedCatalog } from '../../catalog/catalog.ts'
import { definitionFault } from '../../catalog/definition-check.ts'
import type { Faults } from '../faults.ts'
import type { TextFile } from '../lines.ts'
import { NUMBERINGS, type Numbering } from '../numbering.ts'
import type { Alias, Block, GivenRow, Origin, Source } from '../source.ts'
import { ALIAS_COLUMNS } from '../tabular/aliases.ts'
import { delimitedRows } from './delimited.ts'
import type { Descriptor, PackageInfo, Resource } from './descriptor.ts'
import { linearPattern } from './linear-pattern.ts'
import { packageInfosFault } from './package-info.ts'
import { textChunks } from './table-text.ts'
import { UnreadableTable } from './unreadable-table.ts'

/** The definitions by name. */
type Known = ReadonlyMap<string, EntityData>

/** The columns of a table, by the field that they fill: a reference has one for each value of the key that it gives. */
export function columnsOf(entity: EntityData, known: Known): ReadonlyMap<string, readonly string[]> {
  const used = new Set(Object.keys(entity.fields))
  const columns = new Map<string, readonly string[]>()
  for (const [name, field] of Object.entries(entity.fields)) {
    if (field.kind === 'copy') continue
    const parent = parentOf(entity, name, known)
    const parts = parent === undefined ? [] : keyPartsOf(parent, known)
    columns.set(name, parts.length <= 1 ? [name] : parts.map((part) => freeName(`${name}.${part}`, used)))
  }
  return columns
}

/** What a field refers to. */
function parentOf(entity: EntityData, name: string, known: Known): EntityData | undefined {
  const field = entity.fields[name]
  if (field?.kind === 'broader') return entity
  return field?.kind === 'embed' ? known.get(field.entity) : undefined
}

function freeName(name: string, used: Set<string>): string {
  let free = name
  while (used.has(free)) free += '.'
  used.add(free)
  return free
}

/** The names of the values that a key consists of: an embedded record stands for those of its own key. */
function keyPartsOf(entity: EntityData, known: Known): string[] {
  return entity.key.flatMap((name) => {
    const parent = parentOf(entity, name, known)
    const parts = parent === undefined ? [] : keyPartsOf(parent, known)
    return parts.length <= 1 ? [name] : parts.map((part) => `${name}.${part}`)
  })
}

export const isExported = ({ own }: Descriptor): boolean => own.has('packages')

/** Finds the file at a path of the package. */
type Find = (path: string) => Promise<TextFile>

/** The source of an exported package; its definitions and packages have been found sound. */
export async function exportedSource(descriptor: Descriptor, location: string, find: Find): Promise<Source> {
  const resources = descriptor.resources.filter(({ own }) => own.has('definition'))
  const known = new Map<string, EntityData>()
  for (const resource of resources) addDefinition(resource, known)
  const packages = packagesIn(descriptor, known)
  const names = [...known.keys()]
  const files = new Map<string, TextFile>()
  for (const [at, resource] of resources.entries()) files.set(names[at] as string, await find(resource.paths[0] ?? ''))
  const aliases = descriptor.resources.find(({ own }) => own.get('role') === 'aliases')
  const given = aliases && (await aliasesIn(await find(aliases.paths[0] ?? ''), known))
  return {
    origin: {
      kind: 'package',
      title: descriptor.title ?? descriptor.name,
      synthetic: false,
      credits: creditsIn(descriptor, known),
      options: { location },
    },
    catalog: orderedCatalog([...known.values()]),
    provides: names,
    numbering: Object.fromEntries(resources.map(({ own }, at) => [names[at], numberingOf(own.get('numbering'))])),
    packages,
    replaces: packages.map(({ name }) => name),
    expected: () => undefined,
    ...(given === undefined ? {} : { aliases: () => given }),
    read: (name, { faults }) => readRows(files.get(name) as TextFile, known.get(name) as EntityData, known, faults),
  }
}

function addDefinition({ name, own }: Resource, known: Map<string, EntityData>): void {
  const definition = own.get('definition')
  const wrong = definitionFault(definition, known) ?? moreFaults(definition as EntityData, known)
  if (wrong !== undefined) throw new WrongExport(`nomenclator:definition of resource ${JSON.stringify(name)}`, wrong)
  const entity = definition as EntityData
  known.set(entity.name, entity)
}

/** What a definition that is written by hand could have wrong besides. */
function moreFaults({ name, plural, titles, fields }: EntityData, known: Known): string | undefined {
  if (known.has(name)) return `${name} is defined twice`
  if ([...known.values()].some((other) => other.plural === plural)) return `two lists are the collection ${plural}`
  if (titles !== undefined && !(isObject(titles) && Object.values(titles).every((title) => typeof title === 'string')))
    return 'its titles are not texts'
  const slow = Object.entries(fields).find(([, field]) => 'pattern' in field && !linearPattern(field.pattern))
  return slow && `the pattern of ${JSON.stringify(slow[0])} is not one that is matched in linear time`
}

class WrongExport extends Failure {
  constructor(where: string, wrong: string) {
    super(
      `the descriptor is refused: ${where} is not sound: ${wrong}. Nothing was changed. Export the package again, or take out ` +
        'nomenclator:packages to have it read as any other package.',
    )
  }
}

function packagesIn({ own }: Descriptor, known: Known): readonly PackageInfo[] {
  const packages = own.get('packages')
  const wrong = packageInfosFault(packages, known)
  if (wrong !== undefined) throw new WrongExport('nomenclator:packages', wrong)
  return packages as readonly PackageInfo[]
}

const numberingOf = (value: unknown): Numbering => NUMBERINGS.find((known) => known === value) ?? 'official'

function creditsIn({ own }: Descriptor, known: Known): Origin['credits'] {
  const credits = own.get('credits')
  const isList = (of: unknown) => Array.isArray(of) && of.every((name) => known.has(String(name)))
  const isCredit = (one: unknown) => isObject(one) && typeof one.to === 'string' && isList(one.of)
  if (credits === undefined) return []
  if (!Array.isArray(credits) || !credits.every(isCredit))
    throw new WrongExport('nomenclator:credits', 'it is not a list of whom to credit and for which lists')
  return credits.map(({ to, of }) => ({ to, of }))
}

/** The cells of a table that was written by an export: those of the first row, and then blocks of the others. */
async function* cellsIn({ file, open }: TextFile): AsyncGenerator<{ lines: number[]; rows: string[][] }> {
  const tell = () => {}
  const dialect = { delimiter: ',' }
  yield* delimitedRows(textChunks(open(), { file, encoding: 'utf-8', tell }), { file, dialect, tell })
}

async function* readRows(file: TextFile, entity: EntityData, known: Known, faults: Faults): AsyncGenerator<Block> {
  let layout: Layout | undefined
  try {
    for await (const { lines, rows } of cellsIn(file)) {
      if (layout === undefined) {
        if (rows.length === 0) continue
        const [names = []] = [rows.shift(), lines.shift()]
        layout = layoutOf(names, entity, known)
        if (names.join('\0') !== layout.header.join('\0')) throw otherCells(file.file, 1, names, layout.header)
      }
      const { header, toRow } = layout
      const wrong = rows.findIndex(({ length }) => length !== header.length)
      if (wrong >= 0) throw otherCells(file.file, lines[wrong] as number, rows[wrong] ?? [], header)
      yield { file: file.file, lines, rows: rows.map(toRow) }
    }
  } catch (error) {
    if (!(error instanceof UnreadableTable)) throw error
    faults.add(error.fault)
  }
}

type Layout = { readonly header: readonly string[]; readonly toRow: (cells: readonly string[]) => GivenRow }

/** The columns that a table has to have: a fact that is not known of any record needs none. */
function layoutOf(given: readonly string[], entity: EntityData, known: Known): Layout {
  const needed = [...columnsOf(entity, known)].filter(
    ([name]) => entity.fields[name]?.kind !== 'fact' || given.includes(name),
  )
  return { header: needed.flatMap(([, names]) => names), toRow: rowReader(entity, new Map(needed), known) }
}

const otherCells = (file: string, line: number, found: readonly string[], header: readonly string[]) =>
  new UnreadableTable({
    file,
    line,
    column: 'all',
    value: found.join(','),
    expected: `the ${header.length} columns ${header.join(', ')}, as nomenclator:definition has them`,
  })

/** A cell that is empty is not there; what is not as it should be is left to the check of the row. */
function rowReader(entity: EntityData, columns: ReturnType<typeof columnsOf>, known: Known) {
  let at = 0
  const plan = [...columns].map(([name, { length }]) => {
    const from = at
    at += length
    return { name, from, to: at, isNumber: isNumberIn(entity, name, known) }
  })
  return (cells: readonly string[]): GivenRow => {
    const row: Record<string, string | number> = {}
    for (const { name, from, to, isNumber } of plan) {
      const given = to - from === 1 ? (cells[from] as string) : joined(cells.slice(from, to))
      if (given !== '') row[name] = isNumber ? numberOf(given) : given
    }
    return row
  }
}

/** The values of a key that has several, as one text; nothing where all are missing. */
const joined = (parts: readonly string[]) => (parts.every((part) => part === '') ? '' : parts.join('\0'))

const numberOf = (text: string): number | string => (Number.isNaN(Number(text)) ? text : Number(text))

/** Whether rows have a number in a field: identifiers, number facts, and references to what has a number for a key. */
function isNumberIn(entity: EntityData, name: string, known: Known): boolean {
  const field = entity.fields[name]
  if (field?.kind === 'id') return true
  if (field?.kind === 'fact') return field.type !== 'text'
  const parent = parentOf(entity, name, known)
  const [key = '', ...others] = parent?.key ?? []
  return parent !== undefined && others.length === 0 && parent.fields[key]?.kind === 'id'
}

/** All of them are in memory when a release is searched. */
const MAX_ALIASES = 20_000

async function aliasesIn(file: TextFile, known: Known): Promise<readonly Alias[]> {
  const all: string[][] = []
  for await (const { rows } of cellsIn(file)) {
    all.push(...rows)
    if (all.length > MAX_ALIASES) throw new WrongExport(file.file, `it has more than ${MAX_ALIASES} aliases`)
  }
  const [header = [], ...rows] = all
  const isSound = (row: readonly string[]) => row.length === ALIAS_COLUMNS.length && known.has(row[0] as string)
  if (header.join() !== ALIAS_COLUMNS.join() || !rows.every(isSound))
    throw new WrongExport(file.file, `it is no table of ${ALIAS_COLUMNS.join(', ')} for lists of this package`)
  return rows.map((row) => Object.fromEntries(ALIAS_COLUMNS.map((column, at) => [column, row[at]])) as unknown as Alias)
}
