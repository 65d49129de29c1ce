// A catalog of names that differ only in accents or case, or begin alike, of records in no order, and of some facts.
import fc from 'fast-check'
import { type Entity, identifierOf } from '../../packages/server/src/catalog/entity.ts'
import { builtInCatalog } from '../../packages/server/src/source/built-in.ts'
import type { GivenRow } from '../../packages/server/src/source/source.ts'
import { withFacts } from './known-facts.ts'
import type { Rows } from './releases.ts'
import { country, smallSource } from './small-source.ts'

const NAMES = [
  ...['Ñandú', 'Nandu', 'Ñandu', 'Nube', 'Nzinga', 'Ñ', 'N', 'Peña', 'Pena', 'Peñasco', 'Penzance', 'PEÑA'],
  ...['San José', 'San Jose', 'SAN JOSÉ', 'San José [Ejido]', 'San José (Dos)', 'José San', 'San', 'Sán'],
  ...['Álamo', 'Alamo', 'alamo', 'Álamos', 'Ala', '"Él" Rancho', "D'Ávila", '=1+1', '-Menos', '@Arroba', '+Más'],
  ...['Łąka', '中央', '🌵 Nopal', 'Ω', 'ﬁn', 'Straße', 'Me\u0301xico', 'México', 'a,b', 'Zapote 0001', 'Zapote 10'],
]
const name = (at: number) => NAMES[(at * 17) % NAMES.length] as string
const upTo = <T>(count: number, make: (id: number) => T) => Array.from({ length: count }, (_, at) => make(at + 1))
const digits = (number: number, length: number) => String(number).padStart(length, '0')

/** Rows that tests name by their identifiers and codes. */
const namedRows: Rows = {
  pais: upTo(30, (id) => ({ ...country(id), descPais: name(id) })).toReversed(),
  estado: upTo(12, (id) => ({
    cveEstado: `E${country(id).cvePais}`,
    cveRenapo: country(id).cvePais.slice(1),
    descEstado: name(id * 3),
    idEstado: id * 2,
    idPais: 1 + (id % 4),
  })),
  municipio: upTo(40, (id) => ({
    cveMunicipio: digits(Math.ceil(id / 12), 3),
    descMunicipio: name(id * 5),
    idEstado: 2 * (1 + (id % 12)),
    idMunicipio: id * 10,
  })),
  localidad: upTo(700, (at) => ({
    cveLocalidad: digits(Math.ceil(at / 40), 4),
    descLocalidad: name(at + Math.floor(at / 40)),
    idLocalidad: Math.ceil(at / 40),
    // A few lie in another state than their municipality.
    idEstado: at % 45 === 0 ? 2 : 2 * (1 + ((1 + ((at * 3) % 40)) % 12)),
    idMunicipio: 10 * (1 + ((at * 3) % 40)),
  })).filter(
    ({ idMunicipio, idLocalidad }, at, rows) =>
      rows.findIndex((row) => row.idMunicipio === idMunicipio && row.idLocalidad === idLocalidad) === at,
  ),
  area: upTo(3, (id) => ({ cveArea: String(id), descripcion: name(id), idArea: id })),
  campo: upTo(6, (id) => ({ cveCampo: digits(id, 2), descripcion: name(id * 7), idCampo: id, idArea: 1 + (id % 3) })),
  disciplina: upTo(15, (id) => ({
    cveDisciplina: digits(id * 11, 4),
    descripcion: name(id * 2),
    idDisciplina: id,
    campoCono: 1 + (id % 6),
  })),
  subdisciplina: upTo(90, (id) => ({
    cveSubdisciplina: digits(id * 1_111, 6),
    descripcion: name(id * 3),
    idSubdisciplina: 1_000 - id,
    disciplinaCono: 1 + (id % 15),
  })),
  audiencia: upTo(9, (id) => ({
    clave: `clave${id}`,
    descCorta: name(id),
    shortDesc: name(id + 1),
    idAudiencia: id * 3,
  })),
}

/** Such rows of any other entity, made from its definition. */
function rowsOf({ fields }: Entity, rows: Rows): GivenRow[] {
  const cells = Object.entries(fields).flatMap(([field, definition], place): [string, GivenRow[string][]][] => {
    const { kind } = definition
    if (kind === 'id') return [[field, upTo(COUNT, (id) => id * 3)]]
    if (kind === 'name') return [[field, upTo(COUNT, (id) => name(id + place))]]
    if (kind === 'code') return [[field, fc.sample(uniqueCodes(definition.pattern), { seed: 1, numRuns: 1 })[0] ?? []]]
    if (kind !== 'embed') return []
    const parents = rows[definition.entity.name] ?? []
    return [[field, parents.map((parent) => parent[identifierOf(definition.entity)] as GivenRow[string])]]
  })
  return upTo(COUNT, (id) =>
    Object.fromEntries(cells.map(([field, values]) => [field, values[id % values.length] as GivenRow[string]])),
  )
}
const COUNT = 25
const uniqueCodes = (pattern: RegExp) =>
  fc.uniqueArray(fc.stringMatching(pattern), { minLength: COUNT, maxLength: COUNT })

const allRows: Record<string, readonly GivenRow[]> = { ...namedRows }
for (const entity of builtInCatalog.entities.values()) allRows[entity.name] ??= rowsOf(entity, allRows)

export const homonymRows: Rows = withFacts(allRows)

export const homonyms = smallSource(homonymRows)
