// Chooses the key of a table: the likeliest columns that identify its rows.
import type { Column, InferredTable, Sights } from './columns.ts'
import { marginOf, WEIGHTS, type Weights } from './score.ts'

export type ChosenKey = {
  readonly columns: readonly Column[]
  readonly score: number
  /** Rows that lack it, or have that of another row. */
  readonly lost: number
  readonly next?: { readonly columns: readonly Column[]; readonly margin: number }
}

const CANDIDATES = 5
const MAX_KEY_COLUMNS = 4
/** Columns that are tried together. */
const MAX_TOGETHER = 8
/** Law: a key identifies; it may be lost in few rows, which is told. */
const MAX_LOST = 0.02
/** The most rows that are compared to find a key. */
const MAX_SCANNED = 20_000_000

export type FoundKeys = {
  /** Sets of columns that identify rows, the likeliest first. */
  readonly keys: readonly ChosenKey[]
  /** Without any, the columns that lose the fewest rows. */
  readonly nearest?: Pick<ChosenKey, 'columns' | 'lost'>
}

/** `restOf` scores what remains of a table once a key is taken. */
export function keysOf(
  table: InferredTable,
  restOf: (key: readonly Column[]) => number,
  sightsOf: (column: Column) => Sights,
  /** Tells of a column that it refers to a list outside of the package. */
  refersAway: (column: Column) => boolean,
  weights: Weights = WEIGHTS,
): FoundKeys {
  // What each further column of a key costs, rows that are lost, and a key that is one of another list.
  const { further = 0, lossy = 0, away = 0 } = weights.key
  const { profile, columns } = table
  const scored = columns
    .filter((column) => mayBeKey(column))
    .map((column) => ({ column, score: marginOf('key', column, sightsOf(column), weights) }))
    .toSorted((a, b) => b.score - a.score)
  let budget = MAX_SCANNED
  const isOpen = (set: readonly Column[]) =>
    !profile.notUnique?.some((names) => names.length === set.length && set.every(({ name }) => names.includes(name)))
  const found: ChosenKey[] = []
  let nearest: FoundKeys['nearest']
  for (let size = 1; size <= MAX_KEY_COLUMNS; size++) {
    // Law: sets of three only where nothing less does.
    if (size > 2 && found.some(({ score }) => score > 0)) break
    const tried = size === 1 ? scored : scored.slice(0, MAX_TOGETHER)
    for (const set of combinations(tried, size)) {
      const own = set.map(({ column }) => column)
      if (!isOpen(own) || budget < 0 || (size > 1 && isRedundant(own, found))) continue
      budget -= profile.rows
      const lost = unidentifiedBy(own)
      if (lost > MAX_LOST * profile.rows) {
        if (lost < (nearest?.lost ?? profile.rows / 2)) nearest = { columns: own, lost }
        continue
      }
      const mean = set.reduce((sum, { score }) => sum + score, 0) / size
      const refers = size === 1 && own.some((column) => refersAway(column)) ? 1 : 0
      const score = mean + further * (size - 1) + (lost > 0 ? lossy : 0) + away * refers
      found.push({ columns: own.toSorted((a, b) => a.at - b.at), score, lost })
    }
  }
  const keys = found
    .toSorted((a, b) => b.score - a.score)
    .slice(0, CANDIDATES)
    .map((key) => ({ ...key, score: key.score + restOf(key.columns) }))
    .toSorted((a, b) => b.score - a.score)
  return { keys, ...(keys.length > 0 || nearest === undefined ? {} : { nearest }) }
}

/** Law: no fractions, no empty columns, no text of several lines. */
const mayBeKey = ({ sights, profile, declared }: Column) =>
  profile.isOneLine &&
  profile.values.length > 0 &&
  sights.fraction !== 1 &&
  ['code', undefined].includes(declared.own.get('role') as string | undefined)

/** True for a set with a column more than one that identifies the rows without loss. */
const isRedundant = (set: readonly Column[], found: readonly ChosenKey[]) =>
  found.some(({ columns, lost }) => lost === 0 && columns.every((column) => set.includes(column)))

function combinations<T>(items: readonly T[], size: number): T[][] {
  if (size === 0) return [[]]
  return items.flatMap((item, at) => combinations(items.slice(at + 1), size - 1).map((rest) => [item, ...rest]))
}

/** How many rows lack a value in one of the columns, or have all of another row. */
function unidentifiedBy(columns: readonly Column[]): number {
  const [first, ...rest] = columns.map(({ profile }) => profile.hashes)
  if (first === undefined) return 0
  const joined = first.slice()
  for (const hashes of rest)
    for (let row = 0; row < joined.length; row++)
      joined[row] = joined[row] === 0 || hashes[row] === 0 ? 0 : mixed(joined[row] as number, hashes[row] as number)
  joined.sort()
  let [lost, last] = [0, 0]
  for (const hash of joined) {
    if (hash === 0 || hash === last) lost++
    last = hash
  }
  return lost
}

function mixed(one: number, other: number): number {
  const low = Math.imul((one >>> 0) ^ 0x9e3779b1, 0x85ebca6b) ^ (other >>> 0)
  const high = Math.imul(Math.floor(one / 2 ** 32) ^ (low >>> 7), 0xc2b2ae35) ^ Math.floor(other / 2 ** 32)
  return 2 ** 32 * (high & 0x1fffff) + (Math.imul(low ^ (high >>> 13), 0x5f356495) >>> 0) + 1
}
