// The name that someone who mistyped one most likely meant.
import { folded } from '../catalog/words.ts'
import { distanceOf } from './typos.ts'

const FARTHEST = 3

/** Of the names there are, the nearest to what was written, unless none is near. */
export function nearest(written: string, names: Iterable<string>): string | undefined {
  let best: string | undefined
  let least = Math.min(FARTHEST, Math.ceil(written.length / 2)) + 1
  for (const name of names) {
    const { whole } = distanceOf(folded(written), folded(name), FARTHEST)
    if (whole >= least) continue
    least = whole
    best = name
  }
  return best
}
