// The search beside three that a developer could pick instead, on the same names and queries: pg_trgm in PostgreSQL, the trigrams of
// SQLite, and MiniSearch. Each peer has every locality as one text of its name, municipality and state.
import { Database } from 'bun:sqlite'
import { writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import MiniSearch from 'minisearch'
import postgres from 'postgres'
import { pick, type Random, randomFrom } from '../../packages/server/src/source/synthetic/random.ts'
import { TestPostgres } from '../../test/support/postgres.ts'
import { runCommand } from '../command.ts'
import { describeMachine, keepAwake, ROOT, workPath } from '../machine.ts'
import { build } from '../servers.ts'
import type { Verdict } from '../targets.ts'
import { folded } from './localities.ts'
import { type Place, SAMPLES } from './samples.ts'
import { openService, type Service } from './service.ts'

const REPORT = 'bench/results/search-peers.md'

export const USAGE = `npm run bench:peers              the search beside pg_trgm, SQLite and MiniSearch; writes ${REPORT}

  --home DIR     a home with a release, such as one with INEGI's catalog; the bundled data without it
  --sample N     so many queries of each kind; 50
  --out FILE     write the report there
  --help         this text
`

const say = (text: string) => console.error(`bench:peers: ${text}`)
const SEED = 4_711
const LIMIT = 5

/** A locality, with the place in the list by which peers know it. */
type Locality = Place & { readonly text: string }

/** Finds the best places for a query, by their place in the list. */
type Finder = (query: string) => readonly number[] | Promise<readonly number[]>

type Json = { readonly [field: string]: string | number | Json }

function localitiesOf({ json }: Service): Locality[] {
  const { collections } = json<{ collections: { name: string; count: number }[] }>('/api/v2')
  const count = collections.find(({ name }) => name === 'localidades')?.count ?? 0
  const localities: Locality[] = []
  for (let page = 1; localities.length < count; page++)
    for (const record of json<Json[]>(`/api/v2/localidades?per_page=1000&page=${page}`)) {
      const municipality = record.idMunicipio as Json
      const state = municipality.idEstado as Json
      const place: Place = {
        name: String(record.descLocalidad),
        municipality: String(municipality.descMunicipio),
        municipalityId: Number(municipality.idMunicipio),
        state: String(state.descEstado),
        stateCode: String(state.cveEstado),
      }
      localities.push({ ...place, text: folded(`${place.name}, ${place.municipality}, ${place.state}`) })
    }
  return localities
}

function nomenclator({ get }: Service, localities: readonly Locality[]): Finder {
  const positions = new Map(localities.map(({ name, municipalityId }, at) => [`${municipalityId} ${name}`, at]))
  return (query) => {
    const { body } = get(`/api/v2/search?in=localidades&limit=${LIMIT}&q=${encodeURIComponent(query)}`)
    const found: { name: string; key: { idMunicipio: number } }[] = JSON.parse(
      new TextDecoder().decode(body as Uint8Array),
    )
    return found.map(({ name, key }) => positions.get(`${key.idMunicipio} ${name}`) ?? -1)
  }
}

/** Any trigram may be missing; the best first by the function of SQLite. */
function sqliteTrigrams(localities: readonly Locality[]): Finder {
  const database = new Database(workPath('peers.sqlite'), { create: true })
  database.run('PRAGMA journal_mode = OFF')
  database.run(`CREATE VIRTUAL TABLE place USING fts5(text, tokenize = 'trigram')`)
  const insert = database.prepare('INSERT INTO place (rowid, text) VALUES (?, ?)')
  database.transaction(() => {
    for (const [at, { text }] of localities.entries()) insert.run(at, text)
  })()
  const best = database.query<{ rowid: number }, [string]>(
    `SELECT rowid FROM place WHERE place MATCH ? ORDER BY rank LIMIT ${LIMIT}`,
  )
  return (query) => {
    const text = folded(query)
    const trigrams = Array.from({ length: Math.max(text.length - 2, 0) }, (_, at) => text.slice(at, at + 3))
    const match = [...new Set(trigrams)].map((one) => `"${one.replaceAll('"', '""')}"`).join(' OR ')
    return match === '' ? [] : best.all(match).map(({ rowid }) => rowid)
  }
}

async function pgTrigrams(sql: postgres.Sql, localities: readonly Locality[]): Promise<Finder> {
  await sql`CREATE EXTENSION pg_trgm`
  await sql`CREATE TABLE place (id integer, text text)`
  for (let from = 0; from < localities.length; from += 20_000) {
    const some = localities.slice(from, from + 20_000)
    await sql`INSERT INTO place SELECT * FROM unnest(${some.map((_, at) => from + at)}::integer[], ${some.map(({ text }) => text)}::text[])`
  }
  await sql`CREATE INDEX ON place USING gin (text gin_trgm_ops)`
  await sql`ANALYZE place`
  return async (query) => {
    const text = folded(query)
    const rows = await sql<{ id: number }[]>`
      SELECT id FROM place WHERE ${text} <% text
      ORDER BY word_similarity(${text}, text) + similarity(text, ${text}) DESC LIMIT ${LIMIT}`
    return rows.map(({ id }) => id)
  }
}

function miniSearch(localities: readonly Locality[]): Finder {
  const index = new MiniSearch({ fields: ['text'], searchOptions: { prefix: true, fuzzy: 0.2 } })
  index.addAll(localities.map(({ text }, id) => ({ id, text })))
  return (query) => {
    const found = index.search(folded(query))
    return found.slice(0, LIMIT).map(({ id }) => id as number)
  }
}

type Query = { readonly kind: string; readonly text: string; readonly meant: Locality }

function queriesOf(localities: readonly Locality[], size: number): Query[] {
  return Object.entries(SAMPLES).flatMap(([kind, make]) => {
    const random: Random = randomFrom(SEED)
    const queries: Query[] = []
    for (let drawn = 0; queries.length < size && drawn < size * 50; drawn++) {
      const meant = pick(random, localities)
      const text = make(meant, random)
      if (text !== undefined && text.length <= 250 && /\p{L}{3}/u.test(meant.name)) queries.push({ kind, text, meant })
    }
    return queries
  })
}

type Score = { readonly right: Map<string, number>; readonly milliseconds: number[] }

/** A namesake in the same municipality is right too. */
async function score(find: Finder, queries: readonly Query[], localities: readonly Locality[]): Promise<Score> {
  const right = new Map<string, number>()
  const milliseconds: number[] = []
  for (const { kind, text, meant } of queries) {
    const start = performance.now()
    const [first] = await find(text)
    milliseconds.push(performance.now() - start)
    const found = first === undefined ? undefined : localities[first]
    if (found?.text === meant.text && found.municipalityId === meant.municipalityId)
      right.set(kind, (right.get(kind) ?? 0) + 1)
  }
  return { right, milliseconds: milliseconds.sort((a, b) => a - b) }
}

function report(
  scores: ReadonlyMap<string, Score>,
  queries: readonly Query[],
  call: string,
  count: number,
  load: number,
): string {
  const kinds = [...Map.groupBy(queries, ({ kind }) => kind)].map(([kind, own]) => ({ kind, size: own.length }))
  const names = [...scores.keys()]
  const share = (right: number, all: number) => `${((right / all) * 100).toFixed(1)} %`
  const at = ({ milliseconds }: Score, part: number) =>
    (milliseconds[Math.min(Math.floor(milliseconds.length * part), milliseconds.length - 1)] ?? 0).toFixed(2)
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const all = [...scores.values()]
  return [
    '# The search beside others',
    '',
    `Written by \`${call}\`; do not edit. ${count.toLocaleString('en')} localities, ${queries.length.toLocaleString('en')} queries made of their names, seeded;
each engine has the same names, folded, with municipality and state. Right is the locality that was meant, or its namesake in the same
municipality, at the first place. Times are what one caller waits, one query after the other; PostgreSQL is queried over a socket of this machine.`,
    '',
    row(['right at first place', ...names]),
    row(['---', ...names.map(() => '---:')]),
    ...kinds.map(({ kind, size }) => row([kind, ...all.map(({ right }) => share(right.get(kind) ?? 0, size))])),
    row([
      'all',
      ...all.map(({ right }) =>
        share(
          [...right.values()].reduce((sum, one) => sum + one, 0),
          queries.length,
        ),
      ),
    ]),
    row(['median, ms', ...all.map((one) => at(one, 0.5))]),
    row(['p99, ms', ...all.map((one) => at(one, 0.99))]),
    '',
    '## Set-up',
    '',
    ...describeMachine().map((line) => `- ${line}`),
    `- Bun ${Bun.version}`,
    `- load before the first query: ${load.toFixed(1)}`,
    '',
  ].join('\n')
}

type Options = { readonly home: string | undefined; readonly sample: number; readonly out: string }

function read(argv: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...argv],
    options: { home: { type: 'string' }, sample: { type: 'string' }, out: { type: 'string' } },
  })
  const sample = Number(values.sample ?? 50)
  if (!Number.isSafeInteger(sample) || sample < 1) throw new Error('--sample must be a whole number from 1')
  return { home: values.home, sample, out: values.out ?? REPORT }
}

