// How many records a release has, in a line.
import { collections } from '../catalog/collections.ts'
import type { EntityName } from '../catalog/entities.ts'

const number = new Intl.NumberFormat('en')

export function countsOf(count: (entity: EntityName) => number): string {
  return collections.map(({ name, entity }) => `${number.format(count(entity))} ${name}`).join(', ')
}
