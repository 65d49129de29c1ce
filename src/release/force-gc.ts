// Has garbage collected in the middle of long work, which else lets it pile up to several times what is in use.

const MANY = 400_000
const MANY_BATCHES = 200
const OFTEN = 50

/** To be called where a step with so many is done. */
export function forceGc(count: number): void {
  if (count >= MANY) Bun.gc(true)
}

/** To be called after each batch; of many, it takes some milliseconds now and then. */
export function forceGcAfter(batches: number): void {
  if (batches >= MANY_BATCHES && batches % OFTEN === 0) Bun.gc(true)
}
