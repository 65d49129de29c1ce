// Reads the descriptor of a package and the beginning of each of its tables: all that is needed to tell what they are.
import { OperationalError } from '../../base/operational-error.ts'
import { Faults, type SourceLocation } from '../faults.ts'
import { Findings } from '../findings.ts'
import { UnusableZip } from '../unusable-zip.ts'
import { isOfBoundaries, type PackageBoundaries, readBoundaries } from './boundaries.ts'
import type { Descriptor, Resource, TableField } from './descriptor.ts'
import { MAX_DESCRIPTOR, type PlaceOf, parseDescriptorText } from './descriptor-text.ts'
import { isLeftover, withHeaderNames, withReferredNames } from './header-names.ts'
import { isComplete } from './infer/complete.ts'
import { profileTable, type TableProfile } from './infer/table-profile.ts'
import { bareDescriptor, type Located, smallFile } from './locate.ts'
import { MissingFile, type PackageFiles } from './package-files.ts'
import { parseDescriptor, parseSchema, placeOfPath } from './parse-descriptor.ts'
import type { ValuePath } from './read/json-syntax.ts'
import type { Table } from './read/rows.ts'
import { UnreadableTable } from './read/unreadable-table.ts'
import { openTable } from './table.ts'

/** A resource with its table. */
export type ReadTable = {
  readonly resource: Resource
  readonly table: Table
  /** The columns of it that are not empty leftovers. */
  readonly header: readonly string[]
  /** Absent where no resource of the package leaves anything open. */
  readonly profile?: TableProfile
}

/** A resource whose table cannot be read, and why. */
type UnreadTable = { readonly resource: string; readonly faults: Faults }

export type PackageTables = {
  /** What the package is called in messages and in what is published. */
  readonly location: string
  /** With the names of fields as they are in the files. */
  readonly descriptor: Descriptor
  readonly tables: ReadonlyMap<string, ReadTable>
  readonly unread: readonly UnreadTable[]
  /** The resources that are boundaries and no tables, with the features of those that can be read. */
  readonly boundaries: readonly (PackageBoundaries & { readonly resource: Resource })[]
  /** What is odd about the descriptor, and about each table. */
  readonly findings: Findings
  readonly tableFindings: ReadonlyMap<string, Findings>
}

/** A package whose tables have not been looked at yet. */
export type DescribedPackage = {
  readonly located: Located
  readonly descriptor: Descriptor
  readonly findings: Findings
  /** Where a value stands in the descriptor. */
  readonly placeOf: PlaceOf
}

export async function readDescriptor(located: Located): Promise<DescribedPackage> {
  const findings = new Findings()
  return { located, findings, ...(await descriptorOf(located, findings)) }
}

export async function readTables(
  { located, descriptor: given, findings, placeOf }: DescribedPackage,
  sampledRows?: number,
): Promise<PackageTables> {
  const tables = new Map<string, ReadTable>()
  const tableFindings = new Map<string, Findings>()
  const unread: UnreadTable[] = []
  const boundaries: PackageTables['boundaries'][number][] = []
  const file = located.descriptor ?? located.name
  const names = new Set(given.resources.flatMap((one) => (isOfBoundaries(one) ? [] : one.name)))
  for (const [index, resource] of given.resources.entries()) {
    const own = new Findings()
    tableFindings.set(resource.name, own)
    const lineOf = (...path: ValuePath) => placeOf(['resources', index, 'schema', ...path])?.line
    if (!isOfBoundaries(resource)) tellUnknownTargets(resource, names, { file, lineOf }, own)
    const placeOfTable = (path: string | undefined) => {
      const place = placeOfPath(placeOf, index, Math.max(0, resource.paths.indexOf(path ?? '')))
      const { line = 1, column } = place ?? {}
      return { file, line, column: column === undefined ? `resource ${resource.name}` : `column ${column}` }
    }
    if (isOfBoundaries(resource)) {
      const bounded = new Set(boundaries.map(({ list }) => list))
      const free = names.difference(bounded)
      const read = await faultsOr(resource, placeOfTable, () => readBoundaries(resource, free, located.files.find))
      if (read instanceof Faults) unread.push({ resource: resource.name, faults: read })
      else boundaries.push({ ...read, resource })
      continue
    }
    const read = await faultsOr(resource, placeOfTable, () => readTable(resource, located.files, own))
    if (read instanceof Faults) unread.push({ resource: resource.name, faults: read })
    else tables.set(resource.name, read)
  }
  const { descriptor, named } = withNames(given, tables)
  if (![...named.values()].every(({ resource, header }) => isComplete(resource, header)))
    for (const [name, read] of named) {
      const place = () => ({ file: read.table.file, line: 1, column: 'all' })
      const profiled = await faultsOr(read.resource, place, () => withProfile(read, sampledRows))
      if (!(profiled instanceof Faults)) named.set(name, profiled)
      else {
        named.delete(name)
        unread.push({ resource: name, faults: profiled })
      }
    }
  return {
    location: located.name,
    descriptor,
    tables: named,
    unread,
    boundaries,
    findings,
    tableFindings,
  }
}

