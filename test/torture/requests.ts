// What clients request: pages of API v1, a mixed load of both versions, and fuzzed requests to every documented path.
import { pick, type Random, randomFrom } from '../../packages/server/src/source/synthetic/random.ts'
import { Documented, type DocumentedOperation, type Schema } from '../support/openapi.ts'

/** What a running service says of itself, as far as requests can be made of it. */
export type Survey = {
  readonly host: string
  readonly operations: readonly Pick<DocumentedOperation, 'path' | 'parameters'>[]
  /** Paths that take a body. */
  readonly posts: readonly string[]
  /** Some values that records have, by the path of the collection and the path of the field. */
  readonly values: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
  /** Pages of the collections of API v1, by path. */
  readonly pages: Readonly<Record<string, number>>
  readonly releases: readonly string[]
  /** Entity tags of some pages, by target. */
  readonly etags: Readonly<Record<string, string>>
}

export type Request = {
  readonly target: string
  /** As it goes on the wire; each character is one byte. */
  readonly text: string
  readonly isHead: boolean
}

/** Which requests are made; a plain value, so that it can be sent to a process. */
export type RequestPlan =
  | { readonly kind: 'pages'; readonly host: string; readonly targets: readonly string[] }
  | { readonly kind: 'mixed' | 'fuzzed'; readonly seed: number; readonly survey: Survey }

export function requestsOf(plan: RequestPlan): () => Request {
  if (plan.kind === 'pages') {
    let turn = 0
    return () => get(plan.host, plan.targets[turn++ % plan.targets.length] as string)
  }
  const random = randomFrom(plan.seed)
  return plan.kind === 'mixed' ? () => mixed(plan.survey, random) : () => fuzzed(plan.survey, random)
}

export function get(host: string, target: string, ...fields: readonly string[]): Request {
  return request('GET', host, target, fields)
}

function request(method: string, host: string, target: string, fields: readonly string[], body = ''): Request {
  const lines = [`${method} ${target} HTTP/1.1`, `Host: ${host}`, ...fields]
  return { target, text: `${lines.join('\r\n')}\r\n\r\n${body}`, isHead: method === 'HEAD' }
}

const isV1 = (path: string) => path.startsWith('/api/v1/')
const COLLECTION = /^\/api\/v2\/([a-z-]+)$/
const collectionOf = (path: string) => path.split('/').slice(0, 4).join('/')
const PAGE_RECORDS = 10
const SAMPLED_PAGES = 3

