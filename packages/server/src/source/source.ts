// The interface of a source: it gives the rows of some entities, and says where each came from.
import { boolean, dictionaryOf, listOf, objectOf, such, type TypeOf, text } from '../base/schema.ts'
import { entityName, line, paragraph } from '../base/texts.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { GivenShape } from './boundaries/corners.ts'
import type { BoundaryList } from './boundaries/matched-shapes.ts'
import type { Faults } from './faults.ts'
import type { Finding, Findings } from './findings.ts'
import type { Numbering } from './numbering.ts'
import type { PackageInfo } from './package/package-info.ts'

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

const MAX_LISTS = 10_000
const MAX_OPTIONS = 100
const MAX_TEXT = 20_000

type Scalar = string | number | boolean
const isScalar = (value: unknown): value is Scalar =>
  ['string', 'number', 'boolean'].includes(typeof value) && String(value).length <= MAX_TEXT

/** Credits: to whom, under which licence, and for the records of which entities. */
const credits = listOf(objectOf({ to: paragraph, of: listOf(entityName, MAX_LISTS) }), MAX_LISTS)

/** The origin of a release, as its manifest keeps it. */
export const origin = objectOf({
  kind: line,
  title: paragraph,
  synthetic: boolean,
  credits,
  options: dictionaryOf(line, such('a text, a number, true or false', isScalar), MAX_OPTIONS),
})
export type Origin = TypeOf<typeof origin>

/** Another name by which people call a record, and why; its official code is given as its fields with hyphens between. */
export const alias = objectOf({
  entity: entityName,
  code: text(MAX_TEXT),
  alias: text(MAX_TEXT),
  reason: text(MAX_TEXT),
})
export type Alias = TypeOf<typeof alias>

/** Matches the features of a file to the records of a list. */
export type MatchBoundaries = (list: BoundaryList) => {
  readonly shapes: readonly GivenShape[]
  readonly findings: readonly Finding[]
}

export type Source = {
  readonly origin: Origin
  /** The definitions that its rows follow. */
  readonly catalog: Catalog
  /** The entities whose rows it gives. */
  readonly provides: readonly string[]
  /** Those of them that it names only in passing, as the areas of smaller places: facts that are known of the same code stay. */
  readonly inPassing?: readonly string[]
  /** The numbering of the entities that it provides; where it does not tell, synthetic for invented records and official for others. */
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
  /** The shapes that it has, by entity; it need not give the rows of these. */
  readonly boundaries?: ReadonlyMap<string, MatchBoundaries>
  /** Gives the rows of an entity; entities are read in the order of their definitions. What cannot even be made a row is reported as a fault, what is left out as a finding. */
  read(entity: string, report: Report): AsyncIterable<Block> | Iterable<Block>
}

export const numberingIn = ({ origin, numbering }: Pick<Source, 'origin' | 'numbering'>, entity: string): Numbering =>
  numbering?.[entity] ?? (origin.synthetic ? 'synthetic' : 'official')
