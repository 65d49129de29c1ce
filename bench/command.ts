// The command line of a benchmark: help, mistakes, and an exit code for missed targets.
import { rmSync } from 'node:fs'
import { WORK } from './machine.ts'
import type { Verdict } from './targets.ts'

type Command<Options> = {
  readonly name: string
  readonly usage: string
  /** Throws where an argument is wrong. */
  readonly read: (argv: readonly string[]) => Options
  /** Measures and reports; the call is how it was started. */
  readonly run: (options: Options, call: string) => Promise<readonly Verdict[]>
}

/** 0 if all targets are met, 1 if one is missed, 2 for a wrong call. */
async function exitCode<Options>(
  { name, usage, read, run }: Command<Options>,
  argv: readonly string[],
): Promise<number> {
  if (argv.includes('--help')) {
    console.log(usage)
    return 0
  }
  let options: Options
  try {
    if (process.platform !== 'linux')
      throw new Error('processor time and memory are read from /proc, so it needs Linux')
    options = read(argv)
  } catch (error) {
    console.error(`${name}: ${error instanceof Error ? error.message : error}\n\n${usage}`)
    return 2
  }
  rmSync(WORK, { recursive: true, force: true })
  const verdicts = await run(options, ['npm run', name, ...(argv.length === 0 ? [] : ['--', ...argv])].join(' '))
  return verdicts.some(({ outcome }) => outcome === 'missed') ? 1 : 0
}

export async function runCommand<Options>(command: Command<Options>): Promise<never> {
  process.exit(await exitCode(command, process.argv.slice(2)))
}
