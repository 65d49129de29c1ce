// The numbers of records in a release, as one line.
import { v1Collections } from '../../catalog/collections.ts'
import type { Release } from '../../release/release.ts'

const number = new Intl.NumberFormat('en')
/** The most lists that are named. */
const MAX_NAMED = 5

/** Counts the lists of API v1; if there are none, the first lists of the release. */
export function countsOf(release: Release): string {
  const ofV1 = v1Collections(release.catalog)
  const lists = [...release.catalog.entities.values()].map(({ name, plural }) => ({ name: plural, entity: name }))
  const named = ofV1.length > 0 ? ofV1 : lists.slice(0, MAX_NAMED)
  const counts = named.map(({ name, entity }) => `${number.format(release.entity(entity).count)} ${name}`)
  const others = ofV1.length > 0 ? 0 : lists.length - named.length
  return [...counts, ...(others > 0 ? [`and ${number.format(others)} more lists`] : [])].join(', ')
}
