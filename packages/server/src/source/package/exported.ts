// A package that was written from a release: its lists are defined to the letter, so that reading it gives the same release again.
//
// Beside what the standard has, each of its resources says in `nomenclator:definition` what the list is, and the descriptor names in
// `nomenclator:packages` the packages that the lists belong to.
import { Failure } from '../../base/failure.ts'
import { isObject } from '../../base/json.ts'
import type { EntityData } from '../../catalog/catalog.ts'
import { definitionFault } from '../../catalog/definition-check.ts'
import type { Descriptor, FieldPlan, ListPlan, Plan, Resource, ValueFormat } from './descriptor.ts'

export const DEFINITION = 'definition'
export const PACKAGES = 'packages'

/** The definitions by name. */
type Known = ReadonlyMap<string, EntityData>

/** The columns of a table, by the field that they fill: a reference has one for each field of the key that it gives. */
export function columnsOf(entity: EntityData, known: Known): ReadonlyMap<string, readonly string[]> {
  const used = new Set(Object.keys(entity.fields))
  const columns = new Map<string, readonly string[]>()
  for (const [name, field] of Object.entries(entity.fields)) {
    if (field.kind === 'copy') continue
    const parent = field.kind === 'embed' ? known.get(field.entity) : field.kind === 'broader' ? entity : undefined
    const parts = parent === undefined ? [] : keyPartsOf(parent, known)
    columns.set(name, parts.length <= 1 ? [name] : parts.map((part) => freeName(`${name}.${part}`, used)))
  }
  return columns
}

function freeName(name: string, used: Set<string>): string {
  let free = name
  while (used.has(free)) free += '.'
  used.add(free)
  return free
}

/** The names of the values that a key consists of: an embedded record stands for those of its own key. */
function keyPartsOf({ key, fields }: EntityData, known: Known): string[] {
  return key.flatMap((name) => {
    const field = fields[name]
    const parent = field?.kind === 'embed' ? known.get(field.entity) : undefined
    if (parent === undefined) return [name]
    const parts = keyPartsOf(parent, known)
    return parts.length === 1 ? [name] : parts.map((part) => `${name}.${part}`)
  })
}

/** The types of Table Schema that columns have, by the kind or type of the field. */
export const COLUMN_TYPES = {
  id: 'integer',
  text: 'string',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  date: 'date',
  year: 'year',
  list: 'array',
} as const

/** What the descriptor of an exported package is taken for; undefined for any other. */
export function exportedPlan(descriptor: Descriptor): Plan | undefined {
  if (!descriptor.own.has(PACKAGES)) return undefined
  const known = new Map<string, EntityData>()
  const lists = descriptor.resources.filter(({ own }) => own.has(DEFINITION)).map((one) => listPlan(one, known))
  return { lists, aliases: [], guesses: [], refused: [] }
}

/** Adds the definition of the list to those that are known. */
function listPlan(resource: Resource, known: Map<string, EntityData>): ListPlan {
  const definition = resource.own.get(DEFINITION)
  const wrong = definitionFault(definition, known) ?? titlesFault(definition)
  if (wrong !== undefined) throw new WrongDefinition(resource.name, wrong)
  const entity = definition as EntityData
  if (known.has(entity.name)) throw new WrongDefinition(resource.name, `${entity.name} is defined twice`)
  known.set(entity.name, entity)
  const plans = [...columnsOf(entity, known)].map(
    ([name, columns]) => [name, fieldPlan(entity, name, columns)] as const,
  )
  return { resource: resource.name, entity, fields: new Map(plans), hasDeclaredKey: true }
}

function titlesFault(definition: unknown): string | undefined {
  const titles = isObject(definition) ? definition.titles : undefined
  const areTexts = isObject(titles) && Object.values(titles).every((title) => typeof title === 'string')
  return titles === undefined || areTexts ? undefined : 'its titles are not texts'
}

class WrongDefinition extends Failure {
  constructor(resource: string, wrong: string) {
    super(
      `the descriptor is refused: nomenclator:definition of resource ${JSON.stringify(resource)} is not sound: ${wrong}. ` +
        'Export the package again, or leave out nomenclator:packages to have it read as any other package.',
    )
  }
}

function fieldPlan(entity: EntityData, name: string, columns: readonly string[]): FieldPlan {
  const field = entity.fields[name]
  const type = field?.kind === 'id' ? 'id' : field?.kind === 'value' || field?.kind === 'fact' ? field.type : 'text'
  const value: ValueFormat = { type: COLUMN_TYPES[type], missingValues: [''] }
  return { columns, value }
}
