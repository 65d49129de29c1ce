// npm run torture: one campaign after the other against the real service, and what each found into bench/results/torture/.
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { describeMachine, hostTicks, keepAwake } from '../../bench/machine.ts'
import { clock } from './clock.ts'
import { compute } from './compute.ts'
import { damaged } from './damaged.ts'
import { descriptors } from './descriptors.ts'
import { diskFull } from './disk-full.ts'
import { fuzz } from './fuzz.ts'
import { importKills } from './import.ts'
import { lists } from './lists.ts'
import { load } from './load.ts'
import { packages } from './packages.ts'
import { pageOf, RESULTS, writePage } from './report.ts'
import { restarts } from './restarts.ts'
import { slow } from './slow.ts'
import { state } from './state.ts'
import { swaps } from './swaps.ts'
import { type Campaign, DATA_VARIABLE, Homes, type Scale, Trial } from './trial.ts'
import { unmounted } from './unmounted.ts'
import { workers } from './workers.ts'

export const campaigns: readonly Campaign[] = [
  ...[
    fuzz,
    load,
    slow,
    workers,
    swaps,
    restarts,
    diskFull,
    unmounted,
    damaged,
    clock,
    descriptors,
    importKills,
    compute,
    lists,
  ],
  packages,
  state,
]

const ROOT = join(import.meta.dir, '..', '..')

const usageOf = (
  command: string,
  all: readonly Campaign[],
) => `${command}                  every campaign; about an hour
${command} -- PART...       only these: ${all.map(({ name }) => name).join(', ')}
${command} -- --quick       the same in minutes; prints the report

  --quick     smaller campaigns
  --seed N    what is random follows from it (default 1)
  --out DIR   write a page for each campaign there (default ${RESULTS}; with --quick nowhere)
  --help      this text

The service is started by the campaigns themselves, on free ports of 127.0.0.1. Those that mount file systems need root.
With a file of localities of INEGI in ${DATA_VARIABLE}, compute uses these and not invented ones.
Exits with 1 if anything did not hold.
`
export const USAGE = usageOf('npm run torture', campaigns)

type Options = {
  readonly parts: readonly Campaign[]
  readonly scale: Scale
  readonly seed: number
  readonly out: string | undefined
}

function readOptions(argv: readonly string[], all: readonly Campaign[]): Options {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      seed: { type: 'string', default: '1' },
      out: { type: 'string' },
    },
  })
  const unknown = positionals.filter((part) => !all.some(({ name }) => name === part))
  if (unknown.length > 0) throw new Error(`there is no campaign called ${unknown.join(', ')}`)
  const seed = Number(values.seed)
  if (!Number.isSafeInteger(seed)) throw new Error('--seed is a whole number')
  return {
    parts: all.filter(({ name }) => positionals.length === 0 || positionals.includes(name)),
    scale: values.quick ? 'quick' : 'full',
    seed,
    out: values.out ?? (values.quick ? undefined : join(ROOT, RESULTS)),
  }
}

/** Runs one campaign; what it throws is something that did not hold. */
export async function runCampaign(
  campaign: Campaign,
  homes: Homes,
  options: { readonly scale: Scale; readonly seed: number; readonly log: (line: string) => void },
): Promise<Trial> {
  await using trial = new Trial(options.scale, options.seed, homes, options.log)
  const impossible = await campaign.impossible?.()
  if (impossible !== undefined) trial.fact(`Not run: ${impossible}`)
  else
    try {
      await campaign.run(trial)
    } catch (error) {
      trial.require(false, error instanceof Error ? `${error.message} ${error.cause ?? ''}`.trim() : String(error))
      options.log(Bun.inspect(error))
    }
  return trial
}

async function run({ parts, scale, seed, out }: Options, call: string): Promise<number> {
  using homes = new Homes(scale)
  using _awake = keepAwake()
  const machine = describeMachine()
  let failures = 0
  for (const campaign of parts) {
    const started = performance.now()
    const before = hostTicks()
    const log = (line: string) => console.error(`torture ${campaign.name}: ${line}`)
    log(`begins: ${campaign.title}`)
    const trial = await runCampaign(campaign, homes, { scale, seed, log })
    const seconds = (performance.now() - started) / 1_000
    const after = hostTicks()
    const stolen = (after.stolen - before.stolen) / Math.max(after.all - before.all, 1)
    log(`${trial.failures.length === 0 ? 'held' : 'DID NOT HOLD'}, ${Math.round(seconds)} s`)
    failures += trial.failures.length
    const conditions = { seconds, call, machine, stolen }
    const page = pageOf(campaign, trial, conditions)
    console.log(page)
    // After each campaign, so that an hour of work is not lost with the last of them.
    if (out !== undefined) writePage(resolve(out), campaign, page)
  }
  return failures === 0 ? 0 : 1
}

/** What a command does: runs those of its campaigns that the arguments name, and exits. */
export async function torture(command: string, all: readonly Campaign[]): Promise<never> {
  const argv = process.argv.slice(2)
  const usage = usageOf(command, all)
  if (argv.includes('--help')) {
    console.log(usage)
    process.exit(0)
  }
  let options: Options
  try {
    if (process.platform !== 'linux') throw new Error('memory and processes are read from /proc, so it needs Linux')
    options = readOptions(argv, all)
  } catch (error) {
    console.error(`torture: ${error instanceof Error ? error.message : error}\n\n${usage}`)
    process.exit(2)
  }
  process.exit(await run(options, [command, ...(argv.length === 0 ? [] : ['--', ...argv])].join(' ')))
}

if (import.meta.main) await torture('npm run torture', campaigns)
