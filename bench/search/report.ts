// The targets of the search, and the file of bench/results that its benchmark writes.
import { figure, list, megabytes, ranged, reproduction, table, targetTable, writtenBy } from '../report.ts'
import { type Spread, spreadOf } from '../spread.ts'
import { judge, type Limit, type Verdict } from '../targets.ts'
import type { Latencies, RequestKind } from './latency.ts'
import { CATEGORIES, type Category, type Relevance, type Score } from './relevance.ts'
import type { SampleScore } from './samples.ts'
import type { Slow } from './slowest.ts'
import type { AgainstSqlite } from './sqlite.ts'

/** The results with one number of localities. */
export type Size = {
  readonly localities: number
  readonly relevance: Relevance
  readonly latencies: Latencies
  /** The size of the index of all entities, and of the localities alone. */
  readonly indexBytes: number
  readonly localityIndexBytes: number
}

/** The results of searches for the names of a home. */
export type HomeResults = {
  readonly localities: number
  readonly samples: readonly SampleScore[]
  readonly wellKnown: SampleScore
  readonly latencies: Latencies
}

export type Results = {
  readonly home: HomeResults | undefined
  readonly command: string
  readonly machine: readonly string[]
  readonly bundled: Relevance
  readonly official: Size
  /** Results of a full run only. */
  readonly further:
    | { readonly larger: Size; readonly sqlite: AgainstSqlite; readonly slowest: readonly Slow[] }
    | undefined
  /** Milliseconds to the first response of each version of the API. */
  readonly starts: { readonly v1: Spread; readonly v2: Spread }
}

const FIRST_PLACES = {
  exact: 97,
  accentless: 97,
  'one-typo': 96,
  'two-typos': 93,
  partial: 85,
  abbreviation: 90,
  'three-levels': 95,
  'state-abbreviated': 93,
  'noise-word': 85,
  glued: 80,
  'by-ear': 85,
  'well-known': 96,
} as const satisfies Partial<Record<Category, number>>
const LATENCIES: readonly (readonly [RequestKind, 'p50' | 'p99', number])[] = [
  ['id', 'p50', 20],
  ['filter', 'p50', 100],
  ['typeahead', 'p50', 1_000],
  ['typeahead', 'p99', 5_000],
  ['typo', 'p99', 15_000],
]

/** The least number of hits in a hundred queries that are made of the names of a home. */
const SAMPLE_TARGETS: Readonly<Record<string, number>> = {
  exact: 97,
  accentless: 97,
  'one typo': 96,
  'two typos': 93,
  'prefix of the name': 85,
  abbreviations: 90,
  'name, municipality, state': 95,
  'state abbreviated': 93,
  'noise word': 85,
  glued: 80,
  'by ear': 85,
  'well-known places': 96,
}

export const homeVerdicts = ({ samples, wellKnown, latencies }: HomeResults): Verdict[] => [
  ...[...samples, wellKnown].flatMap(({ kind, first, queries }) => {
    const target = SAMPLE_TARGETS[kind]
    const percent = spreadOf([(first / queries) * 100])
    return target === undefined ? [] : [judge(`${kind}, right at first place`, ['≥', target], '%', percent)]
  }),
  judge('typeahead, every keystroke of a name, p50', ['<', 1_000], 'µs', latencies.typeahead.p50),
  judge('typeahead, every keystroke of a name, p99', ['<', 5_000], 'µs', latencies.typeahead.p99),
]

const MAX_MISSES = 3

const homeSection = ({ localities, samples, wellKnown, latencies }: HomeResults): string[] => [
  `Queries made of the names of a home with ${figure(localities)} localities, each with its municipality unless it says ` +
    'otherwise, seeded. A namesake in the same municipality is right too. Two kinds of prefixes: 60 % of the name followed ' +
    'by its municipality, and 60 % of both together, which many places share.',
  table(
    1,
    ['kind', 'queries', 'first', 'at least'],
    [...samples, wellKnown].map(({ kind, queries, first }) => [
      ...[kind, figure(queries), `${figure((first / queries) * 100, 1)} %`],
      SAMPLE_TARGETS[kind] === undefined ? '–' : `${SAMPLE_TARGETS[kind]} %`,
    ]),
  ),
  list(
    [...samples, wellKnown].flatMap(({ kind, misses }) =>
      misses.slice(0, MAX_MISSES).map((miss) => `${kind}: ${miss}`),
    ),
  ),
  `Typeahead, every keystroke of a name: p50 ${micros(latencies.typeahead.p50)} µs, p99 ${micros(latencies.typeahead.p99)} µs; ` +
    `a name with a typing error: p50 ${micros(latencies.typo.p50)} µs, p99 ${micros(latencies.typo.p99)} µs.`,
]

export const homeReport = (command: string, results: HomeResults): string =>
  `${[
    '# Search on the names of a home',
    writtenBy(command),
    targetTable(homeVerdicts(results)),
    ...homeSection(results),
  ].join('\n\n')}\n`

const firstPercent = ({ first, queries }: Score): number => (first / queries) * 100

