// The types of the catalogs that `connect` returns.
import type { Collections as BuiltIn } from './built-in-types.ts'
import type { DownloadFormat } from './download-format.ts'
import type {
  CatalogShape,
  CodeOf,
  CollectionShape,
  Embed,
  FieldPath,
  Filters,
  IdOf,
  OnlyKey,
  OwnerOf,
  Selected,
} from './shape.ts'
import type { Options } from './transport.ts'

export type ConnectOptions = Options & {
  /** The digest of a release to read instead of the current one. */
  readonly release?: string
}

type Abortable = { readonly signal?: AbortSignal }
/** The parameters of a request that may name a release. */
type InRelease = Abortable & { readonly release?: string }
/** Records with the digest of the release that they are from. */
type Released<T> = readonly T[] & { readonly release: string }

type Selection<F extends string, X extends boolean, E extends Embed> = InRelease & {
  /** Only the values at these paths. */
  readonly fields?: readonly F[]
  /** True for the facts too. */
  readonly facts?: X
  /** `id` for embedded records by their identifiers. */
  readonly embed?: E
  /** Only the names in this language, if there are several; `all` for all of them. */
  readonly lang?: string
}

type Order<S extends CollectionShape> = FieldPath<S> | `-${FieldPath<S>}`

type ListQuery<S extends CollectionShape, F extends string, X extends boolean, E extends Embed> = Filters<S> &
  Selection<F, X, E> & {
    /** Words to search for. */
    readonly q?: string
    /** Paths to sort by, with a minus for descending. */
    readonly sort?: Order<S> | readonly Order<S>[]
    readonly perPage?: number
  } & InTree<S>

/** The part of a tree that records are in. */
type InTree<S extends CollectionShape> = S extends { readonly tree: true }
  ? {
      /** Only descendants of the record with this key. */
      readonly within?: string | number
      /** True for records without a parent only. */
      readonly root?: boolean
    }
  : unknown

/** Records, with their place in the list that they are from. */
export type Page<T> = Released<T> & {
  readonly page: number
  readonly perPage: number
  readonly total: number
  readonly totalPages: number
}

/** All records of a query, fetched while they are read, all from one release. */
export type Walk<T> = AsyncIterable<T> & {
  /** All records in pages, each with the total and the release. */
  pages(): AsyncIterable<Page<T>>
  toArray(): Promise<Released<T> & { readonly total: number }>
}

export type Point = { readonly latitud: number | null; readonly longitud: number | null }

type NearList<S extends CollectionShape> = {
  /** The nearest to a point first, each with its distance in metres; with `sort`, the nearest in that order. */
  near<F extends FieldPath<S> = never, X extends boolean = false, E extends Embed = 'full'>(
    point: Point,
    query?: ListQuery<S, F, X, E> & { readonly withinKm?: number },
  ): Walk<Selected<S, F, X, E> & { readonly distancia: number }>
}

/** A collection, or the descendants of a record in one. */
export type List<S extends CollectionShape> = {
  all<F extends FieldPath<S> = never, X extends boolean = false, E extends Embed = 'full'>(
    query?: ListQuery<S, F, X, E>,
  ): Walk<Selected<S, F, X, E>>
  page<F extends FieldPath<S> = never, X extends boolean = false, E extends Embed = 'full'>(
    query?: ListQuery<S, F, X, E> & { readonly page?: number },
  ): Promise<Page<Selected<S, F, X, E>>>
  /** The address of a file with all records: for a link on a page, or to be saved as it is. */
  downloadUrl<F extends FieldPath<S> = never, X extends boolean = false, E extends Embed = 'full'>(
    format: DownloadFormat,
    query?: Omit<ListQuery<S, F, X, E>, 'perPage' | 'signal'> & {
      /** True for CSV with a byte-order mark, by which Excel knows that it is UTF-8. */
      readonly excel?: boolean
    },
  ): Promise<string>
} & (S['facts'] extends Point ? NearList<S> : unknown)

type BelowOf<S> = S extends { readonly below: infer B } ? B : never

export type Collection<C extends CatalogShape, N extends keyof C> = List<C[N]> & {
  /** The record with an identifier, or with the key in an object: a suggestion's `key`, or a record. */
  get<F extends FieldPath<C[N]> = never, X extends boolean = false, E extends Embed = 'full'>(
    id: IdOf<C[N]>,
    selection?: Selection<F, X, E>,
  ): Promise<Selected<C[N], F, X, E>>
  /** The record with an official code. */
  byCode<F extends FieldPath<C[N]> = never, X extends boolean = false, E extends Embed = 'full'>(
    code: CodeOf<C[N]>,
    selection?: Selection<F, X, E>,
  ): Promise<Selected<C[N], F, X, E>>
  /** The collections of the descendants of a record. */
  children(of: IdOf<C[N]> | { readonly code: string }): { readonly [M in BelowOf<C[N]> & keyof C]: List<C[M]> }
} & (C[N] extends { readonly tree: true } ? TreeCollection<C[N]> : unknown) &
  AnyCollection<C, C[N]['record']> &
  ([OwnerOf<C[N]>] extends [never] ? AnyKeyed<C[N]['record'], OnlyKey<C[N]['key']>> : unknown)

type TreeCollection<S extends CollectionShape> = {
  /** The records around one in their tree; its ancestors begin with the nearest. */
  tree(of: IdOf<S> | { readonly code: string }): { readonly [A in 'children' | 'descendants' | 'ancestors']: List<S> }
}

