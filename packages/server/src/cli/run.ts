// From the arguments to a command, its help, or a clear no.
import { nearest } from '../base/nearest.ts'
import { version } from '../base/version.ts'
import { type Command, helpOf, overview, type Terminal } from './command.ts'
import { type Environment, readFlags, UsageError } from './flags/flags.ts'

/** Commands that are loaded together, and the first words that they are called by. */
type CommandGroup = { readonly words: readonly string[]; readonly load: () => Promise<readonly Command[]> }

/** All commands, in the order of the help: a line for each file, which is loaded when it is called or described. */
export const groups: readonly CommandGroup[] = [
  { words: ['serve'], load: async () => [(await import('./commands/serve.ts')).serveCommand] },
  { words: ['import'], load: async () => (await import('./commands/import.ts')).importCommands },
  { words: ['export'], load: async () => [(await import('./commands/export-package.ts')).exportPackageCommand] },
  { words: ['export'], load: async () => [(await import('./commands/export-shelf.ts')).exportShelfCommand] },
  { words: ['export'], load: async () => [(await import('./commands/export-site.ts')).exportSiteCommand] },
  { words: ['describe'], load: async () => [(await import('./commands/describe.ts')).describeCommand] },
  { words: ['check'], load: async () => [(await import('./commands/check-package.ts')).checkPackageCommand] },
  { words: ['profile'], load: async () => [(await import('./commands/profile.ts')).profileCommand] },
  { words: ['resolve'], load: async () => [(await import('./commands/resolve.ts')).resolveCommand] },
  { words: ['packages', 'remove'], load: async () => (await import('./commands/packages.ts')).packageCommands },
  {
    words: ['releases', 'activate', 'rollback'],
    load: async () => (await import('./commands/releases.ts')).releaseCommands,
  },
  {
    words: ['keygen', 'sign', 'verify-release', 'rotate-keys'],
    load: async () => (await import('./commands/signing.ts')).signingCommands,
  },
  { words: ['upgrade'], load: async () => [(await import('./commands/upgrade.ts')).upgrade] },
  { words: ['shelf'], load: async () => (await import('./commands/shelf.ts')).shelfCommands },
  { words: ['diff'], load: async () => [(await import('./commands/diff.ts')).diff] },
  { words: ['verify'], load: async () => [(await import('./commands/verify.ts')).verifyCommand] },
  { words: ['types'], load: async () => [(await import('./commands/print-types.ts')).typesCommand] },
  { words: ['doctor'], load: async () => [(await import('./commands/doctor.ts')).doctor] },
  { words: ['health'], load: async () => [(await import('./commands/health.ts')).health] },
  {
    words: ['completion'],
    load: async () => [(await import('./commands/completion.ts')).completionCommand(allCommands)],
  },
  { words: ['man'], load: async () => [(await import('./commands/man.ts')).manCommand(allCommands)] },
]

const loaded = async (wanted: readonly CommandGroup[]): Promise<readonly Command[]> =>
  (await Promise.all(wanted.map(({ load }) => load()))).flat()

export const allCommands = (): Promise<readonly Command[]> => loaded(groups)

/** Those that may be called with these arguments; all, where there is none or it has to be said which there are. */
function commandsFor([word = '']: readonly string[]): Promise<readonly Command[]> {
  const own = groups.filter(({ words }) => words.includes(word))
  return loaded(own.length === 0 ? groups : own)
}

/** Runs what the arguments say and returns the exit code. */
export async function run(argv: readonly string[], env: Environment, terminal: Terminal): Promise<number> {
  if (argv[0] === '--version') {
    terminal.out(`${version}\n`)
    return 0
  }
  const words = withoutSynonym(argv[0] === 'help' ? [...argv.slice(1), '--help'] : argv)
  const typed = words.filter((word) => word !== '--help' && word !== '-h')
  const commands = await commandsFor(typed)
  const called = commandOf(commands, typed)
  if (words.length > typed.length || words.length === 0) {
    terminal.out(helpFor(commands, typed, called))
    return 0
  }
  if (called === undefined) throw new UsageError([unknownCommand(commands, typed)])
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
function commandOf(commands: readonly Command[], argv: readonly string[]): Command | undefined {
  return commands
    .filter(({ name }) => name.split(' ').every((word, position) => argv[position] === word))
    .sort((a, b) => b.name.length - a.name.length)[0]
}

/** The help of a command, of a group of commands such as import, or of the program. */
function helpFor(commands: readonly Command[], typed: readonly string[], called: Command | undefined): string {
  const group = commands.filter(({ name }) => name.split(' ')[0] === typed[0])
  if (called !== undefined)
    return helpOf(
      called,
      group.filter(({ name }) => name.startsWith(`${called.name} `)),
    )
  if (typed.length > 0 && group.length === 0) throw new UsageError([unknownCommand(commands, typed)])
  return overview(typed.length === 0 ? commands : group)
}

/** What people try for a command. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([['packages remove', 'remove']])

function withoutSynonym(words: readonly string[]): readonly string[] {
  const meant = SYNONYMS.get(words.slice(0, 2).join(' '))
  return meant === undefined ? words : [meant, ...words.slice(2)]
}

/** What commands of earlier versions have become. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['import tabular', 'import package'],
  ['export tabular', 'export package'],
])

function unknownCommand(commands: readonly Command[], argv: readonly string[]): string {
  const renamed = RENAMED.get(argv.slice(0, 2).join(' '))
  if (renamed !== undefined) return `${argv.slice(0, 2).join(' ')} is now ${renamed}: nomenclator ${renamed} DIR`
  const group = commands.filter(({ name }) => name.split(' ')[0] === argv[0]).map(({ name }) => name)
  if (group.length > 0)
    return `${argv.slice(0, 2).join(' ')} is not complete or not known; there are: ${group.join(', ')}`
  const suggestion = nearest(argv[0] ?? '', [...new Set(commands.map(({ name }) => name.split(' ')[0] as string))])
  return `there is no command ${argv[0]}${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`
}
