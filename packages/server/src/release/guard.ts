// Refuses an import that would break what those who rely on the current release expect of it.
import { OperationalError } from '../base/operational-error.ts'
import { flatten, parsedRecord } from '../catalog/flatten.ts'
import { contradictionKinds } from './build/record-findings.ts'
import { declarationChanges } from './declaration-changes.ts'
import {
  catalogOfBoth,
  countIn,
  diffJson,
  fieldsThatDiffer,
  hasOtherKey,
  hasSameOrder,
  isRenumbered,
  lostFacts,
} from './diff.ts'
import { areMostlyDoubtful } from './doubtful-records.ts'
import { codeOf } from './home/id-registry.ts'
import { numberingOf } from './manifest.ts'
import type { Release } from './release.ts'

export type EntityChanges = {
  readonly added: number
  readonly changed: number
  readonly removed: number
  /** True if it has the same records in another order. */
  readonly reordered: boolean
  /** How often each field changed. */
  readonly fields: Readonly<Record<string, number>>
  /** Identifiers that belong to another official code than before. */
  readonly reassigned: { readonly count: number; readonly examples: readonly string[] }
  /** The records before are damaged: only their number could be compared. */
  readonly isByNumber?: boolean
  /** The records before belong to another numbering: all of them were removed, and those of now added. */
  readonly isRenumbered?: boolean
  /** The facts that are known of no record any more, which are no changes of each record. */
  readonly lostFacts?: readonly string[]
}
export type ChangesByEntity = Readonly<Record<string, EntityChanges>>

const MAX_SHARE_REMOVED = 0.05
const EXAMPLES_KEPT = 5

/** The entities whose records cannot be read, with the number of records in their manifests. */
type Unreadable = ReadonlyMap<string, { readonly count: number }>

export function compareReleases(older: Release, newer: Release, unreadable: Unreadable = new Map()): ChangesByEntity {
  const compared = [...catalogOfBoth(older, newer).entities.keys()].map((name): [string, EntityChanges] => {
    const before = unreadable.get(name)
    const [removed, added] = [countIn(older, name), countIn(newer, name)]
    if (before !== undefined) {
      const [fewer, more] = [Math.max(before.count - added, 0), Math.max(added - before.count, 0)]
      return [name, { ...NONE, added: more, removed: fewer, isByNumber: true }]
    }
    if (isRenumbered(older, newer, name)) return [name, { ...NONE, added, removed, isRenumbered: true }]
    const changes = summarised(older, newer, name)
    const none = changes.added + changes.changed + changes.removed === 0
    const lost = lostFacts(older, newer, name)
    const reordered = none && !hasSameOrder(older, newer, name)
    return [name, { ...changes, reordered, ...(lost.length === 0 ? {} : { lostFacts: lost }) }]
  })
  return Object.fromEntries(compared)
}

const NONE = { changed: 0, reordered: false, fields: {}, reassigned: { count: 0, examples: [] } } as const

function summarised(older: Release, newer: Release, name: string): Omit<EntityChanges, 'reordered'> {
  const counts = { added: 0, changed: 0, removed: 0 }
  const fields = new Map<string, number>()
  const reassigned = { count: 0, examples: [] as string[] }
  for (const change of diffJson(older, newer, name, { withoutLostFacts: true })) {
    const { key, old, new: now } = change ?? {}
    if (old === undefined || now === undefined) {
      if (change !== undefined) counts[old === undefined ? 'added' : 'removed']++
      continue
    }
    counts.changed++
    for (const field of fieldsThatDiffer(old, now)) fields.set(field, (fields.get(field) ?? 0) + 1)
    const { definition } = newer.entity(name)
    const [was, is] = [old, now].map((json) => codeOf(definition, flatten(definition, parsedRecord(json))))
    if (was === is) continue
    reassigned.count++
    if (reassigned.examples.length === EXAMPLES_KEPT) continue
    reassigned.examples.push(`${name} ${Object.values(key ?? {}).join('/')}: ${was} is now ${is}`)
  }
  return { ...counts, fields: Object.fromEntries(fields), reassigned }
}

/** Why the newer release should not replace the older one unless that is accepted; empty when it may. Anything may replace invented records. */
export function breakingChanges(older: Release, newer: Release, changes: ChangesByEntity): string[] {
  const invented = (name: string) => numberingOf(older.manifest, name) === 'synthetic'
  const declarations = Object.keys(older.manifest.entities).filter((name) => !invented(name))
  return [
    ...declarations.flatMap((name) => declarationChanges(older, newer, name)),
    ...Object.entries(changes).flatMap(([name, ofEntity]) =>
      invented(name) ? [] : lostRecords(older, newer, name, ofEntity),
    ),
  ]
}

function lostRecords(older: Release, newer: Release, name: string, { removed, reassigned, isByNumber }: EntityChanges) {
  // A list that is gone is reported as a change of its declaration.
  if (!newer.catalog.entities.has(name)) return []
  const before = older.manifest.entities[name]?.count ?? 0
  const by = isByNumber ? ' by their number, since those of the current release are damaged' : ''
  if (before > 0 && countIn(newer, name) === 0) return [`${name}: all ${before} records would be gone${by}`]
  const isByKey = !hasOtherKey(older, newer, name)
  const gone = isByKey ? removed : before - countIn(newer, name)
  const isTooMuch =
    gone > before * MAX_SHARE_REMOVED &&
    !(isByKey && isByNumber !== true && areMostlyDoubtful(older, newer, name, MAX_SHARE_REMOVED))
  const breaks: string[] = []
  if (isTooMuch) breaks.push(`${name}: ${gone} of ${before} records would be gone${by}`)
  if (reassigned.count > 0)
    breaks.push(`${name}: ${reassigned.count} identifiers would change owner, such as ${reassigned.examples[0]}`)
  return breaks
}

const MAX_CONTRADICTIONS = 20
const MAX_SHARE_CONTRADICTIONS = 0.005

/**
 * The references of a release that contradict each other, where they are more than a handful: then records refer to the wrong
 * ones. A few are data, which a client of API v1 must expect; a catalog may have one in 500.
 */
export function contradictionsIn({ catalog, manifest }: Release): string[] {
  return manifest.findings.flatMap(({ entity = '', kind, description, count, examples }) => {
    const definition = catalog.entities.get(entity)
    const of = manifest.entities[entity]?.count ?? 0
    if (definition === undefined || !contradictionKinds(definition).includes(kind)) return []
    const isHandful = count <= MAX_CONTRADICTIONS || count <= of * MAX_SHARE_CONTRADICTIONS
    return isHandful ? [] : [`${count} of ${of} ${definition.plural}: ${description}, such as ${examples.join('; ')}`]
  })
}

export function refuseContradictions(release: Release): void {
  const found = contradictionsIn(release)
  if (found.length > 0) throw new ContradictingReferences(found)
}

class ContradictingReferences extends OperationalError {
  constructor(found: readonly string[]) {
    super(
      `more than a handful of references contradict each other, so that records would be served in the wrong place:\n` +
        `${found.map((one) => `  ${one}\n`).join('')}` +
        'Nothing was changed, and --accept-changes does not let it through. The identifiers by which these records refer ' +
        'to others mean other records here: import these collections together with those that they refer to, or refer ' +
        'to them by official code.',
    )
  }
}
