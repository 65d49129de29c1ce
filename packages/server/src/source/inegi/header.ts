// The headers of INEGI's tables, of every year, and which column of a table holds what.
import { entityIn } from '../../catalog/catalog.ts'
import { type FactField, factsOf } from '../../catalog/entity.ts'
import { builtInCatalog } from '../built-in.ts'
import type { ColumnFault } from '../faults.ts'

/** The levels of areas, the largest first; a table of one level also has the columns of the larger ones. */
export const LEVELS = [
  { entity: 'estado', description: 'states', code: 'CVE_ENT', name: 'NOM_ENT', digits: 2 },
  { entity: 'municipio', description: 'municipalities', code: 'CVE_MUN', name: 'NOM_MUN', digits: 3 },
  { entity: 'localidad', description: 'localities', code: 'CVE_LOC', name: 'NOM_LOC', digits: 4 },
] as const
export type Kind = (typeof LEVELS)[number]['entity']

export const ENT = 0
export const MUN = 1
export const LOC = 2
/** The levels that other places lie in. */
export type AreaLevel = typeof ENT | typeof MUN

/** The code of one level as INEGI writes it. */
export const codeText = (codes: readonly number[], level: number): string =>
  String(codes[level]).padStart(LEVELS[level]?.digits ?? 0, '0')

/** The codes of all levels in one; its name changed in 2025. */
const WHOLE_CODE = ['CVEGEO', 'MAPA']
/** The column that marks retired places: files since 2023 that include them have it. */
const STATUS = ['ESTATUS']

const PEOPLE = {
  poblacion: 'POB_TOTAL',
  poblacionMasculina: 'POB_MASCULINA',
  poblacionFemenina: 'POB_FEMENINA',
  viviendas: 'TOTAL DE VIVIENDAS HABITADAS',
}

/** The columns of facts, in tables of their own level; what INEGI calls them, by the name that they have here. */
const FACTS: Readonly<Record<Kind, Readonly<Record<string, string>>>> = {
  estado: PEOPLE,
  municipio: { cabecera: 'CVE_CAB', ...PEOPLE },
  localidad: {
    latitud: 'LAT_DECIMAL',
    longitud: 'LON_DECIMAL',
    altitud: 'ALTITUD',
    ambito: 'AMBITO',
    ...PEOPLE,
  },
}

type FactColumn = { readonly name: string; readonly fact: FactField; readonly position: number }

export type LevelColumns = { readonly code: number; readonly name: number; readonly digits: number }

/** The positions of the columns that are read. */
export type Layout = {
  readonly kind: Kind
  /** The names of all columns, as the file spells them. */
  readonly columns: readonly string[]
  readonly levels: readonly LevelColumns[]
  readonly wholeCode: number | undefined
  readonly status: number | undefined
  readonly facts: readonly FactColumn[]
}

/** The layout that a header gives, or what is wrong with it. Case, accents and order do not matter. */
export function layoutOf(header: string): Layout | ColumnFault[] {
  const columns = header.split(',').map((column) =>
    column
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .trim(),
  )
  const plain = columns.map((column) => column.normalize('NFD').replace(/\p{M}/gu, '').toUpperCase())
  const depth = LEVELS.findLastIndex(({ code, name }) => plain.includes(code) || plain.includes(name))
  if (depth < 0) return [{ column: 'all', value: header, expected: KNOWN }]

  const levels = LEVELS.slice(0, depth + 1)
  const { entity: kind, description } = LEVELS[depth] as (typeof LEVELS)[number]
  const needed = levels.flatMap(({ code, name }) => [code, name])
  const missing = needed.filter((name) => !plain.includes(name))
  const twice = columns.filter((_, position) => isRepeated(plain, position, needed))
  const faults = [
    ...missing.map((column) => ({
      column,
      value: undefined,
      expected: `this column, which a table of ${description} has`,
    })),
    ...twice.map((column) => ({ column, value: column, expected: 'each column once' })),
  ]
  if (faults.length > 0) return faults
  return {
    kind,
    columns,
    levels: levels.map(({ code, name, digits }) => ({ code: plain.indexOf(code), name: plain.indexOf(name), digits })),
    wholeCode: positionOf(plain, WHOLE_CODE),
    status: positionOf(plain, STATUS),
    facts: factColumns(kind, plain),
  }
}

/** The facts that the table has a column for. */
function factColumns(kind: Kind, columns: readonly string[]): FactColumn[] {
  const spelled = columns.map((column) => column.replaceAll('_', ' '))
  return factsOf(entityIn(builtInCatalog, kind)).flatMap(([name, fact]) => {
    const position = spelled.indexOf((FACTS[kind][name] ?? '').replaceAll('_', ' '))
    return position < 0 ? [] : [{ name, fact, position }]
  })
}

const columnsOf = (depth: number) => LEVELS.slice(0, depth + 1).flatMap(({ code, name }) => [code, name])
const KNOWN =
  'a header of INEGI, its columns separated by commas: ' +
  LEVELS.map(({ description }, depth) => `${description} have ${columnsOf(depth).join(', ')}`).join('; ')

function positionOf(columns: readonly string[], names: readonly string[]): number | undefined {
  const position = columns.findIndex((column) => names.includes(column))
  return position < 0 ? undefined : position
}

function isRepeated(columns: readonly string[], position: number, needed: readonly string[]): boolean {
  const column = columns[position] as string
  const same = [WHOLE_CODE, STATUS].find((names) => names.includes(column)) ?? needed.filter((name) => name === column)
  const first = positionOf(columns, same)
  return first !== undefined && first !== position
}