async function json(url: string): Promise<{ readonly body: unknown; readonly headers: Headers }> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url}: ${response.status}`)
  return { body: await response.json(), headers: response.headers }
}

/** Asks a running service for its paths, parameters, releases, and some values and pages. */
export async function surveyOf(url: string): Promise<Survey> {
  const document = (await json(`${url}/api/openapi.json`)).body as { readonly paths: Readonly<Record<string, object>> }
  const { operations } = new Documented(document)
  const releases = (await json(`${url}/api/v2/releases`)).body as readonly { readonly digest: string }[]
  const values: Record<string, Record<string, string[]>> = {}
  const pages: Record<string, number> = {}
  const etags: Record<string, string> = {}
  for (const { path } of operations) {
    if (isV1(path)) {
      const { headers } = await json(`${url}${path}`)
      pages[path] = Math.max(1, Math.ceil(Number(headers.get('X-Total')) / PAGE_RECORDS))
      etags[path] = headers.get('ETag') ?? '""'
    } else if (COLLECTION.test(path) && !/search|releases|changes/.test(path)) {
      const sampled: Record<string, Set<string>> = {}
      for (let page = 1; page <= SAMPLED_PAGES; page++) {
        const response = await fetch(`${url}${path}?facts=true&per_page=20&page=${page}`)
        if (response.ok) for (const record of (await response.json()) as object[]) collect(sampled, record, '')
        else await response.arrayBuffer()
      }
      values[path] = Object.fromEntries(Object.entries(sampled).map(([name, all]) => [name, [...all]]))
    }
  }
  return {
    host: new URL(url).host,
    operations: operations.map(({ path, parameters }) => ({ path, parameters })),
    posts: Object.entries(document.paths).flatMap(([path, item]) => ('post' in item ? [path] : [])),
    values,
    pages,
    releases: releases.map(({ digest }) => digest),
    etags,
  }
}

function collect(values: Record<string, Set<string>>, record: object, prefix: string): void {
  for (const [name, value] of Object.entries(record)) {
    if (value !== null && typeof value === 'object') collect(values, value, `${prefix}${name}.`)
    else if (value !== null) {
      values[prefix + name] ??= new Set()
      values[prefix + name]?.add(String(value))
    }
  }
}

const encoded = (value: string) => encodeURIComponent(value.isWellFormed() ? value : value.toWellFormed())
const identifiersOf = (values: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(values).filter(([name]) => !name.includes('.') && name.startsWith('id'))
const namesIn = (values: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(values).flatMap(([name, all]) => (/^desc[A-Z]|^descripcion$/.test(name) ? all : []))

/** What ordinary clients request: mostly pages of API v1, and some of everything else. */
function mixed(survey: Survey, random: Random): Request {
  const { host, pages, values, releases, etags } = survey
  const v1 = pick(random, Object.keys(pages))
  const page = () => `${v1}?page=${1 + random(pages[v1] as number)}`
  const path = pick(random, Object.keys(values))
  const fields = values[path] ?? {}
  const turn = random(100)
  if (turn < 35) return get(host, v1)
  if (turn < 72) return get(host, page())
  if (turn < 76) return request('HEAD', host, page(), [])
  if (turn < 82) return get(host, v1, `If-None-Match: ${etags[v1]}`)
  if (turn < 89) return get(host, listTarget(path, fields, random), ...compressed(random))
  if (turn < 91) return get(host, `/api/v2/search?q=${encoded(typed(fields, random))}`, ...compressed(random))
  if (turn < 97) return get(host, recordTarget(path, fields, random))
  const format = pick(random, ['json', 'ndjson', 'csv'])
  if (turn < 99) {
    const from = random(1_000_000)
    return get(host, `${path}/all?format=${format}`, `Range: bytes=${from}-${from + random(100_000)}`)
  }
  // A collection that is not the largest, so that the load is one of requests and not of bytes.
  const small = path.endsWith('/localidades') ? '/api/v2/paises' : path
  if (random(2) === 0) return get(host, `${small}/all?format=${format}`, ...compressed(random))
  const plural = small.slice(small.lastIndexOf('/') + 1)
  return get(host, `/api/v2/changes?from=${pick(random, releases)}&in=${plural}`, ...compressed(random))
}

const compressed = (random: Random) => (random(2) === 0 ? [] : [`Accept-Encoding: ${pick(random, CODINGS)}`])
const CODINGS = ['gzip', 'br', 'zstd', 'gzip, deflate, br, zstd']

/** The beginning of a name, as someone types it. */
function typed(fields: Readonly<Record<string, readonly string[]>>, random: Random): string {
  const names = namesIn(fields)
  const name = names.length === 0 ? 'san' : pick(random, names)
  return name.slice(0, 3 + random(12)).trim() || 'san'
}

function listTarget(path: string, fields: Readonly<Record<string, readonly string[]>>, random: Random): string {
  const [name, all] = pick(random, Object.entries(fields)) ?? ['', []]
  const options = [`per_page=${pick(random, [10, 50, 50, 200])}`]
  if (all.length > 0 && random(2) === 0) options.push(`${encoded(name)}=${encoded(pick(random, all))}`)
  if (name !== '' && random(4) === 0) options.push(`sort=${random(2) === 0 ? '-' : ''}${encoded(name)}`)
  if (random(4) === 0) options.push(`q=${encoded(typed(fields, random))}`)
  return `${path}?${options.join('&')}`
}

function recordTarget(path: string, fields: Readonly<Record<string, readonly string[]>>, random: Random): string {
  const [own] = identifiersOf(fields).toReversed()
  const id = own === undefined ? '1' : pick(random, own[1])
  if (path.endsWith('/localidades')) return `/api/v2/municipios/${1 + random(100)}/localidades/${1 + random(20)}`
  return `${path}/${id}`
}

const HOSTILE = [
  ...['', '0', '-1', '01', '+1', ' 1', '1 ', '1.5', '1e3', '1e309', 'NaN', 'Infinity', '-0', '0x10', '9'.repeat(30)],
  ...['null', 'undefined', 'true', '[]', '{}', '[object Object]', '__proto__', 'constructor', 'toString'],
  ...['hasOwnProperty'],
  ...['\0', '\r\n', '\t', '\x7f', '\u2028', '\ufeff', '\u202e', 'é', 'e\u0301', 'ñ', 'ß', 'İ', 'ﬁ', '中', '🜨'],
  ...['👩‍👩‍👧', '\u{10ffff}'],
  ...["'", '"', '`', '\\', "' or 1=1 --", '<script>', '{{7*7}}', '%', '%25', '%00', '../../etc/passwd', '/'],
  ...['//', '.', '..'],
  ...['(a+)+$', '.*', '*', '?', '&', '=', '#', ';', ',', ',,,', '-', '--', 'a:b', ':', 'estados:', 'estados:0'],
  ...['a'.repeat(300)],
  ...['a '.repeat(20), '\u0301'.repeat(50), '1,2', '91,181', '-90,-180', '90.0000000001,0', '0,0', '20.5,-103.3'],
  ...Array.from({ length: 4 }, (_, at) =>
    Array(10 ** at)
      .fill('descPais')
      .join(),
  ),
]
const UNENCODED = [
  ...['%', '%zz', '%ff', '%c3', '%c3%28', '%ed%a0%80', '%f4%90%80%80', '+', '%00', '%2f', '%2e%2e', '?', '='],
  ...['&&', ';'],
]

