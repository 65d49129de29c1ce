// The program: argv in, exit code out.

import { diskFailure, Failure } from './base/failure.ts'
import { UsageError } from './cli/flags/flags.ts'
import { run } from './cli/run.ts'
import { endAtSignals } from './cli/terminal/signals.ts'
import { processTerminal } from './cli/terminal/terminal.ts'

const FIRST_PROCESS = 1
if (process.pid === FIRST_PROCESS) endAtSignals()

const terminal = processTerminal(([command]) => command === 'serve')

async function main(): Promise<number> {
  try {
    return await run(process.argv.slice(2), process.env, terminal)
  } catch (error) {
    const failure = error instanceof Failure ? error : diskFailure(error)
    if (failure === undefined) throw error
    terminal.err(`nomenclator: ${failure.message}\n`)
    if (!(failure instanceof UsageError)) return 1
    const called = failure.command === undefined ? '' : `${failure.command} `
    terminal.err(`nomenclator ${called}--help shows what there is.\n`)
    return 2
  }
}

process.exit(await main())
