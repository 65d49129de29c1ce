// Builds one entity from the rows of a source: checked, numbered, ordered, and written into a directory of its own.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Entity, embedsOf, type Identity, type Values } from '../../catalog/entity.ts'
import { KeyTable } from '../../catalog/key-table.ts'
import type { SourceLocation } from '../../source/faults.ts'
import type { Block, GivenRow, Report } from '../../source/source.ts'
import type { WriteBoundaries } from '../boundaries/boundary-levels.ts'
import { syncDirectory, writeDurably } from '../files/durable-file.ts'
import { codeOf, type IdRegistry, isNumbered } from '../home/id-registry.ts'
import {
  ENTITY_MANIFEST_FILE,
  entityManifestOf,
  manifestText,
  type ReleasedEntity,
  releasedEntity,
} from '../manifest.ts'
import { entityWriter } from './entity-writer.ts'
import { forceGc } from './force-gc.ts'
import type { ParentRecords } from './parent-records.ts'
import { rowPreparer } from './prepare-row.ts'
import { rowCheck } from './record-findings.ts'

type EntityBuildContext = {
  readonly parents: ParentRecords
  /** The digest of each entity that it embeds. */
  readonly digestOf: (parent: string) => string
  readonly registry: IdRegistry
  readonly report: Report
  /** The number of rows to expect; undefined if the source cannot say. */
  readonly expected: number | undefined
  readonly boundaries: WriteBoundaries | undefined
  readonly onProgress: (done: number) => void
}

/** Builds an entity; undefined when the rows are faulty, and the faults are in the report. */
export async function buildEntity(
  entity: Entity,
  blocks: AsyncIterable<Block> | Iterable<Block>,
  directory: string,
  { parents, digestOf, registry, report, expected, boundaries, onProgress }: EntityBuildContext,
): Promise<ReleasedEntity | undefined> {
  mkdirSync(directory, { recursive: true })
  const { faults } = report
  const isEmbedded = parents.isEmbedded(entity)
  const settle = rowPreparer(entity, parents, registry, faults)
  const checkRow = rowCheck(entity, parents.rowsOf, report.findings)
  const onRecord = isEmbedded ? (json: Uint8Array) => parents.addJson(entity, json) : undefined
  using writer = entityWriter(entity, directory, parents.renderedFor(entity), expected, onRecord)
  let keys: KeyTable | undefined = new KeyTable(entity)
  const codes = new Set<string>()
  const unordered: Values[] = []
  let taken = 0
  let count = 0

  const write = (row: Values) => {
    // Later rows may refer to this one: a row is not faulty because an earlier one is.
    if (isEmbedded) parents.add(entity, row)
    if (faults.any) return
    checkRow(row)
    writer.add(row)
    count++
  }
  const isNew = (row: Values, location: SourceLocation): boolean => {
    const earlier = keys?.add(row, location.line)
    if (earlier === undefined) return true
    faults.add({
      ...location,
      column: entity.key.join(' and '),
      value: entity.key.map((field) => row[field]).join('/'),
      expected: `a key not given before; line ${earlier} has it already`,
    })
    return false
  }
  const claim = (row: Values) => {
    registry.claim(entity, row)
    const code = codeOf(entity, row)
    if (codes.has(code)) {
      const description = 'an official code belongs to more than one record'
      report.findings.add('code-given-twice', description, `${entity.name} ${code}`)
    }
    codes.add(code)
  }
  const accept = (given: GivenRow, location: SourceLocation) => {
    const row = settle(given, location)
    if (row === undefined || !isNew(row, location)) return
    if (isNumbered(entity)) claim(row)
    if (entity.order === 'as given') write(row)
    else unordered.push(row)
  }

  const identifier = isNumbered(entity) ? entity.key[0] : undefined
  const unnumbered: { readonly given: GivenRow; readonly location: SourceLocation }[] = []
  for await (const { file, lines, rows } of blocks) {
    for (const [position, given] of rows.entries()) {
      const location = { file, line: lines[position] as number }
      // Identifiers are given out last, so that none is taken that a later row states as its own.
      if (identifier !== undefined && given[identifier] === undefined) unnumbered.push({ given, location })
      else accept(given, location)
    }
    taken += rows.length
    onProgress(taken)
  }
  for (const { given, location } of unnumbered) accept(given, location)
  unordered.sort((a, b) => compareBy(entity.key, a, b))
  for (const row of unordered) write(row)
  if (faults.any) return undefined
  // The memory is needed for what follows.
  keys = undefined
  forceGc(taken)
  const files = { ...writer.finish(), ...(await boundaries?.(directory)) }
  const digests = Object.fromEntries(embedsOf(entity).map(([, { name }]) => [name, digestOf(name)]))
  const manifest = entityManifestOf(entity, count, digests, files)
  writeDurably(join(directory, ENTITY_MANIFEST_FILE), manifestText(manifest))
  syncDirectory(directory)
  return releasedEntity(manifest)
}

function compareBy(key: readonly string[], a: Values, b: Values): number {
  for (const field of key) {
    const [one, other] = [a[field] as Identity, b[field] as Identity]
    if (one !== other) return one < other ? -1 : 1
  }
  return 0
}
