// Completes the rows of a test with one of every other entity, made from its definition; of facts nothing is known.
import fc from 'fast-check'
import type { Catalog } from '../../packages/server/src/catalog/catalog.ts'
import { type Entity, type Field, identifierOf } from '../../packages/server/src/catalog/entity.ts'
import type { GivenRow } from '../../packages/server/src/source/source.ts'
import type { Rows } from './releases.ts'

const FIRST_ID = 1

function cellOf(field: Field, given: Rows): GivenRow[string] {
  if (field.kind === 'id') return FIRST_ID
  if (field.kind === 'embed') return given[field.entity.name]?.[0]?.[identifierOf(field.entity)] ?? FIRST_ID
  if (field.kind !== 'code') return field.description
  const [code = ''] = fc.sample(fc.stringMatching(field.pattern), { numRuns: 1, seed: 1 })
  return code
}

function rowOf({ fields }: Entity, given: Rows): GivenRow {
  const own = Object.entries(fields).filter(([, { kind }]) => kind !== 'copy' && kind !== 'fact')
  return Object.fromEntries(own.map(([name, field]) => [name, cellOf(field, given)]))
}

export const completedRows = ({ entities }: Catalog, given: Rows): Rows =>
  Object.fromEntries([...entities].map(([name, entity]) => [name, given[name] ?? [rowOf(entity, given)]]))
