// nomenclator verify URL
import { isUsageError, runVerify, VERIFY_ABOUT, VERIFY_EXAMPLES, type VerifyValues, verifyFlags } from '#verify'
import { command } from '../command.ts'
import { UsageError } from '../flags/flags.ts'
import { progressLine } from '../terminal/progress.ts'

export const verifyCommand = command({
  name: 'verify',
  summary: 'Check whether a server speaks the contract of API v1',
  description: VERIFY_ABOUT,
  operands: { usage: 'URL', min: 1, max: 1 },
  flags: verifyFlags,
  examples: VERIFY_EXAMPLES.map((example) => `verify ${example}`),
  run: async ({ values, operands, terminal }) => {
    const progress = progressLine(terminal)
    const out = (text: string) => {
      progress.clear()
      terminal.out(text)
    }
    try {
      const output = { out, err: terminal.err, progress: progress.show }
      return await runVerify(operands[0] as string, values as VerifyValues, output)
    } catch (error) {
      throw isUsageError(error) ? new UsageError([error.message]) : error
    } finally {
      progress.clear()
    }
  },
})
