// The places of the names of a record among the words of all names: one after the other if they are matched apart.
import type { WordIndex } from './index-file.ts'

/** The number of names of each record that are matched apart, including names that are missing and have no words. */
export const namesPerRecord = ({ nameEnds, nameStarts }: WordIndex): number =>
  nameEnds === undefined || nameEnds.length === 0 ? 1 : nameEnds.length / (nameStarts.length - 1)

/** The place where one of so many names of a record begins. */
export const nameStart = ({ nameEnds, nameStarts }: WordIndex, position: number, name: number, count: number): number =>
  (nameEnds === undefined || name === 0 ? nameStarts[position] : nameEnds[position * count + name - 1]) as number

/** The place where one of so many names of a record ends. */
export const nameEnd = ({ nameEnds, nameStarts }: WordIndex, position: number, name: number, count: number): number =>
  (nameEnds === undefined ? nameStarts[position + 1] : nameEnds[position * count + name]) as number
