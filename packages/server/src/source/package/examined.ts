// What opening a package needs to know, and what it gives.
import type { Fault } from '../faults.ts'
import type { Source } from '../source.ts'
import type { Descriptor, RefusedList } from './descriptor.ts'
import type { PackageFinding } from './field-findings.ts'
import type { Note } from './infer/inference.ts'
import type { OutsideLists } from './known-lists.ts'
import type { PackageInfo } from './package-info.ts'

export type PackageOptions = {
  /** Gives the directory that keeps downloads, once there is one; by default they are removed when the package is closed. */
  readonly downloads?: () => string | undefined
  /** Whether a package may be fetched from this machine and its network. */
  readonly allowsPrivate?: boolean
  /** Another name for the package. */
  readonly name?: string
  /** What the home that the package comes into has besides it; by default no home is looked at. */
  readonly outside?: (packageName: string) => OutsideLists
  readonly onProgress?: (url: string, done: number, size: number | undefined) => void
  /** True if tables are only described, even where they are named like lists that ship with the program. */
  readonly isDescribed?: boolean
  /** How many rows of each table are looked at before it is inferred what its columns are. */
  readonly sampledRows?: number
}

/** A list that is left out, with all that was found out about it. */
export type LeftOut = RefusedList & {
  /** Those that are kept. */
  readonly faults: readonly Fault[]
  readonly faultCount: number
  readonly findings: readonly PackageFinding[]
  readonly notes: readonly Note[]
}

export type PackageSource = Source & {
  readonly package: PackageInfo
  /** Whether it was written from a home, and so is all that a home with nothing else is to have. */
  readonly isExport: boolean
  /** What it was taken for, where no descriptor says it and nothing was inferred. */
  readonly note?: string
  readonly notes: readonly Note[]
  /** What is odd, by table and field. */
  readonly findings: readonly PackageFinding[]
  /** The tables that are no list, because nothing can be published of them. */
  readonly leftOut: readonly LeftOut[]
  /** How many records each entity has. */
  readonly counts: ReadonlyMap<string, number>
  /** Removes what was only downloaded for it. */
  readonly close: () => void
}

/** All that was found out about a package, also about lists that are left out. */
export type Examined = {
  readonly location: string
  /** Those that are kept. */
  readonly faults: readonly Fault[]
  readonly faultCount: number
  readonly findings: readonly PackageFinding[]
  readonly notes: readonly Note[]
  readonly leftOut: readonly LeftOut[]
  /** What can be published; undefined where that is nothing. */
  readonly source?: PackageSource
  /** What the package says with all that was inferred, also of tables that are no lists; absent where it is read to the letter. */
  readonly descriptor?: Descriptor
}
