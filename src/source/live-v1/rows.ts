// Reads harvested pages: as rows, with what is wrong and what is odd about their records, and for the parents they embed.
import type { Collection } from '../../catalog/collections.ts'
import { entities } from '../../catalog/entities.ts'
import { type Entity, embedsOf, type Values } from '../../catalog/entity.ts'
import { flatten, type PublishedRecord } from '../../catalog/flatten.ts'
import type { Block, GivenRow, Report } from '../source.ts'
import { FirstPages } from './first-pages.ts'
import { pageName } from './harvest.ts'
import { oddityFinder } from './oddities.ts'
import type { PageFile } from './page-file.ts'
import { Parents } from './parents.ts'
import { embeddedVisitor, type ShapeCheck, type ShapeFault, shapeChecker } from './record.ts'

/** One collection, all of whose pages are on disk. */
export type Harvested = { readonly base: string; readonly collection: Collection; readonly file: PageFile }

const embedded = new Set(Object.values(entities).flatMap((entity) => embedsOf(entity).map(([, parent]) => parent.name)))
const decoder = new TextDecoder()

function* pagesOf({ base, collection, file }: Harvested) {
  for (const [page, body] of file.read()) {
    const records: readonly unknown[] = JSON.parse(decoder.decode(body))
    yield { file: pageName(base, collection, page), page, records }
  }
}

function faultsOf(check: ShapeCheck, record: unknown): readonly ShapeFault[] {
  const faults: ShapeFault[] = []
  check(record, faults)
  return faults
}

/** The first version wins, so the collections come in the order of the entities: a record's own before those embedded. */
export function parentsIn(harvest: readonly Harvested[]): Parents {
  const parents = new Parents()
  for (const harvested of harvest) {
    const entity: Entity = entities[harvested.collection.entity]
    const check = shapeChecker(entity)
    const visitEmbedded = embeddedVisitor(entity)
    for (const { file, records } of pagesOf(harvested)) {
      for (const [at, given] of records.entries()) {
        if (faultsOf(check, given).length > 0) continue
        const [record, place] = [given as PublishedRecord, { file, line: at + 1 }]
        if (embedded.has(entity.name)) parents.note(entity, record, place)
        visitEmbedded(record, (parent, inner) => parents.note(parent, inner, place))
      }
    }
  }
  return parents
}

/** A page at a time; a record that cannot be made a row, or that an earlier page has, is a fault. */
export function* rowsIn(harvested: Harvested, parents: Parents, { faults, findings }: Report): Generator<Block> {
  const entity: Entity = entities[harvested.collection.entity]
  const check = shapeChecker(entity)
  const look = oddityFinder(entity, parents, findings)
  const keys = new FirstPages(entity)
  for (const { file, page, records } of pagesOf(harvested)) {
    const lines: number[] = []
    const rows: GivenRow[] = []
    for (const [at, given] of records.entries()) {
      const place = { file, line: at + 1 }
      const wrong = faultsOf(check, given)
      for (const { path, value, expected } of wrong) faults.add({ ...place, column: path, value, expected })
      if (wrong.length > 0) continue
      const row = flatten(entity, given as PublishedRecord)
      const earlier = keys.add(row, page)
      if (earlier !== undefined) {
        const expected = `a key not given before; page ${earlier} has it already`
        faults.add({ ...place, column: entity.key.join(' and '), value: keyOf(entity, row), expected })
        continue
      }
      look(given as PublishedRecord, place)
      lines.push(place.line)
      rows.push(row)
    }
    yield { file, lines, rows }
  }
}

const keyOf = (entity: Entity, row: Values) => entity.key.map((field) => row[field]).join('/')
