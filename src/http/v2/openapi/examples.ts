// Real answers of a release, to show in the document.
import { type EntityName, entities, entityNames } from '../../../catalog/entities.ts'
import type { Entity } from '../../../catalog/entity.ts'
import type { PublishedRecord } from '../../../catalog/flatten.ts'
import { wordsOf } from '../../../catalog/words.ts'
import { bodyOf, type Format, recordEncoder } from '../../../page/rendition.ts'
import type { Release } from '../../../release/release.ts'
import type { Json } from './parts.ts'

const SHOWN = 2
const decoder = new TextDecoder()

const firstRecords = (release: Release, name: EntityName, most: number): Uint8Array[] =>
  Array.from({ length: Math.min(release.entity(name).records.count, most) }, (_, at) =>
    release.entity(name).records.record(at),
  )

/** The first records of an entity, in one of the forms. */
export function recordsExample(release: Release, name: EntityName, format: Format, most: number = SHOWN): Json {
  const encoder = recordEncoder(entities[name], { format, fields: undefined, embed: 'full' })
  const body = decoder.decode(bodyOf(encoder, firstRecords(release, name, most)))
  return { example: format === 'json' ? JSON.parse(body) : body }
}

/** The first record of an entity itself, if there is one. */
export function recordExample(release: Release, name: EntityName): Json {
  const [first] = firstRecords(release, name, 1)
  return first === undefined ? {} : { example: JSON.parse(decoder.decode(first)) }
}

/** The first word of the first name that has one. */
export function wordToSearch(release: Release): string | undefined {
  const names = entityNames.flatMap((name) => {
    const entity: Entity = entities[name]
    const field = Object.keys(entity.fields).find((one) => entity.fields[one]?.kind === 'name') as string
    const [first] = firstRecords(release, name, 1)
    return first === undefined ? [] : [(JSON.parse(decoder.decode(first)) as PublishedRecord)[field] as string]
  })
  return names.flatMap(wordsOf)[0]
}
