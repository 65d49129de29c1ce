// Reads the descriptor of a package and the beginning of each of its tables: all that is needed to tell what they are.
import { OperationalError } from '../../base/operational-error.ts'
import { Faults, type SourceLocation } from '../faults.ts'
import { Findings } from '../findings.ts'
import { UnusableZip } from '../unusable-zip.ts'
import type { Descriptor, Resource, TableField, TableSample } from './descriptor.ts'
import { MAX_DESCRIPTOR, type PlaceOf, parseDescriptorText } from './descriptor-text.ts'
import { bareDescriptor, type Located, smallFile } from './locate.ts'
import { MissingFile, type PackageFiles } from './package-files.ts'
import { parseDescriptor, parseSchema, placeOfPath } from './parse-descriptor.ts'
import type { ValuePath } from './read/json-syntax.ts'
import type { Table } from './read/rows.ts'
import { UnreadableTable } from './read/unreadable-table.ts'
import { sampleOf, withHeaderNames, withReferredNames } from './sample.ts'
import { openTable } from './table.ts'

/** A resource with its table. */
export type ReadTable = { readonly resource: Resource; readonly table: Table; readonly sample: TableSample }

/** A resource whose table cannot be read, and why. */
type UnreadTable = { readonly resource: string; readonly faults: Faults }

export type PackageTables = {
  /** What the package is called in messages and in what is published. */
  readonly location: string
  /** With the names of fields as they are in the files. */
  readonly descriptor: Descriptor
  readonly tables: ReadonlyMap<string, ReadTable>
  readonly unread: readonly UnreadTable[]
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
  const file = located.descriptor ?? located.name
  const names = new Set(given.resources.map(({ name }) => name))
  for (const [index, resource] of given.resources.entries()) {
    const own = new Findings()
    tableFindings.set(resource.name, own)
    const lineOf = (...path: ValuePath) => placeOf(['resources', index, 'schema', ...path])?.line
    tellUnknownTargets(resource, names, { file, lineOf }, own)
    const placeOfTable = (path: string | undefined) => {
      const place = placeOfPath(placeOf, index, Math.max(0, resource.paths.indexOf(path ?? '')))
      const { line = 1, column } = place ?? {}
      return { file, line, column: column === undefined ? `resource ${resource.name}` : `column ${column}` }
    }
    const read = await readTable(resource, located.files, placeOfTable, own, sampledRows)
    if (read instanceof Faults) unread.push({ resource: resource.name, faults: read })
    else tables.set(resource.name, read)
  }
  const { descriptor, named } = withNames(given, tables)
  return {
    location: located.name,
    descriptor,
    tables: named,
    unread,
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

async function readTable(
  resource: Resource,
  files: PackageFiles,
  placeOfTable: (path: string | undefined) => SourceLocation & { readonly column: string },
  findings: Findings,
  sampledRows: number | undefined,
): Promise<ReadTable | Faults> {
  const faults = new Faults()
  try {
    const table = await openTable(resource, files, findings)
    const sample = await sampleOf(table, sampledRows)
    checkKey(resource, table, sample.header, faults)
    if (faults.any) return faults
    return { resource: withHeaderNames(resource, table, sample.header, findings), table, sample }
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
): { readonly descriptor: Descriptor; readonly named: ReadonlyMap<string, ReadTable> } {
  const read = given.resources.flatMap(({ name }) => tables.get(name)?.resource ?? [])
  const samples = new Map([...tables].map(([name, { sample }]) => [name, sample]))
  const declared = new Map<string, readonly TableField[]>(
    given.resources.map(({ name, schema }) => [name, schema?.fields ?? []]),
  )
  const resources = withReferredNames(read, samples, declared)
  const named = new Map(
    resources.map((resource) => [resource.name, { ...(tables.get(resource.name) as ReadTable), resource }]),
  )
  return { descriptor: { ...given, resources }, named }
}
