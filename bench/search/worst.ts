// Looks for the slowest requests there are: random ones, changed again and again, and the slower kept.
import { entities } from '../../src/catalog/entities.ts'
import { pathsOf } from '../../src/catalog/paths.ts'
import { MAX_FILTER_VALUES } from '../../src/http/v2/list-parameters.ts'
import type { Release } from '../../src/release/release.ts'
import { type Random as Dice, randomFor as diceFor, pick, times } from '../../src/source/synthetic/random.ts'
import { spreadOf } from '../measure/spread.ts'
import { progress } from '../report/progress.ts'
import { type Ask, askerOf, queryOf, unremembered } from './questions.ts'
import { keystrokes, mistyped } from './typing.ts'

/** Processor time of one answer. */
export type Slow = { readonly target: string; readonly encoding: string; readonly milliseconds: number }

type Parameter = readonly [name: string, value: string | number]
type Request = { readonly path: string; readonly parameters: readonly Parameter[]; readonly encoding: string }

const CLIMBS = 12
const STEPS = 120
const BEGINNINGS = 12
const REPEATS = 5
const SHOWN = 10
const LONGEST_TARGET = 7_000
const COMMON = ['san', 'santa', 'de', 'la', 'el', 'los', 'las', 'del', 'jose', 'juan', 'maria', 's', 'c', 'l', 'e', 'a']
const STATES = ['mexico', 'jalisco', 'veracruz', 'oaxaca', 'chiapas', 'nuevo', 'leon', 'baja']

/** Makes requests and changes them. */
class Chance {
  readonly #dice: Dice
  readonly #typed: readonly string[]
  readonly #filters: readonly (() => Parameter)[]
  readonly #sorts = [...pathsOf(entities.localidad).keys()].flatMap((path) => [path, `-${path}`])

  constructor(release: Release, seed: number) {
    const dice = diceFor(seed, 'worst')
    this.#dice = dice
    this.#typed = [...keystrokes(release, 60), ...mistyped(release, 200)]
    const digit = () => String(dice(10))
    this.#filters = [
      () => ['idEstado', 1 + dice(32)],
      () => ['idMunicipio', 1 + dice(release.records.municipio.count)],
      () => ['idMunicipio.idEstado', 1 + dice(32)],
      () => ['idMunicipio.idEstado.idPais', 484],
      () => ['idLocalidad', 1 + dice(300)],
      () => ['cveLocalidad_prefix', digit() + (dice(2) === 0 ? '' : digit())],
      () => ['idMunicipio.cveMunicipio_prefix', digit()],
      () => ['idMunicipio.cveMunicipio', `00${1 + dice(9)}`],
    ]
  }

  request(): Request {
    const isSearch = this.#dice(3) === 0
    const parameters = isSearch ? [this.#query(), ['limit', 50] as const] : [this.#any(), this.#any(), this.#any()]
    return tidy({ path: isSearch ? '/api/v2/search' : '/api/v2/localidades', parameters, encoding: '' })
  }

  /** With a parameter more, one less, one replaced, or many values of one filter at once. */
  changed({ path, parameters, encoding }: Request): Request {
    const dice = this.#dice
    const one = () => (path.endsWith('search') ? this.#query() : this.#any())
    const without = () => parameters.toSpliced(dice(Math.max(parameters.length, 1)), 1)
    if (dice(8) === 0) return { path, parameters, encoding: pick(dice, ['', 'gzip', 'br', 'zstd']) }
    if (path.endsWith('localidades') && dice(6) === 0) {
      const filter = pick(dice, this.#filters)
      return tidy({ path, parameters: [...parameters, ...times(1 + dice(60), filter)], encoding })
    }
    const next = pick(dice, [() => [...parameters, one()], without, () => [...without(), one()]])()
    return tidy({ path, parameters: next, encoding })
  }

  #any(): Parameter {
    const dice = this.#dice
    const makes: readonly (() => Parameter)[] = [
      pick(dice, this.#filters),
      () => this.#query(),
      () => ['sort', pick(dice, this.#sorts)],
      () => ['per_page', 1_000],
      () => ['page', 1 + dice(300)],
      () => ['format', pick(dice, ['csv', 'ndjson', 'json'])],
      () => ['embed', 'id'],
      () => ['fields', pick(dice, ['descLocalidad,idMunicipio', 'idMunicipio.idEstado', 'descLocalidad'])],
    ]
    return pick(dice, makes)()
  }

  #query(): Parameter {
    const dice = this.#dice
    const word = () =>
      pick(dice, dice(3) === 0 ? this.#typed.flatMap((text) => text.split(' ')) : pick(dice, [COMMON, STATES]))
    const few = times(1 + dice(10), word).join(' ')
    return ['q', dice(3) === 0 ? pick(dice, this.#typed) : few]
  }
}

/** What may be given once is given once, the latest of it; and no more than a request line holds and filters may have. */
function tidy({ path, parameters, encoding }: Request): Request {
  const last = new Map(parameters.map(([name, value]) => [name, value]))
  const isRepeatable = (name: string) => /^(?:id|cve)/.test(name)
  const once = [...last].filter(([name]) => !isRepeatable(name))
  const kept: Parameter[] = [...(path.endsWith('search') && !last.has('q') ? [['q', 's'] as const] : []), ...once]
  const values = parameters.filter(([name]) => isRepeatable(name)).slice(-MAX_FILTER_VALUES)
  for (const parameter of values) {
    if (queryOf([...kept, parameter]).length < LONGEST_TARGET) kept.push(parameter)
  }
  return { path, parameters: kept, encoding }
}

const targetOf = ({ path, parameters }: Request) => (parameters.length === 0 ? path : `${path}?${queryOf(parameters)}`)

export async function findWorst(release: Release, quick: boolean): Promise<Slow[]> {
  // A release that is new to the memory of answers for every request.
  const ask = await askerOf(() => unremembered(release))
  const found = new Map<string, Slow>()
  const climbs = quick ? 2 : CLIMBS
  const { show, end } = progress('looking for slow requests')
  for (let climb = 0; climb < climbs; climb++) {
    show(climb, climbs)
    const chance = new Chance(release, climb)
    let best = times(BEGINNINGS, () => chance.request())
      .map((request) => ({ request, cost: costOf(ask, request, 1) }))
      .reduce((a, b) => (a.cost > b.cost ? a : b))
    for (let step = 0; step < STEPS; step++) {
      const request = chance.changed(best.request)
      if (costOf(ask, request, 1) <= best.cost) continue
      // Once may be chance: a garbage collection, or a neighbour.
      const cost = costOf(ask, request, 3)
      if (cost > best.cost) best = { request, cost }
    }
    const milliseconds = costOf(ask, best.request, REPEATS) / 1_000
    const slow = { target: targetOf(best.request), encoding: best.request.encoding, milliseconds }
    found.set(`${slow.target} ${slow.encoding}`, slow)
  }
  end()
  return [...found.values()].sort((a, b) => b.milliseconds - a.milliseconds).slice(0, SHOWN)
}

/** Microseconds of processor time, the median of some repeats; what is refused costs nothing. */
function costOf(ask: Ask, request: Request, repeats: number): number {
  const target = targetOf(request)
  const headers = request.encoding === '' ? {} : { 'accept-encoding': request.encoding }
  const costs = times(repeats, () => {
    const before = process.cpuUsage()
    const { status } = ask(target, headers)
    const { user, system } = process.cpuUsage(before)
    return status === 200 ? user + system : 0
  })
  return spreadOf(costs).median
}
