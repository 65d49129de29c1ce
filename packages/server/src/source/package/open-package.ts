// A data package as a source: what it declares and what its tables show become definitions, and its rows follow them.
import { OperationalError } from '../../base/operational-error.ts'
import { mismatchText, parse } from '../../base/schema.ts'
import { packageName } from '../../base/texts.ts'
import { type EntityData, orderedCatalog } from '../../catalog/catalog.ts'
import { Downloads } from '../downloads.ts'
import { type Fault, Faults, FaultyRecords, faultText, MAX_FAULTS } from '../faults.ts'
import { Findings } from '../findings.ts'
import type { Alias, Block, Report, Source } from '../source.ts'
import { readAliasTables } from './alias-tables.ts'
import { creditsOf } from './credits.ts'
import { descriptorJson } from './describe.ts'
import type { Descriptor, ListPlan, Plan, RefusedList } from './descriptor.ts'
import { exportedSource, isExported } from './exported.ts'
import { FieldFindings, type PackageFinding } from './field-findings.ts'
import { isComplete } from './infer/complete.ts'
import { infer } from './infer/infer.ts'
import type { KnownList, Note } from './infer/inference.ts'
import type { TableProfile } from './infer/table-profile.ts'
import { builtInDefinitions, builtInLists, builtInRecords } from './known-lists.ts'
import type { KnownRecords } from './list-records.ts'
import { type Located, locate } from './locate.ts'
import { namedTables } from './named-tables.ts'
import { MAX_DESCRIBED, type PackageInfo } from './package-info.ts'
import { type DescribedPackage, type PackageTables, readDescriptor, readTables } from './package-tables.ts'
import { plansOf } from './plan.ts'
import type { Table } from './read/rows.ts'
import { type MadeRow, RowMaker } from './row-maker.ts'
import { RowPlaces, type Surveyed, survey } from './survey.ts'

export type PackageOptions = {
  /** Gives the directory that keeps downloads, once there is one; by default they are removed when the package is closed. */
  readonly downloads?: () => string | undefined
  /** Whether a package may be fetched from this machine and its network. */
  readonly allowsPrivate?: boolean
  /** Another name for the package. */
  readonly name?: string
  /** Whether a collection of another package has a slug already. */
  readonly taken?: (slug: string) => boolean
  /** The definitions of the lists of other packages, which may be referred to; without them no home is looked at. */
  readonly others?: readonly EntityData[]
  /** The same, reported by the home that the package comes into once its name is known. */
  readonly inHome?: (packageName: string) => Required<Pick<PackageOptions, 'taken' | 'others' | 'recordsOfOther'>>
  /** The records of such a list; where they are not known, references to it are checked when they are published. */
  readonly recordsOfOther?: (entity: string) => KnownRecords | undefined
  readonly onProgress?: (url: string, done: number, size: number | undefined) => void
  /** True if tables are only described, even where they are named like lists that ship with the program. */
  readonly isDescribed?: boolean
  /** How many rows of each table are looked at before it is inferred what its columns are. */
  readonly sampledRows?: number
}

/** A list that is left out, with all that was found out about it. */
export type LeftOut = RefusedList & {
  /** Those that are kept. */
  readonly faults: readonly Fault[]
  readonly faultCount: number
  readonly findings: readonly PackageFinding[]
  readonly notes: readonly Note[]
}

export type PackageSource = Source & {
  readonly package: PackageInfo
  /** Whether it was written from a home, and so is all that a home with nothing else is to have. */
  readonly isExport: boolean
  /** What it was taken for, where no descriptor says it and nothing was inferred. */
  readonly note?: string
  readonly notes: readonly Note[]
  /** What it says with all that was inferred; absent where it is read to the letter. */
  readonly descriptor?: Descriptor
  /** What is odd, by table and field. */
  readonly findings: readonly PackageFinding[]
  /** The tables that are no list, because nothing can be published of them. */
  readonly leftOut: readonly LeftOut[]
  /** How many records each entity has. */
  readonly counts: ReadonlyMap<string, number>
  /** Removes what was only downloaded for it. */
  readonly close: () => void
}

/** All that was found out about a package, also about lists that are left out. */
export type Examined = {
  readonly location: string
  /** Those that are kept. */
  readonly faults: readonly Fault[]
  readonly faultCount: number
  readonly findings: readonly PackageFinding[]
  readonly notes: readonly Note[]
  readonly leftOut: readonly LeftOut[]
  /** What can be published; undefined where that is nothing. */
  readonly source?: PackageSource
}

