// To which numbering the identifiers and codes of an entity belong: between two numberings, equal ones mean nothing.

export const NUMBERINGS = ['official', 'stand-in', 'synthetic'] as const
/**
 * `official` identifiers and codes are those by which everyone knows a record. Records that `stand-in` for the official ones
 * have codes of their own, and so have `synthetic` ones, which are invented.
 */
export type Numbering = (typeof NUMBERINGS)[number]

/** The bundled entities whose codes are not the official ones, and how the credit for them begins. */
export const STAND_INS: readonly string[] = ['localidad']
const STAND_IN_CREDIT = 'GeoNames'

/** The parts of a manifest that say where a release came from. */
type Traces = {
  readonly kind: string
  readonly synthetic: boolean
  readonly credits: readonly { readonly to?: string; readonly of?: readonly string[] }[]
}

/** The numbering of an entity whose release does not tell it: one of version 0.3.0 or earlier. */
export function inferredNumbering({ kind, synthetic, credits }: Traces, entity: string): Numbering {
  if (synthetic) return 'synthetic'
  if (!STAND_INS.includes(entity)) return 'official'
  // Lists that complete another source keep their credit.
  const isCredited = credits.some(({ to, of }) => to?.startsWith(STAND_IN_CREDIT) && of?.includes(entity))
  return kind === 'bundled' || isCredited ? 'stand-in' : 'official'
}
