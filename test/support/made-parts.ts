// The parts of documents, and the types of the client, that follow from tables of the program. Each part stands between two comments, which say how it is made.
import { join } from 'node:path'
import profile from '../../data/nomenclator.schema.json' with { type: 'json' }
import { type EntityData, entityData } from '../../packages/server/src/catalog/catalog.ts'
import { type LanguageCode, languageOf } from '../../packages/server/src/explorer/language.ts'
import { manyWithin } from '../../packages/server/src/explorer/names.ts'
import { exposition, METRICS } from '../../packages/server/src/http/observation/exposition.ts'
import { Metrics } from '../../packages/server/src/http/observation/metrics.ts'
import type { ShelfStatus } from '../../packages/server/src/http/observation/shelf-status.ts'
import { builtInCatalog } from '../../packages/server/src/source/built-in.ts'
import { type CsvColumn, codeColumns, columnsOf } from '../../packages/server/src/source/package/columns.ts'
import { nomenclator, TestDirectory } from './releases.ts'

const entities = [...builtInCatalog.entities.values()]
const known = new Map(entities.map((entity) => [entity.name, entityData(entity)]))

const lineOf = (cells: readonly string[]) => `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |')
const tableOf = (heading: readonly string[], rows: readonly (readonly string[])[]): string =>
  [lineOf(heading), `|${'---|'.repeat(heading.length)}`, ...rows.map(lineOf)].join('\n')

function holds(list: EntityData, { field, part }: CsvColumn): string {
  const definition = list.fields[field] as EntityData['fields'][string]
  if (definition.kind === 'code') return `${definition.description}: ${definition.shape}`
  if (definition.kind !== 'embed') return definition.description
  if (part === undefined) return `${definition.description}, by identifier`
  const parent = known.get(definition.entity) as EntityData
  const { kind, description } = parent.fields[part] as EntityData['fields'][string]
  return `${definition.description}, by code: ${description}${kind === 'embed' ? ', by identifier' : ''}`
}

function needed(list: EntityData, { field, part, optional }: CsvColumn): string {
  if (part !== undefined) return `instead of \`${field}\``
  if (optional) return 'may be left out'
  return list.fields[field]?.kind === 'embed' ? 'required, or its code' : 'required'
}

const columnsPart = (list: EntityData): string => {
  const columns = columnsOf(list, known).flatMap((column) => [column, ...codeColumns(list, column.field, known)])
  const rows = columns.map((column) => [`\`${column.name}\``, holds(list, column), needed(list, column)])
  return `### ${list.name}\n\n${tableOf(['column', 'holds', ''], rows)}`
}

const typesPart = (code: LanguageCode, heading: readonly string[]): string => {
  const language = languageOf(code)
  const naming = { language, words: language.words }
  const rows = entities.map((entity) => [`\`${entity.plural}\``, `\`${entity.name}\``, manyWithin(naming, entity)])
  return tableOf(heading, rows)
}

type Property = {
  readonly description?: string
  readonly enum?: readonly string[]
  readonly type?: string
  readonly examples?: readonly unknown[]
}

/** The values that a property may have, where the profile lists them. */
function valuesOf(property: Property): readonly string[] {
  if (property.type === 'boolean') return ['true', 'false']
  return property.enum ?? []
}

const NOT_FOR_PEOPLE = /^(?:Written by an export|Of lists that ship)/

/** The properties of ours that people write, of a field and of a resource. */
const propertiesPart = (): string => {
  const { field, list } = profile.definitions
  const rows = Object.entries({ field, resource: list }).flatMap(([of, { properties }]) =>
    Object.entries(properties).flatMap(([name, value]) => {
      const property: Property = value as object
      const { description = '' } = property
      if (!name.startsWith('nomenclator:') || NOT_FOR_PEOPLE.test(description)) return []
      const values = valuesOf(property).map((value) => `\`${value}\``)
      const examples = (property.examples ?? []).map((example) => `For example, \`${JSON.stringify(example)}\``)
      const [first, ...rest] = [values.join(', '), description].filter((text) => text !== '')
      return [[`\`${name}\``, of, [[first, ...rest].join('. '), ...examples].join(' ')]]
    }),
  )
  return tableOf(['property', 'of', 'what it says'], rows)
}

