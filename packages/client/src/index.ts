// The package entry nomenclator-client: all that it offers, and nothing else.
export type {
  Area,
  Audiencia,
  Campo,
  Collections as BuiltIn,
  Disciplina,
  Estado,
  Localidad,
  Municipio,
  Pais,
  Subdisciplina,
} from './built-in-types.ts'
export type {
  Catalogs,
  Change,
  Changes,
  Collection,
  ConnectOptions,
  DownloadFormat,
  List,
  Page,
  Point,
  RecordRef,
  ReleaseSummary,
  Resolved,
  Row,
  SearchQuery,
  Suggestion,
  Walk,
} from './catalogs.ts'
export { connect } from './connect.ts'
export { type CatalogsV1, type CollectionV1, connectV1 } from './connect-v1.ts'
export {
  BadRequest,
  ConnectionFailed,
  DigestMismatch,
  NomenclatorError,
  NotFound,
  type Problem,
  ReleaseGone,
  ResponseError,
  TimedOut,
  TooManyRequests,
  Unavailable,
} from './errors.ts'
export { offline, sync } from './local-copies.ts'
export type { CatalogShape, CodeOf, CollectionShape, Embed, FieldPath, Filters, IdOf, Selected } from './shape.ts'
export type { Head, MapCopy, Snapshot, Store, SyncOptions, SyncReport } from './store.ts'
export type { Cache, CachedResponse } from './transport.ts'
