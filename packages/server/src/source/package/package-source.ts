// The source of a package that was opened: its definitions and its rows, and what was found out about it.
import { OperationalError } from '../../base/operational-error.ts'
import { type EntityData, orderedCatalog } from '../../catalog/catalog.ts'
import { Findings } from '../findings.ts'
import type { Block, Report } from '../source.ts'
import { boundariesByEntity } from './boundaries.ts'
import { creditsOf } from './credits.ts'
import { descriptorJson } from './describe.ts'
import type { Descriptor } from './descriptor.ts'
import type { Examined, LeftOut, PackageSource } from './examined.ts'
import { FieldFindings, listed } from './field-findings.ts'
import type { Note } from './infer/inference.ts'
import type { OutsideLists } from './known-lists.ts'
import type { Opened } from './opening.ts'
import { MAX_DESCRIBED, type PackageInfo } from './package-info.ts'
import type { PackageTables } from './package-tables.ts'
import { type MadeRow, RowMaker } from './row-maker.ts'
import { RowPlaces } from './row-places.ts'
import { recordsIn, type Surveyed } from './survey.ts'

export function examinedOf(tables: PackageTables, opened: Opened, outside: OutsideLists, close: () => void): Examined {
  const { location } = tables
  const { lists, leftOut, plan } = opened
  if (lists.size === 0 && leftOut.length === 0)
    throw new OperationalError(`${location} has no table that could be a list`)
  const source = lists.size === 0 ? undefined : sourceOf(tables, opened, outside, close)
  if (source === undefined) close()
  const resources = new Set(leftOut.map(({ resource }) => resource))
  const isTold = ({ resource }: Note) => resource !== undefined && resources.has(resource)
  return {
    location,
    faults: leftOut.flatMap(({ faults }) => faults),
    faultCount: leftOut.reduce((sum, { faultCount }) => sum + faultCount, 0),
    findings: [
      ...(source?.findings ?? findingsOfPackage(tables, [], new Map()).list()),
      ...leftOut.flatMap(({ findings }) => findings),
    ],
    notes: [...plan.notes.filter((note) => !isTold(note)), ...leftOut.flatMap(({ notes }) => notes)],
    leftOut,
    descriptor: withBoundaries(opened.descriptor, tables),
    ...(source === undefined ? {} : { source }),
  }
}

function sourceOf(tables: PackageTables, opened: Opened, outside: OutsideLists, close: () => void): PackageSource {
  const { plan, lists, leftOut, aliases, aliasFindings } = opened
  const { descriptor, location } = tables
  const provides = [...lists.keys()]
  const own = [...lists.values()].map(({ plan: { entity } }) => entity)
  const catalog = orderedCatalog([...referredTo(own, outside.definitions), ...own])
  const described = describedLists(opened)
  const info = {
    ...packageInfo(descriptor, provides),
    ...(described.length === 0 ? {} : { described }),
  }
  const packageFindings = findingsOfPackage(tables, leftOut, aliasFindings)
  const boundaries = boundariesByEntity(
    tables.boundaries,
    (resource) => [...lists.values()].find(({ plan }) => plan.resource === resource)?.plan.entity.name,
  )
  const findings = [
    ...packageFindings.list(),
    ...[...lists.values()].flatMap((list) => [
      ...listed(tables.tableFindings.get(list.plan.resource), list.plan.resource),
      ...list.findings.list(list.plan.resource),
      ...list.nameFindings.list(list.plan.resource),
    ]),
  ]
  let isTold = false
  return {
    origin: {
      kind: 'package',
      title: descriptor.title ?? descriptor.name,
      synthetic: false,
      credits: creditsOf(info, provides),
      options: { package: location, ...(descriptor.version === undefined ? {} : { version: descriptor.version }) },
    },
    catalog,
    provides,
    packages: [info],
    replaces: [info.name],
    expected: (name) => lists.get(name)?.rows,
    ...(aliases.length > 0 ? { aliases: () => aliases } : {}),
    ...(boundaries.size > 0 ? { boundaries } : {}),
    read: (name, report) => {
      if (!isTold) packageFindings.addTo(report.findings)
      isTold = true
      const list = lists.get(name)
      return list === undefined ? [] : rowsOf(list, lists, outside, tables, report)
    },
    package: info,
    isExport: false,
    notes: plan.notes,
    findings,
    leftOut,
    counts: new Map([...lists].map(([name, { rows }]) => [name, rows])),
    close,
  }
}

