// Reads records: the value at a dotted path, and the key.
import type { CollectionDescription } from './description.ts'

type Described = Pick<CollectionDescription, 'fields' | 'derived'>

/** The value at a path; its description has the names of the fields if they are not those between the dots. */
export function valueAt({ fields, derived }: Described, record: object, path: string): unknown {
  const isAtPath = (field: { readonly path: string }) => field.path === path
  const steps = (fields.find(isAtPath) ?? derived.find(isAtPath))?.steps ?? path.split('.')
  return steps.reduce<unknown>((value, step) => Object.getOwnPropertyDescriptor(value ?? {}, `${step}`)?.value, record)
}

/** The values of the key of a record, as texts. */
export const keyValues = (collection: CollectionDescription, record: object): string[] =>
  collection.keyPaths.map((path) => String(valueAt(collection, record, path)))

/** The key of a record as one text, which no other record of the collection has. */
export const keyOf = (list: CollectionDescription, record: object) => JSON.stringify(keyValues(list, record))
