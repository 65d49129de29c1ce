// The command line of the benchmark of the search.
import { parseArgs } from 'node:util'

export type Options = {
  readonly growth: boolean
  readonly worst: boolean
  readonly quick: boolean
  readonly json: boolean
  readonly fresh: boolean
  readonly first: boolean
  readonly out: string | undefined
}

export const REPORT = 'docs/search-benchmarks.md'

export const USAGE = `npm run bench:search               relevance, latency, size, start and SQLite; exits 1 on a missed target

  --growth     also at ten times the localities
  --worst      also search for the slowest requests there are
  --quick      fewer rounds, no SQLite, and no report unless --out names one
  --json       the results as JSON instead of tables
  --out FILE   where the report goes (default ${REPORT})
  --first      go before all other programs of a busy machine; only root may
  --fresh      build the releases anew instead of using those of the last run
  --help       this text
`

export function readOptions(argv: readonly string[]): Options | { readonly wrong: string } {
  try {
    const { growth, worst, quick, json, fresh, first, out } = parse(argv)
    const on = (flag: boolean | undefined) => flag ?? false
    return {
      ...{ growth: on(growth), worst: on(worst), quick: on(quick), json: on(json), fresh: on(fresh), first: on(first) },
      out: out ?? (quick === true ? undefined : REPORT),
    }
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) }
  }
}

const parse = (argv: readonly string[]) =>
  parseArgs({
    args: [...argv],
    options: {
      growth: { type: 'boolean' },
      worst: { type: 'boolean' },
      quick: { type: 'boolean' },
      json: { type: 'boolean' },
      fresh: { type: 'boolean' },
      first: { type: 'boolean' },
      out: { type: 'string' },
    },
  }).values
