// The built-in catalog: what each of its entities is made of. This is the only place that names their fields.
import { catalogOf } from './catalog.ts'
import { code, copyOf, embeds, entity, id, integerFact, name, numberFact, textFact } from './entity.ts'

const digits = (description: string, count: number) =>
  code(description, new RegExp(`^[0-9]{${count}}$`), `${count} digits`)
const population = (of: string) => integerFact(`people living in the ${of}`, { min: 0, max: 2_000_000_000 })
const numeric = (description: string) => code(description, /^[0-9]{1,12}$/, 'digits')

export const pais = entity({
  name: 'pais',
  plural: 'paises',
  title: 'Countries',
  v1: 3,
  fields: {
    cvePais: code('country code', /^[A-Z]{3}$/, 'three upper-case letters'),
    descPais: name('country name'),
    idPais: id('country identifier'),
  },
  key: ['idPais'],
  code: ['cvePais'],
})

export const estado = entity({
  name: 'estado',
  plural: 'estados',
  title: 'States',
  fields: {
    cveEstado: code('state code', /^[A-Z]{2,5}$/, 'two to five upper-case letters'),
    cveRenapo: code('state code of the population registry', /^[A-Z]{2}$/, 'two upper-case letters'),
    descEstado: name('state name'),
    idEstado: id('state identifier'),
    idPais: embeds(pais, 'country of the state'),
    poblacion: population('state'),
  },
  key: ['idEstado'],
  code: ['cveEstado'],
})

export const municipio = entity({
  name: 'municipio',
  plural: 'municipios',
  title: 'Municipalities',
  v1: 2,
  fields: {
    cveMunicipio: numeric('municipality code, unique within its state'),
    descMunicipio: name('municipality name'),
    idEstado: embeds(estado, 'state of the municipality'),
    idMunicipio: id('municipality identifier'),
    cabecera: textFact('code of the locality that is its seat', /^[0-9]{1,12}$/, 'digits'),
    poblacion: population('municipality'),
  },
  key: ['idMunicipio'],
  code: ['idEstado', 'cveMunicipio'],
})

export const localidad = entity({
  name: 'localidad',
  plural: 'localidades',
  title: 'Localities',
  v1: 1,
  fields: {
    cveLocalidad: numeric('locality code, unique within its municipality'),
    descLocalidad: name('locality name; may contain bracketed or parenthesised qualifiers'),
    idLocalidad: id('locality identifier, unique within its municipality'),
    idEstado: embeds(estado, 'state of the locality'),
    idMunicipio: embeds(municipio, 'municipality of the locality'),
    latitud: numberFact('latitude in degrees north', { min: -90, max: 90 }),
    longitud: numberFact('longitude in degrees east', { min: -180, max: 180 }),
    altitud: integerFact('altitude in metres above sea level', { min: -500, max: 9_000 }),
    poblacion: population('locality'),
    ambito: textFact('urban (U) or rural (R)', /^[UR]$/, 'U or R'),
    viviendas: integerFact('inhabited dwellings', { min: 0, max: 100_000_000 }),
  },
  key: ['idMunicipio', 'idLocalidad'],
  code: ['idMunicipio', 'cveLocalidad'],
  order: 'as given',
  expects: [
    {
      kind: 'locality-state-differs',
      description: 'the state of a locality is not the state of its municipality',
      left: 'idEstado',
      relation: 'equals',
      right: 'idMunicipio.idEstado',
    },
  ],
})

export const area = entity({
  name: 'area',
  plural: 'areas-conocimiento',
  title: 'Knowledge areas',
  fields: {
    cveArea: numeric('area code'),
    descripcion: name('area name in Spanish'),
    description: copyOf('descripcion'),
    idArea: id('area identifier'),
  },
  key: ['idArea'],
  code: ['cveArea'],
})

export const campo = entity({
  name: 'campo',
  plural: 'campos-conocimiento',
  title: 'Knowledge fields',
  fields: {
    cveCampo: digits('field code', 2),
    descripcion: name('field name in Spanish'),
    description: copyOf('descripcion'),
    idCampo: id('field identifier'),
    idArea: embeds(area, 'area of the field'),
  },
  key: ['idCampo'],
  code: ['cveCampo'],
})

export const disciplina = entity({
  name: 'disciplina',
  plural: 'disciplinas-conocimiento',
  title: 'Knowledge disciplines',
  fields: {
    cveDisciplina: digits('discipline code', 4),
    descripcion: name('discipline name in Spanish'),
    description: copyOf('descripcion'),
    idDisciplina: id('discipline identifier'),
    campoCono: embeds(campo, 'field of the discipline'),
  },
  key: ['idDisciplina'],
  code: ['cveDisciplina'],
  expects: [
    {
      kind: 'discipline-code-outside-field',
      description: 'a discipline code does not begin with the code of its field',
      left: 'cveDisciplina',
      relation: 'begins with',
      right: 'campoCono.cveCampo',
    },
  ],
})

export const subdisciplina = entity({
  name: 'subdisciplina',
  plural: 'subdisciplinas-conocimiento',
  title: 'Knowledge subdisciplines',
  v1: 4,
  fields: {
    cveSubdisciplina: digits('subdiscipline code', 6),
    descripcion: name('subdiscipline name in Spanish'),
    description: copyOf('descripcion'),
    idSubdisciplina: id('subdiscipline identifier'),
    disciplinaCono: embeds(disciplina, 'discipline of the subdiscipline'),
  },
  key: ['idSubdisciplina'],
  code: ['cveSubdisciplina'],
  expects: [
    {
      kind: 'subdiscipline-code-outside-discipline',
      description: 'a subdiscipline code does not begin with the code of its discipline',
      left: 'cveSubdisciplina',
      relation: 'begins with',
      right: 'disciplinaCono.cveDisciplina',
    },
    {
      kind: 'subdiscipline-code-outside-field',
      description: 'a subdiscipline code does not begin with the code of its field',
      left: 'cveSubdisciplina',
      relation: 'begins with',
      right: 'disciplinaCono.campoCono.cveCampo',
    },
  ],
})

export const audiencia = entity({
  name: 'audiencia',
  plural: 'audiencias',
  title: 'Audiences',
  v1: 5,
  fields: {
    clave: code('audience key', /^[a-z][A-Za-z0-9]*$/, 'camel-case letters and digits'),
    descCorta: name('short description in Spanish'),
    shortDesc: name('short description in English'),
    idAudiencia: id('audience identifier'),
  },
  key: ['idAudiencia'],
  code: ['clave'],
})

/** Every entity, each after those that it embeds. */
export const entities = {
  pais,
  estado,
  municipio,
  localidad,
  area,
  campo,
  disciplina,
  subdisciplina,
  audiencia,
} as const
export type Entities = typeof entities
export type EntityName = keyof Entities
export const builtInCatalog = catalogOf(Object.values(entities))
