// The results as tables, on the terminal and as a page of the documentation.
import { figure, megabytes, ranged } from '../report/figures.ts'
import { markdownTable, type Table } from '../report/text-table.ts'
import type { Limit } from '../targets.ts'
import type { AgainstSqlite } from './against-sqlite.ts'
import type { Latency } from './latency.ts'
import { CATEGORIES, type Score } from './relevance.ts'
import type { AtSize, Relevance, Results } from './results.ts'
import { firstPercent, type Unit, type Verdict } from './targets.ts'
import type { Slow } from './worst.ts'

type Section = {
  readonly title: string
  readonly description: string
  readonly table: Table
  readonly notes: readonly string[]
}

export function sectionsOf(results: Results): Section[] {
  const { bundled, sizes, starts, sqlite, worst, verdicts } = results
  const optional = [
    ...(sizes.length > 1 ? [growth(sizes)] : []),
    ...(sqlite === undefined ? [] : [sideBySide(sqlite)]),
    ...(worst.length === 0 ? [] : [slowest(worst)]),
  ]
  return [targets(verdicts), relevance(bundled, sizes), latency(sizes, starts), ...optional]
}

const micros = (value: number) => figure(value, value < 10 ? 2 : value < 100 ? 1 : 0)

function targets(verdicts: readonly Verdict[]): Section {
  const inUnit = (value: number, unit: Unit) => `${figure(value, value < 1_000 && unit !== '%' ? 1 : 0)} ${unit}`
  const limit = (wanted: Limit, unit: Unit) =>
    'least' in wanted
      ? `≥ ${figure(wanted.least)} ${unit}`
      : `< ${figure('below' in wanted ? wanted.below : wanted.most)} ${unit}`
  return {
    title: 'Targets',
    description: 'At the size of the official catalog, unless it says otherwise.',
    table: {
      words: 2,
      head: ['target', 'outcome', 'limit', 'found'],
      rows: verdicts.map(({ description, isMet, limit: wanted, unit, found }) => [
        ...[description, isMet ? 'met' : 'missed', limit(wanted, unit), inUnit(found, unit)],
      ]),
    },
    notes: [],
  }
}

const sizeName = ({ localities }: AtSize) => `${figure(localities)} localities`

function relevance(bundled: Relevance, sizes: readonly AtSize[]): Section {
  const columns = [bundled, ...sizes.map((size) => size.relevance)]
  const scoreOf = (category: string, { scores }: Relevance) =>
    scores.find((score) => score.category === category) as Score
  const cell = (score: Score) => `${figure(firstPercent(score), 1)} % (${score.amongFive})`
  return {
    title: 'Relevance',
    description:
      'How often the expected record came first, and in brackets how many times it was among the first five. ' +
      'The queries and what they should find are in `bench/search/relevance.csv`.',
    table: {
      words: 1,
      head: ['category', 'queries', 'bundled data', ...sizes.map(sizeName)],
      rows: CATEGORIES.map((category) => [
        ...[category, String(scoreOf(category, bundled).queries)],
        ...columns.map((column) => cell(scoreOf(category, column))),
      ]),
    },
    notes: [...bundled.misses.map((miss) => missNote('bundled data', miss)), ...sizes.flatMap(missNotes)],
  }
}

const missNotes = (size: AtSize) => size.relevance.misses.map((miss) => missNote(sizeName(size), miss))
const missNote = (where: string, { expected, got }: Relevance['misses'][number]) =>
  `not first, ${where}: “${expected.query}” (${expected.category}) should find ${expected.name} (${expected.collection} ` +
  `${expected.key}), and found ${got}`

function latency(sizes: readonly AtSize[], { v1, v2 }: Results['starts']): Section {
  const [official] = sizes
  return {
    title: 'Latency',
    description:
      'In the process of the service, from the target of a request to the bytes of its answer, once warm, every question ' +
      'another; microseconds. Of every question the median of its rounds, and of these the figure given; in brackets the ' +
      'range of the same figure in single rounds.',
    table: {
      words: 1,
      head: ['question', 'questions', 'p50', 'p99'],
      rows: (official?.latencies ?? []).map(({ description, questions, p50, p99 }) => [
        ...[
          description,
          figure(questions),
          ranged(p50, p50.median < 100 ? 1 : 0),
          ranged(p99, p99.median < 100 ? 1 : 0),
        ],
      ]),
    },
    notes: [
      `start of the process to the first answer of API v1: ${ranged(v1)} ms, of API v2: ${ranged(v2)} ms`,
      ...(official === undefined
        ? []
        : [`index on disk: ${megabytes(official.indexBytes)}, for ${figure(official.records)} records in all`]),
    ],
  }
}

