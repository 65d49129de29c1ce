// Has garbage collected in the middle of long work, which else lets it pile up to several times what is in use.

const MANY = 400_000
const OFTEN = 50

/** To be called where a step with so many is done. */
export function tidyUp(count: number): void {
  if (count >= MANY) Bun.gc(true)
}

/** To be called after each batch; now and then it takes some milliseconds. */
export function tidyAfter(batches: number): void {
  if (batches % OFTEN === 0) Bun.gc(true)
}
