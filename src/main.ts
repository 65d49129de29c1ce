// The program: argv in, exit code out.
import { UsageError } from './cli/flags.ts'
import { run } from './cli/run.ts'
import { Failure } from './failure.ts'

const err = (text: string) => process.stderr.write(text)

async function main(): Promise<number> {
  try {
    return await run(process.argv.slice(2), process.env, {
      out: (text) => process.stdout.write(text),
      err,
      interactive: process.stderr.isTTY === true,
    })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    err(`nomenclator: ${error.message}\n`)
    if (!(error instanceof UsageError)) return 1
    err('nomenclator --help shows what there is.\n')
    return 2
  }
}

process.exit(await main())
