// The verdict on what a row may mean: whether the best match is the only one that fits, and how sure that is.
//
// It depends on the cost of the best match and on how far behind the next one is:
//   exact      every part is written as it is in the catalog, but for accents and case, or is a code
//   sure       something is abbreviated, misspelt or missing, and nothing else in the catalog is nearly as near
//   likely     the best candidate fits, but too much had to be assumed
//   ambiguous  several records fit equally well
//   none       nothing fits

import { ancestorsOf } from '../../catalog/lineage.ts'
import type { Release } from '../../release/release.ts'
import { ancestorAt, ancestorLevels } from '../search/ancestor-match.ts'
import { importanceOf } from '../search/importance.ts'
import { FAR_LARGER } from './by-size.ts'
import { entityNames } from './entity-names.ts'
import type { RowHow } from './record-match.ts'
import type { RowMatch } from './row-matches.ts'
import { placesIn } from './towns.ts'
import { ENTITY_NOISE_COST } from './written-part.ts'

export const VERDICTS = ['exact', 'sure', 'likely', 'ambiguous', 'none'] as const
export type Verdict = (typeof VERDICTS)[number]

export type Candidate = {
  /** The name of its entity. */
  readonly name: string
  readonly position: number
  /** From 0 to 1: 1 where everything is as it is written in the catalog. */
  readonly score: number
  readonly how: readonly RowHow[]
}

/** Which of some records is meant, and how sure that is. */
export type Decision = {
  readonly verdict: Verdict
  /** The best candidate; undefined if the verdict is `none`. */
  readonly record: Candidate | undefined
  /** The next best. */
  readonly alternatives: readonly Candidate[]
  /** Whether the best may well be another record than the one that is meant. */
  readonly isDoubtful: boolean
}

const NONE: Decision = { verdict: 'none', record: undefined, alternatives: [], isDoubtful: false }
const MAX_ALTERNATIVES = 5
/** The greatest cost of all parts together that a row may have to mean anything. */
const MAX_LIKELY_COST = 3.4
/** Up to this cost nothing is assumed; and so far behind must be what is next to an exact match. */
const MIN_MARGIN = 0.05
/** How far behind the next match must be where little is assumed, where more is, and where a text is a single name. */
const MIN_MARGIN_ASSUMED = 0.15
const MIN_MARGIN_MISSPELT = 0.2
const MIN_MARGIN_SINGLE = 0.5
const LITTLE_COST = 0.6
/** Another short name is easily made by an edit more. */
const SHORT_NAME = 7
const MIN_MARGIN_SHORT = 1.05
const minMargin = (cost: number, letters: number): number => {
  if (cost < MIN_MARGIN) return MIN_MARGIN
  if (cost <= LITTLE_COST) return MIN_MARGIN_ASSUMED
  return cost >= 1 && letters < SHORT_NAME ? MIN_MARGIN_SHORT : MIN_MARGIN_MISSPELT
}
const ROUNDING = 1e-9
const isNear = (a: number, b: number) => Math.abs(a - b) < ROUNDING
/** What the own name of a rival costs that begins with what was written. */
const PREFIX_RIVAL_COST = 0.3
/** The cost that a name of so many letters may have to be sure. */
const maxSureCost = (letters: number): number =>
  letters < 4 ? 0.3 : letters < 5 ? 1.2 : letters < 6 ? 1.7 : letters < 9 ? 2 : 2.6
/** What the ancestors may cost together: less than one of them that is another. */
const MAX_SURE_ANCESTORS_COST = 2.3

/** The verdict on some matches, the best first; a text of a single segment says less than one of several. */
export function verdictOn(release: Release, matches: readonly RowMatch[], isSingle = false): Decision {
  const verdict = verdictOf(release, matches, isSingle)
  if (verdict === 'none') return NONE
  const [first, ...others] = matches as [RowMatch, ...RowMatch[]]
  const record = toCandidate(first, verdict)
  // What comes later for its size, or for what it lies in, has no higher score.
  let maxScore = record.score
  const alternatives = others.slice(0, MAX_ALTERNATIVES).map((other) => {
    const alternative = toCandidate(other, 'ambiguous', maxScore)
    maxScore = alternative.score
    return alternative
  })
  return { verdict, record, alternatives, isDoubtful: first.isDoubtful }
}

