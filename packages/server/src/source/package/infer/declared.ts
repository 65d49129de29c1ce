// What a descriptor says of a table, which wins over anything that is inferred.
import type { Descriptor, ForeignKey } from '../descriptor.ts'
import { fieldProperties, listProperties } from '../profile.ts'
import type { Column, InferredTable, Sights } from './columns.ts'
import { CodeSet } from './evidence.ts'
import type { KeyedTable, Target } from './relations.ts'
import type { Role } from './score.ts'

const MIN_FOUND = 0.9
const PLACES: readonly Role[] = ['latitude', 'longitude', 'coordinates']
const SINGLE: readonly Role[] = ['name', 'validFrom', 'validTo', ...PLACES]
/** Types of quantities, which are different by chance. */
const MEASURES = new Set(['number', 'boolean', 'date', 'datetime', 'time', 'yearmonth', 'geopoint'])

export class Declared {
  readonly key: readonly Column[] | undefined
  /** Why a declared key can be none. */
  readonly keyFault: string | undefined
  /** References of columns of the table to other lists. */
  readonly foreignKeys: readonly ForeignKey[]
  /** How its records form a tree. */
  readonly tree: 'none' | 'by codes' | Column | 'by key' | undefined
  /** Columns of it that references of other tables mean. */
  readonly referred: ReadonlySet<string>
  readonly list: ReturnType<typeof listProperties>
  readonly #table: InferredTable
  readonly #roles: ReadonlySet<string>

  constructor(table: InferredTable, { resources }: Descriptor) {
    const { resource, columns } = table
    const { schema, name } = resource
    this.#table = table
    this.list = listProperties(resource)
    const named = (column: string) => columns.find((one) => one.name === column)
    const key = schema?.primaryKey?.map((column) => [column, named(column)] as const) ?? []
    const missing = key.filter(([, column]) => column === undefined).map(([column]) => JSON.stringify(column))
    this.keyFault =
      missing.length === 0 ? undefined : `its primaryKey has ${missing.join(', ')}, which is no column of the file`
    this.key = key.length === 0 || missing.length > 0 ? undefined : key.map(([, column]) => column as Column)
    const all = schema?.foreignKeys ?? []
    const isOwn = ({ reference }: ForeignKey) =>
      reference.package === undefined && ['', name].includes(reference.resource)
    this.foreignKeys = all.filter((one) => !isOwn(one))
    const { broader } = this.list
    const column =
      (typeof broader === 'string' ? named(broader) : undefined) ??
      columns.find((one) => fieldProperties(one.declared).broader === true)
    this.tree =
      broader === false
        ? 'none'
        : broader === 'prefix of the key'
          ? 'by codes'
          : (column ?? (all.some(isOwn) ? 'by key' : undefined))
    this.referred = new Set(
      resources.flatMap(({ schema: other, name: from }) =>
        (other?.foreignKeys ?? []).flatMap(({ reference: { resource: to, fields, package: outside } }) =>
          outside === undefined && fields.length === 1 && (to === name || (to === '' && from === name)) ? fields : [],
        ),
      ),
    )
    this.#roles = new Set(columns.flatMap((one) => this.roleOf(one) ?? []))
  }

  /** The role that is settled by the descriptor; undefined where it is open. */
  roleOf(column: Column): Role | undefined {
    const { role, broader, embed } = fieldProperties(column.declared)
    if (this.tree === column) return 'value'
    if (typeof embed === 'string' || this.#refers(column)) return 'value'
    if (broader === true) return 'value'
    if (role !== undefined) return role === 'fact' ? 'value' : role
    return column.declared.type === 'geopoint' ? 'coordinates' : undefined
  }

  #refers({ name }: Column): boolean {
    return (this.#table.resource.schema?.foreignKeys ?? []).some(({ fields }) => fields.at(-1) === name)
  }

  /** True for a role of which a record has one, and which some column is declared to have. */
  has(role: Role): boolean {
    return role === 'description'
      ? this.#roles.has(role)
      : SINGLE.includes(role) && SINGLE.some((one) => this.#isAlike(one, role))
  }

  #isAlike(declared: Role, role: Role): boolean {
    return this.#roles.has(declared) && (declared === role || (PLACES.includes(declared) && PLACES.includes(role)))
  }

  /** What speaks for a column as the key besides its looks. */
  sightsOf({ name, declared }: Column): Sights {
    return {
      referred: Number(this.referred.has(name)),
      declaredCode: Number(fieldProperties(declared).role === 'code'),
      declaredUnique: Number(declared.constraints?.unique === true && declared.type !== 'number'),
      declaredMeasure: Number(MEASURES.has(declared.type ?? '')),
    }
  }

  /** The column whose values the declared parent has: the key, else another that tells the records apart. */
  parentField({ key, columns }: KeyedTable): string | undefined {
    const parent = this.tree
    if (parent === undefined || typeof parent === 'string' || key.length !== 1 || this.#refers(parent)) return undefined
    const found = [...key, ...columns].find(
      (column) =>
        column !== parent &&
        (key.includes(column) || column.sights.unique === 1) &&
        (new CodeSet(column.profile).evidenceFrom(parent.profile)?.share ?? 0) >= MIN_FOUND,
    )
    return (found ?? key[0])?.name
  }

  /** The lists that the values of a column may be taken for codes of. */
  openTargets(column: Column, targets: readonly Target[]): readonly Target[] {
    const { embed, role, broader } = fieldProperties(column.declared)
    if (embed !== undefined || role !== undefined || broader !== undefined || this.#refers(column)) return []
    const hasTree = this.tree !== undefined
    return targets.filter(({ table }) => !(hasTree && table?.resource === this.#table.resource))
  }
}