/** The descriptor with the resources that are no tables, of which nothing was inferred. */
const withBoundaries = (descriptor: Descriptor, { boundaries }: PackageTables): Descriptor => ({
  ...descriptor,
  resources: [...descriptor.resources, ...boundaries.map(({ resource }) => resource)],
})

/** The lists of which the descriptor left something open, each with its resource as it was obeyed. */
function describedLists({ descriptor, lists, inferred }: Opened): NonNullable<PackageInfo['described']> {
  const written = descriptorJson(descriptor).resources as readonly unknown[]
  return [...lists.values()].flatMap(({ plan: { entity, resource: name } }) => {
    const at = inferred.has(name) ? descriptor.resources.findIndex((one) => one.name === name) : -1
    const resource = JSON.stringify(written[at], null, 2)
    return at === -1 || resource.length > MAX_DESCRIBED ? [] : [{ list: entity.name, resource }]
  })
}

/** What is odd about the package itself, and about the tables that are no lists. */
function findingsOfPackage(
  { findings: ofDescriptor }: PackageTables,
  leftOut: readonly LeftOut[],
  aliasFindings: ReadonlyMap<string, Findings>,
): FieldFindings {
  const findings = new FieldFindings()
  findings.of().include(ofDescriptor)
  for (const own of aliasFindings.values()) findings.of().include(own)
  for (const { resource, reason } of leftOut)
    findings.of().add('list-left-out', 'a table is left out, because nothing can be published of it', {
      file: resource,
      says: reason,
    })
  return findings
}

/** Definitions of other packages that these embed, and those that they embed themselves. */
function referredTo(own: readonly EntityData[], others: readonly EntityData[]): readonly EntityData[] {
  const byName = new Map(others.map((one) => [one.name, one]))
  const needed = new Map<string, EntityData>()
  const need = ({ fields }: EntityData) => {
    for (const field of Object.values(fields)) {
      const other = field.kind === 'embed' ? byName.get(field.entity) : undefined
      if (other === undefined || needed.has(other.name)) continue
      needed.set(other.name, other)
      need(other)
    }
  }
  for (const entity of own) need(entity)
  return [...needed.values()]
}

export function packageInfo(
  { resources: _, own: __, language: ___, ...info }: Descriptor,
  lists: readonly string[],
): PackageInfo {
  return { ...info, lists }
}

/** The rows again, as the survey has found that they can be published. */
async function* rowsOf(
  { plan, table, records, findings }: Surveyed,
  lists: ReadonlyMap<string, Surveyed>,
  outside: OutsideLists,
  { tableFindings }: PackageTables,
  report: Report,
): AsyncGenerator<Block> {
  report.findings.include(tableFindings.get(plan.resource) ?? new Findings())
  findings.addTo(report.findings)
  const maker = new RowMaker(plan, table.header, recordsIn(lists, outside))
  const { broaderField } = maker
  const places = new RowPlaces()
  for await (const { file, lines, rows } of table.rows()) {
    const block = { file, lines: [] as number[], rows: [] as MadeRow[] }
    for (let index = 0; index < rows.length; index++) {
      const line = lines[index] as number
      const row = maker.make(rows[index] as string[])
      const identity = maker.identity(row)
      const place = places.of(file, line)
      const position = identity === undefined ? undefined : records.positionOf(identity)
      if (position === undefined || records.placeAt(position) !== place) continue
      const above = broaderField === undefined ? undefined : records.aboveAt(position)
      if (above !== undefined) row[broaderField as string] = above
      block.lines.push(line)
      block.rows.push(row)
    }
    if (block.rows.length > 0) yield block
  }
}
