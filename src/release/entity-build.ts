// Turns the rows of one entity into its record file.
import type { Entity, Values } from '../catalog/entity.ts'
import type { Block, GivenRow, Report } from '../source/source.ts'
import { EntityParts } from './entity-parts.ts'
import { forceGc } from './force-gc.ts'
import { codeOf, type IdRegistry, isNumbered } from './id-registry.ts'
import { KeyTable } from './key-table.ts'
import type { EntityFacts } from './manifest.ts'
import { oddityFinder } from './oddities.ts'
import { isEmbedded, type ParentRecords } from './parent-records.ts'
import { type Place, type Settle, settler } from './settle.ts'
import type { BuildThreads } from './threads/build-threads.ts'

export class EntityBuild implements Disposable {
  readonly #entity: Entity
  readonly #family: ParentRecords
  readonly #numbers: IdRegistry
  readonly #report: Report
  readonly #parts: EntityParts
  #keys: KeyTable | undefined
  readonly #codes = new Set<string>()
  readonly #waiting: Values[] = []
  readonly #unnumbered: { readonly given: GivenRow; readonly place: Place }[] = []
  readonly #settle: Settle
  readonly #look: (row: Values) => void
  readonly #isEmbedded: boolean
  taken = 0

  constructor(
    entity: Entity,
    directory: string,
    family: ParentRecords,
    numbers: IdRegistry,
    report: Report,
    expected: number | undefined,
    threads: BuildThreads,
  ) {
    this.#entity = entity
    this.#family = family
    this.#numbers = numbers
    this.#report = report
    this.#keys = new KeyTable(entity, expected)
    this.#isEmbedded = isEmbedded(entity)
    this.#settle = settler(entity, family, numbers, report.faults)
    this.#look = oddityFinder(entity, family.rowsOf, report.findings)
    const onRecord = this.#isEmbedded ? (json: Uint8Array) => family.addJson(entity, json) : undefined
    this.#parts = new EntityParts(entity, { directory, parents: family.parentsOf(entity), expected }, threads, onRecord)
  }

  take({ file, lines, rows }: Block): void {
    const identifier = isNumbered(this.#entity) ? this.#entity.key[0] : undefined
    for (let position = 0; position < rows.length; position++) {
      const given = rows[position] as GivenRow
      const place = { file, line: lines[position] as number }
      this.taken++
      // Numbers are given out last, so that none is taken that a later row states as its own.
      if (identifier !== undefined && given[identifier] === undefined) this.#unnumbered.push({ given, place })
      else this.#accept(given, place)
    }
  }

  /** Resolves when what was taken has been dealt with far enough to take more. */
  drained(): Promise<void> {
    return this.#parts.drained()
  }

  async finish(): Promise<EntityFacts> {
    for (const { given, place } of this.#unnumbered) this.#accept(given, place)
    const key = this.#entity.key
    this.#waiting.sort((a, b) => compareBy(key, a, b))
    for (const row of this.#waiting) this.#write(row)
    const finished = this.#parts.finish()
    // Memory that is no longer needed here, while threads need more than ever.
    this.#keys = undefined
    forceGc(this.taken)
    return await finished
  }

  [Symbol.dispose](): void {
    this.#parts[Symbol.dispose]()
  }

  #accept(given: GivenRow, place: Place): void {
    const row = this.#settle(given, place)
    if (row === undefined || !this.#isNew(row, place)) return
    if (isNumbered(this.#entity)) this.#claim(row)
    if (this.#entity.order === 'as given') this.#write(row)
    else this.#waiting.push(row)
  }

  #claim(row: Values): void {
    this.#numbers.claim(this.#entity, row)
    const code = codeOf(this.#entity, row)
    if (this.#codes.has(code)) {
      const description = 'an official code belongs to more than one record'
      this.#report.findings.add('code-given-twice', description, `${this.#entity.name} ${code}`)
    }
    this.#codes.add(code)
  }

  #isNew(row: Values, place: Place): boolean {
    const earlier = this.#keys?.add(row, place.line)
    if (earlier === undefined) return true
    const key = this.#entity.key
    this.#report.faults.add({
      ...place,
      column: key.join(' and '),
      value: key.map((field) => row[field]).join('/'),
      expected: `a key not given before; line ${earlier} has it already`,
    })
    return false
  }

  #write(row: Values): void {
    // Later rows may refer to it, and are to be told only of faults of their own.
    if (this.#isEmbedded) this.#family.add(this.#entity, row)
    if (this.#report.faults.any) return
    this.#look(row)
    this.#parts.add(row)
  }
}

function compareBy(key: readonly string[], a: Values, b: Values): number {
  for (const field of key) {
    const difference = (a[field] as number) - (b[field] as number)
    if (difference !== 0) return difference
  }
  return 0
}
