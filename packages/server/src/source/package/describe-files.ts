// Describes tables in files: reads them as an import would, and says what they were taken for.
import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isOfBoundaries } from './boundaries.ts'
import { descriptorJson, type FileTraits } from './describe.ts'
import type { Examined, PackageOptions } from './examined.ts'
import { fileTraits } from './file-traits.ts'
import { examinePackage, RefusedPackage } from './open-package.ts'
import { isAddress } from './package-files.ts'

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
  const directory = statSync(first).isDirectory() ? first : dirname(first)
  const examined = await examinePackage(paths.length === 1 ? first : paths, { ...options, isDescribed: true })
  examined.source?.close()
  const { descriptor } = examined
  // A table that can be no list yet is described all the same, with what its owner is to choose.
  if (descriptor === undefined || descriptor.resources.length === 0) throw new RefusedPackage(examined)
  const traits = new Map<string, FileTraits>()
  const tables = descriptor.resources.filter((resource) => !isOfBoundaries(resource))
  for (const path of tables.flatMap((resource) => resource.paths))
    if (!isAddress(path)) traits.set(path, await fileTraits(join(directory, path)))
  return { descriptor: descriptorJson(descriptor, traits), examined }
}
