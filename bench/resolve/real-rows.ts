// Rows as people and institutions wrote them, each with the official code of what it means, read from a directory of CSV files.
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parse } from 'csv-parse/sync'
import type { RowToResolve } from '../../packages/server/src/query/resolve/resolve.ts'

export type RealRow = {
  /** The kind of the row; those of one file stand together. */
  readonly kind: string
  readonly row: RowToResolve
  /** The entities that free text may mean; all by default. */
  readonly names?: readonly string[]
  /** The level that is judged, and the official code of the record that it is, or that it is below. */
  readonly level: string
  readonly code: string
  /** True if the row says too little to be sure of it. */
  readonly isTooLittle?: boolean
}

type Cells = Readonly<Record<string, string>>

const partsOf = (parts: Cells): RowToResolve => ({
  parts: new Map(Object.entries(parts).filter(([, text]) => text !== '')),
})

/** Addresses as forms and letters have them, one way after the other. */
const ADDRESSES: readonly ((cells: Cells) => string)[] = [
  ({ calle, num, colonia, cp, municipio, estado }) =>
    `${calle} No. ${num}, Col. ${colonia}, C.P. ${cp} ${municipio}, ${estado}`,
  ({ calle, num, colonia, cp, municipio, estado }) => `${calle} ${num}, ${colonia}, ${cp} ${municipio}, ${estado}`,
  ({ calle, num, colonia, cp, localidad, municipio, estado }) =>
    `${calle} #${num}, Fracc. ${colonia}, ${localidad}, ${municipio}, ${estado}, CP ${cp}`,
  ({ calle, num, colonia, cp, municipio, estado }) => `${calle} ${num} COL. ${colonia} CP ${cp} ${municipio} ${estado}`,
  ({ calle, num, colonia, cp, municipio, estado }) =>
    `${calle} ${num}, ${colonia}, ${municipio}, ${estado}. C.P. ${cp}, México`,
  ({ calle, num, colonia, localidad, municipio, estado }) =>
    `${calle} ${num} - ${colonia} - ${localidad} - ${municipio} - ${estado}`,
  ({ calle, num, colonia, cp, municipio }) => `Calle ${calle} ${num}, colonia ${colonia}, ${municipio}, CP ${cp}`,
]

/** One of so many rows is also resolved as one text. */
const SAMPLED = 5

/** The rows of each file, of one kind or several. */
const FILES: Readonly<Record<string, (cells: Cells, at: number) => readonly RealRow[]>> = {
  'companies-retc-2004-2013.csv': (cells, at) => {
    const { estado = '', municipio = '', localidad = '', right_mun: code = '' } = cells
    const address = ADDRESSES[at % ADDRESSES.length] as (typeof ADDRESSES)[number]
    const all = partsOf({ estado, municipio, localidad })
    const rows: RealRow[] = [
      { kind: 'state, municipality', row: partsOf({ estado, municipio }), level: 'municipio', code },
      { kind: `address ${(at % ADDRESSES.length) + 1}`, row: { text: address(cells) }, level: 'municipio', code },
    ]
    if (localidad.trim() === '') return rows
    const isSampled = at % SAMPLED === 0
    const text = `${localidad}, ${municipio}, ${estado}`
    const asText: RealRow = { kind: 'the same as one text', row: { text }, level: 'localidad', code }
    return [
      ...rows,
      ...(isSampled ? [{ ...asText, kind: 'a fifth of these as parts', row: all }, asText] : []),
      ...(isSampled ? textsOf(estado, municipio, localidad, code) : []),
      { kind: 'state, municipality, locality', row: all, level: 'localidad', code },
      { kind: 'state, locality', row: partsOf({ estado, localidad }), level: 'localidad', code },
      { kind: 'municipality, locality', row: partsOf({ municipio, localidad }), level: 'localidad', code },
      { kind: 'locality alone', row: partsOf({ localidad }), level: 'localidad', code },
      { kind: 'municipality beside a locality', row: all, level: 'municipio', code },
    ]
  },
  'municipalities-sat.csv': municipality,
  'municipalities-electoral.csv': municipality,
  'settlements-sepomex-chiapas.csv': ({
    estado = '',
    municipio = '',
    asentamiento = '',
    right_loc = '',
    right_mun = '',
  }) => {
    const row = partsOf({ estado, municipio, localidad: asentamiento })
    return [
      right_loc === ''
        ? { kind: 'homonymous or not in the catalog', row, level: 'localidad', code: right_mun }
        : { kind: 'once in its municipality', row, level: 'localidad', code: right_loc },
      { kind: 'municipality beside a settlement', row, level: 'municipio', code: right_mun },
    ]
  },
  'encoding-damage.csv': ({ kind = '', estado = '', municipio = '', localidad = '', right_loc: code = '' }) => {
    const row = partsOf({ estado, municipio, localidad })
    return [
      { kind: `${kind}: municipality`, row, level: 'municipio', code: code.slice(0, 5) },
      { kind: `${kind}: locality`, row, level: 'localidad', code },
      { kind: 'text: with commas', row: { text: `${localidad}, ${municipio}, ${estado}` }, level: 'localidad', code },
      { kind: 'text: without commas', row: { text: `${localidad} ${municipio} ${estado}` }, level: 'localidad', code },
    ]
  },
  'numerals.csv': ({ kind = '', estado = '', municipio = '', localidad = '', right_loc: code = '' }) => [
    {
      kind,
      row: partsOf({ estado, municipio, localidad }),
      level: 'localidad',
      code,
      isTooLittle: kind.includes('dropped') || kind.includes('name only'),
    },
  ],
  'countries.csv': ({ q = '', kind = '', right_iso3: code = '' }) => [
    { kind, row: { text: q }, level: 'pais', code, ...(kind.includes('in=') ? { names: ['pais'] } : {}) },
  ],
  'unesco-es-en.csv': ({ query = '', lang = '', right_code: code = '' }) => [
    { kind: lang, row: { text: query }, names: ['subdisciplina'], level: 'subdisciplina', code },
  ],
}

/** A row as text without some commas or names; its municipality is reported. */
const textsOf = (estado: string, municipio: string, localidad: string, code: string): readonly RealRow[] =>
  [
    ['locality municipality state', `${localidad} ${municipio} ${estado}`],
    ['locality municipality, state', `${localidad} ${municipio}, ${estado}`],
    ['locality municipality', `${localidad} ${municipio}`],
    ['locality, municipality', `${localidad}, ${municipio}`],
    ['locality, state', `${localidad}, ${estado}`],
  ].map(([kind, text = '']) => ({ kind: `text: ${kind}`, row: { text }, level: 'municipio', code }))

function municipality({ estado = '', municipio = '', right_code: code = '' }: Cells): readonly RealRow[] {
  return [{ kind: 'state, municipality', row: partsOf({ estado, municipio }), level: 'municipio', code }]
}

/** The rows of each file of `FILES` that is there. */
export function realRows(directory: string): ReadonlyMap<string, readonly RealRow[]> {
  const files = Object.entries(FILES).filter(([file]) => existsSync(join(directory, file)))
  if (files.length === 0) throw new Error(`there is none of ${Object.keys(FILES).join(', ')} in ${directory}`)
  return new Map(
    files.map(([file, rowsOf]) => {
      const table: Cells[] = parse(readFileSync(join(directory, file)), {
        columns: true,
        bom: true,
        relax_quotes: true,
      })
      return [basename(file, '.csv'), table.flatMap((cells, at) => rowsOf(cells, at))]
    }),
  )
}