/** A package of which nothing is published, with all that was found out about it. */
class RefusedPackage extends OperationalError {
  readonly examined: Examined

  constructor(examined: Examined) {
    const { location, faults, faultCount, findings } = examined
    const shown = faults.slice(0, MAX_FAULTS)
    const findingCount = findings.reduce((sum, one) => sum + one.count, 0)
    super(
      [
        ...shown.map(faultText),
        ...(faultCount > shown.length ? [`… and ${faultCount - shown.length} more`] : []),
        ...findings.map(({ description, count, examples }) => `${examples[0] ?? ''}: ${description} (${count})`),
        `${location} is refused: ${faultCount} faults, ${findingCount} findings; nothing was changed`,
      ].join('\n'),
    )
    this.examined = examined
  }
}

/** Gives what can be published of a package; where all must be in order, nothing that is wrong or odd is. */
export async function openPackage(
  location: string | readonly string[],
  { strict = false, ...options }: PackageOptions & { readonly strict?: boolean } = {},
): Promise<PackageSource> {
  const examined = await examinePackage(location, options)
  const { source, faultCount, findings } = examined
  if (source !== undefined && !(strict && faultCount + findings.length > 0)) return source
  source?.close()
  throw new RefusedPackage(examined)
}

/** Reads all tables to their end once, so that whatever is wrong with them is known before anything is published. */
export async function examinePackage(
  location: string | readonly string[],
  options: PackageOptions = {},
): Promise<Examined> {
  const downloads = new Downloads(options.downloads)
  const close = () => downloads[Symbol.dispose]()
  try {
    const remote = {
      downloads: () => downloads.directory,
      allowsPrivate: options.allowsPrivate === true,
      ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
    }
    const located = await locate(location, remote)
    const named = options.isDescribed === true ? undefined : await namedTables(located)
    if (named !== undefined) return soundPackage(located, namedPackage(named, located, options, close))
    const described = await readDescriptor(located)
    if (isExported(described.descriptor)) return soundPackage(located, await exportedPackage(described, options, close))
    const { name = described.descriptor.name } = options
    const wrong = parse(packageName, name)
    if ('mismatches' in wrong)
      throw new OperationalError(`the name of the package is not sound: ${wrong.mismatches.map(mismatchText).join()}`)
    const renamed = { ...described, descriptor: { ...described.descriptor, name } }
    const tables = await readTables(renamed, options.sampledRows)
    const inHome = { ...options, ...options.inHome?.(name) }
    const opened = await new Opening(tables, inHome).open()
    return examinedOf(tables, opened, inHome, close)
  } catch (error) {
    close()
    if (!(error instanceof FaultyRecords)) throw error
    const { faults, count } = error
    return { location: [location].flat().join(', '), faults, faultCount: count, findings: [], notes: [], leftOut: [] }
  }
}

/** A package of which nothing is inferred or reported. */
const soundPackage = ({ name }: Located, source: PackageSource): Examined => ({
  location: name,
  faults: [],
  faultCount: 0,
  findings: [],
  notes: [],
  leftOut: [],
  source,
})

/** What was written from a release is read to the letter: nothing is inferred, and nothing is odd about it. */
async function exportedPackage(
  { descriptor, located }: DescribedPackage,
  { name }: PackageOptions,
  close: () => void,
): Promise<PackageSource> {
  if (name !== undefined)
    throw new OperationalError(
      `${located.name} was exported from a home, and its packages keep their names; leave out --name`,
    )
  const source = await exportedSource(descriptor, located.name, located.files.find)
  const info = packageInfo(descriptor, source.provides)
  return { ...source, package: info, isExport: true, notes: [], findings: [], leftOut: [], counts: new Map(), close }
}

/** Tables of lists that ship with the program belong to no package: they are read to the letter, and replace those lists. */
function namedPackage(
  source: Source,
  { files: { fallbackName }, name: location }: Located,
  { name }: PackageOptions,
  close: () => void,
): PackageSource {
  if (name !== undefined)
    throw new OperationalError(
      `${location} has tables of lists that ship with Nomenclator, which keep their names; leave out --name`,
    )
  const info = { name: fallbackName, licenses: [], sources: [], keywords: [], contributors: [], lists: source.provides }
  const note = `${location} has no datapackage.json; its files are named like lists that ship with Nomenclator, and are read as those.`
  return {
    ...source,
    package: info,
    isExport: false,
    note,
    notes: [],
    findings: [],
    leftOut: [],
    counts: new Map(),
    close,
  }
}

