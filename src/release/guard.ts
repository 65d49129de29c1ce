// Refuses an import that would surprise those who rely on the current release.
import { type EntityName, entities, entityNames } from '../catalog/entities.ts'
import { flatten } from '../catalog/flatten.ts'
import { type Change, diffEntity, sameRecords } from './diff.ts'
import { codeOf } from './id-registry.ts'
import type { StoredRelease } from './release.ts'

export type ChangeCounts = { readonly added: number; readonly changed: number; readonly removed: number }
export type EntityChanges = ChangeCounts & {
  /** The same records, in another order. */
  readonly reordered: boolean
  /** How often each field changed. */
  readonly fields: Readonly<Record<string, number>>
  /** Identifiers that now belong to another official code. */
  readonly reowned: { readonly count: number; readonly examples: readonly string[] }
}
export type Changes = Readonly<Record<EntityName, EntityChanges>>

const MAX_LOST = 0.05
const EXAMPLES_KEPT = 5

export function compareReleases(older: StoredRelease, newer: StoredRelease): Changes {
  const compared = entityNames.map((name) => {
    const changes = summarise(name, diffEntity(older, newer, name))
    const none = changes.added + changes.changed + changes.removed === 0
    return [name, { ...changes, reordered: none && !sameRecords(older, newer, name) }]
  })
  return Object.fromEntries(compared)
}

function summarise(name: EntityName, changes: Iterable<Change>): Omit<EntityChanges, 'reordered'> {
  const counts = { added: 0, changed: 0, removed: 0 }
  const fields: Record<string, number> = {}
  const reowned = { count: 0, examples: [] as string[] }
  const entity = entities[name]
  for (const change of changes) {
    counts[change.change]++
    if (change.change !== 'changed') continue
    for (const field of change.fields) fields[field] = (fields[field] ?? 0) + 1
    const [was, is] = [change.before, change.after].map((record) => codeOf(entity, flatten(entity, record)))
    if (was === is) continue
    reowned.count++
    if (reowned.examples.length < EXAMPLES_KEPT) reowned.examples.push(`${name} ${change.key}: ${was} is now ${is}`)
  }
  return { ...counts, fields, reowned }
}

/** Why the newer release should not replace the older one without being told to; empty when it may. */
export function breakingChanges(older: StoredRelease, newer: StoredRelease, changes: Changes): string[] {
  return entityNames.flatMap((name) => {
    const before = older.manifest.entities[name].count
    const { removed, reowned } = changes[name]
    if (before > 0 && newer.manifest.entities[name].count === 0) return [`${name}: all ${before} records would be gone`]
    const found: string[] = []
    if (removed > before * MAX_LOST) found.push(`${name}: ${removed} of ${before} records would be gone`)
    if (reowned.count > 0) {
      found.push(`${name}: ${reowned.count} identifiers would change owner, such as ${reowned.examples[0]}`)
    }
    return found
  })
}
