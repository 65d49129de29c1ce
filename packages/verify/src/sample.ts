// Chooses the pages of a collection to request, and requests several at a time.

export type Extent = {
  /** Every page. */
  readonly deep: boolean
  /** The number of pages of each collection otherwise. */
  readonly sample: number
}

/** A collection that claims more pages than this is not walked to its end. */
export const MAX_PAGES = 1_000_000

/**
 * Returns all pages, or a sample in the order of their numbers: the first two, the last two, and pairs of neighbours spread
 * over the rest, since the order of records is checked from one page to the next.
 */
export function pagesToRequest(total: number, { deep, sample }: Extent): number[] {
  if (deep || total <= sample) return Array.from({ length: Math.min(total, MAX_PAGES) }, (_, at) => at + 1)
  const chosen = new Set<number>()
  for (const page of [1, total, 2, total - 1]) if (chosen.size < sample) chosen.add(page)
  const pairs = Math.ceil((sample - chosen.size) / 2)
  for (let pair = 1; pair <= pairs; pair++) {
    const page = Math.floor((pair * total) / (pairs + 1))
    for (const one of [page, page + 1]) if (chosen.size < sample) chosen.add(one)
  }
  // Pairs that overlap leave room.
  for (let page = 1; chosen.size < sample; page++) chosen.add(page)
  return [...chosen].sort((a, b) => a - b)
}

/** Handles every item, so many at a time; an error stops the others and is thrown when they have stopped. */
export async function inParallel<T>(
  items: readonly T[],
  concurrency: number,
  handle: (item: T) => Promise<unknown>,
): Promise<void> {
  const left = items.values()
  const errors: unknown[] = []
  const worker = async () => {
    for (let next = left.next(); !next.done && errors.length === 0; next = left.next())
      await handle(next.value).catch((error: unknown) => errors.push(error))
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  if (errors.length > 0) throw errors[0]
}
