// nomenclator completion SHELL: a few lines for the shell, which run `nomenclator __complete` for the words that may come next.
import { command } from '../command.ts'

/** If `__complete` prints nothing, the shells offer files. */
export const COMPLETION_SCRIPTS = {
  bash: `# Completes nomenclator in bash.
_nomenclator() {
  local IFS=$'\\n'
  COMPREPLY=($("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _nomenclator nomenclator
`,
  zsh: `#compdef nomenclator
# Completes nomenclator in zsh.
_nomenclator() {
  local -a candidates
  candidates=(\${(f)"$("\${words[1]}" __complete "\${(@Q)words[2,CURRENT]}" 2>/dev/null)"})
  if (( $#candidates )); then compadd -a candidates; else _files; fi
}
if [[ $funcstack[1] == _nomenclator ]]; then _nomenclator "$@"; else compdef _nomenclator nomenclator; fi
`,
  fish: `# Completes nomenclator in fish.
function __nomenclator_complete
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    set -l candidates ($typed[1] __complete $typed[2..-1] "$current" 2>/dev/null)
    if test (count $candidates) -gt 0
        string join -- \\n $candidates
    else
        __fish_complete_path "$current"
    end
end
complete -c nomenclator -f -a '(__nomenclator_complete)'
`,
} as const

export const completionCommand = command({
  name: 'completion',
  summary: 'Print a script that completes commands in bash, zsh or fish',
  operands: { usage: 'SHELL', min: 1, max: 1, choices: Object.keys(COMPLETION_SCRIPTS) },
  flags: {},
  examples: ['completion bash', 'completion zsh', 'completion fish'],
  run: async ({ operands, terminal }) => {
    terminal.out(COMPLETION_SCRIPTS[operands[0] as keyof typeof COMPLETION_SCRIPTS])
  },
})
