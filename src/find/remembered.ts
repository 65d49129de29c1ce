// Remembers the answers to the latest queries on a release, so that a walk through their pages looks only once.
import type { Release } from '../release/release.ts'

const MAX_ANSWERS = 64
const MAX_POSITIONS = 2_000_000

type Memory = { readonly answers: Map<string, Uint32Array>; positions: number }

const memories = new WeakMap<Release, Memory>()

export function remembered(release: Release, query: string, answer: () => Uint32Array): Uint32Array {
  const memory = memories.get(release) ?? { answers: new Map<string, Uint32Array>(), positions: 0 }
  memories.set(release, memory)
  const known = memory.answers.get(query)
  const found = known ?? answer()
  // To the end, even if it is there already: what was asked longest ago comes first.
  memory.answers.delete(query)
  memory.answers.set(query, found)
  if (known === undefined) memory.positions += found.length
  forgetSome(memory)
  return found
}

function forgetSome(memory: Memory): void {
  for (const [query, { length }] of memory.answers) {
    if (memory.answers.size <= MAX_ANSWERS && memory.positions <= MAX_POSITIONS) return
    // The latest stays, however large it is.
    if (memory.answers.size === 1) return
    memory.answers.delete(query)
    memory.positions -= length
  }
}
