// Examples for the API reference out of the records themselves: what people look for, and not whatever comes first.

import type { Entity } from '../catalog/entity.ts'
import type { PublishedRecord } from '../catalog/flatten.ts'
import { importanceFieldsOf } from '../catalog/importance-fields.ts'
import { ancestorsOf, ownerOf, waysFrom } from '../catalog/lineage.ts'
import { recordVariables } from '../http/v2/record-paths.ts'
import { embeddedIn } from './ancestry.ts'
import { keySegments } from './links.ts'
import { nameOf } from './names.ts'
import type { View } from './view.ts'

export type Examples = {
  /** The value of a variable in the path of a record of a list. */
  readonly inPath: (list: string, name: string) => string
  /** An example for a parameter; one of the list itself, if it has one. */
  readonly given: (name: string) => string
}

const MAX_NAME = 40

export function examplesOf(view: View): Examples {
  const { api } = view
  const records = exampleRecords(view)
  const [entity, record] = [...records][0] ?? []
  const name = entity === undefined || record === undefined ? '' : nameOf(view, entity, record).slice(0, MAX_NAME)
  const parent = entity && ancestorsOf(entity)[0]?.entity
  const idOf = (one: Entity | undefined, separator: string) => {
    const key = one && records.get(one)
    return one === undefined || key === undefined ? '' : `${one.plural}${separator}${keySegments(one, key).join('/')}`
  }
  const given = new Map(
    Object.entries({
      digest: api.release.digest,
      from: api.releases().at(-1)?.digest ?? api.release.digest,
      q: name,
      prefix: name,
      within: idOf(parent, ':'),
      type: entity?.plural ?? '',
      id: idOf(entity, '/'),
      queries: JSON.stringify({ q0: { query: name, type: entity?.plural ?? '', limit: 3 } }),
      body: JSON.stringify([{ q: name }]),
    }),
  )
  const inPath = new Map<string, string>()
  for (const [of, known] of records) {
    const segments = keySegments(of, known)
    for (const [at, [variable]] of recordVariables(of).entries()) {
      // The first may be that of the record within which others are numbered.
      const lists = at === 0 ? [of, ownerOf(of)?.entity ?? of] : [of]
      for (const { plural } of lists) inPath.set(`${plural} ${variable}`, segments[at] ?? '')
    }
  }
  return { inPath: (list, variable) => inPath.get(`${list} ${variable}`) ?? '', given: (one) => given.get(one) ?? '' }
}

/** A record of each list: the most populous one, and those that it belongs to; of others the first. */
function exampleRecords({ api }: View): ReadonlyMap<Entity, PublishedRecord> {
  const records = new Map<Entity, PublishedRecord>()
  const isPopulated = (entity: Entity) => {
    const { population } = importanceFieldsOf(entity)
    return population !== undefined && api.knownFacts(entity).includes(population)
  }
  const deepestFirst = api.entities.toReversed()
  for (const entity of [...deepestFirst.filter(isPopulated), ...deepestFirst]) {
    if (records.has(entity)) continue
    const sort = isPopulated(entity) ? ([['sort', `-${importanceFieldsOf(entity).population}`]] as const) : []
    const [record] = api.list(entity, [['per_page', '1'], ...sort]).records
    if (record === undefined) continue
    records.set(entity, record)
    for (const [ancestor, { steps }] of waysFrom(entity)) {
      const embedded = embeddedIn(record, steps)
      if (embedded !== undefined && !records.has(ancestor)) records.set(ancestor, embedded)
    }
  }
  return records
}
