// What the compiler has to know of a catalog, and which filters, orders and fields follow from it.

/** A collection, as far as the compiler has to know it. `nomenclator types` prints these for a catalog of one's own. */
export type CollectionShape = {
  /** A record with its embedded records in full. */
  readonly record: object
  /** What may be known of a record besides; null where it is not. */
  readonly facts: object
  /** The fields that identify a record; an embedded record stands for its identifier. */
  readonly key: object
  /** The paths of codes, which can be filtered by their beginning. */
  readonly codes: string
  /** The collection under whose records these are numbered; never where they have an identifier of their own. */
  readonly owner: string
  /** The collections of its descendants. */
  readonly below: string
  /** Whether API v1 has it. */
  readonly v1: boolean
}

export type CatalogShape = { readonly [collection: string]: CollectionShape }

// Paths through a record, and the values at them.

/** Every path, such as `idEstado.cveEstado`; an embedded record has one too. */
type PathsOf<R> = {
  [N in keyof R & string]: R[N] extends object ? N | `${N}.${PathsOf<R[N]>}` : N
}[keyof R & string]
/** An embedded record is filtered by its identifier. */
type ValueAt<R, P> = P extends keyof R
  ? R[P] extends object
    ? number
    : NonNullable<R[P]>
  : P extends `${infer N}.${infer Rest}`
    ? N extends keyof R
      ? ValueAt<R[N], Rest>
      : never
    : never
type Everything<S extends CollectionShape> = S['record'] & S['facts']
type NumbersOf<F> = { [N in keyof F & string]: NonNullable<F[N]> extends number ? N : never }[keyof F & string]

/** What `fields` and `sort` take. */
export type FieldPath<S extends CollectionShape> = PathsOf<S['record']> | (keyof S['facts'] & string)

type OneOrMore<V> = V | readonly V[]

/** The filters of a list: of several values of one, any may match; different ones must all match. */
export type Filters<S extends CollectionShape> = {
  readonly [P in FieldPath<S>]?: OneOrMore<ValueAt<Everything<S>, P>>
} & { readonly [P in S['codes'] as `${P}_prefix`]?: OneOrMore<string> } & {
  readonly [N in NumbersOf<S['facts']> as `${N}_min` | `${N}_max`]?: number
}

// What a query selects, and the type of what it gives.

type WholeValue<V, E> = V extends object ? (E extends 'id' ? number : V) : V
type WholeRecord<R, E> = E extends 'id' ? { readonly [N in keyof R]: WholeValue<R[N], E> } : R
type FirstStep<P> = P extends `${infer N}.${string}` ? N : P
type Rest<P, N extends string> = P extends `${N}.${infer Q}` ? Q : never
/** Only the values at these paths. */
type Picked<R, P extends string, E> = {
  readonly [N in keyof R & string as N extends FirstStep<P> ? N : never]: N extends P
    ? WholeValue<R[N], E>
    : Picked<R[N], Rest<P, N>, E>
}

export type Embed = 'full' | 'id'

/** The records of a query: those of its fields, or else all that is published, with facts if it wants them. */
export type Selected<S extends CollectionShape, F extends string, X extends boolean, E extends Embed> = [F] extends [
  never,
]
  ? X extends true
    ? WholeRecord<S['record'], E> & S['facts']
    : WholeRecord<S['record'], E>
  : Picked<Everything<S>, F, E>

/** How `get` names a record: by its identifier, or by an object that has its key, such as a record. */
export type IdOf<S extends CollectionShape> = [S['owner']] extends [never] ? number | S['key'] : S['key']

/** How `byCode` names a record: by its code, or by the code or identifier of its owner and its own. */
export type CodeOf<S extends CollectionShape> = [S['owner']] extends [never] ? string : readonly [string, string]
