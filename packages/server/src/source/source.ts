// The interface of a source: it gives the rows of some entities, and says where each came from.
import type { Catalog } from '../catalog/catalog.ts'
import type { Faults } from './faults.ts'
import type { Findings } from './findings.ts'
import type { Numbering } from './numbering.ts'
import type { PackageInfo } from './package/descriptor.ts'

/**
 * How a row names the record that it embeds: by identifier, or by the fields of its official code, of which one may be such a
 * reference itself. An identifier means the record that has it in the source itself; where the source does not provide
 * the entity, the one that has it in the current release. So a source whose identifiers are its own refers by code.
 */
type Reference = number | CodeReference
export type CodeReference = { readonly [codeField: string]: string | Reference }

/**
 * A row as it was found, before anyone has checked it. Its own identifier may be left out: it is then the one that
 * was given to the same official code before, or the next free one.
 */
export type GivenRow = Readonly<Record<string, string | Reference>>

/** Rows that stand one after the other in one file. */
export type Block = {
  readonly file: string
  /** The line of each row, or its number where there are no lines. */
  readonly lines: readonly number[]
  readonly rows: readonly GivenRow[]
}

/** Collects the faults and findings of a source. */
export type Report = { readonly faults: Faults; readonly findings: Findings }

/** Whom to credit, under which licence, and for the records of which entities. */
type Credit = { readonly to: string; readonly of: readonly string[] }

/** The origin of a release, as its manifest keeps it. */
export type Origin = {
  readonly kind: string
  readonly title: string
  readonly synthetic: boolean
  readonly credits: readonly Credit[]
  readonly options: Readonly<Record<string, string | number | boolean>>
}

/** Another name by which people call a record, and why; its official code is given as its fields with hyphens between. */
export type Alias = {
  readonly entity: string
  readonly code: string
  readonly alias: string
  readonly reason: string
}

export type Source = {
  readonly origin: Origin
  /** The definitions that its rows follow. */
  readonly catalog: Catalog
  /** The entities whose rows it gives. */
  readonly provides: readonly string[]
  /**
   * The numbering of the entities that it provides. Where it does not tell, it is that of the current release if most records
   * have the identifiers and codes that they have there, and else synthetic for invented records and official for others.
   */
  readonly numbering?: Readonly<Record<string, Numbering>>
  /** The packages that its lists belong to. */
  readonly packages?: readonly PackageInfo[]
  /** The names of packages of the current release in whose place it comes: their lists go, unless it provides them. */
  readonly replaces?: readonly string[]
  /** The entity of the regions by which it is published too: with a single one of them, it is most likely a part only. */
  readonly publishedBy?: string
  /** The number of rows to expect, if it is known, for a progress bar. */
  expected(entity: string): number | undefined
  /** The aliases that it gives; without it those of the release before stay. */
  readonly aliases?: (faults: Faults) => readonly Alias[]
  /** Gives the rows of an entity; entities are read in the order of their definitions. What cannot even be made a row is reported as a fault, what is left out as a finding. */
  read(entity: string, report: Report): AsyncIterable<Block> | Iterable<Block>
}

export const numberingIn = ({ origin, numbering }: Pick<Source, 'origin' | 'numbering'>, entity: string): Numbering =>
  numbering?.[entity] ?? (origin.synthetic ? 'synthetic' : 'official')
