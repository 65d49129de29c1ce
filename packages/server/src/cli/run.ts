// From the arguments to a command, its help, or a clear no.
import { nearest } from '../base/nearest.ts'
import { version } from '../base/version.ts'
import { type Command, helpOf, overview, type Terminal } from './command.ts'
import { checkPackageCommand } from './commands/check-package.ts'
import { completionCommand } from './commands/completion.ts'
import { describeCommand } from './commands/describe.ts'
import { diff } from './commands/diff.ts'
import { doctor } from './commands/doctor.ts'
import { exportPackageCommand } from './commands/export-package.ts'
import { exportShelfCommand } from './commands/export-shelf.ts'
import { exportSiteCommand } from './commands/export-site.ts'
import { health } from './commands/health.ts'
import { importCommands } from './commands/import.ts'
import { manCommand } from './commands/man.ts'
import { packageCommands } from './commands/packages.ts'
import { typesCommand } from './commands/print-types.ts'
import { profileCommand } from './commands/profile.ts'
import { releaseCommands } from './commands/releases.ts'
import { resolveCommand } from './commands/resolve.ts'
import { serveCommand } from './commands/serve.ts'
import { shelfCommands } from './commands/shelf.ts'
import { signingCommands } from './commands/signing.ts'
import { upgrade } from './commands/upgrade.ts'
import { verifyCommand } from './commands/verify.ts'
import { type Environment, readFlags, UsageError } from './flags/flags.ts'

/** All commands, in the order of the help: a line for each file. */
export const commands: readonly Command[] = [
  serveCommand,
  ...importCommands,
  exportPackageCommand,
  exportShelfCommand,
  exportSiteCommand,
  describeCommand,
  checkPackageCommand,
  profileCommand,
  resolveCommand,
  ...packageCommands,
  ...releaseCommands,
  ...signingCommands,
  upgrade,
  ...shelfCommands,
  diff,
  verifyCommand,
  typesCommand,
  doctor,
  health,
  completionCommand(() => commands),
  manCommand(() => commands),
]

/** Runs what the arguments say and returns the exit code. */
export async function run(argv: readonly string[], env: Environment, terminal: Terminal): Promise<number> {
  if (argv[0] === '--version') {
    terminal.out(`${version}\n`)
    return 0
  }
  const words = argv[0] === 'help' ? [...argv.slice(1), '--help'] : argv
  const typed = words.filter((word) => word !== '--help' && word !== '-h')
  const called = commandOf(typed)
  if (words.length > typed.length || words.length === 0) {
    terminal.out(helpFor(typed, called))
    return 0
  }
  if (called === undefined) throw new UsageError([unknownCommand(typed)])
  const { values, operands } = readCall(called, typed, env)
  return called.run({ values, operands, env, terminal })
}

/** What a command was called with. A mistake names the command, whose help says what is right. */
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

/** The command with the longest name that the arguments begin with. */
function commandOf(argv: readonly string[]): Command | undefined {
  return commands
    .filter(({ name }) => name.split(' ').every((word, position) => argv[position] === word))
    .sort((a, b) => b.name.length - a.name.length)[0]
}

/** The help of a command, of a group of commands such as import, or of the program. */
function helpFor(typed: readonly string[], called: Command | undefined): string {
  const group = commands.filter(({ name }) => name.split(' ')[0] === typed[0])
  if (called !== undefined)
    return helpOf(
      called,
      group.filter(({ name }) => name.startsWith(`${called.name} `)),
    )
  if (typed.length > 0 && group.length === 0) throw new UsageError([unknownCommand(typed)])
  return overview(typed.length === 0 ? commands : group)
}

/** What commands of earlier versions have become. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['import tabular', 'import package'],
  ['export tabular', 'export package'],
])

function unknownCommand(argv: readonly string[]): string {
  const renamed = RENAMED.get(argv.slice(0, 2).join(' '))
  if (renamed !== undefined) return `${argv.slice(0, 2).join(' ')} is now ${renamed}: nomenclator ${renamed} DIR`
  const group = commands.filter(({ name }) => name.split(' ')[0] === argv[0]).map(({ name }) => name)
  if (group.length > 0)
    return `${argv.slice(0, 2).join(' ')} is not complete or not known; there are: ${group.join(', ')}`
  const suggestion = nearest(argv[0] ?? '', [...new Set(commands.map(({ name }) => name.split(' ')[0] as string))])
  return `there is no command ${argv[0]}${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`
}
