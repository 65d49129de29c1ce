// Has garbage collected in the middle of long work, which else lets it pile up to several times what is in use.

const MANY = 400_000

/** To be called where a step with so many is done. */
export function tidyUp(count: number): void {
  if (count >= MANY) Bun.gc(true)
}
