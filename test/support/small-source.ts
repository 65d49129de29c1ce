// A source of a few rows that a test writes down itself.
import { builtInCatalog } from '../../packages/server/src/source/built-in.ts'
import type { Source } from '../../packages/server/src/source/source.ts'
import type { Rows } from './releases.ts'

/** Provides every entity; those that there are no rows of are empty. */
export function smallSource(rows: Rows): Source {
  const rowsOf = (name: string) => rows[name] ?? []
  return {
    origin: { kind: 'test', title: 'rows <of> a "test" & no more', synthetic: true, credits: [], options: {} },
    catalog: builtInCatalog,
    provides: [...builtInCatalog.entities.keys()],
    expected: (name) => rowsOf(name).length,
    read: (name) => [{ file: 'test', lines: rowsOf(name).map((_, at) => at + 1), rows: rowsOf(name) }],
  }
}

/** Three letters that no other number up to 17,575 has. */
const letters = (number: number) =>
  [676, 26, 1].map((place) => String.fromCharCode(65 + (Math.floor(number / place) % 26))).join('')

export const country = (idPais: number) => ({ cvePais: letters(idPais), descPais: `País ${idPais}`, idPais })

export const countries = (count: number) => Array.from({ length: count }, (_, at) => country(at + 1))

type Places = {
  /** Code, code of RENAPO, name, identifier. */
  readonly states: readonly (readonly [code: string, renapo: string, name: string, id: number])[]
  /** Their identifiers are their places in the list, from 1 on. */
  readonly municipalities: readonly (readonly [code: string, name: string, state: number])[]
  readonly localities: readonly (readonly [code: string, name: string, municipality: number, population?: number])[]
}

/** The rows of Mexican places, from what a test says of each. */
export const placesOf = ({ states, municipalities, localities }: Places): Rows => ({
  pais: [{ cvePais: 'MEX', descPais: 'México', idPais: 484 }],
  estado: states.map(([cveEstado, cveRenapo, descEstado, idEstado]) => ({
    ...{ cveEstado, cveRenapo, descEstado, idEstado },
    idPais: 484,
  })),
  municipio: municipalities.map(([cveMunicipio, descMunicipio, idEstado], at) => ({
    ...{ cveMunicipio, descMunicipio, idEstado },
    idMunicipio: at + 1,
  })),
  localidad: localities.map(([cveLocalidad, descLocalidad, idMunicipio, poblacion], at) => ({
    ...{ cveLocalidad, descLocalidad, idMunicipio },
    idEstado: municipalities[idMunicipio - 1]?.[2] as number,
    idLocalidad: at + 1,
    ...(poblacion === undefined ? {} : { poblacion }),
  })),
})

/** Localities of these names in Galeana, Nuevo León, the first of which is its seat. */
export const localitiesOf = (names: readonly string[]): Rows =>
  placesOf({
    states: [['NL', 'NL', 'Nuevo León', 19]],
    municipalities: [['001', 'Galeana', 19]],
    localities: names.map((name, at) => [`000${at + 1}`, name, 1]),
  })
