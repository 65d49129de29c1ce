// Medians with the range and the number of rounds that they come from.

export type Spread = { readonly median: number; readonly min: number; readonly max: number; readonly rounds: number }

export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) throw new Error('there is no median of nothing')
  const sorted = [...values].sort((a, b) => a - b)
  const at = (index: number) => sorted[index] as number
  const middle = sorted.length >> 1
  const median = sorted.length % 2 === 1 ? at(middle) : (at(middle - 1) + at(middle)) / 2
  return { median, min: at(0), max: at(sorted.length - 1), rounds: sorted.length }
}

/** The smallest value that at least this share of the sorted values does not exceed. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  const rank = Math.min(Math.max(Math.ceil(share * sorted.length) - 1, 0), sorted.length - 1)
  return sorted[rank] ?? 0
}

/** Taken round by round, so that what disturbs both sides of a round cancels out. */
export function ratioOf(dividends: readonly number[], divisors: readonly number[]): Spread {
  if (dividends.length !== divisors.length) throw new Error('both sides of a ratio need as many rounds')
  return spreadOf(dividends.map((value, round) => value / (divisors[round] as number)))
}
