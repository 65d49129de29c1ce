// An invented catalog of the size and as unusual as a real one, the same for the same seed on every machine.
import { builtInCatalog } from '../built-in.ts'
import type { Block, GivenRow, Source } from '../source.ts'
import { COUNTS, rowsOf, type Shape, type SyntheticName } from './rows.ts'

const ROWS_PER_BLOCK = 1_000
const MAX_SEED = 0xffff_ffff
/** Three hundred million localities, which can still be split exactly in proportion to weights. */
const MAX_SCALE = 1_000

export function syntheticSource({ seed, scale }: Shape): Source {
  requireWholeNumber('seed', seed, 0, MAX_SEED)
  requireWholeNumber('scale', scale, 1, MAX_SCALE)
  return {
    origin: {
      kind: 'synthetic',
      title: 'invented data for tests and benchmarks; no record is real',
      synthetic: true,
      credits: [],
      options: { seed, scale },
    },
    catalog: builtInCatalog,
    provides: Object.keys(COUNTS),
    expected: (name) => COUNTS[name as SyntheticName] * (name === 'localidad' ? scale : 1),
    read: (name) => blocks(name as SyntheticName, { seed, scale }),
  }
}

function requireWholeNumber(name: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return
  throw new RangeError(`${name} must be a whole number from ${min} to ${max}, not ${value}`)
}

function* blocks(name: SyntheticName, shape: Shape): Generator<Block> {
  let lines: number[] = []
  let rows: GivenRow[] = []
  let line = 0
  for (const row of rowsOf[name](shape)) {
    lines.push(++line)
    rows.push(row)
    if (rows.length < ROWS_PER_BLOCK) continue
    yield { file: 'synthetic', lines, rows }
    lines = []
    rows = []
  }
  if (rows.length > 0) yield { file: 'synthetic', lines, rows }
}
