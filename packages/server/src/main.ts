// The program: arguments in, exit code out.
import { diskFailure, OperationalError } from './base/operational-error.ts'
import { programCommand } from './base/program.ts'
import { UsageError } from './cli/flags/flags.ts'
import { run } from './cli/run.ts'
import { endAtSignals } from './cli/terminal/signals.ts'
import { processTerminal } from './cli/terminal/terminal.ts'

async function main(argv: readonly string[]): Promise<number> {
  const terminal = processTerminal(([command]) => command === 'serve')
  try {
    return await run(argv, process.env, terminal)
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

/** The option of the runtime for how much code runs before it is compiled for the last tier. A process reads it when it starts. */
const LAST_TIER = 'BUN_JSC_thresholdForFTLOptimizeAfterWarmUp'

/** The rows of most files are resolved before the last tier pays, which takes a third of the time on one core: so it comes late. */
function delayLastTier(argv: readonly string[]): void {
  if (process.env[LAST_TIER] !== undefined) return
  try {
    process.execve?.(process.execPath, [...programCommand, ...argv], { ...process.env, [LAST_TIER]: '2000000' })
  } catch {
    // Where a program may not replace itself, it goes on as it is.
  }
}

const argv = process.argv.slice(2)
const FIRST_PROCESS = 1
if (process.pid === FIRST_PROCESS) endAtSignals()
if (argv[0] === 'resolve') delayLastTier(argv)
process.exit(await main(argv))
