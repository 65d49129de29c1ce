// Counts how real rows are resolved, by file and kind: sure, wrong among these, likely, ambiguous and none.

import { matchesCalled } from '../../packages/server/src/query/resolve/part-matches.ts'
import { type Resolution, resolveRow } from '../../packages/server/src/query/resolve/resolve.ts'
import type { Verdict as RowVerdict } from '../../packages/server/src/query/resolve/verdict.ts'
import { writtenPart } from '../../packages/server/src/query/resolve/written-part.ts'
import { ancestorAt, ancestorLevels } from '../../packages/server/src/query/search/ancestor-match.ts'
import { positionsWithCode } from '../../packages/server/src/release/official-codes.ts'
import type { Release } from '../../packages/server/src/release/release.ts'
import { spreadOf } from '../spread.ts'
import { judge, type Verdict } from '../targets.ts'
import { type RealRow, realRows } from './real-rows.ts'

type KindScore = { rows: number; sure: number; wrong: number; likely: number; ambiguous: number; none: number }
type FileScore = {
  readonly kinds: Map<string, KindScore>
  readonly rowsPerSecond: number
  /** The rows that are not sure or wrong, by kind and verdict, with how often each is there. */
  readonly shown: ReadonlyMap<string, number>
}
export type RealScores = ReadonlyMap<string, FileScore>

/** The kind of rows whose record the catalog does not have, such as municipalities that are younger than it. */
const NOT_IN_CATALOG = 'not in the catalog'

/** True if the catalog has the record with the code of a row, at its level or above. */
const isInCatalog = (release: Release, { level, code }: RealRow): boolean => {
  const { definition } = release.entity(level)
  const above = ancestorLevels(release, definition).map(({ entity }) => release.entity(entity).definition)
  return [definition, ...above].some((entity) => positionsWithCode(release, entity, code).length > 0)
}

/** Added to the kind of a name alone that several records of the catalog have, or several codes of the file. */
const SHARED = ', a name of several codes'
/** The greatest cost at which two names are the same. */
const MAX_SAME_COST = 0.3

function isShared(release: Release, { row, names, level }: RealRow, rows: readonly RealRow[]): boolean {
  if (names === undefined || !('text' in row)) return false
  const called = matchesCalled(release, writtenPart(release, release.entity(level).definition, row.text))
  if (called.filter(({ cost }) => cost <= MAX_SAME_COST).length > 1) return true
  const same = rows.filter((other) => 'text' in other.row && other.row.text === row.text)
  return new Set(same.map(({ code }) => code)).size > 1
}

const NO_LEVEL = { verdict: 'none', position: undefined } as const
const noScore = (): KindScore => ({ rows: 0, sure: 0, wrong: 0, likely: 0, ambiguous: 0, none: 0 })
const isSure = (verdict: RowVerdict) => verdict === 'exact' || verdict === 'sure'

export function scoreRealRows(release: Release, directory: string, only = /./): RealScores {
  const scores = new Map<string, FileScore>()
  for (const [file, all] of realRows(directory)) {
    const rows = all.filter(({ kind }) => only.test(`${file}: ${kind}`))
    if (rows.length === 0) continue
    const before = process.cpuUsage()
    const resolutions = rows.map(({ row, names }) => resolveRow(release, row, names === undefined ? {} : { names }))
    const { user, system } = process.cpuUsage(before)
    const seconds = (user + system) / 1e6
    const [kinds, shown] = [new Map<string, KindScore>(), new Map<string, number>()]
    for (const [at, row] of rows.entries()) {
      const { name, verdict, position } = judgedLevel(release, resolutions[at] as Resolution, row)
      const ownKind = isShared(release, row, rows) ? `${row.kind}${SHARED}` : row.kind
      const kind = isInCatalog(release, row) ? ownKind : NOT_IN_CATALOG
      const score = kinds.get(kind) ?? noScore()
      kinds.set(kind, score)
      score.rows++
      // A name that was cut off may be another name, to the letter.
      const isWrong =
        isSure(verdict) && (row.isTooLittle ? verdict === 'sure' : !isMeant(release, row.code, name, position))
      if (isSure(verdict)) score.sure++
      else score[verdict as 'likely' | 'ambiguous' | 'none']++
      if (isWrong) score.wrong++
      if (isSure(verdict) && !isWrong) continue
      const what = `${row.kind} | ${isWrong ? 'WRONG' : verdict} | ${written(row)} | ${codeAndName(release, name, position)} | ${row.code}`
      shown.set(what, (shown.get(what) ?? 0) + 1)
    }
    scores.set(file, { kinds, rowsPerSecond: rows.length / seconds, shown })
  }
  return scores
}