function parameterValue(schema: Schema, samples: readonly string[], survey: Survey, random: Random): string {
  const { type, minimum = 0, maximum = 1_000, pattern } = schema
  const turn = random(10)
  if (turn < 3) return encoded(pick(random, HOSTILE))
  if (turn < 4) return pick(random, UNENCODED)
  if (schema.enum !== undefined) return encoded(pick(random, schema.enum))
  if (samples.length > 0 && turn < 8) return encoded(pick(random, samples))
  if (type === 'integer' || type === 'number')
    return String(minimum + (random(2) === 0 ? random(5) : random(Math.min(maximum - minimum, 1e9) || 1)))
  if (pattern?.includes('0-9a-f') && survey.releases.length > 0) return pick(random, survey.releases)
  if (pattern?.includes('\\.')) return `${random(180) - 90}.${random(1_000)},${random(360) - 180}.${random(1_000)}`
  const names = namesIn(pick(random, Object.values(survey.values)) ?? {})
  return names.length === 0 ? 'a' : encoded(pick(random, names).slice(0, 1 + random(20)))
}

const METHODS = ['POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'CONNECT', 'BREW', 'get', 'OPTIONS', 'OPTIONS', 'PROPFIND']
const ETAGS = ['*', '""', '"0"', 'W/"0123456789abcdef"', 'broken', '"a", "b"', `${'"a",'.repeat(200)}"b"`, '"\xff"']
const DATES = ['Thu, 01 Jan 1970 00:00:00 GMT', 'Fri, 31 Dec 9999 23:59:59 GMT', 'yesterday', '0', 'Thu, 01 Jan 1970']
const RANGES = [
  ...['bytes=0-0', 'bytes=0-', 'bytes=-1', 'bytes=-0', 'bytes=5-1', 'bytes=0-0,2-3', 'bytes=', 'bytes=a-b'],
  ...['lines=0-1'],
  ...['bytes=99999999999999999999-', 'bytes=0-99999999999999999999', 'bytes= 0-1', 'BYTES=0-1'],
  ...[`bytes=${'0-0,'.repeat(500)}1-1`],
]
const FIELDS: readonly (readonly [name: string, values: readonly string[]])[] = [
  [
    'Accept',
    ['*/*', 'text/csv', 'application/x-ndjson', 'application/json;q=0', 'image/png', ';;;', 'a/b;q=2', '*/*;q=', ','],
  ],
  ['Accept', [`${'text/html;q=0.1,'.repeat(400)}*/*`, 'text/*;q=0.3, */*;q=0.1', 'application/json; indent=4']],
  [
    'Accept-Encoding',
    ['gzip', 'br', 'zstd', '*', 'identity', 'identity;q=0', 'gzip;q=0, br;q=0.5', '*;q=0', 'nothing', ',,,'],
  ],
  ['If-None-Match', ETAGS],
  ['If-Match', ETAGS],
  ['If-Range', [...ETAGS, ...DATES]],
  ['If-Modified-Since', DATES],
  ['If-Unmodified-Since', DATES],
  ['Range', RANGES],
  ['X-Forwarded-Host', ['evil.example', 'a, b', '', 'a b', '<script>', '[::1]:99999']],
  ['X-Forwarded-Proto', ['https', 'https, http', 'HTTPS', 'javascript']],
  ['X-Forwarded-For', ['1.2.3.4', '::1', 'unknown', '1.2.3.4, 5.6.7.8', 'a'.repeat(300)]],
  ['Forwarded', ['for=1.2.3.4;proto=https;host=a', 'for="[::1]"', ';;;', 'for=', `${'for=1,'.repeat(300)}for=2`]],
  ['X-Request-Id', ['1', 'a'.repeat(300), '<script>', '\xe9']],
  ['Origin', ['null', 'https://evil.example']],
  ['Expect', ['100-continue', 'nothing']],
  ['Upgrade', ['h2c', 'websocket']],
  ['TE', ['trailers', 'gzip']],
  ['Cookie', ['a=b', '='.repeat(500)]],
  ['Connection', ['keep-alive', 'upgrade', 'close', 'Host', 'te, close']],
  ['X-HTTP-Method-Override', ['DELETE']],
]

const BODIES = [
  ...['', '{}', '[]', 'null', '0', '"', '[{"q":"leon"}]', '{"q":"leon"}', '{"queries":[{"q":"san"}]}'],
  ...['{"__proto__":{"a":1}}'],
  ...['['.repeat(5_000), '{"a":'.repeat(2_000), `[${'"a",'.repeat(3_000)}"a"]`, `"${'a'.repeat(70_000)}"`],
  ...['\xff\xfe', '\0'],
  ...['q\nleon\n', `q\n${'san\n'.repeat(2_000)}`, '[{"q":"leon"},]', '[{"q":1e999}]', '[{"q":"\\ud800"}]'],
  ...['{"q":"a"}{"q":"b"}'],
]
const BODY_TYPES = [
  ...['application/json', 'text/csv', 'application/x-ndjson', 'text/plain', 'a'],
  ...['application/json; charset=utf-16'],
]

/** A body where one may be taken, or where none is; as it should be sent, or not quite. */
function posted(survey: Survey, random: Random): Request {
  const path =
    survey.posts.length > 0 && random(4) > 0 ? pick(random, survey.posts) : pick(random, survey.operations).path
  const body = pick(random, BODIES)
  const type = `Content-Type: ${pick(random, BODY_TYPES)}`
  const target = path.replace(/\{[^}]+\}/g, '1')
  if (random(3) > 0) return request('POST', survey.host, target, [type, `Content-Length: ${body.length}`], body)
  const chunks = body === '' ? '0\r\n\r\n' : `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
  return request('POST', survey.host, target, [type, 'Transfer-Encoding: chunked'], chunks)
}

const isLarge = (path: string) => /localidades\/all$|\/changes$/.test(path)

/** A documented path with a mixture of what it takes, what it does not take, and what nobody should send. */
function fuzzed(survey: Survey, random: Random): Request {
  if (random(40) === 0) return posted(survey, random)
  let operation = pick(random, survey.operations)
  // Responses of many megabytes are tried too, but not often enough to be all that there is time for.
  for (let tries = 0; isLarge(operation.path) && random(25) !== 0 && tries < 9; tries++)
    operation = pick(random, survey.operations)
  const { path, parameters } = operation
  const samples = survey.values[collectionOf(path)] ?? {}
  const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const turn = random(10)
    if (turn < 2) return encoded(pick(random, HOSTILE))
    if (turn < 3) return pick(random, UNENCODED)
    if (name === 'digest') return pick(random, survey.releases)
    return turn < 8 ? String(1 + random(40)) : encoded(pick(random, samples[name] ?? ['1']))
  })
  const pairs: string[] = []
  for (const parameter of parameters) {
    if (parameter.in !== 'query') continue
    const wanted = parameter.required === true ? random(10) > 0 : random(parameters.length) < 2
    if (!wanted) continue
    const schema = parameter.schema.items ?? parameter.schema
    const times = random(12) === 0 ? 2 + random(random(20) === 0 ? 150 : 3) : 1
    for (let time = 0; time < times; time++)
      pairs.push(
        `${parameter.name}=${parameterValue(schema, samples[parameter.name.replace(/_(?:prefix|min|max)$/, '')] ?? [], survey, random)}`,
      )
  }
  if (random(12) === 0) pairs.push(`${encoded(pick(random, HOSTILE))}=${encoded(pick(random, HOSTILE))}`)
  if (random(40) === 0) pairs.push(pick(random, UNENCODED))
  const tail = random(60) === 0 ? pick(random, ['/', '//', '/all', '/.', '/%2e%2e', '.json', ';a=b']) : ''
  const target = `${filled}${tail}${pairs.length > 0 || random(30) === 0 ? '?' : ''}${pairs.join('&')}`
  const fields: string[] = []
  for (let count = random(4); count > 1; count--) {
    const [name, all] = pick(random, FIELDS)
    fields.push(`${name}: ${pick(random, all)}`)
  }
  const turn = random(100)
  const method = turn < 86 ? 'GET' : turn < 95 ? 'HEAD' : pick(random, METHODS)
  return request(method, survey.host, target.slice(0, random(500) === 0 ? 9_000 : 7_900), fields)
}
