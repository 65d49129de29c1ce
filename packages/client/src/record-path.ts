// The value at a dotted path of a record.

export function valueAt(record: object, path: string, steps: readonly string[] = path.split('.')): unknown {
  let value: unknown = record
  for (const step of steps) value = (value as Record<string, unknown> | null | undefined)?.[step]
  return value
}