type Opened = {
  /** The descriptor with all that was inferred. */
  readonly descriptor: Descriptor
  /** The names of the resources that left something open. */
  readonly inferred: ReadonlySet<string>
  readonly plan: Plan
  /** By the name of the entity, each after those that it embeds. */
  readonly lists: ReadonlyMap<string, Surveyed>
  readonly leftOut: readonly LeftOut[]
  readonly aliases: readonly Alias[]
  readonly aliasFindings: ReadonlyMap<string, Findings>
}

/** Rounds of inferring: each takes out a table or a key that turned out not to be one. */
const MAX_ROUNDS = 50

class Opening {
  readonly #tables: PackageTables
  readonly #options: PackageOptions
  readonly #leftOut = new Map<string, LeftOut>()
  readonly #profiles: Map<string, TableProfile>

  constructor(tables: PackageTables, options: PackageOptions) {
    this.#tables = tables
    this.#options = options
    this.#profiles = new Map([...tables.tables].flatMap(([name, { profile }]) => (profile ? [[name, profile]] : [])))
    for (const { resource, faults } of tables.unread) this.#leaveOut(resource, faults)
  }

  /** Infers, reads all tables, and infers again without what could not be read, until all that is left can be. */
  async open(): Promise<Opened> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const { descriptor, plan } = this.#plan()
      const lists = await this.#surveyed(plan)
      if (lists === undefined) continue
      this.#leaveRefused(plan)
      const { aliases, findings } = await readAliasTables(plan.aliases, this.#tables.tables, lists)
      const leftOut = [...this.#leftOut.values()]
      const open = [...this.#tables.tables.values()].filter(({ resource, header }) => !isComplete(resource, header))
      const inferred = new Set(open.map(({ resource }) => resource.name))
      return { descriptor, inferred, plan, lists, leftOut, aliases, aliasFindings: findings }
    }
    throw new OperationalError(
      `${this.#tables.location}: no keys were found that hold; declare a primaryKey in each schema`,
    )
  }

  #plan(): { readonly descriptor: Descriptor; readonly plan: Plan } {
    const { descriptor: given, tables } = this.#tables
    const resources = given.resources.filter(({ name }) => !this.#leftOut.has(name))
    const open = new Map([...this.#profiles].filter(([name]) => !this.#leftOut.has(name)))
    const headers = new Map([...tables].map(([name, { header }]) => [name, header]))
    const { taken = () => false, others } = this.#options
    const outside = outsideOf(this.#options)
    const isThere = ({ resource }: KnownList) =>
      outside.definitions.some((one) => one.package === undefined && one.plural === resource)
    const { descriptor, notes, refused } = infer(
      { ...given, resources },
      open,
      open.size > 0 ? builtInLists().filter(isThere) : [],
    )
    const plan = plansOf(descriptor, headers, {
      taken,
      others: outside.definitions,
      hasHome: others !== undefined,
    })
    return {
      descriptor,
      plan: { ...plan, notes: [...notes, ...plan.notes], refused: [...refused, ...plan.refused] },
    }
  }

  /** Undefined where a list had to be left out, or has another key than was inferred. */
  async #surveyed(plan: Plan): Promise<ReadonlyMap<string, Surveyed> | undefined> {
    const lists = new Map<string, Surveyed>()
    const indexed = indexesOf(plan.lists)
    const outside = outsideOf(this.#options)
    let isSound = true
    for (const list of plan.lists) {
      const { table } = this.#tables.tables.get(list.resource) as { readonly table: Table }
      const surveyed = await survey(list, table, {
        recordsOf: (name) => {
          const own = lists.get(name)
          if (own !== undefined) return { entity: own.plan.entity, records: own.records }
          return outside.records(name)
        },
        indexed: indexed.get(list.entity.name) ?? [],
        isKeyOpen: this.#isKeyOpen(list),
      })
      lists.set(list.entity.name, surveyed)
      if (surveyed.notUnique !== undefined && this.#isKeyOpen(list)) {
        this.#inferAnotherKey(list.resource, surveyed.notUnique)
        isSound = false
      } else if (surveyed.faults.any) {
        this.#leaveOut(list.resource, surveyed.faults, plan.notes, surveyed.findings)
        isSound = false
      }
    }
    return isSound ? lists : undefined
  }

  #isKeyOpen({ resource }: ListPlan): boolean {
    const { schema } = this.#tables.tables.get(resource)?.resource ?? {}
    return this.#profiles.has(resource) && (schema?.primaryKey ?? []).length === 0
  }

  #inferAnotherKey(resource: string, columns: readonly string[]): void {
    const profile = this.#profiles.get(resource)
    if (profile === undefined) return
    this.#profiles.set(resource, { ...profile, notUnique: [...(profile.notUnique ?? []), columns] })
  }

  #leaveOut(resource: string, faults: Faults, notes: readonly Note[] = [], findings = new FieldFindings()): void {
    const [first] = faults.list()
    const more = faults.count > 1 ? `, and ${faults.count - 1} more` : ''
    const reason = first === undefined ? 'it cannot be read' : `${faultText(first)}${more}`
    this.#leftOut.set(resource, {
      resource,
      reason,
      faults: faults.list(),
      faultCount: faults.count,
      findings: [...listed(this.#tables.tableFindings.get(resource), resource), ...findings.list(resource)],
      notes: notes.filter((note) => note.resource === resource),
    })
  }

  #leaveRefused({ refused, notes }: Plan): void {
    for (const { resource, reason } of refused) {
      const file = this.#tables.tables.get(resource)?.table.file ?? resource
      const faults = new Faults()
      const expected = `a table that can be a list: ${reason}`
      faults.add({ file, line: 1, column: 'all', value: `resource ${resource}`, expected })
      this.#leaveOut(resource, faults, notes)
    }
  }
}

