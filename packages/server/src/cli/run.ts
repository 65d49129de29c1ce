// Runs the command that the arguments name, or prints its help, or says what is wrong with the call.
import { nearest } from '../base/nearest.ts'
import { version } from '../base/version.ts'
import { type Command, columns, helpOf, overview, rowOf, type Terminal } from './command.ts'
import { allCommands, type CommandFile, commandOf, commandsWith, firstWords, sections } from './command-table.ts'
import { type Environment, readFlags, UsageError } from './flags/flags.ts'

/** Words that people try for a command of another name. */
const INSTEAD: Readonly<Record<string, string>> = {
  start: 'serve',
  run: 'serve',
  up: 'serve',
  server: 'serve',
  '-v': '--version',
  '-V': '--version',
  version: '--version',
  ls: 'releases or packages',
  list: 'releases or packages',
  load: 'import package',
  add: 'import package',
  install: 'import package',
  delete: 'remove',
  rm: 'remove',
  search: 'resolve, or the pages of serve',
  find: 'resolve, or the pages of serve',
  match: 'resolve',
  init: 'describe',
  validate: 'check',
  lint: 'check',
  status: 'health, doctor or shelf status',
  undo: 'rollback',
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
  const [first] = typed
  const wantsHelp = words.length > typed.length
  if (first === undefined) {
    terminal.out(await programHelp())
    return 0
  }
  const commands = await commandsWith(first)
  const called = commandOf(commands, typed)
  if (wantsHelp) {
    terminal.out(called === undefined ? helpOfGroup(commands, first) : helpOf(called, subcommandsOf(called, commands)))
    return 0
  }
  if (called === undefined) throw new UsageError([unknownCommand(commands, typed)])
  const { values, operands } = readCall(called, typed, env)
  return called.run({ values, operands, env, terminal })
}

/** The overview: all commands by section, but for those that the help of another command lists. */
async function programHelp(): Promise<string> {
  const commands = await allCommands()
  const shown = await Promise.all(
    sections.map(async ({ title, files }) => ({
      title,
      rows: (await Promise.all(files.map(rowsOf))).flat().filter(([name]) => !isSubcommand(name, commands)),
    })),
  )
  return overview(shown)
}

const rowsOf = async ({ words, summary, load }: CommandFile) =>
  summary === undefined ? (await load()).map(rowOf) : [[`${words[0]} …`, summary] as const]

const subcommandsOf = (called: Command, commands: readonly Command[]) =>
  commands.filter(({ name }) => name.startsWith(`${called.name} `))

const isSubcommand = (name: string, commands: readonly Command[]) =>
  commands.some((other) => name.startsWith(`${other.name} `))

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

function helpOfGroup(commands: readonly Command[], word: string): string {
  if (commands.length === 0) throw new UsageError([unknownCommand(commands, [word])])
  return `Commands that begin with ${word}:\n\n${columns(commands.map(rowOf))}\n`
}

function unknownCommand(commands: readonly Command[], [first = '', second]: readonly string[]): string {
  if (commands.length === 0) {
    const kind = first.startsWith('-') ? 'flag' : 'command'
    return `there is no ${kind} ${first}${suggestion(INSTEAD[first] ?? nearest(first, [...firstWords, '--version', '--help']))}`
  }
  const names = commands.map(({ name }) => name)
  const wrong =
    second === undefined
      ? `${first} needs a second word`
      : `there is no command ${first} ${second}${suggestion(nearest(`${first} ${second}`, names))}`
  return `${wrong}\n\n${columns(commands.map(rowOf))}\n`
}

const suggestion = (name: string | undefined) => (name === undefined ? '' : `; did you mean ${name}?`)
