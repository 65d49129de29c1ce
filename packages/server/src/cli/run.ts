// From the arguments to a command, its help, or a clear no.
import { nearest } from '../base/nearest.ts'
import { version } from '../base/version.ts'
import { type Command, helpOf, overview, type Terminal } from './command.ts'
import { completionCommand } from './commands/completion.ts'
import { diff } from './commands/diff.ts'
import { doctor } from './commands/doctor.ts'
import { exportSiteCommand } from './commands/export-site.ts'
import { exportTabularCommand } from './commands/export-tabular.ts'
import { health } from './commands/health.ts'
import { importBundled } from './commands/import-bundled.ts'
import { importInegi } from './commands/import-inegi.ts'
import { importMirror } from './commands/import-mirror.ts'
import { importSynthetic } from './commands/import-synthetic.ts'
import { importTabular } from './commands/import-tabular.ts'
import { importV1 } from './commands/import-v1.ts'
import { manCommand } from './commands/man.ts'
import { typesCommand } from './commands/print-types.ts'
import { activate, releases, releasesPrune, releasesShow, releasesVerify, rollback } from './commands/releases.ts'
import { resolveCommand } from './commands/resolve.ts'
import { serveCommand } from './commands/serve.ts'
import { shelfAccept, shelfMend, shelfMigrate, shelfPublish, shelfRoles, shelfStatus } from './commands/shelf.ts'
import { keygen, sign, verifyRelease } from './commands/signing.ts'
import { upgrade } from './commands/upgrade.ts'
import { verifyCommand } from './commands/verify.ts'
import { type Environment, readFlags, UsageError } from './flags/flags.ts'

export const commands: readonly Command[] = [
  serveCommand,
  importInegi,
  importV1,
  importMirror,
  importTabular,
  importBundled,
  importSynthetic,
  exportTabularCommand,
  exportSiteCommand,
  resolveCommand,
  releases,
  releasesShow,
  releasesVerify,
  releasesPrune,
  activate,
  rollback,
  keygen,
  sign,
  verifyRelease,
  upgrade,
  shelfMigrate,
  shelfRoles,
  shelfStatus,
  shelfPublish,
  shelfMend,
  shelfAccept,
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
  const given = argv[0] === 'help' ? [...argv.slice(1), '--help'] : argv
  const typed = given.filter((word) => word !== '--help' && word !== '-h')
  const found = commandOf(typed)
  if (given.length > typed.length || given.length === 0) {
    terminal.out(helpFor(typed, found))
    return 0
  }
  if (found === undefined) throw new UsageError([unknownCommand(typed)])
  const { values, operands } = readFlags(found.flags, typed.slice(found.name.split(' ').length), env)
  const { min, max } = found.operands ?? { min: 0, max: 0 }
  if (operands.length > max) throw new UsageError([`${JSON.stringify(operands[max])} is one word too many`])
  if (operands.length < min) throw new UsageError([`${found.operands?.usage} is missing`])
  const { choices } = found.operands ?? {}
  const other = operands.find((word) => choices?.includes(word) === false)
  if (other !== undefined) throw new UsageError([`${JSON.stringify(other)} is not one of ${choices?.join(', ')}`])
  return found.run({ values, operands, env, terminal })
}

/** The command with the longest name that the arguments begin with. */
function commandOf(argv: readonly string[]): Command | undefined {
  return commands
    .filter(({ name }) => name.split(' ').every((word, position) => argv[position] === word))
    .sort((a, b) => b.name.length - a.name.length)[0]
}

/** Of a command, of a group of commands such as import, or of the program. */
function helpFor(typed: readonly string[], found: Command | undefined): string {
  const group = commands.filter(({ name }) => name.split(' ')[0] === typed[0])
  if (found === undefined && typed.length > 0 && group.length === 0) throw new UsageError([unknownCommand(typed)])
  if (found === undefined) return overview(typed.length === 0 ? commands : group)
  const subcommands = group.filter(({ name }) => name.startsWith(`${found.name} `))
  return helpOf(found, subcommands)
}

function unknownCommand(argv: readonly string[]): string {
  const group = commands.filter(({ name }) => name.split(' ')[0] === argv[0]).map(({ name }) => name)
  if (group.length > 0)
    return `${argv.slice(0, 2).join(' ')} is not complete or not known; there are: ${group.join(', ')}`
  const suggestion = nearest(argv[0] ?? '', [...new Set(commands.map(({ name }) => name.split(' ')[0] as string))])
  return `there is no command ${argv[0]}${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`
}
