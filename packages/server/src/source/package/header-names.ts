// The schema of a resource under the names that the columns of its table have.
import type { Findings } from '../findings.ts'
import type { Resource, TableField, TableSchema } from './descriptor.ts'
import { folded } from './read/header.ts'
import type { Table } from './read/rows.ts'

/** True for a column without a name, of which spreadsheets leave some at the right of a table. */
export const isLeftover = (column: string): boolean => /^column [0-9]+$/.test(column)

/** The resource with the fields of its schema under the names of the columns; those that are no column are reported and left out. */
export function withHeaderNames(
  resource: Resource,
  table: Table,
  header: readonly string[],
  findings: Findings,
): Resource {
  const { schema } = resource
  if (schema === undefined) return resource
  const { file } = table
  const columnOf = columnMatcher(schema.fields, header)
  const fields = schema.fields.flatMap((field): TableField[] => {
    const column = columnOf(field.name)
    if (column === undefined) {
      findings.add('column-missing', 'a field of the schema is no column of the file', {
        file,
        line: 1,
        value: field.name,
      })
      return []
    }
    if (column !== field.name) {
      const description = 'a field of the schema is a column of nearly the same name, which it keeps'
      findings.add('header-differs', description, {
        file,
        line: 1,
        value: column,
        says: `${column}, in the schema ${field.name}`,
      })
    }
    return [{ ...field, name: column }]
  })
  const declared = new Set(fields.map(({ name }) => name))
  for (const column of header)
    if (!declared.has(column) && fields.length > 0 && !isLeftover(column))
      findings.add('column-not-declared', 'a column of the file is no field of the schema', {
        file,
        line: 1,
        value: column,
      })
  return { ...resource, schema: renamed(schema, fields, columnOf) }
}

function columnMatcher(fields: readonly TableField[], header: readonly string[]): (name: string) => string | undefined {
  const taken = new Set(fields.flatMap(({ name }) => (header.includes(name) ? [name] : [])))
  const matches = new Map([...taken].map((name) => [name, name]))
  for (const { name } of fields) {
    if (matches.has(name)) continue
    const alike = header.filter((column) => !taken.has(column) && folded(column) === folded(name))
    if (alike.length !== 1) continue
    matches.set(name, alike[0] as string)
    taken.add(alike[0] as string)
  }
  return (name) => matches.get(name) ?? (header.includes(name) ? name : undefined)
}

/** A key whose columns are not there stays as it is declared, so that it is refused by name. */
function renamed(
  schema: TableSchema,
  fields: readonly TableField[],
  columnOf: (name: string) => string | undefined,
): TableSchema {
  const rename = (names: readonly string[]) => names.map((name) => columnOf(name) ?? name)
  return {
    ...schema,
    fields,
    ...(schema.primaryKey === undefined ? {} : { primaryKey: rename(schema.primaryKey) }),
    ...(schema.foreignKeys === undefined
      ? {}
      : { foreignKeys: schema.foreignKeys.map((key) => ({ ...key, fields: rename(key.fields) })) }),
  }
}

/** References of other tables under the names that the columns of this one have. */
export function withReferredNames(
  resources: readonly Resource[],
  headers: ReadonlyMap<string, readonly string[]>,
  declared: ReadonlyMap<string, readonly TableField[]>,
): readonly Resource[] {
  const columnOf = (resource: string, name: string): string => {
    const header = headers.get(resource)
    return header === undefined ? name : (columnMatcher(declared.get(resource) ?? [], header)(name) ?? name)
  }
  return resources.map((resource) => {
    const { schema } = resource
    if (schema?.foreignKeys === undefined) return resource
    const foreignKeys = schema.foreignKeys.map(({ fields, reference }) => {
      const target = reference.resource === '' ? resource.name : reference.resource
      if (reference.package !== undefined) return { fields, reference }
      return { fields, reference: { ...reference, fields: reference.fields.map((name) => columnOf(target, name)) } }
    })
    return { ...resource, schema: { ...schema, foreignKeys } }
  })
}
