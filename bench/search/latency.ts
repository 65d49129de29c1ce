// How long single answers take in the process of the service, over many different questions.
import { entities } from '../../src/catalog/entities.ts'
import type { Release } from '../../src/release/release.ts'
import { randomFor as diceFor } from '../../src/source/synthetic/random.ts'
import { quantile, type Spread, spreadOf } from '../measure/spread.ts'
import { progress } from '../report/progress.ts'
import { askerOf, queryOf } from './questions.ts'
import { keystrokes, mistyped } from './typing.ts'

/** In microseconds: over the questions, each with the median of its rounds, and the range of the single rounds. */
export type Latency = {
  readonly name: QuestionName
  readonly description: string
  readonly questions: number
  readonly p50: Spread
  readonly p99: Spread
}

const SEED = 71
const RECORDS = 2_000
const NAMES = 200
const TYPOS = 500
const ROUNDS = 9
const QUICK_ROUNDS = 3

const searchFor = (typed: string) => `/api/v2/search?${queryOf([['q', typed]])}`

const kinds = {
  id: (release: Release) => {
    const dice = diceFor(SEED, 'id')
    return Array.from({ length: RECORDS }, () => {
      const bytes = release.records.localidad.record(dice(release.records.localidad.count))
      const { idLocalidad, idMunicipio } = JSON.parse(new TextDecoder().decode(bytes))
      return `/api/v2/${entities.municipio.plural}/${idMunicipio.idMunicipio}/${entities.localidad.plural}/${idLocalidad}`
    })
  },
  filter: (release: Release) => {
    const dice = diceFor(SEED, 'filter')
    const municipality = () => ['idMunicipio', 1 + dice(release.records.municipio.count)] as const
    const state = () => ['idEstado', 1 + dice(release.records.estado.count)] as const
    return Array.from({ length: RECORDS }, (_, at) => {
      const filter = at % 2 === 0 ? municipality() : state()
      return `/api/v2/${entities.localidad.plural}?${queryOf([filter, ['per_page', 50]])}`
    })
  },
  typeahead: (release: Release) => keystrokes(release, NAMES).map(searchFor),
  oneLetter: () => Array.from({ length: 26 }, (_, at) => searchFor(String.fromCharCode(0x61 + at))),
  typo: (release: Release) => mistyped(release, TYPOS).map(searchFor),
} as const satisfies Readonly<Record<string, (release: Release) => string[]>>

export type QuestionName = keyof typeof kinds
const questionNames = Object.keys(kinds) as QuestionName[]

const questionSays: Readonly<Record<QuestionName, string>> = {
  id: 'one locality by its identifiers',
  filter: 'page of 50 localities with one filter',
  typeahead: 'typeahead, every keystroke of a name',
  oneLetter: 'typeahead, one letter',
  typo: 'typeahead, a name with a typing error',
}

/** Everything from the target of the request to the bytes of the answer, once warm. The kinds of questions take turns. */
export async function measureLatencies(release: Release, quick: boolean): Promise<Latency[]> {
  const ask = await askerOf(() => release)
  const request = questionNames.map((name) => ({ name, targets: kinds[name](release), rounds: [] as Float64Array[] }))
  const { show, end } = progress('latency')
  const count = 1 + (quick ? QUICK_ROUNDS : ROUNDS)
  for (let round = 0; round < count; round++) {
    for (const { targets, rounds } of request) rounds.push(micros(targets, ask))
    show(round + 1, count)
  }
  end()
  // In the first round the code is not yet compiled.
  return request.map(({ name, targets, rounds }) => latencyOf(name, targets.length, rounds.slice(1)))
}

function latencyOf(name: QuestionName, questions: number, rounds: readonly Float64Array[]): Latency {
  const usual = Array.from(
    { length: questions },
    (_, at) => spreadOf(rounds.map((round) => round[at] as number)).median,
  )
  const figure = (share: number): Spread => {
    const { min, max } = spreadOf(rounds.map((round) => quantile(round.toSorted(), share)))
    return {
      median: quantile(
        usual.toSorted((a, b) => a - b),
        share,
      ),
      min,
      max,
    }
  }
  return { name, description: questionSays[name], questions, p50: figure(0.5), p99: figure(0.99) }
}

/** Of each question. */
function micros(targets: readonly string[], ask: (target: string) => { readonly status: number }): Float64Array {
  const taken = new Float64Array(targets.length)
  for (const [at, target] of targets.entries()) {
    const begun = Bun.nanoseconds()
    const { status } = ask(target)
    taken[at] = (Bun.nanoseconds() - begun) / 1_000
    if (status !== 200) throw new Error(`${target} was answered with ${status}`)
  }
  return taken
}