/** References to lists that the package does not have. */
function tellUnknownTargets(
  { schema, name }: Resource,
  names: ReadonlySet<string>,
  { file, lineOf }: { readonly file: string; readonly lineOf: (...path: ValuePath) => number | undefined },
  findings: Findings,
): void {
  for (const [at, { fields, reference }] of (schema?.foreignKeys ?? []).entries()) {
    if (reference.package !== undefined || reference.resource === '' || names.has(reference.resource)) continue
    const column = fields.join(', ')
    findings.add('reference-to-no-list', 'foreignKeys refer to a list that is not in the package, and are not obeyed', {
      file,
      // A schema may stand in a file of its own.
      line: lineOf('foreignKeys', at) ?? lineOf() ?? 1,
      column,
      value: reference.resource,
      says: `${column} of ${name} to ${reference.resource}`,
    })
  }
}

async function descriptorOf(
  located: Located,
  findings: Findings,
): Promise<Pick<DescribedPackage, 'descriptor' | 'placeOf'>> {
  if (located.descriptor === undefined) return { descriptor: await bareDescriptor(located), placeOf: () => undefined }
  const faults = new Faults()
  const { file, bytes } = await smallFile(located.files, located.descriptor, MAX_DESCRIPTOR)
  const { value, placeOf } = await parseDescriptorText(file, bytes, faults)
  faults.throwIfAny()
  const { fallbackName } = located.files
  const descriptor = parseDescriptor(value, { file, fallbackName, faults, findings, placeOf })
  faults.throwIfAny()
  if (descriptor === undefined) throw new OperationalError(`${file} is no descriptor of a package`)
  const resources: Resource[] = []
  for (const resource of descriptor.resources) resources.push(await withSchema(resource, located.files, findings))
  return { descriptor: { ...descriptor, resources }, placeOf }
}

/** Reads the schema of a resource that has it in a file of its own; without it the values tell what they are. */
async function withSchema(resource: Resource, files: PackageFiles, findings: Findings): Promise<Resource> {
  const { schemaPath } = resource
  if (schemaPath === undefined) return resource
  try {
    const { file, bytes } = await smallFile(files, schemaPath, MAX_DESCRIPTOR)
    const faults = new Faults()
    const { value, placeOf } = await parseDescriptorText(file, bytes, faults)
    faults.throwIfAny()
    const schema = parseSchema(value, { file, fallbackName: resource.name, faults, findings, placeOf })
    if (schema !== undefined) return { ...resource, schema }
    findings.add('schema-not-read', NO_SCHEMA, { file, says: 'no list of fields' })
  } catch (error) {
    if (!(error instanceof OperationalError)) throw error
    findings.add('schema-not-read', NO_SCHEMA, { file: schemaPath, says: error.message.split('\n')[0] as string })
  }
  return resource
}

