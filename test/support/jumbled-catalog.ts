// A catalog of a few records of every entity whose rows are given out of order.
import type { Rows } from './releases.ts'
import { countries, country } from './small-source.ts'

const state = (idEstado: number) => ({
  cveEstado: `E${country(idEstado).cvePais}`,
  cveRenapo: country(idEstado).cvePais.slice(1),
  descEstado: `Estado "${idEstado}" \\ ñ 中 🜨`,
  idEstado,
  idPais: 2,
})
const municipality = (idMunicipio: number) => ({
  cveMunicipio: String(idMunicipio).padStart(3, '0'),
  descMunicipio: `Municipio ${idMunicipio}`,
  idEstado: (idMunicipio % 3) + 1,
  idMunicipio,
})
const locality = (at: number) => ({
  cveLocalidad: String((at * 7) % 100).padStart(4, '0'),
  descLocalidad: `Localidad ${at} [Ejido] (Los "Dos")`,
  idLocalidad: (at * 7) % 100,
  idEstado: (at % 3) + 1,
  idMunicipio: 5 - (at % 5),
})
const level = (digits: number, code: string) => (id: number) => ({
  [code]: String(id).padStart(digits, '0'),
  descripcion: `Nombre ${id}`,
})
const upTo = <T>(count: number, make: (id: number) => T) => Array.from({ length: count }, (_, at) => make(at + 1))

/** Rows are given with the highest identifier first; localities in no order of their identifiers at all. */
export const jumbled: Rows = {
  pais: countries(25).toReversed(),
  estado: upTo(3, state).toReversed(),
  municipio: upTo(25, municipality).toReversed(),
  localidad: upTo(25, locality).toReversed(),
  area: upTo(2, (id) => ({ ...level(1, 'cveArea')(id), idArea: id })).toReversed(),
  campo: upTo(3, (id) => ({ ...level(2, 'cveCampo')(id), idCampo: id, idArea: 1 + (id % 2) })).toReversed(),
  disciplina: upTo(4, (id) => ({
    ...level(4, 'cveDisciplina')(id),
    idDisciplina: id,
    campoCono: 1 + (id % 3),
  })).toReversed(),
  subdisciplina: upTo(25, (id) => ({
    ...level(6, 'cveSubdisciplina')(id),
    idSubdisciplina: 1_000 - id,
    disciplinaCono: 1 + (id % 4),
  })),
  audiencia: upTo(25, (id) => ({
    clave: `clave${id}`,
    descCorta: `Corta ${id}`,
    shortDesc: `Short ${id}`,
    idAudiencia: 3 * id,
  })).toReversed(),
}
