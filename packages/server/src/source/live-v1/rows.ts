// Reads harvested pages: as rows, with the faults and findings of their records, and for the parents that they embed.

import { parseOwnJson } from '../../base/json.ts'
import { entityIn } from '../../catalog/catalog.ts'
import type { CatalogCollection } from '../../catalog/collections.ts'
import { type Entity, embedsOf } from '../../catalog/entity.ts'
import { flatten, type PublishedRecord } from '../../catalog/flatten.ts'
import { KeyTable } from '../../catalog/key-table.ts'
import { builtInCatalog } from '../built-in.ts'
import type { SourceLocation } from '../faults.ts'
import type { Findings } from '../findings.ts'
import type { Block, GivenRow, Report } from '../source.ts'
import { pageName } from './harvest.ts'
import type { PageFile } from './page-file.ts'
import { Parents } from './parents.ts'
import { copyChecker, embeddedVisitor, type ShapeCheck, type ShapeFault, shapeChecker } from './record.ts'

/** One collection, all of whose pages are on disk. */
export type Harvested = { readonly base: string; readonly collection: CatalogCollection; readonly file: PageFile }

const entities = [...builtInCatalog.entities.values()]
const embedded = new Set(entities.flatMap((entity) => embedsOf(entity).map(([, parent]) => parent.name)))
const decoder = new TextDecoder()

function* pagesOf({ base, collection, file }: Harvested) {
  for (const [page, body] of file.read()) {
    const records = parseOwnJson<readonly unknown[]>(decoder.decode(body))
    yield { file: pageName(base, collection, page), page, records }
  }
}

function faultsOf(check: ShapeCheck, record: unknown): readonly ShapeFault[] {
  const faults: ShapeFault[] = []
  check(record, faults)
  return faults
}

/** The first version wins. So the collections come in the order of the entities: a record's own before those embedded. */
export function parentsIn(harvest: readonly Harvested[]): Parents {
  const parents = new Parents()
  for (const harvested of harvest) {
    const entity: Entity = entityIn(builtInCatalog, harvested.collection.entity)
    const check = shapeChecker(entity)
    const visitEmbedded = embeddedVisitor(entity)
    for (const { file, records } of pagesOf(harvested)) {
      for (const [index, given] of records.entries()) {
        if (faultsOf(check, given).length > 0) continue
        const [record, location] = [given as PublishedRecord, { file, line: index + 1 }]
        if (embedded.has(entity.name)) parents.add(entity, record, location)
        visitEmbedded(record, (parent, inner) => parents.add(parent, inner, location))
      }
    }
  }
  return parents
}

/** One block for each page. A record that has not the right shape, or that an earlier page has, is a fault. */
export function* rowsIn(harvested: Harvested, parents: Parents, { faults, findings }: Report): Generator<Block> {
  const entity: Entity = entityIn(builtInCatalog, harvested.collection.entity)
  const check = shapeChecker(entity)
  const findDifferences = differenceFinder(entity, parents, findings)
  const pageOf = new KeyTable(entity)
  for (const { file, page, records } of pagesOf(harvested)) {
    const lines: number[] = []
    const rows: GivenRow[] = []
    for (const [index, given] of records.entries()) {
      const location = { file, line: index + 1 }
      const shapeFaults = faultsOf(check, given)
      for (const { path, value, expected } of shapeFaults) faults.add({ ...location, column: path, value, expected })
      if (shapeFaults.length > 0) continue
      const row = flatten(entity, given as PublishedRecord)
      const earlier = pageOf.add(row, page)
      if (earlier !== undefined) {
        const expected = `a key not given before; page ${earlier} has it already`
        const value = entity.key.map((field) => row[field]).join('/')
        faults.add({ ...location, column: entity.key.join(' and '), value, expected })
        continue
      }
      findDifferences(given as PublishedRecord, location)
      lines.push(location.line)
      rows.push(row)
    }
    yield { file, lines, rows }
  }
}

const copyCheckers = new Map(entities.map((entity) => [entity.name, copyChecker(entity)]))

/**
 * Finds what a record says twice in different ways: embedded records that differ from those with the same identifier
 * elsewhere, and copies that differ from the field that they copy. A row has neither, so they are left out.
 */
function differenceFinder(entity: Entity, parents: Parents, findings: Findings) {
  const visitEmbedded = embeddedVisitor(entity)
  const findInCopies = ({ name }: Entity, record: PublishedRecord, prefix: string) => {
    for (const field of copyCheckers.get(name)?.(record) ?? [])
      findings.add(
        'copy-differs',
        'a field differs from the one that it should repeat, and is left out',
        `${prefix}${field}: ${JSON.stringify(record[field])}`,
      )
  }
  return (record: PublishedRecord, { file, line }: SourceLocation): void => {
    const prefix = `${file}:${line}, `
    findInCopies(entity, record, prefix)
    visitEmbedded(record, (parent, inner, path) => {
      findInCopies(parent, inner, `${prefix}${path}.`)
      const difference = parents.difference(parent, inner)
      if (difference === undefined) return
      findings.add(
        'embedded-differs',
        'an embedded record differs from the one with its identifier elsewhere, and is left out',
        `${prefix}${path}: ${difference}`,
      )
    })
  }
}