/** The lists that a package may refer to besides its own: those of the home, or where none is looked at those that ship. */
function outsideOf({ others, recordsOfOther }: PackageOptions) {
  const definitions = others ?? builtInDefinitions
  const recordsOf = others === undefined ? builtInRecords : recordsOfOther
  return {
    definitions,
    records: (name: string) => {
      const entity = definitions.find((one) => one.name === name)
      return entity && { entity, records: recordsOf?.(name) }
    },
  }
}

/** The sets of fields that each list is referred to by, where they are not its key. */
function indexesOf(lists: readonly ListPlan[]): ReadonlyMap<string, readonly (readonly string[])[]> {
  const indexes = new Map<string, (readonly string[])[]>()
  for (const { entity, fields } of lists) {
    for (const [name, { refersTo }] of fields) {
      const definition = entity.fields[name]
      const target =
        definition?.kind === 'embed' ? definition.entity : definition?.kind === 'broader' ? entity.name : undefined
      if (refersTo === undefined || target === undefined) continue
      indexes.set(target, [...(indexes.get(target) ?? []), refersTo])
    }
  }
  return indexes
}

function examinedOf(tables: PackageTables, opened: Opened, options: PackageOptions, close: () => void): Examined {
  const { location } = tables
  const { lists, leftOut, plan } = opened
  if (lists.size === 0 && leftOut.length === 0)
    throw new OperationalError(`${location} has no table that could be a list`)
  const source = lists.size === 0 ? undefined : sourceOf(tables, opened, options, close)
  if (source === undefined) close()
  const resources = new Set(leftOut.map(({ resource }) => resource))
  const isTold = ({ resource }: Note) => resource !== undefined && resources.has(resource)
  return {
    location,
    faults: leftOut.flatMap(({ faults }) => faults),
    faultCount: leftOut.reduce((sum, { faultCount }) => sum + faultCount, 0),
    findings: [
      ...(source?.findings ?? findingsOfPackage(tables, [], new Map()).list()),
      ...leftOut.flatMap(({ findings }) => findings),
    ],
    notes: [...plan.notes.filter((note) => !isTold(note)), ...leftOut.flatMap(({ notes }) => notes)],
    leftOut,
    ...(source === undefined ? {} : { source }),
  }
}

function sourceOf(tables: PackageTables, opened: Opened, options: PackageOptions, close: () => void): PackageSource {
  const { plan, lists, leftOut, aliases, aliasFindings } = opened
  const { descriptor, location } = tables
  const provides = [...lists.keys()]
  const own = [...lists.values()].map(({ plan: { entity } }) => entity)
  const catalog = orderedCatalog([...referredTo(own, outsideOf(options).definitions), ...own])
  const described = describedLists(opened)
  const info = {
    ...packageInfo(descriptor, provides),
    ...(described.length === 0 ? {} : { described }),
  }
  const packageFindings = findingsOfPackage(tables, leftOut, aliasFindings)
  const findings = [
    ...packageFindings.list(),
    ...[...lists.values()].flatMap((list) => [
      ...listed(tables.tableFindings.get(list.plan.resource), list.plan.resource),
      ...list.findings.list(list.plan.resource),
      ...list.nameFindings.list(list.plan.resource),
    ]),
  ]
  let isTold = false
  return {
    origin: {
      kind: 'package',
      title: descriptor.title ?? descriptor.name,
      synthetic: false,
      credits: creditsOf(info, provides),
      options: { package: location, ...(descriptor.version === undefined ? {} : { version: descriptor.version }) },
    },
    catalog,
    provides,
    packages: [info],
    replaces: [info.name],
    expected: (name) => lists.get(name)?.rows,
    ...(aliases.length > 0 ? { aliases: () => aliases } : {}),
    read: (name, report) => {
      if (!isTold) packageFindings.addTo(report.findings)
      isTold = true
      const list = lists.get(name)
      return list === undefined ? [] : rowsOf(list, lists, options, tables, report)
    },
    package: info,
    isExport: false,
    notes: plan.notes,
    descriptor: opened.descriptor,
    findings,
    leftOut,
    counts: new Map([...lists].map(([name, { rows }]) => [name, rows])),
    close,
  }
}

