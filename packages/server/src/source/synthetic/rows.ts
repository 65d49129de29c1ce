// The rows of the synthetic catalog, entity by entity: all invented, and as odd as those of real catalogs.
import type { GivenRow } from '../source.ts'
import {
  childrenOf,
  everyNth,
  identifiers,
  nameMaker,
  numbered,
  pick,
  type Random,
  randomFor,
  shuffled,
  split,
  times,
} from './random.ts'

export type Shape = { readonly seed: number; readonly scale: number }

/** The number of rows of each entity at scale 1; only the localities grow with the scale. */
export const COUNTS = {
  pais: 247,
  estado: 32,
  municipio: 2_457,
  localidad: 300_137,
  area: 7,
  campo: 24,
  disciplina: 312,
  subdisciplina: 3_617,
  audiencia: 16,
} as const
/** The entities that it has rows of. */
export type SyntheticName = keyof typeof COUNTS

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']

function paises({ seed }: Shape) {
  const random = randomFor(seed, 'pais')
  const name = nameMaker(random, ['País Sintético'], 17)
  // ISO 3166 leaves QMA to QZZ to its users, so none of these is the code of a country.
  const ours = LETTERS.slice(LETTERS.indexOf('M')).flatMap((second) => LETTERS.map((third) => `Q${second}${third}`))
  const codes = shuffled(random, ours)
  return identifiers(random, COUNTS.pais).map((idPais, at) => ({
    cvePais: codes[at] as string,
    descPais: name(at, numbered(at + 1, 3)),
    idPais,
  }))
}

function estados(shape: Shape) {
  const random = randomFor(shape.seed, 'estado')
  const name = nameMaker(random, ['Estado Sintético', 'Provincia Sintética'], 11)
  const { idPais } = pick(random, paises(shape))
  // The population registry has no code that begins with W or X.
  const ours = ['W', 'X'].flatMap((first) => [...'BCDFGHJKLMNPQRSTXZ'].map((second) => first + second))
  const codes = shuffled(random, ours)
  return identifiers(random, COUNTS.estado).map((idEstado, at) => ({
    cveEstado: codes[at] + times(random(4), () => pick(random, LETTERS)).join(''),
    cveRenapo: codes[at] as string,
    descEstado: name(at, numbered(at + 1, 2)),
    idEstado,
    idPais,
  }))
}

function municipios(shape: Shape) {
  const random = randomFor(shape.seed, 'municipio')
  const name = nameMaker(random, ['Municipio Sintético', 'San Sintético', 'Santa Sintética de'], 31)
  const ids = identifiers(random, COUNTS.municipio)
  return childrenOf(random, estados(shape), COUNTS.municipio).map(({ parent, ordinal }, at) => ({
    cveMunicipio: numbered(ordinal, 3),
    descMunicipio: name(at, numbered(at + 1, 4)),
    idEstado: parent.idEstado,
    idMunicipio: ids[at] as number,
  }))
}

/** One municipality in eight has fewer localities than a page has records, at any scale; the others vary widely. */
function municipalitySizes(random: Random, total: number): number[] {
  const isSmall = everyNth(random, 8)
  const small = times(COUNTS.municipio, (at) => (isSmall(at) ? 1 + random(9) : 0))
  const weights = small.map((size) => (size > 0 ? 0 : 10 + random(30) * random(30)))
  const large = split(total - small.reduce((a, b) => a + b, 0), weights)
  return small.map((size, at) => size + (large[at] as number))
}

const LOCALITY_FORMS = [
  'Villa Sintética de',
  'Rancho Sintético',
  'Ejido Sintético',
  'Colonia Sintética',
  'Pueblo Sintético de',
]

