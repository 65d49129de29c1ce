// A record as a choice in a form: its value, and what it is called in each of some languages.
import { keySegment } from '../../base/api-v2.ts'
import { valueAt } from '../../base/json.ts'
import type { Entity, Identity } from '../../catalog/entity.ts'
import { type PublishedRecord, recordParser } from '../../catalog/flatten.ts'
import { ancestorsOf } from '../../catalog/lineage.ts'
import { codeIn } from '../../catalog/official-code.ts'
import { keyPathsOf } from '../../catalog/paths.ts'
import type { OpenEntity, Release } from '../../release/release.ts'
import { nameShown, ownNameReplacer } from './shown-names.ts'

export type FormChoice = { readonly value: string; readonly labels: readonly string[] }

/** The value that a form submits for a record: its official code, or else its key as it stands in its path. */
const valueIn = (entity: Entity, record: PublishedRecord): string =>
  codeIn(entity, record) ?? keySegment(keyPathsOf(entity).map(({ steps }) => valueAt(record, steps) as Identity))

const decoder = new TextDecoder()

type Languages = readonly (string | undefined)[]

/** Reads a record as a choice with a label in each language. */
export function choiceReader(
  entity: OpenEntity,
  languages: Languages,
): (json: Uint8Array, position: number) => FormChoice {
  const { definition } = entity
  const parse = recordParser(definition)
  const replacers = languages.map((language) => language && ownNameReplacer(entity, language))
  return (json, position) => {
    const record = parse(decoder.decode(json)) as PublishedRecord
    const labels = languages.map((language, at) => {
      const replace = replacers[at]
      return nameShown(definition, replace ? replace(record, position) : record, language)
    })
    return { value: valueIn(definition, record), labels }
  }
}

/** Reads what a record is in as choices, the nearest first and up to the first that is missing. Many records are in the same. */
export function choicesAbove(
  release: Release,
  entity: OpenEntity,
  languages: Languages,
): (position: number) => readonly FormChoice[] {
  const [step] = ancestorsOf(entity.definition)
  const none: readonly FormChoice[] = []
  if (step === undefined) return () => none
  const parent = release.entity(step.entity.name)
  const [read, above] = [choiceReader(parent, languages), choicesAbove(release, parent, languages)]
  const { values } = entity.index.column(step.field)
  const known = new Map<number, readonly FormChoice[]>()
  const choicesAt = (at: number) => [read(parent.records.record(at), at), ...above(at)]
  return (position) => {
    const at = values[position] as number
    return at < parent.count ? known.getOrInsertComputed(at, () => choicesAt(at)) : none
  }
}