const NO_SCHEMA = 'a schema in a file of its own cannot be read, and the values tell what they are'

type PlaceOfTable = (path: string | undefined) => SourceLocation & { readonly column: string }

/** What is read of a resource, or why it cannot be read. */
async function faultsOr<T>(
  resource: Resource,
  placeOfTable: PlaceOfTable,
  read: () => Promise<T | Faults>,
): Promise<T | Faults> {
  const faults = new Faults()
  try {
    return await read()
  } catch (error) {
    if (error instanceof UnreadableTable) faults.add(error.fault)
    else if (error instanceof MissingFile)
      faults.add({ ...placeOfTable(error.path), value: error.path, expected: error.expected })
    else if (error instanceof UnusableZip)
      faults.add({
        file: error.path,
        line: 1,
        column: `resource ${resource.name}`,
        value: resource.paths[0],
        expected: `a spreadsheet: ${error.what}`,
      })
    else if (error instanceof OperationalError)
      faults.add({ ...placeOfTable(resource.paths[0]), value: resource.paths[0], expected: error.message })
    else throw error
    return faults
  }
}

async function readTable(resource: Resource, files: PackageFiles, findings: Findings): Promise<ReadTable | Faults> {
  const faults = new Faults()
  const table = await openTable(resource, files, findings)
  const { header, headerLine, isBelowTitle } = table
  checkKey(resource, table, header, faults)
  if (faults.any) return faults
  const named = withHeaderNames(resource, table, header, findings)
  const dialect = isBelowTitle ? { dialect: { ...named.dialect, headerRows: [headerLine] } } : {}
  return { resource: { ...named, ...dialect }, table, header }
}

async function withProfile(read: ReadTable, maxRows: number | undefined): Promise<ReadTable> {
  const { resource, table } = read
  const { schema } = resource
  const missing = new Map(schema?.fields.map(({ name, missingValues }) => [name, missingValues]))
  const options = {
    missingIn: (column: string) => missing.get(column) ?? schema?.missingValues ?? [],
    ...(maxRows === undefined ? {} : { maxRows }),
  }
  const profile = await profileTable(table.header, table.rows(), options)
  const columns = profile.columns.filter(({ name, empty, rows }) => !(isLeftover(name) && empty === rows))
  return { ...read, header: columns.map(({ name }) => name), profile: { ...profile, columns } }
}

/** A key that is declared and no column is a fault, since nothing else may stand for it. */
function checkKey(resource: Resource, table: Table, header: readonly string[], faults: Faults): void {
  const { schema } = resource
  if (schema?.primaryKey === undefined) return
  const { schema: named } = withHeaderNames(resource, table, header, new Findings())
  for (const [index, column] of (named?.primaryKey ?? []).entries()) {
    if (header.includes(column)) continue
    const expected = `a column of this name, because it is declared as primaryKey; the file has ${header.slice(0, MAX_SHOWN).join(', ')}`
    faults.add({ file: table.file, line: 1, column: schema.primaryKey[index] ?? column, value: undefined, expected })
  }
}

const MAX_SHOWN = 20

/** The descriptor with the resources that could be read, their fields and references named as the columns are. */
function withNames(
  given: Descriptor,
  tables: ReadonlyMap<string, ReadTable>,
): { readonly descriptor: Descriptor; readonly named: Map<string, ReadTable> } {
  const read = given.resources.flatMap(({ name }) => tables.get(name)?.resource ?? [])
  const headers = new Map([...tables].map(([name, { header }]) => [name, header]))
  const declared = new Map<string, readonly TableField[]>(
    given.resources.map(({ name, schema }) => [name, schema?.fields ?? []]),
  )
  const resources = withReferredNames(read, headers, declared)
  const named = new Map(
    resources.map((resource) => [resource.name, { ...(tables.get(resource.name) as ReadTable), resource }]),
  )
  return { descriptor: { ...given, resources }, named }
}
