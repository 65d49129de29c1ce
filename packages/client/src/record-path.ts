// The value at a dotted path of a record.

export function valueAt(record: object, path: string): unknown {
  let value: unknown = record
  for (const step of path.split('.')) value = (value as Record<string, unknown> | null | undefined)?.[step]
  return value
}
