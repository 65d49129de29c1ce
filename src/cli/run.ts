// From the arguments to a command, its help, or a clear no.
import { nearest } from '../nearest.ts'
import { version } from '../version.ts'
import { type Command, helpOf, overview, type Terminal } from './command.ts'
import { diff } from './diff.ts'
import { type Environment, readFlags, UsageError } from './flags.ts'
import { importBundled } from './import-bundled.ts'
import { importSynthetic } from './import-synthetic.ts'
import { activate, releases, releasesPrune, releasesShow, releasesVerify, rollback } from './releases.ts'
import { serveCommand } from './serve.ts'

export const commands: readonly Command[] = [
  serveCommand,
  importBundled,
  importSynthetic,
  releases,
  releasesShow,
  releasesVerify,
  releasesPrune,
  activate,
  rollback,
  diff,
]

const ABOUT = 'Nomenclator serves reference catalogs as paginated JSON lists.'

/** Runs what the arguments say and returns the exit code. */
export async function run(argv: readonly string[], env: Environment, terminal: Terminal): Promise<number> {
  if (argv[0] === '--version') {
    terminal.out(`${version}\n`)
    return 0
  }
  const wantsHelp = argv.length === 0 || argv[0] === 'help' || argv.includes('--help') || argv.includes('-h')
  const typed = argv.filter((word) => word !== '--help' && word !== '-h' && word !== 'help')
  const found = commandOf(typed)
  if (wantsHelp) {
    terminal.out(found === undefined ? overview(startingWith(typed[0]), ABOUT) : helpOf(found))
    return 0
  }
  if (found === undefined) throw new UsageError([unknownCommand(typed)])
  const { values, words } = readFlags(found.flags, typed.slice(found.name.split(' ').length), env)
  const { least, most } = found.words ?? { least: 0, most: 0 }
  if (words.length > most) throw new UsageError([`${JSON.stringify(words[most])} is one word too many`])
  if (words.length < least) throw new UsageError([`${found.words?.shown} is missing`])
  return found.run({ values, words, env, terminal })
}

/** The command with the longest name that the arguments begin with. */
function commandOf(argv: readonly string[]): Command | undefined {
  return commands
    .filter(({ name }) => name.split(' ').every((word, position) => argv[position] === word))
    .sort((a, b) => b.name.length - a.name.length)[0]
}

function startingWith(word: string | undefined): readonly Command[] {
  const some = commands.filter(({ name }) => name.split(' ')[0] === word)
  return some.length > 0 ? some : commands
}

function unknownCommand(argv: readonly string[]): string {
  const family = commands.filter(({ name }) => name.split(' ')[0] === argv[0]).map(({ name }) => name)
  if (family.length > 0)
    return `${argv.slice(0, 2).join(' ')} is not complete or not known; there are: ${family.join(', ')}`
  const meant = nearest(argv[0] ?? '', [...new Set(commands.map(({ name }) => name.split(' ')[0] as string))])
  return `there is no command ${argv[0]}${meant === undefined ? '' : `; did you mean ${meant}?`}`
}