function verdictOf(release: Release, matches: readonly RowMatch[], isSingle: boolean): Verdict {
  const [first] = matches
  if (first === undefined || first.cost - first.skipped > MAX_LIKELY_COST) return 'none'
  const cost = first.cost - first.skipped
  for (let at = 1; at < matches.length; at++) {
    const other = matches[at] as RowMatch
    const isBehind =
      isFarBehind(first, other, isSingle) ||
      isNamesakeBelow(release, first, other) ||
      (isSingle && isLesser(release, first, other))
    if (!isBehind) return 'ambiguous'
  }
  const isCertain =
    !first.isDoubtful &&
    !matches.some((other) => isAsShort(release, first, other)) &&
    !(isSingle && isHamletNearly(release, first)) &&
    first.ownCost <= maxSureCost(first.letters) &&
    cost - first.ownCost <= MAX_SURE_ANCESTORS_COST
  return !isCertain ? 'likely' : cost <= MIN_MARGIN ? 'exact' : 'sure'
}

/**
 * Whether what was written is some words of the names of two municipalities, or of their towns, and the other one is about as large or
 * larger: "Pinotepa".
 */
function isAsShort(release: Release, first: RowMatch, other: RowMatch): boolean {
  if (first.isWhole || other.name !== first.name || other.ownCost < MIN_SOME_WORDS_COST) return false
  // A name with "mpio. de" before it is written whole.
  const isPart = ({ how, isPrefix, ownCost }: RowMatch) =>
    isPrefix || (how.includes('dropped-words') && ownCost > ENTITY_NOISE_COST)
  if (!isPart(first) || !isPart(other)) return false
  const { entity, towns } = placesIn(release) ?? {}
  if (entity === undefined || towns === undefined) return false
  const [level] = ancestorLevels(release, towns)
  const parentOf = ({ name, position }: RowMatch) =>
    name === entity.name
      ? position
      : name === towns.name && level !== undefined
        ? ancestorAt(level, position)
        : undefined
  const importance = importanceOf(release, towns.name)
  const names = entityNames(release, towns)
  // How many people live in a municipality is often not known: its seat tells.
  const sizeOf = (match: RowMatch, parent: number) =>
    importance[match.name === towns.name ? match.position : (names.seatOf(parent) ?? -1)] ?? 0
  const [parent, otherParent] = [parentOf(first), parentOf(other)]
  if (parent === undefined || otherParent === undefined || parent === otherParent) return false
  return sizeOf(other, otherParent) > sizeOf(first, parent) - FAR_LARGER
}

/** From this cost on only some words of a name were written. */
const MIN_SOME_WORDS_COST = 1.8

/** Whether the best of some matches is sure. */
export const isSureMatch = (release: Release, matches: readonly RowMatch[]): boolean =>
  isSure(verdictOf(release, matches, false))

export const isSure = (verdict: Verdict): boolean => verdict === 'exact' || verdict === 'sure'

/** Whether a record lies below another that is named: a row that names a municipality may mean its seat, but says the municipality. */
function isNamesakeBelow(release: Release, record: RowMatch, other: RowMatch): boolean {
  if (other.ownCost !== record.ownCost && !other.how.includes('seat')) return false
  return isBelow(release, other, record)
}

const isBelow = (release: Release, { name, position }: RowMatch, other: RowMatch): boolean =>
  ancestorLevels(release, release.entity(name).definition).some(
    (level) => level.entity === other.name && ancestorAt(level, position) === other.position,
  )

/**
 * Whether a name alone is that of what lies in nothing, as a country, and the other one is no city and lies in something; or that of a city,
 * or long enough for it, and the other one is no large town, and none of its name with towns in it.
 */
