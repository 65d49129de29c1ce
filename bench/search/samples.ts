// Queries of every kind that are made from the names of a home itself, seeded, and how often the right record comes first.

import { pick, type Random, randomFrom } from '../../packages/server/src/source/synthetic/random.ts'
import { abbreviated, byEar, glued, withTypo } from '../misspelling.ts'
import { folded } from './localities.ts'
import type { Service } from './service.ts'

/** A locality as it is sampled. */
export type Place = {
  readonly name: string
  readonly municipality: string
  readonly municipalityId: number
  readonly state: string
  readonly stateCode: string
}

const SEED = 2_013
const PARTICLES = new Set(['de', 'del', 'la', 'las', 'los', 'el', 'y', 'a', 'en'])

const plain = (text: string) =>
  folded(text)
    .replaceAll(/[^\p{L}\p{N} ]+/gu, ' ')
    .replaceAll(/ +/g, ' ')
    .trim()

const NOISE = [
  (name: string, municipality: string) => `${name}, municipio de ${municipality}`,
  (name: string, municipality: string) => `localidad ${name}, mpio. ${municipality}`,
  (name: string, municipality: string) => `${name} mpio de ${municipality}`,
]

type Make = (place: Place, random: Random) => string | undefined

/** Undefined where a name cannot be typed so. */
export const SAMPLES: Readonly<Record<string, Make>> = {
  exact: ({ name, municipality }) => `${name} ${municipality}`,
  accentless: ({ name, municipality }) => plain(`${name} ${municipality}`),
  'one typo': ({ name, municipality }, random) => {
    const typed = withTypo(plain(name), random)
    return typed && `${typed} ${plain(municipality)}`
  },
  'two typos': ({ name, municipality }, random) => {
    const once = withTypo(plain(name), random)
    const twice = once && withTypo(`${once} ${plain(municipality)}`, random)
    return twice
  },
  'prefix of the name': ({ name, municipality }) => {
    const whole = plain(name)
    return whole.length < 5
      ? undefined
      : `${whole.slice(0, Math.ceil(whole.length * 0.6)).trim()} ${plain(municipality)}`
  },
  'prefix of all': ({ name, municipality }) => {
    const whole = plain(`${name} ${municipality}`)
    return whole.slice(0, Math.max(Math.ceil(whole.length * 0.6), plain(name).length + 1)).trim()
  },
  abbreviations: ({ name, municipality }) => {
    const typed = abbreviated(plain(name), () => '.')
    return typed && `${typed} ${municipality.toUpperCase()}`
  },
  'name, municipality, state': ({ name, municipality, state }) => `${name}, ${municipality}, ${state}`,
  'state abbreviated': ({ name, municipality, stateCode }) => `${name}, ${municipality}, ${stateCode.toLowerCase()}.`,
  'noise word': ({ name, municipality }, random) => pick(random, NOISE)(name, municipality),
  glued: ({ name, municipality }, random) => {
    const typed = glued(plain(name), random)
    return typed && `${typed} ${plain(municipality)}`
  },
  'by ear': ({ name, municipality }, random) => {
    const typed = byEar(plain(name), random)
    return typed && `${typed} ${plain(municipality)}`
  },
}

/** Places that everybody knows, and what names the record that is meant: a country, a state, a municipality or its seat. */
const WELL_KNOWN: readonly (readonly [typed: string, ...meant: string[]])[] = [
  ['cancun', 'cancun'],
  ['acapulco', 'acapulco de juarez'],
  ['villahermosa', 'villahermosa'],
  ['leon', 'leon', 'leon de los aldama'],
  ['monterrey nl', 'monterrey'],
  ['guadalajara', 'guadalajara'],
  ['tijuana', 'tijuana'],
  ['puebla', 'puebla'],
  ['merida', 'merida'],
  ['queretaro', 'queretaro'],
  ['toluca', 'toluca', 'toluca de lerdo'],
  ['morelia', 'morelia'],
  ['ecatepec', 'ecatepec de morelos'],
  ['neza', 'nezahualcoyotl'],
  ['ciudad juarez', 'juarez'],
  ['tuxtla', 'tuxtla gutierrez'],
  ['pachuca', 'pachuca de soto'],
  ['xalapa', 'xalapa', 'xalapa enriquez'],
  ['taxco', 'taxco de alarcon'],
  ['playa del carmen', 'playa del carmen'],
  ['cabo san lucas', 'cabo san lucas'],
  ['puerto vallarta', 'puerto vallarta'],
  ['los mochis', 'los mochis'],
  ['mazatlan', 'mazatlan'],
  ['zacatecas zacatecas', 'zacatecas'],
  ['oaxaca', 'oaxaca', 'oaxaca de juarez'],
  ['cdmx', 'ciudad de mexico', 'distrito federal'],
  ['edo. de mexico', 'mexico'],
  ['q. roo', 'quintana roo'],
  ['mexico', 'mexico'],
  ['estados unidos', 'estados unidos'],
  ['holanda', 'paises bajos'],
  ['costa de marfil', 'costa de marfil', 'cote d ivoire'],
  ['inglaterra', 'reino unido'],
]

