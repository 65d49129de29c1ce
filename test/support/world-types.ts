/** A record of countries. */
export type Country = {
  /** key */
  readonly 'ISO code': string
  /** name */
  readonly name_en: string | null
  /** name */
  readonly name_es: string | null
  /** name */
  readonly name_fr: string | null
  /** a integer */
  readonly 'Población (2020)': number | null
  /** a text */
  readonly 'a.b': string | null
  /** a text */
  readonly format: string | null
  /** a number */
  readonly temp: number | null
  /** a number */
  readonly temp_min: number | null
  /** a boolean */
  readonly open: boolean | null
  /** a date */
  readonly since: string | null
  /** a year */
  readonly year: number | null
  /** a list */
  readonly tags: readonly unknown[] | null
}

/** A record of regions. */
export type Region = {
  /** its country */
  readonly country: Country
  /** key */
  readonly code: string
  /** name */
  readonly name: string | null
}

/** A record of jobs. */
export type Job = {
  /** key */
  readonly code: string
  /** name */
  readonly title: string
  /** the job above */
  readonly parent: string | null
  /** where it is found */
  readonly region: Region | null
}

/** All collections, as connect takes them. */
export type Collections = {
  readonly countries: {
    readonly record: Country
    readonly facts: Record<never, never>
    readonly key: { readonly 'ISO code': string }
    readonly codes: 'ISO code' | 'a_b' | 'format'
    readonly below: 'regions' | 'jobs'
    readonly bounded: 'Población (2020)' | 'temp' | 'temp_min' | 'since' | 'year'
    readonly languages: 'en' | 'es' | 'fr'
  }
  readonly regions: {
    readonly record: Region
    readonly facts: Record<never, never>
    readonly key: { readonly country: string; readonly code: string }
    readonly codes: 'country.ISO code' | 'country.a_b' | 'country.format' | 'code'
    readonly below: 'jobs'
    readonly bounded:
      | 'country.Población (2020)'
      | 'country.temp'
      | 'country.temp_min'
      | 'country.since'
      | 'country.year'
    readonly references: { readonly country: string }
    readonly languages: 'en' | 'es' | 'fr'
  }
  readonly jobs: {
    readonly record: Job
    readonly facts: Record<never, never>
    readonly key: { readonly code: string }
    readonly codes: 'code' | 'region.country.ISO code' | 'region.country.a_b' | 'region.country.format' | 'region.code'
    readonly bounded:
      | 'region.country.Población (2020)'
      | 'region.country.temp'
      | 'region.country.temp_min'
      | 'region.country.since'
      | 'region.country.year'
    readonly references: { readonly region: readonly [string, string]; readonly 'region.country': string }
    readonly tree: true
    readonly languages: 'en' | 'es' | 'fr'
  }
}
