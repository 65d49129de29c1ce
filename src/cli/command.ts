// What a command is, and how its help is written from what it declares.
import type { Environment, Flags, ValuesOf } from './flags.ts'

export type Terminal = {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Whether someone is looking at the error stream. */
  readonly interactive: boolean
}

export type Invocation<F extends Flags> = {
  readonly values: ValuesOf<F>
  readonly words: readonly string[]
  readonly env: Environment
  readonly terminal: Terminal
}

export type Command<F extends Flags = Flags> = {
  /** The words that call it, such as `import synthetic`. */
  readonly name: string
  readonly says: string
  /** What follows the name besides flags. */
  readonly words?: { readonly shown: string; readonly least: number; readonly most: number }
  readonly flags: F
  readonly examples: readonly string[]
  readonly run: (invocation: Invocation<F>) => Promise<number>
}

/** Keeps the types of the flags for `run`, then forgets them. */
export function command<const F extends Flags>(declared: Command<F>): Command {
  return declared as unknown as Command
}

const PROGRAM = 'nomenclator'

export function overview(commands: readonly Command[], about: string): string {
  const rows = commands.map(({ name, says }) => [name, says] as const)
  return `${about}

Usage: ${PROGRAM} COMMAND [FLAGS]

${columns(rows)}

${PROGRAM} COMMAND --help tells more of a command; ${PROGRAM} --version prints the version.
`
}

export function helpOf({ name, says, words, flags, examples }: Command, below: readonly Command[]): string {
  const rows = Object.entries(flags).map(([flag, { value, env, says: about, absent }]) => {
    const facts = [env === undefined ? [] : [env], absent === undefined ? [] : [`default ${absent}`]].flat()
    const left = `--${flag}${value === undefined ? '' : ` ${value}`}`
    return [left, facts.length === 0 ? about : `${about} (${facts.join(', ')})`] as const
  })
  const usage = [PROGRAM, name, ...(words === undefined ? [] : [words.shown]), '[FLAGS]'].join(' ')
  return `${says}

Usage: ${usage}

${columns([...rows, ['--help', 'print this']])}

Examples:
${examples.map((example) => `  ${PROGRAM} ${example}`).join('\n')}
${below.length === 0 ? '' : `\nSee also:\n${columns(below.map((command) => [command.name, command.says]))}\n`}`
}

export function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n')
}