/** The result for a row at its level; if its last part counts as empty, the result of the row without it. */
function judgedLevel(release: Release, { levels, verdict, record }: Resolution, { level: wanted, code }: RealRow) {
  const judged = levels.find(({ name }) => name === wanted)
  if (judged !== undefined) return judged
  const isAbove =
    record !== undefined && positionsWithCode(release, release.entity(record.name).definition, code).length > 0
  return isAbove ? { ...record, verdict } : { ...NO_LEVEL, name: wanted }
}

const written = ({ row }: RealRow) => ('text' in row ? row.text : [...row.parts.values()].join(' / '))

function codeAndName(release: Release, name: string, position: number | undefined): string {
  if (position === undefined) return '–'
  const { records } = release.entity(name)
  const json: Record<string, unknown> = JSON.parse(new TextDecoder().decode(records.record(position)))
  const municipality = json.municipio as Record<string, unknown> | undefined
  return [json.descLocalidad, municipality?.descMunicipio ?? json.descMunicipio, json.descPais ?? json.descripcion]
    .filter((text) => text !== undefined)
    .join(', ')
}

/** True if a record has the code of a row, or lies below the record that has it. */
function isMeant(release: Release, code: string, name: string, position: number | undefined): boolean {
  if (position === undefined) return false
  const { definition } = release.entity(name)
  if (positionsWithCode(release, definition, code).includes(position)) return true
  return ancestorLevels(release, definition).some((ancestor) =>
    positionsWithCode(release, release.entity(ancestor.entity).definition, code).includes(
      ancestorAt(ancestor, position),
    ),
  )
}

/** Targets for some kinds of a file: the least share of sure rows, and the greatest share of wrong ones among these. */
const TARGETS: readonly (readonly [file: string, kinds: RegExp, minSure: number, maxWrong: number])[] = [
  ['companies-retc-2004-2013', /^state, municipality, locality$/, 0.93, 0.003],
  ['companies-retc-2004-2013', /^state, locality$/, 0.85, 0.015],
  ['companies-retc-2004-2013', /^address/, 0.9, 0.003],
  ['municipalities-sat', /^state/, 0.995, 0.001],
  ['settlements-sepomex-chiapas', /^once/, 0.9, 0.002],
  ['encoding-damage', /municipality$/, 0.95, 0.001],
  ['encoding-damage', /locality$/, 0.85, 0.001],
  ['unesco-es-en', /^(en|es)$/, 0.95, 0.002],
  ['numerals', /^(?!.*(dropped|name only|catalog))/, 0.9, 0],
  ['numerals', /dropped|name only/, 0, 0],
]

export const verdictsOnReal = (scores: RealScores): Verdict[] =>
  TARGETS.flatMap(([file, kinds, minSure, maxWrong]) => {
    const score = scores.get(file)
    if (score === undefined) return []
    const total = totalOf(new Map([...score.kinds].filter(([kind]) => kinds.test(kind))))
    const what = `${file} ${kinds.source}`
    return [
      judge(`${what}: sure`, ['≥', minSure], '', spreadOf([total.sure / total.rows])),
      judge(`${what}: wrong among sure`, ['≤', maxWrong], '', spreadOf([total.wrong / Math.max(total.sure, 1)])),
    ]
  })

function totalOf(kinds: ReadonlyMap<string, KindScore>): KindScore {
  const total = noScore()
  for (const score of kinds.values())
    for (const key of Object.keys(total) as (keyof KindScore)[]) total[key] += score[key]
  return total
}

const percent = (part: number, all: number, digits = 1) =>
  all === 0 ? '–' : `${((part / all) * 100).toFixed(digits)} %`

export function realTables(scores: RealScores): string[] {
  const line = (name: string, { rows, sure, wrong, likely, ambiguous, none }: KindScore) =>
    `| ${name.replaceAll('|', '\\|')} | ${rows} | ${percent(sure, rows)} | ${wrong} (${percent(wrong, sure, 2)}) | ${percent(likely, rows)} | ${percent(ambiguous, rows)} | ${percent(none, rows)} |`
  return [...scores].flatMap(([file, { kinds, rowsPerSecond }]) => [
    `## ${file}`,
    '',
    `${Math.round(rowsPerSecond).toLocaleString('en')} rows a second of processor time.`,
    '',
    '| kind | rows | sure | wrong among sure | likely | ambiguous | none |',
    '|---|---:|---:|---:|---:|---:|---:|',
    ...[...kinds].map(([kind, score]) => line(kind, score)),
    '',
  ])
}

/** The rows that are wrong or not sure, the most frequent of each kind first. */
export function* shownRows(scores: RealScores): Generator<string> {
  for (const [file, { shown }] of scores)
    for (const [what, count] of [...shown].sort(([, a], [, b]) => b - a)) yield `${file} | ${count} | ${what}`
}
