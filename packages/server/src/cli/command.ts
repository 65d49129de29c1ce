// What a command is, and how its help is written from what it declares.
import type { Environment, Flags, ValuesOf } from './flags/flags.ts'

export type Terminal = {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Whether someone is looking at the error stream. */
  readonly interactive: boolean
}

export type Invocation<F extends Flags> = {
  readonly values: ValuesOf<F>
  readonly operands: readonly string[]
  readonly env: Environment
  readonly terminal: Terminal
}

export type Command<F extends Flags = Flags> = {
  /** The words that call it, such as `import synthetic`. */
  readonly name: string
  readonly description: string
  /** What follows the name besides flags. */
  readonly operands?: {
    readonly usage: string
    readonly min: number
    readonly max: number
    /** All words that may follow, where they are few. */
    readonly choices?: readonly string[]
  }
  readonly flags: F
  readonly examples: readonly string[]
  readonly run: (invocation: Invocation<F>) => Promise<number>
}

/** Keeps the types of the flags for `run`, then forgets them. */
export function command<const F extends Flags>(declared: Command<F>): Command {
  return declared as unknown as Command
}

export const PROGRAM = 'nomenclator'

export const ABOUT = 'Nomenclator serves reference catalogs as paginated JSON lists.'

export function overview(commands: readonly Command[]): string {
  const rows = commands.map(({ name, description }) => [name, description] as const)
  return `${ABOUT}

Usage: ${PROGRAM} COMMAND [FLAGS]

${columns(rows)}

${PROGRAM} COMMAND --help describes a command; ${PROGRAM} --version prints the version.
`
}

export function helpOf(shown: Command, subcommands: readonly Command[]): string {
  const { description, flags, examples } = shown
  const rows = Object.entries(flags).map(([flag, { value, env, description: about, defaultValue }]) => {
    const notes = [env === undefined ? [] : [env], defaultValue === undefined ? [] : [`default ${defaultValue}`]].flat()
    const left = `--${flag}${value === undefined ? '' : ` ${value}`}`
    return [left, notes.length === 0 ? about : `${about} (${notes.join(', ')})`] as const
  })
  return `${description}

Usage: ${usageOf(shown)}

${columns([...rows, ['--help', 'print this']])}

Examples:
${examples.map((example) => `  ${PROGRAM} ${example}`).join('\n')}
${subcommands.length === 0 ? '' : `\nSee also:\n${columns(subcommands.map((command) => [command.name, command.description]))}\n`}`
}

export const usageOf = ({ name, operands }: Command): string =>
  [PROGRAM, name, ...(operands === undefined ? [] : [operands.usage]), '[FLAGS]'].join(' ')

export function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n')
}
