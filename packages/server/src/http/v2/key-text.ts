// The key of a record as text, in a path and in queries: parsed and written.

import { KEY_SEPARATOR } from '../../base/api-v2.ts'
import type { Entity } from '../../catalog/entity.ts'
import { keyPathsOf } from '../../catalog/paths.ts'

/** A segment of a path: as it was sent, which decides if it is a word of the API, and decoded. */
export type Segment = { readonly sent: string; readonly text: string }

/** A record as a path names it. */
export type NameInPath = {
  /** Its identifier or its official code, as one text. */
  readonly name: string
  /** The values of its key; undefined if their number is another. */
  readonly key: readonly string[] | undefined
}

/** What a name may be, where it could be both. */
export const RECORD_NAMED_BY = ['id', 'code'] as const
export type NamedBy = (typeof RECORD_NAMED_BY)[number]

/** A key of several values is taken apart before it is decoded. */
export function nameIn(entity: Entity, { sent, text }: Segment): NameInPath {
  if (keyPathsOf(entity).length === 1) return { name: text, key: [text] }
  return { name: text, key: partsOf(entity, sent.split(KEY_SEPARATOR).map(percentDecoded)) }
}

/** The values of a key that is written as in a path; undefined if their number is another. */
export const keyNamed = (entity: Entity, text: string): readonly string[] | undefined =>
  keyPathsOf(entity).length === 1 ? [text] : partsOf(entity, text.split(KEY_SEPARATOR).map(percentDecoded))

function partsOf(entity: Entity, parts: readonly (string | undefined)[]): readonly string[] | undefined {
  const known = parts.filter((part) => part !== undefined)
  return known.length === parts.length && parts.length === keyPathsOf(entity).length ? known : undefined
}

/** The decoded text; undefined if it is not UTF-8, percent-encoded. */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
