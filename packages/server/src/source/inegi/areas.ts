// The states and municipalities that tables name: in tables of their own, or in passing, as the areas that places lie in.
import { Faults } from '../faults.ts'
import { Findings } from '../findings.ts'
import type { Block, GivenRow, Report } from '../source.ts'
import { type AreaLevel, codeText, ENT, type Kind, LEVELS, MUN } from './header.ts'
import { type PlaceRow, type PlaceRules, readPlaces } from './places.ts'
import type { InegiTable } from './table.ts'

export type GeostatisticalArea = {
  readonly codes: readonly number[]
  readonly name: string
  readonly file: string
  readonly line: number
  readonly facts: PlaceRow['facts']
}

/** The areas of one level, each once. */
export class Areas {
  readonly #level: AreaLevel
  readonly #byCode = new Map<number, GeostatisticalArea>()
  readonly #otherNames = new Map<GeostatisticalArea, string>()

  constructor(level: AreaLevel) {
    this.#level = level
  }

  /** The area that the place with these codes is or lies in. */
  find(codes: readonly number[]): GeostatisticalArea | undefined {
    return this.#byCode.get(areaKey(codes, this.#level))
  }

  /** Adds the area that a place is or lies in. An area that is already there keeps its name. */
  add(file: string, { line, codes, names, facts }: PlaceRow): void {
    const earlier = this.find(codes)
    const name = names[this.#level] as string
    if (earlier === undefined) {
      // A place that lies in the area has facts of its own.
      const ownFacts = codes.length === this.#level + 1 ? facts : {}
      const area = { codes: codes.slice(0, this.#level + 1), name: copyOf(name), file, line, facts: ownFacts }
      this.#byCode.set(areaKey(codes, this.#level), area)
    } else if (earlier.name !== name && !this.#otherNames.has(earlier)) {
      this.#otherNames.set(earlier, copyOf(`${name} (${file}:${line})`))
    }
  }

  /** The first name that an area did not keep, with its location, for each area with several names. */
  get otherNames(): ReadonlyMap<GeostatisticalArea, string> {
    return this.#otherNames
  }

  /** The areas as rows, in order of code. */
  *blocks(rowOf: (area: GeostatisticalArea) => GivenRow): Generator<Block> {
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

/** A slice of a string keeps all of that string in memory, here a large part of a file. */
const copyOf = (text: string) => Buffer.from(text, 'utf16le').toString('utf16le')

export type TablesByKind = Readonly<Record<Kind, readonly InegiTable[]>>

export const silentReport = (): Report => ({ faults: new Faults(), findings: new Findings() })

/** The areas of a level from the tables of that level, in which each may occur once. */
export async function ownAreas(tables: TablesByKind, level: AreaLevel, rules: PlaceRules, report: Report) {
  const areas = new Areas(level)
  for (const table of tables[LEVELS[level].entity]) {
    for await (const places of readPlaces(table, rules, report)) {
      for (const place of places) {
        const earlier = areas.find(place.codes)
        if (earlier === undefined) {
          areas.add(table.file, place)
          continue
        }
        const column = table.layout.columns[table.layout.levels[level]?.code ?? 0] as string
        const expected = `a code not given before; ${earlier.file}:${earlier.line} has it already`
        const value = codeText(place.codes, level)
        report.faults.add({ file: table.file, line: place.line, column, value, expected })
      }
    }
  }
  return areas
}

export type Survey = {
  readonly states: Areas
  readonly municipalities: Areas
  /** The number of areas, if their tables had to be read. */
  readonly localities: number | undefined
}

/**
 * Reads which areas there are: from the tables of their own level, or, without such a table, from those of smaller
 * places. Only places in force count. Faults are ignored, because they are reported when the rows themselves are read.
 */
export async function survey(tables: TablesByKind, rules: PlaceRules): Promise<Survey> {
  const states = new Areas(ENT)
  const municipalities = new Areas(MUN)
  /** Returns how many places the tables have. */
  const addAreas = async (from: readonly InegiTable[], to: readonly Areas[]): Promise<number> => {
    let count = 0
    for (const table of from) {
      for await (const places of readPlaces(
        table,
        { ...rules, includeRetired: false, readsFacts: false },
        silentReport(),
      )) {
        for (const place of places) for (const areas of to) areas.add(table.file, place)
        count += places.length
      }
    }
    return count
  }
  const hasStates = tables.estado.length > 0
  await addAreas(tables.estado, [states])
  await addAreas(tables.municipio, hasStates ? [municipalities] : [states, municipalities])
  const missing = [...(hasStates ? [] : [states]), ...(tables.municipio.length > 0 ? [] : [municipalities])]
  const localities = missing.length === 0 ? undefined : await addAreas(tables.localidad, missing)
  return { states, municipalities, localities }
}
