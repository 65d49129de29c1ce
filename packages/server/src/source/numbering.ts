// To which numbering the identifiers and codes of an entity belong: between two numberings, equal ones mean nothing.

export const NUMBERINGS = ['official', 'stand-in', 'synthetic'] as const
/**
 * `official` identifiers and codes are those by which everyone knows a record. Records that `stand-in` for the official ones
 * have codes of their own, and so have `synthetic` ones, which are invented.
 */
export type Numbering = (typeof NUMBERINGS)[number]
