// Looks for the slowest requests there are: random ones, changed again and again, and the slower kept.
import { pick, randomFrom, times } from '../../packages/server/src/source/synthetic/random.ts'
import { spreadOf } from '../spread.ts'
import { countsOf, keystrokes, mistyped } from './latency.ts'
import type { Get, Service } from './service.ts'

/** Processor time of one response. */
export type Slow = { readonly target: string; readonly encoding: string; readonly milliseconds: number }

type Parameter = readonly [name: string, value: string | number]
type Request = { readonly path: string; readonly parameters: readonly Parameter[]; readonly encoding: string }

const targetOf = ({ path, parameters }: Request): string =>
  `${path}?${parameters.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')}`

const CLIMBS = 12
const STEPS = 120
const BEGINNINGS = 12
const REPEATS = 5
const SHOWN = 10
/** The most values that the filters of a request may have, in a target of allowed length. */
const MAX_FILTER_VALUES = 100
const MAX_TARGET = 7_000
const COMMON = ['san', 'santa', 'de', 'la', 'el', 'los', 'las', 'del', 'jose', 'juan', 'maria', 's', 'c', 'l', 'e', 'a']
const STATES = ['mexico', 'jalisco', 'veracruz', 'oaxaca', 'chiapas', 'nuevo', 'leon', 'baja']
const FIELDS = ['descLocalidad,idMunicipio', 'idMunicipio.idEstado', 'descLocalidad']
const SEARCH = '/api/v2/search'
const LIST = '/api/v2/localidades'

/** The fields of a record and of those embedded in it, as dotted paths. */
const pathsIn = (record: object): string[] =>
  Object.entries(record).flatMap(([field, value]) =>
    typeof value === 'object' && value !== null
      ? [field, ...pathsIn(value).map((path) => `${field}.${path}`)]
      : [field],
  )

/** Makes requests and changes them. */
function requestMaker(service: Service, typed: readonly string[], seed: number) {
  const random = randomFrom(seed)
  const municipalities = countsOf(service).get('municipios') ?? 0
  const sorts = pathsIn(service.json<[object]>(`${LIST}?per_page=1`)[0]).flatMap((path) => [path, `-${path}`])
  const digit = () => String(random(10))
  const filters: readonly (() => Parameter)[] = [
    () => ['idEstado', 1 + random(32)],
    () => ['idMunicipio', 1 + random(municipalities)],
    () => ['idMunicipio.idEstado', 1 + random(32)],
    () => ['idMunicipio.idEstado.idPais', 484],
    () => ['idLocalidad', 1 + random(300)],
    () => ['cveLocalidad_prefix', digit() + (random(2) === 0 ? '' : digit())],
    () => ['idMunicipio.cveMunicipio_prefix', digit()],
    () => ['idMunicipio.cveMunicipio', `00${1 + random(9)}`],
  ]
  const query = (): Parameter => {
    const word = () => pick(random, random(3) === 0 ? pick(random, typed).split(' ') : pick(random, [COMMON, STATES]))
    return ['q', random(3) === 0 ? pick(random, typed) : times(1 + random(32), word).join(' ')]
  }
  const parameter = (): Parameter =>
    pick<() => Parameter>(random, [
      pick(random, filters),
      query,
      () => ['sort', pick(random, sorts)],
      () => ['per_page', 1_000],
      () => ['page', 1 + random(300)],
      () => ['format', pick(random, ['csv', 'ndjson', 'json'])],
      () => ['embed', 'id'],
      () => ['fields', pick(random, FIELDS)],
    ])()
  return {
    first: (): Request =>
      random(3) === 0
        ? { path: SEARCH, parameters: [query(), ['limit', 50]], encoding: '' }
        : withinLimits({ path: LIST, parameters: times(3, parameter), encoding: '' }),
    /** The request with a parameter more, one less, one replaced, another encoding, or many values of one filter. */
    changed: ({ path, parameters, encoding }: Request): Request => {
      if (random(8) === 0) return { path, parameters, encoding: pick(random, ['', 'gzip', 'br', 'zstd']) }
      if (path === LIST && random(6) === 0) {
        const values = times(1 + random(60), pick(random, filters))
        return withinLimits({ path, parameters: [...parameters, ...values], encoding })
      }
      const more = path === SEARCH ? query() : parameter()
      const fewer = parameters.toSpliced(random(Math.max(parameters.length, 1)), 1)
      const next = pick(random, [[...parameters, more], fewer, [...fewer, more]])
      return withinLimits({ path, parameters: next, encoding })
    },
  }
}

/** Keeps the last value of a parameter that may be given once, and as many values of filters as are allowed. */
function withinLimits({ path, parameters, encoding }: Request): Request {
  const isFilter = ([name]: Parameter) => /^(?:id|cve)/.test(name)
  const once = [...new Map(parameters.filter((each) => !isFilter(each)).map((each) => [each[0], each])).values()]
  const kept: Parameter[] = path === SEARCH && !once.some(([name]) => name === 'q') ? [['q', 's'], ...once] : once
  for (const filter of parameters.filter(isFilter).slice(-MAX_FILTER_VALUES))
    if (targetOf({ path, parameters: [...kept, filter], encoding }).length < MAX_TARGET) kept.push(filter)
  return { path, parameters: kept, encoding }
}

/** Microseconds of processor time, the median of some repeats; a request that is refused costs nothing. */
function costOf(get: Get, request: Request, repeats: number): number {
  const target = targetOf(request)
  const costs = times(repeats, () => {
    const before = process.cpuUsage()
    const { status } = get(target, request.encoding || undefined)
    const { user, system } = process.cpuUsage(before)
    return status === 200 ? user + system : 0
  })
  return spreadOf(costs).median
}

export function findSlowest(service: Service): Slow[] {
  const get = service.getUncached
  const typed = [...keystrokes(service, 60), ...mistyped(service, 200)]
  const found = times(CLIMBS, (climb): Slow => {
    const { first, changed } = requestMaker(service, typed, climb)
    let best = times(BEGINNINGS, first)
      .map((request) => ({ request, cost: costOf(get, request, 1) }))
      .reduce((a, b) => (a.cost > b.cost ? a : b))
    for (let step = 0; step < STEPS; step++) {
      const request = changed(best.request)
      if (costOf(get, request, 1) <= best.cost) continue
      // Once may be chance: a garbage collection, or a neighbour.
      const cost = costOf(get, request, 3)
      if (cost > best.cost) best = { request, cost }
    }
    const milliseconds = costOf(get, best.request, REPEATS) / 1_000
    return { target: targetOf(best.request), encoding: best.request.encoding, milliseconds }
  })
  return found.sort((a, b) => b.milliseconds - a.milliseconds).slice(0, SHOWN)
}