/** The least population of a well-known place: the name stands for the largest place that has it. */
const LARGE = 20_000

function scoreWellKnown(service: Service): SampleScore {
  const misses = WELL_KNOWN.flatMap(([typed, ...meant]) => {
    const [best] = service.json<Suggestion[]>(`/api/v2/search?q=${encodeURIComponent(typed)}&limit=1`)
    return best !== undefined && meant.includes(plain(best.name)) && isLarge(service, best)
      ? []
      : [`“${typed}” should find ${meant[0]}, and found ${best?.name}, ${best?.breadcrumb}`]
  })
  return { kind: 'well-known places', queries: WELL_KNOWN.length, first: WELL_KNOWN.length - misses.length, misses }
}

/** A locality without people, or with few, is a namesake. */
function isLarge({ json }: Service, { collection, url }: Suggestion): boolean {
  if (collection !== 'localidades') return true
  const { poblacion } = json<{ poblacion?: number }>(`${new URL(url).pathname}?facts=true`)
  return (poblacion ?? 0) >= LARGE
}

/** The number of localities in a home, and the results of searches for their names. */
export const scoreHome = (service: Service, size: number) => ({
  localities: service
    .json<{ collections: { name: string; count: number }[] }>('/api/v2')
    .collections.reduce((count, one) => (one.name === 'localidades' ? one.count : count), 0),
  samples: scoreSamples(service, size),
  wellKnown: scoreWellKnown(service),
})

export type SampleScore = {
  readonly kind: string
  readonly queries: number
  readonly first: number
  readonly misses: readonly string[]
}

type Suggestion = {
  readonly collection: string
  readonly key: Readonly<Record<string, number>>
  readonly name: string
  readonly url: string
  readonly breadcrumb: readonly string[]
}

/** Scores `size` queries of each kind. A namesake in the same municipality is right too. */
function scoreSamples(service: Service, size: number): SampleScore[] {
  return Object.entries(SAMPLES).map(([kind, make]) => {
    const random = randomFrom(SEED)
    const draw = placesOf(service, random)
    const misses: string[] = []
    let [queries, first] = [0, 0]
    for (let drawn = 0; queries < size && drawn < size * 50; drawn++) {
      const place = draw()
      const query = make(place, random)
      if (query === undefined || query.length > MAX_QUERY) continue
      queries++
      const [best] = service.json<Suggestion[]>(`/api/v2/search?q=${encodeURIComponent(query)}&limit=5`)
      const isRight =
        best?.collection === 'localidades' &&
        best.key.idMunicipio === place.municipalityId &&
        plain(best.name) === plain(place.name)
      if (isRight) first++
      else
        misses.push(
          `“${query}” should find ${place.name}, ${place.municipality}, and found ${best?.name}, ${best?.breadcrumb}`,
        )
    }
    return { kind, queries, first, misses }
  })
}

const MAX_QUERY = 250

type Json = { readonly [field: string]: string | number | Json }

function placesOf({ json }: Service, random: Random): () => Place {
  const { collections } = json<{ collections: { name: string; count: number }[] }>('/api/v2')
  const count = collections.find(({ name }) => name === 'localidades')?.count ?? 0
  return () => {
    for (;;) {
      const [record] = json<[Json]>(`/api/v2/localidades?per_page=1&page=${1 + random(count)}`)
      const municipality = record.idMunicipio as Json
      const state = municipality.idEstado as Json
      const name = String(record.descLocalidad)
      // A name without a word of three letters is rather a number than a name.
      if (
        !plain(name)
          .split(' ')
          .some((word) => word.length > 2 && !PARTICLES.has(word))
      )
        continue
      return {
        name,
        municipality: String(municipality.descMunicipio),
        municipalityId: Number(municipality.idMunicipio),
        state: String(state.descEstado),
        stateCode: String(state.cveEstado),
      }
    }
  }
}
