// Any sound records, exported and read back, are the same: the law that both formats and both directions keep.
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { builtIn, entityNames } from '../../../../../test/support/built-in.ts'
import { rowChecker } from '../../catalog/check.ts'
import { type Entity, embedsOf, type FactField, factsOf, type Values } from '../../catalog/entity.ts'
import { exportTabular } from '../../release/export-tabular.ts'
import { Shelf } from '../../release/home/shelf.ts'
import { importRelease } from '../../release/import.ts'
import type { Release } from '../../release/release.ts'
import { builtInCatalog } from '../built-in.ts'
import { Faults } from '../faults.ts'
import { Findings } from '../findings.ts'
import type { GivenRow, Source } from '../source.ts'
import { tabularFormats } from './files.ts'
import { tabularSource } from './tabular.ts'

// Releases are synced to disk, over which a busy machine may take its time.
setDefaultTimeout(30_000)

const scratch = mkdtempSync(join(tmpdir(), 'nomenclator-round-trip-'))
afterAll(() => rmSync(scratch, { recursive: true }))
const fresh = () => mkdtempSync(join(scratch, 'case-'))

async function released(rows: Rows): Promise<Release> {
  const shelf = new Shelf(fresh())
  const { digest } = await importRelease(shelf, sourceOf(rows), {
    fallback: sourceOf(rows),
    acceptChanges: false,
    dryRun: false,
  })
  return shelf.open(digest)
}

type Rows = Readonly<Record<string, readonly Values[]>>

/** Names of everything that may be printed, and what trips up those who write CSV by hand. */
const anyName = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('"', ',', "'", "'=", '-', '\\', ' ', '\ufeff', '\u2028', '{', '🌵'),
    ),
  )
  .map((pieces) => pieces.join(''))
const anyId = fc.integer({ min: 0, max: 2_147_483_647 })

/** What may be known, with the numbers that are hardest to write; most of the time nothing is. */
function anyFact(fact: FactField): fc.Arbitrary<string | number> {
  if (fact.type === 'text') return fc.stringMatching(fact.pattern)
  const { min, max } = fact
  if (fact.type === 'integer') return fc.integer({ min, max })
  return fc.oneof(fc.double({ min, max, noNaN: true }), fc.constantFrom(0, 1e-7, -1e-21)).map((number) => number + 0)
}

function anyRow(entity: Entity): fc.Arbitrary<Values> {
  const facts = factsOf(entity).map(([field, fact]): [string, fc.Arbitrary<string | number>] => [field, anyFact(fact)])
  const cells = Object.entries(entity.fields).flatMap(
    ([field, definition]): [string, fc.Arbitrary<string | number>][] => {
      if (definition.kind === 'copy' || definition.kind === 'fact') return []
      if (definition.kind === 'code') return [[field, fc.stringMatching(definition.pattern)]]
      return [[field, definition.kind === 'name' ? anyName : anyId]]
    },
  )
  const check = rowChecker(entity)
  const row = fc.record(Object.fromEntries([...cells, ...facts]), { requiredKeys: cells.map(([field]) => field) })
  return row.filter((row) => check(row as Values).length === 0) as fc.Arbitrary<Values>
}

const keyOf = (name: string) => {
  const own = builtIn(name).key.at(-1) ?? ''
  return (row: Values) => row[own]
}

/** Sound rows of all entities: none twice, and each parent is one of those that are there. */
const anyRows = fc
  .record(
    Object.fromEntries(
      entityNames.map((name) => [
        name,
        fc.uniqueArray(anyRow(builtIn(name)), { maxLength: 60, selector: keyOf(name) }),
      ]),
    ),
  )
  .map((drawn) => {
    const rows: Record<string, Values[]> = {}
    for (const name of entityNames) rows[name] = (drawn[name] ?? []).flatMap((row) => adopted(builtIn(name), row, rows))
    return rows as unknown as Rows
  })

/** With the parents that a row drew replaced by some that exist; nothing when there are none. */
function adopted(entity: Entity, row: Values, rows: Readonly<Record<string, readonly Values[]>>): Values[] {
  const parents: Record<string, number> = {}
  for (const [field, parent] of embedsOf(entity)) {
    const candidates = rows[parent.name] ?? []
    const chosen = candidates[(row[field] as number) % candidates.length]
    if (chosen === undefined) return []
    parents[field] = chosen[parent.key[0] as string] as number
  }
  return [{ ...row, ...parents }]
}

const rowsOf = (rows: Rows, name: string): readonly GivenRow[] => rows[name] ?? []

const sourceOf = (rows: Rows): Source => ({
  origin: { kind: 'drawn', title: 'rows drawn at random', synthetic: true, credits: [], options: {} },
  catalog: builtInCatalog,
  provides: entityNames,
  expected: () => undefined,
  read: (name) => [{ file: name, lines: rowsOf(rows, name).map((_, at) => at + 1), rows: rowsOf(rows, name) }],
})

async function rowsIn(directory: string): Promise<Rows> {
  const source = tabularSource(directory)
  const report = { faults: new Faults(), findings: new Findings() }
  const rows: Record<string, GivenRow[]> = {}
  for (const name of entityNames) {
    rows[name] = []
    for await (const block of source.read(name, report)) rows[name].push(...block.rows)
  }
  report.faults.throwIfAny()
  return rows as unknown as Rows
}

const inOrder = (rows: Rows) =>
  entityNames.map((name) => {
    const { key, order } = builtIn(name)
    const field = key[0] as string
    const given = rows[name] ?? []
    return order === 'as given' ? given : given.toSorted((a, b) => Number(a[field]) - Number(b[field]))
  })

test.each(tabularFormats)('any sound rows, exported as %s and read back, are the same', (format) =>
  fc.assert(
    fc.asyncProperty(anyRows, async (rows) => {
      const directory = fresh()
      exportTabular(await released(rows), directory, format)
      expect(inOrder(await rowsIn(directory))).toEqual(inOrder(rows))
    }),
    { numRuns: 3 },
  ),
)
