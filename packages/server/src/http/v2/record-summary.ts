// A record in a response: as it is published, its ancestors, and a summary of it with its name, key, code and address.
import type { Entity } from '../../catalog/entity.ts'
import { type PublishedRecord, recordParser } from '../../catalog/flatten.ts'
import { ancestorsOf } from '../../catalog/lineage.ts'
import { codeIn } from '../../catalog/official-code.ts'
import { nameReplacer, nameShown } from '../../query/formats/shown-names.ts'
import { treeOf } from '../../query/tree.ts'
import type { Release } from '../../release/release.ts'
import { keyOf, recordPath } from './record-key.ts'

const decoder = new TextDecoder()

/** A record as it is published. A number that would lose digits is a text. */
export const publishedRecord = (release: Release, name: string, position: number): PublishedRecord => {
  const { definition, records } = release.entity(name)
  return recordParser(definition)(decoder.decode(records.record(position))) as PublishedRecord
}

/** The address of the service in links, and the only language that names are shown in; undefined for all. */
export type SummaryOptions = { readonly baseUrl: string; readonly language?: string | undefined }

/** A tree may be a chain, of which nobody reads more. */
const MAX_TREE_ANCESTORS = 32

export type EntityRecord = { readonly entity: Entity; readonly record: PublishedRecord }

/** The ancestors of a record in its tree, the nearest first, then the records that it embeds. */
export function ancestorsOfRecord(
  release: Release,
  { entity, record }: EntityRecord,
  position: number,
): EntityRecord[] {
  const { name } = entity
  const treeAncestors = treeOf(release.entity(name))?.ancestorsOf(position, 0, MAX_TREE_ANCESTORS) ?? []
  return [
    ...Array.from(treeAncestors, (at) => ({ entity, record: publishedRecord(release, name, at) })),
    ...embeddedAncestors({ entity, record }),
  ]
}

/** The records that one embeds, the nearest first, up to the first that is missing. */
export function embeddedAncestors({ entity: definition, record }: EntityRecord): EntityRecord[] {
  const ancestors: EntityRecord[] = []
  let ancestor = record
  for (const { field, entity } of ancestorsOf(definition)) {
    const next = ancestor[field] as PublishedRecord | null | undefined
    if (next === null || next === undefined) break
    ancestors.push({ entity, record: next })
    ancestor = next
  }
  return ancestors
}

export function summarizeRecord(
  release: Release,
  name: string,
  position: number,
  { baseUrl, language }: SummaryOptions,
  published: PublishedRecord = publishedRecord(release, name, position),
) {
  const { definition } = release.entity(name)
  const rename = language === undefined ? undefined : nameReplacer(release, release.entity(name), language)
  const record = rename?.(published, position) ?? published
  const ancestors = ancestorsOfRecord(release, { entity: definition, record }, position)
  return {
    collection: definition.plural,
    key: keyOf(definition, record),
    code: codeIn(definition, record) ?? null,
    url: `${baseUrl}${recordPath(definition, record)}`,
    name: nameShown(definition, record, language),
    breadcrumb: ancestors.map((one) => nameShown(one.entity, one.record, language)),
    parents: ancestors.map((one) => ({
      collection: one.entity.plural,
      key: keyOf(one.entity, one.record),
      code: codeIn(one.entity, one.record) ?? null,
    })),
  }
}
