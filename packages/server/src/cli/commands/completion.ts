// nomenclator completion: scripts that complete the command line in bash, zsh and fish, written from what the commands declare.
import { type Command, command, PROGRAM } from '../command.ts'
import type { Flag } from '../flags/flags.ts'

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const
type Shell = keyof typeof SCRIPTS
const shells = Object.keys(SCRIPTS)

export const completionCommand = (commands: () => Promise<readonly Command[]>): Command =>
  command({
    name: 'completion',
    description: 'Print a script that completes commands, flags and digests in a shell: bash, zsh or fish.',
    operands: { usage: 'SHELL', min: 1, max: 1, choices: shells },
    flags: {},
    examples: ['completion bash', 'completion zsh', 'completion fish'],
    run: async ({ operands, terminal }) => {
      terminal.out(completionScript(operands[0] as string, await commands()))
      return 0
    },
  })

export const completionScript = (shell: string, commands: readonly Command[]): string =>
  SCRIPTS[shell as Shell](commands)

/** What may follow a flag or a command; undefined for what only the user knows. */
type Completed = 'directories' | 'files' | 'digests' | readonly string[] | undefined

function completed(usage: string | undefined, choices: readonly string[] | undefined): Completed {
  if (choices !== undefined) return choices
  if (usage === undefined) return undefined
  if (usage.includes('DIR')) return 'directories'
  if (usage.includes('FILE')) return 'files'
  return usage.includes('DIGEST') ? 'digests' : undefined
}

const completedFlag = ({ value, choices }: Flag<unknown>) => completed(value, choices)
const completedOperand = ({ operands }: Command) => completed(operands?.usage, operands?.choices)
const flagWords = ({ flags }: Command) => [...Object.keys(flags).map((name) => `--${name}`), '--help']

/** A word that may come next, and what it stands for. */
type Word = readonly [word: string, description: string]

/** The first words of all commands. */
function firstWords(commands: readonly Command[]): Word[] {
  const words = new Map<string, string>()
  for (const { name, description } of commands) {
    const [word = '', second] = name.split(' ')
    if (!words.has(word)) words.set(word, second === undefined ? description : `Commands that begin with ${word}`)
  }
  return [...words, ['help', 'Describe a command'], ['--help', 'List the commands'], ['--version', 'Print the version']]
}

/** The second words of commands that have two, by the first. */
function secondWords(commands: readonly Command[]): Map<string, Word[]> {
  const families = new Map<string, Word[]>()
  for (const { name, description } of commands) {
    const [first = '', second] = name.split(' ')
    if (second !== undefined) families.set(first, [...(families.get(first) ?? []), [second, description]])
  }
  return families
}

