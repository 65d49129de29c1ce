// Has garbage collected in the middle of long work, which else lets it pile up to several times what is in use.

const OFTEN = 200_000

/** To be called for every one of many; now and then it takes some milliseconds. */
export function tidyAfter(number: number): void {
  if (number % OFTEN === OFTEN - 1) Bun.gc(true)
}

/** To be called where a step with so many is done. */
export function tidyUp(count: number): void {
  if (count >= OFTEN * 2) Bun.gc(true)
}
