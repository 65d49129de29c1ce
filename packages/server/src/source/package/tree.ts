// The tree that the records of a list form: what leads nowhere, to itself or in a circle is told and cut.
import type { Identity } from '../../catalog/entity.ts'
import type { FieldPlan } from './descriptor.ts'
import type { ListRecords } from './list-records.ts'

/** A record, and what its row says is above it. */
export type Above = { readonly identity: Identity; readonly above: Identity; readonly place: number }

type Tell = (kind: string, description: string, place: number, text: string) => void

export function plantTree(records: ListRecords, given: readonly Above[], plan: FieldPlan, tell: Tell): void {
  if (plan.prefixes !== undefined || plan.separator !== undefined) {
    for (const identity of records.identities()) {
      const above = aboveByPrefix(String(identity), records, plan)
      if (above !== undefined) records.above.set(identity, above)
    }
    return
  }
  const places = new Map<Identity, number>()
  for (const { identity, above, place } of given) {
    const shown = shownIdentity(above)
    if (!records.has(above)) {
      tell('parent-not-found', 'a record is below one that is not there, and becomes a root', place, shown)
    } else if (above === identity) {
      tell('own-parent', 'a record is its own parent, and becomes a root', place, shown)
    } else {
      records.above.set(identity, above)
      places.set(identity, place)
    }
  }
  cutCircles(records, (identity) =>
    tell(
      'parents-in-a-circle',
      'records are below each other in a circle, which is cut here',
      places.get(identity) ?? 0,
      shownIdentity(identity),
    ),
  )
}

const shownIdentity = (identity: Identity) => String(identity).replaceAll('\0', ', ')

/** The longest beginning that is a code itself. */
function aboveByPrefix(code: string, records: ListRecords, { prefixes, separator }: FieldPlan): string | undefined {
  if (separator !== undefined) {
    for (let end = code.lastIndexOf(separator); end > 0; end = code.lastIndexOf(separator, end - 1))
      if (records.has(code.slice(0, end))) return code.slice(0, end)
    return undefined
  }
  const lengths = (prefixes ?? []).filter((length) => length < code.length).sort((one, other) => other - one)
  const length = lengths.find((one) => records.has(code.slice(0, one)))
  return length === undefined ? undefined : code.slice(0, length)
}

/** Goes up from each record; whoever meets the way that it came is in a circle. */
function cutCircles({ above }: ListRecords, tell: (identity: Identity) => void): void {
  const done = new Set<Identity>()
  for (const start of above.keys()) {
    const way = new Set<Identity>()
    let at: Identity | undefined = start
    while (at !== undefined && !done.has(at) && !way.has(at)) {
      way.add(at)
      at = above.get(at)
    }
    if (at !== undefined && way.has(at)) {
      above.delete(at)
      tell(at)
    }
    for (const identity of way) done.add(identity)
  }
}
