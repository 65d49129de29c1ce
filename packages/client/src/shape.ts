// The shape of a catalog for the compiler, and the types of filters, orders and fields that follow from it.

/** The shape of a collection for the compiler. `nomenclator types` prints the shapes of a catalog of one's own. */
export type CollectionShape = {
  /** A record with its embedded records in full. */
  readonly record: object
  /** Values that a record may lack, such as a population; null if it does. */
  readonly facts: object
  /** Official codes that are composed of others; null if a record has none. Embedded records do not have them. */
  readonly derived?: object
  /** The fields that identify a record; an embedded record stands for its identifier. */
  readonly key: object
  /** The paths of codes, which can be filtered by their beginning. */
  readonly codes: string
  /** The collection under whose records these are numbered; absent where they have an identifier of their own. */
  readonly owner?: string
  /** The collections of its descendants. */
  readonly below?: string
  /** True if API v1 has the collection. */
  readonly v1?: boolean
  /** The paths of values that are numbers or dates, which can be filtered by bounds. */
  readonly bounded?: string
  /** The keys of embedded records, by their paths; a number if a path is not given. */
  readonly references?: object
  /** True if the records are a tree. */
  readonly tree?: true
  /** The languages of names. */
  readonly languages?: string
}

export type CatalogShape = { readonly [collection: string]: CollectionShape }

// Paths through a record, and the values at them.

/** True for an embedded record, and no list. */
type IsRecord<V> = NonNullable<V> extends readonly unknown[] ? false : NonNullable<V> extends object ? true : false

/** Every path, such as `idEstado.cveEstado`; an embedded record has one too. */
type PathsOf<R> = {
  [N in keyof R & string]: IsRecord<R[N]> extends true ? N | `${N}.${PathsOf<NonNullable<R[N]>>}` : N
}[keyof R & string]

/** The key by which other records refer to the one at a path. */
type ReferenceAt<S, P> = S extends { readonly references: { readonly [M in P & string]: infer K } } ? K : number

/** An embedded record is filtered by its key, and a list by what it contains. */
type FilterValue<S extends CollectionShape, P> =
  ValueAt<Everything<S>, P> extends infer V
    ? V extends readonly unknown[]
      ? string | number | boolean
      : V extends object
        ? KeyText<ReferenceAt<S, P>>
        : V
    : never
/** A key of several values is one text, with commas between them. */
type KeyText<V> = V extends readonly unknown[] ? string : V

type ValueAt<R, P> = P extends keyof R
  ? NonNullable<R[P]>
  : P extends `${infer N extends keyof R & string}.${infer Rest}`
    ? ValueAt<NonNullable<R[N]>, Rest>
    : never
type Derived<S extends CollectionShape> = S extends { readonly derived: infer D } ? D : unknown
type Everything<S extends CollectionShape> = S['record'] & S['facts'] & Derived<S>
type NumbersOf<F> = { [N in keyof F & string]: NonNullable<F[N]> extends number ? N : never }[keyof F & string]

/** The paths that `fields` and `sort` take. */
export type FieldPath<S extends CollectionShape> = PathsOf<S['record']> | (keyof (S['facts'] & Derived<S>) & string)

type OneOrMore<V> = V | readonly V[]

/** The filters of a list: of several values of one, any may match; different ones must all match. */
export type Filters<S extends CollectionShape> = {
  readonly [P in FieldPath<S>]?: OneOrMore<FilterValue<S, P>>
} & { readonly [P in S['codes'] as `${P}_prefix`]?: OneOrMore<string> } & {
  readonly [N in NumbersOf<S['facts']> as `${N}_min` | `${N}_max`]?: number
} & { readonly [P in Bounded<S> as `${P}_min` | `${P}_max`]?: FilterValue<S, P> }

type Bounded<S extends CollectionShape> = S extends { readonly bounded: infer P extends string } ? P : never

// The selection of a query, and the type of its records.

/** With embed=id, the key of an embedded record in place of it. */
type WholeValue<S extends CollectionShape, P, V, E> = E extends 'id'
  ? IsRecord<V> extends true
    ? ReferenceAt<S, P> | Extract<V, null>
    : V
  : V
type WholeRecord<S extends CollectionShape, E> = E extends 'id'
  ? { readonly [N in keyof S['record']]: WholeValue<S, N, S['record'][N], E> }
  : S['record']
type FirstStep<P> = P extends `${infer N}.${string}` ? N : P
type Rest<P, N extends string> = P extends `${N}.${infer Q}` ? Q : never
/** Only the values at these paths; null for a part of a record that may be missing. */
type Picked<S extends CollectionShape, R, P extends string, E, Before extends string = ''> = {
  readonly [N in keyof R & string as N extends FirstStep<P> ? N : never]: N extends P
    ? WholeValue<S, `${Before}${N}`, R[N], E>
    : Picked<S, NonNullable<R[N]>, Rest<P, N>, E, `${Before}${N}.`> | Extract<R[N], null>
}

export type Embed = 'full' | 'id'

/** A record of a query: its fields, or else all that is published, with facts if the query has them. */
export type Selected<S extends CollectionShape, F extends string, X extends boolean, E extends Embed> = [F] extends [
  never,
]
  ? X extends true
    ? WholeRecord<S, E> & Derived<S> & S['facts']
    : WholeRecord<S, E> & Derived<S>
  : Picked<S, Everything<S>, F, E>

/** The value of a key that has one field; never of one that has several. */
export type OnlyKey<K, N extends keyof K = keyof K> = N extends unknown ? ([keyof K] extends [N] ? K[N] : never) : never

export type OwnerOf<S> = S extends { readonly owner: infer O } ? O : never

/** The name of a record for `get`: its identifier, or an object that has its key, such as a record. */
export type IdOf<S extends CollectionShape> = [OwnerOf<S>] extends [never]
  ? OnlyKey<S['key']> | S['key'] | S['record']
  : S['key']

/** The name of a record for `byCode`: its whole code, or the code or identifier of its owner and its own. */
export type CodeOf<S extends CollectionShape> = [OwnerOf<S>] extends [never]
  ? string
  : string | readonly [string, string]