function growth(sizes: readonly AtSize[]): Section {
  const names = sizes[0]?.latencies ?? []
  const of = ({ latencies }: AtSize, name: string) => latencies.find((one) => one.name === name) as Latency
  return {
    title: 'Growth',
    description: 'The same with more localities; microseconds.',
    table: {
      words: 1,
      head: ['question', ...sizes.flatMap((size) => [`p50, ${sizeName(size)}`, 'p99'])],
      rows: [
        ...names.map(({ name, description }) => [
          description,
          ...sizes.flatMap((size) => [micros(of(size, name).p50.median), micros(of(size, name).p99.median)]),
        ]),
        ['index on disk', ...sizes.flatMap(({ indexBytes }) => [megabytes(indexBytes), ''])],
        ['different words', ...sizes.flatMap(({ words }) => [figure(words), ''])],
      ],
    },
    notes: [],
  }
}

function sideBySide({ contests, oursBytes, theirsBytes }: AgainstSqlite): Section {
  return {
    title: 'Against SQLite',
    description:
      'The first 50 positions and the exact number of all, of the localities alone, before anything is rendered. SQLite, ' +
      'in the same process, has a b-tree on every column and FTS5 with an index of prefixes of one, two and three letters; ' +
      'it answers words in the order of its rows, and Nomenclator the best first. Microseconds for each question.',
    table: {
      words: 1,
      head: ['question', 'questions', 'nomenclator', 'SQLite', 'times'],
      rows: [
        ...contests.map(({ description, questions, ours, theirs }) => [
          ...[
            description,
            figure(questions),
            ranged(ours, 1),
            ranged(theirs, 1),
            `${figure(theirs.median / ours.median, 1)} ×`,
          ],
        ]),
        ['on disk', '', megabytes(oursBytes), megabytes(theirsBytes), `${figure(theirsBytes / oursBytes, 1)} ×`],
      ],
    },
    notes: [],
  }
}

const LONGEST_SHOWN = 160
const shown = (text: string) =>
  text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}… (${text.length})` : text

function slowest(worst: readonly Slow[]): Section {
  return {
    title: 'Slowest requests',
    description:
      'Found by changing random requests over and over and keeping the slower: filters with one or many values, prefixes, ' +
      'words, sorts, pages, formats, codings. Processor time of one answer, the memory of earlier answers empty, the median ' +
      'of five.',
    table: {
      words: 2,
      head: ['request', 'coding', 'ms'],
      rows: worst.map(({ target, encoding, milliseconds }) => [
        ...[shown(decodeURIComponent(target)), encoding === '' ? 'none' : encoding, figure(milliseconds, 1)],
      ]),
    },
    notes: [],
  }
}

const list = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n')

export function report(results: Results): string {
  const { processor, cores, memoryBytes, system, kernel, commit } = results.machine
  const sections = sectionsOf(results).flatMap(({ title, description, table, notes }) => [
    ...[`## ${title}`, description, markdownTable(table).trimEnd()],
    ...(notes.length === 0 ? [] : [list(notes)]),
  ])
  const machine = list([
    `${processor}, ${cores} cores, ${figure(memoryBytes / 2 ** 30)} GiB of memory`,
    `${system}, Linux ${kernel}, Bun ${Bun.version}`,
    `commit ${commit}`,
    `to repeat it: \`${results.command}\``,
  ])
  const head = `Written by \`${results.command}\` on ${results.taken.slice(0, 10)}; do not edit.`
  return `${['# Search benchmarks', head, WHAT, ...sections, '## Machine', machine].join('\n\n')}\n`
}

const WHAT =
  'The bundled data has the real names. At the size of the official catalog, and beyond, invented localities in real ' +
  'municipalities are added to it, whose names recombine the words of real ones; some have new words, as any larger ' +
  'catalog does. None has the words of a real name, so that what should be found stays the same.'
