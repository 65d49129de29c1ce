// Describes tables in files: reads them as an import would, and says what they were taken for.
import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { OperationalError } from '../../base/operational-error.ts'
import { describedPackage, type FileTraits } from './describe.ts'
import type { DefinitionsOf, Plan } from './descriptor.ts'
import { fileTraits } from './file-traits.ts'
import { definitionsOf } from './guess.ts'
import { openPackage, type PackageSource } from './open-package.ts'
import { isAddress } from './package-files.ts'

export type Described = {
  /** As JSON. */
  readonly descriptor: Readonly<Record<string, unknown>>
  readonly source: PackageSource
}

/** A directory, or files that are in one. */
export async function describeFiles(paths: readonly string[]): Promise<Described> {
  const [first = ''] = paths
  const directory = statSync(first).isDirectory() ? first : dirname(first)
  // The last is the one that holds for all rows.
  let last: { readonly given: Parameters<DefinitionsOf>; readonly plan: Plan } | undefined
  const source = await openPackage(paths.length === 1 ? first : paths, {
    definitionsOf: (...given) => {
      const plan = definitionsOf(...given)
      last = { given, plan }
      return plan
    },
  })
  if (last === undefined) throw new OperationalError(`${first} has no table to describe`)
  const {
    given: [descriptor, samples],
    plan,
  } = last
  const traits = new Map<string, FileTraits>()
  for (const path of descriptor.resources.flatMap((resource) => resource.paths))
    if (!isAddress(path)) traits.set(path, await fileTraits(join(directory, path)))
  return { descriptor: describedPackage(descriptor, samples, plan, traits), source }
}