export function verdictsOn({ bundled, official, starts, further }: Results): Verdict[] {
  const single = (description: string, limit: Limit, unit: string, value: number) =>
    judge(description, limit, unit, spreadOf([value]))
  const releases = [['bundled data', bundled] as const, ['official size', official.relevance] as const]
  return [
    ...releases.flatMap(([where, { scores }]) =>
      (Object.keys(FIRST_PLACES) as (keyof typeof FIRST_PLACES)[]).map((category) => {
        const description = `${category} queries right at first place, ${where}`
        return single(description, ['≥', FIRST_PLACES[category]], '%', firstPercent(scores[category]))
      }),
    ),
    ...LATENCIES.map(([kind, share, limit]) => {
      const latency = official.latencies[kind]
      return judge(`${latency.description}, ${share}`, ['<', limit], 'µs', latency[share])
    }),
    single('index on disk', ['<', 100], 'MB', official.indexBytes / 1e6),
    judge('start to first response of API v1', ['<', 150], 'ms', starts.v1),
    ...(further?.slowest ?? [])
      .slice(0, 1)
      .map((slow) => single('slowest request found', ['<', 50], 'ms', slow.milliseconds)),
  ]
}

const WHAT =
  'The bundled data has the real names. At the size of the official catalog, and beyond, invented localities in real ' +
  'municipalities are added to it, whose names recombine the words of real ones; some have new words, as any larger ' +
  'catalog does. None has the words of a real name, so that what should be found stays the same.'

const sizeName = ({ localities }: Size) => `${figure(localities)} localities`

function relevance({ bundled, official, further }: Results): string[] {
  const sizes = [official, ...(further === undefined ? [] : [further.larger])]
  const columns = [
    ['bundled data', bundled] as const,
    ...sizes.map((size) => [sizeName(size), size.relevance] as const),
  ]
  const misses = columns.flatMap(([where, { misses: own }]) => own.map((miss) => `not first, ${where}: ${miss}`))
  return [
    '## Relevance',
    'How often the expected record came first, and in brackets how many times it was among the first five. ' +
      'The queries and what they should find are in `bench/search/relevance.csv`.',
    table(
      1,
      ['category', 'queries', ...columns.map(([where]) => where)],
      CATEGORIES.map((category) => [
        ...[category, String(bundled.scores[category].queries)],
        ...columns.map(
          ([, { scores }]) => `${figure(firstPercent(scores[category]), 1)} % (${scores[category].amongFive})`,
        ),
      ]),
    ),
    ...(misses.length === 0 ? [] : [list(misses)]),
  ]
}

const micros = (spread: Spread) => ranged(spread, spread.median < 100 ? 1 : 0)

function latency({ official, further, starts }: Results): string[] {
  const sizes = [official, ...(further === undefined ? [] : [further.larger])]
  const kinds = Object.keys(official.latencies) as RequestKind[]
  return [
    '## Latency and growth',
    'In the process of the service, from the target of a request to the bytes of its response, once warm, every request ' +
      'another; microseconds. The figure is over all requests, each with the median of its rounds; in brackets the range of ' +
      `the same figure in single rounds, of which there were ${sizes.map(({ latencies }) => latencies.id.p50.rounds).join(' and ')}.`,
    table(
      1,
      ['request', 'requests', ...sizes.flatMap((size) => [`p50, ${sizeName(size)}`, 'p99'])],
      [
        ...kinds.map((kind) => [
          ...[official.latencies[kind].description, figure(official.latencies[kind].requests)],
          ...sizes.flatMap(({ latencies }) => [micros(latencies[kind].p50), micros(latencies[kind].p99)]),
        ]),
        ['index on disk', '', ...sizes.flatMap(({ indexBytes }) => [megabytes(indexBytes), ''])],
      ],
    ),
    `Start of the process to the first response of API v1: ${ranged(starts.v1, 0)} ms, of API v2: ${ranged(starts.v2, 0)} ms.`,
  ]
}

const sideBySide = ({ contests, bytes }: AgainstSqlite, { localityIndexBytes }: Size): string[] => [
  '## Against SQLite',
  'The first 50 positions and the exact number of all, of the localities alone, before anything is rendered. SQLite, in ' +
    'the same process, has a B-tree on every column and FTS5 with an index of prefixes of one, two and three letters; it ' +
    'gives words in the order of its rows, and Nomenclator the best first. Microseconds for each query, ' +
    `${contests[0]?.ours.rounds} alternating rounds.`,
  table(
    1,
    ['query', 'queries', 'nomenclator', 'SQLite', 'times'],
    [
      ...contests.map(({ description, queries, ours, theirs, times }) => [
        ...[description, figure(queries), ranged(ours, 1), ranged(theirs, 1), `${ranged(times, 1)} ×`],
      ]),
      ['on disk', '', megabytes(localityIndexBytes), megabytes(bytes), `${figure(bytes / localityIndexBytes, 1)} ×`],
    ],
  ),
]

const MAX_SHOWN = 160
const shortened = (text: string) => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}… (${text.length})` : text)

const slowest = (found: readonly Slow[]): string[] => [
  '## Slowest requests',
  'Found by changing random requests over and over and keeping the slower: filters with one or many values, prefixes, ' +
    'words, sorts, pages, formats, codings. Processor time of one response, the cache of earlier results empty, the median ' +
    'of five.',
  table(
    2,
    ['request', 'coding', 'ms'],
    found.map(({ target, encoding, milliseconds }) => [
      ...[shortened(decodeURIComponent(target)), encoding || 'none', figure(milliseconds, 1)],
    ]),
  ),
]

export function report(results: Results): string {
  const { command, machine, official, further } = results
  return `${[
    '# Search benchmarks',
    writtenBy(command),
    WHAT,
    '## Targets',
    'At the size of the official catalog, unless it says otherwise.',
    targetTable(verdictsOn(results)),
    ...relevance(results),
    ...(results.home === undefined ? [] : ['## Names of the official catalog', ...homeSection(results.home)]),
    ...latency(results),
    ...(further === undefined ? [] : [...sideBySide(further.sqlite, official), ...slowest(further.slowest)]),
    '## Machine',
    reproduction(machine, command),
  ].join('\n\n')}\n`
}
