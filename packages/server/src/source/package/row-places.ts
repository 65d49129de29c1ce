// Places of rows in the files of a table, as numbers, which take little.
import type { SourceLocation } from '../faults.ts'

/** Files of a table are distinguished by what is above the lines. */
const FILE = 2 ** 32
export const lineOf = (place: number) => place % FILE

/** A place in a table: which file, and which line. */
export class RowPlaces {
  readonly #files: string[] = []

  of(file: string, line: number): number {
    if (this.#files.at(-1) !== file) this.#files.push(file)
    return (this.#files.length - 1) * FILE + line
  }

  location(place: number): SourceLocation {
    return { file: this.#files[Math.floor(place / FILE)] ?? '', line: lineOf(place) }
  }
}
