// nomenclator-verify URL: the command by itself, for Node.
import manifest from '../package.json' with { type: 'json' }
import { runVerify, UNCHECKED, VERIFY_ABOUT, VERIFY_EXAMPLES, type VerifyValues, verifyFlags } from './command.ts'
import { flagsHelp, isUsageError, parseFlags, WrongCall, yes } from './flags.ts'

const { name, version } = manifest
const { stdout, stderr } = process
const flags = {
  ...verifyFlags,
  help: { description: 'print this', parse: yes },
  version: { description: 'print the version', parse: yes },
}
const HELP = `Check whether a server speaks the contract of API v1.
${VERIFY_ABOUT}

Usage: ${name} URL [FLAGS]

${flagsHelp(flags)}
Examples:
${VERIFY_EXAMPLES.map((example) => `  ${name} ${example}\n`).join('')}`

/** On a terminal, a line that is written over. */
const ERASE_LINE = '\r\x1b[2K'
const showStatus = (line: string) => void (stderr.isTTY && stderr.write(`${ERASE_LINE}${line}`))

async function run(argv: readonly string[]): Promise<number> {
  const { values, operands } = parseFlags(flags, argv)
  if (values.help || values.version) {
    stdout.write(values.help ? HELP : `${version}\n`)
    return 0
  }
  const [url, ...more] = operands
  if (url === undefined || more.length > 0) throw new WrongCall(`give one URL: ${name} URL [FLAGS]`)
  return runVerify(url, values as VerifyValues, {
    out: (text) => {
      showStatus('')
      stdout.write(text)
    },
    err: (text) => void stderr.write(text),
    progress: (what, done, expected) => showStatus(`${what}: ${done} of ${expected}`),
  })
}

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  if (!isUsageError(error)) throw error
  stderr.write(`${name}: ${error.message}\n${name} --help describes the command.\n`)
  process.exitCode = UNCHECKED
}