function* localidades(shape: Shape) {
  const random = randomFor(shape.seed, 'localidad')
  const name = nameMaker(random, LOCALITY_FORMS, 37)
  const isElsewhere = everyNth(random, 503)
  const states = estados(shape).map(({ idEstado }) => idEstado)
  const sizes = municipalitySizes(random, COUNTS.localidad * shape.scale)
  let position = 0
  for (const [at, { idMunicipio, idEstado }] of municipios(shape).entries()) {
    const size = sizes[at] as number
    const others = states.filter((state) => state !== idEstado)
    for (let idLocalidad = 1; idLocalidad <= size; idLocalidad++, position++) {
      const cveLocalidad = numbered(idLocalidad, 4)
      yield {
        cveLocalidad,
        descLocalidad: name(position, cveLocalidad),
        idLocalidad,
        idEstado: isElsewhere(position) ? pick(random, others) : idEstado,
        idMunicipio,
      }
    }
  }
}

function areas({ seed }: Shape) {
  const random = randomFor(seed, 'area')
  const name = nameMaker(random, ['Área Sintética de'], 5)
  return identifiers(random, COUNTS.area).map((idArea, at) => ({
    cveArea: String(901 + at),
    descripcion: name(at, String(at + 1)),
    idArea,
  }))
}

function campos(shape: Shape) {
  const random = randomFor(shape.seed, 'campo')
  const name = nameMaker(random, ['Campo Sintético de'], 7)
  const ids = identifiers(random, COUNTS.campo)
  // The fields of UNESCO end at 72.
  const codes = shuffled(
    random,
    times(27, (at) => String(73 + at)),
  )
  return childrenOf(random, areas(shape), COUNTS.campo).map(({ parent }, at) => ({
    cveCampo: codes[at] as string,
    descripcion: name(at, numbered(at + 1, 2)),
    idCampo: ids[at] as number,
    idArea: parent.idArea,
  }))
}

function disciplinas(shape: Shape) {
  const random = randomFor(shape.seed, 'disciplina')
  const name = nameMaker(random, ['Disciplina Sintética de'], 17)
  const ids = identifiers(random, COUNTS.disciplina)
  return childrenOf(random, campos(shape), COUNTS.disciplina).map(({ parent, ordinal }, at) => ({
    cveDisciplina: parent.cveCampo + numbered(ordinal, 2),
    descripcion: name(at, numbered(at + 1, 3)),
    idDisciplina: ids[at] as number,
    campoCono: parent.idCampo,
  }))
}

function subdisciplinas(shape: Shape) {
  const random = randomFor(shape.seed, 'subdisciplina')
  const name = nameMaker(random, ['Subdisciplina Sintética de'], 31)
  const ids = identifiers(random, COUNTS.subdisciplina)
  const fields = campos(shape)
  const isStray = everyNth(random, 150)
  let strays = 0
  return childrenOf(random, disciplinas(shape), COUNTS.subdisciplina).map(({ parent, ordinal }, at) => {
    let cveSubdisciplina = parent.cveDisciplina + numbered(ordinal, 2)
    if (isStray(at)) {
      // Every other stray is outside its field too. No discipline has the number 00, so these codes are free.
      const ownField = fields.findIndex(({ idCampo }) => idCampo === parent.campoCono)
      const { cveCampo } = fields[(ownField + (strays % 2)) % fields.length] as (typeof fields)[number]
      cveSubdisciplina = `${cveCampo}00${numbered(++strays, 2)}`
    }
    return {
      cveSubdisciplina,
      descripcion: name(at, numbered(at + 1, 4)),
      idSubdisciplina: ids[at] as number,
      disciplinaCono: parent.idDisciplina,
    }
  })
}

function audiencias({ seed }: Shape) {
  const random = randomFor(seed, 'audiencia')
  const spanish = nameMaker(random, ['Audiencia sintética'], 5)
  const english = nameMaker(random, ['Synthetic audience'], 7)
  return identifiers(random, COUNTS.audiencia).map((idAudiencia, at) => ({
    clave: `audienciaSintetica${at + 1}`,
    descCorta: spanish(at, String(at + 1)),
    shortDesc: english(at, String(at + 1)),
    idAudiencia,
  }))
}

export const rowsOf: Readonly<Record<SyntheticName, (shape: Shape) => Iterable<GivenRow>>> = {
  pais: paises,
  estado: estados,
  municipio: municipios,
  localidad: localidades,
  area: areas,
  campo: campos,
  disciplina: disciplinas,
  subdisciplina: subdisciplinas,
  audiencia: audiencias,
}
