// A package that was written from a release, or that ships with the program, as a source: its lists are defined to the letter and
// its cells taken as they are, so that the same release is built from it again.
//
// Beside what the standard has, each of its resources says in `nomenclator:definition` what the list is, or its schema says so, and the
// descriptor names in `nomenclator:packages` the packages that the lists belong to.

import { isObject } from '../../base/json.ts'
import { OperationalError } from '../../base/operational-error.ts'
import { mismatchesText, parse } from '../../base/schema.ts'
import { type EntityData, orderedCatalog } from '../../catalog/catalog.ts'
import { clashOf } from '../../catalog/collections.ts'
import { parseDefinition } from '../../catalog/definition-schema.ts'
import type { TextFile } from '../lines.ts'
import { NUMBERINGS, type Numbering } from '../numbering.ts'
import type { Origin, Source } from '../source.ts'
import { boundariesByEntity, isOfBoundaries, type PackageBoundaries, readBoundaries } from './boundaries.ts'
import type { KnownDefinitions } from './columns.ts'
import { aliasesIn, MAX_ALIAS_TABLE } from './defined-aliases.ts'
import { type DefinedTable, definedLists } from './defined-tables.ts'
import type { Descriptor, Resource } from './descriptor.ts'
import { smallFile } from './locate.ts'
import { type PackageInfo, packageInfos, packageListsFault } from './package-info.ts'
import { definitionFrom } from './schema-definition.ts'

export const isExported = ({ own }: Descriptor): boolean => own.has('packages')

/** Finds the file at a path of the package. */
type Find = (path: string) => Promise<TextFile>

/** The source of an exported package; its definitions and packages have been found sound. */
export async function exportedSource(descriptor: Descriptor, location: string, find: Find): Promise<Source> {
  const resources = descriptor.resources.filter(({ own }) => own.has('definition') || own.has('collection'))
  const known = new Map<string, EntityData>()
  for (const resource of resources) addDefinition(resource, v1In(descriptor), known)
  const packages = packagesIn(descriptor, known)
  const names = [...known.keys()]
  const tables = new Map<string, DefinedTable>()
  for (const [at, { paths }] of resources.entries())
    tables.set(names[at] as string, { ...(await find(paths[0] ?? '')), format: 'csv' })
  const boundaries: PackageBoundaries[] = []
  for (const resource of descriptor.resources.filter(isOfBoundaries))
    boundaries.push(await readBoundaries(resource, new Set(resources.map(({ name }) => name)), find))
  const aliases = descriptor.resources.find(({ own }) => own.get('role') === 'aliases')
  const table = aliases && (await smallFile({ find }, aliases.paths[0] ?? '', MAX_ALIAS_TABLE))
  return {
    origin: {
      kind: 'package',
      title: descriptor.title ?? descriptor.name,
      synthetic: false,
      credits: creditsIn(descriptor, known),
      options: { location },
    },
    ...definedLists(orderedCatalog([...known.values()]), tables),
    numbering: Object.fromEntries(resources.map(({ own }, at) => [names[at], numberingOf(own.get('numbering'))])),
    packages,
    replaces: packages.map(({ name }) => name),
    boundaries: boundariesByEntity(boundaries, (list) => names[resources.findIndex(({ name }) => name === list)]),
    ...(table && { aliases: (faults) => aliasesIn(table.file, `${table.bytes}`, new Set(names), faults) }),
  }
}

const v1In = ({ own }: Descriptor): readonly unknown[] => {
  const v1 = own.get('v1')
  return Array.isArray(v1) ? v1 : []
}

/** The package that ships with the program has its definitions in schemas. */
function addDefinition(resource: Resource, v1: readonly unknown[], known: Map<string, EntityData>): void {
  const { name, own, schema = { fields: [] } } = resource
  const parsed = parseDefinition(own.get('definition') ?? definitionFrom({ ...resource, schema }, v1), known)
  const wrong = 'fault' in parsed ? parsed.fault : clashOf(parsed.definition, known)
  if ('fault' in parsed || wrong !== undefined)
    throw new WrongExport(`nomenclator:definition of resource ${JSON.stringify(name)}`, wrong ?? '')
  known.set(parsed.definition.name, parsed.definition)
}

class WrongExport extends OperationalError {
  constructor(where: string, wrong: string) {
    super(
      `the descriptor is refused: ${where} is not sound: ${wrong}. Nothing was changed. Export the package again, or take out ` +
        'nomenclator:packages to have it read as any other package.',
    )
  }
}

function packagesIn({ own }: Descriptor, known: KnownDefinitions): readonly PackageInfo[] {
  const given = own.get('packages')
  // What is empty is not written.
  const empty = { licenses: [], sources: [], keywords: [], contributors: [], lists: [] }
  const packages = Array.isArray(given) ? given.map((one) => (isObject(one) ? { ...empty, ...one } : one)) : given
  const parsed = parse(packageInfos, packages)
  if ('mismatches' in parsed) throw new WrongExport('nomenclator:packages', mismatchesText(parsed))
  const names = parsed.value.map(({ name }) => name)
  const stray = [...known.values()].find((one) => one.package !== undefined && !names.includes(one.package))
  const ofNone = stray && `the list ${stray.name} belongs to a package that is not named`
  const wrong = packageListsFault(parsed.value, known) ?? ofNone
  if (wrong !== undefined) throw new WrongExport('nomenclator:packages', wrong)
  return parsed.value
}

const numberingOf = (value: unknown): Numbering => NUMBERINGS.find((known) => known === value) ?? 'official'

function creditsIn({ own }: Descriptor, known: KnownDefinitions): Origin['credits'] {
  const credits = own.get('credits')
  const isList = (of: unknown) => Array.isArray(of) && of.every((name) => known.has(String(name)))
  const isCredit = (one: unknown) => isObject(one) && typeof one.to === 'string' && isList(one.of)
  if (credits === undefined) return []
  if (!Array.isArray(credits) || !credits.every(isCredit))
    throw new WrongExport('nomenclator:credits', 'it is not a list of whom to credit and for which lists')
  return credits.map(({ to, of }) => ({ to, of }))
}
