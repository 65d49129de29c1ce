// Describes tables in files: reads them as an import would, and says what they were taken for.
import { descriptorJson, type FileTraits } from './describe.ts'
import type { Examined, PackageOptions } from './examined.ts'
import { examinePackage, RefusedPackage } from './open-package.ts'

export type Described = {
  /** As JSON. */
  readonly descriptor: Readonly<Record<string, unknown>>
  readonly examined: Examined
}

/** A directory, or files that are in one. */
export async function describeFiles(
  paths: readonly string[],
  options: Pick<PackageOptions, 'outside'> = {},
): Promise<Described> {
  const [first = ''] = paths
  const examined = await examinePackage(paths.length === 1 ? first : paths, { ...options, isDescribed: true })
  examined.source?.close()
  const { descriptor } = examined
  // A table that can be no list yet is described all the same, with what its owner is to choose.
  if (descriptor === undefined || descriptor.resources.length === 0) throw new RefusedPackage(examined)
  return { descriptor: descriptorJson(descriptor, traitsIn(examined)), examined }
}

/** How the file of each resource is written where nobody said so, as its reader has found. */
function traitsIn({ findings }: Examined): ReadonlyMap<string, FileTraits> {
  const traits = new Map<string, FileTraits>()
  for (const { resource = '', kind, places } of findings) {
    const trait = TRAITS.get(kind)
    const value = places[0]?.value
    if (trait !== undefined && value !== undefined) traits.set(resource, { ...traits.get(resource), [trait]: value })
  }
  return traits
}

/** What the descriptor says of a file by the kind of finding that tells it. */
const TRAITS: ReadonlyMap<string, keyof FileTraits> = new Map([
  ['separator', 'delimiter'],
  ['encoding', 'encoding'],
])
