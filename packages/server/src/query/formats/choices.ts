// A record as a choice in a form: its value, and what it is called in each of some languages.
import { keySegment } from '../../base/api-v2.ts'
import { valueAt } from '../../base/json.ts'
import type { Entity, Identity } from '../../catalog/entity.ts'
import { type PublishedRecord, recordParser } from '../../catalog/flatten.ts'
import { ancestorsOf } from '../../catalog/lineage.ts'
import { codeIn } from '../../catalog/official-code.ts'
import { keyPathsOf } from '../../catalog/paths.ts'
import type { OpenEntity, Release } from '../../release/release.ts'
import { nameReplacer, nameShown } from './shown-names.ts'

export type FormChoice = { readonly value: string; readonly labels: readonly string[] }

/** The value that a form submits for a record: its official code, or else its key as it stands in its path. */
const valueIn = (entity: Entity, record: PublishedRecord): string =>
  codeIn(entity, record) ?? keySegment(keyPathsOf(entity).map(({ steps }) => valueAt(record, steps) as Identity))

const decoder = new TextDecoder()

/**
 * Reads a record, and those that it is in up to a number of them, the nearest first and up to the first that is missing, as choices
 * with a label in each language; undefined stands for the first that a record has.
 */
export function choiceReader(
  release: Release,
  entity: OpenEntity,
  languages: readonly (string | undefined)[],
  ancestors = ancestorsOf(entity.definition).length,
): (json: Uint8Array, position: number) => readonly FormChoice[] {
  const { definition } = entity
  const steps = ancestorsOf(definition).slice(0, ancestors)
  const parse = recordParser(definition)
  const replacers = languages.map((language) => language && nameReplacer(release, entity, language))
  return (json, position) => {
    const record = parse(decoder.decode(json)) as PublishedRecord
    let versions = replacers.map((replace) => (replace ? replace(record, position) : record))
    const choiceOf = (of: Entity): FormChoice => ({
      value: valueIn(of, versions[0] as PublishedRecord),
      labels: versions.map((version, at) => nameShown(of, version, languages[at])),
    })
    const choices = [choiceOf(definition)]
    for (const { field, entity: of } of steps) {
      if ((versions[0]?.[field] ?? null) === null) break
      versions = versions.map((version) => version[field] as PublishedRecord)
      choices.push(choiceOf(of))
    }
    return choices
  }
}