const longestFirst = (commands: readonly Command[]) => [...commands].sort((a, b) => b.name.length - a.name.length)
const namesOf = (words: readonly Word[]) => words.map(([word]) => word).join(' ')
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
/** Shells list descriptions beside words: the first part of a sentence is enough there. */
const short = (description: string) => description.replace(/[.:;(].*$/, '')
const DIGEST_LINES = "sed -n 's/^[* ] \\([0-9a-f]\\{12\\}\\) .*/\\1/p'"

function bashScript(commands: readonly Command[]): string {
  const families = [...secondWords(commands)].map(([first, words]) => {
    const ownCommand = commands.some(({ name }) => name === first) ? `command=${quoted(first)} ` : ''
    return `    ${quoted(`${first} `)}) ${ownCommand}words=${quoted(namesOf(words))} ;;`
  })
  const prefixes = longestFirst(commands).map(({ name }) => `    ${quoted(`${name} `)}*) command=${quoted(name)} ;;`)
  const reply = (values: Completed) => {
    if (values === 'directories') return '_nomenclator_reply -d'
    if (values === 'files') return '_nomenclator_reply -f'
    if (values === 'digests') return '_nomenclator_reply -W "$(_nomenclator_digests)"'
    return values === undefined ? ':' : `_nomenclator_reply -W ${quoted(values.join(' '))}`
  }
  const flags = commands.flatMap(({ name, flags }) =>
    Object.entries(flags)
      .filter(([, { value }]) => value !== undefined)
      .map(([flag, declared]) => `    ${quoted(`${name} --${flag}`)}) ${reply(completedFlag(declared))}; return ;;`),
  )
  const arms = commands.map((one) => `    ${quoted(one.name)}) flags=${quoted(flagWords(one).join(' '))} ;;`)
  const operands = commands
    .filter((one) => completedOperand(one) !== undefined)
    .map((one) => `    ${quoted(one.name)}) ${reply(completedOperand(one))} ;;`)
  return `# Completes ${PROGRAM} in bash.
_nomenclator_reply() {
  local found
  [[ $1 == -W ]] || compopt -o filenames 2>/dev/null
  while IFS= read -r found; do COMPREPLY+=("$found"); done < <(compgen "$@" -- "$current")
}

_nomenclator_digests() {
  "\${COMP_WORDS[0]}" releases 2>/dev/null | ${DIGEST_LINES}
}

_nomenclator() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]}
  local typed=("\${COMP_WORDS[@]:1:COMP_CWORD - 1}") command='' words='' flags=''
  COMPREPLY=()
  if [[ \${typed[0]-} == help ]]; then typed=("\${typed[@]:1}"); fi
  case "\${typed[*]-} " in
    ' ') words=${quoted(namesOf(firstWords(commands)))} ;;
${[...families, ...prefixes].join('\n')}
  esac
  case "$command $previous" in
${flags.join('\n')}
  esac
  case "$command" in
${arms.join('\n')}
  esac
  if [[ -n $words ]]; then _nomenclator_reply -W "$words"; fi
  if [[ $current == -* ]]; then _nomenclator_reply -W "$flags"; return; fi
  case "$command" in
${operands.join('\n')}
    *) if [[ -z $words ]]; then _nomenclator_reply -W "$flags"; fi ;;
  esac
}

complete -F _nomenclator ${PROGRAM}
`
}

function zshScript(commands: readonly Command[]): string {
  const list = (words: readonly Word[]) =>
    `list=(${words.map(([word, about]) => quoted(`${word}:${short(about).replaceAll(':', '\\:')}`)).join(' ')})`
  const describe = '_describe -t commands command list'
  const action = (values: Completed) => {
    if (values === 'directories') return '_files -/'
    if (values === 'files') return '_files'
    if (values === 'digests') return '_nomenclator_digests'
    return values === undefined ? ' ' : `(${values.join(' ')})`
  }
  const inBrackets = (text: string) => text.replace(/[[\]:\\]/g, '\\$&')
  const argumentsOf = (one: Command) => {
    const flags = Object.entries(one.flags).map(([name, flag]) =>
      quoted(
        `--${name}[${inBrackets(flag.description)}]${flag.value === undefined ? '' : `:${flag.value}:${action(completedFlag(flag))}`}`,
      ),
    )
    const values = completedOperand(one)
    const operands = one.operands === undefined ? [] : [quoted(`*:${inBrackets(one.operands.usage)}:${action(values)}`)]
    return ['_arguments', ...flags, quoted('--help[describe this command]'), ...operands].join(' \\\n        ')
  }
  const call = (one: Command) => {
    const count = one.name.split(' ').length
    return `shift ${count} words; (( CURRENT -= ${count} ))\n      ${argumentsOf(one)}`
  }
  const families = [...secondWords(commands)].map(([first, words]) => {
    const ownCommand = commands.find(({ name }) => name === first)
    const more = ownCommand === undefined ? '' : `\n      ${call(ownCommand)}`
    return `    ${quoted(`${first} `)})\n      ${list(words)}; ${describe}${more}\n      ;;`
  })
  const arms = longestFirst(commands).map((one) => `    ${quoted(`${one.name} `)}*)\n      ${call(one)}\n      ;;`)
  return `#compdef ${PROGRAM}
# Completes ${PROGRAM} in zsh.

_nomenclator_digests() {
  local -a digests
  digests=(\${(f)"$(_call_program digests ${PROGRAM} releases 2>/dev/null | ${DIGEST_LINES})"})
  compadd -a digests
}

_nomenclator() {
  local -a list
  if (( CURRENT > 2 )) && [[ $words[2] == help ]]; then
    words[2]=()
    (( CURRENT -= 1 ))
  fi
  case "\${words[2,CURRENT-1]} " in
    ' ')
      ${list(firstWords(commands))}; ${describe}
      ;;
${[...families, ...arms].join('\n')}
  esac
}

if [[ $funcstack[1] == _nomenclator ]]; then _nomenclator "$@"; else compdef _nomenclator ${PROGRAM}; fi
`
}

function fishScript(commands: readonly Command[]): string {
  const complete = (condition: string, ...rest: readonly string[]) =>
    ['complete', '-c', PROGRAM, '-n', fishQuoted(condition), ...rest].join(' ')
  const words = (condition: string, list: readonly Word[]) =>
    list.map(([word, about]) => complete(condition, '-a', fishQuoted(word), '-d', fishQuoted(short(about))))
  const values = (what: Completed) => {
    if (what === 'directories') return ['-a', "'(__fish_complete_directories)'"]
    if (what === 'files') return ['-F']
    if (what === 'digests') return ['-a', "'(__nomenclator_digests)'"]
    return what === undefined ? [] : ['-a', fishQuoted(what.join(' '))]
  }
  const ofCommand = (one: Command) => {
    const condition = `__nomenclator_in ${quoted(one.name)}`
    const flags = Object.entries(one.flags).map(([name, flag]) => {
      const completed = completedFlag(flag)
      const value = flag.value === undefined ? [] : [completed === 'files' ? '-r' : '-x', ...values(completed)]
      return complete(condition, '-l', name, ...value, '-d', fishQuoted(flag.description))
    })
    const operand = completedOperand(one)
    return [
      ...flags,
      complete(condition, '-l', 'help', '-d', "'describe this command'"),
      ...(operand === undefined ? [] : [complete(condition, ...values(operand))]),
    ]
  }
  const names = longestFirst(commands).map(({ name }) => quoted(name))
  return `# Completes ${PROGRAM} in fish.
function __nomenclator_typed
    set -l typed (commandline -opc)[2..-1]
    if test "$typed[1]" = help
        set -e typed[1]
    end
    echo "$typed"
end

function __nomenclator_at
    test (__nomenclator_typed) = "$argv"
end

function __nomenclator_in
    set -l typed (__nomenclator_typed)
    for name in ${names.join(' ')}
        if string match -q -- "$name *" "$typed "
            test $name = "$argv"
            return
        end
    end
    return 1
end

function __nomenclator_digests
    command -q ${PROGRAM}; and ${PROGRAM} releases 2>/dev/null | ${DIGEST_LINES.replaceAll('\\', '\\\\')}
end

complete -c ${PROGRAM} -f
${[
  ...words("__nomenclator_at ''", firstWords(commands)),
  ...[...secondWords(commands)].flatMap(([first, list]) => words(`__nomenclator_at ${first}`, list)),
  ...commands.flatMap(ofCommand),
].join('\n')}
`
}

const fishQuoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`
