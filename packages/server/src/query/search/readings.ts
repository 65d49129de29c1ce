// The ways to read what was typed: as it stands, letters that stand alone as one word, words that were glued together taken
// apart, and words that were split put together.

import type { WordIndex } from '../../release/index/index-file.ts'
import { wordWeights } from './word-weights.ts'

export type Reading = {
  readonly words: readonly string[]
  /** For each word the first and the last typed word that it was read from. */
  readonly typed: readonly (readonly [first: number, last: number])[]
  readonly isGlued: boolean
  /** The words that were taken apart or put together, which are taken as they are. */
  readonly asRead: ReadonlySet<number>
}

/** What reading words as glued or split takes from the quality of a match. */
export const GLUED_COST = 0.05

const NONE: ReadonlySet<number> = new Set()

/** What was typed as it stands, and with the letters of "n.l." as one word. */
export function plainReadings(typed: readonly string[]): Reading[] {
  const asTyped = { words: typed, typed: typed.map((_, at) => [at, at] as const), isGlued: false, asRead: NONE }
  if (!typed.some((word, at) => word.length === 1 && typed[at + 1]?.length === 1)) return [asTyped]
  const spans: [number, number][] = []
  for (let at = 0; at < typed.length; at++) {
    const first = at
    if (typed[at]?.length === 1) while (typed[at + 1]?.length === 1) at++
    spans.push([first, at])
  }
  const words = spans.map(([first, last]) => typed.slice(first, last + 1).join(''))
  return [asTyped, { words, typed: spans, isGlued: false, asRead: NONE }]
}

/** How long a word must be to be taken for two, and how long it may be. */
const MIN_GLUED = 5
const MAX_GLUED = 40
/** How many typed words are taken apart, and how many pairs put together. */
const MAX_TAKEN_APART = 4
const MAX_PUT_TOGETHER = 3

/**
 * What was typed with words taken apart and put together, where that makes words which the indexes have. Words that are or begin a word of
 * the indexes are taken apart only where nothing is found otherwise.
 */
export function gluedReadings(
  typed: readonly string[],
  indexes: readonly WordIndex[],
  isLastResort: boolean,
): Reading[] {
  const apart = typed.map((word) => (word.length < MIN_GLUED || word.length > MAX_GLUED ? undefined : word))
  const readings: Reading[] = []
  const unknown = apart.flatMap((word, at) => (word !== undefined && !isBeginning(indexes, word) ? at : []))
  const known = apart.flatMap((word, at) => (isLastResort && word !== undefined && !unknown.includes(at) ? at : []))
  const segments = new Map(
    [...unknown, ...known].slice(0, MAX_TAKEN_APART).flatMap((at) => {
      const parts = takenApart(indexes, typed[at] as string)
      return parts === undefined ? [] : [[at, parts] as const]
    }),
  )
  const unknownApart = unknown.filter((at) => segments.has(at))
  if (unknownApart.length > 0) readings.push(withParts(typed, segments, unknownApart))
  else for (const at of known) if (segments.has(at)) readings.push(withParts(typed, segments, [at]))
  for (let at = 0, found = 0; at + 1 < typed.length && found < MAX_PUT_TOGETHER; at++) {
    const joined = `${typed[at]}${typed[at + 1]}`
    if (joined.length < MIN_GLUED || !isKnown(indexes, joined)) continue
    found++
    readings.push({
      words: [...typed.slice(0, at), joined, ...typed.slice(at + 2)],
      typed: typed.slice(1).map((_, one) => (one < at ? [one, one] : one === at ? [at, at + 1] : [one + 1, one + 1])),
      isGlued: true,
      asRead: new Set([at]),
    })
  }
  return readings
}

function withParts(
  typed: readonly string[],
  segments: ReadonlyMap<number, readonly string[]>,
  apart: readonly number[],
): Reading {
  const parts = typed.map((word, at) => (apart.includes(at) ? (segments.get(at) as readonly string[]) : [word]))
  const origins = parts.flatMap((words, at) => words.map(() => at))
  return {
    words: parts.flat(),
    typed: origins.map((at) => [at, at] as const),
    isGlued: true,
    asRead: new Set(origins.flatMap((origin, at) => (apart.includes(origin) ? at : []))),
  }
}

const isKnown = (indexes: readonly WordIndex[], word: string): boolean =>
  indexes.some(({ words }) => words.indexOf(word) !== undefined)

const isLinking = (indexes: readonly WordIndex[], word: string): boolean =>
  indexes.some(({ language }) => language.isLinking(word))

const isBeginning = (indexes: readonly WordIndex[], word: string): boolean =>
  indexes.some(({ words }) => words.isBeginning(word))

/** Shorter parts must be words that join others. */
const MIN_PART = 3
/** What each part costs beside its rarity, and what it costs that the last one is only a beginning. */
const PART_COST = 0.5
const BEGINNING_COST = 0.6

/** The known words that a typed word is made of: few and frequent ones rather than many and rare ones. */
function takenApart(indexes: readonly WordIndex[], word: string): string[] | undefined {
  const best: ({ readonly cost: number; readonly from: number } | undefined)[] = [{ cost: 0, from: 0 }]
  for (let from = 0; from < word.length; from++) {
    const before = best[from]
    if (before === undefined) continue
    for (let end = from + 1; end <= word.length; end++) {
      const part = word.slice(from, end)
      if (!isBeginning(indexes, part)) break
      const isWhole = from === 0 && end === word.length
      if (isWhole || (part.length < MIN_PART && !isLinking(indexes, part))) continue
      const cost = partCost(indexes, part, end === word.length)
      if (cost === undefined) continue
      const sum = before.cost + PART_COST + cost
      if (sum < (best[end]?.cost ?? Number.POSITIVE_INFINITY)) best[end] = { cost: sum, from }
    }
  }
  if (best[word.length] === undefined) return undefined
  const parts: string[] = []
  for (let end = word.length; end > 0; end = best[end]?.from ?? 0) parts.unshift(word.slice(best[end]?.from, end))
  return parts
}

/** The last part may be only the beginning of a word. */
function partCost(indexes: readonly WordIndex[], part: string, isLast: boolean): number | undefined {
  let cost: number | undefined
  for (const index of indexes) {
    const word = index.words.indexOf(part)
    if (word !== undefined) cost = Math.min(cost ?? 1, wordWeights(index)[word] as number)
  }
  return cost ?? (isLast && part.length >= MIN_PART ? 1 + BEGINNING_COST : undefined)
}