async function run({ home, sample, out }: Options, call: string): Promise<readonly Verdict[]> {
  const [load = 0] = loadavg()
  const bundled = workPath('peers-home')
  if (home === undefined) await build(bundled, 'bundled')
  const service = await openService(home ?? bundled)
  const localities = localitiesOf(service)
  const queries = queriesOf(localities, sample)
  await using server = await TestPostgres.create()
  const sql = postgres({ host: '127.0.0.1', port: server.port, user: 'postgres', password: server.password, max: 1 })
  const peers: readonly (readonly [string, () => Finder | Promise<Finder>])[] = [
    ['Nomenclator', () => nomenclator(service, localities)],
    ['PostgreSQL pg_trgm', () => pgTrigrams(sql, localities)],
    ['MiniSearch', () => miniSearch(localities)],
    ['SQLite trigrams', () => sqliteTrigrams(localities)],
  ]
  const scores = new Map<string, Score>()
  using _awake = keepAwake()
  for (const [name, open] of peers) {
    say(name)
    const find = await open()
    for (const { text } of queries.slice(0, 20)) await find(text)
    scores.set(name, await score(find, queries, localities))
  }
  await sql.end()
  const text = report(scores, queries, home === undefined ? call : call.replace(home, 'DIR'), localities.length, load)
  console.log(text)
  writeFileSync(resolve(ROOT, out), text)
  return []
}

await runCommand({ name: 'bench:peers', usage: USAGE, read, run })
