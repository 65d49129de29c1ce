// How many records a release has, in a line.
import { v1Collections } from '../../catalog/collections.ts'
import type { Release } from '../../release/release.ts'

const number = new Intl.NumberFormat('en')

export const countsOf = (release: Release): string =>
  v1Collections(release.catalog)
    .map(({ name, entity }) => `${number.format(release.entity(entity).count)} ${name}`)
    .join(', ')
