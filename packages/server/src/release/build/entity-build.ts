// Builds one entity from the rows of a source: checked, numbered, ordered, and written into a directory of its own.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Entity, embedsOf, type Identity, type Values } from '../../catalog/entity.ts'
import type { SourceLocation } from '../../source/faults.ts'
import type { Block, GivenRow, Report } from '../../source/source.ts'
import { syncDirectory, writeDurably } from '../files/durable-file.ts'
import { KeyTable } from '../files/key-table.ts'
import { codeOf, type IdRegistry, isNumbered } from '../home/id-registry.ts'
import {
  ENTITY_MANIFEST_FILE,
  entityManifestOf,
  manifestText,
  type ReleasedEntity,
  releasedEntity,
} from '../manifest.ts'
import { EntityWriter } from './entity-writer.ts'
import { forceGc } from './force-gc.ts'
import { oddityFinder } from './oddities.ts'
import type { ParentRecords } from './parent-records.ts'
import { type RowSettler, rowSettler } from './settle.ts'

type EntityBuildContext = {
  readonly parents: ParentRecords
  /** The digest of each entity that it embeds. */
  readonly digestOf: (parent: string) => string
  readonly registry: IdRegistry
  readonly report: Report
  /** How many rows to expect, where that is known. */
  readonly expected: number | undefined
  readonly onProgress: (done: number) => void
}

/** Builds an entity; undefined when the rows are faulty, and the faults are in the report. */
export async function buildEntity(
  entity: Entity,
  blocks: AsyncIterable<Block> | Iterable<Block>,
  directory: string,
  context: EntityBuildContext,
): Promise<ReleasedEntity | undefined> {
  mkdirSync(directory, { recursive: true })
  using build = new EntityBuild(entity, directory, context)
  for await (const block of blocks) {
    build.take(block)
    context.onProgress(build.taken)
  }
  return build.finish()
}

class EntityBuild implements Disposable {
  readonly #entity: Entity
  readonly #directory: string
  readonly #context: EntityBuildContext
  readonly #writer: EntityWriter
  readonly #settle: RowSettler
  readonly #findOddities: (row: Values) => void
  readonly #isEmbedded: boolean
  #keys: KeyTable | undefined
  readonly #codes = new Set<string>()
  readonly #unordered: Values[] = []
  readonly #unnumbered: { readonly given: GivenRow; readonly location: SourceLocation }[] = []
  #count = 0
  taken = 0

  constructor(entity: Entity, directory: string, context: EntityBuildContext) {
    const { parents, registry, report, expected } = context
    this.#entity = entity
    this.#directory = directory
    this.#context = context
    this.#isEmbedded = parents.isEmbedded(entity)
    this.#keys = new KeyTable(entity)
    this.#settle = rowSettler(entity, parents, registry, report.faults)
    this.#findOddities = oddityFinder(entity, parents.rowsOf, report.findings)
    const onRecord = this.#isEmbedded ? (json: Uint8Array) => parents.addJson(entity, json) : undefined
    this.#writer = new EntityWriter(entity, directory, parents.renderedFor(entity), expected, onRecord)
  }

  take({ file, lines, rows }: Block): void {
    const identifier = isNumbered(this.#entity) ? this.#entity.key[0] : undefined
    for (let position = 0; position < rows.length; position++) {
      const given = rows[position] as GivenRow
      const location = { file, line: lines[position] as number }
      this.taken++
      // Identifiers are given out last, so that none is taken that a later row states as its own.
      if (identifier !== undefined && given[identifier] === undefined) this.#unnumbered.push({ given, location })
      else this.#accept(given, location)
    }
  }

  finish(): ReleasedEntity | undefined {
    for (const { given, location } of this.#unnumbered) this.#accept(given, location)
    const key = this.#entity.key
    this.#unordered.sort((a, b) => compareBy(key, a, b))
    for (const row of this.#unordered) this.#write(row)
    if (this.#context.report.faults.any) return undefined
    // The memory is needed for what follows.
    this.#keys = undefined
    forceGc(this.taken)
    const files = this.#writer.finish()
    const { digestOf } = this.#context
    const parents = Object.fromEntries(embedsOf(this.#entity).map(([, { name }]) => [name, digestOf(name)]))
    const manifest = entityManifestOf(this.#entity, this.#count, parents, files)
    writeDurably(join(this.#directory, ENTITY_MANIFEST_FILE), manifestText(manifest))
    syncDirectory(this.#directory)
    return releasedEntity(manifest)
  }

  [Symbol.dispose](): void {
    this.#writer[Symbol.dispose]()
  }

  #accept(given: GivenRow, location: SourceLocation): void {
    const row = this.#settle(given, location)
    if (row === undefined || !this.#isNew(row, location)) return
    if (isNumbered(this.#entity)) this.#claim(row)
    if (this.#entity.order === 'as given') this.#write(row)
    else this.#unordered.push(row)
  }

  #claim(row: Values): void {
    this.#context.registry.claim(this.#entity, row)
    const code = codeOf(this.#entity, row)
    if (this.#codes.has(code)) {
      const description = 'an official code belongs to more than one record'
      this.#context.report.findings.add('code-given-twice', description, `${this.#entity.name} ${code}`)
    }
    this.#codes.add(code)
  }

  #isNew(row: Values, location: SourceLocation): boolean {
    const earlier = this.#keys?.add(row, location.line)
    if (earlier === undefined) return true
    const key = this.#entity.key
    this.#context.report.faults.add({
      ...location,
      column: key.join(' and '),
      value: key.map((field) => row[field]).join('/'),
      expected: `a key not given before; line ${earlier} has it already`,
    })
    return false
  }

  #write(row: Values): void {
    // Later rows may refer to this one: a row is not faulty because an earlier one is.
    if (this.#isEmbedded) this.#context.parents.add(this.#entity, row)
    if (this.#context.report.faults.any) return
    this.#findOddities(row)
    this.#writer.add(row)
    this.#count++
  }
}

function compareBy(key: readonly string[], a: Values, b: Values): number {
  for (const field of key) {
    const [one, other] = [a[field] as Identity, b[field] as Identity]
    if (one !== other) return one < other ? -1 : 1
  }
  return 0
}
