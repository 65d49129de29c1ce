// Says what of a harvested record is left out because it contradicts another: what it embeds, and what it repeats.
import { entities } from '../../catalog/entities.ts'
import type { Entity } from '../../catalog/entity.ts'
import type { PublishedRecord } from '../../catalog/flatten.ts'
import type { Findings } from '../findings.ts'
import type { Parents, Place } from './parents.ts'
import { copyChecker, embeddedVisitor } from './record.ts'

const copyCheckers = new Map(Object.values(entities).map((entity) => [entity.name as string, copyChecker(entity)]))

/** For records of sound shape. */
export function oddityFinder(entity: Entity, parents: Parents, findings: Findings) {
  const visitEmbedded = embeddedVisitor(entity)
  const lookAtCopies = ({ name }: Entity, record: PublishedRecord, place: string) => {
    for (const field of copyCheckers.get(name)?.(record) ?? [])
      findings.add(
        'copy-differs',
        'a field differs from the one that it should repeat, and is left out',
        `${place}${field}: ${JSON.stringify(record[field])}`,
      )
  }
  return (record: PublishedRecord, { file, line }: Place): void => {
    const place = `${file}:${line}, `
    lookAtCopies(entity, record, place)
    visitEmbedded(record, (parent, inner, path) => {
      lookAtCopies(parent, inner, `${place}${path}.`)
      const difference = parents.difference(parent, inner)
      if (difference === undefined) return
      findings.add(
        'embedded-differs',
        'an embedded record differs from the one with its identifier elsewhere, and is left out',
        `${place}${path}: ${difference}`,
      )
    })
  }
}
