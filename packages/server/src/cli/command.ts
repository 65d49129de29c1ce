// The declaration of a command, and the help that is made from it.
import type { Environment, Flags, ValuesOf } from './flags/flags.ts'

export type Terminal = {
  /** Writes a report: a control character in it is shown, and not obeyed. */
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Writes rows and documents to standard output as they are, but for a person. */
  readonly data: (text: string) => void
  /** True if the error stream is shown to a person. */
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
  /** The line of the overview, without a full stop. */
  readonly summary: string
  /** Sentences that the help of the command has beside the summary. */
  readonly description?: string
  /** The words that follow the name besides flags. */
  readonly operands?: {
    readonly usage: string
    readonly min: number
    readonly max: number
    /** All words that are allowed, if they are few. */
    readonly choices?: readonly string[]
  }
  readonly flags: F
  readonly examples: readonly string[]
  /** Returns the exit code, if it is not 0. */
  readonly run: (invocation: Invocation<F>) => Promise<number> | Promise<void>
}

/** Keeps the types of the flags for `run`, then forgets them. */
export function command<const F extends Flags>(declared: Command<F>): Command {
  return declared as unknown as Command
}

const PROGRAM = 'nomenclator'
/** Columns that a help has at most. */
const WIDTH = 80
/** A flag that is longer has a line of its own above its description. */
const MAX_FLAG = 26

type Section = { readonly title: string; readonly rows: readonly Row[] }
type Row = readonly [left: string, right: string]

export const summaryRow = ({ name, summary }: Command): Row => [name, summary]

export function overview(sections: readonly Section[]): string {
  const width = Math.max(...sections.flatMap(({ rows }) => rows.map(([name]) => name.length)))
  const texts = sections.map(({ title, rows }) => `${title}\n${columns(rows, width)}\n`)
  return `Nomenclator serves code lists, such as the places of Mexico, as a JSON API.

Usage: ${PROGRAM} COMMAND [FLAGS]

${texts.join('\n')}
${PROGRAM} COMMAND --help describes a command.
${PROGRAM} --version prints the version.
`
}

export function helpOf(shown: Command, subcommands: readonly Command[]): string {
  const { name, summary, description, operands, flags, examples } = shown
  const usage = [PROGRAM, name, ...(operands === undefined ? [] : [operands.usage]), '[FLAGS]'].join(' ')
  const rows = Object.entries(flags).map(([flag, { value, env, description: about, defaultValue }]): Row => {
    const notes = [
      ...(env === undefined ? [] : [env]),
      ...(defaultValue === undefined ? [] : [`default ${defaultValue}`]),
    ]
    const left = `--${flag}${value === undefined ? '' : ` ${value}`}`
    return [left, notes.length === 0 ? about : `${about} (${notes.join(', ')})`]
  })
  return `${wrapped([`${summary}.`, description].join(' ').trimEnd(), WIDTH).join('\n')}

Usage: ${usage}

${[...rows, ['--help', 'print this'] as const].map(hanging).join('\n')}

Examples:
${examples.map((example) => `  ${PROGRAM} ${example}`).join('\n')}
${subcommands.length === 0 ? '' : `\nSee also:\n${columns(subcommands.map(summaryRow))}\n`}`
}

export function columns(rows: readonly Row[], width = Math.max(...rows.map(([left]) => left.length))): string {
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n')
}

/** A flag, and its description in lines that are indented alike. */
function hanging([flag, description]: Row): string {
  const indent = ' '.repeat(MAX_FLAG + 4)
  const begin = flag.length > MAX_FLAG ? `  ${flag}\n${indent}` : `  ${flag.padEnd(MAX_FLAG)}  `
  return `${begin}${wrapped(description, WIDTH - indent.length).join(`\n${indent}`)}`
}

/** The lines of a text that are not longer than this, unless a word is. */
function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.at(-1)
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = `${line} ${word}`
  }
  return lines
}
