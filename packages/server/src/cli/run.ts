// Runs the command that the arguments name, or prints its help, or says what is wrong with the call.
import { didYouMean } from '../base/nearest.ts'
import { version } from '../base/version.ts'
import { type Command, columns, helpOf, overview, summaryRow, type Terminal } from './command.ts'
import { type CommandFile, commandOf, commandsWith, firstWords, sections } from './command-table.ts'
import { type Environment, readFlags, UsageError } from './flags/flags.ts'

/** Words that people try, by the command that they mean. */
const TRIED: Readonly<Record<string, readonly string[]>> = {
  serve: ['start', 'run', 'up', 'server'],
  '--version': ['-v', '-V', 'version'],
  'releases or packages': ['ls', 'list'],
  'import package': ['load', 'add', 'install'],
  'resolve, or the pages of serve': ['search', 'find', 'match', 'geocode'],
  remove: ['rm', 'delete', 'uninstall'],
  describe: ['init', 'new'],
  check: ['validate', 'lint'],
  rollback: ['undo', 'revert'],
  'health, doctor or shelf status': ['status'],
}

/** Returns the exit code. */
export async function run(argv: readonly string[], env: Environment, terminal: Terminal): Promise<number> {
  if (argv[0] === '--version') {
    terminal.out(`${version}\n`)
    return 0
  }
  if (argv[0] === '__complete') {
    const { candidates } = await import('./complete.ts')
    for (const candidate of await candidates(argv.slice(1), env)) terminal.out(`${candidate}\n`)
    return 0
  }
  const words = argv[0] === 'help' ? [...argv.slice(1), '--help'] : argv
  const typed = words.filter((word) => word !== '--help' && word !== '-h')
  const commands = await commandsWith(typed[0])
  const called = commandOf(commands, typed)
  if (words.length > typed.length || typed.length === 0) {
    terminal.out(await helpFor(commands, typed, called))
    return 0
  }
  if (called === undefined) throw new UsageError([unknownCommand(commands, typed)])
  const { values, operands } = readCall(called, typed, env)
  return (await called.run({ values, operands, env, terminal })) ?? 0
}

/** The help of a command, of all commands with the same first word, or of the program. */
async function helpFor(commands: readonly Command[], typed: readonly string[], called: Command | undefined) {
  if (called !== undefined)
    return helpOf(
      called,
      commands.filter(({ name }) => name.startsWith(`${called.name} `)),
    )
  if (typed.length === 0) return programHelp()
  if (commands.length === 0) throw new UsageError([unknownCommand(commands, typed)])
  return `Commands that begin with ${typed[0]}:\n\n${columns(commands.map(summaryRow))}\n`
}

async function programHelp(): Promise<string> {
  const shown = sections.map(async ({ title, files }) => ({
    title,
    rows: (await Promise.all(files.map(rowsOf))).flat(),
  }))
  return overview(await Promise.all(shown))
}

/** The rows of the overview, without commands that the help of another command lists. */
async function rowsOf({ words, summary, load }: CommandFile) {
  if (summary !== undefined) return [[`${words[0]} …`, summary] as const]
  const commands = await load()
  return commands.filter(({ name }) => !commands.some((other) => name.startsWith(`${other.name} `))).map(summaryRow)
}

/** The values and operands of a call. A mistake names the command, whose help has the flags. */
function readCall(called: Command, typed: readonly string[], env: Environment) {
  try {
    const read = readFlags(called.flags, typed.slice(called.name.split(' ').length), env)
    refuseOtherOperands(called, read.operands)
    return read
  } catch (error) {
    throw error instanceof UsageError ? new UsageError([error.message], called.name) : error
  }
}

function refuseOtherOperands(called: Command, operands: readonly string[]): void {
  const { min, max, usage, choices } = called.operands ?? { min: 0, max: 0, usage: '' }
  if (operands.length > max) throw new UsageError([`${JSON.stringify(operands[max])} is one word too many`])
  if (operands.length < min) throw new UsageError([`${usage} is missing`])
  const other = operands.find((word) => choices?.includes(word) === false)
  if (other !== undefined) throw new UsageError([`${JSON.stringify(other)} is not one of ${choices?.join(', ')}`])
}

function unknownCommand(commands: readonly Command[], [first = '', second]: readonly string[]): string {
  if (commands.length === 0) {
    const tried = Object.entries(TRIED).find(([, words]) => words.includes(first))?.[0]
    const isFlag = first.startsWith('-')
    const nearest = isFlag
      ? didYouMean(first, ['--version', '--help']) || '; flags follow a command, as in serve --port 8080'
      : didYouMean(first, firstWords)
    return `there is no ${isFlag ? 'flag' : 'command'} ${first}${tried === undefined ? nearest : `; did you mean ${tried}?`}`
  }
  const names = commands.map(({ name }) => name)
  const call = `${first} ${second}`
  const wrong =
    second === undefined ? `${first} needs a second word` : `there is no command ${call}${didYouMean(call, names)}`
  return `${wrong}\n\n${columns(commands.map(summaryRow))}\n`
}
