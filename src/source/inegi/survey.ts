// Reads from the tables which states and municipalities there are: from their own tables, or from those below them.
import { Faults } from '../faults.ts'
import { Findings } from '../findings.ts'
import type { Report } from '../source.ts'
import { Areas } from './areas.ts'
import { type AreaLevel, codeText, ENT, type Kind, LEVELS, MUN } from './header.ts'
import { type PlaceRules, readPlaces } from './places.ts'
import type { Table } from './table.ts'

export type TablesByKind = Readonly<Record<Kind, readonly Table[]>>

export type Survey = {
  readonly states: Areas
  readonly municipalities: Areas
  /** How many, where they had to be looked through. */
  readonly localities: number | undefined
}

export const silentReport = (): Report => ({ faults: new Faults(), findings: new Findings() })

/**
 * Tables of their own win over those that only name an area in passing. Only places in force count, and faults are
 * passed over: they are told when the rows themselves are read.
 */
export async function survey(tables: TablesByKind, rules: PlaceRules): Promise<Survey> {
  const states = new Areas(ENT)
  const municipalities = new Areas(MUN)
  const [hasStates, hasMunicipalities] = [tables.estado.length > 0, tables.municipio.length > 0]
  const look = async (looked: readonly Table[], noted: readonly Areas[]): Promise<number | undefined> => {
    if (noted.length === 0) return undefined
    let count = 0
    for (const table of looked) {
      for await (const places of readPlaces(table, { ...rules, includeRetired: false }, silentReport())) {
        for (const place of places) for (const areas of noted) areas.note(table.file, place)
        count += places.length
      }
    }
    return count
  }
  await look(tables.estado, [states])
  await look(tables.municipio, hasStates ? [municipalities] : [states, municipalities])
  const wanted = [...(hasStates ? [] : [states]), ...(hasMunicipalities ? [] : [municipalities])]
  return { states, municipalities, localities: await look(tables.localidad, wanted) }
}

/** The areas of a level from the tables of that level, each of which may stand there once. */
export async function ownAreas(
  tables: TablesByKind,
  level: AreaLevel,
  rules: PlaceRules,
  report: Report,
): Promise<Areas> {
  const areas = new Areas(level)
  for (const table of tables[LEVELS[level].entity]) {
    for await (const places of readPlaces(table, rules, report)) {
      for (const place of places) {
        const earlier = areas.find(place.codes)
        if (earlier === undefined) areas.note(table.file, place)
        else {
          const column = table.layout.columns[table.layout.levels[level]?.code ?? 0] as string
          const expected = `a code not given before; ${earlier.file}:${earlier.line} has it already`
          const value = codeText(place.codes, level)
          report.faults.add({ file: table.file, line: place.line, column, value, expected })
        }
      }
    }
  }
  return areas
}
