// Types of the built-in catalog, printed by nomenclator types.
//
//   import { connect } from 'nomenclator-client'
//   import type { Collections } from './catalogs.ts'
//   const catalogs = connect<Collections>('https://catalogs.example.org')

/** A record of paises. */
export type Pais = {
  /** country code */
  readonly cvePais: string
  /** country name */
  readonly descPais: string
  /** country identifier */
  readonly idPais: number
}

/** A record of estados. */
export type Estado = {
  /** state code */
  readonly cveEstado: string
  /** state code of the population registry */
  readonly cveRenapo: string
  /** state name */
  readonly descEstado: string
  /** state identifier */
  readonly idEstado: number
  /** country of the state */
  readonly idPais: Pais
}

/** A record of municipios. */
export type Municipio = {
  /** municipality code, unique within its state */
  readonly cveMunicipio: string
  /** municipality name */
  readonly descMunicipio: string
  /** state of the municipality */
  readonly idEstado: Estado
  /** municipality identifier */
  readonly idMunicipio: number
}

/** A record of localidades. */
export type Localidad = {
  /** locality code, unique within its municipality */
  readonly cveLocalidad: string
  /** locality name; may contain bracketed or parenthesised qualifiers */
  readonly descLocalidad: string
  /** locality identifier, unique within its municipality */
  readonly idLocalidad: number
  /** state of the locality */
  readonly idEstado: Estado
  /** municipality of the locality */
  readonly idMunicipio: Municipio
}

/** A record of areas-conocimiento. */
export type Area = {
  /** area code */
  readonly cveArea: string
  /** area name in Spanish */
  readonly descripcion: string
  /** same value as descripcion */
  readonly description: string
  /** area identifier */
  readonly idArea: number
}

/** A record of campos-conocimiento. */
export type Campo = {
  /** field code */
  readonly cveCampo: string
  /** field name in Spanish */
  readonly descripcion: string
  /** same value as descripcion */
  readonly description: string
  /** field identifier */
  readonly idCampo: number
  /** area of the field */
  readonly idArea: Area
}

/** A record of disciplinas-conocimiento. */
export type Disciplina = {
  /** discipline code */
  readonly cveDisciplina: string
  /** discipline name in Spanish */
  readonly descripcion: string
  /** same value as descripcion */
  readonly description: string
  /** discipline identifier */
  readonly idDisciplina: number
  /** field of the discipline */
  readonly campoCono: Campo
}

/** A record of subdisciplinas-conocimiento. */
export type Subdisciplina = {
  /** subdiscipline code */
  readonly cveSubdisciplina: string
  /** subdiscipline name in Spanish */
  readonly descripcion: string
  /** same value as descripcion */
  readonly description: string
  /** subdiscipline identifier */
  readonly idSubdisciplina: number
  /** discipline of the subdiscipline */
  readonly disciplinaCono: Disciplina
}

/** A record of audiencias. */
export type Audiencia = {
  /** audience key */
  readonly clave: string
  /** short description in Spanish */
  readonly descCorta: string
  /** short description in English */
  readonly shortDesc: string
  /** audience identifier */
  readonly idAudiencia: number
}

