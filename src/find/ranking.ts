// Puts hits in order, the best first; those as good as one another by position.
import { distributed, sorted } from './order.ts'
import { type Hits, SCORES } from './search.ts'

/** Above this share of all records, looking at each of them is cheaper than sorting. */
const MANY = 1 / 16

/** So many of the best, or all of them. */
export function bestFirst({ positions, scores }: Hits, limit = positions.length): Uint32Array {
  const best = limit < positions.length ? upTo(positions, scores, limit) : positions
  const isMany = best.length > scores.length * MANY
  const ordered = isMany ? spread(best.slice().sort(), scores) : sorted(best, scoresAt(best, scores))
  return ordered.subarray(0, limit)
}

const spread = (ascending: Uint32Array, scores: Uint16Array) =>
  distributed(ascending, scoresAt(ascending, scores), SCORES)

function scoresAt(positions: Uint32Array, scores: Uint16Array): Uint16Array {
  const at = new Uint16Array(positions.length)
  for (let place = 0; place < at.length; place++) at[place] = scores[positions[place] as number] as number
  return at
}

/** Those that are no worse than the last of so many best ones. */
function upTo(positions: Uint32Array, scores: Uint16Array, limit: number): Uint32Array {
  const counts = new Uint32Array(SCORES)
  for (let at = 0; at < positions.length; at++) {
    const score = scores[positions[at] as number] as number
    counts[score] = (counts[score] as number) + 1
  }
  let worst = 0
  for (let reached = counts[0] as number; reached < limit; reached += counts[worst] as number) worst++
  return positions.filter((position) => (scores[position] as number) <= worst)
}
