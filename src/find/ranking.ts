// Puts hits in order, the best first; those as good as one another by position.

import type { Hits } from './hits.ts'
import { distributed, sorted } from './order.ts'
import { SCORES } from './score.ts'

/** Above this share of all records, looking at each of them is cheaper than sorting. */
const MANY = 1 / 16

/** So many of the best, or all of them. */
export function bestFirst(hits: Hits, limit = hits.positions.length): Uint32Array {
  const { positions, scores, inOrder } = hits
  const isAll = limit >= positions.length
  const worst = !isAll ? scoreOfLast(hits, limit) : SCORES - 1
  const isMany = positions.length > scores.length * MANY
  const isReady = isAll && inOrder
  const best = isReady ? positions : isMany ? ascending(scores, worst) : upTo(positions, scores, worst)
  const keys = scoresAt(best, scores)
  const ordered = isMany && best.length > SCORES * MANY ? distributed(best, keys, SCORES) : sorted(best, keys)
  return ordered.subarray(0, limit)
}

function scoresAt(positions: Uint32Array, scores: Uint16Array): Uint16Array {
  const at = new Uint16Array(positions.length)
  for (let place = 0; place < at.length; place++) at[place] = scores[positions[place] as number] as number
  return at
}

const counts = new Uint32Array(SCORES)

/** The score of the last of so many best ones. */
function scoreOfLast({ positions, scores }: Hits, limit: number): number {
  counts.fill(0)
  for (let at = 0; at < positions.length; at++) {
    const score = scores[positions[at] as number] as number
    counts[score] = (counts[score] as number) + 1
  }
  let worst = 0
  for (let reached = counts[0] as number; reached < limit; reached += counts[worst] as number) worst++
  return worst
}

/** Of these positions, those that are no worse, as they come. */
function upTo(positions: Uint32Array, scores: Uint16Array, worst: number): Uint32Array {
  const best = new Uint32Array(positions.length)
  let used = 0
  for (let at = 0; at < positions.length; at++) {
    const position = positions[at] as number
    if ((scores[position] as number) <= worst) best[used++] = position
  }
  return best.subarray(0, used)
}

/** Of all positions, those that are no worse, in ascending order. */
function ascending(scores: Uint16Array, worst: number): Uint32Array {
  let used = 0
  for (let position = 0; position < scores.length; position++) if ((scores[position] as number) <= worst) used++
  const best = new Uint32Array(used)
  used = 0
  for (let position = 0; used < best.length; position++) {
    if ((scores[position] as number) <= worst) best[used++] = position
  }
  return best
}