type FilterNames<C extends CatalogShape> = { [N in keyof C]: keyof Filters<C[N]> }[keyof C] & string
type PlainSelection = InRelease & { readonly [N in 'fields' | 'facts' | 'embed']?: never }
/** A query that all collections take, and no other. */
type PlainQuery<C extends CatalogShape> = PlainSelection & { readonly q?: string; readonly perPage?: number } & {
  readonly [N in FilterNames<C> | 'sort']?: never
}

/** The calls that all collections take alike, so that a program can read one whose name the compiler does not know. */
type AnyCollection<C extends CatalogShape, R> = {
  all(query?: PlainQuery<C>): Walk<R>
  page(query?: PlainQuery<C> & { readonly page?: number }): Promise<Page<R>>
}
/** The calls that all collections take alike whose records have an identifier of their own. */
type AnyKeyed<R, K> = {
  get(id: K, selection?: PlainSelection): Promise<R>
  byCode(code: string, selection?: PlainSelection): Promise<R>
}

export type RecordRef<C extends CatalogShape, N extends keyof C = keyof C> = {
  [M in N]: { readonly collection: M; readonly key: C[M]['key'] }
}[N]

type Coded = {
  /** The official code of a record; null if it has none. */
  readonly code: string | null
}
type Named = Coded & {
  readonly url: string
  readonly name: string
  /** The names of its ancestors, the nearest first. */
  readonly breadcrumb: readonly string[]
  /** How good the match is, from 0 to 1. */
  readonly score: number
  readonly how: readonly string[]
}

type Candidate<C extends CatalogShape> = RecordRef<C> & Named & { readonly parents: readonly (RecordRef<C> & Coded)[] }

export type Suggestion<C extends CatalogShape> = Candidate<C> & {
  readonly dropped: readonly string[]
  readonly matches: readonly {
    readonly field: string
    readonly ranges: readonly (readonly [number, number])[]
    readonly alias?: string
    readonly reason?: string
    readonly collection?: string
  }[]
  readonly distancia?: number
}

export type SearchQuery<C extends CatalogShape> = InRelease & {
  readonly in?: (keyof C & string) | readonly (keyof C & string)[]
  /** Only descendants of this record, such as `estados:JAL`. */
  readonly within?: `${keyof C & string}:${string}`
  readonly by?: 'id' | 'code'
  readonly limit?: number
  readonly near?: Point
  readonly withinKm?: number
  /** The language that names are shown in. */
  readonly lang?: string
}

/** Free text, or parts such as `estado` and `municipio`. */
export type Row = string | Readonly<Record<string, string | number | null>>

type Unresolved = { readonly [N in 'collection' | 'key' | 'url' | 'name']: null } & Omit<Named, 'url' | 'name'> & {
    readonly parents: readonly []
  }

export type Resolved<C extends CatalogShape> = {
  /** The number of the row, from 1. */
  readonly row: number
  readonly alternatives: readonly Candidate<C>[]
} & (
  | ({ readonly verdict: 'exact' | 'sure' | 'likely' } & Candidate<C>)
  | ({ readonly verdict: 'ambiguous' | 'none' } & (Candidate<C> | Unresolved))
)

/** A record with its facts if either release knows any. */
type ChangedRecord<S extends CollectionShape, E extends Embed> = Selected<S, never, false, E> & Partial<S['facts']>

export type Change<C extends CatalogShape, E extends Embed = 'full'> = {
  [N in keyof C]: RecordRef<C, N> &
    (
      | { readonly change: 'added'; readonly new: ChangedRecord<C[N], E> }
      | { readonly change: 'removed'; readonly old: ChangedRecord<C[N], E> }
      | {
          readonly change: 'changed'
          /** The paths of the values that differ. */
          readonly fields: readonly FieldPath<C[N]>[]
          readonly old: ChangedRecord<C[N], E>
          readonly new: ChangedRecord<C[N], E>
        }
    )
}[keyof C]

export type Changes<C extends CatalogShape, E extends Embed = 'full'> = readonly Change<C, E>[] & {
  readonly from: string
  readonly to: string
}

export type ReleaseSummary = {
  readonly digest: string
  readonly built: string
  readonly current: boolean
  readonly source: string
  readonly synthetic: boolean
  readonly counts: Readonly<Record<string, number>>
  readonly bytes: number
  readonly url: string
}

type InCollections<C extends CatalogShape> = { readonly in?: readonly (keyof C & string)[] }

export type Catalogs<C extends CatalogShape = BuiltIn> = { readonly [N in keyof C]: Collection<C, N> } & {
  /** Suggestions from all collections, the best first. */
  search(words: string, query?: SearchQuery<C>): Promise<Released<Suggestion<C>>>
  /** The records that the rows of a table mean, and how sure that is. */
  resolve(rows: readonly Row[], query?: InRelease & InCollections<C>): Promise<Released<Resolved<C>>>
  /** The changes since a release, given by its digest. */
  changes<E extends Embed = 'full'>(
    since: string,
    query?: Abortable & InCollections<C> & { readonly to?: string; readonly embed?: E },
  ): Promise<Changes<C, E>>
  /** The releases that can be read, newest first. */
  releases(query?: Abortable): Promise<readonly ReleaseSummary[]>
}