function isLesser(release: Release, first: RowMatch, other: RowMatch): boolean {
  if (first.ownCost > (first.letters < SHORT_NAME ? 0 : MAX_CALLED_COST)) return false
  const isLow = ({ name }: RowMatch) => depthOf(release, name) > 1
  if (depthOf(release, first.name) === 0)
    return first.ownCost === 0 && isLow(other) && !namesOf(release, other).isCity(other.position)
  const isCalledSo = other.ownCost <= first.ownCost
  if (isCalledSo && other.name === placesIn(release)?.entity.name) return false
  return (
    isLow(first) &&
    isLow(other) &&
    namesOf(release, first).isCity(first.position) &&
    !namesOf(release, other).isLargeTown(other.position)
  )
}

const depthOf = (release: Release, name: string): number => ancestorsOf(release.entity(name).definition).length
const namesOf = (release: Release, { name }: RowMatch) => entityNames(release, release.entity(name).definition)

/** What is added to the cost of a hamlet at least where nothing is named that it lies in. */
const NOTHING_NAMED = 0.5

/** Whether some words alone are nearly the name of a hamlet: they rather say something else. */
const isHamletNearly = (release: Release, match: RowMatch): boolean =>
  match.skipped >= NOTHING_NAMED &&
  match.ownCost > MAX_CALLED_COST &&
  depthOf(release, match.name) > 1 &&
  !namesOf(release, match).isTown(match.position)

function isFarBehind(first: RowMatch, other: RowMatch, isSingle: boolean): boolean {
  // What is cut off may be the beginning of a longer name, however near a shorter one is.
  const isAssumed = !first.isWhole || first.skipped > 0
  const rivalCost = isAssumed && other.isPrefix ? other.cost - other.ownCost + PREFIX_RIVAL_COST : other.cost
  // Where the same ancestors are meant, only the names themselves are compared.
  const isSameAncestors = isNear(other.cost - other.ownCost, first.cost - first.ownCost)
  const assumedCost = isSameAncestors ? first.ownCost : first.cost - first.skipped
  // Beside a seat, what is behind it is not meant, however short the name is.
  const letters = other.skipped > first.skipped ? SHORT_NAME : first.letters
  const margin = isSingle ? MIN_MARGIN_SINGLE : namesMore(first, other) ? MIN_MARGIN : minMargin(assumedCost, letters)
  return rivalCost - first.cost >= margin - ROUNDING
}

/** What a record costs at most that is called so, or so for short. */
const MAX_CALLED_COST = 0.25

/** Whether a text names all ancestors of a record but the most distant, and leaves out some of another one. */
const namesMore = (record: RowMatch, other: RowMatch): boolean =>
  record.skipped === 0 && other.skipped > 0 && record.ownCost <= MAX_CALLED_COST

/** A cost at which nothing of a name is left. */
const WORST_COST = 5

/** The score of what is sure at least, and of what is likely at most. */
const MIN_SURE_SCORE = 0.7
export const MAX_LIKELY_SCORE = 0.69

/** The scores that a verdict may have, from what is farthest to what is nearest: what is surer has the higher score. */
const SCORES: Readonly<Record<Exclude<Verdict, 'none'>, readonly [from: number, to: number]>> = {
  exact: [MIN_SURE_SCORE, 1],
  sure: [MIN_SURE_SCORE, 1],
  likely: [0, MAX_LIKELY_SCORE],
  ambiguous: [0, 0.5],
}

function scoreOf(verdict: Exclude<Verdict, 'none'>, cost: number): number {
  const [from, to] = SCORES[verdict]
  return from + (to - from) * Math.max(0, 1 - cost / WORST_COST)
}

const toCandidate = (
  { name, position, cost, skipped, how }: RowMatch,
  verdict: Exclude<Verdict, 'none'>,
  maxScore = 1,
): Candidate => ({
  name,
  position,
  score: Math.min(scoreOf(verdict, cost - skipped), maxScore),
  how: how.length > 1 ? how.filter((one) => one !== 'exact') : how,
})
