// The interface of a format of records: its media types, and how it encodes records out of the JSON in which they are published.
import type { Entity } from '../../catalog/entity.ts'
import type { OpenEntity, Release } from '../../release/release.ts'
import type { About } from './about.ts'
import type { Selection } from './selection.ts'

/** The fields to write of each record, and what else a format depends on. */
export type RecordOptions = Selection & {
  /** If true, a text begins with a byte order mark, without which Excel does not read it as UTF-8. */
  readonly forExcel?: boolean
  /** The detail of shapes; undefined for formats without. */
  readonly geometry?: Geometry | undefined
}

export type RecordFormat = {
  /** The name that people know it by; without one, only programs are offered it. */
  readonly title?: string
  /** Completes "with" and its name: what a response then has. */
  readonly description?: string
  /** Parameters of a download that is to be opened at once by whoever chose it by its title. */
  readonly downloadParameters?: readonly (readonly [name: string, value: string])[]
  /** Microseconds of a whole body, and of each kilobyte of the JSON that it is made of, besides those of copying it. */
  readonly cost?: { readonly fixed?: number; readonly perKilobyte: number }
  /** The media types that a client may name it by; responses have the first. */
  readonly mediaTypes: readonly [string, ...string[]]
  /** The parameters of the media type, as they stand in a header after it. */
  readonly parameters?: string
  /** If true, the columns are in the order in which fields are selected; else in that of the definition. */
  readonly hasColumns: boolean
  /** True if the format compresses by itself, so that a content coding would save nothing. */
  readonly isCompressed?: true
  /** True if the file names the origin of the records: another release with the same records is then another file. */
  readonly saysAbout?: true
  /** The end of the names of its files, where that is not its own name. */
  readonly extension?: string
  /** The greatest number of records that it can hold, if there is one. */
  readonly maxRecords?: number
  /** The greatest number of records that a list has without pages, where the request names none; records then stand in the order of their names. */
  readonly wholeUpTo?: number
  /** Reads something else than its JSON out of a record: what the encoder is then given. */
  readonly reader?: RecordReader
  /** An encoder for the records of one body. */
  readonly encoder: (entity: Entity, encoding: RecordOptions, about: About) => RecordEncoder
}

/** The detail of shapes: all corners, as many as a screen shows, or no geometry. */
export const GEOMETRIES = ['full', 'screen', 'none'] as const
export type Geometry = (typeof GEOMETRIES)[number]

type RecordReader = (
  release: Release,
  entity: OpenEntity,
  options: RecordOptions,
  ownMembers?: (position: number) => object,
) => (json: Uint8Array, position: number) => Uint8Array

export type RecordEncoder = {
  /** The bytes before the first record. */
  readonly head: Uint8Array
  /** Some records and what separates them, in chunks. */
  readonly records: (jsons: readonly Uint8Array[]) => readonly Uint8Array[]
  /** The bytes between these records and further ones. */
  readonly gap: Uint8Array
  /** The bytes after the last record, or after the head where there is none. */
  readonly tail: () => Uint8Array
}

export const NO_BYTES = new Uint8Array()
