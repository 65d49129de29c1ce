// What is asked for: the five loads, and the ways to bring each of them.

export const PATH = '/api/v1/localidades'
/** Configured in every server, so that all of them write the same links. */
export const BASE_URL = 'http://catalogs.example.org'
export const PER_PAGE = 10

/** What stands before the number of a page. */
export const BEFORE_PAGE = `${PATH}?format=api&page=`

export const pathOf = (page: number): string => `${BEFORE_PAGE}${page}`

export type LoadName = 'hot' | 'random' | 'deep' | 'unchanged' | 'head' | 'random-deep' | 'random-first'

export type Load = {
  readonly name: LoadName
  readonly description: string
  readonly method: 'GET' | 'HEAD'
  /** Whether the request names the ETag of what it asks for. */
  readonly conditional: boolean
  readonly pages: (total: number) => readonly number[]
}

const get = { method: 'GET', conditional: false } as const

export const loads: Readonly<Record<LoadName, Load>> = {
  hot: { name: 'hot', description: 'page 1, again and again', ...get, pages: () => [1] },
  random: { name: 'random', description: 'uniformly random pages', ...get, pages: (total) => draw(1, lastFull(total)) },
  deep: { name: 'deep', description: 'the deepest full page', ...get, pages: (total) => [lastFull(total)] },
  unchanged: {
    name: 'unchanged',
    description: 'page 1 with its ETag in If-None-Match, answered 304',
    method: 'GET',
    conditional: true,
    pages: () => [1],
  },
  head: { name: 'head', description: 'HEAD of page 1', method: 'HEAD', conditional: false, pages: () => [1] },
  'random-first': {
    name: 'random-first',
    description: 'random pages of the first tenth',
    ...get,
    pages: (total) => draw(1, Math.ceil(total * 0.1)),
  },
  'random-deep': {
    name: 'random-deep',
    description: 'random pages of the last tenth',
    ...get,
    pages: (total) => draw(Math.ceil(total * 0.9), lastFull(total)),
  },
}

/** The five that all servers are compared with. */
export const comparedLoads: readonly Load[] = [loads.hot, loads.random, loads.deep, loads.unchanged, loads.head]

/** The very last page may hold fewer records, which would make the depths look cheaper than they are. */
const lastFull = (total: number): number => Math.max(total - 1, 1)

const MAX_DRAWN = 65_536
/** Of a narrow range fewer are drawn, so that all are asked for soon. */
const DRAWN_OF_EACH = 4
const SEED = 0x6e_6f_6d_65

/** Pages from the first to the last, drawn with a fixed seed: every run and every server gets the same ones. */
function draw(first: number, last: number): number[] {
  let state = SEED
  const length = Math.min((last - first + 1) * DRAWN_OF_EACH, MAX_DRAWN)
  return Array.from({ length }, () => {
    state = (state + 0x9e3779b9) >>> 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    const fraction = ((mixed ^ (mixed >>> 15)) >>> 0) / 0x1_0000_0000
    return first + Math.floor(fraction * (last - first + 1))
  })
}
