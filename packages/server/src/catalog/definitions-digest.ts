// The digest of definitions, and the form of JSON in which what is equal is the same text.
import type { EntityData } from './catalog.ts'

/** The order of the fields is part of a definition; that of other keys is not. */
export function definitionsDigest(definitions: readonly EntityData[]): string {
  const data = definitions.map((definition) => ({ ...definition, fields: Object.entries(definition.fields) }))
  return new Bun.CryptoHasher('sha256').update(canonicalJson(data)).digest('hex')
}

/** JSON with the keys of every object in order. */
export const canonicalJson = (value: unknown): string => JSON.stringify(sorted(value))

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [key, sorted(inner)])
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
