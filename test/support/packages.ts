// Packages to test with, made of definitions and rows without a file.
import { catalogOf } from '../../packages/server/src/catalog/catalog.ts'
import type { Entity } from '../../packages/server/src/catalog/entity.ts'
import { creditsOf } from '../../packages/server/src/source/package/credits.ts'
import type { PackageInfo } from '../../packages/server/src/source/package/package-info.ts'
import type { Source } from '../../packages/server/src/source/source.ts'
import { type Rows, sourceOf } from './releases.ts'

/** A source that comes in the place of what a home has of these packages. */
export const sourceOfPackages = (source: Source, packages: readonly PackageInfo[]): Source => ({
  ...source,
  packages,
  replaces: packages.map(({ name }) => name),
  origin: { ...source.origin, credits: packages.flatMap((info) => creditsOf(info, info.lists)) },
})

/** A package with these lists, whose rows may refer to lists of others that are defined too. */
export const packageOf = (
  name: string,
  entities: readonly Entity[],
  rows: Rows,
  more: Partial<PackageInfo> = {},
): Source => {
  const info = { name, licenses: [], sources: [], keywords: [], contributors: [], lists: Object.keys(rows), ...more }
  return sourceOfPackages(sourceOf(rows, {}, catalogOf(entities)), [info])
}

/** A source without records, as the fallback of a home that has packages only. */
export const nothing: Source = sourceOf({}, {}, catalogOf([]))
