// The requests that cost most: searches, rows and downloads, and bodies made to be expensive to refuse.
import { byEar, withTypo } from '../../bench/misspelling.ts'
import { pick, type Random, randomFrom, shuffled, times } from '../../packages/server/src/source/synthetic/random.ts'

/** Facts of a running service that requests are made from; a plain value, so that it can be sent to a process. */
export type Material = {
  readonly host: string
  /** Names of localities with those of their states. */
  readonly names: readonly { readonly locality: string; readonly municipality: string; readonly state: string }[]
  readonly releases: readonly [current: string, other: string]
  readonly seed: number
}

export type Costly = {
  readonly name: string
  /** Gives one request after the other, each another where the same would be responded to from memory. */
  readonly requests: (material: Material) => () => Buffer
}

const BODY_BYTES = 5_000_000
const RESOLVE = '/api/v2/resolve'

const get = ({ host }: Material, target: string): Buffer =>
  Buffer.from(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`, 'latin1')

function post({ host }: Material, target: string, type: string, body: Buffer | string): Buffer {
  const bytes = Buffer.from(body)
  const fields = [`Host: ${host}`, 'Connection: close', `Content-Type: ${type}`, `Content-Length: ${bytes.length}`]
  return Buffer.concat([Buffer.from(`POST ${target} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`), bytes])
}

/** The name of a locality and where it is, typed in a hurry. */
function dirtyName({ names }: Material, random: Random): string {
  const { locality, municipality, state } = pick(random, names)
  const [first, second] = [locality, municipality].map((name) => withTypo(byEar(name, random) ?? name, random) ?? name)
  return `${first} ${second} ${state}`
}

/** Text of this many letters, whatever the number of words. */
function typed(material: Material, random: Random, letters: number): string {
  let text = ''
  while (text.length < letters) text += `${dirtyName(material, random)} `
  return encodeURIComponent(text.slice(0, letters).trim())
}

/** Requests that are made anew each time. */
const fresh = (name: string, make: (material: Material, random: Random) => Buffer): Costly => ({
  name,
  requests: (material) => {
    const random = randomFrom(material.seed)
    return () => make(material, random)
  },
})

/** A body that is made once: making it must not cost more than refusing it. */
const body = (name: string, type: string, make: (material: Material) => string | Buffer, target = RESOLVE): Costly => ({
  name,
  requests: (material) => {
    const bytes = post(material, target, type, make(material))
    return () => bytes
  },
})

const rowsOf = (material: Material, count: number): string[] => {
  const random = randomFrom(material.seed)
  return times(count, () => dirtyName(material, random))
}

const form = (material: Material, random: Random) => {
  const queries = times(50, (at) => [`q${at}`, { query: dirtyName(material, random), type: 'localidades' }])
  return `queries=${encodeURIComponent(JSON.stringify(Object.fromEntries(queries)))}`
}

const COLUMNS = [
  'cveLocalidad',
  'descLocalidad',
  'idLocalidad',
  'idEstado',
  'idMunicipio.descMunicipio',
  'idEstado.descEstado',
]

const degrees = (random: Random, from: number, to: number) =>
  (from + (random(10_000) / 10_000) * (to - from)).toFixed(4)

export const COSTLY: readonly Costly[] = [
  fresh('search of 32 letters', (material, random) => get(material, `/api/v2/search?q=${typed(material, random, 32)}`)),
  fresh('list with q', (material, random) => get(material, `/api/v2/localidades?q=${typed(material, random, 24)}`)),
  fresh('list near a point', (material, random) =>
    get(material, `/api/v2/localidades?near=${degrees(random, 15, 32)},${degrees(random, -117, -87)}&per_page=1000`),
  ),
  fresh("explorer's search page", (material, random) => get(material, `/explore?q=${typed(material, random, 32)}`)),
  fresh('40 rows resolved by GET', (material, random) => {
    const rows = times(40, () => `q=${encodeURIComponent(dirtyName(material, random))}`)
    return get(
      material,
      `${RESOLVE}?${rows
        .join('&')
        .slice(0, 7_800)
        .replace(/&[^&]*$/, '')}`,
    )
  }),
  fresh('reconcile of 50 queries', (material, random) =>
    post(material, '/reconcile', 'application/x-www-form-urlencoded', form(material, random)),
  ),
  body('resolve of 10,000 dirty rows', 'application/json', (material) => JSON.stringify(rowsOf(material, 10_000))),
  body('[ × 5 MB', 'application/json', () => Buffer.alloc(BODY_BYTES, '[')),
  body('[[],[],…]', 'application/json', () => `[${'[],'.repeat((BODY_BYTES - 4) / 3)}[]]`),
  body(
    '380,000 keys',
    'application/json',
    () =>
      `[{${times(380_000, (at) => `"k${at}":1`)
        .join()
        .slice(0, BODY_BYTES - 20)
        .replace(/,[^,]*$/, '')}}]`,
  ),
  body('blank NDJSON lines', 'application/x-ndjson', () => Buffer.alloc(BODY_BYTES, '\n')),
  body('blank CSV lines', 'text/csv', () => Buffer.concat([Buffer.from('q\n'), Buffer.alloc(BODY_BYTES - 2, '\n')])),
  body('[ × 1 MB in a form', 'application/x-www-form-urlencoded', () => `queries=${'['.repeat(990_000)}`, '/reconcile'),
  body('one CSV header', 'text/csv', () => Buffer.alloc(BODY_BYTES, 'q,')),
  fresh('changes between two releases', ({ releases: [to, from], ...others }, random) => {
    const fields = pick(random, [
      'embed=id',
      'embed=full',
      'format=ndjson',
      'in=localidades',
      'in=municipios,localidades',
    ])
    return get({ releases: [to, from], ...others }, `/api/v2/changes?from=${from}&to=${to}&${fields}`)
  }),
  // In another order of columns each time, so that it is made anew.
  fresh('whole download', (material, random) =>
    get(material, `/api/v2/localidades/all?format=csv&fields=${shuffled(random, COLUMNS).join()}`),
  ),
]

/** A body of so many rows that are easy to resolve. */
export const easyRows: Costly = body('resolve of 1,000 rows', 'application/json', ({ names, seed }) => {
  const random = randomFrom(seed)
  return JSON.stringify(
    times(1_000, () => {
      const { locality, municipality, state } = pick(random, names)
      return { estado: state, municipio: municipality, localidad: locality }
    }),
  )
})
