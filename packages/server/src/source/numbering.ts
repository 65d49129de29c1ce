// To which numbering the identifiers and codes of an entity belong: those of invented records mean nothing beside official ones.

export const NUMBERINGS = ['official', 'synthetic'] as const
export type Numbering = (typeof NUMBERINGS)[number]