/** All collections, as connect takes them. */
export type Collections = {
  readonly paises: {
    readonly record: Pais
    readonly facts: {
      /** country name in English */
      readonly nombreEn: string | null
    }
    readonly derived: {
      /** country code of two letters */
      readonly alpha2: string | null
      /** country code of three digits */
      readonly numeric: string | null
    }
    readonly key: { readonly idPais: number }
    readonly codes: 'cvePais' | 'alpha2' | 'numeric'
    readonly below: 'estados' | 'municipios' | 'localidades'
    readonly v1: true
    readonly languages: 'es' | 'en'
  }
  readonly estados: {
    readonly record: Estado
    readonly facts: {
      /** people living in the state */
      readonly poblacion: number | null
      /** men and boys living in the state */
      readonly poblacionMasculina: number | null
      /** women and girls living in the state */
      readonly poblacionFemenina: number | null
      /** inhabited dwellings */
      readonly viviendas: number | null
    }
    readonly derived: {
      /** geostatistical code of the state */
      readonly cvegeo: string | null
    }
    readonly key: { readonly idEstado: number }
    readonly codes: 'cveEstado' | 'cveRenapo' | 'idPais.cvePais' | 'cvegeo'
    readonly below: 'municipios' | 'localidades'
    readonly languages: 'es' | 'en'
  }
  readonly municipios: {
    readonly record: Municipio
    readonly facts: {
      /** code of the locality that is its seat */
      readonly cabecera: string | null
      /** people living in the municipality */
      readonly poblacion: number | null
      /** men and boys living in the municipality */
      readonly poblacionMasculina: number | null
      /** women and girls living in the municipality */
      readonly poblacionFemenina: number | null
      /** inhabited dwellings */
      readonly viviendas: number | null
    }
    readonly derived: {
      /** geostatistical code of the municipality, with that of its state */
      readonly cvegeo: string | null
    }
    readonly key: { readonly idMunicipio: number }
    readonly codes: 'cveMunicipio' | 'idEstado.cveEstado' | 'idEstado.cveRenapo' | 'idEstado.idPais.cvePais' | 'cvegeo'
    readonly below: 'localidades'
    readonly v1: true
    readonly languages: 'es' | 'en'
  }
  readonly localidades: {
    readonly record: Localidad
    readonly facts: {
      /** latitude in degrees north */
      readonly latitud: number | null
      /** longitude in degrees east */
      readonly longitud: number | null
      /** altitude in metres above sea level */
      readonly altitud: number | null
      /** people living in the locality */
      readonly poblacion: number | null
      /** men and boys living in the locality */
      readonly poblacionMasculina: number | null
      /** women and girls living in the locality */
      readonly poblacionFemenina: number | null
      /** urban (U) or rural (R) */
      readonly ambito: string | null
      /** inhabited dwellings */
      readonly viviendas: number | null
      /** what last showed the code of the locality: the census of 2020, the service of INEGI in 2026, or the catalog of 2018, of which some codes have been retired since */
      readonly fuente: string | null
    }
    readonly derived: {
      /** geostatistical code of the locality, with those of its state and municipality */
      readonly cvegeo: string | null
    }
    readonly key: { readonly idMunicipio: number; readonly idLocalidad: number }
    readonly codes:
      | 'cveLocalidad'
      | 'idEstado.cveEstado'
      | 'idEstado.cveRenapo'
      | 'idEstado.idPais.cvePais'
      | 'idMunicipio.cveMunicipio'
      | 'idMunicipio.idEstado.cveEstado'
      | 'idMunicipio.idEstado.cveRenapo'
      | 'idMunicipio.idEstado.idPais.cvePais'
      | 'cvegeo'
    readonly owner: 'municipios'
    readonly v1: true
    readonly languages: 'es' | 'en'
  }
  readonly 'areas-conocimiento': {
    readonly record: Area
    readonly facts: {
      /** area name in English */
      readonly nombreEn: string | null
    }
    readonly key: { readonly idArea: number }
    readonly codes: 'cveArea'
    readonly below: 'campos-conocimiento' | 'disciplinas-conocimiento' | 'subdisciplinas-conocimiento'
    readonly languages: 'es' | 'en'
  }
  readonly 'campos-conocimiento': {
    readonly record: Campo
    readonly facts: {
      /** field name in English */
      readonly nombreEn: string | null
    }
    readonly key: { readonly idCampo: number }
    readonly codes: 'cveCampo' | 'idArea.cveArea'
    readonly below: 'disciplinas-conocimiento' | 'subdisciplinas-conocimiento'
    readonly languages: 'es' | 'en'
  }
  readonly 'disciplinas-conocimiento': {
    readonly record: Disciplina
    readonly facts: {
      /** discipline name in English */
      readonly nombreEn: string | null
    }
    readonly key: { readonly idDisciplina: number }
    readonly codes: 'cveDisciplina' | 'campoCono.cveCampo' | 'campoCono.idArea.cveArea'
    readonly below: 'subdisciplinas-conocimiento'
    readonly languages: 'es' | 'en'
  }
  readonly 'subdisciplinas-conocimiento': {
    readonly record: Subdisciplina
    readonly facts: {
      /** subdiscipline name in English */
      readonly nombreEn: string | null
    }
    readonly key: { readonly idSubdisciplina: number }
    readonly codes:
      | 'cveSubdisciplina'
      | 'disciplinaCono.cveDisciplina'
      | 'disciplinaCono.campoCono.cveCampo'
      | 'disciplinaCono.campoCono.idArea.cveArea'
    readonly v1: true
    readonly languages: 'es' | 'en'
  }
  readonly audiencias: {
    readonly record: Audiencia
    readonly facts: Record<never, never>
    readonly key: { readonly idAudiencia: number }
    readonly codes: 'clave'
    readonly v1: true
  }
}
