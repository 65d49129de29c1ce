// A data package as a source: what it declares and what its tables show become definitions, and its rows follow them.
import { OperationalError } from '../../base/operational-error.ts'
import { mismatchText, parse } from '../../base/schema.ts'
import { packageName } from '../../base/texts.ts'
import { Downloads } from '../downloads.ts'
import { FaultyRecords, faultText, MAX_FAULTS } from '../faults.ts'
import type { Source } from '../source.ts'
import type { Examined, PackageOptions, PackageSource } from './examined.ts'
import { exportedSource, isExported } from './exported.ts'
import { shippedLists } from './known-lists.ts'
import { type Located, locate } from './locate.ts'
import { namedTables } from './named-tables.ts'
import { Opening } from './opening.ts'
import { examinedOf, packageInfo } from './package-source.ts'
import { type DescribedPackage, readDescriptor, readTables } from './package-tables.ts'

/** A package of which nothing is published, with all that was found out about it. */
export class RefusedPackage extends OperationalError {
  readonly examined: Examined

  constructor(examined: Examined) {
    const { location, faults, faultCount, findings } = examined
    const shown = faults.slice(0, MAX_FAULTS)
    const findingCount = findings.reduce((sum, one) => sum + one.count, 0)
    super(
      [
        ...shown.map(faultText),
        ...(faultCount > shown.length ? [`… and ${faultCount - shown.length} more`] : []),
        ...findings.map(({ description, count, examples }) => `${examples[0] ?? ''}: ${description} (${count})`),
        `${location} is refused: ${faultCount} faults, ${findingCount} findings; nothing was changed`,
      ].join('\n'),
    )
    this.examined = examined
  }
}

/** Gives what can be published of a package; where all must be in order, nothing that is wrong or odd is. */
export async function openPackage(
  location: string | readonly string[],
  { strict = false, ...options }: PackageOptions & { readonly strict?: boolean } = {},
): Promise<PackageSource> {
  const examined = await examinePackage(location, options)
  const { source, faultCount, findings } = examined
  if (source !== undefined && !(strict && faultCount + findings.length > 0)) return source
  source?.close()
  throw new RefusedPackage(examined)
}

/** Reads all tables to their end once, so that whatever is wrong with them is known before anything is published. */
export async function examinePackage(
  location: string | readonly string[],
  options: PackageOptions = {},
): Promise<Examined> {
  const downloads = new Downloads(options.downloads)
  const close = () => downloads[Symbol.dispose]()
  try {
    const remote = {
      downloads: () => downloads.directory,
      allowsPrivate: options.allowsPrivate === true,
      ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
    }
    const located = await locate(location, remote)
    const named = options.isDescribed === true ? undefined : await namedTables(located)
    if (named !== undefined) return soundPackage(located, namedPackage(named, located, options), close)
    const described = await readDescriptor(located)
    if (isExported(described.descriptor)) return soundPackage(located, await exportedPackage(described, options), close)
    const { name = described.descriptor.name } = options
    const wrong = parse(packageName, name)
    if ('mismatches' in wrong)
      throw new OperationalError(`the name of the package is not sound: ${wrong.mismatches.map(mismatchText).join()}`)
    const renamed = { ...described, descriptor: { ...described.descriptor, name } }
    const tables = await readTables(renamed, options.sampledRows)
    const outside = options.outside?.(name) ?? shippedLists()
    const opened = await new Opening(tables, outside).open()
    return examinedOf(tables, opened, outside, close)
  } catch (error) {
    close()
    if (!(error instanceof FaultyRecords)) throw error
    const { faults, count } = error
    return { location: [location].flat().join(', '), faults, faultCount: count, findings: [], notes: [], leftOut: [] }
  }
}

type ToTheLetter = Pick<PackageSource, 'package' | 'isExport' | 'note'> & { readonly source: Source }

/** A package that is read to the letter: nothing is inferred of it, and nothing is odd about it. */
function soundPackage({ name: location }: Located, { source, ...about }: ToTheLetter, close: () => void): Examined {
  const nothing = { findings: [], notes: [], leftOut: [] }
  const opened = { ...source, ...about, ...nothing, counts: new Map(), close }
  return { location, faults: [], faultCount: 0, ...nothing, source: opened }
}

/** What was written from a release. */
async function exportedPackage(
  { descriptor, located }: DescribedPackage,
  { name }: PackageOptions,
): Promise<ToTheLetter> {
  if (name !== undefined)
    throw new OperationalError(
      `${located.name} was exported from a home, and its packages keep their names; leave out --name`,
    )
  const source = await exportedSource(descriptor, located.name, located.files.find)
  return { source, package: packageInfo(descriptor, source.provides), isExport: true }
}

/** Tables of lists that ship with the program, which belong to no package, and replace those lists. */
function namedPackage(
  source: Source,
  { files: { fallbackName }, name: location }: Located,
  { name }: PackageOptions,
): ToTheLetter {
  if (name !== undefined)
    throw new OperationalError(
      `${location} has tables of lists that ship with Nomenclator, which keep their names; leave out --name`,
    )
  const info = { name: fallbackName, licenses: [], sources: [], keywords: [], contributors: [], lists: source.provides }
  const note = `${location} has no datapackage.json; its files are named like lists that ship with Nomenclator, and are read as those.`
  return { source, package: info, isExport: false, note }
}
