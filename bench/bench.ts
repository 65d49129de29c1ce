// The benchmark: reads the command line and starts the run that it names.
import { goFirst } from './machine/cores.ts'
import { otherBenchmark } from './machine/only-one.ts'
import { readOptions, USAGE } from './options.ts'
import { full } from './runs/full.ts'
import { quick } from './runs/quick.ts'
import { smoke } from './runs/smoke.ts'

async function main(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help')) {
    console.log(USAGE)
    return 0
  }
  const options = readOptions(argv)
  if ('wrong' in options) {
    console.error(`bench: ${options.wrong}\n\n${USAGE}`)
    return 2
  }
  if (process.platform !== 'linux') {
    console.error('bench: processor time and memory are read from /proc, so the benchmark runs on Linux')
    return 2
  }
  if (options.first) goFirst()
  if (options.run === 'smoke') return smoke()
  if (Bun.which('wrk') === null) {
    console.error('bench: wrk is not installed; run bench/setup, or npm run bench -- --smoke, which does without')
    return 2
  }
  const other = otherBenchmark()
  if (other !== undefined) {
    console.error(`bench: another benchmark is running as process ${other}; figures of two at a time mean nothing`)
    return 2
  }
  return options.run === 'quick' ? quick(options) : full(options, argv)
}

process.exit(await main(process.argv.slice(2)))
