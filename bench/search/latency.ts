// Times single requests in the process of the service, over many that differ: by key, by filter, and as typed.
import { pick, type Random, randomFrom, times } from '../../packages/server/src/source/synthetic/random.ts'
import { quantile, type Spread, spreadOf } from '../spread.ts'
import { folded } from './localities.ts'
import type { Get, Service } from './service.ts'

const SEED = 71
const RECORDS = 2_000
const NAMES = 200
const TYPOS = 500
/** Nobody types more of a name than this before choosing among the suggestions. */
const MAX_LETTERS = 14
/** The most words that a search takes. */
const MAX_WORDS = 32
/** Mostly localities, as they are most of what there is; but people look for the larger places more often. */
const TYPED =
  'localidades localidades localidades municipios municipios estados subdisciplinas-conocimiento paises'.split(' ')

type Json = Readonly<Record<string, unknown>>

export function countsOf({ json }: Service): ReadonlyMap<string, number> {
  const { collections } = json<{ collections: { name: string; count: number }[] }>('/api/v2')
  return new Map(collections.map(({ name, count }) => [name, count]))
}

/** Draws a record of a collection. */
function drawer(service: Service, random: Random): (collection: string) => Json {
  const counts = countsOf(service)
  return (collection) => {
    const page = 1 + random(counts.get(collection) ?? 0)
    return service.json<[Json]>(`/api/v2/${collection}?per_page=1&page=${page}`)[0]
  }
}

function namesOf(service: Service, random: Random): () => string {
  const draw = drawer(service, random)
  return () => {
    const name = Object.entries(draw(pick(random, TYPED))).find(([field]) => field.startsWith('desc'))?.[1]
    return folded(String(name)).replaceAll(/[^\p{L}\p{N} ]/gu, '')
  }
}

/** Every keystroke of some names: their beginnings of one letter, of two, and so on. */
export function keystrokes(service: Service, names: number): string[] {
  const nextName = namesOf(service, randomFrom(SEED))
  return times(names, nextName)
    .flatMap((name) => times(Math.min(name.length, MAX_LETTERS), (at) => name.slice(0, at + 1)))
    .filter((typed) => !typed.endsWith(' '))
}

/** Names, each with one typing error in a word of five letters or more. */
export function mistyped(service: Service, count: number): string[] {
  const random = randomFrom(SEED)
  const nextName = namesOf(service, random)
  const typed: string[] = []
  while (typed.length < count) {
    const words = nextName().split(' ').slice(0, MAX_WORDS)
    const long = words.filter((word) => word.length >= 5)
    if (long.length === 0) continue
    const wrong = pick(random, long)
    typed.push(words.map((word) => (word === wrong ? withTypo(word, random) : word)).join(' '))
  }
  return typed
}

/** Two letters swapped, one left out, one doubled, or one replaced by another. */
function withTypo(word: string, random: Random): string {
  const at = 1 + random(word.length - 2)
  const [before, letter, after] = [word.slice(0, at), word.charAt(at), word.slice(at + 1)]
  const middles = [after.charAt(0) + letter + after.slice(1), after, letter + letter + after]
  return before + pick(random, [...middles, pick(random, [...'abcdefghijklmnopqrstuvwxyz']) + after])
}

const searchFor = (typed: string) => `/api/v2/search?q=${encodeURIComponent(typed)}`

const kinds = {
  id: {
    description: 'one locality by its identifiers',
    targets: (service) => {
      const draw = drawer(service, randomFrom(SEED))
      return times(RECORDS, () => {
        const { idLocalidad, idMunicipio } = draw('localidades')
        return `/api/v2/municipios/${(idMunicipio as Json).idMunicipio}/localidades/${idLocalidad}`
      })
    },
  },
  filter: {
    description: 'page of 50 localities with one filter',
    targets: (service) => {
      const random = randomFrom(SEED)
      const counts = countsOf(service)
      const oneOf = (collection: string) => 1 + random(counts.get(collection) ?? 0)
      return times(RECORDS, (at) => {
        const filter = at % 2 === 0 ? `idMunicipio=${oneOf('municipios')}` : `idEstado=${oneOf('estados')}`
        return `/api/v2/localidades?${filter}&per_page=50`
      })
    },
  },
  typeahead: {
    description: 'typeahead, every keystroke of a name',
    targets: (service) => keystrokes(service, NAMES).map(searchFor),
  },
  oneLetter: {
    description: 'typeahead, one letter',
    targets: () => times(26, (at) => searchFor(String.fromCharCode(0x61 + at))),
  },
  typo: {
    description: 'typeahead, a name with a typing error',
    targets: (service) => mistyped(service, TYPOS).map(searchFor),
  },
} as const satisfies Readonly<Record<string, { description: string; targets: (service: Service) => string[] }>>

export type RequestKind = keyof typeof kinds

/** Times in microseconds. The median is over all requests, each with the median of its rounds; the range is of single rounds. */
export type Latency = {
  readonly description: string
  readonly requests: number
  readonly p50: Spread
  readonly p99: Spread
}
export type Latencies = Readonly<Record<RequestKind, Latency>>

/** Everything from the target of a request to the bytes of its response, once warm. The kinds of requests take turns. */
export function measureLatencies(service: Service, rounds: number): Latencies {
  const runs = Object.entries(kinds).map(([kind, { description, targets }]) => {
    return { kind, description, targets: targets(service), rounds: [] as Float64Array[] }
  })
  for (let round = 0; round <= rounds; round++)
    for (const run of runs) run.rounds.push(microsOf(run.targets, service.get))
  const entries = runs.map(({ kind, description, targets, rounds: [, ...warm] }) => {
    const medians = Float64Array.from(
      targets,
      (_, at) => spreadOf(warm.map((round) => round[at] as number)).median,
    ).sort()
    const figureAt = (share: number): Spread => ({
      ...spreadOf(warm.map((round) => quantile(round.toSorted(), share))),
      median: quantile(medians, share),
    })
    return [kind, { description, requests: targets.length, p50: figureAt(0.5), p99: figureAt(0.99) }] as const
  })
  return Object.fromEntries(entries) as Latencies
}

function microsOf(targets: readonly string[], get: Get): Float64Array {
  return Float64Array.from(targets, (target) => {
    const begun = Bun.nanoseconds()
    const { status } = get(target)
    const micros = (Bun.nanoseconds() - begun) / 1_000
    if (status !== 200) throw new Error(`${target} was answered with ${status}`)
    return micros
  })
}
