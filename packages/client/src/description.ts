// The description that a server gives of its release and collections, as far as the client reads it.
import type { FormOf } from './json.ts'

const FIELD = {
  ...{ path: 'string', type: 'string', fact: 'boolean|undefined', role: 'string|undefined' },
  /** The names of fields, if they are not those between the dots of the path. */
  steps: 'list|undefined',
} as const

const COLLECTION = {
  ...{ name: 'string', record: 'string', key: ['string'], keyPaths: ['string'], code: ['string'], filters: ['string'] },
  /** The official codes of a record, the usual one first. */
  codes: [{ name: 'string' }],
  fields: [FIELD],
  /** The codes that are no fields. They stand at the end of a record, and embedded records do not have them. */
  derived: [FIELD],
  /** The lists around a record, if its collection is a tree. */
  tree: 'object|undefined',
} as const

export const DESCRIPTION = { release: { digest: 'string', built: 'string' }, collections: [COLLECTION] } as const

export type CollectionDescription = FormOf<typeof COLLECTION>
export type Description = FormOf<typeof DESCRIPTION>
