// The table of INEGI's web service of geostatistical codes: its lists, the list of the catalog that each is read from, and their fields.

/** A record as the fields of a list read it. */
export type WscatgeoPlace = {
  /** Its official code, from the state down; undefined where it has none. */
  readonly code: string | undefined
  readonly name: string | number | undefined
  /** Returns the value of a field of the catalog, where the list has that and the record a value. */
  readonly value: (field: string) => string | number | undefined
  /** Returns the code of the locality that is its seat, with the last digits alone, and its name. */
  readonly seat: () => { readonly code: string; readonly name: WscatgeoPlace['name'] }
}

type Read = (place: WscatgeoPlace) => string | number | undefined
/** A field by its name in v2 and before; undefined where a version lacks it. */
type WscatgeoField = readonly [v2: string, before: string | undefined, read: Read]

export type WscatgeoList = {
  /** The collection of the catalog with its records. */
  readonly collection: string
  /** The list whose records its own are below. */
  readonly above?: WscatgeoList
  /** The number of digits of the official code of a record, with those of the records above. */
  readonly digits: number
  readonly fields: readonly WscatgeoField[]
}

/** The digits of a state, of a municipality in it, and of a locality or settlement in that. */
export const WIDTHS = [2, 3, 4] as const
const [STATE, MUNICIPALITY, PLACE] = [2, 5, 9] as const

function digits(from: number, to?: number): Read {
  return ({ code }) => code?.slice(from, to)
}
function value(field: string): Read {
  return (place) => place.value(field)
}
const name: Read = (place) => place.name

const AREAS: Readonly<Record<string | number, string>> = { U: 'Urbano', R: 'Rural' }

const wholeCode: WscatgeoField = ['cvegeo', undefined, digits(0)]
const stateCode: WscatgeoField = ['cve_ent', 'cve_agee', digits(0, STATE)]
const municipalityCode: WscatgeoField = ['cve_mun', 'cve_agem', digits(STATE, MUNICIPALITY)]
const population: WscatgeoField = ['pob_total', 'pob', value('poblacion')]
const bySex: readonly WscatgeoField[] = [
  ['pob_femenina', 'pob_fem', value('poblacionFemenina')],
  ['pob_masculina', 'pob_mas', value('poblacionMasculina')],
]
const dwellings: WscatgeoField = ['total_viviendas_habitadas', 'viv', value('viviendas')]

const states: WscatgeoList = {
  collection: 'estados',
  digits: STATE,
  fields: [
    wholeCode,
    stateCode,
    ['nomgeo', 'nom_agee', name],
    ['nom_abrev', 'nom_abrev', value('cveEstado')],
    population,
    ...bySex,
    dwellings,
  ],
}

const municipalities: WscatgeoList = {
  collection: 'municipios',
  above: states,
  digits: MUNICIPALITY,
  fields: [
    ...[wholeCode, stateCode, municipalityCode],
    ['nomgeo', 'nom_agem', name],
    ['cve_cab', 'cve_cab', (place) => place.seat().code],
    ['nom_cab', 'nom_cab', (place) => place.seat().name],
    population,
    ...bySex,
    dwellings,
  ],
}

/** Among them are the seats of municipalities. */
export const localities: WscatgeoList = {
  collection: 'localidades',
  above: municipalities,
  digits: PLACE,
  fields: [
    ...[wholeCode, stateCode, municipalityCode],
    ['cve_loc', 'cve_loc', digits(MUNICIPALITY)],
    ['nomgeo', 'nom_loc', name],
    ['ambito', 'ambito', (place) => AREAS[place.value('ambito') ?? '']],
    ['latitud', 'latitud', value('latitud')],
    ['longitud', 'longitud', value('longitud')],
    ['altitud', 'altitud', value('altitud')],
    population,
    dwellings,
    // Some programs read them, though they stand in no description.
    ...bySex.map(([v2, , read]) => [v2, undefined, read] as const),
  ],
}

const settlements: WscatgeoList = {
  collection: 'asentamientos',
  above: municipalities,
  digits: PLACE,
  fields: [
    ['cve_asen', 'cve_asen', digits(MUNICIPALITY)],
    ['nom_asen', 'nom_asen', name],
    ['tipo_asen', 'tipo_asen', value('tipo')],
  ],
}

/** The lists by their segment in paths. */
export const LISTS: ReadonlyMap<string, WscatgeoList> = new Map([
  ['mgee', states],
  ['mgem', municipalities],
  ['localidades', localities],
  ['asentamientos', settlements],
])
