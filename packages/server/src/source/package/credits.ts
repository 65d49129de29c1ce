// Whom to credit for the lists of a package: where it comes from, who made it, and under which licence.
import type { Origin } from '../source.ts'
import type { PackageInfo } from './package-info.ts'

const MAX_CREDIT = 500

export function creditsOf(info: PackageInfo, lists: readonly string[]): Origin['credits'] {
  const sources = info.sources.flatMap(({ title, path }) => title ?? path ?? [])
  const people = info.contributors.flatMap(({ title, organization }) => title ?? organization ?? [])
  const licences = info.licenses.flatMap(({ title, name, path }) => title ?? name ?? path ?? [])
  const parts = [
    info.title ?? info.name,
    ...(sources.length > 0 ? [`from ${sources.join(', ')}`] : []),
    ...(people.length > 0 ? [`by ${people.join(', ')}`] : []),
    ...(licences.length > 0 ? [`under ${licences.join(', ')}`] : []),
  ]
  const to = parts
    .join('; ')
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, MAX_CREDIT)
  return lists.length === 0 ? [] : [{ to, of: lists }]
}
