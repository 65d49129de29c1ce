// The command line of the benchmark.
import { parseArgs } from 'node:util'
import { peers } from './servers/contenders.ts'

const names = peers.map(({ name }) => name)

export type Options = {
  readonly run: 'full' | 'quick' | 'smoke'
  readonly rounds: number
  readonly seconds: number
  /** Worker processes of every server compared. */
  readonly workers: number
  /** The largest multiple of the localities. */
  readonly growth: number
  readonly fresh: boolean
  readonly first: boolean
  /** Only the way of asking that the targets speak of. */
  readonly usual: boolean
  readonly out: string
  readonly servers: readonly string[] | undefined
}

export const USAGE = `npm run bench                 everything, into docs/benchmarks.md and docs/charts
npm run bench -- --quick      the main comparison and the targets, in under two minutes; exits 1 on a missed target
npm run bench -- --smoke      start time and cost of depth; needs neither wrk nor another server

  --rounds N    alternating rounds (default 5; 6 with --quick)
  --seconds N   length of a window in whole seconds (default 2; 1 with --quick)
  --workers N   worker processes, and cores, of every server compared (default 1)
  --growth N    also at N times the localities, 10 or 100 (default 10)
  --servers A,B only these besides nomenclator: ${names.join(', ')}
  --out DIR     where the report goes (default docs)
  --first       go before all other programs of a busy machine; only root may
  --usual       only with 64 connections that are kept alive, in a fraction of the time
  --fresh       build the releases anew instead of using those of the last run
`

export function readOptions(argv: readonly string[]): Options | { readonly wrong: string } {
  let values: ReturnType<typeof parse>
  try {
    values = parse(argv)
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) }
  }
  if (values.smoke && values.quick) return { wrong: '--smoke and --quick are two different runs' }
  const run = values.smoke ? 'smoke' : values.quick ? 'quick' : 'full'
  const numbers = {
    rounds: Number(values.rounds ?? (run === 'quick' ? 6 : 5)),
    seconds: Number(values.seconds ?? (run === 'quick' ? 1 : 2)),
    workers: Number(values.workers ?? 1),
    growth: Number(values.growth ?? 10),
  }
  if (!Number.isInteger(numbers.rounds) || numbers.rounds < 1) return { wrong: '--rounds is a whole number from 1' }
  if (!Number.isInteger(numbers.seconds) || numbers.seconds < 1) return { wrong: '--seconds is a whole number from 1' }
  if (!Number.isInteger(numbers.workers) || numbers.workers < 1) return { wrong: '--workers is a whole number from 1' }
  if (numbers.growth !== 10 && numbers.growth !== 100) return { wrong: '--growth is 10 or 100' }
  const servers = values.servers?.split(',')
  const stranger = servers?.find((server) => !names.includes(server))
  if (stranger !== undefined) return { wrong: `--servers knows ${names.join(', ')}, and not ${stranger}` }
  return {
    run,
    ...numbers,
    fresh: values.fresh ?? false,
    first: values.first ?? false,
    usual: values.usual ?? false,
    out: values.out ?? 'docs',
    servers,
  }
}

const parse = (argv: readonly string[]) =>
  parseArgs({
    args: [...argv],
    options: {
      smoke: { type: 'boolean' },
      quick: { type: 'boolean' },
      fresh: { type: 'boolean' },
      first: { type: 'boolean' },
      usual: { type: 'boolean' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      workers: { type: 'string' },
      growth: { type: 'string' },
      servers: { type: 'string' },
      out: { type: 'string' },
    },
  }).values
