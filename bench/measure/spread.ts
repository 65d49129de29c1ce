// Medians with the range that they come from.

export type Spread = { readonly median: number; readonly min: number; readonly max: number }

export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) throw new Error('there is no median of nothing')
  const sorted = [...values].sort((a, b) => a - b)
  const at = (index: number) => sorted[index] as number
  const middle = sorted.length >> 1
  const median = sorted.length % 2 === 1 ? at(middle) : (at(middle - 1) + at(middle)) / 2
  return { median, min: at(0), max: at(sorted.length - 1) }
}

/** What share of sorted values lies at or below the answer, which is one of them. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  const rank = Math.min(Math.max(Math.ceil(share * sorted.length) - 1, 0), sorted.length - 1)
  return sorted[rank] ?? 0
}

/** Round by round, so that what disturbs both sides of a round cancels out. */
export function ratioOf(above: readonly number[], below: readonly number[]): Spread {
  if (above.length !== below.length) throw new Error('a ratio needs as many rounds above as below')
  return spreadOf(above.map((value, round) => value / (below[round] as number)))
}
