// nomenclator man: the manual page, written from what the commands declare.
import { version } from '../../base/version.ts'
import { ABOUT, type Command, command, PROGRAM, usageOf } from '../command.ts'

export const manCommand = (commands: () => Promise<readonly Command[]>): Command =>
  command({
    name: 'man',
    description: 'Print the manual page of all commands.',
    flags: {},
    examples: ['man'],
    run: async ({ terminal }) => {
      terminal.out(manualPage(await commands()))
      return 0
    },
  })

/** When the words of this page were last changed. */
const DATE = '2026-11-16'

const SIGNALS = [
  ['SIGTERM, SIGINT', 'Requests in flight finish, then the service ends. A second one ends it at once.'],
  ['SIGHUP', 'The workers are replaced one after the other.'],
] as const

const EXIT_CODES = [
  ['0', 'It is done.'],
  ['1', 'It could not be done; the reason is on the error stream.'],
  ['2', 'The command line or a variable is wrong.'],
] as const

export function manualPage(commands: readonly Command[]): string {
  const sections = commands.map(
    (one) => `.SS ${quoted(usageOf(one).slice(PROGRAM.length + 1))}\n${text(one.description)}\n${flagsOf(one)}`,
  )
  const examples = commands.flatMap((one) => one.examples.slice(0, 1))
  return [
    `.TH ${PROGRAM.toUpperCase()} 1 ${DATE} ${quoted(`Nomenclator ${version}`)} "User Commands"`,
    '.SH NAME',
    `${PROGRAM} \\- serve reference catalogs over HTTP`,
    '.SH SYNOPSIS',
    `.B ${PROGRAM}`,
    '.I COMMAND',
    '[\\fIFLAGS\\fR]',
    '.br',
    `.B ${PROGRAM}`,
    '[\\fICOMMAND\\fR] \\fB\\-\\-help\\fR',
    '.br',
    `.B ${PROGRAM} \\-\\-version`,
    '.SH DESCRIPTION',
    text(`${ABOUT} It imports them from official sources into releases on disk, and serves the current one.`),
    '.SH COMMANDS',
    ...sections,
    '.SH ENVIRONMENT',
    text('A flag takes precedence over its variable; an empty variable counts as none.'),
    ...entries(variablesOf(commands)),
    '.SH SIGNALS',
    'Of the process that \\fBserve\\fR was started as:',
    ...entries(SIGNALS),
    '.SH EXIT STATUS',
    ...entries(EXIT_CODES),
    '.SH EXAMPLES',
    '.nf',
    ...examples.map((example) => escaped(`${PROGRAM} ${example}`)),
    '.fi',
    '',
  ]
    .filter((line, position, all) => line !== '' || position === all.length - 1)
    .join('\n')
}

function flagsOf({ flags }: Command): string {
  const rows = Object.entries(flags).map(([name, { value, env, description, defaultValue }]) => {
    const notes = [
      ...(env === undefined ? [] : [`Variable: ${env}.`]),
      ...(defaultValue === undefined ? [] : [`Default: ${defaultValue}.`]),
    ]
    const left =
      value === undefined ? `\\fB${escaped(`--${name}`)}\\fR` : `\\fB${escaped(`--${name}`)}\\fR \\fI${value}\\fR`
    return `.TP\n${left}\n${text([`${sentence(description)}`, ...notes].join(' '))}`
  })
  return rows.join('\n')
}

/** Each variable with the flags that it stands for. */
function variablesOf(commands: readonly Command[]): [string, string][] {
  const uses = new Map<string, string[]>()
  for (const { name, flags } of commands)
    for (const [flag, { env }] of Object.entries(flags))
      if (env !== undefined) uses.set(env, [...(uses.get(env) ?? []), `--${flag} of ${name}`])
  return [...uses].map(([variable, flags]) => {
    const flag = flags[0]?.split(' ')[0]
    return [variable, flags.length > 2 ? `As ${flag} of all commands that have it.` : `As ${flags.join(', ')}.`]
  })
}

const entries = (rows: readonly (readonly [string, string])[]): string[] =>
  rows.map(([left, right]) => `.TP\n\\fB${escaped(left)}\\fR\n${text(right)}`)

const sentence = (words: string) => `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`
const escaped = (words: string) => words.replaceAll('\\', '\\e').replaceAll('-', '\\-')
const quoted = (words: string) => `"${escaped(words).replaceAll('"', '\\(dq')}"`
const WIDTH = 64

/** A text in short lines, as formatters want them. One that begins with a point or an apostrophe would be a request to them. */
function text(words: string): string {
  const lines = ['']
  for (const word of words.split(' ')) {
    const line = lines.at(-1) as string
    if (line === '') lines[lines.length - 1] = word
    else if (line.length + word.length < WIDTH) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines.map((line) => escaped(line).replace(/^(?=[.'])/, '\\&')).join('\n')
}