/** The lists of which the descriptor left something open, each with its resource as it was obeyed. */
function describedLists({ descriptor, lists, inferred }: Opened): NonNullable<PackageInfo['described']> {
  const written = descriptorJson(descriptor).resources as readonly unknown[]
  return [...lists.values()].flatMap(({ plan: { entity, resource: name } }) => {
    const at = inferred.has(name) ? descriptor.resources.findIndex((one) => one.name === name) : -1
    const resource = JSON.stringify(written[at], null, 2)
    return at === -1 || resource.length > MAX_DESCRIBED ? [] : [{ list: entity.name, resource }]
  })
}

const listed = (findings: Findings | undefined, resource: string): PackageFinding[] =>
  (findings?.located() ?? []).map((finding) => ({ resource, ...finding }))

/** What is odd about the package itself, and about the tables that are no lists. */
function findingsOfPackage(
  { findings: ofDescriptor }: PackageTables,
  leftOut: readonly LeftOut[],
  aliasFindings: ReadonlyMap<string, Findings>,
): FieldFindings {
  const findings = new FieldFindings()
  findings.of().include(ofDescriptor)
  for (const own of aliasFindings.values()) findings.of().include(own)
  for (const { resource, reason } of leftOut)
    findings.of().add('list-left-out', 'a table is left out, because nothing can be published of it', {
      file: resource,
      says: reason,
    })
  return findings
}

/** Definitions of other packages that these embed, and those that they embed themselves. */
function referredTo(own: readonly EntityData[], others: readonly EntityData[]): readonly EntityData[] {
  const byName = new Map(others.map((one) => [one.name, one]))
  const needed = new Map<string, EntityData>()
  const need = ({ fields }: EntityData) => {
    for (const field of Object.values(fields)) {
      const other = field.kind === 'embed' ? byName.get(field.entity) : undefined
      if (other === undefined || needed.has(other.name)) continue
      needed.set(other.name, other)
      need(other)
    }
  }
  for (const entity of own) need(entity)
  return [...needed.values()]
}

function packageInfo(
  { resources: _, own: __, language: ___, ...info }: Descriptor,
  lists: readonly string[],
): PackageInfo {
  return { ...info, lists }
}

/** The rows again, as the survey has found that they can be published. */
async function* rowsOf(
  { plan, table, records, findings }: Surveyed,
  lists: ReadonlyMap<string, Surveyed>,
  options: PackageOptions,
  { tableFindings }: PackageTables,
  report: Report,
): AsyncGenerator<Block> {
  report.findings.include(tableFindings.get(plan.resource) ?? new Findings())
  findings.addTo(report.findings)
  const outside = outsideOf(options)
  const maker = new RowMaker(plan, table.header, (name) => {
    const own = lists.get(name)
    if (own !== undefined) return { entity: own.plan.entity, records: own.records }
    return outside.records(name)
  })
  const { broaderField } = maker
  const places = new RowPlaces()
  for await (const { file, lines, rows } of table.rows()) {
    const block = { file, lines: [] as number[], rows: [] as MadeRow[] }
    for (let index = 0; index < rows.length; index++) {
      const line = lines[index] as number
      const row = maker.make(rows[index] as string[])
      const identity = maker.identity(row)
      const place = places.of(file, line)
      const position = identity === undefined ? undefined : records.positionOf(identity)
      if (position === undefined || records.placeAt(position) !== place) continue
      const above = broaderField === undefined ? undefined : records.aboveAt(position)
      if (above !== undefined) row[broaderField as string] = above
      block.lines.push(line)
      block.rows.push(row)
    }
    if (block.rows.length > 0) yield block
  }
}
