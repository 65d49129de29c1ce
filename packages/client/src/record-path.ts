// The values of a record: those at dotted paths, and its key.
import type { CollectionDescription } from './connect.ts'

type Described = Pick<CollectionDescription, 'fields' | 'derived'>

/** The value at a path, whose description has the names of fields if they are not those between the dots. */
export function valueAt({ fields, derived }: Described, record: object, path: string): unknown {
  const steps = [...fields, ...derived].find((field) => field.path === path)?.steps ?? path.split('.')
  return steps.reduce<unknown>((value, step) => (value as Record<string, unknown> | null | undefined)?.[step], record)
}

/** The values of the key of a record, as texts. */
export const keyValues = (collection: CollectionDescription, record: object): string[] =>
  collection.keyPaths.map((path) => String(valueAt(collection, record, path)))
