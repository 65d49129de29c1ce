// The program: argv in, exit code out.

import { diskFailure, OperationalError } from './base/operational-error.ts'
import { programCommand } from './base/program.ts'
import { UsageError } from './cli/flags/flags.ts'
import { run } from './cli/run.ts'
import { endAtSignals } from './cli/terminal/signals.ts'
import { processTerminal } from './cli/terminal/terminal.ts'

/** How much code is run before it is compiled for the last tier: an option that a process reads when it starts. */
const LAST_TIER = 'BUN_JSC_thresholdForFTLOptimizeAfterWarmUp'

// The rows of most files are resolved before the last tier pays, which takes a third of the time on one core.
if (process.argv[2] === 'resolve' && process.env[LAST_TIER] === undefined)
  startAgain({ ...process.env, [LAST_TIER]: '2000000' })

/** Runs the same command in this process with another environment; where that is not allowed, it goes on as it is. */
function startAgain(environment: NodeJS.ProcessEnv): void {
  try {
    process.execve?.(process.execPath, [...programCommand, ...process.argv.slice(2)], environment)
  } catch {}
}

const FIRST_PROCESS = 1
if (process.pid === FIRST_PROCESS) endAtSignals()

const terminal = processTerminal(([command]) => command === 'serve')

async function main(): Promise<number> {
  try {
    return await run(process.argv.slice(2), process.env, terminal)
  } catch (error) {
    const failure = error instanceof OperationalError ? error : diskFailure(error)
    if (failure === undefined) throw error
    terminal.err(`nomenclator: ${failure.message}\n`)
    if (!(failure instanceof UsageError)) return 1
    const called = failure.command === undefined ? '' : `${failure.command} `
    terminal.err(`nomenclator ${called}--help shows what there is.\n`)
    return 2
  }
}

process.exit(await main())
