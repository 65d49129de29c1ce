// The state of a shelf: its generation, the changes that led to it, the current release, and all releases.
//
// A change adds one to the generation and names the changes before it. So two states can be compared by themselves: either one led to
// the other, or they have forked, as with two databases that both act as the primary. Then a person decides which side is right: the state
// that is declared right begins a new chain, with a generation after all others.

import { join } from 'node:path'
import { parsedObject } from '../../base/json-bounds.ts'
import {
  boolean,
  listOf,
  objectOf,
  optional,
  readOrUndefined,
  type TypeOf,
  text,
  wholeNumber,
} from '../../base/schema.ts'
import { sha256 } from '../../base/texts.ts'
import { replaceDurably } from '../../release/files/durable-file.ts'
import { hasText, readTextSync } from '../../release/files/regular-file.ts'

const CHAIN_KEPT = 100
/** The greatest number of releases on a shelf. */
export const MAX_RELEASES = 10_000

const change = text(100, /^[ -~]*$/, 'a name of at most 100 printable letters')
const members = {
  /** Counted, or the milliseconds since 1970 of a change. */
  generation: wholeNumber(0, Date.UTC(2100)),
  /** The name of the change that led to this state. */
  change,
  /** The names of the last `CHAIN_KEPT` changes before it, latest first. */
  chain: listOf(change, CHAIN_KEPT),
}

export const plainPointer = objectOf(members)
export type Pointer = TypeOf<typeof plainPointer>

export const pointerOf = ({ generation, change, chain }: Pointer): Pointer => ({ generation, change, chain })

/** A pointer, and the digest of the listing that it points to. */
export const listedPointer = objectOf({ ...members, listing: sha256 })
export type ListedPointer = TypeOf<typeof listedPointer>

/** The files in the directory of a release, by name. */
export type ReleaseFiles = Readonly<Record<string, string>>

/** A shelf at one moment. */
export type Listing = Pointer & {
  /** The content of the file `current` of a home; empty if there is no release yet. */
  readonly history: string
  /** The content of `id-registry.json` of a home; empty if there is none yet. */
  readonly idRegistry: string
  readonly releases: ReadonlyMap<string, ReleaseFiles>
}

export const followed = objectOf({
  ...members,
  /** True if the home has all releases of that state, and not only the current one. */
  complete: boolean,
  /** The releases that the home had before it followed a shelf. */
  own: listOf(sha256, MAX_RELEASES),
  /** Until it is complete, the last state that was, if there was any: what is sound may go on from there instead. */
  whole: optional(plainPointer),
  /** The names of later changes to the home alone, latest last: nodes that follow the home get them. */
  ahead: optional(listOf(change, 100_000)),
})

/** The state of the shelf that a home has. */
type Followed = TypeOf<typeof followed>

const followedFile = (home: string) => join(home, 'shelf.json')

/** Without it everything is compared again, and nothing is lost. */
export const readFollowed = (home: string): Followed | undefined =>
  readOrUndefined(followed, parsedObject(readTextSync(followedFile(home)) ?? ''))

export function saveFollowed(home: string, { generation, change, chain, complete, own, whole, ahead }: Followed): void {
  const text = `${JSON.stringify({ generation, change, chain, complete, own, whole, ahead })}\n`
  if (hasText(followedFile(home), text)) return
  replaceDurably(followedFile(home), text)
}

const EMPTY: Pointer = { generation: 0, change: '', chain: [] }

/** The state that a change leads to. */
export const nextPointer = (base: Pointer, change: string): Pointer => ({
  generation: base.generation + 1,
  change,
  chain: base.generation === 0 ? [] : [base.change, ...base.chain].slice(0, CHAIN_KEPT),
})

const DAY = 86_400_000

/** True for the time of a change that has not come yet. A state that has it is not followed: it would keep out all that come after it. */
const isYetToCome = (generation: number, now: number): boolean => generation > now + DAY

/** A state that a person declares right: later than the base, than the generation that this home has followed, and than now. */
export const declaredPointer = (base: Pointer, followed: number, now = Date.now()): Pointer => ({
  generation: Math.max(
    now,
    ...[base.generation, followed].filter((one) => !isYetToCome(one, now)).map((one) => one + 1),
  ),
  change: crypto.randomUUID(),
  chain: [],
})

