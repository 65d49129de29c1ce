// The states or the municipalities that tables name, each once, in order of code.

import type { Block, GivenRow } from '../source.ts'
import { type AreaLevel, ENT, MUN } from './header.ts'
import type { Place } from './places.ts'

export type Area = {
  readonly codes: readonly number[]
  readonly name: string
  readonly file: string
  readonly line: number
}

export class Areas {
  readonly #level: AreaLevel
  readonly #byCode = new Map<number, Area>()
  readonly #otherNames = new Map<Area, string>()

  constructor(level: AreaLevel) {
    this.#level = level
  }

  /** The area that a place is or lies in. */
  find(codes: readonly number[]): Area | undefined {
    return this.#byCode.get(areaKey(codes, this.#level))
  }

  /** Notes the area that a place is or lies in; the first name stays. */
  note(file: string, { line, codes, names }: Place): void {
    const known = this.find(codes)
    const name = names[this.#level] as string
    if (known === undefined) {
      const area = { codes: codes.slice(0, this.#level + 1), name: copyOf(name), file, line }
      this.#byCode.set(areaKey(codes, this.#level), area)
    } else if (known.name !== name && !this.#otherNames.has(known)) {
      this.#otherNames.set(known, copyOf(`${name} (${file}:${line})`))
    }
  }

  /** The first other name of each area that has any, and where it stands. */
  get otherNames(): ReadonlyMap<Area, string> {
    return this.#otherNames
  }

  /** As rows, in order of code. */
  *blocks(rowOf: (area: Area) => GivenRow): Generator<Block> {
    let block: { file: string; lines: number[]; rows: GivenRow[] } | undefined
    for (const [, area] of [...this.#byCode].sort(([one], [other]) => one - other)) {
      if (block?.file !== area.file) {
        if (block !== undefined) yield block
        block = { file: area.file, lines: [], rows: [] }
      }
      block.lines.push(area.line)
      block.rows.push(rowOf(area))
    }
    if (block !== undefined) yield block
  }
}

/** One number for the codes down to a level. */
export const areaKey = (codes: readonly number[], level: AreaLevel): number =>
  level === ENT ? (codes[ENT] as number) : (codes[ENT] as number) * 1_000 + (codes[MUN] as number)

/** A part of a string keeps all of it in memory, and this one will outlive its page. */
const copyOf = (text: string) => Buffer.from(text, 'utf16le').toString('utf16le')
