// Keeps the numbering of the current release for a source that goes on with it, as an edited export of the release does.
import { flatten, parsedRecord } from '../../catalog/flatten.ts'
import { numberingIn, type Source } from '../../source/source.ts'
import { countIn } from '../diff.ts'
import { codeOf } from '../home/id-registry.ts'
import { type Manifest, numberingOf, type ReleasedEntity } from '../manifest.ts'
import type { OpenEntity, Release } from '../release.ts'
import type { BuiltUpon } from './completion.ts'

const MIN_SHARE_KEPT = 0.5

/**
 * The manifest with the numbering of the current release for entities of which the source does not give it, and most of whose
 * records have the identifiers and codes that they have there.
 */
export async function withContinuedNumbering(
  manifest: Manifest,
  source: Source,
  { release: current, damageOf }: BuiltUpon,
  built: Release,
): Promise<Manifest> {
  const entities: Record<string, ReleasedEntity> = { ...manifest.entities }
  for (const [name, released] of Object.entries(manifest.entities)) {
    const numbering = numberingOf(current.manifest, name)
    const isTold = !source.provides.includes(name) || source.numbering?.[name] !== undefined
    if (isTold || numbering === numberingIn(source, name) || countIn(current, name) === 0) continue
    if ((await damageOf(name)) !== undefined) continue
    if (shareKept(current.entity(name), built.entity(name)) >= MIN_SHARE_KEPT)
      entities[name] = { ...released, numbering }
  }
  return { ...manifest, entities }
}

/** The share of the records that had the same identifiers and the same code before. */
function shareKept(before: OpenEntity, after: OpenEntity): number {
  const known = new Set(identitiesOf(before))
  let kept = 0
  for (const identity of identitiesOf(after)) if (known.has(identity)) kept++
  return after.count === 0 ? 0 : kept / after.count
}

function* identitiesOf({ definition, records, count }: OpenEntity): Generator<string> {
  for (let position = 0; position < count; position++) {
    const row = flatten(definition, parsedRecord(records.record(position)))
    yield `${definition.key.map((field) => row[field]).join('/')} ${codeOf(definition, row)}`
  }
}