const NO_SHELF_TROUBLE: ShelfStatus = {
  isConnected: true,
  generation: 1,
  lagSeconds: 0,
  connects: 1,
  fetchedChunks: 0,
  fetchedBytes: 0,
  trouble: undefined,
}

/** The metrics of a service in which every metric has a value. */
function allSamples(): string {
  const metrics = new Metrics()
  metrics.scrubSound = true
  const status = { release: 'r', built: new Date(0).toISOString(), degraded: [], draining: false }
  const report = { status, metrics: metrics.snapshot() }
  const times = { startedAt: 0, now: 0, supervisorBytes: 1 }
  return exposition({
    ...times,
    reports: [report],
    computeWorkers: [],
    restarts: 0,
    ready: true,
    shelf: NO_SHELF_TROUBLE,
  })
}

/** The metrics with their labels, but for the bounds of histograms, which every reader of Prometheus knows. */
const metricsPart = (): string => {
  const samples = allSamples()
  const rows = Object.entries(METRICS).map(([name, { type, help }]) => {
    const [, text = ''] = new RegExp(`^${name}(?:_bucket)?\\{(.*)\\} `, 'm').exec(samples) ?? []
    const labels = [...text.matchAll(/(\w+)="/g)].flatMap(([, label = '']) => (label === 'le' ? [] : `\`${label}\``))
    const meaning = help.replace(/\.$/, '').replaceAll(/(?<=^| )(?:--|\/)[a-z-]+/g, '`$&`')
    return [`\`${name}\``, type, labels.join(', '), meaning]
  })
  return tableOf(['metric', 'type', 'labels', 'meaning'], rows)
}

/** The parts by the name in their comments. */
const PARTS: Readonly<Record<string, () => string>> = {
  'columns of lists': () => [...known.values()].map(columnsPart).join('\n\n'),
  metrics: metricsPart,
  properties: propertiesPart,
  types: () => typesPart('en', ['type', 'as a part', 'records']),
  tipos: () => typesPart('es', ['tipo', 'como parte', 'registros']),
}

const PART = /^<!-- made by npm run record: (.+) -->\n\n[\s\S]*?\n\n<!-- made until here -->$/gm

/** A document with its parts as they should be; throws on one that is not known. */
const withMadeParts = (text: string): string =>
  text.replace(PART, (_, name: string) => {
    const part = PARTS[name]
    if (part === undefined) throw new Error(`there is no part ${name}; there are: ${Object.keys(PARTS).join(', ')}`)
    return `<!-- made by npm run record: ${name} -->\n\n${part()}\n\n<!-- made until here -->`
  })

/** The names of the parts that a document has. */
export const madePartsIn = (text: string): string[] => [...text.matchAll(PART)].map(([, name = '']) => name)

export const MADE_PARTS = Object.keys(PARTS)

export const ROOT = join(import.meta.dir, '..', '..')
const DOCUMENTS = ['*.md', 'docs/*.md'].flatMap((files) => [...new Bun.Glob(files).scanSync(ROOT)]).sort()

/** The types that the program prints where there is no release. */
async function printedTypes(): Promise<string> {
  using home = new TestDirectory()
  return (await nomenclator('types', '--home', home.path)).out
}

type MadeFile = readonly [path: string, made: (text: string) => string | Promise<string>]

/** Files that follow from the program, and how each is made of what it is. */
export const MADE_FILES: readonly MadeFile[] = [
  ['packages/client/src/built-in-types.ts', printedTypes],
  ...DOCUMENTS.map((path) => [path, withMadeParts] as const),
]
