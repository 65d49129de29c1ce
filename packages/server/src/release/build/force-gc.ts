// Forces garbage collections during long work: left alone, garbage grows to several times the memory in use.

const MANY_RECORDS = 100_000
const MANY_BATCHES = 20
const BATCHES_BETWEEN = 20

/** Collects garbage at the end of a step over so many records; after a small one it does nothing. */
export function forceGc(records: number): void {
  if (records >= MANY_RECORDS) Bun.gc(true)
}

/** Collects garbage after a batch; once there are many, it takes a few milliseconds now and then. */
export function forceGcAfter(batches: number): void {
  if (batches >= MANY_BATCHES && batches % BATCHES_BETWEEN === 0) Bun.gc(true)
}
