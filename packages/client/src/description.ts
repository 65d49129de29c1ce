// The description that a server gives of its release and collections, as far as the client reads it.

type FieldDescription = {
  readonly path: string
  readonly type: string
  readonly fact?: true
  /** The names of fields, if they are not those between the dots of the path. */
  readonly steps?: readonly string[]
  readonly role?: string
}

export type CollectionDescription = {
  readonly name: string
  readonly record: string
  readonly key: readonly string[]
  readonly keyPaths: readonly string[]
  readonly code: readonly string[]
  /** The official codes of a record, the usual one first. */
  readonly codes: readonly { readonly name: string }[]
  readonly fields: readonly FieldDescription[]
  /** The codes that are no fields. They stand at the end of a record, and embedded records do not have them. */
  readonly derived: readonly FieldDescription[]
  readonly filters: readonly string[]
  /** The lists around a record, if its collection is a tree. */
  readonly tree?: Readonly<Record<string, string>>
}

export type Description = {
  readonly release: { readonly digest: string; readonly built: string }
  readonly collections: readonly CollectionDescription[]
}