/** The name of a state on a relay that does not have all of its releases yet. */
export const partOf = (change: string): string => `${wholeOf(change)}-part`
const wholeOf = (change: string): string => change.replace(/-part$/, '')

/** Compares two states. If the chain of the later one does not reach back to the other, only their generations count. */
export function relationOf(one: Pointer, other: Pointer): 'same' | 'after' | 'before' | 'fork' {
  const steps = one.generation - other.generation
  if (steps === 0) {
    if (wholeOf(one.change) !== wholeOf(other.change)) return 'fork'
    return one.change === other.change ? 'same' : one.change === partOf(one.change) ? 'before' : 'after'
  }
  const [later, earlier] = steps > 0 ? [one, other] : [other, one]
  const ancestor = later.chain[Math.abs(steps) - 1]
  if (ancestor !== undefined && ancestor !== wholeOf(earlier.change)) return 'fork'
  return steps > 0 ? 'after' : 'before'
}

/** A state and the host that has it. */
export type HostPointer = Pointer & { readonly host: string; readonly listing?: string }

/** Hosts may claim different content under the name of one change: each is a state of its own. */
export const stateName = ({ generation, change, listing = '' }: Pointer & { readonly listing?: string }): string =>
  JSON.stringify([generation, change, listing])

type Comparison<P> = {
  /** The states that continue that of the home, the longest chain first. */
  readonly states: readonly P[]
  /** The reason why a person has to decide. */
  readonly trouble?: { readonly kind: 'older' | 'fork' | 'refused'; readonly message: string }
}

/** Compares the states of all hosts of a shelf with the state that a home follows. */
export function compareStates<P extends HostPointer>(
  pointers: readonly P[],
  followed: (Pointer & Partial<Pick<Followed, 'complete' | 'whole'>>) | undefined,
  now = Date.now(),
): Comparison<P> {
  const isSound = ({ generation }: Pointer) => !isYetToCome(generation, now)
  const sorted = pointers
    .filter(isSound)
    .toSorted((a, b) => b.generation - a.generation || (a.change < b.change ? -1 : 1))
  const bases =
    followed === undefined ? [] : [followed, ...(followed.complete === false ? [followed.whole ?? EMPTY] : [])]
  const goesOn = (one: P) =>
    !bases.some(isSound) || bases.some((base) => isSound(base) && ['after', 'same'].includes(relationOf(one, base)))
  const isFirst = (one: P, at: number) => sorted.findIndex((other) => stateName(other) === stateName(one)) === at
  const states = sorted.filter((one, at) => goesOn(one) && isFirst(one, at))
  const base = states[0] ?? followed
  const fork = base && sorted.find((one) => relationOf(one, base) === 'fork')
  if (base !== undefined && fork !== undefined)
    return { states, trouble: { kind: 'fork', message: forkWords(fork, base) } }
  const unsound = pointers.find((one) => !isSound(one))
  if (unsound !== undefined) return { states, trouble: { kind: 'refused', message: yetToComeWords(unsound) } }
  const [newest] = sorted
  if (states.length > 0 || newest === undefined || followed === undefined) return { states }
  if (wholeOf(newest.change) === followed.change) return { states }
  return { states, trouble: { kind: 'older', message: olderWords(newest, followed) } }
}

const DECIDE =
  'To go on with what the shelf has, run nomenclator shelf accept; to bring back what a home has, nomenclator shelf publish.'

const yetToComeWords = ({ host, generation }: HostPointer): string =>
  `${host} has generation ${generation}, which is a time that is yet to come, and is not followed. Set the clock of this machine if it is ` +
  'late; otherwise run nomenclator shelf accept, or export the files of the shelf again.'

const olderWords = ({ host, generation }: HostPointer, followed: Pointer): string =>
  `${host} was restored to an older state: it has generation ${generation}, and this home has followed ${followed.generation}. ${DECIDE}`

const forkWords = (fork: HostPointer, { generation, change, ...base }: Pointer & { readonly host?: string }): string =>
  `THE SHELF HAS FORKED: ${fork.host} has generation ${fork.generation} (${fork.change.slice(0, 12)}), which is not on the ` +
  `same chain as generation ${generation} (${change.slice(0, 12)}) ${base.host === undefined ? 'of this home' : `of ${base.host}`}. ` +
  `Publish to neither before it is decided which one is right: stop the other, or give --shelf without it. ${DECIDE}`
