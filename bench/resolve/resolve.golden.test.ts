// Checks that a sample of dirty rows is resolved as well as ever, and as it was when it was recorded.
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { type Resolution, resolveRow } from '../../packages/server/src/query/resolve/resolve.ts'
import type { Candidate } from '../../packages/server/src/query/resolve/verdict.ts'
import type { Release } from '../../packages/server/src/release/release.ts'
import { expectGolden } from '../../test/support/golden.ts'
import { bundledRelease } from '../../test/support/releases.ts'
import { type Correctness, scoreRows } from './correctness.ts'
import { type DirtyRow, dirtyRows, homonymRows, sampledNames } from './dirty-rows.ts'

setDefaultTimeout(60_000)

const ROWS = 240
const SEED = 2_026
/** Rows as free text without commas, and as a name alone. */
const BARE_ROWS = 36
const HOMONYMS = 20

/** The sample must be resolved at least so well. */
const MIN_FIRST = 238
const MIN_SURE = 217

let release: Release
let names: readonly string[]
let rows: readonly DirtyRow[]
let score: Correctness
beforeAll(async () => {
  release = await bundledRelease()
  names = sampledNames(release)
  rows = [...dirtyRows(release, ROWS, SEED)]
  score = scoreRows(release, rows, names)
})

describe('a sample of dirty rows', () => {
  test('is resolved to the records that they mean', () => {
    const { total, misses } = score
    expect(misses).toEqual([])
    expect(total.first).toBeGreaterThanOrEqual(MIN_FIRST)
    expect(total.sure).toBeGreaterThanOrEqual(MIN_SURE)
  })

  test('is ambiguous where several records fit', () => {
    const homonyms = [...homonymRows(release, HOMONYMS, SEED)]
    expect(homonyms.length).toBe(HOMONYMS)
    expect(homonyms.filter(({ row }) => resolveRow(release, row).verdict !== 'ambiguous')).toEqual([])
  })

  test('has the verdicts and scores that are on record', () => {
    const candidate = ({ name, position, score, how }: Candidate) => `${name} ${position} ${score.toFixed(3)} ${how}`
    const bare = bareRows()
    const resolutions = [...score.resolutions, ...bare.map(({ row }) => resolveRow(release, row, { names }))]
    const lines = [...rows, ...bare].map(({ kind, row, written }, at) => {
      const { verdict, record, alternatives } = resolutions[at] as Resolution
      const candidates = [record, ...alternatives].flatMap((one) => (one === undefined ? [] : candidate(one)))
      return `${kind} ${'text' in row ? 'text' : 'parts'}: ${written}: ${verdict} ${candidates.slice(0, 3).join('; ')}\n`
    })
    return expectGolden(join(import.meta.dir, 'sample.txt'), lines.join(''))
  })
})

const bareRows = (): DirtyRow[] =>
  [...dirtyRows(release, BARE_ROWS, SEED + 1)].flatMap((row) => {
    const [first = ''] = row.written.split(',')
    return [row.written.replaceAll(',', ''), first].map((text) => ({ ...row, written: text, row: { text } }))
  })
