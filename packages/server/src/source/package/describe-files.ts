// Describes tables in files: reads them as an import would, and says what they were taken for.
import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { OperationalError } from '../../base/operational-error.ts'
import { descriptorJson, type FileTraits } from './describe.ts'
import type { PackageOptions, PackageSource } from './examined.ts'
import { fileTraits } from './file-traits.ts'
import { openPackage } from './open-package.ts'
import { isAddress } from './package-files.ts'

export type Described = {
  /** As JSON. */
  readonly descriptor: Readonly<Record<string, unknown>>
  readonly source: PackageSource
}

/** A directory, or files that are in one. */
export async function describeFiles(
  paths: readonly string[],
  options: Pick<PackageOptions, 'outside'> = {},
): Promise<Described> {
  const [first = ''] = paths
  const directory = statSync(first).isDirectory() ? first : dirname(first)
  const source = await openPackage(paths.length === 1 ? first : paths, { ...options, isDescribed: true })
  const { descriptor } = source
  if (descriptor === undefined) throw new OperationalError(`${first} has no table to describe`)
  const traits = new Map<string, FileTraits>()
  for (const path of descriptor.resources.flatMap((resource) => resource.paths))
    if (!isAddress(path)) traits.set(path, await fileTraits(join(directory, path)))
  return { descriptor: descriptorJson(descriptor, traits), source }
}
